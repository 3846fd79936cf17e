import { programs } from './programs.ts';
import type { Section } from './section.ts';

/** All sections, in the order in which they are tried. */
export const sections: readonly Section[] = [programs];
