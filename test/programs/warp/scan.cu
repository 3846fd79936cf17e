// Warp algorithms by shuffles: inclusive scan, reduction of structs, bitonic sort of 32 values, in several warps.
#include "../check.h"
#include <algorithm>

__global__ void kernel(const int *in, int *scan, int *sorted, float *best) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x, lane = threadIdx.x & 31;
  int s = in[i];
  for (int by = 1; by < 32; by *= 2) {
    const int other = __shfl_up_sync(~0u, s, by);
    if (lane >= by) s += other;
  }
  scan[i] = s;
  int x = in[i];
  for (int size = 2; size <= 32; size *= 2)
    for (int by = size / 2; by > 0; by /= 2) {
      const int other = __shfl_xor_sync(~0u, x, by);
      const bool ascending = (lane & size) == 0, lower = (lane & by) == 0;
      x = ascending == lower ? min(x, other) : max(x, other);
    }
  sorted[i] = x;
  float value = (float)in[i];
  int where = i;
  for (int by = 16; by > 0; by /= 2) {
    const float v = __shfl_down_sync(~0u, value, by);
    const int w = __shfl_down_sync(~0u, where, by);
    if (v > value || (v == value && w < where)) value = v, where = w;
  }
  if (lane == 0) best[i / 32] = where;
}

int main() {
  const int n = 512;
  Random random;
  std::vector<int> in(n);
  for (int &x : in) x = (int)(random.next() % 1000);
  Device<int> d(in), scan(n), sorted(n);
  Device<float> best(n / 32);
  kernel<<<4, 128>>>(d, scan, sorted, best);
  CHECK_KERNEL();
  const auto sc = scan.host(), so = sorted.host();
  const auto b = best.host();
  for (int w = 0; w < n / 32; ++w) {
    std::vector<int> part(in.begin() + w * 32, in.begin() + w * 32 + 32);
    close("best", w, b[w], w * 32 + (std::max_element(part.begin(), part.end()) - part.begin()), 0);
    int sum = 0;
    for (int l = 0; l < 32; ++l) same("scan", w * 32 + l, sc[w * 32 + l], sum += part[l]);
    std::sort(part.begin(), part.end());
    for (int l = 0; l < 32; ++l) same("sort", w * 32 + l, so[w * 32 + l], part[l]);
  }
  return finish();
}
