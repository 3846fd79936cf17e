/** The SM model as the CUDA runtime asks it, for one GPU. */
import { ns } from '../base/units.ts';
import type { KernelModel, TracedBlocks } from '../cuda/index.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { cacheGeometry } from '../memory/geometry.ts';
import { dramBytes, estimateKernel, rampNanoseconds, type KernelEstimate } from '../sm/estimate.ts';
import { occupancyOf, occupancyOfLaunch, withinRegisters, type Occupancy } from '../sm/occupancy.ts';
import type { Detail } from '../sm/detail.ts';
import { enough, mostWords, sampledBlocks, simulateKernel } from '../sm/simulate.ts';
import type { KernelCounts, KernelDescription, KernelLaunch, LaunchClock } from '../warp/types.ts';
import type { KernelProfile } from '../system/types.ts';
import type { WarpStream } from '../warp/stream.ts';

/** What was simulated of launches of one shape: how much longer it took than estimated. */
interface Known {
  counts: KernelCounts;
  ratio: number;
  counters: Record<string, number>;
  profile: KernelProfile;
}

/** A launch that did as much, within these parts, as one that was simulated is not simulated again. */
const alikeInstructions = 0.02;
const alikeTraffic = 0.05;
/** Traffic that makes no difference: bytes of DRAM, and passes, lines or sectors for each instruction. */
const littleTraffic = 1 << 20;
const littlePerInstruction = 0.01;
/**
 * Launches of one shape that are traced: two with the same arguments, as the first finds other things in the caches. Later
 * ones are taken to be like one of them.
 */
const mostTraces = 16;
const mostTracesOfArguments = 2;

export function kernelModel(gpu: GpuDescription, detail: Detail = 'sampled'): KernelModel {
  const known = new Map<string, { traces: number; tracesOf: Map<string, number>; simulated: Known[] }>();
  /** Registers are an estimate, which is no reason to refuse a launch: the kernel gets as many as its block can have. */
  const fitting = (description: KernelDescription, threadsPerBlock: number): KernelDescription => ({
    ...description,
    registersPerThread: withinRegisters(description.registersPerThread, gpu, threadsPerBlock),
  });
  const threadsOf = ({ block: { x, y, z } }: KernelLaunch): number => x * y * z;
  const occupancyAt = (description: KernelDescription, launch: KernelLaunch) =>
    occupancyOfLaunch(gpu, {
      ...fitting(description, threadsOf(launch)),
      threadsPerBlock: threadsOf(launch),
      dynamicSharedBytes: launch.dynamicSharedBytes,
      preferredCarveout: launch.preferredCarveout,
    });
  const shapeOf = ({ kernel, grid, block, dynamicSharedBytes, preferredCarveout }: KernelLaunch): string =>
    JSON.stringify([kernel, grid, block, dynamicSharedBytes, preferredCarveout ?? -1]);

  const requestOf = (launch: KernelLaunch, occupancy: Occupancy): TracedBlocks => {
    const streams: WarpStream[][] = [];
    let words = 0;
    const { x, y, z } = launch.grid;
    const request: TracedBlocks = {
      mostWords: detail === 'full' ? Infinity : mostWords,
      onCut: () => (request.isCut = true),
      isCut: false,
      blocks: sampledBlocks(x * y * z, occupancy, gpu, detail),
      onBlock: (_, warps) => {
        streams.push(warps);
        for (const { length } of warps) words += length;
        return detail === 'full' || !enough(streams.length, words, occupancy);
      },
      ...(detail === 'full' ? {} : { enough: (begun: number, traced: number) => enough(begun, traced, occupancy) }),
      streams,
    };
    return request;
  };
  const argumentsOf = ({ parameters }: KernelLaunch): string => Buffer.from(parameters).toString('latin1');
  /** When launches with the same arguments ask the time: the last of their rehearsals. */
  const rehearsed = new Map<string, { times: number; asks: LaunchClock['asks'] }>();

  return {
    clock(description, launch, starts, rehearse) {
      const clock: LaunchClock = { starts, cyclesPerNanosecond: gpu.core.smClockMhz / 1e3, asks: null };
      const occupancy = occupancyAt(description, launch);
      if (description.asksTime !== true || occupancy.blocksPerSm === 0) return clock;
      const key = shapeOf(launch) + argumentsOf(launch);
      const before = rehearsed.get(key) ?? { times: 0, asks: null };
      if (before.times < mostTracesOfArguments) {
        const request = requestOf(launch, occupancy);
        const counts = rehearse(request, clock);
        const simulated =
          counts === null
            ? null
            : simulateKernel(description, request, wholeGrid(counts, launch), occupancy, gpu, detail);
        rehearsed.set(key, { times: before.times + 1, asks: simulated?.asks ?? null });
      }
      return { ...clock, asks: rehearsed.get(key)!.asks };
    },
    trace(description, launch): TracedBlocks | null {
      if (description.machine === undefined) return null;
      const shape = shapeOf(launch);
      const before = known.get(shape) ?? { traces: 0, tracesOf: new Map<string, number>(), simulated: [] };
      const values = argumentsOf(launch);
      const traces = before.tracesOf.get(values) ?? 0;
      if (detail === 'sampled' && (traces >= mostTracesOfArguments || before.traces >= mostTraces)) return null;
      const occupancy = occupancyAt(description, launch);
      if (occupancy.blocksPerSm === 0) return null;
      before.traces++;
      before.tracesOf.set(values, traces + 1);
      known.set(shape, before);
      return requestOf(launch, occupancy);
    },
    timeKernel(description, launch, counts, traced) {
      const estimate = estimateKernel(fitting(description, threadsOf(launch)), launch, counts, gpu);
      const before = known.get(shapeOf(launch))?.simulated ?? [];
      const same = before.filter((one) => didAsMuch(one, counts));
      const like = detail === 'sampled' ? same.find((one) => movedAsMuch(one, counts)) : undefined;
      if (like !== undefined) return simulatedAs(estimate, like);
      const simulated =
        traced === null || traced === undefined
          ? null
          : simulateKernel(description, traced, counts, occupancyAt(description, launch), gpu, detail);
      if (simulated === null) return same[0] === undefined ? estimate : simulatedAs(estimate, same[0]);
      // What belongs to the whole GPU, one SM does not see: atomics on one address, dispatch, the bandwidth of DRAM.
      const { l2, dram, launch: dispatch } = estimate.times;
      const ofSm = rampNanoseconds + (simulated.cycles * 1e3) / gpu.core.smClockMhz;
      // Atomics that meet are done one after the other, from the first one on.
      const meeting = estimate.meeting + (simulated.beforeAtomics * 1e3) / gpu.core.smClockMhz;
      const duration = Math.max(ofSm, l2, dram, dispatch, meeting);
      const now: Known = {
        counts,
        ratio: duration / estimate.duration,
        counters: simulated.counters,
        profile: simulated.profile(),
      };
      before.push(now);
      return simulatedAs(estimate, now);
    },
    cacheGeometry: (description, launch) => cacheGeometry(gpu, fitting(description, threadsOf(launch)), launch),
    blocksPerSm: (description, block) =>
      occupancyOf(gpu, { ...fitting(description, block.threadsPerBlock), ...block }).blocksPerSm,
  };
}

/** Counts of some blocks as those of the whole grid, as far as its simulation asks for them. */
function wholeGrid(counts: KernelCounts, { grid: { x, y, z } }: KernelLaunch): KernelCounts {
  const blocks = x * y * z;
  return { ...counts, blocks, warpInstructions: (counts.warpInstructions * blocks) / Math.max(1, counts.blocks) };
}

const dramBytesOf = (counts: KernelCounts): number => {
  const { reads, writes } = dramBytes(counts);
  return reads + writes;
};
const didAsMuch = ({ counts: { warpInstructions } }: Known, counts: KernelCounts): boolean =>
  Math.abs(counts.warpInstructions / warpInstructions - 1) <= alikeInstructions;

/** In shared memory, on the way to L1 and to L2, between the halves of L2, and in DRAM. */
function movedAsMuch({ counts: before }: Known, counts: KernelCounts): boolean {
  const passes = ({ sharedLoad, sharedStore, sharedAtomic }: KernelCounts): number =>
    sharedLoad.wavefronts + sharedStore.wavefronts + sharedAtomic.wavefronts;
  const lines = ({ globalLoad, globalStore, globalAtomic }: KernelCounts): number =>
    globalLoad.lines + globalStore.lines + globalAtomic.sectors;
  const sectors = ({ l2Hits, l2Misses }: KernelCounts): number => l2Hits + l2Misses;
  const alike = (amount: (of: KernelCounts) => number, little: number): boolean =>
    Math.abs(amount(counts) - amount(before)) <= Math.max(little, alikeTraffic * amount(before));
  const few = littlePerInstruction * counts.warpInstructions;
  const across = (of: KernelCounts): number => of.l2Across;
  return [passes, lines, sectors, across].every((amount) => alike(amount, few)) && alike(dramBytesOf, littleTraffic);
}

/** The estimate with the duration and the counters of the simulation. */
function simulatedAs(estimate: KernelEstimate, { ratio, counters, profile }: Known): KernelEstimate {
  const times = (value: number): ReturnType<typeof ns> => ns(Math.round(value * ratio));
  const duration = times(estimate.duration);
  return {
    ...estimate,
    duration,
    tail: estimate.tail === null ? null : { ...estimate.tail, duration: times(estimate.tail.duration) },
    details: {
      ...estimate.details,
      profile,
      metrics: { ...estimate.details.metrics, ...counters, 'gpu__time_duration.sum': duration },
    },
  };
}
