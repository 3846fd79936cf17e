/** Kernel pages of kernels whose weakness is known. */
import { beforeAll, describe, expect, test } from 'vitest';
import { kernelAccesses } from '../../../engine/analysis/kernel-accesses.ts';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import type { KernelAccesses } from '../../../engine/model/kernel-accesses.ts';
import type { KernelView } from '../../../engine/model/kernel-view.ts';
import { partialWarps } from '../../../renderer/src/kernel/divergence.ts';
import { verdictOf } from '../../../renderer/src/kernel/verdict.ts';
import { recorded } from './recorded.ts';

const program = `#include <cuda_runtime.h>
#include <cuda_fp16.h>
__global__ void counted(const int *keys, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[keys[i] & 255], 1);
}
__global__ void scaled(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0f * in[i];
}
__global__ void reversed(double *out) {
  __shared__ double tile[256];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}
__global__ void permuted(float *out) {
  float own[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 64; k++) own[(k * 7 + i) & 63] = k * 1.5f + i;
  float sum = 0;
  for (int k = 0; k < 64; k++) sum += own[(k * i) & 63];
  out[i] = sum;
}
__global__ void narrow(const unsigned char *bytes, const __half *halves, unsigned char *outBytes, __half *outHalves, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char byte = bytes[i];
  unsigned char apart = bytes[i * stride];
  __half half = halves[i];
  outBytes[i] = byte + apart;
  outHalves[i] = __hadd(half, half);
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
  reversed<<<200, 256>>>((double *)in);
  permuted<<<200, 256>>>(out);
  narrow<<<64, 256>>>((unsigned char *)in, (__half *)in, (unsigned char *)out, (__half *)keys, 8);
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
});

test('of accesses of 8 and 16 bits, ideal sectors are those that their bytes fill', () => {
  const { lines, sources } = views.get('narrow')!;
  const at = (text: string): KernelView['lines'][number] => {
    const line = sources[0]!.text.split('\n').findIndex((each) => each.includes(text)) + 1;
    return lines.find((each) => each.line === line)!;
  };
  const warps = (64 * 256) / 32;
  const sectors = (text: string): [number, number] => [at(text).sectors, at(text).idealSectors];
  expect(sectors('byte = bytes[i]')).toEqual([warps, warps]);
  expect(sectors('apart = bytes[i * stride]')).toEqual([8 * warps, warps]);
  expect(sectors('half = halves[i]')).toEqual([2 * warps, 2 * warps]);
  expect(sectors('outBytes[i] = byte')).toEqual([warps, warps]);
  expect(sectors('outHalves[i] =')).toEqual([2 * warps, 2 * warps]);
});

describe('atomics on one address', () => {
  test('are what the kernel waits for, not its data', () => {
    const view = views.get('counted')!;
    // Warps finish long before L2 does: 200,003 additions one after the other.
    expect(view.heldUp).toMatchObject({ by: 'atomics-on-one-place' });
    expect(view.heldUp!.percent).toBeGreaterThan(90);
    expect(view.coveredPercent! + view.heldUp!.percent).toBeCloseTo(100, 6);
    expect(verdictOf(view)).toMatch(/^9\d\.\d % of the time is limited by atomics on one address/);
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

test('the ragged end of a grid is one warp of all', () => {
  const { instructions } = views.get('scaled')!;
  const store = instructions.find(({ opcode }) => opcode === 'STG')!;
  // 6,251 warps have something to do, the last for three lanes.
  expect(store).toMatchObject({ partial: expect.closeTo(store.executed - 6250, 6) as number, threadsOn: 200_003 });
  expect(partialWarps(instructions)!.timeShare).toBeLessThan(0.01);
});

test('two wavefronts for 64 bits are no conflict', () => {
  const { instructions, metrics } = views.get('reversed')!;
  const load = instructions.find(({ opcode }) => opcode === 'LDS.64')!;
  expect(load).toMatchObject({ executed: 1600, wavefronts: 3200, idealWavefronts: 3200 });
  const conflicts = metrics.filter(({ metric }) => metric.startsWith('l1tex__data_bank_conflicts'));
  expect(conflicts.map(({ value }) => value)).toEqual([0, 0, 0]);
});

test('variables in local memory: what they cost, and where lanes lie', () => {
  const { metrics, roofline } = views.get('permuted')!;
  const sectors = (what: string): number =>
    metrics.find(({ metric }) => metric === `l1tex__t_sectors_pipe_lsu_mem_local_op_${what}.sum`)!.value;
  const own = accesses.get('permuted')!.accesses.filter(({ opcode }) => /^(LDL|STL)/.test(opcode));
  expect(own.reduce((sum, { sectors }) => sum + sectors, 0)).toBe(sectors('ld') + sectors('st'));
  // 64 stores of every warp, each lane to another word: eight sectors for eight lanes.
  expect(sectors('st')).toBe(1600 * 64 * 32);
  for (const { samples } of own) {
    expect(samples.length).toBeGreaterThan(0);
    for (const { space, lanes } of samples) expect({ space, lanes }).toEqual({ space: 'local', lanes: 0xffff_ffff });
  }
  expect(own.find(({ kind }) => kind === 'store')!.samples[0]!.global!.sectors).toBe(32);
  expect(roofline!.traffic.find(({ level }) => level === 'L1')!.bytes).toBeGreaterThan(32 * sectors('st'));
});

test('atomics without results are reductions, as Nsight Compute counts them', () => {
  const { metrics } = views.get('counted')!;
  const of = (op: string): number =>
    metrics.find(({ metric }) => metric === `l1tex__t_sectors_pipe_lsu_mem_global_op_${op}.sum`)!.value;
  expect([of('red'), of('atom')]).toEqual([200_003, 0]);
});

test('what comes from headers belongs to the line that uses it, and constants to their first reader', () => {
  for (const [name, { lines, instructions }] of views) {
    for (const { file } of lines) expect([null, 'app.cu']).toContain(file?.split('/').at(-1) ?? null);
    for (const { opcode, line } of instructions)
      if (/^(S2R|U?LDC)/.test(opcode)) expect({ name, opcode, line }).not.toMatchObject({ line: null });
  }
  const atomic = views.get('counted')!.instructions.find(({ opcode }) => opcode.startsWith('RED'))!;
  expect(program.split('\n')[atomic.line! - 1]).toContain('atomicAdd');
});

test('operands: registers in the order of their first use', () => {
  const { instructions } = views.get('scaled')!;
  const text = instructions.map(({ opcode, operands }) => `${opcode} ${operands}`);
  expect(text.slice(0, 3)).toEqual(['ULDC UR0, c[ntid.x]', 'ULDC UR1, c[n]', 'S2R R0, SR_CTAID.X']);
  const [load, sum, store] = [/^LDG/, /^(FADD|FMUL)/, /^STG/].map((opcode) => text.find((each) => opcode.test(each))!);
  const [, loaded] = /^LDG (R\d+), \[R\d+\]$/.exec(load!)!;
  const [, made] = /^\w+ (R\d+), R\d+/.exec(sum!)!;
  expect(sum).toContain(`, ${loaded}`);
  expect(store).toMatch(new RegExp(`^STG \\[R\\d+\\], ${made}$`));
});

test('what the recording holds of a kernel, and who shares it', () => {
  const { recorded: cost } = views.get('scaled')!;
  expect(cost!.launches).toBe(1);
  expect(cost!.bytes).toBeGreaterThan(1000);
});
