// Shared memory and blocks at the limits of the device and one beyond: static, dynamic, with and without opt-in.
#include "../check.h"
__global__ void dynamic(int *out, int n) {
  extern __shared__ int s[];
  s[n - 1 - threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) *out = s[n - 1] + 1 + s[n - blockDim.x];
}
__global__ void both(int *out) {
  __shared__ int fixed[256];
  extern __shared__ int s[];
  fixed[threadIdx.x] = s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) *out = fixed[31] + s[31];
}
__global__ void __launch_bounds__(128) bounded(int *out) { *out = blockDim.x; }
int main() {
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  Device<int> out(1);
  const int base = (int)p.sharedMemPerBlock, most = (int)p.sharedMemPerBlockOptin;
  dynamic<<<1, 64, base>>>(out, base / 4);
  CHECK_KERNEL();
  same("base", 0, out.host()[0], 64);
  dynamic<<<1, 64, base + 1>>>(out, base / 4);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  dynamic<<<1, 64, most>>>(out, most / 4);
  CHECK_KERNEL();
  dynamic<<<1, 64, most + 4>>>(out, most / 4);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
  // Static shared memory counts as well.
  both<<<1, 32, base - 1024>>>(out);
  CHECK_KERNEL();
  same("both", 0, out.host()[0], 62);
  both<<<1, 32, base - 1020>>>(out);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaFuncSetAttribute(both, cudaFuncAttributeMaxDynamicSharedMemorySize, most), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
  bounded<<<1, 128>>>(out);
  CHECK_KERNEL();
  bounded<<<1, 129>>>(out);
  EXPECT(cudaGetLastError() != cudaSuccess);
  bounded<<<dim3(1, 1, 65536), 1>>>(out);
  EXPECT_ERROR(cudaGetLastError(), badConfiguration);
  bounded<<<dim3(2, 0, 2), 1>>>(out);
  EXPECT_ERROR(cudaGetLastError(), badConfiguration);
  return finish();
}
