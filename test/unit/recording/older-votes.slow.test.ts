/** Votes and shuffles without a mask, on a GPU that has them (Pascal): of the lanes that are there. */
import { expect, test } from 'vitest';
import { recorded } from './recorded.ts';

const program = `#include <cstdio>
__global__ void vote(unsigned *out) {
  const int lane = threadIdx.x;
  if (lane < 8) {
    const unsigned odd = __ballot(lane & 1);
    const int sum = __shfl_xor(lane, 1) + __shfl(lane, 2) + __shfl_down(lane, 1) + __shfl_up(lane, 1);
    out[lane] = odd | (unsigned)__any(lane == 3) << 8 | (unsigned)__all(lane < 8) << 9 | (unsigned)sum << 16;
  }
}
int main() {
  unsigned *out;
  cudaMallocManaged(&out, 32);
  vote<<<1, 32>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  printf("%x %x\\n", out[0], out[5]);
}
`;

test('of the lanes that are there', async () => {
  const { exitCode, trace } = await recorded(program, { gpu: 'mx330' });
  expect(exitCode).toBe(0);
  // Lane 0: 1 + 2 + 1 + 0; lane 5: 4 + 2 + 6 + 4.
  expect(
    trace
      .console()
      .map(({ text }) => text)
      .join(''),
  ).toBe('403aa 1003aa\n');
});
