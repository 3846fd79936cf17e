// Needs 2 GPUs.
// cudaDeviceReset takes what belongs to the current device, and nothing else.
#include "../check.h"
__global__ void set(int *x, int value) { *x = value; }
int main() {
  int *x[2];
  cudaStream_t stream[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMalloc(&x[d], sizeof(int)));
    CHECK(cudaStreamCreate(&stream[d]));
    set<<<1, 1, 0, stream[d]>>>(x[d], 3 + d);
  }
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  CHECK(cudaDeviceReset());
  int device, value;
  CHECK(cudaGetDevice(&device));
  same("device", 0, device, 1);
  CHECK(cudaDeviceEnablePeerAccess(0, 0)); // not enabled any more
  CHECK(cudaMalloc(&x[1], sizeof(int)));
  set<<<1, 1>>>(x[1], 8);
  CHECK_KERNEL();
  CHECK(cudaMemcpy(&value, x[1], sizeof value, cudaMemcpyDeviceToHost));
  same("again", 0, value, 8);
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamSynchronize(stream[0]));
  CHECK(cudaMemcpy(&value, x[0], sizeof value, cudaMemcpyDeviceToHost));
  same("other", 0, value, 3);
  return finish();
}
