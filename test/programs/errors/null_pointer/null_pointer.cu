#include <cstdio>
__global__ void kernel(int *x) { x[threadIdx.x] = 1; }
int main() {
  kernel<<<1, 32>>>(nullptr);
  const cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e == cudaSuccess ? 0 : 3;
}
