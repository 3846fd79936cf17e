// What only one lane sets may be passed on by all: the others' value is undefined, the branch around it is not.
#include "../check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void reserve(unsigned n, unsigned *next, unsigned *first, unsigned *turns) {
  const unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
  const unsigned lane = threadIdx.x & (warpSize - 1);
  if (i >= n) return;
  const cg::coalesced_group active = cg::coalesced_threads();
  unsigned at;
  if (lane == 0) at = atomicAdd(next, active.size());
  at = active.shfl((int)at, 0);
  first[i] = at;
  if (lane == 0) atomicAdd(turns, 1);
}
int main() {
  const unsigned n = 500;
  Device<unsigned> next(std::vector<unsigned>(1, 0)), turns(std::vector<unsigned>(1, 0)), first(n);
  reserve<<<1, 512>>>(n, next, first, turns);
  CHECK_KERNEL();
  same("next", 0, (int)next.host()[0], (int)n);
  same("turns", 0, (int)turns.host()[0], 16);
  const auto got = first.host();
  for (unsigned i = 0; i < n; ++i) same("first", i, (int)(got[i] % 32), 0);
  return finish();
}
