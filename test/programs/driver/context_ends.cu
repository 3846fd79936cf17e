// A context that is destroyed while a kernel waits for what the host has just written: the kernel ends before.
#include "check_driver.h"
__global__ void waits(volatile int *latch) {
  while (*latch == 0) {}
}
__global__ void says(int *latch) { *latch = 2; }
int main() {
  CUcontext own;
  CUdevice device;
  int *latch;
  DRIVER(cuInit(0));
  DRIVER(cuDeviceGet(&device, 0));
  CHECK(cudaMallocHost(&latch, 4));
  *latch = 0;
  DRIVER(cuCtxCreate(&own, CU_CTX_SCHED_AUTO, device));
  waits<<<1, 1>>>(latch);
  says<<<1, 1>>>(latch);
  CHECK(cudaGetLastError());
  EXPECT(*latch == 0);
  *latch = 1;
  DRIVER(cuCtxDestroy(own));
  EXPECT(*latch == 2);
  return finish();
}
