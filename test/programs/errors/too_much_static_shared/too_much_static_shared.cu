#include <cstdio>
__global__ void kernel(float *x) {
  __shared__ float s[20000];
  s[threadIdx.x * 50] = 1;
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x * 40];
}
int main() {
  float *x;
  cudaMalloc(&x, 128);
  kernel<<<1, 32>>>(x);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
