import type { Section } from './section.ts';
import { writes } from './writes.ts';

/** All sections, in the order in which they are tried. */
export const sections: readonly Section[] = [writes];
