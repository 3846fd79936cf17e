/** Kernels that do not come to their end, and launches that are refused: in the trace at their place, with the line, and first in advice. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { advise } from '../../../engine/analysis/adviser/index.ts';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import { makeReport } from '../../../engine/analysis/reports.ts';
import { writeReport } from '../../../engine/analysis/report/index.ts';
import { eventKinds } from '../../../engine/model/event-kinds/index.ts';
import { flavours } from '../../../engine/model/timeline.ts';
import { record } from '../../../engine/recording/record.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import type { Trace } from '../../../engine/trace/trace.ts';
import { cacheFolder, newFolder } from '../cuda/program.ts';
import { recorded } from './recorded.ts';

const failed = flavours.indexOf('failed');
/** Events of a trace that are drawn in red, by kind and name. */
function red(trace: Trace): string[] {
  const tracks = trace.info.tracks.filter(({ kind }) => ['thread', 'stream', 'kernels', 'graph-nodes'].includes(kind));
  const windows = trace.window(
    tracks.map(({ id }) => id),
    0,
    Infinity,
    0,
  );
  return windows.flatMap(({ count, kinds, flavours: own, labels, labelIndex }, i) =>
    [...Array(count).keys()]
      .filter((at) => own[at] === failed)
      .map((at) => `${tracks[i]!.kind}: ${eventKinds[kinds[at]!]} ${labels[labelIndex[at]!]}`),
  );
}

const outOfBounds = `
__global__ void good(int *out) { out[threadIdx.x] = 1; }
__global__ void bad(int *out, int n) {
  out[threadIdx.x + n] = 2;
}
int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  good<<<1, 64>>>(out);
  bad<<<1, 64>>>(out, 1 << 20);
  cudaDeviceSynchronize();
  return 0;
}
`;

test('out of bounds, and nobody looks: exit code 0, and red at its place with the line', async () => {
  const { exitCode, failedKernel, trace } = await recorded(outOfBounds);
  // In a sweep, a failed job cannot be the fastest.
  expect(failedKernel).toMatch(/^Invalid __global__ write/);
  expect(exitCode).toBe(0);
  const [failure, ...others] = trace.info.failures;
  expect(others).toEqual([]);
  expect(failure).toMatchObject({ name: 'bad', error: 'cudaErrorIllegalAddress', file: 'app.cu', line: 4 });
  expect(failure!.message).toMatch(/^Invalid __global__ write of size 4 bytes/);
  // On its stream and among the kernels, behind the one before it; and the call that heard of it.
  expect(red(trace).sort()).toEqual(['kernels: kernel bad', 'stream: kernel bad', 'thread: api cudaDeviceSynchronize']);
  const [good, bad] = trace.query('SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start') as number[][];
  expect(bad![0]).toBeGreaterThanOrEqual(good![1]!);
  expect(failure).toMatchObject({ startNs: bad![0], ref: { kind: 'kernel', row: 2 } });

  const { groups, correlated } = trace.event(failure!.ref!);
  expect(groups[0]).toMatchObject({ title: 'Failure' });
  expect(groups[0]!.fields).toContainEqual({ name: 'Where', value: 'app.cu:4' });
  expect(correlated.map(({ title }) => title)).toEqual(['cudaLaunchKernel']);
  // Its page has no counters, and the source.
  expect(kernelView(trace, 2).sources.map(({ path }) => path)).toEqual(['app.cu']);

  const [first] = advise(trace);
  expect(first).toMatchObject({
    ...{ rule: 'failed-launch', stage: 'failure', title: 'bad failed with cudaErrorIllegalAddress at app.cu:4' },
    places: [
      { kind: 'line', kernel: 2, file: 'app.cu', line: 4 },
      { kind: 'event', ref: { kind: 'kernel', row: 2 } },
    ],
  });
  expect(first!.todo).toContain('exit code 0');
  expect(makeReport(trace, 'simsight_failures').rows).toEqual([
    ['bad(int *, int)', 'cudaErrorIllegalAddress', bad![0], 'app.cu', 4, expect.any(Number), failure!.message],
  ]);
  expect(writeReport(trace, 'markdown', { name: 'app.simsight' }).text).toMatch(/Failed.*bad failed with/);
  trace.close();
});

const endless = `
__global__ void wait(volatile int *flag) {
  while (*flag == 0) {
  }
}
int main() {
  int *flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  wait<<<1, 1>>>(flag);
  cudaDeviceSynchronize();
  return 0;
}
`;
test('one that waits for ever', async () => {
  const { trace } = await recorded(endless);
  expect(trace.info.failures).toMatchObject([{ name: 'wait', error: 'cudaErrorLaunchFailure', file: 'app.cu' }]);
  expect(trace.info.failures[0]!.message).toContain('for ever');
  expect(red(trace)).toContain('stream: kernel wait');
  trace.close();
});

test.each([
  { maxSeconds: 2, times: 2 ** 30 },
  { maxInstructions: 1_000_000, times: 10_000 },
])('one that a limit stops: %o', async ({ times, ...limit }) => {
  const folder = newFolder();
  const source = join(folder, 'app.cu');
  writeFileSync(
    source,
    `__global__ void spin(volatile int *x) {
  for (int i = 0; i < TIMES; i++) *x = *x + 1;
}
int main() {
  int *x;
  cudaMalloc(&x, sizeof(int));
  spin<<<1000, 32>>>(x);
  return cudaDeviceSynchronize();
}
`,
  );
  const output = join(folder, 'app.simsight');
  const call = {
    ...{ sources: [source], gpu: 'h200', includeFolders: [], defines: [`TIMES=${times}`], environment: [] },
    ...{ arguments: [], output, recordingsFolder: tmpdir(), keepTrace: true, cacheFolder },
  };
  await expect(record({ ...call, ...limit })).rejects.toThrow('was stopped');
  const trace = openTrace(output);
  expect(trace.info.failures).toMatchObject([{ name: 'spin', error: '', file: 'app.cu', line: 2 }]);
  expect(red(trace)).toContain('stream: kernel spin');
  expect(advise(trace)[0]).toMatchObject({ rule: 'failed-launch', title: 'spin was stopped at app.cu:2' });
  trace.close();
});

test('a launch that is refused is at its call', async () => {
  const { trace } = await recorded(`
template <typename T> __global__ void wide(T *x) { *x = 1; }
int main() {
  int *x;
  cudaMalloc(&x, sizeof(int));
  wide<<<1, 2048>>>(x);
  return 0;
}
`);
  const [failure] = trace.info.failures;
  expect(failure).toMatchObject({ name: 'wide', error: 'cudaErrorInvalidConfiguration', ref: { kind: 'api' } });
  expect(failure!.remedy).toContain('threads per block');
  expect(red(trace)).toEqual(['thread: api cudaLaunchKernel']);
  expect(advise(trace)[0]).toMatchObject({ title: 'wide failed with cudaErrorInvalidConfiguration' });
  trace.close();
});

test('in a graph: what is behind it is never begun', async () => {
  const { trace } = await recorded(`
__global__ void good(int *x) { *x = 1; }
__global__ void bad(int *x) { x[1 << 20] = 1; }
int main() {
  int *x;
  cudaMalloc(&x, sizeof(int));
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  good<<<1, 1, 0, s>>>(x);
  bad<<<1, 1, 0, s>>>(x);
  good<<<1, 1, 0, s>>>(x);
  cudaGraph_t graph;
  cudaStreamEndCapture(s, &graph);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  return 0;
}
`);
  expect(red(trace)).toContain('graph-nodes: kernel bad');
  expect(trace.query('SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL')).toEqual([[2]]);
  trace.close();
});

test('a kernel whose child fails stands for it', async () => {
  const { trace } = await recorded(`
__global__ void child(int *x) { x[1 << 20] = 1; }
__global__ void parent(int *x) { child<<<1, 1>>>(x); }
int main() {
  int *x;
  cudaMalloc(&x, sizeof(int));
  parent<<<1, 1>>>(x);
  return cudaDeviceSynchronize() == cudaSuccess;
}
`);
  expect(trace.info.failures).toMatchObject([{ name: 'parent', file: 'app.cu', line: 2 }]);
  expect(trace.info.failures[0]!.message).toContain('child');
  expect(red(trace)).toContain('stream: kernel parent');
  trace.close();
});

test('two recordings of it are equal', async () => {
  const [one, other] = [await recorded(outOfBounds), await recorded(outOfBounds)];
  expect(readFileSync(one.path).equals(readFileSync(other.path))).toBe(true);
  for (const { trace } of [one, other]) trace.close();
});
