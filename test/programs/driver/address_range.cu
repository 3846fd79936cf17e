// cuMemGetAddressRange of allocations, variables and string literals: each is a range of its own.
#include "../check.h"
#include <cuda.h>
__device__ int table[100];
__global__ void addresses(const void **p) {
  p[0] = "literal";
  p[1] = &table[3];
}
int main() {
  const void **p;
  CHECK(cudaMallocManaged(&p, 2 * sizeof *p));
  addresses<<<1, 1>>>(p);
  CHECK_KERNEL();
  CUdeviceptr base = 0;
  size_t size = 0;
  same("literal", 0, (int)cuMemGetAddressRange(&base, &size, (CUdeviceptr)p[0]), 0);
  EXPECT(base == (CUdeviceptr)p[0] && size == sizeof "literal");
  char text[8] = {};
  CHECK(cudaMemcpy(text, p[0], size, cudaMemcpyDeviceToHost));
  EXPECT(!strcmp(text, "literal"));
  same("variable", 0, (int)cuMemGetAddressRange(&base, &size, (CUdeviceptr)p[1]), 0);
  EXPECT(base == (CUdeviceptr)p[1] - 12 && size == sizeof table);
  char *bytes;
  CHECK(cudaMalloc(&bytes, 1000));
  same("allocation", 0, (int)cuMemGetAddressRange(&base, &size, (CUdeviceptr)(bytes + 10)), 0);
  EXPECT(base == (CUdeviceptr)bytes && size == 1000);
  return finish();
}
