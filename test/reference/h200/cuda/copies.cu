// Copies from global to shared memory by cp.async beside loads: what one warp waits for a copy, and how many cycles blocks take per tile
// that copy tiles of 4 KB ahead of what they need, from L2, one block on each SM.
#include <cstdio>
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

enum How { load, copy4, copy16, ways };
const char *names[] = {"load", "copy of 4 bytes", "copy of 16 bytes"};
constexpr int steps = 64, stepWords = 32 * 4 * 8; // 4 KB apart

/** A chain of one warp: each waits for what came before. All is in L1 by then, unless it goes past. */
template <int how> __global__ void chain(const unsigned *zeros, unsigned *out, int again) {
  __shared__ __align__(16) unsigned buffer[128];
  unsigned at = threadIdx.x * (how == copy16 ? 4 : 1);
  long long from = 0;
  for (int round = 0; round < 2; round++) {
    from = clock64();
    for (int i = 0; i < steps; i++) {
      const unsigned *const next = zeros + at + i * (again ? 0 : stepWords);
      if (how == load) at += __ldg(next);
      else {
        __pipeline_memcpy_async(buffer + threadIdx.x * (how == copy16 ? 4 : 1), next, how == copy16 ? 16 : 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        at += *(volatile unsigned *)(buffer + threadIdx.x * (how == copy16 ? 4 : 1));
      }
    }
  }
  const long long to = clock64();
  if (threadIdx.x == 0) *(long long *)out = to - from;
  out[4 + threadIdx.x] = at;
}

constexpr int tileWords = 1024, tiles = 64;

/** Each thread gets 16 bytes of each tile, `ahead` tiles before it needs them; with or without barriers of the block. */
template <int how, int ahead, bool barriers> __global__ void stream(const unsigned *in, unsigned *out) {
  __shared__ __align__(16) unsigned parts[ahead + 1][tileWords];
  const unsigned *from = in + size_t(blockIdx.x) * tiles * tileWords;
  unsigned sum = 0;
  const auto copy = [&](int tile) {
    if (tile < tiles) {
      unsigned *const to = parts[tile % (ahead + 1)];
      if (how == copy16) __pipeline_memcpy_async(to + threadIdx.x * 4, from + tile * tileWords + threadIdx.x * 4, 16);
      else
        for (int i = 0; i < 4; i++) __pipeline_memcpy_async(to + threadIdx.x + i * 256, from + tile * tileWords + threadIdx.x + i * 256, 4);
    }
    __pipeline_commit();
  };
  __syncthreads();
  const long long begin = clock64();
  for (int tile = 0; tile < ahead; tile++) copy(tile);
  for (int tile = 0; tile < tiles; tile++) {
    copy(tile + ahead);
    __pipeline_wait_prior(ahead);
    if (barriers) __syncthreads();
    sum += parts[tile % (ahead + 1)][threadIdx.x];
    if (barriers) __syncthreads();
  }
  const long long end = clock64();
  if (threadIdx.x == 0 && blockIdx.x == 0) *(long long *)out = end - begin;
  if (sum == 1) out[4] = sum;
}

unsigned *zeros, *out;
template <class Launch> void report(const char *what, const char *how, int count, Launch launch) {
  long long best = 1ll << 40, cycles;
  for (int run = 0; run < 3; run++) {
    launch();
    cudaMemcpy(&cycles, out, sizeof cycles, cudaMemcpyDeviceToHost);
    if (cycles < best) best = cycles;
  }
  printf("%s, %s: %.1f\n", what, how, double(best) / count);
}
template <int how> void chains() {
  report("chain, one line", names[how], steps, [] { chain<how><<<1, 32>>>(zeros, out, 1); });
  report("chain, 64 lines", names[how], steps, [] { chain<how><<<1, 32>>>(zeros, out, 0); });
}
template <int how, int ahead> void streams() {
  char text[64];
  sprintf(text, "%s, one SM", names[how]);
  const char *const tile = ahead == 1 ? "tile, 1 ahead" : ahead == 2 ? "tile, 2 ahead" : "tile, 4 ahead";
  report(tile, text, tiles, [] { stream<how, ahead, true><<<1, 256>>>(zeros, out); });
  sprintf(text, "%s, all SMs", names[how]);
  report(tile, text, tiles, [] { stream<how, ahead, true><<<132, 256>>>(zeros, out); });
  sprintf(text, "%s, all SMs, no barriers", names[how]);
  report(tile, text, tiles, [] { stream<how, ahead, false><<<132, 256>>>(zeros, out); });
}

int main() {
  cudaMalloc(&zeros, 132 * tiles * tileWords * 4), cudaMalloc(&out, 4096);
  cudaMemset(zeros, 0, 132 * tiles * tileWords * 4);
  chains<load>(), chains<copy4>(), chains<copy16>();
  streams<copy4, 1>(), streams<copy4, 2>(), streams<copy4, 4>(), streams<copy16, 1>(), streams<copy16, 2>(), streams<copy16, 4>();
  if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorString(error));
}
