/** Sweeps for tests: a program on disk, the request for one, and recordings that are not made. */
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordResult } from '../../../engine/model/recording.ts';
import type { RecordCall } from '../../../engine/recording/types.ts';
import type { SweepRequest } from '../../../engine/sweep/manifest.ts';
import { cacheFolder } from '../cuda/program.ts';

/** A kernel whose work is a macro and whose block is an argument; the best is the least work in blocks that hide latency. */
export const program = `#include "work.h"
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void work(float *data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float x = data[i];
    for (int k = 0; k < WORK; k++) x = x * 1.5f + 0.5f;
    data[i] = x;
  }
}
int main(int argc, char **argv) {
  const int n = 1 << 14;
  float *data;
  cudaMalloc(&data, n * sizeof(float));
  cudaMemset(data, 0, n * sizeof(float));
  work<<<16, argc > 1 ? atoi(argv[1]) : 128>>>(data, n);
  return argc > 2 ? atoi(argv[2]) : cudaDeviceSynchronize();
}
`;
export const header = '#pragma once\n#ifndef WORK\n#define WORK 1\n#endif\n';

export function writeProgram(folder: string): string {
  writeFileSync(join(folder, 'work.h'), header);
  writeFileSync(join(folder, 'app.cu'), program);
  return join(folder, 'app.cu');
}

export const request = (source: string, more: Partial<SweepRequest> = {}): SweepRequest => ({
  sources: [source],
  includeFolders: [],
  defines: [],
  environment: [],
  arguments: ['{BLOCK}'],
  detail: 'counters',
  checks: [],
  coldStart: false,
  data: [],
  axes: [
    { kind: 'gpu', name: 'GPU', values: ['a100'] },
    { kind: 'define', name: 'WORK', values: ['1', '64'] },
    { kind: 'argument', name: 'BLOCK', values: ['32', '256'] },
  ],
  metric: 'kernels',
  ...more,
});

/** In place of a recording: a copy of `trace`, after what `before` does. */
export function recordingOf(trace: string, before: (call: RecordCall) => Promise<void> | void = () => {}) {
  return async (call: RecordCall): Promise<RecordResult> => {
    await before(call);
    copyFileSync(trace, call.output!);
    return {
      path: call.output!,
      exitCode: 0,
      durationNs: 1,
      kernels: 1,
      launches: 1,
      repeated: 0,
      timedOnly: 0,
      uncheckedLaunch: null,
    };
  };
}

/** All results and traces of a sweep by their names. */
export function filesOf(folder: string): Map<string, Buffer> {
  const jobs = join(folder, 'jobs');
  const names = existsSync(jobs)
    ? readdirSync(jobs).filter((name) => /^[0-9a-f]{16}\.(json|simsight)$/.test(name))
    : [];
  return new Map(names.sort().map((name) => [name, readFileSync(join(jobs, name))]));
}

export interface LogEntry {
  event: 'start' | 'done' | 'failed';
  id: string;
  pid: number;
}
export function logOf(folder: string): LogEntry[] {
  const path = join(folder, 'log.jsonl');
  if (!statSync(path, { throwIfNoEntry: false })) return [];
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LogEntry);
}

export { cacheFolder };
