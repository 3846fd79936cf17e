// The sum of n integers, block by block: a tree whose threads drop out one by one, one whose threads stay together, shuffles within
// warps, and threads that add up many elements first. Each block adds its sum to the result.
#include "../lab.h"

constexpr int threads = 256;

// Every second, fourth, eighth … thread adds: all warps stay, with fewer and fewer lanes.
__global__ void treeDivergent(const int *in, int *sum) {
  __shared__ int part[threads];
  part[threadIdx.x] = in[blockIdx.x * threads + threadIdx.x];
  __syncthreads();
  for (int apart = 1; apart < threads; apart *= 2) {
    if (threadIdx.x % (2 * apart) == 0) part[threadIdx.x] += part[threadIdx.x + apart];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

// The first half adds the second, the first quarter the next …: whole warps drop out.
__global__ void treeSequential(const int *in, int *sum) {
  __shared__ int part[threads];
  part[threadIdx.x] = in[blockIdx.x * threads + threadIdx.x];
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

// Lanes hand values to each other, warps meet once in shared memory: one barrier in place of eight.
__device__ void addUp(int own, int *sum) {
  __shared__ int warps[threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) own += __shfl_down_sync(~0u, own, offset);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    int all = 0;
    for (int warp = 0; warp < threads / 32; ++warp) all += warps[warp];
    atomicAdd(sum, all);
  }
}
__global__ void shuffled(const int *in, int *sum) { addUp(in[blockIdx.x * threads + threadIdx.x], sum); }

// As many blocks as fit, each thread with many elements: the tree is paid for once.
__global__ void gridStride(const int *in, int n, int *sum) {
  int own = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) own += in[i];
  addUp(own, sum);
}
__global__ void gridStrideVectors(const int4 *in, int quads, int *sum) {
  int own = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < quads; i += gridDim.x * threads) {
    const int4 four = in[i];
    own += four.x + four.y + four.z + four.w;
  }
  addUp(own, sum);
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 22);
  const int n = lab.size, blocks = n / threads;
  if (n % (4 * threads) != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", 4 * threads), 2;
  std::vector<int> numbers(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += numbers[i] = i % 113 - 50;
  Device<int> in(numbers), sum(1);

  int sms;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const int few = std::min(blocks, 8 * sms);
  const auto wrong = [&](const std::vector<int> &result) -> size_t { return result[0] != expected; };
  const auto zero = [&] { CHECK(cudaMemsetAsync(sum, 0, sizeof(int))); };
  const int4 *quads = reinterpret_cast<const int4 *>(in.data);
  lab.variant("divergent", sum, [&] { zero(), treeDivergent<<<blocks, threads>>>(in, sum); }, wrong);
  lab.variant("sequential", sum, [&] { zero(), treeSequential<<<blocks, threads>>>(in, sum); }, wrong);
  lab.variant("shuffle", sum, [&] { zero(), shuffled<<<blocks, threads>>>(in, sum); }, wrong);
  lab.variant("grid-stride", sum, [&] { zero(), gridStride<<<few, threads>>>(in, n, sum); }, wrong);
  lab.variant("vectors", sum, [&] { zero(), gridStrideVectors<<<few, threads>>>(quads, n / 4, sum); }, wrong);
  return lab.end();
}
