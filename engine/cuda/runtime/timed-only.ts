/**
 * Launches that are timed and not executed, or not as a whole, where a recording asks for that (`--sample`): those of a kernel and a shape
 * of which enough have been executed, one after the other, that took the same time; and blocks of large ones (device/stretches.ts). Those of
 * libraries whose time is known without are executed for what they compute alone: the first of a shape, and those that are read. What
 * they would compute is not computed. So a program that looks at the results between its launches, to see whether it is done, has them
 * executed, up to a limit.
 */
import { costOf } from '../../model/execution-cost.ts';
import type { KernelCounts, KernelDescription, KernelLaunch } from '../../model/execution.ts';
import { shapeText } from '../../model/launch-shape.ts';

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
/** What one of all others may cost once so much has been spent on all. */
const mostOfOne: readonly { from: number; most: number }[] = [
  { from: 2.5e10, most: 5e7 },
  { from: 1.5e10, most: 2.5e8 },
  { from: 0, most: 1e9 },
];
/** Launches in a row that have to be alike, beside the first of all, which finds empty caches; fewer where together they cost as much as one may. */
const enough = 4;
/** Times that differ by no more than this are alike. */
const alike = 0.02;
/**
 * Times that differ are alike on average: of so many launches in a row, whose mean is known to {@link alike} if each is off by no more
 * than its square root as often, and whose halves differ by no more than that allows. Later launches take the times of these in turn.
 */
const enoughOnAverage = 16;
/** Launches that cost less are executed as fast as they are timed. */
const leastCost = 1e5;
/** So much per launch may be spent on looking whether later ones still take as long. */
const costToLook = 2e7;

interface Kind {
  launches: number;
  /** How many of the last ones that were executed were alike. */
  alike: number;
  /** The last {@link enoughOnAverage} that were executed, the latest last; durations in nanoseconds. */
  latest: { counts: KernelCounts; duration: number }[];
  isAlikeOnAverage: boolean;
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

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Whether the mean of the latest times is known, and they neither grow nor shrink. */
function isAlikeOnAverage(latest: Kind['latest']): boolean {
  if (latest.length < enoughOnAverage) return false;
  const durations = latest.map(({ duration }) => duration);
  const all = mean(durations);
  const spread = Math.sqrt(mean(durations.map((duration) => (duration / all - 1) ** 2)));
  const half = enoughOnAverage / 2;
  const apart = Math.abs(mean(durations.slice(half)) - mean(durations.slice(0, half))) / all;
  return spread <= alike * Math.sqrt(enoughOnAverage) && apart <= 2 * alike;
}

const seen = new WeakMap<KernelCounts, { rest: KernelCounts; cost: number }>();

/** What executing a launch has cost, and its counts without what is of it alone; launches that were not executed again share them. */
function ofLaunch(counts: KernelCounts): { rest: KernelCounts; cost: number } {
  let known = seen.get(counts);
  if (known === undefined) {
    const { places: _, prints: __, ...rest } = counts;
    seen.set(counts, (known = { rest, cost: costOf(counts) * (counts.executedShare ?? 1) }));
  }
  return known;
}

const isPowerOfTwo = (n: number): boolean => (n & (n - 1)) === 0;

export class TimedOnly {
  private spentOnFirst = 0;
  private spentOnRead = 0;
  private spentOnAll = 0;
  /** Times that the host read what is in the memory of a GPU. */
  private reads = 0;
  /** By GPU, then by shape. */
  private readonly kinds: Map<string, Kind>[] = [];
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

  /** What to do with a launch; `isKnown`: its time is, of whatever is executed. */
  before(launch: KernelLaunch, { asksTime, mayLaunch }: KernelDescription, isKnown: boolean): Execution {
    const kind = this.kindOf(launch);
    const leftOfRead = kind.unawaited < patience ? mostOfRead - this.spentOnRead : Infinity;
    const hasRead = kind.launches > 0 && kind.reads !== this.reads;
    const isAfterRead = hasRead && leftOfRead > 0;
    const unawaited = kind.unawaited + (hasRead && !isAfterRead ? 1 : 0);
    Object.assign(kind, { reads: this.reads, launches: kind.launches + 1, isAfterRead, unawaited });
    const mostNow = isKnown ? 0 : mostOfOne.find(({ from }) => this.spentOnAll >= from)!.most;
    const left = kind.launches === 1 ? mostOfFirst - this.spentOnFirst : isAfterRead ? leftOfRead : 0;
    const executed: Execution = { known: null, mostCost: Math.max(mostNow, left) };
    const hasCost = isKnown ? kind.latest.length > 0 : kind.alike > 0;
    const isEnough = kind.alike >= enough || (hasCost && (kind.alike + 1) * kind.cost >= mostNow);
    const taken = kind.isAlikeOnAverage && !isEnough ? kind.launches % enoughOnAverage : -1;
    const known = isEnough || kind.isAlikeOnAverage ? kind.latest.at(taken) : undefined;
    if (asksTime === true || mayLaunch === true || isAfterRead || known === undefined) return executed;
    // Now and then one is executed, to see whether they still take as long.
    const isDue = !isKnown && isPowerOfTwo(kind.launches) && kind.spent + kind.cost <= costToLook * kind.launches;
    if (isDue || kind.cost < leastCost) return executed;
    this.notExecuted(launch);
    return { known: known.counts, mostCost: 0 };
  }

  /** After a launch that was executed. */
  after(launch: KernelLaunch, counts: KernelCounts, duration: number): void {
    const { prints } = counts;
    const { rest, cost } = ofLaunch(counts);
    const kind = this.kindOf(launch);
    // What it prints, the next one may not.
    const { latest } = kind;
    const isAlike = prints === undefined && Math.abs(duration / (latest.at(-1)?.duration ?? 0) - 1) <= alike;
    kind.alike = isAlike ? kind.alike + 1 : 0;
    if (prints !== undefined) latest.length = 0;
    latest.push({ counts: rest, duration });
    if (latest.length > enoughOnAverage) latest.shift();
    // Looked at only where it decides: this is done for every launch.
    kind.isAlikeOnAverage = kind.alike < enough && isAlikeOnAverage(latest);
    if (kind.launches === 1) this.spentOnFirst += cost;
    if (kind.isAfterRead) this.spentOnRead += cost;
    this.spentOnAll += cost;
    Object.assign(kind, { cost, spent: kind.spent + cost });
    if (counts.executedShare !== undefined) this.notExecuted(launch);
  }

  private notExecuted({ kernel }: KernelLaunch): void {
    if (!this.told.has(kernel)) this.onFirst(kernel);
    this.told.add(kernel);
  }

  private kindOf(launch: KernelLaunch): Kind {
    const kinds = (this.kinds[launch.gpu ?? 0] ??= new Map());
    const shape = shapeText(launch);
    let kind = kinds.get(shape);
    if (kind === undefined) {
      const none = { launches: 0, alike: 0, cost: 0, spent: 0, unawaited: 0 };
      kind = { ...none, latest: [], isAlikeOnAverage: false, reads: this.reads, isAfterRead: false };
      kinds.set(shape, kind);
    }
    return kind;
  }
}
