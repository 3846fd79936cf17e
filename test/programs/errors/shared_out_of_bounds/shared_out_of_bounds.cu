#include <cstdio>
__global__ void kernel(int *x) { __shared__ int s[8]; s[threadIdx.x * 100000] = 1; __syncthreads(); x[threadIdx.x] = s[threadIdx.x & 7]; }
int main() {
  int *x;
  cudaMalloc(&x, 128);
  kernel<<<1, 32>>>(x);
  const cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e == cudaSuccess ? 0 : 3;
}
