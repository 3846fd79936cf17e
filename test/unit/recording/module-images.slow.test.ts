/** Programs that load their kernels: the trace has them as it has others, and what is no image of ours is refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { imageBody, imageBytes, imageLineBytes, imageOf } from '../../../engine/base/module-image.ts';
import { compileImage, makeImage, releaseCompiler } from '../../../engine/compile/index.ts';
import { cacheFolder } from '../../setup/kept.ts';
import { newFolder } from '../cuda/program.ts';
import { recorded } from './recorded.ts';

afterAll(releaseCompiler);

const capability = { major: 9, minor: 0 };
const kernels = `#include "factor.h"
extern "C" __global__ void scale(float *values) {
  values[threadIdx.x] *= FACTOR + BIAS;
}
`;

async function image(source = kernels, defines = ['BIAS=1']): Promise<Uint8Array> {
  const folder = newFolder();
  writeFileSync(join(folder, 'kernels.cu'), source);
  writeFileSync(join(folder, 'factor.h'), '#define FACTOR 2\n');
  const request = { sources: [join(folder, 'kernels.cu')], includeFolders: [], defines, computeCapability: capability };
  return (await makeImage(request, { cacheFolder })).image;
}

/** A program that has the image as a string. */
const program = (loaded: string): string => `#include <cstdio>
#include <cuda.h>
static const char image[] = R"IMAGE(${loaded})IMAGE";
int main() {
  CUmodule module;
  CUfunction scale;
  float values[32], *memory;
  for (int i = 0; i < 32; i++) values[i] = i;
  cudaMalloc(&memory, sizeof values);
  cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice);
  if (int code = cuModuleLoadData(&module, image)) return code % 256;
  cuModuleGetFunction(&scale, module, "scale");
  void *parameters[] = {&memory};
  cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr);
  cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; i++) if (values[i] != 3 * i) return 1;
  return 0;
}
`;

describe('module images', () => {
  test('begin with a line that says how long they are', () => {
    const made = imageOf('{"ü":1}');
    expect(made.length).toBe(imageLineBytes + 8);
    expect(imageBytes(made.subarray(0, imageLineBytes))).toBe(made.length);
    expect(imageBody(made)).toBe('{"ü":1}');
    expect(imageBody(made.subarray(0, -1))).toBeNull();
    expect(imageBytes(new TextEncoder().encode('.version 8.7\n.target sm_90\n'))).toBeNull();
  });

  test('their kernels are timed and traced as others, with the source', async () => {
    const { exitCode, kernels: count, trace } = await recorded(program(new TextDecoder().decode(await image())));
    expect([exitCode, count]).toEqual([0, 1]);
    const names = trace.query(
      `SELECT s.value FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId WHERE s.value LIKE 'cu%' AND s.value NOT LIKE 'cuda%'`,
    );
    expect(names.map(([name]) => name)).toEqual(['cuModuleLoadData', 'cuModuleGetFunction', 'cuLaunchKernel']);
    const launched = trace.query(
      'SELECT s.value, k.end - k.start > 0 FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName',
    );
    expect(launched).toEqual([['scale', 1]]);
    const sources = trace.query("SELECT text FROM SIMSIGHT_SOURCES WHERE path = 'kernels.cu'");
    expect(sources).toEqual([[kernels]]);
    const [lines] = trace.query(
      "SELECT count(*) FROM SIMSIGHT_INSTRUCTIONS i JOIN StringIds s ON s.id = i.fileId WHERE s.value = 'kernels.cu' AND i.line = 3",
    );
    expect(Number(lines![0])).toBeGreaterThan(0);
    trace.close();
  });

  test("nvcc's machine code is refused, with what to do", async () => {
    const refused = await recorded(program('\x7fELF\x02\x01')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'unsupported-construct', message: expect.stringContaining('a cubin') });
    expect(refused).toMatchObject({ remedy: expect.stringContaining('simsight nvcc') });
  });

  test('what a program makes up is compiled from what it holds alone, or refused', async () => {
    const options = { cacheFolder };
    const hostile = (body: unknown) => compileImage(imageOf(JSON.stringify(body)), capability, options);
    const whole = { source: '/k.cu', language: 'cuda', includeFolders: [], defines: [], files: [['/k.cu', '']] };
    for (const body of [
      null,
      {},
      { ...whole, files: [] },
      { ...whole, source: '-load', files: [['-load', '']] },
      { ...whole, defines: [1] },
      { ...whole, standard: 'c++17 -load' },
    ])
      await expect(hostile(body)).rejects.toMatchObject({ code: 'unsupported-construct' });
    const outside = { ...whole, files: [['/k.cu', `#include "${join(import.meta.dirname, 'recorded.ts')}"\n`]] };
    await expect(hostile(outside)).rejects.toMatchObject({ code: 'compile-failed' });
  });

  test('the errors of a source are those of Clang', async () => {
    await expect(image('__global__ void broken() { nothing(); }')).rejects.toMatchObject({
      code: 'compile-failed',
      message: expect.stringContaining('nothing'),
    });
  });
});
