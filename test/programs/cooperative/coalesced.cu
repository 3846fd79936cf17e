// coalesced_threads in divergent code: size, rank, shuffles; aggregated atomics.
#include "../check.h"
#include <algorithm>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int aggregatedAdd(int *counter) {
  const cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, (int)active.size());
  return active.shfl(first, 0) + (int)active.thread_rank();
}

__global__ void filter(const int *in, int n, int *out, int *counter, int *sizes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 0) {
    const cg::coalesced_group g = cg::coalesced_threads();
    sizes[i] = (int)g.size();
    out[aggregatedAdd(counter)] = in[i];
  }
}

int main() {
  const int n = 1000;
  std::vector<int> in(n), expected;
  Random random;
  for (int &x : in) x = (int)(random.next() % 1000);
  Device<int> d(in), out(n), counter(1), sizes(n);
  filter<<<8, 128>>>(d, n, out, counter, sizes);
  CHECK_KERNEL();
  for (int x : in)
    if (x % 3 == 0) expected.push_back(x);
  const int count = counter.host()[0];
  same("count", 0, (size_t)count, expected.size());
  auto got = out.host();
  got.resize(expected.size());
  std::sort(got.begin(), got.end()), std::sort(expected.begin(), expected.end());
  for (size_t i = 0; i < expected.size(); ++i) same("value", (long long)i, got[i], expected[i]);
  const auto s = sizes.host();
  for (int i = 0; i < n; ++i) EXPECT(in[i] % 3 ? s[i] == 0 : s[i] >= 1 && s[i] <= 32);
  return finish();
}
