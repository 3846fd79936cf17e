/** Options that change what kernels take of an SM: registers, carve-out, extra shared memory. */
import { beforeAll, expect, test } from 'vitest';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import type { KernelView } from '../../../engine/model/kernel-view.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import type { RecordCall } from '../../../engine/recording/types.ts';
import { registersAllowed } from '../../../engine/sm/occupancy.ts';
import { recorded } from './recorded.ts';

const program = `#include <cstdio>
#include <cuda_runtime.h>
constexpr int values = 48;
template <typename Out> __device__ void mix(const float *in, Out *out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x[values];
  for (int k = 0; k < values; k++) x[k] = in[i + k * 1024];
  for (int r = 0; r < rounds; r++)
    for (int k = 0; k < values; k++) x[k] = x[k] * x[(k + 7) % values] + 0.5f;
  float sum = 0;
  for (int k = 0; k < values; k++) sum += x[k];
  out[i] = sum;
}
__global__ void wide(const float *in, float *out, int rounds) { mix(in, out, rounds); }
__global__ void __launch_bounds__(128) bounded(const float *in, float *out, int rounds) { mix(in, out, rounds); }
__global__ void reread(const float *in, float *out) {
  extern __shared__ float unused[];
  float sum = 0;
  for (int r = 0; r < 8; r++)
    for (int k = threadIdx.x; k < 8192; k += blockDim.x) sum += in[blockIdx.x % 3 * 8192 + k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  cudaMemset(in, 0, 1 << 20);
  wide<<<264, 128>>>(in, out, 4);
  bounded<<<264, 128>>>(in, out, 4);
  cudaFuncSetAttribute(reread, cudaFuncAttributePreferredSharedMemoryCarveout, 50);
  reread<<<264, 128, 1024>>>(in, out);
  int blocks;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reread, 128, 1024);
  printf("%d\\n", blocks);
  return cudaDeviceSynchronize();
}
`;
async function kernelsWith(options: Partial<RecordCall>) {
  const { trace, ...result } = await recorded(program, { detail: 'counters', ...options });
  const rows = trace.query('SELECT rowid FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start').map(([row]) => Number(row));
  const views = rows.map((row) => kernelView(trace, row));
  const local = trace
    .query('SELECT localMemoryPerThread FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start')
    .map(([bytes]) => Number(bytes));
  const [output] = trace.console();
  const { notices } = trace.info;
  trace.close();
  const byName = Object.fromEntries(views.map((view) => [view.name, view])) as Record<
    'wide' | 'bounded' | 'reread',
    KernelView
  >;
  return { ...result, ...byName, notices, local, blocks: Number(output?.text) };
}
let plain: Awaited<ReturnType<typeof kernelsWith>>;
beforeAll(async () => (plain = await kernelsWith({})));
const spills = ({ instructions }: KernelView): number =>
  instructions.filter(({ opcode }) => /^(LDL|STL)/.test(opcode)).length;
const l1HitRate = ({ metrics }: KernelView): number =>
  metrics.find(({ metric }) => metric === 'l1tex__t_sector_hit_rate.pct')!.value;

test('fewer registers: what does not fit is spilled, and kernels with launch bounds keep theirs', async () => {
  const few = await kernelsWith({ maxRegisters: 32 });
  expect(plain.wide.resources.registersPerThread).toBeGreaterThan(48);
  expect(spills(plain.wide)).toBe(0);
  expect(few.wide.resources.registersPerThread).toBe(32);
  expect(spills(few.wide)).toBeGreaterThan(10);
  // In the order of the launches: the one without launch bounds is the first.
  expect(plain.local).toEqual([0, 0, 0]);
  expect(few.local[0]).toBeGreaterThanOrEqual(40);
  expect(few.local.slice(1)).toEqual([0, 0]);
  expect(few.wide.durationNs).toBeGreaterThan(plain.wide.durationNs);
  expect(few.wide.occupancy!.percent).toBeGreaterThan(plain.wide.occupancy!.percent);
  expect(few.bounded.resources).toEqual(plain.bounded.resources);
  expect(few.bounded.durationNs).toBe(plain.bounded.durationNs);
  expect(few.notices).toContain(
    'Kernels without __launch_bounds__ have at most 32 registers per thread as by nvcc -maxrregcount.',
  );
});

test('ptxas has a lower bound', () => {
  expect([8, 24, 25, 255].map((asked) => registersAllowed(asked, gpuById('a100')))).toEqual([24, 24, 25, 255]);
  expect(registersAllowed(255, gpuById('c2050'))).toBe(63);
});

test('a carve-out for all kernels, whatever they ask for: L1 is what it leaves', async () => {
  const forL1 = await kernelsWith({ carveout: 0 });
  const forShared = await kernelsWith({ carveout: 100 });
  // A block reads 32 KiB again and again, and 28 KiB are left; the program itself asks for half.
  for (const { reread } of [plain, forL1]) expect(l1HitRate(reread)).toBeGreaterThan(l1HitRate(forShared.reread));
  expect(forShared.reread.durationNs).toBeGreaterThan(2 * forL1.reread.durationNs);
  expect(forL1.notices).toContain('All kernels of the program prefer 0 % of the most shared memory over L1.');
});

test('extra shared memory: fewer blocks per SM, as the program is told as well', async () => {
  // With a reserved KiB in each block, three fit into 228 KiB.
  const three = await kernelsWith({ extraSharedBytes: 70 * 1024, carveout: 100 });
  expect(plain.blocks).toBeGreaterThan(4);
  expect(three.blocks).toBe(3);
  expect(three.reread.occupancy!.blocksPerSm).toBe(3);
  expect(three.reread.resources.dynamicSharedBytes).toBe(71 * 1024);
  expect(three.wide.resources.dynamicSharedBytes).toBe(70 * 1024);
  const none = await kernelsWith({ extraSharedBytes: 300 * 1024 });
  expect(none.uncheckedLaunch).toMatch(
    /The launch of wide.* failed with cudaErrorLaunchOutOfResources.*, as did 2 more/,
  );
  expect(plain.uncheckedLaunch).toBeNull();
});
