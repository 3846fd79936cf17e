/**
 * How long a kernel takes when it has the GPU for itself: one SM is simulated warp by warp (core/) with the blocks that it
 * would get, and its share of L2 and DRAM; what does not fit the sample is extrapolated from its steady part.
 */
import { sectorBytes, wordBytes } from '../model/geometry.ts';
import { wordsMoved } from '../model/opcodes.ts';
import { withFallbacks, type CompleteGpu } from '../gpus/fallbacks.ts';
import { hostLinkForKernels } from '../gpus/host-link.ts';
import { nvLinkForKernels } from '../gpus/nvlink.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { KernelCounts, KernelDescription, KernelMachine, LaunchClock } from '../model/execution.ts';
import type { KernelProfile } from '../model/kernel-profile.ts';
import { lengthOf, tokenType, typeOf, type WarpStream } from '../model/warp-stream.ts';
import { simulateSm } from './core/sm.ts';
import type { MemoryShare, SmResult } from './core/types.ts';
import type { Detail } from '../model/record-options.ts';
import { simulatedCounters } from './counters.ts';
import { askedOfL2, coalescedCounts, Compaction } from './coalescing.ts';
import { dispatchCyclesOf, dramBytes, dramBytesPerCycle, localCounters, readElsewhere } from './estimate.ts';
import { firstBlocks, kernelProgram, type Changes, type MissShares } from './kernel-program.ts';
import { liftedParameters, type Lifted } from './lifted.ts';
import type { Occupancy } from './occupancy.ts';
import { profileOf } from './profile.ts';
import { Regrouping } from './regrouping.ts';
import { together, variablesTraffic } from './local-memory.ts';
import { spillTraffic } from './spills.ts';
import { TimelineWriter } from '../model/warp-timeline.ts';

export interface SimulatedKernel {
  /** Cycles of the SM clock, from the start of the first block to the end of the last. */
  cycles: number;
  /** Metrics by their Nsight Compute names; `simsight__` where it has none. */
  counters: Record<string, number>;
  /** Made when it is asked for: who only wants to know when warps ask the time does without. */
  profile: () => KernelProfile;
  /** Cycles until its first atomic on global memory, 0 without. */
  beforeAtomics: number;
  /** Share of its instructions that read the clock. */
  clockReads: number;
  /** Counts of the whole GPU: those of the execution, less what a lifted limit saves. */
  counts: KernelCounts;
  /** When its warps read the clock. */
  asks: NonNullable<LaunchClock['asks']>;
  rounds: NonNullable<LaunchClock['rounds']>;
}

/**
 * Blocks of the fullest SM that are simulated: so many generations of those that are resident, and more of them as long as
 * what they did is short ({@link enough}).
 */
const fewestGenerations = 6;
const mostGenerations = 48;
const fewestBlocks = 4;
/** Words of the traces of a sample that is large enough, 4 bytes each; the most that are collected. */
const enoughWords = 1 << 18;
export const mostWords = 8 << 20;
/**
 * Words that are kept of one block, and of all that an SM holds at a time: 16 for each of the {@link mostInstructions}, more than
 * nearly all programs have, and twice that, as blocks do not go on alike. With all that is simulated, so many of all.
 */
const mostWordsOfBlock = 64 << 20;
const mostWordsOfSm = 128 << 20;
export const mostWordsInFull = mostWordsOfSm;
/** A simulation that comes to so many warp instructions is ended and extrapolated. */
const mostInstructions = 4_000_000;
/**
 * Cycles between the first blocks that an SM gets: test/reference/h200/cuda/spins.cu, where blocks of 1 to 8 warps read the clock
 * for the first time 20 to 31 cycles apart, and block 1056 of a grid 0.19 us after the first (system.cu, S2). Only for kernels
 * that ask the time: what else holds up the first blocks of a kernel is not simulated, and the dispatch of later blocks stands
 * in for it (with this figure for all kernels the reference comes out at 5.8 % instead of 5.6).
 */
const firstDispatchCycles = 24;
/** Limit for kernels that ask the time: their later clock readings do not follow from earlier ones. */
const mostInstructionsOfClocks = 16_000_000;
/** Bytes of the warp timeline of one launch. */
export const timelineBytes = 128 << 10;
const mostTimelineBytes: Record<Detail, number> = { counters: 0, sampled: timelineBytes, full: Infinity };

/** Numbers of the blocks to trace: those that the first SM gets first, if they go around in turn. */
export function sampledBlocks(
  blocks: number,
  { blocksPerSm }: Occupancy,
  gpu: GpuDescription,
  detail: Detail,
): number[] {
  const ofSm = Math.ceil(blocks / gpu.core.smCount);
  const count = detail === 'full' ? ofSm : Math.min(ofSm, Math.max(fewestBlocks, mostGenerations * blocksPerSm));
  return Array.from({ length: count }, (_, i) => i * gpu.core.smCount);
}

/** Words that are kept of a block of a grid of so many blocks. */
export const wordsOfBlock = (blocks: number, { blocksPerSm }: Occupancy): number =>
  Math.min(mostWordsOfBlock, Math.floor(mostWordsOfSm / Math.min(blocks, blocksPerSm)));

/** True if so many blocks, with traces of so many words, are a sample. The blocks that an SM holds at a time always are in it. */
export function enough(blocks: number, words: number, { blocksPerSm }: Occupancy): boolean {
  if (blocks < blocksPerSm) return false;
  return words >= mostWords || (words >= enoughWords && blocks >= fewestGenerations * blocksPerSm);
}

/** An SM's share of the links to the host and to other GPUs, where there are any. */
function linkShares(gpu: CompleteGpu, busy: number): Pick<MemoryShare, 'peerBytesPerCycle' | 'hostBytesPerCycle'> {
  const shareOf = ({ reads, writes }: { reads: number; writes: number }) => {
    const perCycle = (rate: number): number => rate / (gpu.core.smClockMhz * 1e6) / busy;
    return { reads: perCycle(reads), writes: perCycle(writes) };
  };
  const peers = nvLinkForKernels(gpu);
  return {
    ...(peers ? { peerBytesPerCycle: shareOf(peers) } : {}),
    hostBytesPerCycle: shareOf(hostLinkForKernels(gpu)),
  };
}

/** Streams of the sampled blocks, in their order; or only the beginning of them. */
export interface Sample {
  streams: readonly (readonly WarpStream[])[];
  isCut: boolean;
  /** Warps, counted from the first of the first block, of which there is only the beginning if that is not so of all. */
  cutWarps?: ReadonlySet<number>;
}

/** Null where nothing was traced. `gpu` and `occupancy` as {@link file://./lifted.ts} has them. */
export function simulateKernel(
  { machine, localBytes, asksTime = false }: Pick<KernelDescription, 'machine' | 'localBytes' | 'asksTime'>,
  { streams, isCut, cutWarps }: Sample,
  counted: KernelCounts,
  occupancy: Occupancy,
  gpu: GpuDescription,
  detail: Detail,
  lifted: Lifted = null,
): SimulatedKernel | null {
  if (streams.length === 0 || machine === undefined) return null;
  const { gpu: complete } = withFallbacks(gpu);
  const counts = lifted === 'coalescing' ? coalesced(machine, streams, counted, occupancy, gpu) : counted;
  const { shares, sectorsPerMiss } = missShares(counts);
  const changes = changesOf(machine, counted, lifted);
  const { program, prepare, origins } = kernelProgram(
    machine,
    { ...shares, traced: asksTime && counts.blocks === streams.length },
    gpu,
    changes,
  );
  const { smCount } = gpu.core;
  const busy = Math.min(smCount, counts.blocks);
  const dispatchCycles = dispatchCyclesOf(occupancy);
  const timeline = new TimelineWriter(mostTimelineBytes[detail]);
  let next = 0;
  const result = simulateSm({
    program,
    residentBlocks: occupancy.blocksPerSm,
    warpsPerBlock: occupancy.warpsPerBlock,
    l1Bytes: occupancy.l1Bytes,
    memory: {
      l2BytesPerCycle: complete.memory.l2BytesPerClock / busy,
      dramBytesPerCycle: dramBytesPerCycle(complete) / busy,
      l2HitShare: 1,
      dramSectorsPerMiss: sectorsPerMiss,
      ...linkShares(complete, busy),
    },
    nextBlock: () => streams[next++]?.map(prepare) ?? null,
    ...(detail === 'full' ? {} : { maxInstructions: asksTime ? mostInstructionsOfClocks : mostInstructions }),
    smCount: busy,
    isCut,
    ...(cutWarps === undefined ? {} : { cutWarps }),
    dispatchCycles: dispatchCycles * smCount,
    ...(asksTime ? { firstDispatchCycles } : {}),
    perInstruction: true,
    sink: timeline.sink,
  });
  const profile = (): KernelProfile => profileOf(machine, counted, result, origins, timeline, smCount, detail);
  const spilled = spillTraffic(machine, counted, result.spills);
  const counters = {
    ...simulatedCounters(program, result, counts.warpInstructions, gpu),
    ...(spilled.load.requests + spilled.store.requests > 0
      ? localCounters(counted, gpu, together(variablesTraffic(counted, localBytes), spilled))
      : {}),
  };
  const ofSm = Math.ceil(counts.blocks / smCount);
  const clocks = (cycles: number): Pick<SimulatedKernel, 'asks' | 'rounds'> =>
    clocksOf(result, {
      blocks: streams.length,
      warpsPerBlock: occupancy.warpsPerBlock,
      blockCycles: streams.length < ofSm ? (cycles - result.cycles) / (ofSm - streams.length) : 0,
      residentBlocks: occupancy.blocksPerSm,
      waveCycles: (cycles * occupancy.blocksPerSm) / ofSm,
      dispatchCycles: firstDispatchCycles / smCount,
      smCount,
    });
  const clockReads = readingsOf(result) / Math.max(1, result.instructions);
  const beforeAtomics = Number.isFinite(result.firstAtomic) ? result.firstAtomic : 0;
  if (result.stopped) {
    const { regrouping } = changes;
    const kept = regrouping ? regrouping.kept / Math.max(1, regrouping.executed) : 1;
    const all = (kept * (counts.warpInstructions - pollsOf(machine, counts)) * ofSm) / counts.blocks;
    // For a rehearsal it is not known which instructions polled.
    const polls = counts.places === undefined ? 0 : pollsIn(machine, result, origins);
    const part = (result.instructions - polls) / all;
    counters['simsight__sampled.pct'] = 100 * part;
    const cycles = result.cycles / part;
    return { cycles, counters, profile, beforeAtomics, clockReads, counts, ...clocks(cycles) };
  }
  const { cycles: ofFirst, error } = extrapolate(result, streams.length, ofSm, occupancy.blocksPerSm);
  const longest = result.blockEnd.reduce((most, end, i) => Math.max(most, end - result.blockStart[i]!), 0);
  const cycles = Math.max(longest, ofFirst * workOfOthers(machine, streams, counts));
  counters['simsight__sampled.pct'] = (100 * streams.length) / ofSm;
  counters['simsight__sampling_error.pct'] = 100 * error;
  return { cycles, counters, profile, beforeAtomics, clockReads, counts, ...clocks(cycles) };
}

/** Differences between the kernel to simulate and the one that was executed. */
function changesOf(machine: KernelMachine, counts: KernelCounts, lifted: Lifted): Changes {
  const { matches = 0, matchedValues = 0, maskedGroups = 0, masks = 0 } = counts;
  const changes = liftedChanges(machine, counts, lifted);
  const parameters = {
    ...changes.parameters,
    ...(matches > 0 ? { matchedValues: matchedValues / matches } : {}),
    ...(maskedGroups > 0 ? { masks: masks / maskedGroups } : {}),
  };
  return { ...changes, parameters };
}
function liftedChanges(machine: KernelMachine, counts: KernelCounts, lifted: Lifted): Changes {
  switch (lifted) {
    case 'bank-conflicts':
      return { freeOfConflicts: true, sizes: sizesOf(machine, counts) };
    case 'coalescing':
      return { compaction: new Compaction(), sizes: sizesOf(machine, counts) };
    case 'divergence':
      return { regrouping: new Regrouping(machine, firstBlocks(machine.blocks)) };
    case 'latency':
      return { parameters: liftedParameters(lifted) };
    default:
      return {};
  }
}

/** Bytes of a lane, by access: as its samples have them, or its instruction. */
function sizesOf({ blocks, sites }: KernelMachine, { places }: KernelCounts): Int32Array {
  const sizes = new Int32Array(sites);
  for (const { instructions } of blocks)
    for (const instruction of instructions) {
      const { access, accesses } = instruction;
      if (access === null) continue;
      const bytes = wordBytes * wordsMoved(instruction);
      for (let i = access; i < access + accesses; i++)
        sizes[i] = places?.sites[i]?.samples[0]?.size ?? bytes / accesses;
    }
  return sizes;
}

/**
 * Counts of a launch with coalesced accesses, in the ratio in which the sample asks less of L2 and DRAM when its lanes access adjacent
 * data.
 */
function coalesced(
  machine: KernelMachine,
  streams: Sample['streams'],
  counts: KernelCounts,
  { l1Bytes }: Occupancy,
  gpu: GpuDescription,
): KernelCounts {
  const asked = (changes: Changes): ReturnType<typeof askedOfL2> => {
    const { program, prepare } = kernelProgram(machine, nowhere, gpu, changes);
    return askedOfL2(inTurn(streams, prepare), program.parameters, l1Bytes);
  };
  return coalescedCounts(counts, asked({}), asked(changesOf(machine, counts, 'coalescing')));
}

function* inTurn(streams: Sample['streams'], prepare: (stream: WarpStream) => WarpStream): Generator<WarpStream> {
  for (const block of streams) for (const stream of block) yield prepare(stream);
}
const nowhere: MissShares = { loads: 0, stores: 0, across: 0, traced: false };

const lengthOfBlock = ({ instructions, predicatedBy }: KernelMachine['blocks'][number]): number =>
  predicatedBy === null ? instructions.reduce((sum, { every }) => sum + 1 / every, 0) : 0;

/** Instructions that the whole grid executed in loops that poll: a matter of the order of execution. */
const pollsOf = ({ blocks, polling }: KernelMachine, { places }: KernelCounts): number =>
  blocks.reduce((sum, block, i) => sum + (polling[i] ? lengthOfBlock(block) * (places?.blocks[i]!.times ?? 0) : 0), 0);

/** Instructions of such loops that the simulation executed. */
function pollsIn({ blocks, polling }: KernelMachine, { perInstruction }: SmResult, origins: Int32Array): number {
  const polls = blocks.flatMap(({ instructions }, i) => instructions.map(() => polling[i]));
  return origins.reduce((sum, origin, i) => sum + (polls[origin] ? perInstruction!.issues[i]! : 0), 0);
}

/**
 * Ratio of the instructions of an average block of the grid to those of a sampled one: blocks go to the SM that is free, so all SMs come to
 * do as much.
 */
function workOfOthers(
  { blocks, polling }: KernelMachine,
  streams: readonly (readonly WarpStream[])[],
  counts: KernelCounts,
): number {
  if (counts.places === undefined) return 1;
  const lengths = blocks.map((block, i) => (polling[i] ? 0 : lengthOfBlock(block)));
  const times = blocks.map(() => 0);
  for (const stream of streams.flat())
    for (let i = 0; i < stream.length; i += lengthOf(stream[i]!))
      if (typeOf(stream[i]!) === tokenType.block) times[stream[i]!]!++;
  const workOf = (timesOf: (block: number) => number): number =>
    lengths.reduce((sum, length, block) => sum + length * timesOf(block), 0);
  const sampled = workOf((block) => times[block]!) / streams.length;
  const all = workOf((block) => counts.places!.blocks[block]!.times) / counts.blocks;
  return sampled > 0 && all > 0 ? all / sampled : 1;
}

interface AskedSample {
  blocks: number;
  warpsPerBlock: number;
  /** Cycles of a block that is missing, how many blocks are resident, and the cycles of a wave. */
  blockCycles: number;
  residentBlocks: number;
  waveCycles: number;
  /** Between the first blocks of two SMs. */
  dispatchCycles: number;
  smCount: number;
}

/** Number of clock reads of its warps. */
function readingsOf({ clockReads, silentRounds }: SmResult): number {
  let sum = 0;
  for (const reads of clockReads) sum += reads.length;
  for (const rounds of silentRounds) for (const times of rounds?.values() ?? []) sum += times - 1;
  return sum;
}

/**
 * Blocks of other SMs ask when that of the simulated one did, later by their dispatch; missing ones after the last, and those
 * that the simulation did not come to a wave after those before them.
 */
function clocksOf(
  { clockReads, silentRounds }: Pick<SmResult, 'clockReads' | 'silentRounds'>,
  sample: AskedSample,
): Pick<SimulatedKernel, 'asks' | 'rounds'> {
  const like = (block: number, warp: number): { age: number; later: number } => {
    const place = Math.floor(block / sample.smCount);
    let sampled = Math.min(place, sample.blocks - 1);
    let later = (place - sampled) * sample.blockCycles + (block % sample.smCount) * sample.dispatchCycles;
    const ageOf = (of: number): number => of * sample.warpsPerBlock + warp;
    while (clockReads[ageOf(sampled)] === undefined && sampled >= sample.residentBlocks) {
      sampled -= sample.residentBlocks;
      later += sample.waveCycles;
    }
    return { age: ageOf(sampled), later };
  };
  return {
    asks: (block, warp, n) => {
      const { age, later } = like(block, warp);
      const reads = clockReads[age];
      return reads === undefined ? null : later + readOf(reads, n);
    },
    rounds: (block, warp, n) => silentRounds[like(block, warp).age]?.get(n) ?? null,
  };
}

/** When a warp reads the clock for the n-th time; it goes on at its last pace if it waits for longer than it did. */
function readOf(reads: readonly number[], n: number): number {
  const last = reads.length - 1;
  if (n <= last) return reads[n]!;
  const pace = last >= 1 ? reads[last]! - reads[last - 1]! : 1;
  return reads[last]! + pace * (n - last);
}

/**
 * L2 and DRAM see the whole GPU: what they did is known from its execution. Atomics read and write. What DRAM gave beside the
 * sector that was asked for counts as missed when it is asked for next, since it is on its way then.
 */
function missShares(counts: KernelCounts): {
  shares: Omit<MissShares, 'traced'>;
  sectorsPerMiss: { reads: number; writes: number };
} {
  const { l1Misses, l2Hits, l2Misses, l2Stored, l2Across, dramReadBytes, dramWriteBytes } = counts;
  const { reads, writes } = dramBytes(counts);
  const share = (bytes: number, sectors: number): number =>
    sectors === 0 ? 0 : Math.min(1, bytes / sectorBytes / sectors);
  const [loaded, stored] = [l2Hits + l2Misses - l2Stored, l2Hits + l2Misses - (l1Misses - readElsewhere(counts))];
  const shares = {
    loads: share(dramReadBytes, loaded),
    stores: share(dramWriteBytes, stored),
    // Half of what comes from DRAM is at home in the other half.
    across: share(Math.max(0, l2Across * sectorBytes - dramReadBytes / 2), loaded),
  };
  const each = (bytes: number, sectors: number): number => Math.max(1, bytes / sectorBytes / Math.max(1, sectors));
  return {
    shares,
    sectorsPerMiss: { reads: each(reads, shares.loads * loaded), writes: each(writes, shares.stores * stored) },
  };
}

/**
 * The blocks that are missing take as long as those between the first generation and the last. `error`, relative: if they
 * went on as in the first or in the second half of those.
 */
function extrapolate(
  { cycles, blockEnd }: SmResult,
  simulated: number,
  all: number,
  resident: number,
): { cycles: number; error: number } {
  if (all <= simulated) return { cycles, error: 0 };
  const ends = [0, ...blockEnd].sort((a, b) => a - b);
  const from = Math.min(resident, simulated - 1);
  const to = Math.max(from + 1, simulated - resident);
  const middle = Math.floor((from + to) / 2);
  const perBlock = (first: number, last: number): number =>
    last === first ? 0 : (ends[last]! - ends[first]!) / (last - first);
  const total = cycles + perBlock(from, to) * (all - simulated);
  const halves = middle === from ? 0 : Math.abs(perBlock(middle, to) - perBlock(from, middle)) / 2;
  return { cycles: total, error: (halves * (all - simulated)) / total };
}
