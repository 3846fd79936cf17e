// Needs 2 GPUs.
// A kernel that reads another device's memory, to which it has no access.
#include "../../check.h"
__global__ void copy(int *to, const int *from) { *to = *from; }
int main() {
  int *x[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMalloc(&x[d], 4096));
  }
  CHECK(cudaSetDevice(0));
  copy<<<1, 1>>>(x[0], x[1] + 8);
  EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  return finish();
}
