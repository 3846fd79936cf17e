// cg::reduce, inclusive_scan and exclusive_scan over tiles, binary_partition and labeled_partition.
// Needs compute capability 7.0.
#include "../check.h"
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void kernel(const int *in, int *out) {
  const int i = threadIdx.x;
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto eight = cg::tiled_partition<8>(warp);
  int *o = out + i * 9;
  o[0] = cg::reduce(warp, in[i], cg::plus<int>()), o[1] = cg::reduce(eight, in[i], cg::greater<int>()), o[2] = cg::reduce(eight, in[i], cg::less<int>());
  o[3] = cg::reduce(warp, in[i], cg::bit_xor<int>()), o[4] = cg::inclusive_scan(warp, in[i]), o[5] = cg::exclusive_scan(eight, in[i], cg::plus<int>());
  o[6] = (int)cg::reduce(eight, in[i] * 0.5f, cg::plus<float>());
  const auto part = cg::binary_partition(warp, in[i] % 2 == 0);
  o[7] = (int)part.size();
  const auto label = cg::labeled_partition(warp, in[i] % 3);
  o[8] = (int)label.size() * 100 + (int)label.thread_rank();
}

int main() {
  std::vector<int> in;
  Random random;
  for (int i = 0; i < 64; ++i) in.push_back((int)(random.next() % 1000) * 2 + i % 2);
  Device<int> d(in), out(64 * 9);
  kernel<<<1, 64>>>(d, out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    int e[9] = {0, in[i], in[i], 0, 0, 0, 0, 0, 0}, eights = 0;
    for (int j = i & ~31; j < (i & ~31) + 32; ++j) {
      e[0] += in[j], e[3] ^= in[j];
      if (j <= i) e[4] += in[j];
      if (j / 8 == i / 8) {
        e[1] = std::max(e[1], in[j]), e[2] = std::min(e[2], in[j]), eights += in[j];
        if (j < i) e[5] += in[j];
      }
      e[7] += in[j] % 2 == in[i] % 2;
      if (in[j] % 3 == in[i] % 3) e[8] += 100 + (j < i);
    }
    e[6] = (int)(eights * 0.5f);
    for (int k = 0; k < 9; ++k) same("reduce", i * 9 + k, got[i * 9 + k], e[k]);
  }
  return finish();
}
