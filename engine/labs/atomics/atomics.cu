// How many of n integers equal one value: each match adds to one counter, or warps and blocks add up before.
#include "../lab.h"

constexpr int threads = 256, wanted = 7;

// An atomic for each match. nvcc makes one for each warp of it where all lanes add the same to one address, since it can
// count the lanes: see the page.
__global__ void countPerMatch(const int *values, int n, int *count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && values[i] == wanted) atomicAdd(count, 1);
}

// What the compiler cannot do for values that it does not know: each lane has its own, the warp adds them up.
__global__ void countPerWarp(const int *values, int n, int *count) {
  int own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += values[i] == wanted;
  for (int offset = 16; offset > 0; offset /= 2) own += __shfl_down_sync(~0u, own, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(count, own);
}

// The block adds up in shared memory: one atomic for all that its threads have seen.
__global__ void countPerBlock(const int *values, int n, int *count) {
  __shared__ int sums[threads];
  int own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += values[i] == wanted;
  sums[threadIdx.x] = own;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(count, sums[0]);
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 22);
  const int n = lab.size;
  std::vector<int> numbers(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += (numbers[i] = unsigned(i) * 2654435761u >> 28) == wanted; // one of 16
  Device<int> values(numbers), count(1);

  int sms;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const int all = (n + threads - 1) / threads, few = std::min(all, 8 * sms);
  const auto wrong = [&](const std::vector<int> &result) -> size_t { return result[0] != expected; };
  const auto zero = [&] { CHECK(cudaMemsetAsync(count, 0, sizeof(int))); };
  lab.variant("match", count, [&] { zero(), countPerMatch<<<all, threads>>>(values, n, count); }, wrong);
  lab.variant("warp", count, [&] { zero(), countPerWarp<<<few, threads>>>(values, n, count); }, wrong);
  lab.variant("block", count, [&] { zero(), countPerBlock<<<few, threads>>>(values, n, count); }, wrong);
  return lab.end();
}
