// The sum of n integers, block by block: a tree whose threads drop out one by one, one whose threads stay together, shuffles within
// warps, and threads that add up many elements first. Sums of blocks are added up
// by one more block.
#include "../lab.h"

constexpr int threads = 256;

// Every second, fourth, eighth … thread adds: all warps stay, with fewer and fewer lanes.
__global__ void treeDivergent(const int *in, int *sums) {
  __shared__ int part[threads];
  part[threadIdx.x] = in[blockIdx.x * threads + threadIdx.x];
  __syncthreads();
  for (int apart = 1; apart < threads; apart *= 2) {
    if (threadIdx.x % (2 * apart) == 0) part[threadIdx.x] += part[threadIdx.x + apart];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// The first half adds the second, the first quarter the next …: whole warps drop out.
__global__ void treeSequential(const int *in, int *sums) {
  __shared__ int part[threads];
  part[threadIdx.x] = in[blockIdx.x * threads + threadIdx.x];
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// Lanes hand values to each other, warps meet once in shared memory: one barrier in place of eight.
__device__ void addUp(int own, int *sums) {
  __shared__ int warps[threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) own += __shfl_down_sync(~0u, own, offset);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    int all = 0;
    for (int warp = 0; warp < threads / 32; ++warp) all += warps[warp];
    sums[blockIdx.x] = all;
  }
}
__global__ void shuffled(const int *in, int *sums) { addUp(in[blockIdx.x * threads + threadIdx.x], sums); }

// As many blocks as fit, each thread with many elements: the tree is paid for once.
__global__ void gridStride(const int *in, int n, int *sums) {
  int own = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) own += in[i];
  addUp(own, sums);
}
__global__ void gridStrideVectors(const int4 *in, int quads, int *sums) {
  int own = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < quads; i += gridDim.x * threads) {
    const int4 four = in[i];
    own += four.x + four.y + four.z + four.w;
  }
  addUp(own, sums);
}

// Of all blocks, by one.
__global__ void addBlocks(const int *sums, int blocks, int *sum) {
  int own = 0;
  for (int i = threadIdx.x; i < blocks; i += threads) own += sums[i];
  addUp(own, sum);
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 22);
  const int n = lab.size, blocks = n / threads;
  if (n % (4 * threads) != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", 4 * threads), 2;
  std::vector<int> numbers(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += numbers[i] = i % 113 - 50;
  Device<int> in(numbers), sums(blocks), sum(1);

  int sms;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const int few = std::min(blocks, 8 * sms);
  const auto wrong = [&](const std::vector<int> &result) -> size_t { return result[0] != expected; };
  const auto finish = [&](int count) { addBlocks<<<1, threads>>>(sums, count, sum); };
  const int4 *quads = reinterpret_cast<const int4 *>(in.data);
  lab.variant("divergent", sum, [&] { treeDivergent<<<blocks, threads>>>(in, sums), finish(blocks); }, wrong);
  lab.variant("sequential", sum, [&] { treeSequential<<<blocks, threads>>>(in, sums), finish(blocks); }, wrong);
  lab.variant("shuffle", sum, [&] { shuffled<<<blocks, threads>>>(in, sums), finish(blocks); }, wrong);
  lab.variant("grid-stride", sum, [&] { gridStride<<<few, threads>>>(in, n, sums), finish(few); }, wrong);
  lab.variant("vectors", sum, [&] { gridStrideVectors<<<few, threads>>>(quads, n / 4, sums), finish(few); }, wrong);
  return lab.end();
}
