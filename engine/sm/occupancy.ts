/**
 * How many blocks of a kernel an SM holds at once, and which resource says so: the rules of NVIDIA's `cuda_occupancy.h`
 * (CUDA 12.6; for compute capability 2.0 that of CUDA 8.0, the last that has it). Exact on hardware, therefore exact
 * here: `test/unit/sm/occupancy.test.ts` checks it against every launch shape of the H200 reference, and
 * `calculator.test.ts` beside it against NVIDIA's rules for each compute capability.
 *
 * Not here: the limit by named barriers (compute capability 9.0), which matters from three barriers per block on.
 *
 *   occupancyOf(gpuById('h200'), { threadsPerBlock: 256, registersPerThread: 91, staticSharedBytes: 8192,
 *     dynamicSharedBytes: 0 }); // 2 blocks of 8 warps per SM, limited by registers, 25 %
 */
import { warpSize } from '../model/geometry.ts';
import type { GpuDescription } from '../gpus/types.ts';

export interface BlockResources {
  threadsPerBlock: number;
  registersPerThread: number;
  staticSharedBytes: number;
  dynamicSharedBytes: number;
  /**
   * `cudaFuncAttributePreferredSharedMemoryCarveout`: percent of the largest size of shared memory; none when absent
   * or -1. As in NVIDIA's calculator it bounds the blocks, but one block always gets what it needs.
   */
  preferredCarveout?: number;
}

export type OccupancyLimiter = 'warps' | 'blocks' | 'registers' | 'shared';

export interface Occupancy {
  /** 0 when a block cannot run at all. */
  blocksPerSm: number;
  warpsPerBlock: number;
  warpsPerSm: number;
  /** Resident warps in percent of the SM's warp slots: `sm__maximum_warps_per_active_cycle_pct`. */
  percent: number;
  limiter: OccupancyLimiter;
  /** Blocks per SM that each resource alone would allow. */
  limits: Record<OccupancyLimiter, number>;
  /** Shared memory of one block as allocated: with the system's share, rounded to the allocation unit. */
  sharedBytesPerBlock: number;
  /** Shared memory per SM that the driver sets apart, bytes: `launch__shared_mem_config_size`. */
  sharedConfigBytes: number;
  /** Bytes that this leaves of the SM for L1. */
  l1Bytes: number;
}

/** The order decides which of equal limits is named; what is not used counts as many blocks as there may be. */
const limiters: readonly OccupancyLimiter[] = ['warps', 'blocks', 'registers', 'shared'];

/** Occupancy as NVIDIA's calculator and `cudaOccupancyMaxActiveBlocksPerMultiprocessor` report it. */
export function occupancyOf(gpu: GpuDescription, block: BlockResources): Occupancy {
  return occupancy(gpu, block, false);
}

/**
 * Occupancy of a launch. It differs from the calculator's in one case: a preference for L1 does not bound blocks that use no shared memory
 * at all. Measured on an H200 with blocks that wait for a while: at a preference of 0 percent, 32 of them are resident, where the
 * calculator says 8; with 6000 bytes of shared memory it is 1, as it says.
 */
export function occupancyOfLaunch(gpu: GpuDescription, block: BlockResources): Occupancy {
  return occupancy(gpu, block, block.staticSharedBytes + block.dynamicSharedBytes === 0);
}

/** Share of an SM's resources that one block takes. */
export function blockShare({ warpsPerBlock, limits, sharedBytesPerBlock }: Occupancy, { limits: sm }: GpuDescription) {
  return {
    warps: warpsPerBlock / sm.warpsPerSm,
    registers: 1 / limits.registers,
    shared: sharedBytesPerBlock / sm.sharedBytesPerSm,
    slots: 1 / sm.blocksPerSm,
  };
}

function occupancy(gpu: GpuDescription, block: BlockResources, preferenceYields: boolean): Occupancy {
  const { limits: sm, throughput } = gpu;
  const warpsPerBlock = Math.ceil(block.threadsPerBlock / warpSize);
  const shared = block.staticSharedBytes + block.dynamicSharedBytes;
  const sharedBytesPerBlock = roundUp(shared + sm.sharedReservedBytesPerBlock, sm.sharedAllocationUnit);

  const fits = block.threadsPerBlock > 0 && block.threadsPerBlock <= sm.threadsPerBlock;
  const warps = fits ? Math.floor(sm.warpsPerSm / warpsPerBlock) : 0;
  const registers = registerLimit(block.registersPerThread, warpsPerBlock, gpu, throughput.schedulers);
  const unsharedBlocks = Math.min(warps, registers, sm.blocksPerSm);

  const needed = sharedBytesPerBlock * Math.max(unsharedBlocks, 1);
  const preferred = block.preferredCarveout ?? -1;
  const sharedConfigBytes =
    preferred < 0
      ? ownCarveout(sm, needed)
      : preferredCarveout(sm, preferred, preferenceYields ? needed : sharedBytesPerBlock);
  const limits: Record<OccupancyLimiter, number> = {
    warps,
    registers,
    shared: sharedLimit(shared, sharedBytesPerBlock, sharedConfigBytes, gpu),
    blocks: sm.blocksPerSm,
  };
  const blocksPerSm = Math.min(...Object.values(limits));
  return {
    blocksPerSm,
    warpsPerBlock,
    warpsPerSm: blocksPerSm * warpsPerBlock,
    percent: (blocksPerSm * warpsPerBlock * 100) / sm.warpsPerSm,
    limiter: limiters.find((name) => limits[name] === blocksPerSm)!,
    limits,
    sharedBytesPerBlock,
    sharedConfigBytes,
    l1Bytes: sm.unifiedL1SharedBytes === null ? (sm.l1Bytes ?? 0) : sm.unifiedL1SharedBytes - sharedConfigBytes,
  };
}

/**
 * Registers are given to warps in units, out of the register file of the sub-partition that the warp lives in. The
 * calculator's spreadsheet says the same in other words: the warps that the whole file holds, rounded down to a multiple
 * of the "warp allocation granularity", which is the number of sub-partitions.
 */
function registerLimit(perThread: number, warpsPerBlock: number, gpu: GpuDescription, subPartitions: number): number {
  const { registersPerSm, registersPerThread, registersPerWarpMin, blocksPerSm, ...units } = gpu.limits;
  if (perThread > registersPerThread) return 0;
  if (perThread === 0) return blocksPerSm;
  const unit = units.registerAllocationUnit * (units.doubleUnitRegisterCounts.includes(perThread) ? 2 : 1);
  const perWarp = Math.max(roundUp(perThread * warpSize, unit), registersPerWarpMin);
  // A block may take the whole register file, counted with its warps spread evenly over the sub-partitions.
  if (perWarp * roundUp(warpsPerBlock, subPartitions) > registersPerSm) return 0;
  const warps = Math.floor(registersPerSm / subPartitions / perWarp) * subPartitions;
  return Math.floor(warps / warpsPerBlock);
}

/**
 * Registers per thread that a kernel gets which could use `wanted`: ptxas keeps, by spilling the rest, to what the GPU can
 * address and to what lets as many blocks run on an SM as `__launch_bounds__` says.
 */
export function withinRegisters(
  wanted: number,
  gpu: GpuDescription,
  maxThreadsPerBlock: number | null,
  minBlocks = 1,
): number {
  let registers = Math.min(wanted, gpu.limits.registersPerThread);
  const warps = Math.ceil(Math.min(maxThreadsPerBlock ?? 0, gpu.limits.threadsPerBlock) / warpSize);
  const blocks = Math.min(minBlocks, warps === 0 ? 0 : Math.floor(gpu.limits.warpsPerSm / warps));
  while (registerLimit(registers, warps, gpu, gpu.throughput.schedulers) < blocks) registers--;
  return registers;
}

/**
 * Registers per thread that `nvcc -maxrregcount` leaves: ptxas has a lower bound, and says so ("For profile sm_80 adjusting
 * per thread register count of 16 to lower bound of 24"; 24 for sm_120 as well). Before compute capability 7.0 the least
 * that we give any kernel.
 */
export function registersAllowed(asked: number, { computeCapability, limits }: GpuDescription): number {
  return Math.min(Math.max(asked, computeCapability.major >= 7 ? 24 : 16), limits.registersPerThread);
}

function sharedLimit(asked: number, perBlock: number, configured: number, gpu: GpuDescription): number {
  const { sharedBytesPerBlockOptin, blocksPerSm } = gpu.limits;
  if (asked > sharedBytesPerBlockOptin) return 0;
  if (perBlock === 0) return blocksPerSm;
  return Math.min(Math.floor(configured / perBlock), blocksPerSm);
}

/**
 * The shared memory that an SM sets apart without a preference: the smallest offered size that holds all blocks which the
 * other limits allow, else the largest; before Volta always the largest. The driver's own rule is not published: on the
 * H200 reference it takes this size or, for small blocks, the next or next but one larger. That never changes the number
 * of blocks, only what is left for L1.
 */
function ownCarveout(sm: GpuDescription['limits'], needed: number): number {
  return sm.sharedCarveoutDefault === 'largest' ? sm.sharedBytesPerSm : offeredFor(sm, needed);
}

/** Carveout for a preference: the smallest offered size that is not less than it, nor than what has to fit. */
function preferredCarveout(sm: GpuDescription['limits'], percent: number, least: number): number {
  return offeredFor(sm, Math.max(Math.floor((percent * sm.sharedBytesPerSm) / 100), least));
}

function offeredFor(sm: GpuDescription['limits'], wanted: number): number {
  return sm.sharedCarveouts.find((size) => size >= wanted) ?? sm.sharedBytesPerSm;
}

function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}
