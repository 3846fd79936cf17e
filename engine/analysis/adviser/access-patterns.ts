/**
 * Why loads and stores of global memory take more sectors than their bytes need. How many is counted of the whole grid; the pattern is
 * that of the recorded accesses.
 */
import { lineBytes, sectorBytes } from '../../model/geometry.ts';
import type { SampledAccess } from '../../model/kernel-accesses.ts';
import {
  firstLane,
  isAtomic,
  isGlobalLoad,
  isGlobalStore,
  type GlobalAccess,
  type KernelFacts,
} from './kernel-facts.ts';
import { leastGain } from './thresholds.ts';

/**
 * - `fields`: several accesses with the same stride between lanes, to different parts of what lies between: arrays of structures.
 * - `strided`: lanes are regularly apart, in one step or two (blocks of several rows).
 * - `misaligned`: one piece that does not begin at a sector.
 * - `scattered`: anywhere.
 * - `unknown`: the recording has no single accesses.
 */
export type Waste = 'fields' | 'strided' | 'misaligned' | 'scattered' | 'unknown';

export interface WastefulAccess extends GlobalAccess {
  waste: Waste;
  /** Sectors beyond those that its bytes need. */
  excess: number;
  /** Between lanes, where it is the same for most. */
  strideBytes: number | null;
}

const known = new WeakMap<KernelFacts, WastefulAccess[]>();

export function wastefulAccesses(kernel: KernelFacts): readonly WastefulAccess[] {
  let found = known.get(kernel);
  if (!found) known.set(kernel, (found = classified(kernel)));
  return found;
}

/** A structure that is longer than a line is rather a row of its own for each thread. */
const longestStructure = 128;

function classified(kernel: KernelFacts): WastefulAccess[] {
  const wasteful = kernel.global.flatMap((access): WastefulAccess[] => {
    const excess = access.sectors - access.ideal;
    if (excess <= 0 || isAtomic(access.opcode)) return [];
    const [waste, strideBytes] = wasteOf(access.samples);
    return [{ ...access, waste, excess, strideBytes }];
  });
  for (const one of wasteful) {
    const { strideBytes } = one;
    if (one.waste !== 'strided' || strideBytes === null || Math.abs(strideBytes) > longestStructure) continue;
    if (wasteful.some((other) => other !== one && areFields(one, other))) one.waste = 'fields';
  }
  return wasteful;
}

/** The cause of most of the sectors in vain. */
function wasteOf(samples: readonly SampledAccess[]): [Waste, number | null] {
  if (samples.length === 0) return ['unknown', null];
  const sums = new Map<Waste, number>();
  const strides = new Map<number, number>();
  for (const sample of samples) {
    const { global, size, lanes } = sample;
    if (!global) continue;
    const steps = stepsOf(sample);
    const excess = global.sectors - Math.ceil((countOf(lanes) * size) / sectorBytes);
    if (excess <= 0) continue;
    const isRegular = global.pattern === 'strided' || (global.pattern === 'scattered' && new Set(steps).size <= 2);
    const waste = global.pattern === 'misaligned' ? 'misaligned' : isRegular ? 'strided' : 'scattered';
    sums.set(waste, (sums.get(waste) ?? 0) + excess);
    const [step] = steps;
    if (isRegular && step !== undefined) strides.set(step, (strides.get(step) ?? 0) + excess);
  }
  const most = <Key>(map: Map<Key, number>): Key | undefined => [...map].sort(([, a], [, b]) => b - a)[0]?.[0];
  return [most(sums) ?? 'unknown', most(strides) ?? null];
}

function stepsOf({ lanes, addresses }: SampledAccess): number[] {
  const steps: number[] = [];
  let before: number | null = null;
  for (let lane = 0; lane < 32; lane++) {
    if (((lanes >>> lane) & 1) === 0) continue;
    if (before !== null) steps.push(addresses[lane]! - before);
    before = addresses[lane]!;
  }
  return steps;
}

const countOf = (lanes: number): number => {
  let count = 0;
  for (let rest = lanes >>> 0; rest > 0; rest = (rest & (rest - 1)) >>> 0) count++;
  return count;
};

/** The same stride, and in some warp the one begins within the stretch of the other. */
function areFields(one: WastefulAccess, other: WastefulAccess): boolean {
  if (other.strideBytes !== one.strideBytes) return false;
  return one.samples.some((sample) =>
    other.samples.some(({ block, warp, lanes, addresses }) => {
      const apart = addresses[firstLane(lanes)]! - sample.addresses[firstLane(sample.lanes)]!;
      const isSameWarp = block === sample.block && warp === sample.warp && lanes === sample.lanes;
      return isSameWarp && apart !== 0 && Math.abs(apart) < Math.abs(one.strideBytes!);
    }),
  );
}

const sumOf = (found: readonly GlobalAccess[], what: 'sectors' | 'ideal'): number =>
  found.reduce((sum, one) => sum + one[what], 0);

type Saved = { share: number; basis: string } | null;

/**
 * The most that a kernel's time could shrink without some sectors: as if all of it went with the sectors of its loads, or of its
 * stores. What it computes, and the bytes that DRAM has to move in any case, stay. Null where its warps do not wait for memory, or the
 * trace does not say what they wait for.
 */
export function savedWithout(kernel: KernelFacts, found: readonly WastefulAccess[]): Saved {
  const ofKind = (is: (opcode: string) => boolean): number => {
    const all = sumOf(
      kernel.global.filter(({ opcode }) => is(opcode)),
      'sectors',
    );
    const excess = found.reduce((sum, one) => sum + (is(one.opcode) ? one.excess : 0), 0);
    return all === 0 ? 0 : excess / all;
  };
  const part = Math.max(ofKind(isGlobalLoad), ofKind(isGlobalStore));
  const sectors = found.reduce((sum, one) => sum + one.excess, 0);
  return saved(
    kernel,
    part,
    sectors,
    `as if all of its time went with these sectors, of which ${Math.round(100 * part)} % are not needed`,
  );
}

/**
 * The same where time is lost beyond their number, since DRAM takes longer for sectors that lie anywhere, or each load for its way: only
 * what is needed in any case remains.
 */
export function savedButNeeded(kernel: KernelFacts, sectors: number): Saved {
  return saved(kernel, 1, sectors, 'all of its time');
}

function saved(kernel: KernelFacts, part: number, sectors: number, how: string): Saved {
  const wait = kernel.waitForGlobal;
  const all = sumOf(kernel.global, 'sectors');
  if (wait === null || all === 0) return null;
  // Nobody waits for them.
  if (wait * (sectors / all) < leastGain) return { share: 0, basis: '' };
  const dramBytes = (kernel.metric('dram__bytes_read.sum') ?? 0) + (kernel.metric('dram__bytes_write.sum') ?? 0);
  const rest = (all - sectors) * sectorBytes;
  const dram = dramBytes > 0 ? kernel.useOf('DRAM') * Math.min(1, rest / dramBytes) : 0;
  const stays = Math.max(dram, kernel.use('compute'));
  return {
    share: Math.min(part, 1 - stays),
    basis: `At most: ${how}; ${Math.round(100 * stays)} % of it would be needed for the rest.`,
  };
}

/**
 * Sectors that other warps use as well, shortly after: of those that L1 keeps for them, only the turns that they take in the memory pipe
 * count, one for each line of a request.
 */
export function savedBesideL1(kernel: KernelFacts, found: readonly WastefulAccess[]): Saved {
  const { gpu } = kernel;
  const most = savedWithout(kernel, found);
  const hitRate = kernel.metric('l1tex__t_sector_hit_rate.pct');
  if (!most || !gpu || hitRate === null) return most;
  const loads = kernel.global.filter(({ opcode }) => isGlobalLoad(opcode));
  const [taken, needed] = [sumOf(loads, 'sectors'), sumOf(loads, 'ideal')];
  // Stores always go on to L2; the rate is of loads and stores together.
  const hits = (sumOf(kernel.global, 'sectors') * hitRate) / 100;
  const beyond = taken === 0 ? 0 : Math.max(0, taken - hits - needed) / taken;
  const stores = found.some(({ opcode }) => isGlobalStore(opcode));
  const turns = found.reduce((sum, one) => sum + one.executed * turnsInVain(one), 0);
  const pipe = turns / ((kernel.ownNs * gpu.core.smClockMhz * gpu.core.smCount) / 1e3);
  const share = Math.min(most.share, Math.max(beyond, pipe));
  if (stores || share === most.share) return most;
  return {
    share,
    basis:
      `At most: L1 answers for ${Math.round(taken === 0 ? 0 : (100 * Math.min(hits, taken)) / taken)} % of the sectors; what it does not ` +
      `have beyond those needed, or the ${Math.round(100 * pipe)} % of the time that further lines take in the memory pipe, whichever is more.`,
  };
}

/** Lines of a request beyond those that its bytes need, on average of the recorded ones. */
function turnsInVain({ samples, size }: WastefulAccess): number {
  const turns = samples.map(({ global, lanes }) =>
    global ? global.lines.length - Math.ceil((countOf(lanes) * size) / lineBytes) : 0,
  );
  return turns.length === 0 ? 0 : turns.reduce((sum, each) => sum + Math.max(0, each), 0) / turns.length;
}
