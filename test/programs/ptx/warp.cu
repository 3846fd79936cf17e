// Warp operations by PTX: vote.sync, shfl.sync with predicate, match, activemask, redux, elect-like election, bar.warp.
// Needs compute capability 8.0.
#include "../check.h"

__global__ void kernel(const int *in, int *out) {
  const int i = threadIdx.x, x = in[i];
  int *o = out + i * 7;
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 50; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(o[0]) : "r"(x));
  asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 50; vote.sync.any.pred q, p, 0xffffffff; selp.s32 %0, 1, 0, q; }" : "=r"(o[1]) : "r"(x));
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 3, 0, 0xffffffff; selp.s32 %1, 1, 0, p; }" : "=r"(o[2]), "=r"(o[3]) : "r"(x));
  asm volatile("shfl.sync.bfly.b32 %0, %1, 5, 0x1f, 0xffffffff;" : "=r"(o[4]) : "r"(x));
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(o[5]) : "r"(x));
  asm volatile("activemask.b32 %0;" : "=r"(o[6]));
  asm volatile("bar.warp.sync 0xffffffff;");
}

int main() {
  std::vector<int> in;
  for (int i = 0; i < 32; ++i) in.push_back(i * 41 % 100);
  Device<int> d(in), out(32 * 7);
  kernel<<<1, 32>>>(d, out);
  CHECK_KERNEL();
  const auto got = out.host();
  int ballot = 0, sum = 0;
  for (int i = 0; i < 32; ++i) ballot |= (in[i] > 50) << i, sum += in[i];
  for (int i = 0; i < 32; ++i) {
    const int e[7] = {ballot, ballot != 0, in[i >= 3 ? i - 3 : i], i >= 3, in[i ^ 5], sum, -1};
    for (int k = 0; k < 7; ++k) same("warp", i * 7 + k, got[i * 7 + k], e[k]);
  }
  return finish();
}
