import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compileProgram, releaseCompiler } from '../../../engine/compile/index.ts';
import { newFolder, request, write } from '../cuda/program.ts';

afterAll(releaseCompiler);

const child = '__global__ void child(int *x) { *x = 1; }\n';
const main = 'int main() { parent<<<1, 1>>>(nullptr); return cudaDeviceSynchronize(); }\n';

const folder = newFolder();

/** With an empty cache, and how many runs of the compiler succeeded. */
async function compile(...texts: string[]) {
  const cacheFolder = join(newFolder(), 'cache');
  const sources = texts.map((text, i) => write(folder, `${i}.cu`, text));
  const { device } = await compileProgram(request(sources), { cacheFolder });
  return { device, runs: readdirSync(cacheFolder).length };
}

describe('a program whose kernels launch kernels', () => {
  test('is compiled once, as relocatable code; those of several files are linked at once', async () => {
    const parent = `__global__ void parent(int *x) { child<<<1, 1>>>(x); }\n${main}`;
    const { device, runs } = await compile(child + parent);
    expect(device[0]!.ir).toContain('__simsight_device_runtime(i32 1,');
    // Headers of both sides, code for the device before the optimizer and twice after it, code of the host, the program.
    expect(runs).toBe(7);
    const two = await compile(`__global__ void child(int *x);\n${parent}`, child);
    expect(two.device).toHaveLength(1);
    expect(two.device[0]!.ir).toContain('define dso_local ptx_kernel void @_Z5childPi');
  });

  test('is what it would be without having been looked for, where there is none', async () => {
    const parent = (launch: string): string =>
      `${child}static __device__ int n;\n__global__ void parent(int *x) {\n#if 0\n${launch}\n#endif\n*x = n++;\n}\n${main}`;
    const [seeming, plain] = [await compile(parent('child<<<1, 1>>>(x);')), await compile(parent(''))];
    expect(seeming.device[0]!.ir).toBe(plain.device[0]!.ir);
  });
});
