import { cache } from './cache.ts';
import { escapes } from './escapes/index.ts';
import { files } from './files/index.ts';
import type { Section } from './section.ts';

/** All sections, in the order in which they are tried. */
export const sections: readonly Section[] = [escapes, cache, files];
