// For the README's pictures: lanes that meet in one bank, and lanes that leave a loop one by one.
#include <cuda_runtime.h>

#ifndef PAD
#define PAD 0
#endif
#ifndef ROWS
#define ROWS 8
#endif
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += ROWS)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void collatz(int *steps) {
  long long v = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int count = 0;
  while (v != 1) {
    if (v % 2 == 0)
      v /= 2;
    else
      v = 3 * v + 1;
    count++;
  }
  steps[blockIdx.x * blockDim.x + threadIdx.x] = count;
}

int main() {
  const int n = 2048;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  for (int i = 0; i < 4; i++) transpose<<<dim3(n / 32, n / 32), dim3(32, ROWS)>>>(in, out, n);
  collatz<<<64, 256>>>((int *)out);
  return cudaDeviceSynchronize();
}
