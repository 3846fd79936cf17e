/**
 * Launches that are timed and not executed, or not as a whole, where a recording asks for that (`--sample`): those of a kernel and a shape
 * of which enough have been executed, one after the other, that took the same time; and blocks of large ones (device/stretches.ts). What
 * they would compute is not computed. So a program that looks at the results between its launches, to see whether it is done, has them
 * executed, up to a limit.
 */
import { costOf } from '../../model/execution-cost.ts';
import type { KernelCounts, KernelDescription, KernelLaunch } from '../../model/execution.ts';

/**
 * First launches of their kinds are executed as a whole until together they have cost so much: programs check their results. All others up to
 * a cost each, which is less once so much has been spent on all: programs have hundreds of kinds of large launches.
 */
const mostOfFirst = 1e10;
/**
 * As are those before which the program has read results, up to as much beside that. One that then goes on for so many launches waits for
 * what they would compute: they are executed from then on.
 */
const mostOfRead = 1e10;
const patience = 4096;
const mostOfOne = 1e9;
const lessOfOne = 2.5e8;
const lessFrom = 1.5e10;
/** Launches in a row that have to be alike, beside the first of all, which finds empty caches; fewer where together they cost as much as one may. */
const enough = 4;
/** Times that differ by no more than this are alike. */
const alike = 0.02;
/** Smaller launches are executed as fast as they are timed. */
const fewestInstructions = 50_000;
/** So much per launch may be spent on looking whether later ones still take as long. */
const costToLook = 2e7;

interface Kind {
  launches: number;
  /** Of the last ones that were executed: how many were alike, the counts and duration (ns) of the latest. */
  alike: number;
  counts: KernelCounts | null;
  duration: number;
  /** What executing it has cost, the latest time and in all. */
  cost: number;
  spent: number;
  /** {@link TimedOnly.reads} at the latest launch. */
  reads: number;
  /** That one comes after results were read, and is executed as a whole for that. */
  isAfterRead: boolean;
  /** Launches after results were read that were not. */
  unawaited: number;
}

/** Counts of a launch that is not executed; of one that is, the cost beyond which some of its blocks are enough. */
export interface Execution {
  known: KernelCounts | null;
  mostCost: number;
}

const isPowerOfTwo = (n: number): boolean => (n & (n - 1)) === 0;

export class TimedOnly {
  private spentOnFirst = 0;
  private spentOnRead = 0;
  private spentOnAll = 0;
  /** Times that the host read what is in the memory of a GPU. */
  private reads = 0;
  private readonly kinds = new Map<string, Kind>();
  private readonly onFirst: (kernel: string) => void;
  private readonly told = new Set<string>();

  /** `onFirst` is told of kernels at the first launch that is not executed, or not as a whole. */
  constructor(onFirst: (kernel: string) => void = () => undefined) {
    this.onFirst = onFirst;
  }

  /** The host reads what is in the memory of a GPU. */
  hostReads(): void {
    this.reads++;
  }

  /** What to do with a launch. */
  before(launch: KernelLaunch, { asksTime, mayLaunch }: KernelDescription): Execution {
    const kind = this.kindOf(launch);
    const leftOfRead = kind.unawaited < patience ? mostOfRead - this.spentOnRead : Infinity;
    const hasRead = kind.launches > 0 && kind.reads !== this.reads;
    const isAfterRead = hasRead && leftOfRead > 0;
    const unawaited = kind.unawaited + (hasRead && !isAfterRead ? 1 : 0);
    Object.assign(kind, { reads: this.reads, launches: kind.launches + 1, isAfterRead, unawaited });
    const { counts } = kind;
    const mostNow = this.spentOnAll < lessFrom ? mostOfOne : lessOfOne;
    const left = kind.launches === 1 ? mostOfFirst - this.spentOnFirst : isAfterRead ? leftOfRead : 0;
    const executed: Execution = { known: null, mostCost: Math.max(mostNow, left) };
    const isEnough = kind.alike >= enough || (kind.alike > 0 && (kind.alike + 1) * kind.cost >= mostNow);
    if (asksTime === true || mayLaunch === true || isAfterRead || !isEnough || counts === null) return executed;
    // Now and then one is executed, to see whether they still take as long.
    const isDue = isPowerOfTwo(kind.launches) && kind.spent + kind.cost <= costToLook * kind.launches;
    if (isDue || counts.warpInstructions < fewestInstructions) return executed;
    this.notExecuted(launch);
    return { known: counts, mostCost: 0 };
  }

  /** After a launch that was executed. */
  after(launch: KernelLaunch, { places: _, prints, ...counts }: KernelCounts, duration: number): void {
    const kind = this.kindOf(launch);
    // What it prints, the next one may not.
    const isAlike = prints === undefined && Math.abs(duration / kind.duration - 1) <= alike;
    kind.alike = isAlike ? kind.alike + 1 : 0;
    const cost = costOf(counts) * (counts.executedShare ?? 1);
    if (kind.launches === 1) this.spentOnFirst += cost;
    if (kind.isAfterRead) this.spentOnRead += cost;
    this.spentOnAll += cost;
    Object.assign(kind, { counts, duration, cost, spent: kind.spent + cost });
    if (counts.executedShare !== undefined) this.notExecuted(launch);
  }

  private notExecuted({ kernel }: KernelLaunch): void {
    if (!this.told.has(kernel)) this.onFirst(kernel);
    this.told.add(kernel);
  }

  private kindOf({ kernel, grid, block, dynamicSharedBytes, gpu }: KernelLaunch): Kind {
    const key = JSON.stringify([kernel, grid, block, dynamicSharedBytes, gpu]);
    let kind = this.kinds.get(key);
    if (kind === undefined) {
      const none = { launches: 0, alike: 0, duration: 0, cost: 0, spent: 0, unawaited: 0 };
      kind = { ...none, counts: null, reads: this.reads, isAfterRead: false };
      this.kinds.set(key, kind);
    }
    return kind;
  }
}
