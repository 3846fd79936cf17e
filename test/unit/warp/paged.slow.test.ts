/** Device memory in pages: results and counts are those of linear memory, with more of it than there are frames. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { KernelCounts } from '../../../engine/model/execution.ts';
import type { Device } from '../../../engine/warp/device.ts';
import {
  compileModule,
  createDevice,
  createPagedDevice,
  dim,
  download,
  f32,
  launch,
  upload,
  type Numbers,
} from './cuda.ts';

const source = `
#include <mma.h>
struct Node { Node *next; int value; };
struct Pair { const int *from; long count; };
struct Shape { __device__ virtual int area() const = 0; };
struct Square : Shape { int side; __device__ Square(int s) : side(s) {} __device__ int area() const override { return side * side; } };
__device__ int table[64];
__constant__ int few[4] = {3, 5, 7, 9};

__global__ void copy(const int *in, int *out, long step) { long i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = in[i * step] + few[i & 3]; }
__global__ void scatter(const int *in, int *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[(i * 7919ll + 13) % n] = in[i] * 2;
}
__global__ void lists(Node *nodes, int n, int *out) {
  int i = threadIdx.x, sum = 0;
  for (long k = i; k < n; k += blockDim.x) nodes[k] = {k + 50000 < n ? &nodes[k + 50000] : nullptr, (int)k};
  __syncthreads();
  for (Node *at = &nodes[i]; at; at = at->next) sum += at->value;
  out[i] = sum;
}
__global__ void pairs(const Pair *all, int *out) {
  Pair p = all[blockIdx.x], own[2] = {p, {out, 1}};
  const int *from = own[threadIdx.x & 1].from;
  out[blockIdx.x * blockDim.x + threadIdx.x] = (threadIdx.x & 1) ? (from == out) : from[p.count - 1 - threadIdx.x];
}
__global__ void generic(int *memory, int *out) {
  __shared__ int s[32];
  int own[8], t = threadIdx.x;
  for (int i = 0; i < 8; i++) own[(i + t) & 7] = i;
  s[t] = t;
  __syncthreads();
  int *p = t % 3 == 0 ? &s[31 - t] : t % 3 == 1 ? &memory[t * 70000] : &own[t & 7];
  atomicAdd(t % 2 ? &s[0] : &memory[5], 1);
  out[t] = *p + __isShared(p) * 100 + __isGlobal(p) * 1000 + __isLocal(p) * 10000;
  asm volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; @q st.global.u32 [%0+4], 9; }" :: "l"(out + 32 + t), "r"(t & 1));
}
__global__ void sums(int *memory, unsigned long long *total, float *f, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&memory[(i * 131071ll) % (n / 2)], i);
    atomicMax(total, (unsigned long long)i << 20);
    if (atomicCAS(&memory[n / 2 + i % 1000], 0, i + 1) == 0) atomicAdd(f, 1.f);
  }
}
__global__ void moves(char *to, const char *from, long n, long shift) {
  if (threadIdx.x < 2) memcpy(to + threadIdx.x * (n + 70000), from + threadIdx.x * 100, n);
  if (threadIdx.x == 2) memset(to + 4 * n, 7, n);
  if (threadIdx.x == 3) __builtin_memmove(to + 6 * n + shift, to + 6 * n, n);
}
__global__ void product(const half *a, const half *b, float *c, int ld) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> x;
  fragment<matrix_b, 16, 16, 16, half, col_major> y;
  fragment<accumulator, 16, 16, 16, float> z;
  fill_fragment(z, 0.f);
  load_matrix_sync(x, a, ld);
  load_matrix_sync(y, b, ld);
  mma_sync(z, x, y, z);
  store_matrix_sync(c, z, ld, mem_row_major);
}
__device__ int deep(const int *p, int n) { return n == 0 ? *p : deep(p + 20000, n - 1) + p[1]; }
__global__ void calls(const int *p, int *out) {
  Shape *shape = new Square(threadIdx.x);
  out[threadIdx.x] = deep(p, threadIdx.x & 7) + shape->area() + (table[threadIdx.x] = p[threadIdx.x]);
  delete shape;
  if (threadIdx.x == 0) printf("%d %s\\n", out[0], p ? "text" : "none");
}
__global__ void locks(int *lock, int *count) {
  bool done = false;
  while (!done)
    if (atomicCAS(lock, 0, 1) == 0) { *(volatile int *)count += 1; __threadfence(); atomicExch(lock, 0); done = true; }
}
__global__ void wide(const float4 *in, float4 *out, float f) { int i = blockIdx.x * blockDim.x + threadIdx.x; float4 v = in[i]; v.y *= f; out[i + 1] = v; }
__global__ void past(int *p, long i) { p[i] = 1; }
`;

const frames = 1024;
const bytesOfFrames = frames << 16;
let linear: Device;
let paged: Device;
let names: string[];
beforeAll(async () => {
  names = (await compileModule(source)).kernels.map(({ name }) => name);
  linear = await createDevice(source);
  paged = await createPagedDevice(source, frames);
});

/** 64 bits of a `long`. */
const long = (value: number): Uint8Array => new Uint8Array(new BigInt64Array([BigInt(value)]).buffer);
const words = (count: number, seed = 1): Int32Array =>
  Int32Array.from({ length: count }, (_, i) => ((i + seed) * 2654435761) >> 8);

interface Run {
  outputs: Numbers[];
  counts: KernelCounts;
}
type Launch = (
  device: Device,
  run: (name: string, grid: number, block: number, args: (number | Uint8Array)[]) => void,
) => Numbers[];

/** The same launches on both. L2 and DRAM may see frames in another order. */
function both(launches: Launch): { [side in 'linear' | 'paged']: Run } {
  const on = (device: Device): Run => {
    let counts: KernelCounts | null = null;
    const outputs = launches(device, (name, grid, block, args) => {
      counts = launch(device, names, name, dim(grid), dim(block), args);
    });
    return { outputs, counts: counts! };
  };
  return { linear: on(linear), paged: on(paged) };
}

/** What does not depend on where a line lies, as caches, passes of tags and the busiest addresses do. */
function ofRequests(counts: KernelCounts): unknown {
  return Object.fromEntries(
    Object.entries(counts)
      .filter(([name]) => !/^(l1|l2|dram)/.test(name))
      .map(([name, value]: [string, object]) => [
        name,
        name.startsWith('global') ? { ...value, passes: 0, wavefronts: 0, hottest: 0 } : value,
      ]),
  );
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Numbers): Buffer => Buffer.from(buffer, byteOffset, byteLength);

function expectEqualOutputs({ linear: one, paged: other }: { linear: Run; paged: Run }): void {
  expect(other.outputs.map((each, i) => bytesOf(each).equals(bytesOf(one.outputs[i]!)))).not.toContain(false);
}
function expectEqual(runs: { linear: Run; paged: Run }): void {
  const { linear: one, paged: other } = runs;
  expectEqualOutputs(runs);
  expect(ofRequests(other.counts)).toEqual(ofRequests(one.counts));
}

describe('like linear memory', () => {
  const big = words(bytesOfFrames / 4 + 100_000);

  test('rows, and strides over more pages than there are frames', () => {
    const runs = both((device, run) => {
      const [from, to] = [upload(device, big), upload(device, new Int32Array(1 << 16))];
      run('copy', 256, 256, [from, to, long(250)]);
      const first = download(device, to, new Int32Array(1 << 16));
      run('copy', 256, 256, [from + 4, to, long(1)]);
      return [first, download(device, to, new Int32Array(1 << 16)), download(device, from, new Int32Array(big.length))];
    });
    expectEqual(runs);
    expect(runs.paged.outputs[2]).toEqual(big);
  });

  test('scattered stores', () => {
    const n = 3_000_017;
    expectEqual(
      both((device, run) => {
        const [from, to] = [upload(device, words(n, 5)), upload(device, new Int32Array(n))];
        run('scatter', 64, 256, [from, to, n]);
        return [download(device, to, new Int32Array(n))];
      }),
    );
  });

  test('pointers in memory, in structs and arrays of a thread', () => {
    const n = 300_000;
    const runs = both((device, run) => {
      const [nodes, out] = [upload(device, new Uint8Array(16 * n)), upload(device, new Int32Array(256))];
      run('lists', 1, 256, [nodes, n, out]);
      const sums = download(device, out, new Int32Array(256));
      const values = [upload(device, words(1000)), upload(device, words(70_000, 9))];
      const table = values.flatMap((address, i) => [BigInt(address), [1000n, 70_000n][i]!]);
      run('pairs', 2, 64, [upload(device, new BigUint64Array(table)), out]);
      return [sums, download(device, out, new Int32Array(256))];
    });
    expectEqual(runs);
    expect(runs.paged.outputs[0]![0]).toBe(750_000);
  });

  test('pointers of which only the run shows where they lead', () => {
    expectEqual(
      both((device, run) => {
        const [memory, out] = [upload(device, words(32 * 70_000, 3)), upload(device, new Int32Array(128))];
        run('generic', 1, 32, [memory, out]);
        return [download(device, memory, new Int32Array(64)), download(device, out, new Int32Array(128))];
      }),
    );
  });

  test('atomics', () => {
    const n = 400_000;
    expectEqual(
      both((device, run) => {
        const memory = upload(device, new Int32Array(n));
        const [total, f] = [upload(device, new BigUint64Array(1)), upload(device, new Float32Array(1))];
        run('sums', 16, 128, [memory, total, f, n]);
        const results = [download(device, total, new BigUint64Array(1)), download(device, f, new Float32Array(1))];
        return [download(device, memory, new Int32Array(n)), ...results];
      }),
    );
  });

  test('copies of sizes that only the run shows, over their own end and beginning', () => {
    const n = 200_000;
    // Where a page ends, a copy goes on with another request.
    expectEqualOutputs(
      both((device, run) => {
        const to = upload(device, new Uint8Array(words(3 * n).buffer));
        const from = upload(device, new Uint8Array(words(n, 4).buffer));
        run('moves', 1, 32, [to, from, long(n), long(1000)]);
        run('moves', 1, 32, [to, from, long(n), long(-1000)]);
        return [download(device, to, new Uint8Array(12 * n))];
      }),
    );
  });

  test('fragments whose rows lie in different pages, and words of 128 bits', () => {
    const step = 20_000;
    expectEqual(
      both((device, run) => {
        const halves = Uint16Array.from({ length: 16 * step }, (_, i) => 0x3c00 + (i % 512));
        const [a, b, c] = [halves, halves, new Float32Array(16 * step)].map((data) => upload(device, data));
        run('product', 1, 32, [a!, b!, c!, step]);
        const quads = upload(device, new Float32Array(4 * 40_001).fill(3));
        run('wide', 1250, 32, [a!, quads, f32(2)]);
        return [
          download(device, c!, new Float32Array(16 * step)),
          download(device, quads, new Float32Array(4 * 40_001)),
        ];
      }),
    );
  });

  test('recursion, virtual functions, the heap, variables, output', () => {
    const runs = both((device, run) => {
      const [p, out] = [upload(device, words(200_000, 2)), upload(device, new Int32Array(64))];
      run('calls', 1, 64, [p, out]);
      return [download(device, out, new Int32Array(64)), new TextEncoder().encode(device.takeOutput())];
    });
    expectEqual(runs);
    expect(new TextDecoder().decode(runs.paged.outputs[1] as Uint8Array)).toMatch(/^-?\d+ text\n$/);
  });

  test('a lock', () => {
    expectEqual(
      both((device, run) => {
        const [lock, count] = [upload(device, new Int32Array(1)), upload(device, new Int32Array(1))];
        run('locks', 4, 64, [lock, count]);
        return [download(device, count, new Int32Array(1))];
      }),
    );
  });
});

test('memory that nobody touches costs nothing, and is zero; what is freed can be had again', async () => {
  const device = await createPagedDevice(source, frames);
  const [before, used] = [process.memoryUsage().arrayBuffers, device.usedBytes];
  const large = device.allocateAnywhere(20 * 2 ** 30, 0)!;
  expect(device.allocateAnywhere(50 * 2 ** 30, 0)).toBeNull();
  const [out, end] = [upload(device, new Int32Array(256)), large + 20 * 2 ** 30 - 1024];
  launch(device, names, 'copy', dim(1), dim(256), [end, out, long(1)]);
  expect([...download(device, out, new Int32Array(4))]).toEqual([3, 5, 7, 9]);
  expect(device.usedBytes).toBe(used + 20 * 2 ** 30 + 1024);
  expect(device.free(large)).toBe(true);
  expect(device.free(large)).toBe(false);
  expect(device.allocateAnywhere(20 * 2 ** 30, 0)).toBe(large);
  expect(device.allocateAnywhere(40 * 2 ** 30, 0)).toBeGreaterThan(end);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20);
});

test('an access outside is an error with its place and its allocation', () => {
  const address = upload(paged, new Int32Array(1000));
  const at = (index: number) => () => launch(paged, names, 'past', dim(1), dim(1), [address, long(index)]);
  const hex = `0x${address.toString(16)}`;
  expect(at(1000)).toThrow(`0 bytes after the nearest allocation at ${hex} of 4000 bytes`);
  expect(at(999)).not.toThrow();
  expect(at(-(2 ** 33))).toThrow(
    /Invalid __global__ write of size 4 bytes by thread \(0,0,0\).*kernels\.cu:\d+\): address 0x[0-9a-f]+ is out of bounds/,
  );
  paged.free(address);
  expect(at(0)).toThrow(`is inside the allocation at ${hex} of 4000 bytes, which was freed`);
});
