/**
 * How long a kernel takes when it has the GPU for itself, from what it did: about the largest of what its instructions,
 * its memory traffic, its latencies and the dispatch of its blocks need, after a fixed ramp. `MODEL.md` explains the model,
 * its figures and where it is weak.
 *
 *   const { duration, limiter } = estimateKernel(description, launch, counts, gpuById('h200'));
 */
import { sectorBytes, warpSize } from '../model/geometry.ts';
import { SimsightError } from '../base/errors.ts';
import { ns, nanosecondsPerSecond } from '../base/units.ts';
import { withFallbacks } from '../gpus/fallbacks.ts';
import { spilledBytes } from '../isa/machine.ts';
import { hostLinkForKernels, hostLinkUse } from '../gpus/host-link.ts';
import { nvLinkForKernels, nvLinkUse } from '../gpus/nvlink.ts';
import { liftedOccupancy, liftedShare, type Lifted } from './lifted.ts';
import { variablesTraffic, type LocalAccesses, type LocalTraffic } from './local-memory.ts';
import { blockShare, occupancyOfLaunch } from './occupancy.ts';
import type { Nanoseconds } from '../base/units.ts';
import type { Assumption, CompleteGpu } from '../gpus/fallbacks.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { KernelBlocks, KernelDetails } from '../model/kernel-profile.ts';
import type {
  Dim3,
  GlobalAccesses,
  InstructionClass,
  KernelCounts,
  KernelDescription,
  KernelLaunch,
  SharedAccesses,
  UnitAccesses,
} from '../model/execution.ts';
import type { Occupancy } from './occupancy.ts';
import { rampNanoseconds } from '../model/warp-timeline.ts';

/** Resources that can limit the duration of a kernel. */
export const limiters = [
  'issue', // warp schedulers
  'fp32', // FMA pipe: FADD FMUL FFMA, and IMAD, which shares it
  'int', // ALU pipe
  'fp64',
  'fp16',
  'special', // MUFU and conversions
  'l1', // the memory pipe of the SM: shared memory, L1, shuffles
  'l2',
  'dram',
  'nvlink', // memory of other GPUs
  'host', // memory of the host
  'latency', // too few warps to hide it
  'launch', // dispatch of blocks, and the ramp of very short kernels
] as const;
export type Limiter = (typeof limiters)[number];

/** Resources of which every SM has its own. */
const smLimiters = ['issue', 'fp32', 'int', 'fp64', 'fp16', 'special', 'l1'] as const satisfies readonly Limiter[];

export interface KernelEstimate {
  duration: Nanoseconds;
  /** Its blocks as the system places them; of several waves, the last one is taken to be as long as the others. */
  blocks: KernelBlocks;
  limiter: Limiter;
  /** Duration that each resource alone would need, ramp included; the part of L2's that atomics and stores to the same place take. */
  times: Record<Limiter, Nanoseconds>;
  meeting: Nanoseconds;
  /** True if the longest of those contend for one place in memory; otherwise it is the slices of L2 that have so much to do in all. */
  meetsInOnePlace: boolean;
  occupancy: Occupancy;
  details: KernelDetails;
  /** Figures of the GPU that nobody has published, and what stood in for them. */
  assumptions: readonly Assumption[];
}

const lineSectors = 4;
/** H200 reference, A6 same_address: 1.365 atomics per ns on one address, with one lane of a warp or with 32. */
export const atomicPassCycles = 1.45;
/** An address, and with it as many bytes around it, belongs to one slice of L2. */
export const sliceLineBytes = 512;
/** A slice of L2 reads two sectors per cycle ("64 B/clk/slice", NVIDIA's tables of L2 from V100 to H100). */
const sliceBytesPerClock = 64;
/** A line to L2 at 32 bytes per cycle and SM: B3 transpose naive, 3.84 cycles per store of one word to a line of its own. */
const storePacketCycles = 4;
export const rampOf = (lifted: Lifted): number => (lifted === 'launches' ? 0 : rampNanoseconds);
/** Dispatch of one block, cycles of the whole GPU: C1 empty_grid_sweep 1081344x256, 0.604 ns; x1024, 0.68 ns. */
const dispatchCycles = 1.2;
const dispatchCyclesLargeBlock = 1.35;
const largeBlockWarps = 32;
export const dispatchCyclesOf = ({ warpsPerBlock }: Occupancy): number =>
  warpsPerBlock >= largeBlockWarps ? dispatchCyclesLargeBlock : dispatchCycles;
/** A row that DRAM opens takes as long as so many bytes of a stream: A4 random_gather_2pow26, 15.5 M rows of 64 bytes in 412 us. */
const dramRowBytes = 115;
/** Bytes that pass in a stream while DRAM reads and writes for a kernel. */
export const dramBytes = (counts: KernelCounts): { reads: number; writes: number } => {
  const { dramReadBytes: reads, dramWriteBytes, dramFilledBytes, dramIdleBytes, dramRows } = counts;
  const writes = dramWriteBytes + dramFilledBytes + dramIdleBytes;
  const slower = Math.max(1, (dramRows * dramRowBytes) / Math.max(1, reads + writes));
  return { reads: reads * slower, writes: writes * slower };
};
/** Bytes per cycle of the SM clock that DRAM moves at best. */
export const dramBytesPerCycle = ({ memory, core }: CompleteGpu): number =>
  (memory.bandwidth * memory.achievableFraction) / (core.smClockMhz * 1e6);
/**
 * From the end of one block to the first instructions of the next in its place, and from its last instruction to its end:
 * A3 bytes_in_flight float_x1_occ1, 1172 cycles per block of one load and one store, less DRAM latency and issue.
 */
const blockTurnoverCycles = 400;
/**
 * Cycles between two instructions of a warp: one to issue, the others because the result of a fixed-latency instruction
 * is not ready: `smsp__average_warps_issue_stalled_wait_per_issue_active`, median of 304 kernels of the H200 reference.
 */
const cyclesPerIssueOfWarp = 1 + 1.8;
/**
 * How far resources overlap: see {@link together}. One figure for all kernels, from 3 and 4, which do best on the 304 kernels
 * of the H200 reference (median error 9 and 10 %; 24 % at 2, 18 % for the largest resource alone).
 */
const overlapExponent = 4;

export function estimateKernel(
  description: KernelDescription,
  launch: KernelLaunch,
  counts: KernelCounts,
  gpu: GpuDescription,
  lifted: Lifted = null,
): KernelEstimate {
  const { gpu: complete, assumptions } = withFallbacks(gpu);
  const own = occupancyOfLaunch(gpu, {
    threadsPerBlock: volume(launch.block),
    registersPerThread: description.registersPerThread,
    staticSharedBytes: description.staticSharedBytes,
    dynamicSharedBytes: launch.dynamicSharedBytes,
    preferredCarveout: launch.preferredCarveout,
  });
  if (own.blocksPerSm === 0) throw doesNotFit(description, launch, own, gpu);

  const occupancy = liftedOccupancy(own, lifted);
  const spread = spreadOf(counts.blocks, occupancy, gpu);
  const cycles = cyclesOf(counts, spread, occupancy, complete);
  if (lifted === 'latency') cycles.latency = 0;
  const ramp = rampOf(lifted);
  const nanoseconds = (value: number): Nanoseconds => ns(Math.round(ramp + (value * 1e3) / gpu.core.smClockMhz));
  const times = Object.fromEntries(
    limiters.map((name) => [name, nanoseconds(cycles[name])]),
  ) as KernelEstimate['times'];

  let limiter: Limiter = 'launch';
  for (const name of limiters) if (times[name] > times[limiter]) limiter = name;
  const duration = nanoseconds(together(Object.values(cycles)));

  const loadOf = (busy: number): number => Math.min(1, (busy * 1e3) / gpu.core.smClockMhz / duration);
  return {
    duration,
    blocks: {
      count: counts.blocks,
      perSm: occupancy.blocksPerSm,
      share: liftedShare(blockShare(occupancy, gpu), lifted),
      load: {
        sm: loadOf(Math.max(...smLimiters.map((name) => cycles[name]))),
        dram: loadOf(cycles.dram),
        link: loadOf(cycles.host),
      },
      ...(launch.cooperative === true ? { cooperative: true } : {}),
    },
    limiter,
    times,
    meeting: nanoseconds(atomicsOf(counts, complete)),
    meetsInOnePlace: counts.globalAtomic.hottest > counts.globalAtomic.sectors / slicesOf(complete),
    occupancy,
    assumptions,
    details: {
      registersPerThread: description.registersPerThread,
      staticSharedBytes: description.staticSharedBytes,
      // As `cudaFuncAttributes.localSizeBytes` has it: variables, and what registers do not hold.
      localBytesPerThread: description.localBytes + spilledBytes(description.machine?.blocks ?? []),
      sharedConfigBytes: occupancy.sharedConfigBytes,
      metrics: metricsOf(description, launch, counts, occupancy, spread, gpu, duration),
    },
  };
}

/**
 * Resources that are nearly equally busy get into each other's way. A power mean goes from the sum (1) to the largest
 * alone (infinite); see `overlapExponent`.
 */
function together(cycles: number[]): number {
  const largest = Math.max(...cycles, 1);
  return (
    largest * cycles.reduce((sum, value) => sum + (value / largest) ** overlapExponent, 0) ** (1 / overlapExponent)
  );
}

/** Distribution of the blocks over the SMs. */
interface Spread {
  /** `launch__waves_per_multiprocessor`. */
  waves: number;
  /** Part of the whole work that the fullest SM does. */
  fullest: number;
  /** Number of blocks that run one after the other in one place of the fullest SM. */
  generations: number;
}

function spreadOf(blocks: number, occupancy: Occupancy, gpu: GpuDescription): Spread {
  const onFullest = Math.ceil(blocks / gpu.core.smCount);
  return {
    waves: blocks / (occupancy.blocksPerSm * gpu.core.smCount),
    fullest: onFullest / Math.max(blocks, 1),
    generations: Math.ceil(onFullest / occupancy.blocksPerSm),
  };
}

/** Cycles of the SM clock that each resource needs, without the ramp. */
function cyclesOf(
  counts: KernelCounts,
  spread: Spread,
  occupancy: Occupancy,
  gpu: CompleteGpu,
): Record<Limiter, number> {
  const { throughput, memory } = gpu;
  const issued = counts.warpInstructionsByClass;
  const dram = dramBytes(counts);
  /** Cycles on the fullest SM of the warp instructions of a class at `rate` lanes per clock. */
  const pipe = (instructions: number, rate: number): number => (instructions * spread.fullest * warpSize) / rate;
  return {
    issue: (counts.warpInstructions * spread.fullest) / throughput.schedulers,
    fp32: Math.max(pipe(issued.fp32 + issued.imad, throughput.fp32), pipe(issued.imad, throughput.imad)),
    int: pipe(issued.int, throughput.int32),
    fp64: pipe(issued.fp64, throughput.fp64),
    // Throughput counts both halves of a packed instruction.
    fp16: pipe(issued.fp16, throughput.fp16 / 2),
    special: pipe(issued.special, throughput.special) + pipe(issued.conversion, throughput.conversion),
    l1: Math.max(memoryPipe(counts, gpu), storePackets(counts)) * spread.fullest,
    l2: Math.max(((counts.l2Hits + counts.l2Misses) * sectorBytes) / memory.l2BytesPerClock, atomicsOf(counts, gpu)),
    dram: (dram.reads + dram.writes) / dramBytesPerCycle(gpu),
    nvlink: nvLinkCycles(counts, gpu),
    host: hostLinkCycles(counts, gpu),
    latency: latencyOf(counts, spread, occupancy, gpu),
    launch: counts.blocks * dispatchCyclesOf(occupancy),
  };
}

/**
 * Cycles of L2 for atomics and stores that meet. A slice makes one pass over a sector per `atomicPassCycles`; an address, and
 * with it the 512 bytes around it, belongs to one slice. A slice reads 64 bytes per cycle, which tells how many there are.
 */
function atomicsOf({ globalAtomic }: KernelCounts, gpu: CompleteGpu): number {
  return atomicPassCycles * Math.max(globalAtomic.hottest, globalAtomic.sectors / slicesOf(gpu));
}
const slicesOf = ({ memory }: CompleteGpu): number => memory.l2BytesPerClock / sliceBytesPerClock;

/** Reads and writes come over the link in opposite directions. */
function nvLinkCycles({ peerReads = 0, peerWrites = 0 }: KernelCounts, gpu: CompleteGpu): number {
  const link = nvLinkForKernels(gpu);
  if (!link) return 0;
  const seconds = Math.max((peerReads * sectorBytes) / link.reads, (peerWrites * sectorBytes) / link.writes);
  return seconds * gpu.core.smClockMhz * 1e6;
}

function hostLinkCycles({ hostReads = 0, hostWrites = 0, hostPartial = 0 }: KernelCounts, gpu: CompleteGpu): number {
  const link = hostLinkForKernels(gpu);
  const { bothWays, partialNanoseconds } = hostLinkUse;
  const reads = (hostReads * sectorBytes) / link.reads;
  const whole = ((hostWrites - hostPartial) * sectorBytes) / link.writes;
  const writes = whole + (hostPartial * partialNanoseconds) / nanosecondsPerSecond;
  const seconds = Math.max(reads, writes) + bothWays * Math.min(reads, writes);
  return seconds * gpu.core.smClockMhz * 1e6;
}

/** Sectors that L1 missed and that came over a link. */
export const readElsewhere = ({ peerReads = 0, hostReads = 0 }: KernelCounts): number => peerReads + hostReads;

/** Cycles of the SMs' way to L2 together: what a request stores in one line goes as one packet, full or not. */
function storePackets({ globalStore }: KernelCounts): number {
  return globalStore.lines * storePacketCycles;
}

/**
 * Cycles of the SMs' memory pipes together: a request takes a cycle per warp's worth of lanes, or as long as its passes through the
 * banks and tags do.
 */
function memoryPipe(counts: KernelCounts, gpu: CompleteGpu): number {
  const perRequest = warpSize / gpu.throughput.loadStore;
  const global = (access: GlobalAccesses): number => Math.max(access.requests * perRequest, access.passes);
  const shared = (access: { requests: number; wavefronts: number }): number =>
    Math.max(access.requests * perRequest, access.wavefronts);
  return (
    global(counts.globalLoad) +
    global(counts.globalStore) +
    global(counts.globalAtomic) +
    shared(counts.sharedLoad) +
    shared(counts.sharedStore) +
    shared(counts.sharedAtomic) +
    (counts.warpInstructionsByClass.shuffle * warpSize) / gpu.throughput.shuffle
  );
}

/**
 * How long the blocks in one place of the fullest SM take one after the other if nothing else slows them: the dependent
 * chain of a warp. Instructions between two branches are taken to wait together for all loads issued there, so a warp
 * waits once per load or once per branch, whichever is rarer.
 */
function latencyOf(counts: KernelCounts, spread: Spread, occupancy: Occupancy, gpu: CompleteGpu): number {
  const perWarp = (count: number): number => count / Math.max(counts.warps, 1);
  const { latency } = gpu;
  const stretches = perWarp(counts.branches) + 1;
  const loads = perWarp(counts.globalLoad.requests + issuedOf(counts, 'load-local'));
  const sharedLoads = perWarp(counts.sharedLoad.requests + issuedOf(counts, 'shuffle'));
  const atomics = perWarp(counts.sharedAtomic.requests);
  const waits =
    Math.min(loads, stretches) * loadLatency(counts, gpu) +
    Math.min(sharedLoads, stretches) * latency.shared +
    atomics * latency.shared +
    perWarp(counts.barriers) * latency.barrier +
    Math.min(perWarp(issuedOf(counts, 'special')), stretches) * latency.special;
  const chain = perWarp(counts.warpInstructions) * cyclesPerIssueOfWarp + waits;
  // The turnover of the first block is part of the ramp.
  return spread.generations * chain + Math.max(0, spread.generations - 1) * blockTurnoverCycles;
}

/** Mean over where loads were answered. */
function loadLatency(counts: KernelCounts, gpu: CompleteGpu): number {
  const { latency } = gpu;
  const l1 = shareOf(counts.l1Hits, counts.l1Misses);
  const l2 = shareOf(counts.l2Hits, counts.l2Misses);
  const { peerReads = 0, hostReads = 0 } = counts;
  const sectors = Math.max(1, counts.l1Misses, readElsewhere(counts));
  const [peers, hosts] = [peerReads / sectors, hostReads / sectors];
  const beyond = (nanoseconds: number): number => latency.l2Hit + (nanoseconds * gpu.core.smClockMhz) / 1e3;
  const own = l2 * latency.l2Hit + (1 - l2) * latency.dram;
  const far = peers * beyond(nvLinkUse.latencyNanoseconds) + hosts * beyond(hostLinkUse.latencyNanoseconds);
  return l1 * latency.l1Hit + (1 - l1) * (far + (1 - peers - hosts) * own);
}

/**
 * Counters of L1 and L2. Requests to the other half of L2 are looked up in both halves: of loads, those that miss or have to be confirmed;
 * half of the stores and atomics. Stores are among L1's sectors; of those to global memory none hits here (on hardware, those to lines that
 * are there do).
 */
function cacheCounters(
  counts: KernelCounts,
  { memory }: Pick<GpuDescription, 'memory'>,
  { load, store }: LocalTraffic,
): Record<string, number> {
  const { l1Hits, l1Misses, l2Misses, l2Stored, l2Across, globalAtomic, dramFilledBytes, bulkLoad, globalStore } =
    counts;
  const { l2Confirmed = 0 } = counts;
  const twice = memory.l2Halves === 2 ? 0.5 : 0;
  const localLoads = load.sectors - load.hits;
  const localAcross = twice * localLoads;
  const stores = l2Stored + globalAtomic.sectors + store.sectors;
  const loads = l1Misses + l2Across + l2Confirmed + localLoads + localAcross;
  const lookups = loads + (1 + twice) * stores + dramFilledBytes / sectorBytes;
  // Lines stored to local memory are in L2.
  const misses = l2Misses + l2Across + localAcross + readElsewhere(counts);
  const hits = l1Hits + load.hits + store.hits;
  const notInL1 = l1Misses - bulkLoad.sectors + globalStore.sectors + localLoads + store.sectors - store.hits;
  return {
    'l1tex__t_sector_hit_rate.pct': shareOf(hits, notInL1) * 100,
    'lts__t_sectors.sum': Math.round(lookups),
    'lts__t_sector_hit_rate.pct': shareOf(lookups - misses, misses) * 100,
  };
}

function metricsOf(
  description: KernelDescription,
  launch: KernelLaunch,
  counts: KernelCounts,
  occupancy: Occupancy,
  spread: Spread,
  gpu: Pick<GpuDescription, 'memory'>,
  duration: Nanoseconds,
): Record<string, number> {
  const { globalLoad, globalStore, globalAtomic, globalReduction, sharedLoad, sharedStore, sharedAtomic } = counts;
  const conflicts = ({ wavefronts, idealWavefronts }: SharedAccesses): number =>
    Math.max(0, wavefronts - idealWavefronts);
  return {
    'gpu__time_duration.sum': duration,
    'smsp__inst_executed.sum': counts.warpInstructions,
    'smsp__thread_inst_executed.sum': counts.threadInstructions,
    'smsp__thread_inst_executed_per_inst_executed.ratio':
      counts.threadInstructions / Math.max(counts.warpInstructions, 1),
    'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': globalLoad.requests,
    'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': globalLoad.sectors,
    'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum': globalStore.requests,
    'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum': globalStore.sectors,
    'l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum': globalAtomic.requests - globalReduction.requests,
    'l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum': globalAtomic.sectors - globalReduction.sectors,
    'l1tex__t_requests_pipe_lsu_mem_global_op_red.sum': globalReduction.requests,
    'l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum': globalReduction.sectors,
    ...countersOfUnits(counts),
    'smsp__inst_executed_op_shared_ld.sum': sharedLoad.requests,
    'smsp__inst_executed_op_shared_st.sum': sharedStore.requests,
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum': sharedLoad.wavefronts,
    'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum': sharedStore.wavefronts,
    'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum': conflicts(sharedLoad),
    'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum': conflicts(sharedStore),
    'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum': conflicts(sharedAtomic),
    ...localCounters(counts, gpu, variablesTraffic(counts, description.localBytes)),
    'dram__bytes_read.sum': counts.dramReadBytes + counts.dramFilledBytes,
    'dram__bytes_write.sum': counts.dramWriteBytes,
    ...linkCounters(counts),
    launch__grid_size: counts.blocks,
    launch__block_size: volume(launch.block),
    launch__registers_per_thread: description.registersPerThread,
    launch__shared_mem_config_size: occupancy.sharedConfigBytes,
    launch__waves_per_multiprocessor: spread.waves,
    launch__occupancy_limit_warps: occupancy.limits.warps,
    launch__occupancy_limit_blocks: occupancy.limits.blocks,
    launch__occupancy_limit_registers: occupancy.limits.registers,
    launch__occupancy_limit_shared_mem: occupancy.limits.shared,
    sm__maximum_warps_per_active_cycle_pct: occupancy.percent,
  };
}

/** Passes through the banks of L1. */
function dataWavefronts(counts: KernelCounts, { load, store }: LocalTraffic): number {
  const { globalLoad, globalStore, globalAtomic, sharedLoad, sharedStore, sharedAtomic } = counts;
  const local = ({ requests, sectors }: LocalAccesses): number => Math.max(requests, sectors / lineSectors);
  return Math.round(
    [globalLoad, globalStore, globalAtomic].reduce((sum, { wavefronts }) => sum + wavefronts, 0) +
      [load, store].reduce((sum, each) => sum + local(each), 0) +
      [sharedLoad, sharedStore, sharedAtomic].reduce((sum, { wavefronts }) => sum + wavefronts, 0),
  );
}

/** All that local memory is a part of; its own counters are of kernels that have it. */
export function localCounters(
  counts: KernelCounts,
  gpu: Pick<GpuDescription, 'memory'>,
  traffic: LocalTraffic,
): Record<string, number> {
  const counters: Record<string, number> = {
    'l1tex__data_pipe_lsu_wavefronts.sum': dataWavefronts(counts, traffic),
    ...cacheCounters(counts, gpu, traffic),
  };
  const add = (what: string, { requests, sectors }: LocalAccesses): void => {
    if (requests === 0) return;
    counters[`l1tex__t_requests_pipe_lsu_mem_local_op_${what}.sum`] = Math.round(requests);
    counters[`l1tex__t_sectors_pipe_lsu_mem_local_op_${what}.sum`] = Math.round(sectors);
  };
  add('ld', traffic.load);
  add('st', traffic.store);
  return counters;
}

/** Data alone: hardware's counters have the headers of packets in them. */
function linkCounters({ peerReads, peerWrites, hostReads, hostWrites }: KernelCounts): Record<string, number> {
  const counters: Record<string, number> = {};
  if (peerReads !== undefined) counters['nvlrx__bytes.sum'] = peerReads * sectorBytes;
  if (peerWrites !== undefined) counters['nvltx__bytes.sum'] = peerWrites * sectorBytes;
  if (hostReads !== undefined) counters['lts__t_sectors_aperture_sysmem_op_read.sum'] = hostReads;
  if (hostWrites !== undefined) counters['lts__t_sectors_aperture_sysmem_op_write.sum'] = hostWrites;
  return counters;
}

/** Counters of bulk copies, textures and surfaces, where a kernel has them. */
function countersOfUnits({
  bulkLoad,
  bulkStore,
  textureLoad,
  surfaceLoad,
  surfaceStore,
}: KernelCounts): Record<string, number> {
  const all: [UnitAccesses, Record<string, number>][] = [
    [
      bulkLoad,
      {
        'smsp__inst_executed_op_tma_ld.sum': bulkLoad.requests,
        'l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum': bulkLoad.sectors,
      },
    ],
    [
      bulkStore,
      {
        'smsp__inst_executed_op_tma_st.sum': bulkStore.requests,
        'l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum': bulkStore.sectors,
      },
    ],
    [textureLoad, { 'l1tex__t_sectors_pipe_tex_mem_texture.sum': textureLoad.sectors }],
    [surfaceLoad, { 'l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum': surfaceLoad.sectors }],
    [surfaceStore, { 'l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum': surfaceStore.sectors }],
  ];
  return Object.assign({}, ...all.map(([{ requests }, counters]) => (requests > 0 ? counters : {}))) as Record<
    string,
    number
  >;
}

function doesNotFit(
  description: KernelDescription,
  launch: KernelLaunch,
  { limiter }: Occupancy,
  gpu: GpuDescription,
): SimsightError {
  const asked = {
    warps: `${volume(launch.block)} threads per block`,
    blocks: `${volume(launch.block)} threads per block`,
    registers: `${description.registersPerThread} registers for each of ${volume(launch.block)} threads`,
    shared: `${description.staticSharedBytes + launch.dynamicSharedBytes} bytes of shared memory per block`,
  }[limiter];
  return new SimsightError(
    'kernel-failed',
    `The kernel "${description.name}" does not fit an SM of the ${gpu.name}: it asks for ${asked}.`,
    'Launch smaller blocks, or ask for less per block.',
  );
}

function issuedOf(counts: KernelCounts, name: InstructionClass): number {
  return counts.warpInstructionsByClass[name];
}

function shareOf(part: number, rest: number): number {
  return part + rest === 0 ? 0 : part / (part + rest);
}

function volume({ x, y, z }: Dim3): number {
  return x * y * z;
}
