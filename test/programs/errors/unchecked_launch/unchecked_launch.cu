// Launches that fail without anybody looking: the program goes on, its results are missing, and Simsight says why.
#include <cstdio>
__global__ void set(int *x) { *x = 1; }
int main() {
  int *x, host = 7;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  set<<<1, 2048>>>(x);
  if (cudaGetLastError() != cudaSuccess) printf("seen\n");
  set<<<0, 32>>>(x);
  set<<<1, 32, 400 * 1024>>>(x);
  cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  return 0;
}
