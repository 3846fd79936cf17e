// A barrier of the whole grid: cudaLaunchCooperativeKernel, grid.sync between phases that read other blocks' results.
// Needs compute capability 6.0.
#include "../check.h"
#include <algorithm>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void kernel(int *a, int *b, int n, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const int i = (int)grid.thread_rank();
  for (int r = 0; r < rounds; ++r) {
    for (int k = i; k < n; k += (int)grid.size()) b[k] = a[k] + a[(k + n / 2 + r) % n];
    grid.sync();
    int *t = a;
    a = b, b = t;
  }
}

int main() {
  int supported, blocks, processors;
  CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
  EXPECT(supported == 1);
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 0));
  EXPECT(blocks >= 1);
  int n = 1500, rounds = 6;
  std::vector<int> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = i % 13;
  Device<int> a(x), b(n);
  void *arguments[] = {&a.data, &b.data, &n, &rounds};
  CHECK(cudaLaunchCooperativeKernel((void *)kernel, dim3(std::min(processors, 3)), dim3(128), arguments, 0, 0));
  CHECK_KERNEL();
  for (int r = 0; r < rounds; ++r) {
    for (int k = 0; k < n; ++k) y[k] = x[k] + x[(k + n / 2 + r) % n];
    x = y;
  }
  const auto got = a.host();
  for (int i = 0; i < n; ++i) same("value", i, got[i], x[i]);
  // More blocks than fit at once cannot wait for each other.
  EXPECT_ERROR(cudaLaunchCooperativeKernel((void *)kernel, dim3(processors * blocks + 1), dim3(128), arguments, 0, 0), cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
  return finish();
}
