/** Kernels unrolled around many barriers: what lanes keep stays in the frame, fragments where they are multiplied. They do what loops do. */
import { beforeAll, describe, expect, it } from 'vitest';
import { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { compileModule, dim, download, launch, upload } from './cuda.ts';

const rounds = 24;
const source = `
#include <mma.h>
using namespace nvcuda::wmma;
#define ROUNDS ${rounds}
// With values that live over loops which lanes leave one by one.
__device__ __forceinline__ void step(float (&acc)[48], float *tile, const float *in, int s) {
  tile[threadIdx.x] = in[(s * 64 + threadIdx.x) % 1000];
  __syncthreads();
  for (int j = 0; j < 48; j++) acc[j] = acc[j] * 0.5f + tile[(threadIdx.x + j + s) % 64];
  if (threadIdx.x % 5 < 3) {
    float t = acc[7];
    int k = threadIdx.x % 9;
    while (k-- > 0) {
      t = t * 1.5f + acc[3];
      if (t > 40) break;
    }
    acc[5] += t * k;
    acc[9] = t;
  }
  __syncthreads();
}
__device__ __forceinline__ void begin(float (&acc)[48]) { for (int j = 0; j < 48; j++) acc[j] = j; }
__device__ __forceinline__ void finish(float (&acc)[48], float *out) {
  for (int j = 0; j < 48; j++) out[(blockIdx.x * 48 + j) * 64 + threadIdx.x] = acc[j];
}
__global__ void rolled(const float *in, float *out) {
  __shared__ float tile[64];
  float acc[48];
  begin(acc);
#pragma unroll 1
  for (int s = 0; s < ROUNDS; s++) step(acc, tile, in, s);
  finish(acc, out);
}
__global__ void unrolled(const float *in, float *out) {
  __shared__ float tile[64];
  float acc[48];
  begin(acc);
#pragma unroll
  for (int s = 0; s < ROUNDS; s++) step(acc, tile, in, s);
  finish(acc, out);
}
// Alone in its block: who reads it is no matrix instruction.
__global__ void moved(const unsigned *in, unsigned *out) {
  unsigned x = in[threadIdx.x], y;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
  out[threadIdx.x] = y + 1;
}
typedef fragment<matrix_a, 16, 16, 16, half, row_major> A;
typedef fragment<matrix_b, 16, 16, 16, half, col_major> B;
typedef fragment<accumulator, 16, 16, 16, float> C;
__device__ __forceinline__ void multiply(C (&c)[2][4], half *tile, const half *in, int s) {
  for (int i = threadIdx.x; i < 2048; i += 64) tile[i] = in[(s * 31 + i) % 3000];
  __syncthreads();
  A a[2];
  B b[4];
  for (int i = 0; i < 2; i++) load_matrix_sync(a[i], tile + 16 * i, 40);
  for (int j = 0; j < 4; j++) load_matrix_sync(b[j], tile + 800 + 8 * j, 72);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) mma_sync(c[i][j], a[i], b[j], c[i][j]);
  // A fragment is also an array.
  for (int i = 0; i < c[1][2].num_elements; i++) c[1][2].x[i] *= 0.75f;
  __syncthreads();
}
__device__ __forceinline__ void put(C (&c)[2][4], float *out) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++)
      store_matrix_sync(out + ((blockIdx.x * 2 + threadIdx.x / 32) * 8 + i * 4 + j) * 256, c[i][j], 16, mem_row_major);
}
__global__ void products_rolled(const half *in, float *out) {
  __shared__ half tile[2048];
  C c[2][4];
  for (int i = 0; i < 8; i++) fill_fragment(c[i / 4][i % 4], i);
#pragma unroll 1
  for (int s = 0; s < ROUNDS; s++) multiply(c, tile, in, s);
  put(c, out);
}
__global__ void products_unrolled(const half *in, float *out) {
  __shared__ half tile[2048];
  C c[2][4];
  for (int i = 0; i < 8; i++) fill_fragment(c[i / 4][i % 4], i);
#pragma unroll
  for (int s = 0; s < ROUNDS; s++) multiply(c, tile, in, s);
  put(c, out);
}
`;

let module: DeviceModule;
beforeAll(async () => {
  module = await compileModule(source);
}, 120_000);

const kernel = (name: string) => module.kernels.find((each) => each.name.includes(name))!;

describe('a kernel unrolled around its barriers', () => {
  it.each([
    ['rolled', 'unrolled', 48 * 64],
    ['products_rolled', 'products_unrolled', 2 * 8 * 256],
  ])('%s and %s', (rolled, unrolled, perBlock) => {
    const device = Device.create([module], { memoryBytes: 1 << 28, threads: 1 });
    const names = module.kernels.map(({ name }) => name);
    const blocks = 5;
    const input =
      perBlock === 48 * 64
        ? Float32Array.from({ length: 1000 }, (_, i) => ((i * 37) % 101) / 10)
        : Uint16Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? 0xb800 : 0x3400) + ((i * 37) % 1024));
    const results = [rolled, unrolled].map((name) => {
      const [a, b] = [upload(device, input), upload(device, new Float32Array(blocks * perBlock))];
      launch(device, names, name, dim(blocks), dim(64), [a, b]);
      return new Uint32Array(download(device, b, new Float32Array(blocks * perBlock)).buffer);
    });
    expect(results[1]).toEqual(results[0]);
    expect(new Set(results[0]).size).toBeGreaterThan(100);
  });

  it('a fragment whose only readers are others is loaded for them', () => {
    const device = Device.create([module], { memoryBytes: 1 << 28, threads: 1 });
    const names = module.kernels.map(({ name }) => name);
    const words = Uint32Array.from({ length: 32 }, (_, i) => (2 * i) | ((2 * i + 1) << 16));
    const [a, b] = [upload(device, words), upload(device, new Uint32Array(32))];
    launch(device, names, 'moved', dim(1), dim(32), [a, b]);
    // Element c of row r was 8 r + c; a word has two.
    const at = (row: number, column: number): number => 8 * column + row;
    expect([...download(device, b, new Uint32Array(32))]).toEqual(
      Array.from({ length: 32 }, (_, i) => {
        const [row, column] = [i >> 2, 2 * (i & 3)];
        return (at(row, column) | (at(row, column + 1) << 16)) + 1;
      }),
    );
  });

  it('the unrolled ones are what this is about: many barriers, and a unit above the size that is compiled in two steps', () => {
    for (const name of ['products_unrolled', '8unrolled'])
      expect(kernel(name).blocks.filter(({ barriers }) => barriers > 0).length).toBeGreaterThanOrEqual(2 * rounds);
    expect(Math.max(...module.units.map(({ llvmIr }) => llvmIr.length))).toBeGreaterThan(250_000);
  });
});
