/** nvcc's options of floating point: what they make of results and instructions. */
import { expect, test } from 'vitest';
import type { RecordCall } from '../../../engine/recording/types.ts';
import { metricsOf, recorded } from './recorded.ts';

const program = `#include <cstdio>
__global__ void subnormal(const float *in, float *out) {
  out[0] = in[0] * in[1];
  out[1] = in[2] + in[2];
  out[2] = in[0] * in[1] + in[2];
  out[3] = fmaf(in[0], in[1], in[2]);
}
__global__ void quotients(const float *in, float *out) { out[0] = in[3] / in[4]; }
__global__ void roots(const float *in, float *out) { out[0] = sqrtf(in[3]); }
__global__ void sines(const float *in, float *out) { out[0] = sinf(in[3]); }
__global__ void products(const float *in, float *out) { out[0] = in[3] * in[4] + in[5]; }
int main() {
  const float values[] = {1e-30f, 1e-10f, 1e-40f, 1.0f + 0x1p-12f, 1.0f + 0x1p-12f, -1.0f};
  float *in, *out;
  cudaMallocManaged(&in, sizeof values);
  cudaMallocManaged(&out, 64);
  for (int i = 0; i < 6; i++) in[i] = values[i];
  subnormal<<<1, 1>>>(in, out);
  cudaDeviceSynchronize();
  printf("%d%d%d%d ", out[0] == 0, out[1] == 0, out[2] == 0, out[3] == 0);
  quotients<<<1, 1>>>(in, out);
  roots<<<1, 1>>>(in, out);
  sines<<<1, 1>>>(in, out);
  products<<<1, 1>>>(in, out);
  cudaDeviceSynchronize();
  printf("%a\\n", out[0]);
}`;

/** What it prints, and the instructions that each of its kernels executes. */
async function run(options: Partial<RecordCall>): Promise<{ said: string; counts: number[] }> {
  const { trace } = await recorded(program, options);
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trim();
  const counts = metricsOf(trace, 'smsp__inst_executed.sum');
  trace.close();
  return { said, counts };
}

test('each option changes what it is for, and fast math all of it', { timeout: 300_000 }, async () => {
  // (1 + 2^-12)² - 1, exact and with the product rounded before.
  const [fused, rounded] = ['0x1.0008p-11', '0x1p-11'];
  const usual = await run({});
  expect(usual.said).toBe(`0000 ${fused}`);
  expect((await run({ ftz: 'true' })).said).toBe(`1111 ${fused}`);
  const [, division, root, sine, product] = usual.counts as [number, number, number, number, number];
  const separate = await run({ fmad: 'false' });
  expect(separate.said).toBe(`0000 ${rounded}`);
  expect(separate.counts[4]).toBe(product + 1);
  const divided = await run({ precDiv: 'false' });
  expect(divided.counts[1]).toBeLessThan(division);
  expect(divided.counts.slice(2)).toEqual([root, sine, product]);
  expect((await run({ precSqrt: 'false' })).counts[2]).toBeLessThan(root);
  const fast = await run({ fastMath: true });
  expect(fast.said).toBe(`1111 ${fused}`);
  fast.counts.slice(1, 4).forEach((count, i) => expect(count).toBeLessThan(usual.counts[i + 1]!));
});
