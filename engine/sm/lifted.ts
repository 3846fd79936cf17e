/** Changes that one lifted limit (engine/base/limits.ts) makes to a GPU and to a kernel on it. */
import type { Limit } from '../base/limits.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { CacheGeometry } from '../model/execution.ts';
import type { CoreParameters } from './core/parameters.ts';
import type { Occupancy } from './occupancy.ts';

/** `null`: nothing is lifted. */
export type Lifted = Limit | null;

/** The GPU as times are computed with; programs are told of the one that it is. */
export function liftedGpu<Gpu extends GpuDescription>(gpu: Gpu, lifted: Lifted): Gpu {
  if (lifted !== 'dram-bandwidth') return gpu;
  return { ...gpu, memory: { ...gpu.memory, bandwidth: Infinity } };
}

/**
 * Caches that lose nothing, nearly: tags have to find room beside the program's memory. L1's sets are a power of two, for which
 * the runtime's division is exact.
 */
const endlessL1Bytes = 4 << 20;
const endlessL2Bytes = 1 << 30;

/** The share of L2 is that of one of so many GPUs. */
export function liftedCaches(geometry: CacheGeometry, lifted: Lifted, gpus: number): CacheGeometry {
  if (lifted !== 'l1-l2') return geometry;
  return { ...geometry, l1Bytes: endlessL1Bytes, l2Bytes: Math.floor(endlessL2Bytes / gpus) };
}

/** Blocks that fit because of nothing but their warps; what does not fit at all still does not. */
export function liftedOccupancy(occupancy: Occupancy, lifted: Lifted): Occupancy {
  if (lifted === 'l1-l2') return { ...occupancy, l1Bytes: endlessL1Bytes };
  if (lifted !== 'occupancy' || occupancy.blocksPerSm === 0) return occupancy;
  const { warps } = occupancy.limits;
  const percent = (occupancy.percent * warps) / occupancy.blocksPerSm;
  return { ...occupancy, blocksPerSm: warps, warpsPerSm: warps * occupancy.warpsPerBlock, percent, limiter: 'warps' };
}

/** Share of an SM's resources that one block takes. */
export function liftedShare<Share extends { registers: number; shared: number; slots: number }>(
  share: Share,
  lifted: Lifted,
): Share {
  return lifted === 'occupancy' ? { ...share, registers: 0, shared: 0, slots: 0 } : share;
}

/** From an instruction's turn in its pipe to who reads its result, and what is added to that: one cycle, and nothing. */
const noLatency: Partial<CoreParameters> = {
  aluLatency: 1,
  fp64Latency: 1,
  fp16Latency: 1,
  specialLatency: 1,
  predicateLatency: 1,
  uniformLatency: 1,
  clockLatency: 1,
  tensorLatency: 1,
  shuffleLatency: 1,
  constantLatency: 1,
  constantWordLatency: 0,
  sharedLatency: 1,
  sharedPassLatency: 0,
  sharedWideLatency: [0, 0],
  sharedAtomicLatency: 1,
  idleShared: 0,
  idleGlobal: 0,
  l1Latency: 1,
  globalWideLatency: [0, 0],
  l2Latency: 1,
  l2AcrossLatency: 0,
  peerLatency: 1,
  hostLatency: 1,
  sectorLatency: 0,
  dramLatency: 1,
  bankWait: 0,
  bankWaitLoaded: 0,
  atomicLatency: 1,
  atomicLaneLatency: 0,
  homeLatency: 0,
  membarCycles: 1,
  syncLatency: 1,
  bulkLatency: 0,
  textureLatency: 1,
  texturePlainLatency: 1,
  textureQuadLatency: 0,
};

export const liftedParameters = (lifted: Lifted): Partial<CoreParameters> => (lifted === 'latency' ? noLatency : {});
