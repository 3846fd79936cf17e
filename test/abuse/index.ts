import type { Section } from './section.ts';
import { files } from './files/index.ts';

/** All sections, in the order in which they are tried. */
export const sections: readonly Section[] = [files];
