/** Hostile files that are read beside a trace: what a what-if found, pairs of kernels, notes, what is kept of a person. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../fuzz/random.ts';
import { hostileText } from './texts.ts';

interface Beside {
  path: string;
  home: string;
  random: Random;
}

function hostileJson(random: Random): string {
  const depth = random.pick([1000, 100_000]);
  return random.pick([
    () => `${'['.repeat(depth)}${']'.repeat(depth)}`,
    () => `{"a":`.repeat(depth) + '1' + '}'.repeat(depth),
    () => `[${'1,'.repeat(3_000_000)}1]`,
    () => JSON.stringify(hostileText(random, 30_000_000)),
    () => '{"pairs":[["a","b"],["__proto__","b"]],"notes":[{"text":1e999}],"limits":null}',
    () =>
      JSON.stringify({
        version: 1e308,
        limits: Array.from({ length: 100_000 }, (_, i) => ({ id: `l${i}`, totalNs: -1, gainNs: 1e308 })),
        baseline: {},
        kernels: [],
      }),
    () => '',
    () => 'null',
    () => '\u0000'.repeat(1000),
    () => `{"__proto__":{"limits":[]},"constructor":1}`,
  ])();
}

/** Give what is to be added to `report`. */
export const besides: Readonly<Record<string, (beside: Beside) => string[]>> = {
  'a what-if that is none': ({ path, random }) => {
    writeFileSync(`${path}.what-if.json`, hostileJson(random));
    return ['--what-if', `${path}.what-if.json`];
  },
  'pairs, notes and what is kept of a person': ({ path, home, random }) => {
    for (const name of ['kernel-pairs.json', 'state.json', 'recent.json'])
      writeFileSync(join(home, name), hostileJson(random));
    writeFileSync(`${path}.notes.json`, hostileJson(random));
    return [];
  },
};
