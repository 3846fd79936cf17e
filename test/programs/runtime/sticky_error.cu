// An illegal access ends the context: every later call gives the same error.
#include "../check.h"
__global__ void bad(int *x) { x[threadIdx.x * 1000003] = 1; }
__global__ void good(int *x) { *x = 7; }
int main() {
  int *p;
  CHECK(cudaMalloc(&p, 4));
  bad<<<1, 32>>>((int *)16);
  CHECK(cudaGetLastError());
  EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_ERROR(cudaMalloc(&p, 4), cudaErrorIllegalAddress);
  good<<<1, 1>>>(p);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorIllegalAddress);
  return finish();
}
