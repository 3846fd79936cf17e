// Needs 2 GPUs.
// Kernels that kernels launch run on the device of their parent.
#include "../check.h"
__device__ int number;
__global__ void child(int *out) { out[threadIdx.x] = number + threadIdx.x; }
__global__ void parent(int *out) {
  if (threadIdx.x == 0) child<<<1, 32>>>(out);
}
int main() {
  for (int d = 1; d >= 0; d--) {
    CHECK(cudaSetDevice(d));
    const int own = 100 * (d + 1);
    CHECK(cudaMemcpyToSymbol(number, &own, sizeof own));
    Device<int> out(32);
    parent<<<1, 32>>>(out);
    CHECK_KERNEL();
    const std::vector<int> host = out.host();
    for (int i = 0; i < 32; i++) same("child", 32 * d + i, host[i], own + i);
  }
  return finish();
}
