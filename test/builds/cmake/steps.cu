#include <field.h>
#ifndef IN_CUDA
#error "options of the language are absent"
#endif
__global__ void advance(int *values, int n) {
  const int i = threadIdx.x;
  if (i < n) values[i] = advanced(values[i], STEP);
}
int sum(int n) {
  int *values, result = 0;
  cudaMallocManaged(&values, n * sizeof(int));
  for (int i = 0; i < n; ++i) values[i] = start(i);
  advance<<<1, n>>>(values, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) result += values[i];
  cudaFree(values);
  return result;
}
