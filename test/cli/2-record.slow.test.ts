/** `simsight record` and `simsight run` on real CUDA sources. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { WhatIfResult } from '../../engine/model/what-if.ts';
import { openTrace } from '../../engine/trace/reader.ts';
import { cacheFolder } from '../unit/cuda/program.ts';
import { temporaryFolder } from '../unit/trace/example-recording.ts';
import { cli, simsight, simsightHere, type Outcome } from './simsight.ts';

const folder = temporaryFolder();
const home = join(folder, 'home');
/** Starting Node, the engine and Clang takes longer than these recordings; one of each kind is a process of its own. */
const inFolder = (words: string[]): Promise<Outcome> => simsightHere(words, { cwd: folder, home });
const asProcess = (words: string[]): Outcome => simsight(words, { cwd: folder, home });

beforeAll(() => {
  mkdirSync(home);
  mkdirSync(cacheFolder, { recursive: true });
  symlinkSync(cacheFolder, join(home, 'cache'), 'junction');
  mkdirSync(join(folder, 'include'));
  writeFileSync(join(folder, 'include', 'factor.h'), '#define FACTOR 3\n');
  writeFileSync(
    join(folder, 'app.cu'),
    `#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include "factor.h"
__global__ void scale(float *data, float by) { data[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
int main(int argc, char **argv) {
  float host[256], *device;
  for (int i = 0; i < 256; i++) host[i] = i;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  scale<<<2, 128>>>(device, FACTOR * EXTRA);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  const char *mood = getenv("MOOD");
  printf("%g %s %s\\n", host[10], argc > 1 ? argv[1] : "-", mood ? mood : "-");
  fprintf(stderr, "to stderr\\n");
  return argc > 2 ? atoi(argv[2]) : 0;
}
`,
  );
  writeFileSync(join(folder, 'wrong.cu'), 'int main() {\n  return 0\n}\n');
  writeFileSync(join(folder, 'endless.cu'), 'int main() { for (volatile int i = 0;; i++) {} }\n');
});
const build = ['app.cu', '--gpu', 'a100', '-I', 'include', '-DEXTRA=2', '--env', 'MOOD=fine'];

test('run: the program’s output and exit code, nothing else', () => {
  expect(asProcess(['run', ...build, '--', '--help'])).toEqual({
    code: 0,
    stdout: '60 --help fine\n',
    stderr: 'to stderr\n',
  });
  expect(asProcess(['run', ...build, '--', 'x', '7']).code).toBe(7);
});

test('nvcc: an image from the words of a makefile, which a program loads', async () => {
  const architectures = ['-arch=sm_90', '-gencode', 'arch=compute_80,code=sm_80', '-Wno-deprecated-gpu-targets', '-O3'];
  writeFileSync(
    join(folder, 'kernel.cu'),
    '#include "factor.h"\nextern "C" __global__ void put(int *at) { *at = FACTOR; }\n',
  );
  const words = ['nvcc', ...architectures, '-std=c++20', '-I', 'include', '-cubin', 'kernel.cu'];
  expect(await inFolder(words)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(readFileSync(join(folder, 'kernel.cubin'), 'utf8')).toMatch(
    /^\/\/SIMSIGHT-IMAGE \d{10}\n.*"standard":"c\+\+20"/,
  );
  writeFileSync(
    join(folder, 'loads.cpp'),
    `#include <cuda.h>
#include <stdio.h>
int main() {
  CUcontext context; CUmodule module; CUfunction put; CUdeviceptr at; int value = 0;
  cuInit(0);
  cuCtxCreate(&context, 0, 0);
  if (cuModuleLoad(&module, "kernel.cubin") || cuModuleGetFunction(&put, module, "put")) return 1;
  cuMemAlloc(&at, 4);
  void *parameters[] = {&at};
  cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0);
  cuMemcpyDtoH(&value, at, 4);
  printf("%d\\n", value);
}
`,
  );
  expect(await inFolder(['run', 'loads.cpp'])).toEqual({ code: 0, stdout: '3\n', stderr: '' });
  const missing = await inFolder(['nvcc', '-ptx', 'nothing.cu']);
  expect(missing).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('There is no file') as string });
});

test('record: the name of the trace on stdout, the program’s words on stderr and in the trace', async () => {
  const recorded = await inFolder(['record', ...build, '-o', 'out.simsight', '--title', 'Scaling', '--', 'x']);
  expect(recorded).toEqual({
    code: 0,
    stdout: `${join(folder, 'out.simsight')}\n`,
    stderr: '60 x fine\nto stderr\n',
  });
  const trace = openTrace(join(folder, 'out.simsight'));
  expect(trace.info).toMatchObject({ title: 'Scaling', program: 'app.cu', exitCode: 0, complete: true });
  expect(trace.facts.arguments).toEqual(['x']);
  expect(trace.console().map(({ stream, text }) => `${stream}: ${text}`)).toEqual([
    'stdout: 60 x fine\n',
    'stderr: to stderr\n',
  ]);
  expect(trace.event({ kind: 'kernel', row: 1 })).toMatchObject({ title: 'scale', fullName: 'scale(float *, float)' });
  trace.close();

  asProcess(['record', ...build, '-o', 'again.simsight', '--title', 'Scaling', '--', 'x']);
  expect(readFileSync(join(folder, 'again.simsight')).equals(readFileSync(join(folder, 'out.simsight')))).toBe(true);
});

test('record: a trace is replaced with --force alone; names that nobody gave are numbered', async () => {
  const output = join(folder, 'out.simsight');
  const before = readFileSync(output);
  const refused = await inFolder(['record', ...build, '-o', 'out.simsight', '--', 'other']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/out\.simsight exists, and is a trace\.\n.*add --force/);
  expect(readFileSync(output).equals(before)).toBe(true);
  // Nor does `what-if` replace what it was to keep, or `bench`.
  expect((await inFolder(['bench', ...build, '-o', 'out.simsight'])).stderr).toMatch(/--force/);
  expect((await inFolder(['record', ...build, '--force', '-o', 'out.simsight', '--', 'other'])).code).toBe(0);
  expect(readFileSync(output).equals(before)).toBe(false);
  await inFolder(['record', ...build, '--force', '-o', 'out.simsight', '--title', 'Scaling', '--', 'x']);
  expect(readFileSync(output).equals(before)).toBe(true);
});

test('what-if: what each limit is worth, beside the gain of the fix, and what the program prints once', async () => {
  const words = ['what-if', ...build, '--limit', 'overlap', '--limit', 'bank-conflicts'];
  const table = await inFolder([...words, '--fixed', 'out.simsight', '--keep', 'kept', '--', 'x', '3']);
  expect(table.code).toBe(3);
  expect(table.stderr.match(/60 x fine/g)).toHaveLength(1);
  expect(table.stdout).toMatch(/^app\.cu x 3 on NVIDIA A100.*: [\d.]+ µs, of which kernels [\d.]+ µs\n/);
  expect(table.stdout).toMatch(/^ {2}full overlap +[\d.]+ µs +[\d.]+ [µn]s +[\d.]+ % {2}█+$/m);
  expect(table.stdout).toMatch(/^ {2}no bank conflicts +not in effect$/m);
  expect(table.stdout).toMatch(/^ {2}the fix +[\d.]+ µs +0 ns +0\.0 %$/m);
  for (const name of ['app', 'app-lift-overlap', 'app-lift-bank-conflicts'])
    expect(existsSync(join(folder, 'kept', `${name}.simsight`)), name).toBe(true);
  const kept = join('kept', 'app-what-if.json');
  expect(table.stdout).toContain(`For reports (--what-if):\n  ${join(folder, kept)}\n`);
  const report = ['report', join('kept', 'app.simsight'), '-o', 'report.html'];
  expect(await inFolder([...report, '--what-if', kept])).toMatchObject({ code: 0, stderr: '' });
  const page = readFileSync(join(folder, 'report.html'), 'utf8');
  expect(page).toContain('What each limit costs');
  expect(page).toContain('The fix: Scaling');
  const other = await inFolder(['report', join('kept', 'app-lift-overlap.simsight'), '--what-if', kept]);
  expect(other.code).toBe(1);
  expect(other.stderr).toMatch(/The what-if is of app\.cu x 3 .*app-lift-overlap\.simsight is none of it/);

  const { code, stdout } = await inFolder([...words, '--format', 'json', '--', 'x']);
  expect(code).toBe(0);
  const { baseline, limits } = JSON.parse(stdout) as WhatIfResult;
  expect(baseline.kernels).toEqual([{ name: 'scale(float *, float)', count: 1, ns: baseline.kernelsNs }]);
  expect(limits.map(({ limit }) => limit)).toEqual(['overlap', 'bank-conflicts']);

  await inFolder(['record', ...build, '--lift', 'overlap', '-o', 'lifted.simsight', '--', 'x']);
  const trace = openTrace(join(folder, 'lifted.simsight'));
  expect(trace.info.durationNs).toBe(limits[0]!.totalNs);
  expect(trace.info.title).toBe('app.cu x (what if: full overlap)');
  trace.close();
});

test('record: a program that fails keeps its trace, and its exit code is passed on', async () => {
  const { code, stdout, stderr } = await inFolder(['record', ...build, '--', 'x', '3']);
  expect(code).toBe(3);
  expect(stderr).toContain('app.cu ended with exit code 3. The trace is kept.');
  expect(stdout).toContain(join(home, 'recordings'));
  const trace = openTrace(stdout.trim());
  expect(trace.info).toMatchObject({ exitCode: 3, complete: true });
  trace.close();
});

test('record: a launch that failed without the program asking is named, on stderr and in the trace', async () => {
  // With the headers of the program above, which are compiled already.
  const source = `#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void set(int *x) { *x = 1; }
int main() {
  set<<<1, 2048>>>(nullptr);
  return 0;
}
`;
  writeFileSync(join(folder, 'unchecked.cu'), source);
  const { code, stderr } = await inFolder(['record', 'unchecked.cu', '--gpu', 'a100', '-o', 'unchecked.simsight']);
  const notice =
    'The launch of set(int *) failed with cudaErrorInvalidConfiguration (invalid configuration argument), and the program never asked: call cudaGetLastError() after a launch.';
  expect({ code, stderr }).toEqual({ code: 0, stderr: `Simsight: ${notice}\n` });
  const trace = openTrace(join(folder, 'unchecked.simsight'));
  expect(trace.info.notices).toContain(notice);
  trace.close();
});

test('what cannot be recorded: one message, and no trace', async () => {
  const output = ['-o', 'none.simsight'];
  const refused: [string[], number, RegExp][] = [
    [['wrong.cu'], 1, /wrong\.cu:2:\d+: .*expected ';'/],
    [['none.cu'], 1, /There is no file .*none\.cu/],
    [['include'], 1, /is a folder/],
    [[...build, '--gpu', 'a1000'], 2, /There is no GPU "a1000"/],
  ];
  for (const [words, code, message] of refused) {
    const outcome = await inFolder(['record', ...words, ...output]);
    expect(outcome.stderr).toMatch(message);
    expect({ code: outcome.code, stdout: outcome.stdout }).toEqual({ code, stdout: '' });
  }
  expect(existsSync(join(folder, 'none.simsight'))).toBe(false);
});

test('Ctrl+C ends a recording, and leaves nothing of it', async () => {
  const child = spawn(process.execPath, [cli, 'record', 'endless.cu', '-o', 'endless.simsight'], {
    cwd: folder,
    env: { ...process.env, SIMSIGHT_HOME: home },
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  // The trace is there as soon as the program is compiled and about to run.
  while (!existsSync(join(folder, 'endless.simsight')) && child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  const [code] = (await once(child, 'exit')) as [number];
  expect(stderr).toMatch(/cancelled/);
  expect(code).toBe(130);
  expect(existsSync(join(folder, 'endless.simsight'))).toBe(false);
});
