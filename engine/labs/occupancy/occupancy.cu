// How many warps an SM holds, and what they hide: chains of loads by warps that shared memory or small blocks keep few, and a
// kernel that keeps 48 values in registers, with more and more warps asked for.
#include "../lab.h"

constexpr int threads = 256, hops = 16;

// Each load says where the next one goes: nothing but other warps can hide how long that takes.
__global__ void chase(const int *next, int n, int *out) {
  int at = (blockIdx.x * blockDim.x + threadIdx.x) % n;
  for (int hop = 0; hop < hops; ++hop) at = next[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

constexpr int values = 48, rounds = 16;

__host__ __device__ inline void mix(unsigned (&own)[values]) {
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < values; ++k) own[k] = own[k] * 1664525u + own[(k + 7) % values];
}

// Of 65,536 registers, as many as so many blocks of an SM leave for each thread. What does not fit goes to local memory.
template <int blocks> __device__ void keep(const int *seeds, int n, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned own[values], sum = 0;
#pragma unroll
  for (int k = 0; k < values; ++k) own[k] = seeds[(i + k * 32) % n];
  mix(own);
#pragma unroll
  for (int k = 0; k < values; ++k) sum += own[k];
  out[i] = int(sum);
}
__global__ void __launch_bounds__(threads) keepAll(const int *seeds, int n, int *out) { keep<1>(seeds, n, out); }
__global__ void __launch_bounds__(threads, 4) keepFew(const int *seeds, int n, int *out) { keep<4>(seeds, n, out); }
__global__ void __launch_bounds__(threads, 8) spill(const int *seeds, int n, int *out) { keep<8>(seeds, n, out); }

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 19);
  const int n = lab.size, blocks = n / threads;
  if ((n & (n - 1)) != 0 || n < 1 << 12) return fprintf(stderr, "The size has to be a power of two, 4096 or more.\n"), 2;
  // Warp by warp to a line elsewhere: the lanes stay side by side.
  std::vector<int> links(n);
  for (int i = 0; i < n; ++i) links[i] = int((unsigned(i / 32) * 40503u + 12345u) % unsigned(n / 32)) * 32 + i % 32;
  Device<int> next(links), out(n);

  const auto wrong = [&](const std::vector<int> &result) {
    size_t count = 0;
    for (int i = 0; i < n; ++i) {
      int at = i;
      for (int hop = 0; hop < hops; ++hop) at = links[at];
      count += result[i] != at;
    }
    return count;
  };
  // Some blocks: the host takes its time.
  const auto wrongValues = [&](const std::vector<int> &result) {
    size_t count = 0;
    for (int i = 0; i < n; i += n / 512) {
      unsigned own[values], sum = 0;
      for (int k = 0; k < values; ++k) own[k] = links[(i + k * 32) % n];
      mix(own);
      for (int k = 0; k < values; ++k) sum += own[k];
      count += result[i] != int(sum);
    }
    return count;
  };
  const int shared = 47 << 10;
  lab.variant("shared", out, [&] { chase<<<blocks, threads, shared>>>(next, n, out); }, wrong);
  lab.variant("small-blocks", out, [&] { chase<<<n / 32, 32>>>(next, n, out); }, wrong);
  lab.variant("spills", out, [&] { spill<<<blocks, threads>>>(next, n, out); }, wrongValues);
  lab.variant("registers", out, [&] { keepAll<<<blocks, threads>>>(next, n, out); }, wrongValues);
  lab.variant("bounds", out, [&] { keepFew<<<blocks, threads>>>(next, n, out); }, wrongValues);
  lab.variant("full", out, [&] { chase<<<blocks, threads>>>(next, n, out); }, wrong);
  return lab.end();
}
