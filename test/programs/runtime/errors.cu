// Errors that do not end the context: bad launches, bad arguments; last-error semantics; names and texts.
#include "../check.h"
__global__ void kernel(int *x) { if (x) *x = 1; }
__global__ void fixed() { __shared__ volatile char s[1024]; s[threadIdx.x] = 1; }
int main() {
  EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
  kernel<<<0, 32>>>(nullptr);
  EXPECT_ERROR(cudaPeekAtLastError(), badConfiguration);
  EXPECT_ERROR(cudaGetLastError(), badConfiguration);
  EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
  kernel<<<1, 0>>>(nullptr);
  EXPECT_ERROR(cudaGetLastError(), badConfiguration);
  kernel<<<1, 1025>>>(nullptr);
  EXPECT_ERROR(cudaGetLastError(), badConfiguration);
  kernel<<<dim3(1, 65536), 1>>>(nullptr);
  EXPECT_ERROR(cudaGetLastError(), badConfiguration);
  kernel<<<1, dim3(1, 1, 65)>>>(nullptr);
  EXPECT_ERROR(cudaGetLastError(), badConfiguration);
  fixed<<<1, 32, 48 * 1024>>>();
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaDeviceSynchronize(), cudaSuccess);
  int *p;
  EXPECT_ERROR(cudaMalloc(&p, ~(size_t)0 - 4096), cudaErrorMemoryAllocation);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(&p, 400));
  EXPECT_ERROR(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20), cudaErrorInvalidValue);
  cudaGetLastError();
  int host;
  EXPECT_ERROR(cudaFree(&host), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_ERROR(cudaFreeHost(&host), cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaFree(p));
  EXPECT_ERROR(cudaFree(p), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaMemcpy(&host, (void *)16, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_ERROR(cudaMemcpy(&host, &host, 4, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
  EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered") == 0);
  EXPECT(strcmp(cudaGetErrorString((cudaError_t)98765), "unrecognized error code") == 0);
  return finish();
}
