/** Kernels that access page-locked memory of the host take the link's time: test/reference/h200/zero_copy.json, by its cases. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { record } from '../../../engine/recording/record.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { cacheFolder, newFolder } from '../cuda/program.ts';

const measured = new Map(
  readFileSync(new URL('../../reference/h200/zero_copy.json', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; us: { median: number } })
    .map(({ name, us }) => [name, us.median]),
);

const program = `#include <cuda_runtime.h>
__global__ void reads(const float4 *in, float *out, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += in[i].x + in[i].w;
  if (s == 1.25f) *out = s;
}
__global__ void writes(float4 *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = make_float4(1, 2, 3, 4);
}
__global__ void scattered(float *out, int n, int stride) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i * stride] = 1;
}
__global__ void own(float *x) { x[threadIdx.x] = 1; }
int main() {
  float *host, *device, *unused;
  cudaMalloc(&device, 1 << 20);
  cudaMallocHost(&unused, 1 << 20);
  cudaMemcpy(device, unused, 1 << 20, cudaMemcpyHostToDevice);
  own<<<1, 32>>>(device);
  cudaMallocHost(&host, 32 << 20);
  const int n = (1 << 20) / 16;
  reads<<<132, 256>>>((float4 *)host, device, n);
  reads<<<8, 256>>>((float4 *)host, device, n);
  writes<<<132, 256>>>((float4 *)host, n);
  scattered<<<1056, 256>>>(host, 1 << 20, 8);
  own<<<1, 32>>>(device);
  cudaDeviceSynchronize();
  return host[0] == 1 ? 0 : 1;
}`;

test('as long as on an H200', async () => {
  const folder = newFolder();
  const source = join(folder, 'app.cu');
  writeFileSync(source, program);
  const output = join(folder, 'app.simsight');
  const { exitCode } = await record({
    ...{ sources: [source], gpu: 'h200', includeFolders: [], defines: [], environment: [], arguments: [], output },
    ...{ recordingsFolder: folder, keepTrace: true, cacheFolder },
  });
  expect(exitCode).toBe(0);
  const trace = openTrace(output);
  const kernels = trace
    .query('SELECT end - start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start')
    .map(([time]) => Number(time));
  const sectors = trace.query(`SELECT m.kernel, n.value, m.value FROM SIMSIGHT_KERNEL_METRICS m
    JOIN StringIds n ON n.id = m.nameId WHERE n.value LIKE '%sysmem%' ORDER BY 1, 2`);
  trace.close();
  const [before, ...times] = kernels;
  const cases = ['read MB=1 blocks=132', 'read MB=1 blocks=8', 'write MB=1 blocks=132', 'write_4B stride=8'];
  // Between two events, which take 3.5 us with the starts.
  cases.forEach((name, i) =>
    expect(Math.abs((times[i]! / 1e3 + 3.5) / measured.get(name)! - 1), name).toBeLessThan(0.15),
  );
  // Pinned memory that is only copied has nothing to do with it, nor have kernels that do not access it.
  expect([before, times.at(-1)].every((time) => time! < 3e3)).toBe(true);
  const reads = 'lts__t_sectors_aperture_sysmem_op_read.sum';
  expect(sectors.filter(([, name]) => name === reads).map(([, , count]) => count)).toEqual([32768, 32768, 0, 0, 0]);
});
