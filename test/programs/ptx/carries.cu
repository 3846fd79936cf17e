// CC.CF of one kind of instruction read by another, as division of long integers does: GPUs add the complement, so that after a subtraction it is set
// where nothing was borrowed. Expected is what an H200 gives.
#include "../check.h"

using u32 = unsigned;
using u64 = unsigned long long;

#define CARRY(first, second, T, c, x, y)                                                                                                              \
  {                                                                                                                                                   \
    T sum, out;                                                                                                                                       \
    asm volatile("{" first " %0, %2, %3; " second " %1, %4, %4;}" : "=" c(sum), "=" c(out) : c(x), c(y), c((T)zero));                                 \
    *at++ = (u32)out;                                                                                                                                 \
  }
__global__ void carries(u32 *at, u32 zero) {
  const u32 low = 3 + zero, high = 5 + zero, most = ~zero;
  CARRY("sub.cc.u32", "addc.u32", u32, "r", low, high)
  CARRY("sub.cc.u32", "addc.u32", u32, "r", high, low)
  CARRY("add.cc.u32", "subc.u32", u32, "r", most, high)
  CARRY("add.cc.u32", "subc.u32", u32, "r", low, high)
  CARRY("sub.cc.u32", "subc.u32", u32, "r", low, high)
  CARRY("sub.cc.u32", "subc.u32", u32, "r", high, low)
  CARRY("add.cc.u32", "addc.u32", u32, "r", most, high)
  CARRY("add.cc.u32", "addc.u32", u32, "r", low, high)
  CARRY("sub.cc.u64", "addc.u64", u64, "l", (u64)low, (u64)high)
  CARRY("sub.cc.u64", "addc.u64", u64, "l", (u64)high, (u64)low)
  CARRY("add.cc.u64", "subc.u64", u64, "l", ~(u64)zero, (u64)high)
  u32 sum, out;
  asm volatile("{sub.cc.u32 %0, %2, %3; madc.lo.u32 %1, %4, %4, %4;}" : "=r"(sum), "=r"(out) : "r"(low), "r"(high), "r"(zero));
  *at++ = out;
  asm volatile("{sub.cc.u32 %0, %2, %3; madc.lo.u32 %1, %4, %4, %4;}" : "=r"(sum), "=r"(out) : "r"(high), "r"(low), "r"(zero));
  *at++ = out;
}

// What a barrier counts of a predicate.
__global__ void counted(int *out) {
  const u32 few = threadIdx.x < 5, all = 1;
  int count;
  u32 every, any;
  asm volatile("{.reg .pred q; setp.ne.u32 q, %1, 0; bar.red.popc.u32 %0, 0, q;}" : "=r"(count) : "r"(few));
  asm volatile("{.reg .pred p, q; setp.ne.u32 q, %1, 0; bar.red.and.pred p, 1, q; selp.u32 %0, 1, 0, p;}" : "=r"(every) : "r"(all));
  asm volatile("{.reg .pred p, q; setp.ne.u32 q, %1, 0; bar.red.or.pred p, 0, !q; selp.u32 %0, 1, 0, p;}" : "=r"(any) : "r"(all));
  out[threadIdx.x] = count + 100 * every + 1000 * any;
}

int main() {
  const u32 expected[] = {0, 1, 0, ~0u, ~0u, 0, 1, 0, 0, 1, 0, 0, 1};
  Device<u32> words(13);
  carries<<<1, 1>>>(words, 0);
  CHECK_KERNEL();
  const auto got = words.host();
  for (int i = 0; i < 13; i++) same("carry", i, got[i], expected[i]);
  Device<int> sums(96);
  counted<<<1, 96>>>(sums);
  CHECK_KERNEL();
  for (int each : sums.host()) same("counted", 0, each, 105);
  return finish();
}
