// __syncthreads and its counting forms: _count, _and, _or; in loops; with different code before each.
#include "../check.h"

__global__ void kernel(int *out, int rounds) {
  __shared__ int shared[128];
  const int i = threadIdx.x, n = blockDim.x;
  int x = i, counts = 0;
  for (int r = 0; r < rounds; ++r) {
    if (i % 3 == r % 3) x = x * 3 + 1;
    else
      for (int k = 0; k < i % 5; ++k) x ^= k << r;
    shared[i] = x;
    __syncthreads();
    x += shared[(i + r + 1) % n];
    __syncthreads();
    counts += __syncthreads_count(x & 1);
    if (__syncthreads_and(x < 2000000000)) counts += 1000;
    if (__syncthreads_or(i == n - 1 && x % 2 == 0)) counts += 100000;
  }
  out[blockIdx.x * n * 2 + i] = x, out[blockIdx.x * n * 2 + n + i] = counts;
}

int main() {
  for (int n : {32, 45, 128}) {
    const int rounds = 7;
    Device<int> out(2 * 2 * n);
    kernel<<<2, n>>>(out, rounds);
    CHECK_KERNEL();
    const auto got = out.host();
    std::vector<int> x(n), y(n);
    int counts = 0;
    for (int i = 0; i < n; ++i) x[i] = i;
    for (int r = 0; r < rounds; ++r) {
      for (int i = 0; i < n; ++i)
        if (i % 3 == r % 3) x[i] = x[i] * 3 + 1;
        else
          for (int k = 0; k < i % 5; ++k) x[i] ^= k << r;
      bool all = true;
      for (int i = 0; i < n; ++i) y[i] = x[i] + x[(i + r + 1) % n];
      for (int i = 0; i < n; ++i) counts += y[i] & 1, all = all && y[i] < 2000000000;
      counts += (all ? 1000 : 0) + (y[n - 1] % 2 == 0 ? 100000 : 0);
      x = y;
    }
    for (int b = 0; b < 2; ++b)
      for (int i = 0; i < n; ++i) same("value", i, got[b * n * 2 + i], x[i]), same("count", i, got[b * n * 2 + n + i], counts);
  }
  return finish();
}
