// Votes: ballot, any, all, uni under masks, in divergent code, in a partly filled warp; lane masks; activemask.
#include "../check.h"
#include <algorithm>

__global__ void kernel(const int *in, unsigned *out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const unsigned lane = i & 31;
  const unsigned all = __ballot_sync(n - (i & ~31) >= 32 ? 0xffffffffu : (1u << (n & 31)) - 1, 1);
  unsigned *o = out + i * 8;
  o[0] = __ballot_sync(all, in[i] > 50), o[1] = __any_sync(all, in[i] == 99), o[2] = __all_sync(all, in[i] >= 0), o[3] = __all_sync(all, in[i] > 50);
  o[4] = all;
  if (lane % 3 == 0) {
    const unsigned mask = 0x49249249u & all;
    o[5] = __ballot_sync(mask, in[i] & 1);
    o[6] = __any_sync(mask, lane == 30) | __all_sync(mask, lane % 3 == 0) << 1;
  } else {
    const unsigned mask = ~0x49249249u & all;
    o[5] = __ballot_sync(mask, in[i] & 2);
    o[6] = __any_sync(mask, lane == 30) | __all_sync(mask, lane % 3 == 1) << 1;
  }
  __syncwarp(all);
  unsigned less, lessOrEqual, equal, greater;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(less));
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(lessOrEqual));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(equal));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(greater));
  o[7] = less == (1u << lane) - 1 && equal == 1u << lane && lessOrEqual == (less | equal) && greater == ~lessOrEqual && (__activemask() >> lane & 1);
}

int main() {
  const int n = 110;
  std::vector<int> in(n);
  Random random;
  for (int &x : in) x = (int)(random.next() % 100);
  Device<int> d(in);
  Device<unsigned> out(n * 8);
  kernel<<<1, 128>>>(d, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const int first = i & ~31, last = std::min(first + 32, n), lane = i & 31;
    const bool third = lane % 3 == 0;
    unsigned ballot = 0, any = 0, high = 1, all = 0, group = 0, has30 = 0, every = 1;
    for (int j = first; j < last; ++j) {
      const int l = j - first;
      all |= 1u << l, any |= in[j] == 99, high &= in[j] > 50;
      if (in[j] > 50) ballot |= 1u << l;
      if ((l % 3 == 0) != third) continue;
      if (in[j] & (third ? 1 : 2)) group |= 1u << l;
      has30 |= l == 30;
      if (!third && l % 3 != 1) every = 0;
    }
    const unsigned e[8] = {ballot, any, 1, high, all, group, has30 | every << 1, 1};
    for (int k = 0; k < 8; ++k) same("vote", i * 8 + k, got[i * 8 + k], e[k]);
  }
  return finish();
}
