/** How much of the GPU kernels had: charts of the device against what the launches say. */
import { expect, test } from 'vitest';
import type { Trace } from '../../../engine/trace/reader.ts';
import { recorded } from './recorded.ts';

/** On 132 SMs: half of them; all of them, then half; 16 blocks of 1 warp. The second kernel's shared memory lets an SM hold 2 blocks. */
const program = `#include <cuda_runtime.h>
__global__ void spin(float *to, int rounds) {
  extern __shared__ float own[];
  float value = threadIdx.x;
  for (int i = 0; i < rounds; ++i) value = value * 0.999f + 1.0f;
  own[threadIdx.x] = value;
  to[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x];
}
int main() {
  float *to;
  cudaMalloc(&to, 1 << 22);
  cudaFuncSetAttribute(spin, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
  spin<<<66, 256, 1024>>>(to, 4000);
  cudaDeviceSynchronize();
  spin<<<132 * 2 + 66, 256, 100 << 10>>>(to, 4000);
  cudaDeviceSynchronize();
  spin<<<16, 32, 1024>>>(to, 4000);
  cudaDeviceSynchronize();
}`;

/** Mean of a chart over a kernel, in its unit. */
function meanOver(trace: Trace, title: string, kernel: number, resolution: number): number {
  const track = trace.info.tracks.find((each) => each.title === title)!;
  const [times] = trace.query('SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = ?', kernel);
  const [start, end] = times!.map(Number) as [number, number];
  // A kernel begins 300 ns before its first blocks and ends as long after the last.
  const { count, starts, durations, busy } = trace.window([track.id], start, end, resolution)[0]!;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const shared = Math.min(end, starts[i]! + durations[i]!) - Math.max(start, starts[i]!);
    if (shared > 0) sum += shared * busy[i]! * track.chart!.most;
  }
  return sum / (end - start - 600);
}

test('SMs active and occupancy of a device are those of the launches', async () => {
  const { trace } = await recorded(program);
  try {
    const percent = (title: string): number[] => [1, 2, 3].map((kernel) => meanOver(trace, title, kernel, 0));
    const [half, tail, few] = percent('SMs active');
    expect(half).toBeCloseTo(50, 0);
    expect(tail).toBeCloseTo(75, 0);
    expect(few).toBeCloseTo((100 * 16) / 132, 0);
    const slots = 132 * 64;
    const [eight, waves, one] = percent('Occupancy');
    expect(eight).toBeCloseTo((100 * 66 * 8) / slots, 1);
    expect(waves).toBeCloseTo((100 * 330 * 8) / 2 / slots, 1);
    expect(one).toBeCloseTo((100 * 16) / slots, 1);
    // From afar all of it is there as well.
    const { durationNs } = trace.info;
    const track = trace.info.tracks.find(({ title }) => title === 'SMs active')!;
    const areaAt = (resolution: number): number => {
      const { count, durations, busy } = trace.window([track.id], 0, durationNs, resolution)[0]!;
      return Array.from({ length: count }, (_, i) => durations[i]! * busy[i]!).reduce((a, b) => a + b, 0);
    };
    expect(areaAt(durationNs / 50) / areaAt(0)).toBeCloseTo(1, 2);
    // They belong to the device, and say what they are.
    const gpu = trace.info.tracks.find(({ kind }) => kind === 'gpu')!;
    for (const title of ['SMs active', 'Occupancy', 'Issue slots busy']) {
      const row = trace.info.tracks.find((each) => each.title === title)!;
      expect(row.parent).toBe(gpu.id);
      expect(row.about).toBeTruthy();
    }
    expect(track.subtitle).toBe('of 132 SMs');
  } finally {
    trace.close();
  }
});
