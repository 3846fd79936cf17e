// A kernel that a kernel launched fails: the host learns of it as of any kernel.
// Compile with relocatable device code.
#include <cstdio>
__global__ void child(int *x) { x[threadIdx.x] = 1; }
__global__ void parent(int *x) { child<<<1, 2>>>(threadIdx.x == 0 ? x : nullptr); }
int main() {
  int *x;
  cudaMalloc(&x, 8);
  parent<<<1, 2>>>(x);
  const cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e == cudaSuccess ? 0 : 3;
}
