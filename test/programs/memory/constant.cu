// Constant memory: cudaMemcpyToSymbol whole, in parts and asynchronously, uniform and divergent reads, structures.
#include "../check.h"
#include <algorithm>

struct Filter { float weight[9]; int radius; };
__constant__ Filter filter;
__constant__ int table[256];
__constant__ double initialised[4] = {1.5, 2.5, -3.5, 4.5};

__global__ void kernel(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = -filter.radius; k <= filter.radius; ++k) {
    const int j = min(max(i + k, 0), n - 1);
    sum += filter.weight[k + filter.radius] * in[j];
  }
  out[i] = sum + table[(i * 37) & 255] + (float)initialised[i & 3];
}

int main() {
  Filter f = {{1, 2, 3, 4, 5, 4, 3, 2, 1}, 4};
  std::vector<int> t(256);
  for (int i = 0; i < 256; ++i) t[i] = i * i;
  CHECK(cudaMemcpyToSymbol(filter, &f, sizeof f));
  CHECK(cudaMemcpyToSymbol(table, t.data(), 128 * sizeof(int)));
  CHECK(cudaMemcpyToSymbolAsync(table, t.data() + 128, 128 * sizeof(int), 128 * sizeof(int), cudaMemcpyHostToDevice, 0));
  const int n = 500;
  std::vector<float> in(n);
  for (int i = 0; i < n; ++i) in[i] = (float)(i % 50);
  Device<float> d(in), out(n);
  for (int round = 0; round < 2; ++round) {
    kernel<<<(n + 127) / 128, 128>>>(d, out, n);
    CHECK_KERNEL();
    const auto got = out.host();
    const double initial[4] = {1.5, 2.5, -3.5, 4.5};
    for (int i = 0; i < n; ++i) {
      float sum = 0;
      for (int k = -f.radius; k <= f.radius; ++k) sum += f.weight[k + f.radius] * in[std::min(std::max(i + k, 0), n - 1)];
      close("filter", i, got[i], sum + t[(i * 37) & 255] + initial[i & 3], 0);
    }
    f = {{1, -1, 1}, 1};
    CHECK(cudaMemcpyToSymbol(filter, &f, sizeof f));
  }
  int back[4];
  CHECK(cudaMemcpyFromSymbol(back, table, sizeof back, 100 * sizeof(int)));
  for (int k = 0; k < 4; ++k) same("back", k, back[k], (100 + k) * (100 + k));
  return finish();
}
