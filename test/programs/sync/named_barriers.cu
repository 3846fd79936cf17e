// Named barriers of PTX: bar.sync with a thread count, and producer and consumer warps by bar.arrive.
#include "../check.h"

__global__ void kernel(int *out) {
  __shared__ int shared[2][64];
  const int i = threadIdx.x, half = i / 64, l = i % 64;
  // Two halves of the block, each with its own barrier, run different numbers of rounds.
  int x = i;
  for (int r = 0; r < 3 + 4 * half; ++r) {
    shared[half][l] = x;
    if (half == 0) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync %0, %1;" ::"r"(2), "r"(64) : "memory");
    x += shared[half][(l + 1) % 64];
    if (half == 0) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync 2, 64;" ::: "memory");
  }
  out[i] = x;
  __syncthreads();
  if (half == 0) {
    shared[0][l] = l * l;
    __threadfence_block();
    asm volatile("bar.arrive 3, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 3, 128;" ::: "memory");
    out[64 + i] = shared[0][63 - l];
  }
}

int main() {
  Device<int> out(192);
  kernel<<<1, 128>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int half = 0; half < 2; ++half) {
    std::vector<int> x(64), y(64);
    for (int l = 0; l < 64; ++l) x[l] = half * 64 + l;
    for (int r = 0; r < 3 + 4 * half; ++r) {
      for (int l = 0; l < 64; ++l) y[l] = x[l] + x[(l + 1) % 64];
      x = y;
    }
    for (int l = 0; l < 64; ++l) same("rounds", half * 64 + l, got[half * 64 + l], x[l]);
  }
  for (int l = 0; l < 64; ++l) same("handed", l, got[128 + l], (63 - l) * (63 - l));
  return finish();
}
