import { api } from './api.ts';
import { disk } from './disk.ts';
import { kills } from './kills.ts';
import type { Section } from './section.ts';
import { writes } from './writes.ts';

/** All sections, in the order in which they are tried. */
export const sections: readonly Section[] = [writes, kills, disk, api];
