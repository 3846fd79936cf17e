/** Programs that fail because of a race on shared memory: both lines are named, and nothing is said of programs without. */
import { describe, expect, test } from 'vitest';
import { FailedChecks } from '../../../engine/recording/races.ts';
import { recorded } from './recorded.ts';

/** Sums of a block, twice over one array; `between` stands between the two. On hardware the result is right, by luck. */
const program = (between: string, verdict: string): string => `#include <cstdio>
__device__ int blockSum(int value, int *parts) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < blockDim.x / 32; i++) sum += parts[i];
  return sum;
}
__global__ void twice(int *out) {
  __shared__ int parts[32];
  const int first = blockSum(threadIdx.x, parts);
  ${between}
  const int second = blockSum(1, parts);
  out[threadIdx.x] = first + second;
}
int main() {
  int *d, h[256], wrong = 0;
  cudaMalloc(&d, sizeof h);
  twice<<<1, 256>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 256; i++) wrong += h[i] != 255 * 128 + 256;
  ${verdict}
}
`;
const run = async (text: string) => {
  let printed = '';
  const { trace, ...result } = await recorded(text, {
    onProgress: ({ console }) => {
      for (const { stream, text: piece } of console) if (stream === 'stderr') printed += piece;
    },
  });
  const { notices } = trace.info;
  trace.close();
  return { ...result, notices, printed };
};
const fails = 'printf("%s\\n", "FAILED"); return 1;';
const named =
  'Race on __shared__ memory: read of 4 bytes at offset 0 by thread (32,0,0) in block (0,0,0) of twice(int *) (app.cu:7) conflicts with the write of another warp at app.cu:4 since the last barrier.';

describe('a program that fails', () => {
  test('is told of a race, with both lines, in its trace and among what it prints', async () => {
    const { exitCode, race, notices, printed } = await run(program('', fails));
    expect(exitCode).toBe(1);
    expect(race).toContain('The program seems to have failed, and it has a race');
    expect(race).toContain(named);
    expect(notices).toContain(race);
    expect(printed).toContain(race);
  });
  test('by what it prints alone', async () => {
    const { exitCode, race } = await run(program('', 'printf("result: MISMATCH\\n");'));
    expect(exitCode).toBe(0);
    expect(race).toContain('app.cu:7');
  });
  test('is told nothing where there is a barrier', async () => {
    const { race, notices } = await run(program('__syncthreads();', fails));
    expect(race).toBeNull();
    expect(notices.join()).not.toContain('Race');
  });
});

test('A program that does not fail is not run again', async () => {
  const { race } = await run(program('', 'printf("0 mismatches, max error = 0\\n");'));
  expect(race).toBeNull();
});

describe('failed checks', () => {
  const says = (...texts: string[]): boolean => {
    const checks = new FailedChecks();
    for (const text of texts) checks.take(text);
    return checks.end();
  };
  test.each([
    'FAILED\n',
    'Test failed!',
    'Result = FAIL\n',
    'Mismatch at 5: 3 vs 4\n',
    'wrong result',
    'Fa',
    'results are incorrect',
  ])('%j', (text) => expect(says(text)).toBe(text !== 'Fa'));
  test.each([
    'PASS\n',
    '0 mismatches\n',
    'failed: 0\n',
    'no failures',
    'mismatches = 0',
    'max error 1e-6\n',
    'no error',
  ])('none: %j', (text) => expect(says(text)).toBe(false));
  test('that failed as it was to, whatever the runtime says of the kernel', () => {
    const checks = new FailedChecks();
    checks.take('Simsight: a.cu:6: f: block: [1,0,0], thread: [28,0,0] Assertion `i < n` failed. (cudaErrorAssert)\n');
    expect(checks.expected).toBe(false);
    checks.take('Device assert failed as expected\n');
    expect([checks.end(), checks.expected]).toEqual([false, true]);
  });
  test('in pieces', () => expect(says('The test FA', 'ILED here\n', 'PASS\n')).toBe(true));
});
