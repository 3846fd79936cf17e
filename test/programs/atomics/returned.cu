// The values that atomics return: each old value is seen once; increment and decrement wrap; exchange passes on.
#include "../check.h"
#include <algorithm>

__global__ void kernel(int *counter, int *slots, unsigned *inc, unsigned *wraps, unsigned *dec, unsigned *drops, int *chain, int *passed, float *fchain) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  slots[atomicAdd(counter, 1)] = i;
  atomicAdd(&wraps[atomicInc(inc, 9)], 1);
  atomicAdd(&drops[atomicDec(dec, 6)], 1);
  passed[i] = atomicExch(chain, i);
  atomicExch(fchain, (float)i);
}

int main() {
  const int n = 300;
  Device<int> counter(1), slots(n), chain(std::vector<int>{-1}), passed(n);
  Device<unsigned> inc(1), wraps(10), dec(std::vector<unsigned>{100}), drops(101);
  Device<float> fchain(1);
  kernel<<<5, 60>>>(counter, slots, inc, wraps, dec, drops, chain, passed, fchain);
  CHECK_KERNEL();
  same("counter", 0, counter.host()[0], n);
  auto s = slots.host();
  std::sort(s.begin(), s.end());
  for (int i = 0; i < n; ++i) same("slot", i, s[i], i);
  const auto w = wraps.host();
  for (int k = 0; k < 10; ++k) same("inc", k, w[k], 30u);
  same("inc", 10, inc.host()[0], 0u);
  // Above the limit, decrement starts over at the limit: 100 once, then 6, 5, 4, 3, 2, 1, 0, 6, …
  const auto dr = drops.host();
  same("dec", 100, dr[100], 1u);
  for (int k = 0; k < 7; ++k) same("dec", k, dr[k], (unsigned)(299 / 7 + (6 - k < 299 % 7)));
  // The chain of exchanges visits everyone once.
  auto p = passed.host();
  p.push_back(chain.host()[0]);
  std::sort(p.begin(), p.end());
  for (int i = 0; i <= n; ++i) same("exchange", i, p[i], i - 1);
  EXPECT(fchain.host()[0] >= 0 && fchain.host()[0] < n);
  return finish();
}
