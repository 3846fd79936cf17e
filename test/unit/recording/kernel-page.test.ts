/** What a kernel's page says of kernels whose weakness is known. */
import { beforeAll, describe, expect, test } from 'vitest';
import { kernelAccesses } from '../../../engine/analysis/kernel-accesses.ts';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import type { KernelAccesses, KernelView } from '../../../engine/api/types.ts';
import { verdictOf } from '../../../renderer/src/kernel/verdict.ts';
import { recorded } from './recorded.ts';

const program = `#include <cuda_runtime.h>
__global__ void counted(const int *keys, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[keys[i] & 255], 1);
}
__global__ void scaled(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0f * in[i];
}
int main() {
  const int n = 200003;
  int *keys, *counts;
  float *in, *out;
  cudaMalloc(&keys, n * 4);
  cudaMalloc(&counts, 1024);
  cudaMalloc(&in, n * 4);
  cudaMalloc(&out, n * 4);
  cudaMemset(keys, 0, n * 4);
  counted<<<(n + 255) / 256, 256>>>(keys, counts, n);
  scaled<<<(n + 255) / 256, 256>>>(in, out, n);
  return cudaDeviceSynchronize();
}`;

const views = new Map<string, KernelView>();
const accesses = new Map<string, KernelAccesses>();
beforeAll(async () => {
  const { trace } = await recorded(program);
  for (const [row, name] of trace.query(
    'SELECT k.rowid, s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName',
  )) {
    views.set(String(name), kernelView(trace, Number(row)));
    accesses.set(String(name), kernelAccesses(trace, Number(row), null));
  }
  trace.close();
}, 120_000);

describe('atomics on one address', () => {
  test('are what the kernel waits for, not its data', () => {
    const view = views.get('counted')!;
    // What a warp does is done long before L2 is: 200,003 additions one after the other.
    expect(view.heldUp).toMatchObject({ by: 'atomics-on-one-place' });
    expect(view.heldUp!.percent).toBeGreaterThan(90);
    expect(view.coveredPercent! + view.heldUp!.percent).toBeCloseTo(100, 6);
    expect(verdictOf(view)).toMatch(/^9\d\.\d % of the time is atomics on one address/);
    expect(verdictOf(views.get('scaled')!)).toMatch(/peak/);
    expect(views.get('scaled')).toMatchObject({ heldUp: null, coveredPercent: 100 });
  });
  test('cost a sector for each lane, and are no broadcast', () => {
    const atomic = accesses.get('counted')!.accesses.find(({ kind }) => kind === 'atomic')!;
    const full = atomic.samples.find(({ lanes }) => lanes === 0xffff_ffff)!;
    expect(full.global).toMatchObject({ pattern: 'same address', sectors: 32, idealSectors: 1 });
    expect(atomic.sectors).toBe(200_003);
  });
});
