/**
 * CPU time of API calls on the reference host, nanoseconds. What only one call costs stands in its row (engine/cuda/runtime); other hosts
 * take a multiple ({@link HostProfile.callFactor}). Every figure names the case of the H200 reference that it comes from.
 */
import type { HostProfile } from './hosts.ts';

/** A call as the host charges it. */
export interface CallCost {
  /** CPU time up to the point where it hands work to the GPU, waits or returns. */
  cost: number;
  /** Additional CPU time that depends on bytes. */
  allocation?: AllocationCost;
  /** It needs no context: the first of the others creates it. */
  contextFree?: true;
  /** The share of its CPU time for which it holds the lock of its context; 1 if not given. */
  serial?: number;
  /** It launches kernels or a graph. */
  launches?: true;
}

/** CPU time of allocating or freeing. */
export interface AllocationCost {
  /** Small ones share blocks of this memory, and take that long where no block has to be made or given back. */
  shared?: { memory: AllocatedMemory; cost: number; frees?: boolean };
  fixed: number;
  perByte: number;
  /** Beyond so many bytes each takes that long. */
  beyond?: { bytes: number; perByte: number };
}

export type AllocatedMemory = 'device' | 'pinned';

/** Costs of calls that others share, or that graphs pay as well. */
export const callCost = {
  // C2 frame_500_tiny_kernels stream_launches_sync_per_frame: 3.02 us per launch; C1 launch_cpu_time: median 2.66 to 2.93,
  // mean 2.77 to 3.32; C1 start_to_start_host_bound: median 2.59, mean 2.87. What programs measured around short calls (C6) has the
  // 20 ns in it that they take to read the clock.
  launch: 2900,
  // C3 async_issue_cpu of 64 KB and more: 1.08 to 1.5.
  copyAsync: 1080,
  // C3 cudaMemcpy_wall less async_plus_sync_wall, pinned 64 KB: 0.2 more than the two calls.
  copy: 1280,
  fillAsync: 696, // C6 memset_async_cpu 4KB
  record: 190, // without timing: see `timedEvent`
  waitEvent: 113, // C6 stream_wait_event_cpu already_complete
  /** CPU time of calls that nobody has measured. Those that only read state lie between 0.2 and 0.4: c_launch api_duration. */
  unmeasured: 300,
} as const;

/** CPU time that depends on the size. */
export const allocating = {
  // C6 cudaMalloc_cpu and cudaFree_cpu, 1 KB to 1 GB. fills.cu, F2: the first small one makes a block. Allocations of rows and arrays
  // as cudaMalloc; nobody has measured them.
  onDevice: { shared: { memory: 'device', cost: 800 }, fixed: 25_000, perByte: 36e-6 },
  fromDevice: { shared: { memory: 'device', cost: 750, frees: true }, fixed: 24_000, perByte: 206e-6 },
  // managed.json malloc: 15.4 to 16.1 us up to 256 KB, 24 at 1 MB, 61 at 256 MB.
  managed: { fixed: 18_000, perByte: 160e-6 },
  // Memory that a pool already holds costs nothing more; the rest as cudaMalloc (fills.cu, F2 cudaMallocAsync cold).
  inPool: { fixed: 25_000, perByte: 36e-6 },
  // C6 cudaMallocHost_cpu and cudaFreeHost_cpu, 1 MB (a block of 2) and 64 MB; fills.cu, F2: 4 KB to 64 MB, of which system.cu (S9
  // cudaMallocHost_64KB) has what is in a block already.
  pinned: {
    shared: { memory: 'pinned', cost: 2_200 },
    fixed: 0,
    perByte: 0.195,
    beyond: { bytes: 4 * 2 ** 20, perByte: 0.3 },
  },
  fromPinned: { shared: { memory: 'pinned', cost: 2_200, frees: true }, fixed: 31_000, perByte: 0.0682 },
  // fills.cu, F2, pages of 4 KB.
  registered: { fixed: 37_000, perByte: 0.0215 },
  unregistered: { fixed: 21_000, perByte: 0.011 },
} as const satisfies Record<string, AllocationCost>;

/** CPU time of a call on a host, but for what depends on the size, nanoseconds. */
export function chargedOn({ callFactor }: HostProfile, { cost, launches }: CallCost): number {
  return Math.round(cost * (launches ? callFactor.launches : callFactor.others));
}
