/**
 * Kernels of the H200 reference as they stand there, with the grids they were measured with: what a kernel's page shows, against what
 * Nsight Compute counted.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import cases from '../../reference/h200/cases.json' with { type: 'json' };
import { recorded } from './recorded.ts';

const source = (name: string, from: string, to: string): string => {
  const text = readFileSync(new URL(`../../reference/h200/cuda/${name}.cu`, import.meta.url), 'utf8');
  const start = text.indexOf(from);
  return text.slice(start, text.indexOf(to, start));
};
const program = `#include <cuda_runtime.h>
${source('b_mem', 'template <int W>\n__global__ void tr_tile', '__global__ void tr_swizzle')}
${source('b_gemm', 'template <int T>\n__global__ void sgemm_tile', '__global__ void gemm_ref64')}
${source('b_reduce_pipeline', '__device__ __forceinline__ float warp_sum', '__global__ void red_shuffle')}
${source('b_reduce_pipeline', '__global__ void red_gridstride(', '__global__ void red_gridstride4')}
${source('a_mem', 'template <int MINB>\n__global__ void __launch_bounds__(256, MINB) spilly', '// ---')}
__global__ void local_array(int *out, int step) {
  volatile int words[4];
#pragma unroll 1
  for (int k = 0; k < 8; k++) words[k * step & 3] = k;
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 8; k++) sum += words[k * step & 3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main() {
  float *a, *b, *c;
  const size_t n = 1 << 24;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&c, 1 << 22);
  tr_tile<32><<<dim3(64, 64), dim3(32, 8)>>>(a, b, 2048);
  tr_tile<33><<<dim3(64, 64), dim3(32, 8)>>>(a, b, 2048);
  sgemm_tile<32><<<dim3(32, 32), dim3(32, 32)>>>(1024, a, b, c);
  sgemm_reg<64, 64, 16, 4, 4, 1><<<dim3(16, 16), dim3(256)>>>(1024, a, b, c);
  red_gridstride<<<1056, 256>>>(a, (size_t)1 << 24, c);
  spilly<5><<<1056, 256>>>(a, b, 16);
  spilly<6><<<1056, 256>>>(a, b, 16);
  spilly<8><<<1056, 256>>>(a, b, 16);
  local_array<<<1, 128>>>((int *)c, 1);
  return cudaDeviceSynchronize();
}`;

type Counters = Readonly<Record<string, number>>;
/** Measured counters by mangled name, for the size that is launched above. */
const counted = (kernel: string, variant: string, size?: Record<string, number>): Counters => {
  const found = cases.find(
    (each) =>
      each.variant === variant &&
      Object.entries(size ?? {}).every(([name, value]) => (each.params as Record<string, unknown>)[name] === value) &&
      each.kernels.some((one) => one.kernel === kernel),
  );
  return found!.kernels.find((one) => one.kernel === kernel)!.metrics as unknown as Counters;
};

const own = new Map<string, Counters>();
beforeAll(async () => {
  const { trace } = await recorded(program);
  for (const [row, name] of trace.query(
    'SELECT k.rowid, s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.mangledName',
  )) {
    const { metrics } = kernelView(trace, Number(row));
    own.set(String(name), Object.fromEntries(metrics.map(({ metric, value }) => [metric, value])));
  }
  trace.close();
});

const kernels = {
  transpose: ['_Z7tr_tileILi32EEvPKfPfi', 'tile32x32_conflicts', { n: 2048 }],
  padded: ['_Z7tr_tileILi33EEvPKfPfi', 'tile32x33_padded', { n: 2048 }],
  tile: ['_Z10sgemm_tileILi32EEviPKfS1_Pf', 'tile32', { M: 1024 }],
  registers: ['_Z9sgemm_regILi64ELi64ELi16ELi4ELi4ELi1EEviPKfS1_Pf', 'reg64x64_4x4', { M: 1024 }],
  reduction: ['_Z14red_gridstridePKfmPf', 'gridstride_shuffle', { n: 16_777_216 }],
  spills5: ['_Z6spillyILi5EEvPKfPfi', 'min_blocks_5', {}],
  spills6: ['_Z6spillyILi6EEvPKfPfi', 'min_blocks_6', {}],
  spills8: ['_Z6spillyILi8EEvPKfPfi', 'min_blocks_8', {}],
} as const;
type Name = keyof typeof kernels;
const names = Object.keys(kernels) as Name[];
const pair = (name: Name): { ours: Counters; theirs: Counters } => {
  const [kernel, variant, size] = kernels[name];
  return { ours: own.get(kernel)!, theirs: counted(kernel, variant, size) };
};
/** How far ours is off, as a part of theirs. */
const off = ({ ours, theirs }: ReturnType<typeof pair>, metric: string): number => ours[metric]! / theirs[metric]! - 1;
const within = (name: Name, metric: string, part: number): void =>
  expect(Math.abs(off(pair(name), metric)), `${name} ${metric}`).toBeLessThanOrEqual(part);

describe('exact: what the program asks for', () => {
  const global = ['requests', 'sectors'].map((what) => `l1tex__t_${what}_pipe_lsu_mem_global_op_ld.sum`);
  test.each(names)('loads of global memory: %s', (name) => {
    const { ours, theirs } = pair(name);
    for (const metric of global) expect(ours[metric], metric).toBe(theirs[metric]);
  });
  test.each(['transpose', 'padded', 'tile', 'registers'] as const)('accesses to shared memory: %s', (name) => {
    const { ours, theirs } = pair(name);
    for (const op of ['ld', 'st']) {
      const metric = `smsp__inst_executed_op_shared_${op}.sum`;
      expect(ours[metric], metric).toBe(theirs[metric]);
    }
  });
});

describe('bank conflicts', () => {
  const wavefronts = (op: string): string => `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_${op}.sum`;
  const conflicts = (op: string): string => `l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_${op}.sum`;
  test.each(['transpose', 'padded', 'tile', 'registers'] as const)(
    'exact: wavefronts that are none, of accesses of all widths: %s',
    (name) => {
      const { ours, theirs } = pair(name);
      const ideal = (of: Counters, op: string): number => of[wavefronts(op)]! - (of[conflicts(op)] ?? 0);
      for (const op of ['ld', 'st']) expect(ideal(ours, op), op).toBe(ideal(theirs, op));
    },
  );
  test('128-bit loads without conflicts have none, though they take four wavefronts', () => {
    const { ours, theirs } = pair('registers');
    expect(theirs[conflicts('ld')]).toBe(4);
    expect(ours[conflicts('ld')]).toBe(0);
    expect(off(pair('registers'), wavefronts('ld'))).toBeCloseTo(0, 5);
  });
  test('where there are some, Nsight Compute also counts what accesses of other kinds get in their way', () => {
    for (const [name, op] of [
      ['transpose', 'ld'],
      ['registers', 'st'],
    ] as const) {
      const { ours, theirs } = pair(name);
      expect(ours[conflicts(op)], name).toBeLessThan(theirs[conflicts(op)]!);
      within(name, conflicts(op), 0.1);
    }
  });
});

test('spills: as much as ptxas moves, though not the same registers', () => {
  const moved = (of: Counters): number =>
    ['ld', 'st'].reduce((sum, op) => sum + of[`l1tex__t_sectors_pipe_lsu_mem_local_op_${op}.sum`]!, 0);
  const ratios = (['spills5', 'spills6', 'spills8'] as const).map((name) => {
    const { ours, theirs } = pair(name);
    return moved(ours) / moved(theirs);
  });
  // The fewer registers, the less is there to choose: half as much again with 48, a sixth with 40 and 32.
  for (const [i, most] of [1.5, 1.17, 1.17].entries()) {
    expect(ratios[i]).toBeGreaterThan(1 / most);
    expect(ratios[i]).toBeLessThan(most);
  }
  for (const op of ['ld', 'st'])
    expect(own.get(kernels.transpose[0])).not.toHaveProperty([`l1tex__t_sectors_pipe_lsu_mem_local_op_${op}.sum`]);
});

describe('L1 and L2 have local memory', () => {
  const local = (of: Counters, op: string): number => of[`l1tex__t_sectors_pipe_lsu_mem_local_op_${op}.sum`] ?? 0;
  const spills = ['spills5', 'spills6', 'spills8'] as const;
  test.each(spills)('L2 is off by no more than what is stored, all of which goes there: %s', (name) => {
    const { ours, theirs } = pair(name);
    // On hardware as well: half of what is stored is looked up in both halves of L2.
    const stored = local(theirs, 'st') + theirs['l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum']!;
    expect(theirs['lts__t_sectors_op_write.sum']! / (1.5 * stored)).toBeCloseTo(1, 2);
    const offStored = Math.abs(local(ours, 'st') / local(theirs, 'st') - 1);
    within(name, 'lts__t_sectors.sum', Math.max(0.02, offStored));
    within(name, 'lts__t_sector_hit_rate.pct', 0.03);
  });
  // With 8 blocks, an H200 finds less of what it stores in L1 (MODEL.md).
  test.each(['spills5', 'spills6'] as const)('hits in L1: %s', (name) =>
    within(name, 'l1tex__t_sector_hit_rate.pct', 0.15),
  );
  test('an array of each thread: loads find what was stored, and its stores reach L2', () => {
    const counters = own.get('_Z11local_arrayPii')!;
    // 4 words of 4 warps, loaded and stored twice; each is a line. The result is one more.
    const [warps, line, words] = [4, 4, 4];
    expect(local(counters, 'st')).toBe(2 * warps * words * line);
    expect(local(counters, 'ld')).toBe(2 * warps * words * line);
    const all = 4 * warps * words * line + warps * line;
    const hits = 3 * warps * words * line;
    expect(counters['l1tex__t_sector_hit_rate.pct']).toBeCloseTo((100 * hits) / all, 6);
    expect(counters['lts__t_sectors.sum']).toBe(1.5 * (2 * warps * words * line + warps * line));
  });
});

describe('within the errors of the model', () => {
  // instructions_largest_abs_error of the reference, test/fidelity/subset.ts.
  test.each(names)('instructions: %s', (name) => within(name, 'smsp__inst_executed.sum', 0.15));
  // Nsight Compute empties the caches first; that makes the padded transpose, which finds all of its input in L2 here, another kernel.
  const alike = names.filter((name) => name !== 'padded');
  test.each(alike)('active warps: %s', (name) =>
    within(name, 'sm__warps_active.avg.pct_of_peak_sustained_active', 0.1),
  );
  // Instructions over time, with an error of both.
  test.each(['transpose', 'tile'] as const)('issue slots, and what warps mostly wait for: %s', (name) => {
    within(name, 'smsp__issue_active.avg.pct_of_peak_sustained_active', 0.15);
    // Stores hold the pipe as l1_fills.json says: the transpose's time is nearer with that (-3.7 to 2.3 %), and this farther (0.15 before).
    within(name, 'smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio', 0.2);
  });
  test('pipes and L2 of the transpose', () => {
    within('transpose', 'sm__inst_executed_pipe_alu.sum', 0.15);
    within('transpose', 'lts__t_sectors.sum', 0.15);
  });
  test.each(['transpose', 'tile', 'reduction', 'spills5', 'spills6', 'spills8'] as const)(
    'the state that warps are in most is the same: %s',
    (name) => {
      const most = (of: Counters): string =>
        Object.entries(of)
          .filter(([metric]) => metric.startsWith('smsp__average_warps_issue_stalled_'))
          .reduce((a, b) => (b[1] > a[1] ? b : a))[0];
      const { ours, theirs } = pair(name);
      expect(most(ours)).toBe(most(theirs));
    },
  );
  test('tiles in registers wait for memory about as measured', () => {
    within('registers', 'smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio', 0.1);
    within('registers', 'smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio', 0.2);
  });
});
