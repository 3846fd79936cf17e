import { api } from './api.ts';
import { cache } from './cache.ts';
import { disk } from './disk.ts';
import { escapes } from './escapes/index.ts';
import { files } from './files/index.ts';
import { kills } from './kills.ts';
import { names } from './names.ts';
import { programs } from './programs.ts';
import { writes } from './writes.ts';
import type { Section } from './section.ts';

/** All sections, in the order in which they are tried. */
export const sections: readonly Section[] = [escapes, writes, kills, disk, cache, programs, files, names, api];
