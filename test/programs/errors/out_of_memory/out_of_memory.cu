#include <cstdio>
int main() {
  cudaError_t e = cudaSuccess;
  void *p;
  for (int i = 0; i < 1000 && e == cudaSuccess; ++i) e = cudaMalloc(&p, (size_t)1 << 30);
  printf("%s\n", cudaGetErrorString(e));
  return e == cudaSuccess ? 0 : 3;
}
