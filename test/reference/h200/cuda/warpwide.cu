// Cycles of instructions that look at all lanes of a warp: matches by the number of distinct values, reductions, votes, shuffles whose
// mask is not known when the program is compiled. `chain`: each needs the one before, one warp. `rate`: cycles per instruction and SM
// sub-partition with 8 warps on each.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int steps = 128;

// The value that goes on has as many distinct values as the first one: what a lane has found is only added as zero.
struct Match { __device__ static unsigned step(unsigned x, unsigned, unsigned zero) { return x + (__match_any_sync(~0u, x) & zero); } };
struct Match64 { __device__ static unsigned step(unsigned x, unsigned, unsigned zero) { return x + (__match_any_sync(~0u, (unsigned long long)x << 20) & zero); } };
struct MatchAll { __device__ static unsigned step(unsigned x, unsigned, unsigned zero) { int p; return x + (__match_all_sync(~0u, x, &p) & zero); } };
struct MatchMasked { __device__ static unsigned step(unsigned x, unsigned mask, unsigned zero) { return x + (__match_any_sync(mask, x) & zero); } };
struct ReduxAdd { __device__ static unsigned step(unsigned x, unsigned, unsigned zero) { return x + (__reduce_add_sync(~0u, x) & zero); } };
struct ReduxOr { __device__ static unsigned step(unsigned x, unsigned, unsigned zero) { return x + (__reduce_or_sync(~0u, x) & zero); } };
struct ReduxMasked { __device__ static unsigned step(unsigned x, unsigned mask, unsigned zero) { return x + (__reduce_add_sync(mask, x) & zero); } };
struct Shuffle { __device__ static unsigned step(unsigned x, unsigned, unsigned zero) { return x + (__shfl_xor_sync(~0u, x, 1) & zero); } };
struct ShuffleMasked { __device__ static unsigned step(unsigned x, unsigned mask, unsigned zero) { return x + (__shfl_xor_sync(mask, x, 1) & zero); } };
struct Ballot { __device__ static unsigned step(unsigned x, unsigned, unsigned zero) { return x + (__ballot_sync(~0u, x > zero) & zero); } };
struct BallotMasked { __device__ static unsigned step(unsigned x, unsigned mask, unsigned zero) { return x + (__ballot_sync(mask, x > zero) & zero); } };
struct Sync { __device__ static unsigned step(unsigned x, unsigned mask, unsigned zero) { __syncwarp(mask); return x ^ (x >> 3); } };

/** `lanes`: of a group, whose mask is its own; 0: one mask for all. */
template <class Op> __global__ void run(int distinct, unsigned lanes, unsigned zero, unsigned *out, long long *cycles) {
  unsigned x = threadIdx.x % 32 % distinct;
  const unsigned mask = lanes == 0 ? ~0u : ((1u << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes);
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int i = 0; i < steps; i += 4) {
    x = Op::step(x, mask, zero); x = Op::step(x, mask, zero); x = Op::step(x, mask, zero); x = Op::step(x, mask, zero);
  }
  const long long stop = clock64();
  out[threadIdx.x] = x;
  if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = stop - start;
}

template <class Op> void measure(const char *name, bool byDistinct, bool byMask = false) {
  unsigned *out; long long *cycles, host[32];
  cudaMalloc(&out, 4096); cudaMalloc(&cycles, 256);
  for (unsigned lanes : {0u, 16u, 8u, 4u, 2u})
  for (int distinct : {1, 2, 3, 4, 8, 16, 32}) {
    if (!byDistinct && distinct != 2) continue;
    if (lanes != 0 && (!byMask || distinct != 2)) continue;
    double result[2];
    for (int many = 0; many < 2; ++many) {
      for (int k = 0; k < 3; ++k) run<Op><<<1, many ? 1024 : 32>>>(distinct, lanes, 0, out, cycles);
      cudaMemcpy(host, cycles, many ? 256 : 8, cudaMemcpyDeviceToHost);
      long long most = 0;
      for (int w = 0; w < (many ? 32 : 1); ++w) most = host[w] > most ? host[w] : most;
      result[many] = double(most) / steps / (many ? 8 : 1);
    }
    printf("    { \"operation\": \"%s\", \"distinct\": %d, \"masks\": %d, \"chain\": %.2f, \"rate\": %.2f },\n", name, distinct, lanes ? 32 / lanes : 1, result[0], result[1]);
  }
}

int main() {
  measure<Match>("match_any", true);
  measure<Match64>("match_any 64", true);
  measure<MatchAll>("match_all", true);
  measure<MatchMasked>("match_any, own mask", true, true);
  measure<ReduxAdd>("redux.add", true);
  measure<ReduxOr>("redux.or", false);
  measure<ReduxMasked>("redux.add, own mask", false, true);
  measure<Shuffle>("shfl.bfly", false);
  measure<ShuffleMasked>("shfl.bfly, own mask", false, true);
  measure<Ballot>("ballot", false);
  measure<BallotMasked>("ballot, own mask", false, true);
  measure<Sync>("syncwarp, own mask", false, true);
  return cudaDeviceSynchronize();
}
