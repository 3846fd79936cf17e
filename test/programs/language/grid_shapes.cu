// Grids and blocks of one to three dimensions: every index occurs once, block and grid dimensions as launched.
#include "../check.h"

__global__ void kernel(int *count, int *wrong, dim3 g, dim3 b) {
  if (gridDim.x != g.x || gridDim.y != g.y || gridDim.z != g.z || blockDim.x != b.x || blockDim.y != b.y || blockDim.z != b.z) atomicAdd(wrong, 1);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  atomicAdd(&count[block * b.x * b.y * b.z + thread], 1);
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane != thread % warpSize) atomicAdd(wrong, 1);
}

int main() {
  const dim3 shapes[][2] = {{{1, 1, 1}, {1, 1, 1}}, {{3, 1, 1}, {33, 1, 1}}, {{2, 3, 1}, {5, 7, 1}}, {{2, 3, 4}, {4, 4, 5}}, {{1, 1, 5}, {1, 1, 64}}, {{1, 70, 1}, {2, 2, 2}}, {{4, 1, 1}, {1024, 1, 1}}};
  for (const auto &s : shapes) {
    const int n = s[0].x * s[0].y * s[0].z * s[1].x * s[1].y * s[1].z;
    Device<int> count(n), bad(1);
    kernel<<<s[0], s[1]>>>(count, bad, s[0], s[1]);
    CHECK_KERNEL();
    same("indices", n, bad.host()[0], 0);
    const auto c = count.host();
    for (int i = 0; i < n; ++i) same("count", i, c[i], 1);
  }
  return finish();
}
