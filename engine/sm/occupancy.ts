/**
 * How many blocks of a kernel an SM holds at once, and which resource says so: the rules of NVIDIA's `cuda_occupancy.h`
 * (CUDA 11.x). Exact on hardware, therefore exact here: `test/unit/sm/occupancy.test.ts` checks it against every launch
 * shape of the H200 reference.
 *
 *   occupancyOf(gpuById('h200'), { threadsPerBlock: 256, registersPerThread: 91, staticSharedBytes: 8192,
 *     dynamicSharedBytes: 0 }); // 2 blocks of 8 warps per SM, limited by registers, 25 %
 */
import type { GpuDescription } from '../gpus/types.ts';

export interface BlockResources {
  threadsPerBlock: number;
  registersPerThread: number;
  staticSharedBytes: number;
  dynamicSharedBytes: number;
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
  /** What this leaves of the SM for L1, bytes. */
  l1Bytes: number;
}

const lanesPerWarp = 32;

/** The order decides which of equal limits is named. */
const limiters: readonly OccupancyLimiter[] = ['warps', 'registers', 'blocks', 'shared'];

export function occupancyOf(gpu: GpuDescription, block: BlockResources): Occupancy {
  const { limits: sm, throughput } = gpu;
  const warpsPerBlock = Math.ceil(block.threadsPerBlock / lanesPerWarp);
  const shared = block.staticSharedBytes + block.dynamicSharedBytes;
  const sharedBytesPerBlock = roundUp(shared + sm.sharedReservedBytesPerBlock, sm.sharedAllocationUnit);

  const fits = block.threadsPerBlock > 0 && block.threadsPerBlock <= sm.threadsPerBlock;
  const warps = fits ? Math.floor(sm.warpsPerSm / warpsPerBlock) : 0;
  const registers = registerLimit(block.registersPerThread, warpsPerBlock, gpu, throughput.schedulers);
  const unsharedBlocks = Math.min(warps, registers, sm.blocksPerSm);

  const sharedConfigBytes = carveout(sm.sharedCarveouts, sharedBytesPerBlock * Math.max(unsharedBlocks, 1));
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

/** The most registers per thread with which one block of this size fits an SM. */
export function registersThatFit({ limits, throughput }: GpuDescription, threadsPerBlock: number): number {
  const warps = roundUp(Math.max(1, Math.ceil(threadsPerBlock / lanesPerWarp)), throughput.schedulers);
  const units = Math.floor(limits.registersPerSm / warps / limits.registerAllocationUnit);
  return Math.min(limits.registersPerThread, Math.floor((units * limits.registerAllocationUnit) / lanesPerWarp));
}

/** Registers are given to warps in units, out of the register file of the sub-partition that the warp lives in. */
function registerLimit(perThread: number, warpsPerBlock: number, gpu: GpuDescription, subPartitions: number): number {
  const { registersPerSm, registersPerThread, registerAllocationUnit, blocksPerSm } = gpu.limits;
  if (perThread > registersPerThread) return 0;
  if (perThread === 0) return blocksPerSm;
  // A warp never gets less than two units: the H200 reference counts 8 registers per thread like 16 (A6 global_atomics).
  const perWarp = Math.max(roundUp(perThread * lanesPerWarp, registerAllocationUnit), 2 * registerAllocationUnit);
  // A block may take the whole register file, counted with its warps spread evenly over the sub-partitions.
  if (perWarp * roundUp(warpsPerBlock, subPartitions) > registersPerSm) return 0;
  const warps = Math.floor(registersPerSm / subPartitions / perWarp) * subPartitions;
  return Math.floor(warps / warpsPerBlock);
}

function sharedLimit(asked: number, perBlock: number, configured: number, gpu: GpuDescription): number {
  const { sharedBytesPerBlockOptin, blocksPerSm } = gpu.limits;
  if (asked > sharedBytesPerBlockOptin) return 0;
  if (perBlock === 0) return blocksPerSm;
  return Math.min(Math.floor(configured / perBlock), blocksPerSm);
}

/**
 * The smallest offered size that holds all blocks which the other limits allow, else the largest. The driver's own rule
 * is not published: on the H200 reference it takes this size or, for small blocks, the next or next but one larger.
 * That never changes the number of blocks, only what is left for L1.
 */
function carveout(offered: readonly number[], wanted: number): number {
  return offered.find((size) => size >= wanted) ?? offered.at(-1)!;
}

function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}
