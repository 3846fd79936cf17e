// The host waits for a kernel that waits for the host: the kernel fails, and what is behind it is not executed.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void waitFor(volatile int *latch) {
  while (*latch == 0) {}
}
__global__ void store(int *x) { *x = 5; }
int main() {
  int *latch, *x;
  cudaMallocHost(&latch, sizeof(int));
  cudaMallocHost(&x, sizeof(int));
  *latch = *x = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  waitFor<<<1, 32, 0, stream>>>(latch);
  store<<<1, 1, 0, stream>>>(x);
  printf("launched: %s\n", cudaGetErrorString(cudaGetLastError()));
  const cudaError_t e = cudaStreamSynchronize(stream);
  printf("%s, x is %d\n", cudaGetErrorString(e), *x);
  return e == cudaSuccess ? 0 : 3;
}
