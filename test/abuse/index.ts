import { cache } from './cache.ts';
import { names } from './names.ts';
import type { Section } from './section.ts';

/** All sections, in the order in which they are tried. */
export const sections: readonly Section[] = [cache, names];
