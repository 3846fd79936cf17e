#include "table.h"
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100;
  std::vector<int> a(n), b(n), sum(n);
  for (int i = 0; i < n; ++i) a[i] = scaled(i), b[i] = 2 * i;
  add_on_gpu(a.data(), b.data(), sum.data(), n);
  for (int i = 0; i < n; ++i)
    if (sum[i] != 5 * i) return std::printf("%d: %d\n", i, sum[i]), 1;
  std::printf("%d right\n", n);
}
