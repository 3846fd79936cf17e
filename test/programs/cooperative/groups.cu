// Cooperative groups: thread_block, tiled_partition of every size, ranks, shuffles, votes, synchronisation.
#include "../check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <int size> __device__ int tileSum(int value, int *rank, int *groups) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  *rank = tile.thread_rank(), *groups = tile.meta_group_rank() * 100 + tile.meta_group_size();
  for (int by = tile.size() / 2; by > 0; by /= 2) value += tile.shfl_down(value, by);
  return tile.shfl(value, 0);
}

__global__ void kernel(int *out, int *votes) {
  __shared__ int shared[64];
  const cg::thread_block block = cg::this_thread_block();
  const int i = block.thread_rank();
  shared[i] = i * 2;
  block.sync();
  int *o = out + i * 8;
  o[0] = shared[block.size() - 1 - i] + block.group_index().x * 1000 + block.thread_index().y * 10000;
  int rank, groups;
  o[1] = tileSum<32>(i, &rank, &groups), o[2] = rank * 10000 + groups;
  o[3] = tileSum<8>(i, &rank, &groups), o[4] = rank * 10000 + groups;
  o[5] = tileSum<2>(i, &rank, &groups), o[6] = rank;
  const auto tile = cg::tiled_partition<16>(block);
  o[7] = tile.any(i % 16 == 3) + 2 * tile.all(i >= 0) + 4 * tile.ballot(i & 1) + (tile.shfl_xor(i, 5) << 20);
  tile.sync();
  if (i == 0) votes[0] = block.dim_threads().x * 100 + block.dim_threads().y;
  cg::sync(block);
}

int main() {
  Device<int> out(64 * 8), votes(1);
  kernel<<<1, dim3(16, 4)>>>(out, votes);
  CHECK_KERNEL();
  const auto got = out.host();
  const auto sum = [](int i, int size) { const int first = i / size * size; return first * size + size * (size - 1) / 2; };
  for (int i = 0; i < 64; ++i) {
    const int e[8] = {(63 - i) * 2 + i / 16 * 10000, sum(i, 32), i % 32 * 10000 + i / 32 * 100 + 2, sum(i, 8), i % 8 * 10000 + i / 8 * 100 + 8, sum(i, 2), i % 2,
                      3 + 4 * 0xaaaa + ((i ^ 5) << 20)};
    for (int k = 0; k < 8; ++k) same("group", i * 8 + k, got[i * 8 + k], e[k]);
  }
  same("dimensions", 0, votes.host()[0], 1604);
  return finish();
}
