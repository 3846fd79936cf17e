/** Warps and blocks that wait for each other: locks, flags, queues, last blocks, barriers of the grid. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { Device as SimulatedDevice } from '../../../engine/warp/device.ts';
import { compileModule, dim, download, launch as launchOn, upload, caches } from './cuda.ts';

const source = `
__device__ void lock(int *m) { while (atomicCAS(m, 0, 1) != 0); __threadfence(); }
__device__ void unlock(int *m) { __threadfence(); atomicExch(m, 0); }
#include <cooperative_groups.h>

// One lock per warp's first lane, per block's first thread, per lane.
__global__ void lockWarps(int *m, int *sum) {
  if (threadIdx.x % 32 == 0) { lock(m); int v = *(volatile int *)sum; *(volatile int *)sum = v + 1; unlock(m); }
}
__global__ void lockLanes(int *m, int *sum) {
  lock(m);
  int v = *(volatile int *)sum; *(volatile int *)sum = v + 1;
  unlock(m);
}
__global__ void lockLanesOften(int *m, int *sum, int *out, int n) {
  int mine = 0;
  for (int i = 0; i < n; i++) {
    lock(m);
    int v = *(volatile int *)sum; *(volatile int *)sum = v + 1 + (threadIdx.x & 1);
    mine += v * 0 + i + 1;
    unlock(m);
  }
  __syncthreads();
  int all = __syncthreads_count(mine == n * (n + 1) / 2);
  mine += __shfl_xor_sync(~0u, mine, 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine + all * 1000;
}
__global__ void tryLock(int *m, int *sum) {
  bool done = false;
  while (!done) if (atomicCAS(m, 0, 1) == 0) { *(volatile int *)sum += 1; __threadfence(); atomicExch(m, 0); done = true; }
}
// Within a block: warp 1 waits for warp 0's flag, which waits for warp 1's answer.
__global__ void flags(int *out) {
  __shared__ volatile int a, b;
  if (threadIdx.x == 0) a = b = 0;
  __syncthreads();
  if (threadIdx.x == 0) { a = 7; while (b == 0); out[0] = b; }
  if (threadIdx.x == 32) { while (a == 0); b = a + 1; }
}
// Lane 0 waits for lane 1 of the same warp.
__global__ void laneFlags(volatile int *flag, int *out) {
  if (threadIdx.x == 0) { while (*flag == 0); out[0] = *flag; }
  else if (threadIdx.x == 1) { *flag = 5; }
}
// Block i waits for block i + 1: needs all of them side by side.
__global__ void backwards(volatile int *ready, int *out) {
  __shared__ int got;
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x) { while (ready[blockIdx.x + 1] == 0); got = ready[blockIdx.x + 1] + 1; }
    else got = 1;
    __threadfence();
    ready[blockIdx.x] = got;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = got;
}
__device__ unsigned finished;
__global__ void lastBlock(const int *in, int *partial, int *out) {
  __shared__ bool last;
  int s = in[blockIdx.x * 32 + threadIdx.x];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s;
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) { int t = 0; for (int i = 0; i < gridDim.x; i++) t += ((volatile int *)partial)[i]; *out = t; }
}
__global__ void persistent(int *queue, int *out, int n) {
  __shared__ int item;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) item = atomicAdd(queue, 1);
    __syncthreads();
    if (item >= n) return;
    atomicAdd(&out[item], threadIdx.x);
  }
}
// A software barrier of the grid, as written before cooperative groups.
__global__ void softBarrier(int *count, volatile int *data, int *out) {
  if (threadIdx.x == 0) data[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) { atomicAdd(count, 1); while (atomicAdd(count, 0) < gridDim.x); }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
}
__global__ void gridSync(int *a, int *b, int rounds) {
  __shared__ int kept[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  kept[threadIdx.x] = i;
  for (int r = 0; r < rounds; r++) {
    b[i] = a[(i + 1) % n] + 1;
    cooperative_groups::this_grid().sync();
    a[i] = b[(i + 1) % n];
    cooperative_groups::this_grid().sync();
  }
  a[i] += kept[threadIdx.x] - i;
}
extern "C" __device__ void wait(unsigned, unsigned) __asm("llvm.nvvm.barrier.cta.sync.aligned.count");
extern "C" __device__ void arrive(unsigned, unsigned) __asm("llvm.nvvm.barrier.cta.arrive.aligned.count");
// Warp 0 produces, warp 1 consumes, over two barriers of 64 threads; the others do not take part.
__global__ void producer(int *out, int rounds) {
  __shared__ int slot[32];
  int t = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == 0) for (int r = 0; r < rounds; r++) { slot[t] = r * 100 + t; arrive(1, 64); wait(2, 64); }
  if (warp == 1) for (int r = 0; r < rounds; r++) { wait(1, 64); out[r * 32 + t] = slot[t]; arrive(2, 64); }
  __syncthreads();
}
__global__ void strided(int *out, int *sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(sum, out[i]);
}
__global__ void neverSet(volatile int *flag, int *out) { while (flag[0] == 0) {} out[0] = 1; }
__global__ void endless(int *out) { for (int i = 0;; i++) { if (out[i & 31] == 99) break; out[i & 31] = i & 7; } }
`;

let module: DeviceModule;
let device: Device;
const launch = (name: string, grid: number, block: number, args: number[]) =>
  launchOn(
    device,
    module.kernels.map((kernel) => kernel.name),
    name,
    dim(grid),
    dim(block),
    args,
  );
const zeros = (count: number): number => upload(device, new Int32Array(count));
const read = (address: number, count: number): number[] => [...download(device, address, new Int32Array(count))];

beforeAll(async () => {
  module = await compileModule(source);
  device = SimulatedDevice.create([module], { memoryBytes: 1 << 30 });
});

describe('locks', () => {
  it.each([
    ['between warps and blocks', 'lockWarps', 16],
    ['between the lanes of a warp', 'lockLanes', 512],
    ['tried in a loop', 'tryLock', 512],
  ])('%s', (_, name, sum) => {
    const [mutex, total] = [zeros(1), zeros(1)];
    launch(name, 4, 128, [mutex, total]);
    expect(read(total, 1)).toEqual([sum]);
    expect(read(mutex, 1)).toEqual([0]);
  });
  it('taken again and again, with uniform loop variables around and operations of the warp behind', () => {
    const [mutex, total, out] = [zeros(1), zeros(1), zeros(128)];
    launch('lockLanesOften', 2, 64, [mutex, total, out, 5]);
    expect(read(total, 1)).toEqual([128 * 5 + 64 * 5]);
    expect(read(out, 128)).toEqual(Array(128).fill(30 + 64 * 1000));
  });
});

describe('flags', () => {
  it('between warps of a block', () => {
    const out = zeros(1);
    launch('flags', 3, 64, [out]);
    expect(read(out, 1)).toEqual([8]);
  });
  it('between lanes of a warp', () => {
    const [flag, out] = [zeros(1), zeros(1)];
    launch('laneFlags', 1, 32, [flag, out]);
    expect(read(out, 1)).toEqual([5]);
  });
  it('of later blocks, as many as are resident', () => {
    const blocks = 8 * caches.smCount;
    const [ready, out] = [zeros(blocks), zeros(blocks * 64)];
    launch('backwards', blocks, 64, [ready, out]);
    expect(read(out, blocks * 64)).toEqual(Array.from({ length: blocks * 64 }, (_, i) => blocks - Math.floor(i / 64)));
  });
});

describe('barriers with a number of threads', () => {
  it('between two warps of four', () => {
    const out = zeros(5 * 32);
    launch('producer', 2, 128, [out, 5]);
    expect(read(out, 5 * 32)).toEqual(Array.from({ length: 160 }, (_, i) => Math.floor(i / 32) * 100 + (i % 32)));
  });
});

describe('blocks', () => {
  it('the last one adds up', () => {
    const input = upload(
      device,
      Int32Array.from({ length: 20 * 32 }, (_, i) => i),
    );
    const [partial, out] = [zeros(20), zeros(1)];
    launch('lastBlock', 20, 32, [input, partial, out]);
    expect(read(out, 1)).toEqual([(640 * 639) / 2]);
  });
  it('that take work from a queue', () => {
    const [queue, out] = [zeros(1), zeros(100)];
    launch('persistent', 6, 64, [queue, out, 100]);
    expect(read(out, 100)).toEqual(Array(100).fill(2016));
  });
  it('meet at a barrier made of atomics', () => {
    const [count, data, out] = [zeros(1), zeros(16), zeros(16)];
    launch('softBarrier', 16, 64, [count, data, out]);
    expect(read(out, 16)).toEqual(Array.from({ length: 16 }, (_, i) => ((i + 1) % 16) + 1));
  });
  it('meet at the barrier of the grid', () => {
    const n = 12 * 64;
    const a = upload(
      device,
      Int32Array.from({ length: n }, (_, i) => i),
    );
    const b = zeros(n);
    launch('gridSync', 12, 64, [a, b, 3]);
    expect(read(a, n)).toEqual(Array.from({ length: n }, (_, i) => ((i + 6) % n) + 3));
  });
  it('fail clearly when more of them meet than are resident', () => {
    const n = 100 * 64;
    const [a, b] = [zeros(n), zeros(n)];
    expect(() => launch('gridSync', 100, 64, [a, b, 1])).toThrow(/waits for its whole grid/);
  });
  it('fail clearly when what they wait for never comes', () => {
    const [flag, out] = [zeros(1), zeros(1)];
    expect(() => launch('neverSet', 3, 64, [flag, out])).toThrow(/wait for what another should write, for ever/);
  });
  it('repeat exactly', () => {
    const [mutex, total, out] = [zeros(1), zeros(1), zeros(128)];
    const run = () => launch('lockLanesOften', 2, 64, [mutex, total, out, 5]);
    run();
    expect(run()).toEqual(run());
  });
});

describe('budget', () => {
  it('stops an endless kernel', async () => {
    const short = SimulatedDevice.create([module], { memoryBytes: 1 << 30, maxInstructions: 3_000_000 });
    const out = upload(short, new Int32Array(32));
    const names = module.kernels.map(({ name }) => name);
    expect(() => launchOn(short, names, 'endless', dim(1), dim(32), [out])).toThrow(
      /kernels executed more than 3000000 warp instructions/,
    );
  });
});
