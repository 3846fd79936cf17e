// Adds the sum of n integers to each of them. Threads that do it together are all of a block, tiles of a block, and the whole grid.
#include "../lab.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

constexpr int threads = 256, warps = threads / 32;

// A tree in shared memory: the whole block waits after each level. All threads get the sum.
__device__ int sumOfBlock(int own) {
  __shared__ int part[threads];
  const cg::thread_block block = cg::this_thread_block();
  const int rank = block.thread_rank();
  part[rank] = own;
  block.sync();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (rank < half) part[rank] += part[rank + half];
    block.sync();
  }
  return part[0];
}

// Each warp by itself, without a barrier; the block waits once; then each eight threads add up what the eight warps have.
__device__ int sumByTiles(int own) {
  __shared__ int part[warps];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int sum = cg::reduce(warp, own, cg::plus<int>());
  if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = sum;
  block.sync();
  const auto few = cg::tiled_partition<warps>(block);
  return cg::reduce(few, part[few.thread_rank()], cg::plus<int>());
}

// Three kernels, since the end of one is what all blocks can wait for: sums of blocks, the sum of these by one block, and adding it.
template <bool tiles> __device__ void sumBlocks(const int *in, int *sums) {
  const int own = in[blockIdx.x * threads + threadIdx.x], sum = tiles ? sumByTiles(own) : sumOfBlock(own);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
template <bool tiles> __device__ void sumSums(const int *sums, int blocks, int *total) {
  int own = 0;
  for (int i = threadIdx.x; i < blocks; i += threads) own += sums[i];
  const int sum = tiles ? sumByTiles(own) : sumOfBlock(own);
  if (threadIdx.x == 0) *total = sum;
}
__global__ void blockSums(const int *in, int *sums) { sumBlocks<false>(in, sums); }
__global__ void blockTotal(const int *sums, int blocks, int *total) { sumSums<false>(sums, blocks, total); }
__global__ void tileSums(const int *in, int *sums) { sumBlocks<true>(in, sums); }
__global__ void tileTotal(const int *sums, int blocks, int *total) { sumSums<true>(sums, blocks, total); }
__global__ void addTotal(const int *in, const int *total, int *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = in[i] + *total;
}

// One kernel, with as many blocks as fit on the GPU at once: each adds up the sums of all when all are there.
__global__ void wholeGrid(const int *in, int n, int *sums, int *out) {
  const cg::grid_group grid = cg::this_grid();
  int own = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) own += in[i];
  const int sum = sumByTiles(own);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  grid.sync();
  own = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += threads) own += sums[i];
  const int total = sumByTiles(own);
  for (int i = grid.thread_rank(); i < n; i += grid.size()) out[i] = in[i] + total;
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 20);
  int n = lab.size;
  const int blocks = n / threads;
  if (n % threads != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", threads), 2;
  std::vector<int> numbers(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += numbers[i] = i % 113 - 50;
  Device<int> in(numbers), out(n), sums(blocks), total(1);

  int sms, perSm;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, wholeGrid, threads, 0));
  const dim3 fitting(std::min(blocks, sms * perSm));
  void *arguments[] = {&in.data, &n, &sums.data, &out.data};

  const auto wrong = [&](const std::vector<int> &result) {
    size_t count = 0;
    for (int i = 0; i < n; ++i) count += result[i] != numbers[i] + expected;
    return count;
  };
  const auto inBlocks = [&] {
    blockSums<<<blocks, threads>>>(in, sums);
    blockTotal<<<1, threads>>>(sums, blocks, total);
    addTotal<<<blocks, threads>>>(in, total, out);
  };
  const auto inTiles = [&] {
    tileSums<<<blocks, threads>>>(in, sums);
    tileTotal<<<1, threads>>>(sums, blocks, total);
    addTotal<<<blocks, threads>>>(in, total, out);
  };
  const auto inOne = [&] { CHECK(cudaLaunchCooperativeKernel((const void *)wholeGrid, fitting, dim3(threads), arguments, 0, nullptr)); };
  lab.variant("block", out, inBlocks, wrong);
  lab.variant("tiles", out, inTiles, wrong);
  lab.variant("grid", out, inOne, wrong);
  return lab.end();
}
