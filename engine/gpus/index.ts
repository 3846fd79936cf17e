/**
 * The catalogue: every GPU that Simsight can simulate, by id.
 *
 *   gpuById('h200').core.smCount; // 132
 */
import { SimsightError } from '../base/errors.ts';
import { a100Sxm40, a100Sxm80 } from './a100.ts';
import { a4000 } from './a4000.ts';
import { a6000 } from './a6000.ts';
import { c2050 } from './c2050.ts';
import { h100 } from './h100.ts';
import { h200 } from './h200.ts';
import { mx330 } from './mx330.ts';
import { rtx4090 } from './rtx4090.ts';
import { t4 } from './t4.ts';
import { v100 } from './v100.ts';
import type { GpuDescription } from './types.ts';

/** From the oldest compute capability to the newest. */
export const gpus: readonly GpuDescription[] = [
  c2050,
  mx330,
  v100,
  t4,
  a100Sxm40,
  a100Sxm80,
  a4000,
  a6000,
  rtx4090,
  h100,
  h200,
];

/** The GPU that recordings use when nobody chose one. */
export const defaultGpu = 'a100';

/** Other spellings that people use for one of the ids. */
const aliases: Readonly<Record<string, string>> = {
  a100: 'a100-80gb',
  'rtx-a4000': 'a4000',
  'rtx-a6000': 'a6000',
  'rtx-4090': 'rtx4090',
  'tesla-c2050': 'c2050',
};

/** The GPU with this id or alias, in any case. Throws `unknown-gpu` with the nearest known id. */
export function gpuById(id: string): GpuDescription {
  const wanted = id.toLowerCase();
  const name = aliases[wanted] ?? wanted;
  const found = gpus.find((gpu) => gpu.id === name);
  if (found) return found;
  const known = gpus.map((gpu) => gpu.id);
  const nearest = nearestName(wanted, [...known, ...Object.keys(aliases)]);
  const hint = nearest ? `Did you mean "${nearest}"? ` : '';
  throw new SimsightError('unknown-gpu', `There is no GPU "${id}".`, `${hint}Known GPUs: ${known.join(', ')}.`);
}

/** Most GPUs of a machine: as many as hardware joins with NVLink in one machine. */
const mostGpus = 8;

/**
 * The GPUs of a machine: ids with commas between them, each after a number and an x where there are several of one kind.
 *
 *   gpusById('2xh200'); gpusById('h200,a100');
 *
 * Throws `unknown-gpu`, as {@link gpuById}.
 */
export function gpusById(list: string): [GpuDescription, ...GpuDescription[]] {
  const all = list.split(',').flatMap((word): GpuDescription[] => {
    const [, count = '1', id = ''] = /^(?:(\d+)x)?(.*)$/i.exec(word.trim())!;
    const gpu = gpuById(id);
    return Array.from({ length: Math.min(Number(count), mostGpus + 1) }, () => gpu);
  });
  if (all.length < 1 || all.length > mostGpus) {
    throw new SimsightError('unknown-gpu', `"${list}" is not 1 to ${mostGpus} GPUs.`, 'Write 2xh200, or h200,a100.');
  }
  return all as [GpuDescription, ...GpuDescription[]];
}

/** The name within half its length of single-letter edits of `wanted`; null when none is that near. */
function nearestName(wanted: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Infinity;
  for (const name of names) {
    const distance = editDistance(wanted, name);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best !== null && bestDistance <= best.length / 2 ? best : null;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
