/** Standards of C++: a program and its kernels are compiled by the one that is asked for, with our headers. */
import { expect, test } from 'vitest';
import { recorded } from './recorded.ts';

const program = `#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <curand_kernel.h>
#include <mma.h>
#if __cplusplus >= 201703L
#include <filesystem>
#endif
#if __cplusplus >= 202002L
#include <algorithm>
#include <concepts>
#include <ranges>
#include <span>
template <std::integral T> __device__ T twice(T x) { return 2 * x; }
#else
template <class T> __device__ T twice(T x) { return 2 * x; }
#endif
#if __cplusplus > 202002L
#include <expected>
#include <format>
#include <print>
#endif
#include <cstdio>
__global__ void standard(long *out) {
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  out[0] = __cplusplus;
  out[1] = twice(tile.shfl((long)threadIdx.x, 5)) + tile.size();
#if __cplusplus >= 201703L
  if constexpr (sizeof(long) == 8) out[1]++;
#endif
}
int main() {
  long *d, h[2];
  cudaMalloc(&d, sizeof h);
  standard<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
#if __cplusplus >= 202002L
  std::span<long> s(h);
  printf("%ld ", std::ranges::max(s.subspan(1)));
#endif
#if __cplusplus > 202002L
  std::print("{:>3} ", std::ranges::max(s.subspan(1)));
  std::print("{} ", std::expected<int, int>(23).value());
#endif
  printf("%ld %ld %ld\\n", (long)__cplusplus, h[0], h[1]);
}`;

test.each([
  ['c++11', '201103 201103 42'],
  ['c++14', '201402 201402 42'],
  [undefined, '201703 201703 43'],
  ['c++17', '201703 201703 43'],
  ['c++20', '43 202002 202002 43'],
  ['c++23', '43  43 23 202302 202302 43'],
] as const)('%s', async (standard, expected) => {
  const { trace } = await recorded(program, standard === undefined ? {} : { standard });
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('');
  trace.close();
  expect(said).toBe(`${expected}\n`);
});
