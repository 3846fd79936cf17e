/** Programs with more device memory than 4 GiB. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from './recorded.ts';

const programs = join(import.meta.dirname, '../../programs');

test('20 GB are allocated, partly used, copied and freed', async () => {
  const { exitCode, trace } = await recorded(`#include <cstdio>
#include <vector>
__global__ void mark(int *p, size_t n, size_t step) {
  size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * step;
  if (i < n) p[i] += (int)(i >> 20) + 1;
}
int main() {
  const size_t bytes = 20ull << 30, n = bytes / 4, step = n / 1024;
  size_t before, between, after, total;
  int *p, *other, *least;
  cudaMemGetInfo(&before, &total);
  if (cudaMalloc(&p, bytes) || cudaMalloc(&other, bytes) || cudaMalloc(&least, 4096)) return 1;
  cudaMemGetInfo(&between, &total);
  mark<<<4, 256>>>(p, n, step);
  cudaMemset(p + n / 2 + 1, 1, 1 << 20);
  mark<<<4, 256>>>(p, n, step);
  cudaMemcpy(other + 12345, p + n / 2 - 1000, 3 << 20, cudaMemcpyDeviceToDevice);
  std::vector<int> host((3 << 20) / 4);
  cudaMemcpy(host.data(), other + 12345, 3 << 20, cudaMemcpyDefault);
  if (host[0] != 0 || host[1000] != 2 * ((int)(n / 2 >> 20) + 1) || host[1001] != 0x01010101) return 2;
  cudaMemcpy(p + n - host.size(), host.data(), 3 << 20, cudaMemcpyHostToDevice);
  cudaMemcpy2D(host.data(), 4, p + n - host.size() + 1000, 1 << 12, 4, 100, cudaMemcpyDeviceToHost);
  if (host[0] != 2 * ((int)(n / 2 >> 20) + 1)) return 3;
  if (cudaMalloc(&least, 120ull << 30) != cudaErrorMemoryAllocation) return 4;
  if (cudaMemset((char *)p + bytes - 10, 0, 11) != cudaErrorInvalidValue) return 5;
  cudaGetLastError();
  if (cudaFree(p) || cudaFree(other)) return 6;
  cudaMemGetInfo(&after, &total);
  printf("%zu %zu\\n", before - between >> 20, before - after >> 20);
  return cudaDeviceSynchronize();
}`);
  const said = trace.query(`SELECT text FROM SIMSIGHT_CONSOLE`).flat().join('');
  trace.close();
  expect([exitCode, said]).toEqual([0, '40960 0\n']);
});

// Whatever a program allocates after these lies in pages.
const filled = `#include <cuda_runtime.h>
static int filled = [] { void *p; return (int)cudaMalloc(&p, 6ull << 30) + (int)cudaMalloc(&p, 700ull << 20); }();
`;
test.each(['ptx/bulk_copies', 'ptx/memory', 'tensor/wmma_half', 'memory/byte_access', 'atomics/scopes'])(
  '%s in pages',
  async (name) => {
    const text = readFileSync(join(programs, `${name}.cu`), 'utf8').replace('../check.h', 'check.h');
    const { exitCode, trace } = await recorded(filled + text, { includeFolders: [programs] });
    trace.close();
    expect(exitCode).toBe(0);
  },
);
