// __host__ __device__ functions and __CUDA_ARCH__: one source for both sides, macros as nvcc defines them.
#include "../check.h"
__host__ __device__ int side() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__;
#else
  return -1;
#endif
}
#ifndef __CUDACC__
#error __CUDACC__ is not defined
#endif
#ifndef __NVCC__
#error __NVCC__ is not defined
#endif
struct Vec { float x, y; __host__ __device__ float length() const { return sqrtf(x * x + y * y); } };
__global__ void kernel(int *arch, float *length, Vec v) { *arch = side(), *length = v.length(); }
int main() {
  Device<int> arch(1);
  Device<float> length(1);
  kernel<<<1, 1>>>(arch, length, Vec{3, 4});
  CHECK_KERNEL();
  int major, minor;
  CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0)), CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  same("side", 0, side(), -1);
  same("arch", 0, arch.host()[0], major * 100 + minor * 10);
  close("length", 0, length.host()[0], Vec{3, 4}.length(), 0);
  return finish();
}
