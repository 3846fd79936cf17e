/**
 * Time that functional execution takes for a request of a warp, by how its lanes lie: `node build/run.mjs ./test/bench/requests.ts
 * [WORD…] [--json FILE]`. Medians over repeated launches, the loop around the request included, on one core with the caches of an H200.
 */
import { writeFileSync } from 'node:fs';
import { releaseCompiler } from '../../engine/compile/clang.ts';
import { Device } from '../../engine/warp/device.ts';
import { compileModule, dim, launch, upload } from '../unit/warp/cuda.ts';
import { median } from './median.ts';

/** In a loop over `k`; `t` numbers threads, `lane` those of a warp; `mask` is the number of elements less one. */
const global: Record<string, string> = {
  nothing: 's += k;',
  row: 's += in[(k * 32 + t) & mask];',
  row_that_is_new: 's += in[(k * threads + t) & mask];',
  row_not_aligned: 's += in[(k * 32 + t + 1) & mask];',
  row_of_doubles: 's += ((const double *)in)[(k * 32 + t) & mask / 2];',
  row_of_vectors: '{ float4 v = ((const float4 *)in)[(k * 32 + t) & mask / 4]; s += v.x + v.y + v.z + v.w; }',
  row_without_some: 'if (lane < 29) s += in[(k * 32 + t) & mask];',
  every_other_of_row: 'if (lane & 1) s += in[(k * 32 + t) & mask];',
  one_address: 's += in[(k + blockIdx.x * 4096) & mask];',
  one_address_of_warp: 's += in[(k + threadIdx.x / 32 * 512) & mask];',
  two_rows_of_16: 's += in[(k + threadIdx.x / 16 * 512 + threadIdx.x % 16) & mask];',
  stride_2: 's += in[(k * 64 + t * 2) & mask];',
  stride_32: 's += in[(k + t * 32) & mask];',
  gather_near: 's += in[(k * 7 + lane * lane * 37 + t) & 2047];',
  gather_far: 's += in[((k * 64 + t) * 2654435761u >> 7) & mask];',
  store_row: 'out[(k * 32 + t) & mask] = k;',
  store_row_that_is_new: 'out[(k * threads + t) & mask] = k;',
  store_row_without_some: 'if (lane < 29) out[(k * 32 + t) & mask] = k;',
  store_stride_32: 'out[(k + t * 32) & mask] = k;',
  scatter: 'out[((k * 64 + t) * 2654435761u >> 7) & mask] = k;',
  atomics_apart: 'atomicAdd((int *)out + (((k * 64 + t) * 2654435761u >> 7) & mask), 1);',
  constants_apart: 's += table[(k * 131 + lane * 57) % 1000];',
};
const shared: Record<string, string> = {
  shared_row: 's += tile[(k * 32 + threadIdx.x) & 1023];',
  shared_row_without_some: 'if (lane < 29) s += tile[(k * 32 + threadIdx.x) & 1023];',
  shared_one_address: 's += tile[(k + threadIdx.x / 32 * 32) & 1023];',
  shared_stride_2: 's += tile[(k + threadIdx.x * 2) & 1023];',
  // Half warps on one row of doubles; vectors of a thread's part of a product, as 16 x 16 and as 4 x 8 threads have them.
  shared_rows_of_doubles: 's += ((double *)tile)[(k * 16 + lane % 16) & 511];',
  shared_vectors_of_16: '{ float4 v = ((float4 *)tile)[(k * 32 + lane % 16 * 2) & 255]; s += v.x + v.y + v.z + v.w; }',
  shared_vectors_of_4: '{ float4 v = ((float4 *)tile)[(k * 32 + lane / 8 * 2) & 255]; s += v.x + v.y + v.z + v.w; }',
  shared_gather: 's += tile[(k * 7 + lane * lane * 37) & 1023];',
  shared_atomics: 'atomicAdd((int *)tile + ((k * 7 + lane * lane * 37) & 1023), 1);',
};
const local: Record<string, string> = {
  local_one_place: 's += own[k * 131 % 64];',
  local_apart: 's += own[(k * 131 + lane * 57) % 64];',
};
const blocks = 64;
const threads = 256;
const count = 128;
const elements = 1 << 22;

const kernel = (name: string, before: string, statement: string): string => `
__global__ void ${name}(float *out, const float *in, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const unsigned mask = ${elements - 1}, threads = ${blocks * threads};
  float s = 0;
  ${before}
  #pragma unroll 1
  for (unsigned k = 0; k < (unsigned)n; k++) { ${statement} }
  if (s == 12345.678f) out[t] = s + mask + threads + lane;
}`;
const kernels = [
  ...Object.entries(global).map(([name, statement]) => kernel(name, '', statement)),
  ...Object.entries(shared).map(([name, statement]) =>
    kernel(name, '__shared__ float tile[1024]; tile[threadIdx.x] = lane; __syncthreads();', statement),
  ),
  ...Object.entries(local).map(([name, statement]) =>
    kernel(name, 'int own[64]; for (int i = 0; i < 64; i++) own[i] = i * n;', statement),
  ),
];
const words = process.argv.slice(2);
const json = words.indexOf('--json');
const file = json < 0 ? null : (words.splice(json, 2)[1] ?? 'requests.json');

const module = await compileModule(`__constant__ float table[1000];${kernels.join('')}`);
releaseCompiler();
const device = Device.create([module], { memoryBytes: 1 << 30, threads: 1, executeAll: true });
const names = module.kernels.map(({ name }) => name);
const input = upload(
  device,
  Float32Array.from({ length: elements }, (_, i) => i & 255),
);
const output = upload(device, new Float32Array(elements));
const h200 = { smCount: 132, l1Bytes: 200 << 10, l2Bytes: 50 << 20, l2Halves: 2, blocksPerSm: 8 } as const;
const result: Record<string, number> = {};
for (const name of Object.keys({ ...global, ...shared, ...local })) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
  const run = () => launch(device, names, name, dim(blocks), dim(threads), [output, input, count], 0, h200);
  // V8 has optimized them then.
  for (let i = 0; i < 3; i++) run();
  const times: number[] = [];
  for (const begin = performance.now(); times.length < 5 || performance.now() - begin < 300;) {
    const before = performance.now();
    run();
    times.push(performance.now() - before);
  }
  result[name] = (median(times) * 1e6) / (count * blocks * (threads / 32));
  console.log(`${name.padEnd(24)} ${result[name].toFixed(1).padStart(8)} ns`);
}
if (file !== null) writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
