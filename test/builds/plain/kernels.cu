#include "table.h"

__global__ void add(const int *a, const int *b, int *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

void add_on_gpu(const int *a, const int *b, int *sum, int n) {
  int *device;
  cudaMalloc(&device, 3 * n * sizeof(int));
  cudaMemcpy(device, a, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(device + n, b, n * sizeof(int), cudaMemcpyHostToDevice);
  add<<<(n + 63) / 64, 64>>>(device, device + n, device + 2 * n, n);
  cudaMemcpy(sum, device + 2 * n, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device);
}
