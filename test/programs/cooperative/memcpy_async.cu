// Asynchronous copies to shared memory: cg::memcpy_async with wait and wait_prior.
#include "../check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void kernel(const int *in, int *out, int tiles) {
  __shared__ alignas(16) int buffer[2][128];
  const auto block = cg::this_thread_block();
  int sum = 0;
  cg::memcpy_async(block, buffer[0], in, sizeof buffer[0]);
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      cg::memcpy_async(block, buffer[(t + 1) & 1], in + (t + 1) * 128, sizeof buffer[0]);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    sum += buffer[t & 1][127 - block.thread_rank()] * (t + 1);
    block.sync();
  }
  out[block.thread_rank()] = sum;
}

int main() {
  const int tiles = 6;
  std::vector<int> in;
  for (int i = 0; i < tiles * 128; ++i) in.push_back((i * 31) % 1000);
  Device<int> d(in), out(128);
  kernel<<<1, 128>>>(d, out, tiles);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 128; ++i) {
    int sum = 0;
    for (int t = 0; t < tiles; ++t) sum += in[t * 128 + 127 - i] * (t + 1);
    same("sum", i, got[i], sum);
  }
  return finish();
}
