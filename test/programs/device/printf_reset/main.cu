// cudaDeviceReset waits for kernels and writes what they printed, as the last call of many programs.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void say() { printf("kernel %d\n", threadIdx.x); }

int main() {
  say<<<1, 2>>>();
  cudaError_t status = cudaDeviceReset();
  printf("host %d\n", status);
  return 0;
}
