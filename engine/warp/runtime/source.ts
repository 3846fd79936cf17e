/** The C files of this folder as the one translation unit that they are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Parts in their order: a part uses those before it. */
const parts = [
  'launch.c',
  'paging.c',
  'l2-sets.c',
  'managed-memory.c',
  'repeats.c',
  'l2.c',
  'grid-parts.c',
  'trace.c',
  'l1.c',
  'samples.c',
  'l1-passes.c',
  'request-lines.c',
  'shared-memory.c',
  'races.c',
  'requests.c',
  'atomics.c',
  'warp-operations.c',
  'missing-arithmetic.c',
  'blocks.c',
  'arithmetic.c',
  'tensor.c',
  'tiles.c',
  'async.c',
  'textures.c',
  'system.c',
  'meetings.c',
];

export const runtimeSource = (): string =>
  parts.map((name) => `#line 1 "${name}"\n${readFileSync(join(import.meta.dirname, name), 'utf8')}`).join('\n');
