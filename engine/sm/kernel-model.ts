/** The SM model as the CUDA runtime asks it, for one GPU. */
import { SimsightError } from '../base/errors.ts';
import { ns } from '../base/units.ts';
import type { BlockShape, KernelModel, TracedBlocks } from '../model/kernel-timing.ts';
import { launchTime } from '../gpus/device-runtime.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { cacheGeometry } from './cache-geometry.ts';
import { timeMetrics } from './counters.ts';
import { dramBytes, estimateKernel, rampOf, type KernelEstimate } from './estimate.ts';
import { liftedCaches, liftedGpu, liftedOccupancy, type Lifted } from './lifted.ts';
import { occupancyOf, occupancyOfLaunch, withinRegisters, type Occupancy } from './occupancy.ts';
import type { Detail } from '../model/record-options.ts';
import {
  enough,
  mostWords,
  mostWordsInFull,
  sampledBlocks,
  simulateKernel,
  wordsOfBlock,
  type SimulatedKernel,
} from './simulate.ts';
import type { CacheGeometry, KernelCounts, KernelDescription, KernelLaunch, LaunchClock } from '../model/execution.ts';
import type { KernelProfile } from '../model/kernel-profile.ts';
import { parameterText, shapeText } from '../model/launch-shape.ts';
import { mostAccesses, syncAction, syncToken, syncWords, waitAccess, type WarpStream } from '../model/warp-stream.ts';

/** Simulation results of launches of one shape. */
interface Known {
  counts: KernelCounts;
  /** Ratio of the simulated to the estimated duration; and without the ramp, for those that take much longer or shorter. */
  ratio: number;
  afterRamp: number;
  counters: Record<string, number>;
  /** Share of the duration that each possible limiter takes, 0 to 1: see {@link timeMetrics}. */
  shares: Record<string, number>;
  profile: KernelProfile;
  /** It does little but wait for the clock, which goes on at its own pace beside other kernels too. */
  waitsForClock: boolean;
}

/** Share of instructions that read the clock from which a kernel is taken to wait for it: loops that do have one in 6 to 9. */
const waitingShare = 0.05;

/** A launch that did as much, within these parts, as one that was simulated is not simulated again. */
const alikeInstructions = 0.02;
const alikeTraffic = 0.05;
/** Traffic that makes no difference: bytes of DRAM, and passes, lines or sectors for each instruction. */
const littleTraffic = 1 << 20;
const littlePerInstruction = 0.01;
/**
 * Launches of one shape that are traced: two with the same arguments, as the first finds other things in the caches. Later
 * ones are taken to be like one of them; after one that did more or less than all of them, the next is traced as well.
 */
const mostTraces = 16;
const mostTracesOfArguments = 2;
const mostTracesAfterOthers = 64;

/** Launches that ask the time are rehearsed until their simulated cycles change by no more than this. */
const mostRehearsals = 5;
const settled = 0.01;

interface Shape {
  traces: number;
  tracesOf: Map<string, number>;
  simulated: Known[];
  /** The last launch was like none of those that were simulated. */
  isOther: boolean;
}

/** The time of a launch that was not traced, and what it depends on beside its counts. */
interface Timed {
  estimate: KernelEstimate;
  simulated: number;
  isOther: boolean;
}

const tooLongForFull = (): SimsightError =>
  new SimsightError(
    'budget-exceeded',
    'A kernel does more than can be kept of all blocks of an SM.',
    'Record it without --detail full, or use smaller problem sizes.',
  );

type Clocks = Pick<LaunchClock, 'asks' | 'rounds'>;

/** The latest: the launch itself follows, and may do the same. */
interface Rehearsal {
  shape: string;
  streams: readonly WarpStream[][];
  simulated: SimulatedKernel;
}

/** Times of kernels on one GPU. `lifted`: the limit that times are computed without; `gpus`: GPUs of the machine. */
export const kernelModel = (
  gpu: GpuDescription,
  detail: Detail = 'sampled',
  lifted: Lifted = null,
  gpus = 1,
): KernelModel => new SimulatedKernels(gpu, detail, lifted, gpus);

const threadsOf = ({ block: { x, y, z } }: KernelLaunch): number => x * y * z;

/** What of a launch depends on its kernel and its shape alone. */
interface ShapeFacts {
  shape: string;
  description: KernelDescription;
  /** With as many registers as a block can have. */
  fitting: KernelDescription;
  occupancy: Occupancy;
  caches: CacheGeometry;
}

class SimulatedKernels implements KernelModel {
  private readonly gpu: GpuDescription;
  private readonly detail: Detail;
  private readonly lifted: Lifted;
  private readonly gpus: number;
  /** The GPU without the limit that is lifted. */
  private readonly timed: ReturnType<typeof liftedGpu>;
  /** Start and end of a kernel together, ns. */
  private readonly ramp: number;
  private readonly known = new Map<string, Shape>();
  /** Clocks of launches that ask the time, by their arguments: those of the last rehearsal. */
  private readonly rehearsed = new Map<string, { times: number; clocks: Clocks }>();
  private latest: Rehearsal | null = null;
  private readonly facts = new Map<string, ShapeFacts>();
  private readonly blocksThatFit = new WeakMap<KernelDescription, Map<string, number>>();
  /** The launch that was asked for last, and more is asked of. */
  private current: { launch: KernelLaunch; facts: ShapeFacts } | null = null;
  /** Launches that do what an earlier one did have its counts: the same object. */
  private readonly timedBefore = new WeakMap<KernelCounts, Timed>();

  constructor(gpu: GpuDescription, detail: Detail, lifted: Lifted, gpus: number) {
    this.gpu = gpu;
    this.detail = detail;
    this.lifted = lifted;
    this.gpus = gpus;
    this.timed = liftedGpu(gpu, lifted);
    this.ramp = rampOf(lifted);
  }

  clock(
    description: KernelDescription,
    launch: KernelLaunch,
    starts: number,
    rehearse: Parameters<NonNullable<KernelModel['clock']>>[3],
  ): LaunchClock {
    const { occupancy, shape } = this.factsOf(description, launch);
    const { x, y, z } = launch.grid;
    const others = Math.max(0, Math.min(x * y * z, occupancy.blocksPerSm * this.gpu.core.smCount) - 1);
    // The first block starts half a ramp after the kernel, whose end is as far from the last.
    const clock: LaunchClock = {
      starts: starts + this.ramp / 2,
      cyclesPerNanosecond: this.gpu.core.smClockMhz / 1e3,
      pollCycles: this.timed.latency.l2Hit ?? 0,
      asks: null,
      launchTime: (threads, isFirst) => launchTime(threads, isFirst, others),
    };
    if (description.asksTime !== true || !canBeTraced(description) || occupancy.blocksPerSm === 0) return clock;
    const key = shape + parameterText(launch);
    const before = this.rehearsed.get(key) ?? { times: 0, clocks: clocksOf(null) };
    if (before.times < mostTracesOfArguments) {
      let last: SimulatedKernel | null = null;
      let streams: readonly WarpStream[][] = [];
      for (let times = 0; times < mostRehearsals; times++) {
        const request = this.requestOf(launch, occupancy);
        const counts = rehearse(request, { ...clock, ...clocksOf(last) });
        // Warps that did the same will take the same time.
        if (counts !== null && last !== null && didAlike(streams, request.streams)) break;
        const simulated =
          counts === null
            ? null
            : simulateKernel(
                description,
                request,
                wholeGrid(counts, launch),
                occupancy,
                this.timed,
                this.detail,
                this.lifted,
              );
        // Where warps take each other's turns, how long one waits for the clock decides when another comes to ask.
        const isCrowded = this.warpsOnSm(launch, occupancy) > this.gpu.throughput.schedulers;
        const isSettled = simulated !== null && Math.abs(simulated.cycles / (last?.cycles ?? 0) - 1) < settled;
        last = simulated;
        ({ streams } = request);
        if (simulated === null || !isCrowded || isSettled) break;
      }
      this.latest = last && { shape, streams, simulated: last };
      this.rehearsed.set(key, { times: before.times + 1, clocks: clocksOf(last) });
    }
    return { ...clock, ...this.rehearsed.get(key)!.clocks };
  }

  trace(description: KernelDescription, launch: KernelLaunch): TracedBlocks | null {
    if (!canBeTraced(description)) return null;
    const { occupancy, shape } = this.factsOf(description, launch);
    const before = this.known.get(shape) ?? newShape();
    const values = parameterText(launch);
    const traces = before.tracesOf.get(values) ?? 0;
    const isKnown = traces >= mostTracesOfArguments || before.traces >= mostTraces;
    const isOther = before.isOther && before.traces < mostTraces + mostTracesAfterOthers;
    if (this.detail !== 'full' && isKnown && !isOther) return null;
    if (occupancy.blocksPerSm === 0) return null;
    before.traces++;
    before.tracesOf.set(values, traces + 1);
    this.known.set(shape, before);
    return this.requestOf(launch, occupancy);
  }

  timeKernel(
    description: KernelDescription,
    launch: KernelLaunch,
    counts: KernelCounts,
    traced?: TracedBlocks | null,
  ): KernelEstimate {
    if (traced !== null && traced !== undefined)
      return withPrints(this.timeWithoutPrints(description, launch, counts, traced), counts);
    const shape = this.known.get(this.factsOf(description, launch).shape);
    const before = this.timedBefore.get(counts);
    if (shape !== undefined && before !== undefined && before.simulated === shape.simulated.length) {
      shape.isOther = before.isOther;
      return before.estimate;
    }
    const estimate = withPrints(this.timeWithoutPrints(description, launch, counts, null), counts);
    const { isOther, simulated } = shape ?? newShape();
    this.timedBefore.set(counts, { estimate, simulated: simulated.length, isOther });
    return estimate;
  }

  cacheGeometry(description: KernelDescription, launch: KernelLaunch): CacheGeometry {
    return this.factsOf(description, launch).caches;
  }

  blocksPerSm(description: KernelDescription, block: BlockShape): number {
    const { threadsPerBlock, dynamicSharedBytes, preferredCarveout } = block;
    const key = `${threadsPerBlock} ${dynamicSharedBytes} ${preferredCarveout}`;
    let known = this.blocksThatFit.get(description);
    if (known === undefined) this.blocksThatFit.set(description, (known = new Map()));
    let blocks = known.get(key);
    if (blocks === undefined) {
      blocks = occupancyOf(this.gpu, { ...this.fitting(description, threadsPerBlock), ...block }).blocksPerSm;
      known.set(key, blocks);
    }
    return blocks;
  }

  private timeWithoutPrints(
    description: KernelDescription,
    launch: KernelLaunch,
    counts: KernelCounts,
    traced: TracedBlocks | null | undefined,
  ): KernelEstimate {
    const facts = this.factsOf(description, launch);
    const estimated = (of: KernelCounts): KernelEstimate =>
      estimateKernel(facts.fitting, launch, of, this.timed, this.lifted);
    const estimate = estimated(counts);
    const shape = this.known.get(facts.shape) ?? newShape();
    const before = shape.simulated;
    const same = before.filter((one) => didAsMuch(one, counts));
    const apart = (one: Known): number => apartInTraffic(one, counts);
    const like = this.detail !== 'full' ? same.find((one) => apart(one) <= 1) : undefined;
    if (like !== undefined) return simulatedAs(estimate, like);
    const simulated =
      traced === null || traced === undefined
        ? null
        : this.latest?.shape === facts.shape && didAlike(this.latest.streams, traced.streams)
          ? this.latest.simulated
          : simulateKernel(description, traced, counts, facts.occupancy, this.timed, this.detail, this.lifted);
    shape.isOther = simulated === null && same.length === 0;
    if (simulated === null) {
      const nearest = least(same, apart);
      if (nearest !== undefined) return simulatedAs(estimate, nearest);
      const next = least(before, (one) => Math.abs(Math.log(counts.warpInstructions / one.counts.warpInstructions)));
      if (next === undefined) return estimate;
      return simulatedAs(
        estimate,
        next,
        (this.ramp + this.afterRamp(estimate.duration) * next.afterRamp) / estimate.duration,
      );
    }
    const ofSimulated = simulated.counts === counts ? estimate : estimated(simulated.counts);
    const now = this.limitsOf(counts, estimate, ofSimulated, simulated);
    before.push(now);
    return simulatedAs(estimate, now);
  }

  /**
   * The duration is the longest of what the SMs take and what belongs to the whole GPU, which one SM does not see: atomics on one
   * address, dispatch, the bandwidth of DRAM and of links.
   */
  private limitsOf(
    counts: KernelCounts,
    estimate: ReturnType<typeof estimateKernel>,
    ofSimulated: ReturnType<typeof estimateKernel>,
    simulated: SimulatedKernel,
  ): Known {
    const { l2, dram, nvlink, host, launch: dispatch } = ofSimulated.times;
    const ofSm = this.ramp + (simulated.cycles * 1e3) / this.gpu.core.smClockMhz;
    // Atomics that meet are done one after the other, from the first one on.
    const meeting = estimate.meeting + (simulated.beforeAtomics * 1e3) / this.gpu.core.smClockMhz;
    const meets = estimate.meetsInOnePlace ? timeMetrics.atomicsOnOnePlace : timeMetrics.atomics;
    const times: [metric: string, nanoseconds: number][] = [
      [timeMetrics.sm, ofSm],
      [timeMetrics.l2, l2],
      [timeMetrics.dram, dram],
      [timeMetrics.nvlink, nvlink],
      [timeMetrics.host, host],
      [timeMetrics.dispatch, dispatch],
      [meets, meeting],
    ];
    const duration = Math.max(...times.map(([, time]) => time));
    return {
      counts,
      ratio: duration / estimate.duration,
      afterRamp: this.afterRamp(duration) / this.afterRamp(estimate.duration),
      counters: simulated.counters,
      // Resources that take no longer than the simulated SM are of no interest, except for atomics.
      shares: Object.fromEntries(
        times
          .filter(
            ([metric, time]) =>
              metric === timeMetrics.sm || time > ofSm || (metric === meets && counts.globalAtomic.sectors > 0),
          )
          .map(([metric, time]) => [metric, time / duration]),
      ),
      profile: simulated.profile(),
      waitsForClock: simulated.clockReads > waitingShare,
    };
  }

  private afterRamp(duration: number): number {
    return Math.max(1, duration - this.ramp);
  }

  /** Registers are an estimate, which is no reason to refuse a launch: the kernel gets as many as its block can have. */
  private fitting(description: KernelDescription, threadsPerBlock: number): KernelDescription {
    return {
      ...description,
      registersPerThread: withinRegisters(description.registersPerThread, this.gpu, threadsPerBlock),
    };
  }

  private factsOf(description: KernelDescription, launch: KernelLaunch): ShapeFacts {
    if (this.current?.launch === launch) return this.current.facts;
    const shape = shapeText(launch);
    let facts = this.facts.get(shape);
    if (facts?.description !== description) {
      const fitting = this.fitting(description, threadsOf(launch));
      facts = {
        ...{ shape, description, fitting },
        occupancy: this.occupancyOf(fitting, launch),
        caches: liftedCaches(cacheGeometry(this.gpu, fitting, launch), this.lifted, this.gpus),
      };
      this.facts.set(shape, facts);
    }
    this.current = { launch, facts };
    return facts;
  }

  private occupancyOf(fitting: KernelDescription, launch: KernelLaunch): Occupancy {
    const { dynamicSharedBytes, preferredCarveout } = launch;
    const block = { ...fitting, threadsPerBlock: threadsOf(launch), dynamicSharedBytes, preferredCarveout };
    return liftedOccupancy(occupancyOfLaunch(this.gpu, block), this.lifted);
  }

  /** A request for the streams of the blocks that are simulated. */
  private requestOf(launch: KernelLaunch, occupancy: Occupancy): TracedBlocks {
    const streams: WarpStream[][] = [];
    let words = 0;
    const { x, y, z } = launch.grid;
    const blocks = sampledBlocks(x * y * z, occupancy, this.gpu, this.detail);
    const request: TracedBlocks = {
      mostWords: this.detail === 'full' ? mostWordsInFull : mostWords,
      onCut: () => {
        if (this.detail === 'full') throw tooLongForFull();
        request.isCut = true;
      },
      isCut: false,
      cutWarps: new Set(),
      blocks,
      mostWordsOfBlock: wordsOfBlock(blocks.length, occupancy),
      onBlock: (_, warps, cut = new Set()) => {
        for (const warp of cut) request.cutWarps.add(streams.length * warps.length + warp);
        streams.push(warps);
        for (const { length } of warps) words += length;
        if (this.detail === 'full' && (cut.size > 0 || words > mostWordsInFull)) throw tooLongForFull();
        return this.detail === 'full' || !enough(streams.length, words, occupancy);
      },
      ...(this.detail === 'full'
        ? {}
        : { enough: (begun: number, traced: number) => enough(begun, traced, occupancy) }),
      streams,
    };
    return request;
  }

  private warpsOnSm({ grid: { x, y, z } }: KernelLaunch, { blocksPerSm, warpsPerBlock }: Occupancy): number {
    return Math.min(blocksPerSm, Math.ceil((x * y * z) / this.gpu.core.smCount)) * warpsPerBlock;
  }
}

/**
 * Cost of printf, ns, as measured on an H100 (2026-11-27, events around launches, medians of 20, less the 5.9 µs of a launch that prints
 * nothing): one line 23, 32 lines of a warp 26, 128 lines of four warps 48, 1,024 of 32 warps 327, 16,384 of 512 blocks 4,802 µs; a lane's
 * 2, 8 and 64 lines one after the other 45, 180 and 1,433 µs, a whole warp's 64 1,600. So a warp waits for each of its calls, and the
 * buffer that all threads share takes line after line.
 */
const printing = { call: 22_400, otherLane: 90, buffer: 13_000, line: 290 };

function withPrints(estimate: KernelEstimate, { prints }: KernelCounts): KernelEstimate {
  if (prints === undefined) return estimate;
  const { lines, callsOfWarp, linesOfWarp } = prints;
  const waiting = printing.call * callsOfWarp + printing.otherLane * (linesOfWarp - callsOfWarp);
  const duration = ns(Math.round(estimate.duration + Math.max(waiting, printing.buffer + printing.line * lines)));
  const metrics = { ...estimate.details.metrics, 'gpu__time_duration.sum': duration };
  return { ...estimate, duration, details: { ...estimate.details, metrics } };
}

/** A stream has room for the numbers of so many accesses: of kernels with more, counts alone are known. */
const canBeTraced = ({ machine }: KernelDescription): boolean => machine !== undefined && machine.sites <= mostAccesses;

/** Clock readings of a simulation. */
const clocksOf = (simulated: SimulatedKernel | null): Clocks => ({
  asks: simulated?.asks ?? null,
  rounds: simulated?.rounds ?? null,
});

/** True if warps did the same, apart from how long they waited for a time. */
function didAlike(before: readonly WarpStream[][], now: readonly WarpStream[][]): boolean {
  const alike = (one: WarpStream, other: WarpStream): boolean => {
    if (one.length !== other.length) return false;
    for (let at = 0; at < one.length; at++) {
      if (one[at] !== other[at]) return false;
      if (isEndOfWait(one[at]!)) at += syncWords;
    }
    return true;
  };
  return (
    before.length === now.length &&
    before.every((warps, i) => warps.length === now[i]!.length && warps.every((warp, k) => alike(warp, now[i]![k]!)))
  );
}

const isEndOfWait = (word: number): boolean => word === syncToken(syncAction.pollEnd, waitAccess);

/** Counts of some blocks as those of the whole grid, as far as its simulation asks for them. */
function wholeGrid(counts: KernelCounts, { grid: { x, y, z } }: KernelLaunch): KernelCounts {
  const blocks = x * y * z;
  return { ...counts, blocks, warpInstructions: (counts.warpInstructions * blocks) / Math.max(1, counts.blocks) };
}

const didAsMuch = ({ counts: { warpInstructions } }: Known, counts: KernelCounts): boolean =>
  Math.abs(counts.warpInstructions / warpInstructions - 1) <= alikeInstructions;

/**
 * How far apart what two launches moved is, 1 where they just count as alike: in shared memory, on the way to L1 and to L2, between
 * the halves of L2, to other GPUs and the host, and in DRAM, either way (warps wait for what is read there, nobody for what is
 * written back).
 */
function apartInTraffic({ counts: before }: Known, counts: KernelCounts): number {
  const apart = (amount: (of: KernelCounts) => number, little: number): number =>
    Math.abs(amount(counts) - amount(before)) / Math.max(little, alikeTraffic * amount(before), Number.MIN_VALUE);
  const few = littlePerInstruction * counts.warpInstructions;
  return Math.max(
    apart((of) => of.sharedLoad.wavefronts + of.sharedStore.wavefronts + of.sharedAtomic.wavefronts, few),
    apart((of) => of.globalLoad.lines + of.globalStore.lines + of.globalAtomic.sectors, few),
    apart((of) => of.l2Hits + of.l2Misses, few),
    apart((of) => of.l2Across, few),
    apart(({ peerReads = 0, peerWrites = 0 }) => peerReads + peerWrites, few),
    apart(({ hostReads = 0, hostWrites = 0 }) => hostReads + hostWrites, few),
    apart((of) => dramBytes(of).reads, littleTraffic),
    apart((of) => dramBytes(of).writes, littleTraffic),
  );
}

const newShape = (): Shape => ({ traces: 0, tracesOf: new Map(), simulated: [], isOther: false });

/** The first with the smallest number. */
const least = <T>(all: readonly T[], numberOf: (one: T) => number): T | undefined =>
  all.toSorted((a, b) => numberOf(a) - numberOf(b))[0];

/** The estimate with the duration and the counters of the simulation. */
function simulatedAs(
  estimate: KernelEstimate,
  { counters, shares, profile, waitsForClock, ...like }: Known,
  ratio = like.ratio,
): KernelEstimate {
  const duration = ns(Math.round(estimate.duration * ratio));
  const loadOf = (estimated: number): number => (waitsForClock ? 0 : Math.min(1, estimated / ratio));
  return {
    ...estimate,
    duration,
    blocks: {
      ...estimate.blocks,
      load: {
        sm: loadOf(estimate.blocks.load.sm),
        dram: loadOf(estimate.blocks.load.dram),
        link: loadOf(estimate.blocks.load.link ?? 0),
      },
    },
    details: {
      ...estimate.details,
      profile,
      metrics: {
        ...estimate.details.metrics,
        ...counters,
        ...Object.fromEntries(Object.entries(shares).map(([metric, share]) => [metric, share * duration])),
        'gpu__time_duration.sum': duration,
      },
    },
  };
}
