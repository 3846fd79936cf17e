#include <cstdio>
__global__ void kernel(int *x) { x[threadIdx.x] = 1; }
int main() {
  int *x;
  cudaMalloc(&x, 64 << 20);
  cudaFree(x);
  kernel<<<1, 32>>>(x);
  const cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e == cudaSuccess ? 0 : 3;
}
