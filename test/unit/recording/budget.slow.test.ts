/** Programs that would never end: cancelled, or stopped by a budget. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SimsightError } from '../../../engine/base/errors.ts';
import { stopped } from '../../../engine/base/stopped.ts';
import { record } from '../../../engine/recording/record.ts';
import type { RecordCall } from '../../../engine/recording/types.ts';
import { openTrace } from '../../../engine/trace/reader.ts';

const source = `
#include <cstdio>
__global__ void endless(volatile int *p) { while (*p == 0) p[1] = 2; }
__global__ void fine(int *p) { p[1] = 1; }
int main(int count, char **words) {
  int *p;
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  fine<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  printf("before\\n");
  fflush(stdout);
  if (words[1][0] == 'h') { volatile int x = 0; while (!x); }
  if (words[1][0] == 'k') endless<<<2, 64>>>(p);
  while (words[1][0] == 'l') {
    fine<<<1, 1>>>(p);
    cudaDeviceSynchronize();
  }
  if (words[1][0] == 'm') while (cudaMalloc(&p, 1 << 20) == cudaSuccess);
  cudaDeviceSynchronize();
}
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'simsight-'));
  writeFileSync(join(folder, 'endless.cu'), source);
});
afterAll(() => rmSync(folder, { recursive: true }));

const call = (what: string, more: Partial<RecordCall>): RecordCall => ({
  sources: [join(folder, 'endless.cu')],
  gpu: 'a100',
  includeFolders: [],
  defines: [],
  environment: [],
  arguments: [what],
  cacheFolder: join(folder, 'cache'),
  recordingsFolder: folder,
  output: join(folder, `${what}.simsight`),
  keepTrace: true,
  ...more,
});
const failure = async (promise: Promise<unknown>): Promise<SimsightError> =>
  promise.then(
    () => {
      throw new Error('did not fail');
    },
    (error: unknown) => error as SimsightError,
  );

describe('a budget', () => {
  it.each([
    ['kernel', { maxSeconds: 1 }, /ran for more than 1 s/],
    ['host', { maxSeconds: 1 }, /ran for more than 1 s/],
    ['kernel', { maxInstructions: 1e6 }, /executed more than 1000000 warp instructions/],
    ['memory', { maxMemoryBytes: 16 << 20 }, /allocates more than 16777216 bytes/],
  ])('stops an endless %s with %o and keeps what was recorded', async (what, limits, message) => {
    const error = await failure(record(call(what, limits)));
    expect(error.code).toBe('budget-exceeded');
    expect(error.message).toMatch(message);
    expect(error.remedy).toMatch(/--max-.*What was recorded until then: /);
    const trace = new Database(join(folder, `${what}.simsight`), { readonly: true });
    try {
      const one = (query: string): unknown => trace.prepare(query).pluck().get();
      // The one that was stopped is there as well, as one that failed.
      const isKernel = what === 'kernel';
      expect(one('select count(*) from CUPTI_ACTIVITY_KIND_KERNEL')).toBe(isKernel ? 2 : 1);
      expect(one('select count(*) from SIMSIGHT_FAILURES where error = 0 and kernel = 2')).toBe(isKernel ? 1 : 0);
      expect(one("select group_concat(text, '') from SIMSIGHT_CONSOLE")).toMatch(/^before/);
    } finally {
      trace.close();
    }
  });
});

it('of kernels stops the program at the launch of the next, the same each time', async () => {
  const output = join(folder, 'kernels.simsight');
  const error = await failure(record(call('launches', { output, maxKernels: 3 })));
  expect(error.code).toBe('budget-exceeded');
  expect(error.message).toBe('The program was stopped: it launched more than 3 kernels.');
  expect(error.remedy).toMatch(/--max-kernels/);
  const trace = openTrace(output);
  expect(trace.info).toMatchObject({ complete: false, exitCode: null });
  expect(trace.query('SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL')).toEqual([[4]]);
  // The one that did not run is there as one that was stopped.
  expect(trace.query('SELECT kernel FROM SIMSIGHT_FAILURES WHERE error = 0')).toEqual([[4]]);
  trace.close();
  const enough = await record(call('none', { output, maxKernels: 1 }));
  expect(enough.kernels).toBe(1);
});

describe('closing Simsight', () => {
  const stop = async (more: Partial<RecordCall>, reason: unknown): Promise<string> => {
    const abort = new AbortController();
    const output = join(folder, `stopped-${Object.keys(more).length}-${String(reason)}.simsight`);
    const onProgress: RecordCall['onProgress'] = ({ kernels }) => kernels > 0 && abort.abort(reason);
    const running = record(call('launches', { output, signal: abort.signal, onProgress, ...more }));
    expect((await failure(running)).code).toBe('cancelled');
    return output;
  };

  it('keeps what was recorded, and says that it is a part', async () => {
    const trace = openTrace(await stop({ keepWhenStopped: true }, stopped));
    expect(trace.info).toMatchObject({ complete: false, exitCode: null });
    expect(trace.info.notices.at(-1)).toMatch(/stopped because Simsight was closed/);
    trace.close();
  });

  it('keeps nothing where nobody asked for it, or somebody cancelled', async () => {
    expect(existsSync(await stop({}, stopped))).toBe(false);
    expect(existsSync(await stop({ keepWhenStopped: true }, 'by hand'))).toBe(false);
  });
});

describe('cancelling', () => {
  it.each(['kernel', 'host'])('ends an endless %s and leaves nothing behind', async (what) => {
    const abort = new AbortController();
    const output = join(folder, `cancelled-${what}.simsight`);
    let requested = false;
    const running = record(
      call(what, {
        output,
        signal: abort.signal,
        onProgress: ({ phase }) => {
          if (phase !== 'run' || requested) return;
          requested = true;
          setTimeout(() => abort.abort(), 1500);
        },
      }),
    );
    expect((await failure(running)).code).toBe('cancelled');
    expect(existsSync(output)).toBe(false);
  });
});
