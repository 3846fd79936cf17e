/** Grids on several threads: whatever they do, results and counts are those of one. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import type { KernelCounts } from '../../../engine/model/execution.ts';
import { compileModule, dim, download, launch, transposeKernel, upload } from './cuda.ts';

const source = `
#include <cuda_fp16.h>
#include <mma.h>
__global__ void products(const half *in, float *out) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, row_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  load_matrix_sync(a, in, 16);
  load_matrix_sync(b, in + blockIdx.x, 16);
  fill_fragment(c, 1.0f);
  mma_sync(c, a, b, c);
  store_matrix_sync(out + 256 * blockIdx.x, c, 16, mem_row_major);
}
__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void in_place(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] * 2 + 1;
}
${transposeKernel}// One word per block: neighbours share a sector.
__global__ void block_sums(const float *in, float *out) {
  __shared__ float partial[256];
  partial[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int step = 128; step; step >>= 1) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}
// Each block reads what the one before wrote: only one after the other gives what one thread gives.
__global__ void chain(int *a) {
  if (threadIdx.x == 0) a[blockIdx.x + 1] = a[blockIdx.x] * 3 + 1;
}
// All blocks write one word.
__global__ void last_wins(int *a) {
  if (threadIdx.x == 0) { a[0] = blockIdx.x; a[100 + blockIdx.x] = blockIdx.x; }
}
__global__ void faulty(int *a, int at) {
  a[blockIdx.x * 32 + threadIdx.x] = 5;
  if (blockIdx.x == at) a[1 << 26] = 1;
}
// Unwritten shared memory is the same whichever core runs the block.
__global__ void unwritten(int *out) {
  __shared__ int s[32];
  out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
  __syncthreads();
  s[threadIdx.x] = blockIdx.x + 1;
}
// Arrays of a thread, one word of which nobody wrote; also by pointers that may lead anywhere.
__device__ __noinline__ int sum(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i] * (i + 1); return s; }
__global__ void arrays(int *out, int n) {
  int own[40];
  __shared__ int ours[64];
  for (int i = 0; i < n; i++) own[(i * 7 + threadIdx.x) % 39] = blockIdx.x + i;
  ours[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int *either = n > 30 ? own : ours, *or_this = n > 30 ? ours : own;
  bool isLocal = __isLocal(either), isShared = __isShared(either), isGlobal = __isGlobal(either) | __isGlobal(or_this);
  out[blockIdx.x * 64 + threadIdx.x] = sum(own, 40) + sum(either, 8) + 1000 * isLocal + 100 * isShared + 7 * isGlobal + 10 * __isGlobal(out) + own[n];
}
__global__ void bytes(unsigned char *a) { a[blockIdx.x * 40 + threadIdx.x] = blockIdx.x + threadIdx.x; }
__global__ void gather(const int *index, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[index[i]] = in[index[i] * 7 % 4096];
}
// From the fifth block on, so many requests to L2 that the log of a part has no room for those of 16 blocks.
__global__ void busy(const float *in, float *out) {
  float sum = 0;
  for (int i = 0; i < (blockIdx.x < 4 ? 1 : 400); i++) sum += __ldcg(&in[(i * 256 + threadIdx.x) * 32 % (1 << 20)]);
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
// Lines of DRAM that come and go, stored in part, one sector of a line at a time.
__global__ void apart(const float *in, float *out, int stride, int mask) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride & mask;
  out[i] = in[i] + in[(i + 4096) & mask];
}
__global__ void counted(int *a) { atomicAdd(a, 1); }
// Every operation, without its result: sums of floats depend on the order. By generic addresses every second one is shared.
__global__ void reduced(const float *in, float *f, double *d, int *i, unsigned long long *u, __half2 *h, int n) {
  __shared__ float own[32];
  int at = blockIdx.x * blockDim.x + threadIdx.x, where = at * 7 % n;
  float x = in[at];
  own[threadIdx.x % 32] = 0;
  __syncthreads();
  atomicAdd(&f[where], x * 1.001f);
  atomicAdd(threadIdx.x % 2 ? &own[threadIdx.x % 32] : &f[n + where], x);
  __syncthreads();
  atomicAdd(&f[2 * n], own[threadIdx.x % 32]);
  atomicAdd(&d[where], x / 3.0);
  atomicAdd(&i[where], at);
  atomicSub(&i[n + where], 3);
  atomicMin(&i[2 * n + where], at);
  atomicMax(&i[3 * n + where], at);
  atomicXor(&i[4 * n + where], at);
  atomicInc((unsigned *)&i[5 * n + where], 1000);
  atomicExch(&i[6 * n + where], at);
  atomicAdd(&i[7 * n], 2);
  atomicAdd(&i[7 * n + 1], at);
  atomicAdd(&u[where], 1ull << where % 40);
  atomicMax(&u[n + where], (unsigned long long)at << 32);
  atomicAdd(&h[where], __floats2half2_rn(x / 64, at % 16));
}
// Which is a mistake: what it reads others may have added to.
__global__ void read_back(int *a, int *out) {
  atomicAdd(&a[threadIdx.x], 1);
  out[blockIdx.x * 32 + threadIdx.x] = a[threadIdx.x + 32];
  atomicAdd(&a[threadIdx.x + 32], 1);
}
__global__ void written_back(int *a) {
  atomicAdd(&a[threadIdx.x], 1);
  if (blockIdx.x % 16 == 3) a[threadIdx.x] = 7;
}
__global__ void swapped(int *a) { atomicCAS(&a[threadIdx.x % 8], blockIdx.x, blockIdx.x + 1); }
__global__ void strided(float *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] += 1;
}
// Lanes meet in different places: in the kernel's second function, which is code of its own.
__global__ void met_apart(int *out) {
  int t = threadIdx.x;
  int v = t & 1 ? __shfl_xor_sync(0xffffffffu, t, 1) : __shfl_xor_sync(0xffffffffu, 7 * t, 1);
  out[blockIdx.x * 64 + t] = v + blockIdx.x;
}
// In the same unit as the others, whose threads must be able to load it.
__global__ void timed(long long *out) { out[blockIdx.x] = clock64(); }
`;

const n = 1 << 15;
const numbers = Float32Array.from({ length: n }, (_, i) => (i * 7919) % 1013);
const order = Int32Array.from({ length: n }, (_, i) => (i * 12347) % n);

let module: DeviceModule;
const devices: Device[] = [];
beforeAll(async () => {
  module = await compileModule(source);
  for (const threads of [1, 2, 3, 5])
    devices.push(Device.create([module], { memoryBytes: 1 << 28, threads, aloneMilliseconds: 0 }));
});
afterAll(() => void (devices.length = 0));

const pause = (milliseconds: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

interface Outcome {
  counts: KernelCounts;
  memory: number[];
}

/** Runs on each device, twice, since L2 stays warm. */
function everywhere(run: (device: Device, names: string[]) => Outcome): Outcome[] {
  const names = module.kernels.map(({ name }) => name);
  return devices.map((device) => {
    run(device, names);
    return run(device, names);
  });
}

function sameEverywhere(run: (device: Device, names: string[]) => Outcome, sideBySide = true): Outcome {
  const before = devices.map((device) => device.blocksSideBySide);
  const [one, ...others] = everywhere(run);
  const executed = devices.map((device, i) => device.blocksSideBySide - before[i]!);
  expect(executed.map((blocks) => blocks > 0)).toEqual(devices.map((_, i) => i > 0 && sideBySide));
  for (const other of others) {
    expect(other.counts).toEqual(one!.counts);
    expect(other.memory).toEqual(one!.memory);
  }
  return one!;
}

describe('a grid on several threads', () => {
  it('gives the sums, counts and cache hits of one thread', () => {
    const { memory } = sameEverywhere((device, names) => {
      const [a, b, c] = [upload(device, numbers), upload(device, numbers), upload(device, new Float32Array(n))];
      const counts = launch(device, names, 'add', dim(n / 256), dim(256), [a, b, c, n]);
      return { counts, memory: [...download(device, c, new Float32Array(n))] };
    });
    expect(memory[5]).toBe(2 * numbers[5]!);
  });
  it('has second functions, once a warp has entered one', () => {
    const { memory } = sameEverywhere((device, names) => {
      const out = upload(device, new Int32Array(64 * 64));
      const counts = launch(device, names, 'met_apart', dim(64), dim(64), [out]);
      return { counts, memory: [...download(device, out, new Int32Array(64 * 64))] };
    });
    expect(memory.slice(64, 68)).toEqual([2, 1, 4, 15]);
  });
  it('is executed once where a thread is woken for work that it has seen before, and done', () => {
    const { notify } = Atomics;
    const late = vi.spyOn(Atomics, 'notify').mockImplementationOnce(((words: Int32Array, at: number) => {
      // The thread is only just starting, and finds its work without being told.
      for (let waits = 0; waits < 300 && Atomics.load(words, at) !== 0; waits++) pause(10);
      // Until it sleeps; then, until it would have done its work once more.
      pause(100);
      const woken = notify(words, at);
      pause(100);
      return woken;
    }) as typeof notify);
    const counted = ([1, 2] as const).map((threads) => {
      const device = Device.create([module], { memoryBytes: 1 << 28, threads, aloneMilliseconds: 0 });
      const names = module.kernels.map(({ name }) => name);
      return launch(device, names, 'add', dim(64), dim(256), [0, 0, 0, 0]);
    });
    expect(late).toHaveBeenCalled();
    late.mockRestore();
    expect(counted[1]).toEqual(counted[0]);
  });
  it('takes fewer blocks at a time where these ask L2 for much', () => {
    const blocks = 100;
    const before = devices[1]!.blocksSideBySide;
    sameEverywhere((device, names) => {
      const [a, b] = [upload(device, new Float32Array(1 << 20)), upload(device, new Float32Array(blocks * 256))];
      const counts = launch(device, names, 'busy', dim(blocks), dim(256), [a, b]);
      return { counts, memory: [...download(device, b, new Float32Array(blocks * 256))] };
    });
    expect(devices[1]!.blocksSideBySide - before).toBe(2 * blocks);
  });
  it('looks up L2 in slices, of any size, with what DRAM has to fill in', () => {
    const words = 1 << 21;
    const large = Float32Array.from({ length: words }, (_, i) => i % 1013);
    const geometry = { smCount: 12, l1Bytes: 16 << 10, blocksPerSm: 4 };
    const sizes = [
      { l2Bytes: 4 << 20, l2Halves: 2 as const },
      { l2Bytes: 6 << 20 },
      { l2Bytes: 768 << 10 },
      { l2Bytes: 99 << 10 },
    ];
    for (const size of sizes) {
      const { counts } = sameEverywhere((device, names) => {
        const [from, to] = [upload(device, large), upload(device, new Float32Array(words))];
        const args = [from, to, 21, words - 1];
        const counts = launch(device, names, 'apart', dim(words / 512), dim(256), args, 0, { ...geometry, ...size });
        const memory = [...download(device, to, new Float32Array(words)).subarray(0, 1000)];
        for (const address of [from, to]) device.free(address);
        return { counts, memory };
      });
      for (const what of ['dramRows', 'dramFilledBytes', 'dramWriteBytes'] as const)
        expect(counts[what], what).toBeGreaterThan(0);
    }
  });
  it('in place, transposed, with one word per block, with bytes, scattered', () => {
    sameEverywhere((device, names) => {
      const a = upload(device, numbers);
      const counts = launch(device, names, 'in_place', dim(n / 64), dim(64), [a, n]);
      return { counts, memory: [...download(device, a, new Float32Array(n))] };
    });
    sameEverywhere((device, names) => {
      const [a, b] = [
        upload(
          device,
          new Float32Array(512 * 512).map((_, i) => i),
        ),
        upload(device, new Float32Array(512 * 512)),
      ];
      const counts = launch(device, names, 'transpose', dim(16, 16), dim(32, 8), [a, b, 512]);
      return { counts, memory: [...download(device, b, new Float32Array(512 * 512))] };
    });
    sameEverywhere((device, names) => {
      const [a, b] = [upload(device, numbers), upload(device, new Float32Array(n / 256))];
      const counts = launch(device, names, 'block_sums', dim(n / 256), dim(256), [a, b]);
      return { counts, memory: [...download(device, b, new Float32Array(n / 256))] };
    });
    sameEverywhere((device, names) => {
      const a = upload(device, new Uint8Array(40 * 300));
      const counts = launch(device, names, 'bytes', dim(300), dim(40), [a]);
      return { counts, memory: [...download(device, a, new Uint8Array(40 * 300))] };
    });
    sameEverywhere((device, names) => {
      const [index, a, b] = [upload(device, order), upload(device, numbers), upload(device, new Float32Array(n))];
      const counts = launch(device, names, 'gather', dim(n / 128), dim(128), [index, a, b]);
      return { counts, memory: [...download(device, b, new Float32Array(n))] };
    });
  });
  it('counts what it asks of another GPU', () => {
    const counts = [1, 3].map((threads) => {
      const others = [{ memoryBytes: 1 << 27 }];
      const device = Device.create([module], { memoryBytes: 1 << 27, others, threads, aloneMilliseconds: 0 });
      const names = module.kernels.map(({ name }) => name);
      const far = device.allocate(4 * n, 0, 1)!;
      device.setPeerAccess(0, 1, true);
      const [a, c] = [upload(device, numbers), upload(device, new Float32Array(n))];
      launch(device, names, 'add', dim(n / 64), dim(64), [a, far, c, n]);
      const again = launch(device, names, 'add', dim(n / 64), dim(64), [a, far, far, n]);
      expect(device.blocksSideBySide > 0).toBe(threads > 1);
      return again;
    });
    expect(counts[0]).toMatchObject({ peerReads: n / 8, peerWrites: n / 8 });
    expect(counts[1]).toEqual(counts[0]);
  });
  it('with products of matrices', () => {
    const { memory } = sameEverywhere((device, names) => {
      const halves = Uint16Array.from({ length: 512 }, (_, i) => 0x3c00 + ((i % 7) << 8));
      const [a, b] = [upload(device, halves), upload(device, new Float32Array(256 * 128))];
      const counts = launch(device, names, 'products', dim(128), dim(32), [a, b]);
      return { counts, memory: [...download(device, b, new Float32Array(256 * 128))] };
    });
    expect(Math.min(...memory)).toBeGreaterThan(16);
  });
  it('with arrays of threads', () => {
    const { memory } = sameEverywhere((device, names) => {
      const a = upload(device, new Int32Array(300 * 64));
      const counts = launch(device, names, 'arrays', dim(300), dim(64), [a, 39]);
      return { counts, memory: [...download(device, a, new Int32Array(300 * 64))] };
    });
    // Thread 0 of block 5: own[7 i % 39] = 5 + i for all i below 39, and own[39] is 0.
    const own = Array.from({ length: 40 }, () => 0);
    for (let i = 0; i < 39; i++) own[(i * 7) % 39] = 5 + i;
    const sum = (count: number): number => own.slice(0, count).reduce((total, each, i) => total + each * (i + 1), 0);
    expect(memory[5 * 64]).toBe(sum(40) + sum(8) + 1010);
  });
  it('pages of managed memory come in the order in which warps ask for them', () => {
    const [blocks, words] = [64, 1 << 18];
    const { counts } = sameEverywhere((device, names) => {
      const a = Math.ceil(upload(device, new Float32Array(words + 1024)) / 4096) * 4096;
      device.watchManaged(a, 4 * words);
      const result = launch(device, names, 'strided', dim(blocks), dim(256), [a, words]);
      return { counts: result, memory: [...download(device, a, new Float32Array(words))] };
    });
    // Four blocks share a page. Those that are resident together come before the others, and of theirs the pages of the first
    // pass through the loop before those of the second.
    const { pages, rounds, resident } = counts.touched!;
    expect(resident).toBeLessThan(blocks);
    const expected: number[][] = [];
    for (let block = 0; block < blocks; block += resident) {
      for (let pass = 0; pass < words / blocks / 256; pass++) {
        const page = (pass * blocks + block) / 4;
        expected.push(Array.from({ length: Math.min(resident, blocks - block) / 4 }, (_, i) => page + i));
      }
    }
    const first = Math.min(...pages);
    expect([...pages].map((page) => page - first)).toEqual(expected.flat());
    expect([...rounds]).toEqual(expected.flatMap((round, i) => round.map(() => i)));
  });
  it('when blocks depend on each other or write one word', () => {
    const { memory } = sameEverywhere((device, names) => {
      const a = upload(device, new Int32Array(400).fill(1, 0, 1));
      const counts = launch(device, names, 'chain', dim(300), dim(32), [a]);
      return { counts, memory: [...download(device, a, new Int32Array(400))] };
    }, false);
    expect(memory.slice(0, 4)).toEqual([1, 4, 13, 40]);
    const last = sameEverywhere((device, names) => {
      const a = upload(device, new Int32Array(500));
      const counts = launch(device, names, 'last_wins', dim(300), dim(32), [a]);
      return { counts, memory: [...download(device, a, new Int32Array(500))] };
    }, false);
    expect(last.memory[0]).toBe(299);
  });
  it('with what nobody wrote, and with atomics', () => {
    sameEverywhere((device, names) => {
      const a = upload(device, new Int32Array(300 * 32).fill(-1));
      const counts = launch(device, names, 'unwritten', dim(300), dim(32), [a]);
      return { counts, memory: [...download(device, a, new Int32Array(300 * 32))] };
    });
    const { memory } = sameEverywhere((device, names) => {
      const a = upload(device, new Int32Array(1));
      const counts = launch(device, names, 'counted', dim(300), dim(32), [a]);
      return { counts, memory: [...download(device, a, new Int32Array(1))] };
    });
    expect(memory).toEqual([9600]);
  });
  it('with atomics whose results nobody uses, in the order of blocks', () => {
    const m = 100;
    // So few blocks are resident that they meet several times; and all of them are.
    for (const blocksPerSm of [2, 32]) {
      const { counts, memory } = sameEverywhere((device, names) => {
        const areas = [3 * m * 4, m * 8, 8 * m * 4, 2 * m * 8, m * 4].map((bytes) =>
          upload(device, new Uint8Array(bytes)),
        );
        const args = [upload(device, numbers), ...areas, m];
        const geometry = { smCount: 12, l1Bytes: 16 << 10, l2Bytes: 6 << 20, blocksPerSm };
        const counts = launch(device, names, 'reduced', dim(n / 64), dim(64), args, 0, geometry);
        const memory = areas.flatMap((area) => [...download(device, area, new Uint8Array(m * 4))]);
        return { counts, memory };
      });
      expect(new Set(memory).size).toBeGreaterThan(200);
      expect(counts.globalAtomic.hottest).toBeGreaterThan(100);
    }
  });
  it.each(['read_back', 'written_back', 'swapped'])('with atomics that others wait for: %s', (name) => {
    sameEverywhere((device, names) => {
      const [a, b] = [upload(device, new Int32Array(64)), upload(device, new Int32Array(300 * 32))];
      const counts = launch(device, names, name, dim(300), dim(32), name === 'read_back' ? [a, b] : [a]);
      return {
        counts,
        memory: [...download(device, a, new Int32Array(64)), ...download(device, b, new Int32Array(9600))],
      };
    }, false);
  });
  it('with a fault: the same message, and the same memory', () => {
    const outcomes = devices.map((device) => {
      const names = module.kernels.map(({ name }) => name);
      const a = upload(device, new Int32Array(300 * 32));
      let message = '';
      try {
        launch(device, names, 'faulty', dim(300), dim(32), [a, 201]);
      } catch (error) {
        message = (error as Error).message;
      }
      return { message, memory: [...download(device, a, new Int32Array(300 * 32))] };
    });
    expect(outcomes[0]!.message).toMatch(/block \(201,0,0\)/);
    for (const outcome of outcomes.slice(1)) expect(outcome).toEqual(outcomes[0]);
  });
});
