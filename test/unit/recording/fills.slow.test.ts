/** Memsets of what is there already are not done again, and all others are. */
import { expect, test } from 'vitest';
import { recorded } from './recorded.ts';

const program = `#include <cstdio>
#include <cstring>
__global__ void add(int *a, int i) { a[i] += 7; }
const int n = 1 << 20;
int *a, *b, wrong;
void expect(int *at, int i, int value, int line) {
  int found;
  cudaMemcpy(&found, at + i, 4, cudaMemcpyDeviceToHost);
  if (found == value) return;
  printf("line %d: %d instead of %d\\n", line, found, value);
  wrong++;
}
#define EXPECT(at, i, value) expect(at, i, value, __LINE__)
int main() {
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  for (int k = 0; k < 4; k++) {
    cudaMemset(a, 0, n * 4);
    cudaMemset(b, 1, n * 4);
    add<<<1, 1>>>(a, k % 2);
    EXPECT(a, k % 2, 7);
    EXPECT(a, 1 - k % 2, 0);
    EXPECT(b, n - 1, 0x01010101);
  }
  cudaMemset(a, 0, n * 4);
  cudaMemset(a, 0, n * 4);
  EXPECT(a, 1, 0);
  cudaMemset(a + 100, 255, 400);
  cudaMemset(a, 0, n * 4);
  EXPECT(a, 150, 0);
  int host[100];
  memset(host, 5, 400);
  cudaMemcpy(a + 100, host, 400, cudaMemcpyHostToDevice);
  cudaMemset(a, 0, n * 4);
  EXPECT(a, 199, 0);
  cudaMemcpy(a, b, n * 4, cudaMemcpyDeviceToDevice);
  cudaMemset(a, 0, n * 4);
  EXPECT(a, n / 2, 0);
  cudaMemset2D(a, 64, 3, 16, 4);
  EXPECT(a, 32, 0x03030303);
  cudaMemset2D(a, 64, 0, 16, 4);
  EXPECT(a, 32, 0);
  int *both;
  cudaMallocManaged(&both, n * 4);
  for (int k = 0; k < 3; k++) {
    cudaMemset(both, 0, n * 4);
    cudaDeviceSynchronize();
    if (both[5] != 0) wrong++;
    both[5] = 1;
  }
  cudaFree(a);
  cudaMalloc(&a, n * 4);
  cudaMemset(a, 0, n * 4);
  EXPECT(a, 5, 0);
  return wrong;
}
`;

test.each([{}, { executeAll: true }, { sample: true }])('with %o', async (options) => {
  const { trace, exitCode } = await recorded(program, options);
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('');
  trace.close();
  expect([said, exitCode]).toEqual(['', 0]);
});
