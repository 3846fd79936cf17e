// Needs 2 GPUs.
// Managed memory and variables are the same for all devices.
#include "../check.h"
__managed__ int shared = 1;
__global__ void step(int *x, int factor) {
  *x = *x * factor + 1;
  shared += factor;
}
int main() {
  int *x;
  CHECK(cudaMallocManaged(&x, sizeof(int)));
  *x = 2;
  for (int pass = 0; pass < 2; pass++)
    for (int d = 0; d < 2; d++) {
      CHECK(cudaSetDevice(d));
      step<<<1, 1>>>(x, 3 + d);
      CHECK_KERNEL();
    }
  same("x", 0, *x, (((2 * 3 + 1) * 4 + 1) * 3 + 1) * 4 + 1);
  same("variable", 0, shared, 1 + 2 * (3 + 4));
  CHECK(cudaFree(x));
  return finish();
}
