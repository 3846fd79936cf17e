/**
 * A limit that is lifted: the program does the same, and takes as long as its fix where the limit was what it cost, and as long as
 * before where it was not.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { limitIds, type Limit } from '../../../engine/base/limits.ts';
import { record } from '../../../engine/recording/record.ts';
import { whatIf } from '../../../engine/recording/what-if.ts';
import type { Trace } from '../../../engine/trace/reader.ts';
import { cacheFolder, newFolder } from '../cuda/program.ts';
import { metricsOf, recorded } from './recorded.ts';

/** Each flaw beside its fix, and a copy that has none. */
const flaws = `#include <cuda_runtime.h>
#include <cstdio>
template <int W> __global__ void column(unsigned *out) {
  __shared__ unsigned s[32 * 33];
  int l = threadIdx.x & 31;
  for (int r = threadIdx.x / 32; r < 32; r += 8) s[r * W + l] = r * 32 + l;
  __syncthreads();
  unsigned a = 0;
  for (int i = 0; i < 8; i++)
    for (int c = 0; c < 32; c++) a += ((volatile unsigned *)s)[l * W + c] * c;
  out[blockIdx.x * 256 + threadIdx.x] = a;
}
__global__ void strided(const float *in, float *out, int s) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  out[i] = in[i * s];
}
__global__ void storesStrided(const float *in, float *out, int s) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  out[i * s] = in[i];
}
__global__ void rows(const float *in, float *out) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; k++) sum += in[i * 16 + k];
  out[i] = sum;
}
__global__ void columns(const float *in, float *out) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; k++) sum += in[k * (gridDim.x * 256) + i];
  out[i] = sum;
}
template <int P> __device__ __noinline__ unsigned path(unsigned x, int times) {
  for (int i = 0; i < times; i++) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "n"(2 * P + 3), "n"(P * 7 + 1));
  return x;
}
__global__ void diverge(int paths, int times, unsigned *out) {
  unsigned i = blockIdx.x * 256 + threadIdx.x, x = i;
  switch (threadIdx.x % paths) {
    case 0: x = path<0>(x, times); break;
    case 1: x = path<1>(x, times); break;
    case 2: x = path<2>(x, times); break;
    case 3: x = path<3>(x, times); break;
  }
  __syncthreads();
  out[i] = x;
}
__global__ void chain(const unsigned *next, unsigned *out) {
  unsigned i = (blockIdx.x * 64 + threadIdx.x) * 977 & 0xffff;
  for (int h = 0; h < 8; h++) i = next[i] & 0xffff;
  out[blockIdx.x * 64 + threadIdx.x] = i;
}
__global__ void independent(unsigned *out) {
  unsigned a[8], x = threadIdx.x;
  for (int k = 0; k < 8; k++) a[k] = x + k;
  for (int i = 0; i < 64; i++)
    for (int k = 0; k < 8; k++) asm volatile("mad.lo.u32 %0, %0, 3, 7;" : "+r"(a[k]));
  for (int k = 0; k < 8; k++) x += a[k];
  out[threadIdx.x] = x;
}
int main() {
  const int n = 1 << 17;
  float *in, *out;
  cudaMalloc(&in, n * 32 * 4);
  cudaMalloc(&out, n * 8 * 4);
  cudaMemset(in, 0, n * 32 * 4);
  unsigned *words = (unsigned *)out;
  column<32><<<132, 256>>>(words);
  column<33><<<132, 256>>>(words);
  strided<<<n / 256, 256>>>(in, out, 32);
  strided<<<n / 256, 256>>>(in, out, 1);
  storesStrided<<<n / 256, 256>>>(in, out, 8);
  storesStrided<<<n / 256, 256>>>(in, out, 1);
  rows<<<n / 256, 256>>>(in, out);
  columns<<<n / 256, 256>>>(in, out);
  diverge<<<528, 256>>>(4, 64, words);
  diverge<<<528, 256>>>(1, 64, words);
  cudaFuncSetAttribute(chain, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
  chain<<<1056, 64, 200000>>>((unsigned *)in, words);
  chain<<<1056, 64, 20000>>>((unsigned *)in, words);
  independent<<<1, 32>>>(words);
  unsigned h[256];
  cudaMemcpy(h, words, sizeof h, cudaMemcpyDeviceToHost);
  unsigned sum = 0;
  for (unsigned x : h) sum = sum * 31 + x;
  printf("%u\\n", sum);
}`;
/** Counters suffice: these tests do not read single warps. */
const detail = 'counters';
const order = [
  ...['conflicts', 'padded', 'strided', 'dense', 'storesStrided', 'storesDense', 'rows', 'columns'],
  ...['divergent', 'together', 'oneBlock', 'manyBlocks', 'independent'],
] as const;
type Name = (typeof order)[number];

interface Times {
  of: Record<Name, number>;
  text: string[];
  metrics: unknown[][];
}

function timesOf(trace: Trace): Times {
  const rows = trace.query('SELECT "end" - start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start');
  const counters = ['smsp__inst_executed.sum', 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum'];
  return {
    of: Object.fromEntries(order.map((name, i) => [name, Number(rows[i]![0])])) as Times['of'],
    text: trace.console().map(({ text }) => text),
    metrics: trace.query(
      `SELECT kernel, m.value FROM SIMSIGHT_KERNEL_METRICS m JOIN StringIds n ON n.id = m.nameId
      WHERE n.value IN (${counters.map((name) => `'${name}'`).join()}) ORDER BY kernel, n.value`,
    ),
  };
}

describe('kernels', () => {
  let own: Times;
  const without = new Map<Limit, Times>();
  const ofKernels: Limit[] = ['bank-conflicts', 'coalescing', 'l1-l2', 'latency', 'occupancy', 'divergence'];

  beforeAll(async () => {
    own = timesOf((await recorded(flaws, { detail })).trace);
    for (const lifted of ofKernels) without.set(lifted, timesOf((await recorded(flaws, { detail, lifted })).trace));
  });

  test.each<[Limit, Name, Name, number]>([
    ['bank-conflicts', 'conflicts', 'padded', 0.03],
    ['coalescing', 'strided', 'dense', 0.1],
    ['coalescing', 'storesStrided', 'storesDense', 0.2],
    ['coalescing', 'rows', 'columns', 0.3],
    ['divergence', 'divergent', 'together', 0.1],
    ['occupancy', 'oneBlock', 'manyBlocks', 0.1],
  ])('without %s, %s takes as long as %s', (limit, flawed, fixed, within) => {
    expect(own.of[flawed] / own.of[fixed]).toBeGreaterThan(1.3);
    const then = without.get(limit)!.of;
    expect(Math.abs(then[flawed] / own.of[fixed] - 1)).toBeLessThan(within);
    // The program without the flaw takes as long as before.
    expect(Math.abs(then[fixed] / own.of[fixed] - 1)).toBeLessThan(0.01);
  });

  test('without latency, chains take what their pipes need, and what keeps a pipe busy takes as long', () => {
    const { of } = without.get('latency')!;
    expect(of.oneBlock).toBeLessThan(0.6 * own.of.oneBlock);
    // One warp, 512 IMADs at one in two cycles.
    expect(own.of.independent - of.independent).toBeLessThan(0.15 * own.of.independent);
  });

  test.each(ofKernels)('without %s, only times are others', (limit) => {
    const { text, metrics, of } = without.get(limit)!;
    expect(text).toEqual(own.text);
    expect(metrics).toEqual(own.metrics);
    for (const name of order) expect(of[name]).toBeLessThanOrEqual(1.05 * own.of[name]);
  });
});

const traffic = `#include <cuda_runtime.h>
#include <cstdio>
__global__ void copy(const float4 *in, float4 *out) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  out[i] = in[i];
}
__global__ void tiny(unsigned *p) { p[threadIdx.x] += 1; }
int main(int argc, char **argv) {
  const size_t n = 1 << 22;
  float4 *in, *out, *host;
  cudaMalloc(&in, n * 16);
  cudaMalloc(&out, n * 16);
  cudaMallocHost(&host, n * 4);
  if (argc > 1) {
    for (int i = 0; i < 500; i++) tiny<<<1, 32>>>((unsigned *)out);
  } else {
    for (int i = 0; i < 3; i++) {
      cudaMemcpy(in, host, n * 4, cudaMemcpyHostToDevice);
      copy<<<n / 256, 256>>>(in, out);
      cudaMemcpy(host, out, n * 4, cudaMemcpyDeviceToHost);
    }
  }
  unsigned h;
  cudaMemcpy(&h, out, 4, cudaMemcpyDeviceToHost);
  printf("%u\\n", h);
}`;

/** Recordings of it, each made once. */
const made = new Map<string, ReturnType<typeof recorded>>();
function trafficWith(lifted?: Limit, ...words: string[]): ReturnType<typeof recorded> {
  const key = [lifted, ...words].join(' ');
  const recording = made.get(key) ?? recorded(traffic, { detail, arguments: words, ...(lifted ? { lifted } : {}) });
  made.set(key, recording);
  return recording;
}

describe('the whole program', () => {
  const durations = (trace: Trace, table: string): number[] =>
    trace.query(`SELECT "end" - start FROM ${table} ORDER BY start`).map(([time]) => Number(time));
  const sum = (list: number[]): number => list.reduce((all, each) => all + each, 0);
  let own: Awaited<ReturnType<typeof recorded>>;
  beforeAll(async () => {
    own = await trafficWith();
  });

  test('without the bandwidth of DRAM, a copy takes what L2 needs', async () => {
    const { trace } = await trafficWith('dram-bandwidth');
    const [before, then] = [own.trace, trace].map((one) => durations(one, 'CUPTI_ACTIVITY_KIND_KERNEL')[0]!);
    expect(before! / then!).toBeGreaterThan(1.3);
    // 128 MiB through L2, 4250 bytes per cycle of 0.505 ns, half of them written, which take it longer by half.
    const inL2 = ((1.25 * 2 ** 27) / 4250) * 0.505;
    expect(then! / inL2).toBeGreaterThan(0.8);
    expect(then! / inL2).toBeLessThan(1.5);
  });

  test('with endless caches, what has been there once is read from DRAM no more', async () => {
    const { trace } = await trafficWith('l1-l2');
    const read = (of: Trace): number[] => metricsOf(of, 'dram__bytes_read.sum');
    expect(read(own.trace).at(-1)).toBeGreaterThan(2 ** 25);
    expect(read(trace)[0]).toBeGreaterThan(2 ** 25);
    expect(read(trace).at(-1)).toBe(0);
  });

  test('with full overlap, it takes as long as the busier of kernels and copies', async () => {
    const { trace, durationNs } = await trafficWith('overlap');
    const ofKind = (kind: number): number =>
      sum(
        trace
          .query(`SELECT "end" - start FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = ${kind}`)
          .map(([time]) => Number(time)),
      );
    const busiest = Math.max(ofKind(1), ofKind(2));
    const allocations = own.durationNs - sum(durations(own.trace, 'CUPTI_ACTIVITY_KIND_KERNEL'));
    expect(durationNs).toBeGreaterThanOrEqual(busiest);
    expect(durationNs).toBeLessThan(own.durationNs - 0.8 * Math.min(ofKind(1), ofKind(2)));
    expect(durationNs).toBeLessThan(busiest + allocations);
    expect(trace.console().map(({ text }) => text)).toEqual(own.trace.console().map(({ text }) => text));
  });

  test('free launches: 500 tiny kernels take what they do, and nothing else', async () => {
    const [launched, free] = [await trafficWith(undefined, '500'), await trafficWith('launches', '500')];
    const kernels = durations(free.trace, 'CUPTI_ACTIVITY_KIND_KERNEL');
    expect(kernels).toHaveLength(500);
    // 2.9 us of the host for each, and the ramp of 0.6 us.
    expect(launched.durationNs - free.durationNs).toBeGreaterThan(500 * 2900 - sum(kernels));
    const [first, last] = free.trace.query('SELECT min(start), max("end") FROM CUPTI_ACTIVITY_KIND_KERNEL')[0]!;
    expect(Number(last) - Number(first)).toBeLessThan(1.01 * sum(kernels) + 1000);
  });

  test('a trace without a limit says so, and two of them are the same', async () => {
    const one = await trafficWith('launches', '500');
    const other = await recorded(traffic, { detail, arguments: ['500'], lifted: 'launches' });
    expect(readFileSync(one.path).equals(readFileSync(other.path))).toBe(true);
    expect(one.trace.facts.lifted).toBe('launches');
    expect(one.trace.info.title).toBe('app.cu 500 (what if: free launches)');
    expect(one.trace.info.notices[0]).toMatch(/^What if: .*free launches/);
    expect(own.trace.facts.lifted).toBeNull();
    expect(own.trace.info.title).toBe('app.cu');
  });
});

describe('whatIf', () => {
  const call = (source: string) => ({
    ...{ sources: [source], gpu: 'h200', includeFolders: [], defines: [], environment: [], arguments: [] },
    ...{ cacheFolder, recordingsFolder: newFolder() },
  });

  test('records once as it is, then without each limit; largest gains first, those not in effect among them', async () => {
    const asked: string[] = [];
    const ns: Partial<Record<Limit, number>> = { coalescing: 400, latency: 900, overlap: 1100 };
    const { limits, baseline, real } = await whatIf(call('/app.cu'), {
      record: ({ lifted, onKernelTimes, keepTrace }) => {
        expect(keepTrace).toBe(false);
        asked.push(lifted ?? 'none');
        const time = (lifted && ns[lifted]) ?? 1000;
        onKernelTimes?.([{ name: 'k', count: 2, ns: Math.min(time, 500) }]);
        return Promise.resolve({
          path: '',
          exitCode: 0,
          durationNs: time,
          kernels: 2,
          launches: 1,
          repeated: 0,
          timedOnly: 0,
        });
      },
    });
    expect(asked).toHaveLength(1 + limitIds.length);
    expect(asked[0]).toBe('none');
    expect(baseline).toMatchObject({ totalNs: 1000, kernelsNs: 500, path: null });
    expect(limits.map(({ limit }) => limit)).toEqual([
      ...['coalescing', 'latency', 'bank-conflicts', 'l1-l2', 'dram-bandwidth', 'occupancy', 'divergence', 'launches'],
      'overlap',
    ]);
    expect(limits[0]).toMatchObject({ gainNs: 600, inEffect: true, kernels: [{ beforeNs: 500, afterNs: 400 }] });
    expect(limits[2]).toMatchObject({ gainNs: 0, inEffect: false, kernels: [] });
    expect(limits.at(-1)).toMatchObject({ gainNs: -100, inEffect: true });
    expect(real).toBeNull();
  });

  test('with the fix beside it; one that cannot be compared is refused', async () => {
    const fixed = (await trafficWith()).trace;
    const result = await whatIf(
      { ...call('/app.cu'), limits: ['overlap'] },
      {
        record: () =>
          Promise.resolve({
            path: '',
            exitCode: 0,
            durationNs: 1e9,
            kernels: 0,
            launches: 1,
            repeated: 0,
            timedOnly: 0,
          }),
        fixed,
      },
    );
    expect(result.real).toMatchObject({ title: 'app.cu', gainNs: 1e9 - fixed.info.durationNs });
    const failed = { record: () => Promise.reject(new Error('no')), fixed };
    await expect(whatIf({ ...call('/app.cu'), gpu: 'a100' }, failed)).rejects.toThrow(/was recorded on NVIDIA H200/);
    const { trace } = await trafficWith('overlap');
    await expect(whatIf(call('/app.cu'), { ...failed, fixed: trace })).rejects.toThrow(/is itself a what-if/);
  });

  test('one that fails or is cancelled ends the others', async () => {
    const signals: AbortSignal[] = [];
    const pending = whatIf(call('/app.cu'), {
      atOnce: 2,
      record: ({ lifted, signal }) => {
        if (lifted === undefined)
          return Promise.resolve({
            path: '',
            exitCode: 0,
            durationNs: 1,
            kernels: 0,
            launches: 1,
            repeated: 0,
            timedOnly: 0,
          });
        signals.push(signal!);
        return lifted === 'bank-conflicts' ? Promise.reject(new Error('failed')) : new Promise(() => {});
      },
    });
    await expect(pending).rejects.toThrow('failed');
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  test('traces are kept in a folder by request', async () => {
    const folder = join(newFolder(), 'kept');
    const source = join(newFolder(), 'app.cu');
    writeFileSync(source, '#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }');
    const result = await whatIf({ ...call(source), keepFolder: folder, limits: ['latency'] }, { record });
    expect(result.baseline.path).toBe(join(folder, 'app.simsight'));
    expect(result.limits[0]!.path).toBe(join(folder, 'app-lift-latency.simsight'));
    expect(readFileSync(result.limits[0]!.path!).length).toBeGreaterThan(0);
  });
});
