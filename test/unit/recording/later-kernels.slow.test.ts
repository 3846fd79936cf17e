/** Programs with many kernels, each of which is compiled when it is first needed. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compileDevice, compileProgram, releaseCompiler } from '../../../engine/compile/index.ts';
import { widenModule } from '../../../engine/kernels/module.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { cacheFolder, folderOfText } from '../../setup/kept.ts';
import { recorded } from './recorded.ts';

afterAll(releaseCompiler);

/** Unrolled kernels of several sizes; some write what others read, one prints, one asks for more shared memory than there is. */
const source = `#include <cstdio>
__device__ float scale = 2;
__constant__ float table[4] = {1, 2, 3, 4};
static __device__ int counter;
static __device__ int *place = &counter;
template <int N, int R> __global__ void work(float *out, const float *in, int n) {
  __shared__ float tile[N][R];
  float acc[R];
  for (int r = 0; r < R; r++) acc[r] = table[r % 4];
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int k = 0; k < N; k++) acc[r] = acc[r] * in[(i + k * r) % n] + scale * in[(i * r + k) % n];
  }
  for (int r = 0; r < R; r++) tile[threadIdx.x % N][r] = acc[r];
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < R; r++) sum += tile[(threadIdx.x + 1) % N][r];
  if (threadIdx.x == 0) atomicAdd(&counter, 1);
  out[threadIdx.x] = sum;
}
__global__ void set(float to) { scale = to; }
__global__ void show() { printf("counter %d, %d, scale %g\\n", counter, *place, scale); }
__global__ void large(float *out) {
  __shared__ float much[100000];
  much[threadIdx.x] = *out;
  __syncthreads();
  *out = much[31 - threadIdx.x];
}
template <int N> void all(float *out, const float *in, int n) {
  work<N, 4><<<1, 32>>>(out, in, n);
  work<N, 8><<<1, 32>>>(out, in, n);
  work<N, 16><<<1, 32>>>(out, in, n);
}
int main(int argc, char **argv) {
  float host[64], *in, *out;
  for (int i = 0; i < 64; i++) host[i] = i % 3;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  switch (argc > 1 ? argv[1][0] : '4') {
    case '4': work<4, 4><<<1, 32>>>(out, in, 64); break;
    case '6': all<6>(out, in, 64); break;
    case '8': all<8>(out, in, 64); break;
    case '9': all<9>(out, in, 64); break;
    case '1': all<16>(out, in, 64); break;
    case '5': all<15>(out, in, 64); break;
    case 'l': large<<<1, 32>>>(out); break;
  }
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, work<8, 4>) || attributes.sharedSizeBytes != 8 * 4 * 4) return 1;
  int three = 3, counted = 0;
  cudaMemcpyToSymbol(counter, &three, sizeof three);
  set<<<1, 1>>>(5);
  work<4, 4><<<1, 32>>>(out, in, 64);
  show<<<1, 1>>>();
  cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
  return counted == 4 && cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
}
`;

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
const printed = (trace: Awaited<ReturnType<typeof recorded>>['trace']): string =>
  trace.query('SELECT text FROM SIMSIGHT_CONSOLE').map(String).join('');

describe('a program with many kernels', () => {
  test('finds its variables the same in all of them, and is the same each time', async () => {
    const first = await recorded(source);
    expect(first.exitCode).toBe(0);
    expect(printed(first.trace)).toContain('counter 4, 4, scale 5');
    const again = await recorded(source);
    expect(digestOf(again.path)).toBe(digestOf(first.path));
  });

  test('fails for a kernel when it is launched', async () => {
    await expect(recorded(source, { arguments: ['large'] })).rejects.toMatchObject({
      code: 'compile-failed',
      message: expect.stringContaining('large(float *) uses too much shared data') as string,
      place: { line: 25 },
    });
  });

  test('has the machine code that it would have of all kernels at once', async () => {
    const file = join(folderOfText(source), 'app.cu');
    mkdirSync(folderOfText(source), { recursive: true });
    writeFileSync(file, source);
    const request = { sources: [file], includeFolders: [], defines: [], computeCapability: { major: 9, minor: 0 } };
    const [{ later, ir }] = (await compileProgram(request, { cacheFolder })).device as [
      Awaited<ReturnType<typeof compileDevice>>,
    ];
    expect(ir).not.toContain('define ');
    expect(later!.names).toContain('_Z3setf');
    const whole = widenModule((await compileDevice(request, { cacheFolder })).ir, file);
    expect([...later!.names].sort()).toEqual(whole.kernels.map(({ name }) => name).sort());
    for (const name of later!.names) {
      const alone = widenModule(await later!.irOf(name), file);
      expect(codeOf(alone, name)).toEqual(codeOf(whole, name));
    }
  });
});

/** What a kernel's instructions are and where they come from; names of registers mean nothing. */
function codeOf({ kernels }: DeviceModule, name: string) {
  const { machine, registersPerThread, staticSharedBytes, sites } = kernels.find((kernel) => kernel.name === name)!;
  const instructions = machine!.blocks.flatMap((block) =>
    block.instructions.map(({ opcode, modifiers, place, access }) => ({ opcode, modifiers, place, access })),
  );
  return { instructions, registersPerThread, staticSharedBytes, sites };
}
