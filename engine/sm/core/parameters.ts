/**
 * The figures of an SM that its simulation needs, from the catalogue of GPUs. What the catalogue has no field for was
 * measured on Hopper (H200 reference) or Ampere (Huerta et al., "Analyzing Modern NVIDIA GPU cores", MICRO 2025) and is
 * taken for all GPUs.
 */
import { warpSize } from '../../model/geometry.ts';
import { hostLinkUse } from '../../gpus/host-link.ts';
import { nvLinkUse } from '../../gpus/nvlink.ts';
import { withFallbacks, type CompleteGpu } from '../../gpus/fallbacks.ts';
import type { GpuDescription } from '../../gpus/types.ts';

/** Cycles of the SM clock unless said otherwise. */
export interface CoreParameters {
  cyclesPerNanosecond: number;
  /** Schedulers, each with its warps, registers and pipes. */
  subPartitions: number;
  warpSlots: number;

  /** Cycles from one instruction to the next of a sub-partition's pipe. */
  fmaInterval: number;
  imadInterval: number;
  /** The FMA pipe has two halves, of which one multiplies integers. */
  fmaHalves: boolean;
  aluInterval: number;
  fp64Interval: number;
  fp16Interval: number;
  specialInterval: number;
  conversionInterval: number;
  uniformInterval: number;
  tensorInterval: number;
  controlInterval: number;
  textureInterval: number;

  aluLatency: number;
  fp64Latency: number;
  fp16Latency: number;
  specialLatency: number;
  /** From a comparison to an instruction that its predicate guards. */
  predicateLatency: number;
  uniformLatency: number;
  clockLatency: number;
  tensorLatency: number;
  shuffleLatency: number;
  /**
   * Latencies of MATCH for the first value among the lanes, for each further one, and for 64 bits; of REDUX until its uniform register can
   * be read.
   */
  matchLatency: number;
  matchValueLatency: number;
  wideMatchLatency: number;
  wideMatchValueLatency: number;
  reduxLatency: number;
  /** Groups of lanes with masks of their own take votes, and matches and reductions, in turn: cycles of each. */
  voteOfGroupCycles: number;
  matchOfGroupCycles: number;
  constantLatency: number;

  /** From a branch to the warp's next instruction, not taken and taken. */
  branchCycles: number;
  takenBranchCycles: number;

  /** Special functions that wait for their unit before it refuses one more. */
  specialQueueDepth: number;
  /** Memory instructions that a queue of a sub-partition holds before it refuses one more, and the SM's own queue; 16 at most. */
  queueDepth: number;
  sharedQueueDepth: number;
  /** From one memory instruction to the next: of a warp, as ptxas keeps them apart, and on a sub-partition's way out. */
  warpAddressInterval: number;
  addressInterval: number;
  /** A warp's own passes of shared memory, and its lines in L1, are so far apart until its next instruction may begin. */
  warpPassInterval: number;
  /** The SM's memory pipe: cycles per pass of 32 lanes; per shuffle. */
  passInterval: number;
  shuffleInterval: number;
  /** Issue intervals of MATCH, for each value, and of REDUX. */
  matchInterval: number;
  /** Averages over the launch: distinct values of a MATCH.ANY; masks of groups of lanes that do something together. */
  matchedValues: number;
  masks: number;
  /** Cycles of LDC per word that its lanes want; extra latency of the warp for each word but the first. */
  constantInterval: number;
  constantWordLatency: number;
  /** Shared memory: registers of a wide load whose lanes have the same addresses in pairs come back two at a time. */
  packsRegisters: boolean;

  sharedLatency: number;
  /** Per further pass of a warp. */
  sharedPassLatency: number;
  /** Extra latency of loads of 64 and 128 bits a lane, beyond their passes. */
  sharedWideLatency: readonly [number, number];
  sharedAtomicLatency: number;
  /** Cycles by which loads of shared and of global memory are faster when no lane is active. */
  idleShared: number;
  idleGlobal: number;
  l1Latency: number;
  globalWideLatency: readonly [number, number];
  l2Latency: number;
  /** Extra latency of the other half of L2. */
  l2AcrossLatency: number;
  /** Latency of memory of another GPU, from a load to its result. */
  peerLatency: number;
  /** Latency of host memory, likewise. */
  hostLatency: number;
  /** Reads of the host are of up to a line; each piece of one takes the link as long as so many sectors at least. */
  hostPieceSectors: number;
  /** Each further sector of a line comes so much later. */
  sectorLatency: number;
  dramLatency: number;
  atomicLatency: number;
  /** Per further lane of the same line. */
  atomicLaneLatency: number;

  /** Barriers in shared memory: from a test to its result, cycles of the SM's pipe; from the last arrival to who waits for it. */
  syncLatency: number;
  syncInterval: number;
  syncWakeLatency: number;
  /**
   * Copies in bulk: cycles per line, until the warp goes on, and from lane to lane where it copies by several; what they take
   * beyond loads.
   */
  bulkLineCycles: number;
  bulkIssueCycles: number;
  bulkLaneCycles: number;
  bulkLatency: number;
  /** From the begin of a copy out of shared memory to its end, beyond 32 bytes per cycle. */
  bulkStoreLatency: number;

  /**
   * Textures: from a fetch of one lane that hits to its result, filtered and from linear memory, and what four more take; cycles of
   * work that may wait.
   */
  textureLatency: number;
  texturePlainLatency: number;
  textureQuadLatency: number;
  textureBacklog: number;

  /** Barriers: one arrival per so many cycles; from the last one to the next instruction. */
  barrierArrivalInterval: number;
  barrierLatency: number;
  membarCycles: number;
  /**
   * Latency and throughput where blocks meet: extra cycles of a round trip to the home of a sector in the other half of L2; its slice's
   * cycles per access.
   */
  homeLatency: number;
  meetingCycles: number;

  /** Bytes per cycle from L2 into the SM, at most. */
  portBytesPerCycle: number;
  /** Factor by which a written sector keeps L2 longer than one that is read. */
  l2WriteCost: number;
  /** Factors by which L2 takes longer to read and to write one sector of a line than each of several. */
  l2SingleCost: number;
  l2SingleWriteCost: number;
  /** A line, or part of one, on its way to L2: 128 bytes at 32 bytes per cycle. */
  storeLineCycles: number;
  /**
   * Cycles of the memory pipe: of a load that misses, beside its passes, and of one that misses after another miss; of a store at least; of
   * a store beside its sectors; of each of its sectors; of a copy to shared memory beside its two ways through the banks, and more if it
   * had to wait.
   */
  latePassCycles: number;
  furtherLatePassCycles: number;
  storeCycles: number;
  storeBaseCycles: number;
  storeSectorCycles: number;
  copyCycles: number;
  /** Latency of a copy that hits L1, beside that of a load. */
  copyLatency: number;
  lateCopyCycles: number;
  /** Stores block the memory pipe when their way is booked for longer than this: in the SM, in L2, in DRAM. */
  storePortBacklog: number;
  storeMemoryBacklog: number;
  storeDramBacklog: number;
  l1Ways: number;
  /** Sectors that DRAM reads or writes together. */
  dramSectors: number;
  /**
   * How long 256 bytes of DRAM wait for their channel and their bank, on average: when DRAM is idle, and what is added to
   * that when its bandwidth is used up. Distributed as the sum of two exponential waits.
   */
  bankWait: number;
  bankWaitLoaded: number;
  /** Relative slowdown of DRAM when half of its traffic is writes: the bus has to turn around. */
  turnaround: number;

  /** From EXIT to the end of the warp; from a store's leaving its queue to it, if that is later. */
  exitCycles: number;
  drainLatency: number;
  /** From the end of a block to the launch of the next in its place. */
  turnoverCycles: number;
  /** Caches of instructions, bytes; cycles from line to line that come from the larger one, and from L2. */
  nearInstructionBytes: number;
  farInstructionBytes: number;
  nearFillCycles: number;
  farFillCycles: number;
  /** Between the launches of two warps; from a warp's launch to its first instruction. */
  warpLaunchInterval: number;
  launchCycles: number;
}

/** Cycles between instructions of a sub-partition, for a unit that does so many lanes per clock and SM. */
const interval = ({ throughput: { schedulers } }: CompleteGpu, lanesPerClock: number): number =>
  Math.max(1, Math.round((warpSize * schedulers) / lanesPerClock));

/** Nanoseconds in cycles. */
const cycles = ({ core }: CompleteGpu, time: number): number => (time * core.smClockMhz) / 1e3;

/** True where each half of the FMA pipe does half of the lanes, and one of them multiplies integers. */
const hasFmaHalves = ({ throughput }: CompleteGpu): boolean => throughput.fp32 >= 2 * throughput.imad;

export function parametersOf(description: GpuDescription): CoreParameters {
  const { gpu } = withFallbacks(description);
  return {
    ...ratesOf(gpu),
    ...latenciesOf(gpu),
    ...queuesOf(gpu),
    ...memoryLatenciesOf(gpu),
    ...bandwidthsOf(gpu),
    ...launchParameters,
  };
}

/** Issue intervals of pipes, cycles per warp instruction. */
function ratesOf(gpu: CompleteGpu) {
  const { throughput, limits } = gpu;
  const subPartitions = throughput.schedulers;
  return {
    cyclesPerNanosecond: gpu.core.smClockMhz / 1e3,
    subPartitions,
    warpSlots: limits.warpsPerSm,

    fmaInterval: hasFmaHalves(gpu) ? 2 * interval(gpu, throughput.fp32) : interval(gpu, throughput.fp32),
    imadInterval: interval(gpu, throughput.imad),
    fmaHalves: hasFmaHalves(gpu),
    aluInterval: interval(gpu, throughput.int32),
    fp64Interval: interval(gpu, throughput.fp64),
    // Two results per lane and instruction.
    fp16Interval: interval(gpu, throughput.fp16 / 2),
    specialInterval: interval(gpu, throughput.special),
    conversionInterval: interval(gpu, throughput.conversion),
    uniformInterval: 2, // Huerta et al.
    tensorInterval: 6, // A2 mma_m16n8k16: 0.65 per cycle and SM
    controlInterval: 1,
    textureInterval: 1,
  } satisfies Partial<CoreParameters>;
}

/** Latencies of instructions that do not access memory, cycles. */
function latenciesOf(gpu: CompleteGpu) {
  const { latency } = gpu;
  return {
    aluLatency: latency.alu,
    fp64Latency: latency.fp64,
    fp16Latency: 2 * latency.alu, // A1 hfma2: 8.02, of HFMA2.MMA and HFMA2 in turn, stall counts 10 and 6
    specialLatency: latency.special,
    predicateLatency: latency.alu + 9, // stall counts of 13 in SASS of sm_90; A1 setp_plus_ballot: 17
    uniformLatency: latency.alu + 1, // stall counts of 5 after ULDC in SASS of sm_90
    clockLatency: latency.alu + 2, // stall counts of 6 after CS2R in SASS of sm_90
    tensorLatency: 24, // A2 mma_m16n8k16, 4 warps
    shuffleLatency: latency.shared + 1, // A1 shfl_bfly
    // test/reference/h200/warpwide.json: chains beside that of SHFL, which has the same instructions between
    matchLatency: latency.shared + 4,
    matchValueLatency: 11,
    wideMatchLatency: latency.shared + 11,
    wideMatchValueLatency: 13,
    reduxLatency: latency.shared + 15,
    voteOfGroupCycles: 65, // warpwide.json, own mask: 2, 4, 8, 16 masks
    matchOfGroupCycles: 105, // the same: 106 and 103
    constantLatency: 28, // A1 constant_load_hit

    branchCycles: 5, // stall counts of SASS of sm_90
    takenBranchCycles: 12, // A2 ffma_surface, 1 warp: 12.6 per pass of the loop; A1 syncwarp: 12.4 per 32
  } satisfies Partial<CoreParameters>;
}

/** Queues of memory instructions, and rates of the memory pipe. */
function queuesOf(gpu: CompleteGpu) {
  const { throughput } = gpu;
  const subPartitions = throughput.schedulers;
  return {
    specialQueueDepth: 5, // four and a latch: Huerta et al.
    // shared.cu: 16 instructions of another sub-partition, and 9 of its own, are before one that finds all queues full.
    queueDepth: 9,
    sharedQueueDepth: 16,
    warpAddressInterval: 4, // stall counts of SASS of sm_90
    addressInterval: 2, // shared.cu: 2.2 cycles per load without conflicts if one sub-partition loads, 1.1 if two do
    warpPassInterval: 2, // shared.cu: one warp alone sees two cycles per pass, two warps one; lines.json: 2.2 per line
    passInterval: interval(gpu, throughput.loadStore * subPartitions),
    shuffleInterval: interval(gpu, throughput.shuffle * subPartitions),
    matchInterval: 2 * interval(gpu, throughput.shuffle * subPartitions), // warpwide.json: 8 cycles of a sub-partition, four of which share it
    matchedValues: 1,
    masks: 1,
    constantInterval: 2, // constant.json: 8 to 32 warps
    constantWordLatency: 11, // the same, chains of one warp

    // Since Volta, by NVIDIA's answer in its forum (shared memory of CC 7.0 to 7.5: one register per cycle, half as many
    // requests for uniform LDS.128), and counters of CC 8.6 and 9.0 there.
    packsRegisters: gpu.computeCapability.major >= 7,
  } satisfies Partial<CoreParameters>;
}

/** Latencies of memory, of barriers and of copies, cycles. */
function memoryLatenciesOf(gpu: CompleteGpu) {
  const { latency } = gpu;
  return {
    sharedLatency: latency.shared,
    sharedPassLatency: 2, // A1 atom_shared_same_address: 2 per lane
    sharedWideLatency: [1, 3], // A1 lds128: 32 = 23 + 3 further passes + 3
    sharedAtomicLatency: latency.shared + 5, // A1 atom_shared_same_address_1lanes: 32.4, with a LOP3 in each step
    idleShared: 1, // predicated.cu, ld.shared: 28.0 with lanes, 27.0 without
    idleGlobal: 14, // predicated.cu, ld.global.ca: 44.4 and 30.2
    l1Latency: latency.l1Hit,
    globalWideLatency: [0, 4], // Huerta et al.: 32, 34, 38; the H200's 32 is of 64 bits
    l2Latency: latency.l2Hit,
    // test/reference/h200/lines.json: what has just been stored takes 38 cycles longer on average, and half of it is at home there
    l2AcrossLatency: 75,
    peerLatency: latency.l2Hit + cycles(gpu, nvLinkUse.latencyNanoseconds),
    hostLatency: latency.l2Hit + cycles(gpu, hostLinkUse.latencyNanoseconds),
    // test/reference/h200/zero_copy.json: read_4B, stride 16, two sectors of each line that are apart, 1152 us; stride 8, all four, 658
    hostPieceSectors: 1.75,
    sectorLatency: 2.7, // test/reference/h200/gather.json: chains of lines, 293 cycles with one sector each, 297 with two, 301 with four
    dramLatency: latency.dram,
    atomicLatency: latency.l2Hit - 6, // A1 atom_global_same_address_1lanes: 274, likewise
    atomicLaneLatency: 2.35, // the same with 32 lanes: 347

    // test/reference/h200/async.json
    syncLatency: 39,
    syncInterval: 3,
    syncWakeLatency: 72,
    bulkLineCycles: 1.3,
    bulkIssueCycles: 25,
    bulkLaneCycles: 55,
    bulkLatency: 57,
    bulkStoreLatency: 25,

    // test/reference/h200/textures.json
    textureLatency: 114,
    texturePlainLatency: 97,
    textureQuadLatency: 1,
    textureBacklog: 64,

    barrierArrivalInterval: 2, // A1 syncthreads: 14 with one warp, 76 with 32
    barrierLatency: Math.max(1, latency.barrier - 14), // the catalogue has the figure of 8 warps
    membarCycles: 750, // C7 grid_sync_cost, one block per SM: what its atomic, its poll and its instructions leave of 0.99 us
    // A1 l2_atomic_per_line: 512 cycles on average for lines that are at home in the other half, against 274
    homeLatency: gpu.memory.l2Halves === 2 ? 238 : 0,
    meetingCycles: 1.45, // A6 same_address, as in estimate.ts
  } satisfies Partial<CoreParameters>;
}

/** Bandwidths and costs in L1, L2 and DRAM. */
function bandwidthsOf(gpu: CompleteGpu) {
  return {
    portBytesPerCycle: 128, // l2.cu: one SM alone gets 122 from L2, 102 with 32 bits per lane
    l2WriteCost: 1.5, // A9 copy_16MB: 33.5 MB within L2 in 5.5 us, read_cg_16MB 268 MB in 33 us
    l2SingleCost: 1.64, // test/reference/h200/gather.json: 81 single sectors per cycle, where streams have 133 (A9 read_cg_32MB)
    l2SingleWriteCost: 2.1, // gather.json: copies of 32-byte rows that are written at random, 69 sectors per cycle, against 119
    // test/reference/h200/l1_fills.json, 16 hits and one or two others: 1.65 for a missing line, 2.4 for a store of one sector, 3.2 of
    // four, 5.1 of eight, 10.2 of sixteen; copies to shared memory 2 to 3 if they hit, 4.0 to 4.8 if not
    latePassCycles: 0.65,
    furtherLatePassCycles: 0.25, // l2.cu: one SM gets 102 bytes per cycle with 32 bits per lane
    storeCycles: 2.4,
    storeBaseCycles: 0.6,
    storeSectorCycles: 0.64,
    copyCycles: 0.5,
    copyLatency: 32, // copies.json: a chain of copies that hit, 98.9; of loads that hit, 51.4, and of LDS besides
    lateCopyCycles: 1.35,
    storeLineCycles: 4, // B3 transpose naive: 3.84 per store to a line of its own
    storePortBacklog: 64,
    storeMemoryBacklog: 512,
    storeDramBacklog: 2048, // L2 keeps what is stored: in saturated kernels of A3 and B3 loads wait, not stores
    l1Ways: 16,
    // The distribution is from long_scoreboard of A3 bytes_in_flight, with 1 to 8 loads per warp at up to half of the bandwidth;
    // the figures are those of three sets tried with the smallest error of A3's 47 durations.
    bankWait: cycles(gpu, 40),
    bankWaitLoaded: cycles(gpu, 256),
    turnaround: 0.06, // A9 read_cg_1024MB and write_1024MB, 4.38 TB/s each, against 4.1 to 4.2 in copies of A3 and B3
    dramSectors: 2, // H200 reference: gathers that miss move 64 bytes
  } satisfies Partial<CoreParameters>;
}

/** Starts and ends of warps and blocks; the instruction caches. */
const launchParameters = {
  exitCycles: 8, // A3 bytes_in_flight: warps wait 8 cycles for branches, and their only branch is EXIT
  drainLatency: 29, // A3 float_x1_occ1: 21 cycles of drain after those
  turnoverCycles: 240, // A3 float_x1_occ1: per block 1174 cycles, of which the SM has warps in 934
  warpLaunchInterval: 3, // C1 empty_grid_sweep x1024: two blocks per SM every 356 cycles, turnover and 32 launches
  // test/reference/h200/icache.json: instructions per cycle as one scheduler can up to 32 KB, one in 2.1 up to 128 KB, one in 5.9
  nearInstructionBytes: 32 * 1024,
  farInstructionBytes: 128 * 1024,
  nearFillCycles: 17,
  farFillCycles: 47,
  launchCycles: 8, // A3: 7.6 cycles of no_instruction per warp
} satisfies Partial<CoreParameters>;
