// __syncwarp orders shared-memory traffic of a warp; divergent lanes meet again, with sub-masks.
#include "../check.h"

__global__ void kernel(int *out) {
  __shared__ int shared[4][32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int x = lane + warp * 100;
  for (int by = 16; by > 0; by /= 2) {
    shared[warp][lane] = x;
    __syncwarp();
    const int other = shared[warp][lane ^ by];
    __syncwarp();
    x += other;
  }
  if (lane < 8) {
    shared[warp][lane] = x + lane;
    __syncwarp(0xff);
    x = shared[warp][7 - lane];
    __syncwarp(0xff);
  } else {
    shared[warp][lane] = lane * 3;
    __syncwarp(0xffffff00u);
    x = shared[warp][39 - lane];
  }
  out[threadIdx.x] = x;
}

int main() {
  Device<int> out(128);
  kernel<<<1, 128>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 128; ++i) {
    const int lane = i & 31, sum = 496 + 32 * 100 * (i >> 5);
    same("out", i, got[i], lane < 8 ? sum + 7 - lane : (39 - lane) * 3);
  }
  return finish();
}
