// A program ends while a kernel waits for it.
#include <cuda_runtime.h>
__global__ void waitFor(volatile int *latch) {
  while (*latch == 0) {}
}
int main() {
  int *latch;
  cudaMallocHost(&latch, sizeof(int));
  *latch = 0;
  waitFor<<<1, 32>>>(latch);
}
