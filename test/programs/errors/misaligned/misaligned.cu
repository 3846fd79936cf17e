#include <cstdio>
__global__ void kernel(int *x) { *(int *)((char *)x + 2 * (threadIdx.x == 5)) = 1; }
int main() {
  int *x;
  cudaMalloc(&x, 128);
  kernel<<<1, 32>>>(x);
  const cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e == cudaSuccess ? 0 : 3;
}
