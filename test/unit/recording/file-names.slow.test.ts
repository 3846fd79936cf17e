/** Traces hold nothing of the machine that they were recorded on: the same program in two folders gives the same bytes. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameInTrace } from '../../../engine/recording/file-names.ts';
import { record } from '../../../engine/recording/record.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { cacheFolder, newFolder } from '../cuda/program.ts';

const scale = `__global__ void scale(float *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
int main() { float *x; cudaMalloc(&x, 128); scale<<<1, 32>>>(x); return cudaDeviceSynchronize(); }`;

async function recordedIn(folder: string): Promise<string> {
  mkdirSync(join(folder, 'parts'), { recursive: true });
  writeFileSync(join(folder, 'parts/twice.cuh'), '__device__ inline float twice(float x) {\n  return x * 2;\n}\n');
  writeFileSync(join(folder, 'app.cu'), `#include "parts/twice.cuh"\n#include <cuda_runtime.h>\n${scale}\n`);
  const output = join(folder, 'app.simsight');
  await record({
    ...{ sources: [join(folder, 'app.cu')], gpu: 'h200', includeFolders: [], defines: [], environment: [] },
    ...{ arguments: [], output, recordingsFolder: folder, keepTrace: true, cacheFolder },
  });
  return output;
}

test('the same program in two folders', async () => {
  const [one, two] = [await recordedIn(newFolder()), await recordedIn(join(newFolder(), 'deeper'))];
  expect(readFileSync(one).equals(readFileSync(two))).toBe(true);
  const trace = openTrace(one);
  const files = trace.query(
    'SELECT DISTINCT s.value FROM SIMSIGHT_INSTRUCTIONS JOIN StringIds s ON s.id = fileId ORDER BY 1',
  );
  trace.close();
  expect(files.flat()).toEqual(['app.cu', 'parts/twice.cuh']);
});

test.each([
  ['/home/me/app', '/home/me/app/app.cu', 'app.cu'],
  ['/home/me/app', '/home/me/app/src/deep/part.cuh', 'src/deep/part.cuh'],
  ['/home/me/app', '/home/me/other/part.cuh', 'part.cuh'],
  ['/home/me/app', '/usr/include/cuda/std/limits', 'limits'],
])('from %s, %s is %s', (folder, file, name) => {
  expect(nameInTrace(folder, file)).toBe(name);
});
