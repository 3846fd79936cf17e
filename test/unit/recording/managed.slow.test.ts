/** Managed memory from a program's source to its trace: faults, bytes that move, and nothing where there is none. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeReport } from '../../../engine/analysis/reports.ts';
import { recorded } from './recorded.ts';

const alternate = (body: string): string => `#include <cuda_runtime.h>
__global__ void add(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] += 1;
}
int main() {
  const int n = 1 << 20;
  float *x;
  cudaMallocManaged(&x, n * 4);
  for (int i = 0; i < n; ++i) x[i] = i;
  ${body}
  cudaDeviceSynchronize();
  return 0;
}`;
const launch = 'add<<<1024, 256>>>(x, n); cudaDeviceSynchronize();';

test('4 MB to the GPU by faults, a page back, and there again', async () => {
  const text = alternate(`${launch} x[5] = 2; ${launch}`);
  const [first, second] = [await recorded(text), await recorded(text)];
  expect(readFileSync(first.path).equals(readFileSync(second.path))).toBe(true);
  const moves = first.trace.query(
    `SELECT copyKind, sum(bytes), group_concat(DISTINCT migrationCause) FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY copyKind`,
  );
  // The host writes one word: 64 KB come back with it, and go again.
  expect(moves).toEqual([
    [11, 4 * 1048576 + 65536, '2'],
    [12, 65536, '2'],
  ]);
  const [host] = first.trace.query(
    `SELECT count(*), sum(w.end - f.start) FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS f JOIN SIMSIGHT_CPU_PAGE_FAULTS w ON w.fault = f.rowid`,
  );
  // Six for each 2 MB that the host fills first, one for what comes back.
  expect(host![0]).toBe(13);
  expect(makeReport(first.trace, 'um_total_sum').rows).toEqual([
    [4.25984, 0.065536, 13, expect.any(Number), expect.any(String), expect.any(String)],
  ]);
  expect(makeReport(first.trace, 'um_cpu_page_faults_sum').rows).toEqual([[13, null]]);
  const [long, short] = first.trace
    .query('SELECT end - start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start')
    .map(([duration]) => Number(duration));
  // H200 reference, gpu_write_after_cpu: 692 us for 4 MB, 91 us for 64 KB.
  expect(long).toBeGreaterThan(400_000);
  expect(long).toBeLessThan(900_000);
  expect(short).toBeGreaterThan(50_000);
  expect(short).toBeLessThan(110_000);

  const titles = first.trace.info.tracks.map(({ title }) => title);
  expect(titles).toEqual(expect.arrayContaining(['Unified memory', 'GPU page faults', 'CPU page faults']));
  const fault = first.trace.event({ kind: 'gpu-page-fault', row: 1 });
  expect(fault.title).toBe('GPU page faults');
  expect(first.trace.info.tracks[fault.track]!.title).toBe('GPU page faults');
  expect(first.trace.event({ kind: 'cpu-page-fault', row: 13 }).durationNs).toBeGreaterThan(13_000);
  const [migration] = first.trace.query('SELECT min(rowid) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 11');
  const moved = first.trace.event({ kind: 'memcpy', row: Number(migration![0]) });
  expect([moved.title, first.trace.info.tracks[moved.track]!.title]).toEqual(['Unified HtoD', 'Unified memory']);
  first.trace.close();
  second.trace.close();
});

test('a prefetch moves it without faults, and the kernel is as fast as on memory of its own', async () => {
  const { trace } = await recorded(alternate(`cudaMemPrefetchAsync(x, n * 4, 0); ${launch}`));
  expect(
    trace.query('SELECT sum(bytes), min(migrationCause), max(migrationCause) FROM CUPTI_ACTIVITY_KIND_MEMCPY'),
  ).toEqual([[4 * 1048576, 1, 1]]);
  expect(trace.query('SELECT count(*) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS')).toEqual([[0]]);
  const [[duration]] = trace.query('SELECT end - start FROM CUPTI_ACTIVITY_KIND_KERNEL') as [[number]];
  expect(duration).toBeLessThan(15_000);
  trace.close();
});

test('each GPU of two gets the pages that its kernels touch', async () => {
  const onSecond = `cudaSetDevice(1); ${launch}`;
  const { trace } = await recorded(alternate(`${launch} ${onSecond} cudaMemPrefetchAsync(x, n * 4, 0);`), {
    gpu: '2xh200',
  });
  const bytes = 4 * 1048576;
  expect(
    trace.query(`SELECT copyKind, deviceId, srcDeviceId, dstDeviceId, sum(bytes), min(migrationCause), max(migrationCause)
      FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY 1, 2, 3, 4 ORDER BY 1, 2`),
  ).toEqual([
    [11, 0, null, null, bytes, 2, 2],
    [13, 0, 1, 0, bytes, 1, 1],
    [13, 1, 0, 1, bytes, 2, 2],
  ]);
  const faulting = trace.query('SELECT DISTINCT deviceId FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS ORDER BY 1');
  expect(faulting).toEqual([[0], [1]]);
  const byUser = trace.query(`SELECT deviceId, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY 1`);
  expect(byUser).toEqual([
    [0, 1],
    [1, 1],
  ]);
  trace.close();
});

test('who is told to access it where it is gets nothing', async () => {
  const advice =
    'cudaMemLocation second{cudaMemLocationTypeDevice, 1}; cudaMemAdvise(x, n * 4, cudaMemAdviseSetAccessedBy, second);';
  const { trace } = await recorded(alternate(`${launch} ${advice} cudaSetDevice(1); ${launch}`), { gpu: '2xh200' });
  expect(trace.query('SELECT DISTINCT copyKind FROM CUPTI_ACTIVITY_KIND_MEMCPY')).toEqual([[11]]);
  expect(trace.query('SELECT count(*) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS WHERE deviceId = 1')).toEqual([[0]]);
  const [there, over] = trace
    .query('SELECT end - start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY deviceId')
    .map(([duration]) => Number(duration));
  // managed_peers.json, accessed_by_gpu1_read of 4 MB: 19 to 24 us, less 5 of launch and events; faults take half a millisecond.
  expect(over).toBeGreaterThan(10_000);
  expect(over).toBeLessThan(25_000);
  expect(there).toBeGreaterThan(10 * over!);
  trace.close();
});

test('memory that goes back and forth is said', async () => {
  const { trace } = await recorded(alternate(`for (int i = 0; i < 5; ++i) { x[7] += 1; ${launch} }`));
  expect(trace.info.notices.join()).toMatch(
    /of managed memory went back and forth between host and GPU, up to 4 times/,
  );
  trace.close();
});

test('without managed memory there is nothing of it, and work on the CPU takes time by request only', async () => {
  const text = `#include <cuda_runtime.h>
int main() {
  int *p; cudaMalloc(&p, 4096);
  volatile int s = 0; for (int i = 0; i < 100000; ++i) s += i;
  cudaMemset(p, 0, 4096);
  return 0;
}`;
  const free = await recorded(text);
  expect(free.trace.info.tracks.filter(({ kind }) => kind === 'unified-memory')).toEqual([]);
  const charged = await recorded(text, { hostRate: 2 });
  const extra = charged.durationNs - free.durationNs;
  expect(extra).toBeGreaterThan(100_000);
  expect((await recorded(text, { hostRate: 4 })).durationNs - free.durationNs).toBeCloseTo(extra / 2, -2);
});
