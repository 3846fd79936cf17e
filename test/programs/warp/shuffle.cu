// Shuffles: up, down, xor and index, every width, out-of-range sources, int, float, double and long long.
#include "../check.h"

constexpr int kinds = 9;

__global__ void kernel(double *out, int width, int by) {
  const int i = threadIdx.x;
  double *o = out + i * kinds;
  const int v = i * 10;
  o[0] = __shfl_sync(0xffffffffu, v, by, width);
  o[1] = __shfl_up_sync(0xffffffffu, v, by, width);
  o[2] = __shfl_down_sync(0xffffffffu, v, by, width);
  o[3] = __shfl_xor_sync(0xffffffffu, v, by, width);
  o[4] = __shfl_sync(0xffffffffu, v + 0.5f, i + by, width);
  o[5] = __shfl_down_sync(0xffffffffu, v + 0.25, by, width);
  o[6] = (double)__shfl_xor_sync(0xffffffffu, 1000000000000ll + v, by, width);
  o[7] = __shfl_up_sync(0xffffffffu, (unsigned)v, by, width);
  o[8] = (double)__shfl_sync(0xffffffffu, (unsigned long long)v << 32, 31 - i, width);
}

int main() {
  Device<double> out(64 * kinds);
  for (int width = 1; width <= 32; width *= 2)
    for (int by : {0, 1, 2, 5, 16, 31}) {
      kernel<<<1, 64>>>(out, width, by);
      CHECK_KERNEL();
      const auto got = out.host();
      for (int i = 0; i < 64; ++i) {
        const int lane = i % 32, warp = i - lane, first = lane / width * width, end = first + width;
        const auto index = [&](int source) { return (warp + first + (source & (width - 1))) * 10; };
        const int up = (lane - by >= first ? i - by : i) * 10, down = (lane + by < end ? i + by : i) * 10;
        const int x = ((lane ^ by) < end ? warp + (lane ^ by) : i) * 10;
        const double e[kinds] = {(double)index(by), (double)up, (double)down, (double)x, index(i + by) + 0.5, down + 0.25, 1e12 + x, (double)up, index(31 - i) * 4294967296.0};
        for (int k = 0; k < kinds; ++k)
          if (got[i * kinds + k] != e[k]) FAIL("kind %d width %d by %d lane %d: %g, expected %g", k, width, by, i, got[i * kinds + k], e[k]);
      }
    }
  return finish();
}
