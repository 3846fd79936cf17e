/**
 * Launches that are timed and not executed, where a recording asks for that (`--sample`): those of a kernel and a shape of which enough
 * have been executed, one after the other, that took the same time. What they would compute is not computed. So a program that looks at
 * the results between its launches, to see whether it is done, has all of them executed.
 */
import type { KernelCounts, KernelDescription, KernelLaunch } from '../../model/execution.ts';

/** Launches in a row that have to be alike, beside the first of all, which finds empty caches. */
const enough = 4;
/** Times that differ by no more than this are alike. */
const alike = 0.02;
/** Smaller launches are executed as fast as they are timed. */
const fewestInstructions = 50_000;

interface Kind {
  launches: number;
  /** Of the last ones that were executed: how many were alike, the counts and duration (ns) of the latest. */
  alike: number;
  counts: KernelCounts | null;
  duration: number;
  /** {@link TimedOnly.reads} at the latest launch. */
  reads: number;
}

const isPowerOfTwo = (n: number): boolean => (n & (n - 1)) === 0;

export class TimedOnly {
  count = 0;
  /** Times that the host read what is in the memory of a GPU. */
  private reads = 0;
  private readonly kinds = new Map<string, Kind>();
  private readonly onFirst: (kernel: string) => void;
  private readonly told = new Set<string>();

  /** `onFirst` is told of kernels before the first launch that is not executed. */
  constructor(onFirst: (kernel: string) => void = () => undefined) {
    this.onFirst = onFirst;
  }

  /** The host reads what is in the memory of a GPU. */
  hostReads(): void {
    this.reads++;
  }

  /** Counts of a launch that is not to be executed; null where it is. */
  before(launch: KernelLaunch, { asksTime, mayLaunch }: KernelDescription): KernelCounts | null {
    const kind = this.kindOf(launch);
    const hasRead = kind.reads !== this.reads;
    kind.reads = this.reads;
    kind.launches++;
    if (asksTime === true || mayLaunch === true || hasRead || kind.alike < enough || kind.counts === null) return null;
    // Now and then one is executed, to see whether they still take as long.
    if (isPowerOfTwo(kind.launches) || kind.counts.warpInstructions < fewestInstructions) return null;
    this.count++;
    if (!this.told.has(launch.kernel)) this.onFirst(launch.kernel);
    this.told.add(launch.kernel);
    return kind.counts;
  }

  /** After a launch that was executed. */
  after(launch: KernelLaunch, { places: _, prints, ...counts }: KernelCounts, duration: number): void {
    const kind = this.kindOf(launch);
    // What it prints, the next one may not.
    const isAlike = prints === undefined && Math.abs(duration / kind.duration - 1) <= alike;
    kind.alike = isAlike ? kind.alike + 1 : 0;
    Object.assign(kind, { counts, duration });
  }

  private kindOf({ kernel, grid, block, dynamicSharedBytes, gpu }: KernelLaunch): Kind {
    const key = JSON.stringify([kernel, grid, block, dynamicSharedBytes, gpu]);
    let kind = this.kinds.get(key);
    if (kind === undefined) {
      kind = { launches: 0, alike: 0, counts: null, duration: 0, reads: -1 };
      this.kinds.set(key, kind);
    }
    return kind;
  }
}
