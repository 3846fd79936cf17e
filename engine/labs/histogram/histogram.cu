// How often each of 64 values occurs among n bytes, most of them a few values: counters in global memory, in shared memory, and of each warp.
#include "../lab.h"

constexpr int threads = 256, bins = 64, warps = threads / 32;

__global__ void histogramGlobal(const unsigned char *values, int n, unsigned *counts) {
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) atomicAdd(&counts[values[i]], 1u);
}

// One histogram for each block; what it has found is added to the result at its end.
__global__ void histogramShared(const unsigned char *values, int n, unsigned *counts) {
  __shared__ unsigned own[bins];
  for (int bin = threadIdx.x; bin < bins; bin += threads) own[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) atomicAdd(&own[values[i]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += threads) atomicAdd(&counts[bin], own[bin]);
}

// Lanes with the same value find each other, and one of them counts for all.
__global__ void histogramMatched(const unsigned char *values, int n, unsigned *counts) {
  __shared__ unsigned own[bins];
  for (int bin = threadIdx.x; bin < bins; bin += threads) own[bin] = 0;
  __syncthreads();
  // All lanes of a warp go around equally often: n is a multiple of 32.
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
    const unsigned value = values[i], peers = __match_any_sync(__activemask(), value);
    if (int(threadIdx.x % 32) == __ffs(peers) - 1) atomicAdd(&own[value], unsigned(__popc(peers)));
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += threads) atomicAdd(&counts[bin], own[bin]);
}

// A histogram for each warp: lanes meet lanes of their own warp only.
__global__ void histogramPerWarp(const unsigned char *values, int n, unsigned *counts) {
  __shared__ unsigned own[warps][bins];
  for (int i = threadIdx.x; i < warps * bins; i += threads) (&own[0][0])[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) atomicAdd(&own[threadIdx.x / 32][values[i]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += threads) {
    unsigned sum = 0;
    for (int warp = 0; warp < warps; ++warp) sum += own[warp][bin];
    atomicAdd(&counts[bin], sum);
  }
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 21);
  const int n = lab.size;
  if (n % 32 != 0) return fprintf(stderr, "The size has to be a multiple of 32.\n"), 2;
  std::vector<unsigned char> bytes(n);
  std::vector<unsigned> expected(bins);
  for (int i = 0; i < n; ++i) {
    const unsigned random = unsigned(i) * 2654435761u >> 16;
    // Three of four are one of four values, as in a dark picture.
    bytes[i] = random % 4 == 0 ? random / 4 % bins : random / 4 % 4;
    ++expected[bytes[i]];
  }
  Device<unsigned char> values(bytes);
  Device<unsigned> counts(bins);

  int sms;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = std::min((n + threads - 1) / threads, 4 * sms);
  const auto wrong = [&](const std::vector<unsigned> &result) {
    size_t count = 0;
    for (int bin = 0; bin < bins; ++bin) count += result[bin] != expected[bin];
    return count;
  };
  const auto zero = [&] { CHECK(cudaMemsetAsync(counts, 0, counts.bytes())); };
  lab.variant("global", counts, [&] { zero(), histogramGlobal<<<blocks, threads>>>(values, n, counts); }, wrong);
  lab.variant("shared", counts, [&] { zero(), histogramShared<<<blocks, threads>>>(values, n, counts); }, wrong);
  lab.variant("per-warp", counts, [&] { zero(), histogramPerWarp<<<blocks, threads>>>(values, n, counts); }, wrong);
  lab.variant("matched", counts, [&] { zero(), histogramMatched<<<blocks, threads>>>(values, n, counts); }, wrong);
  return lab.end();
}
