// What loads take that hit L1, by how their lanes lie on lines and banks: many warps of one SM, loads that do not wait for each other. And
// how stores and additions are counted that lie so.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int loads = 16, rounds = 64, spread = 1024; // words from one load to the next

template <class T> __global__ void hits(const unsigned *zeros, const unsigned *offsets, unsigned *out, long long *cycles) {
  const unsigned *const from = zeros + offsets[threadIdx.x % 32];
  unsigned sum = 0;
  for (int round = -1; round < rounds; round++) {
    if (round == 0) {
      __syncthreads();
      if (threadIdx.x == 0) cycles[0] = clock64();
    }
    T values[loads];
#pragma unroll
    for (int i = 0; i < loads; i++)
      if constexpr (sizeof(T) == 4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(values[i]) : "l"(from + i * spread));
      else if constexpr (sizeof(T) == 8) asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];" : "=r"(values[i].x), "=r"(values[i].y) : "l"(from + i * spread));
      else asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(values[i].x), "=r"(values[i].y), "=r"(values[i].z), "=r"(values[i].w) : "l"(from + i * spread));
#pragma unroll
    for (int i = 0; i < loads; i++)
      if constexpr (sizeof(T) == 4) sum += values[i];
      else if constexpr (sizeof(T) == 8) sum += values[i].x + values[i].y;
      else sum += values[i].x + values[i].y + values[i].z + values[i].w;
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[1] = clock64();
  if (sum != 0) *out = sum;
}

template <class T> __global__ void stores(unsigned *zeros, const unsigned *offsets, int adds) {
  unsigned *const to = zeros + offsets[threadIdx.x % 32];
  for (int i = 0; i < loads; i++)
    if (adds) atomicAdd(to + i * spread, 0);
    else *(T *)(to + i * spread) = T{};
}

#ifdef FOR_NCU // one launch of each
constexpr int warpsOfBlock[] = {32}, runs = 1;
#else
constexpr int warpsOfBlock[] = {1, 2, 4, 8, 16, 32}, runs = 4;
#endif

unsigned *zeros, *offsets, *out;
long long *cycles;

template <class Offset> void measure(const char *name, int words, Offset offset) {
  unsigned own[32];
  for (unsigned lane = 0; lane < 32; lane++) own[lane] = offset(lane);
  cudaMemcpy(offsets, own, sizeof own, cudaMemcpyHostToDevice);
  printf("{\"pattern\":\"%s\",\"words\":%d,\"offsets\":[", name, words);
  for (int lane = 0; lane < 32; lane++) printf("%s%u", lane ? "," : "", own[lane]);
  printf("]");
  for (int warps : warpsOfBlock) {
    long long best = 1ll << 40, at[2];
    for (int run = 0; run < runs; run++) {
      if (words == 1) hits<unsigned><<<1, warps * 32>>>(zeros, offsets, out, cycles);
      if (words == 2) hits<uint2><<<1, warps * 32>>>(zeros, offsets, out, cycles);
      if (words == 4) hits<uint4><<<1, warps * 32>>>(zeros, offsets, out, cycles);
      cudaMemcpy(at, cycles, sizeof at, cudaMemcpyDeviceToHost);
      if (at[1] - at[0] < best) best = at[1] - at[0];
    }
    printf(",\"%d\":%.3f", warps, double(best) / (double(warps) * loads * rounds));
  }
#ifdef FOR_NCU
  if (words == 1) stores<unsigned><<<1, 32>>>(zeros, offsets, 0);
  if (words == 2) stores<uint2><<<1, 32>>>(zeros, offsets, 0);
  if (words == 4) stores<uint4><<<1, 32>>>(zeros, offsets, 0);
  stores<unsigned><<<1, 32>>>(zeros, offsets, 1);
#endif
  printf("},\n");
}

int main() {
  cudaMalloc(&zeros, 1 << 20), cudaMalloc(&offsets, 128), cudaMalloc(&out, 4), cudaMalloc(&cycles, 16);
  cudaMemset(zeros, 0, 1 << 20);
  measure("row", 1, [](unsigned i) { return i; });
  measure("one", 1, [](unsigned) { return 0u; });
  for (unsigned by : {1, 4, 8, 16, 24, 31}) {
    char name[32];
    sprintf(name, "row+%u", by);
    measure(name, 1, [=](unsigned i) { return i + by; });
  }
  for (unsigned stride : {2, 3, 4, 5, 6, 7, 8, 16, 32, 33}) {
    char name[32];
    sprintf(name, "stride %u", stride);
    measure(name, 1, [=](unsigned i) { return i * stride % spread; });
  }
  // Lanes of one line side by side, or in turn; each in the bank of its own, or all lines' in the same.
  for (unsigned lines : {2, 4, 8, 16}) {
    char name[48];
    const unsigned per = 32 / lines;
    sprintf(name, "%u lines, groups, own banks", lines), measure(name, 1, [=](unsigned i) { return i / per * 32 + i; });
    sprintf(name, "%u lines, groups, same banks", lines), measure(name, 1, [=](unsigned i) { return i / per * 32 + i % per; });
    sprintf(name, "%u lines, in turn, own banks", lines), measure(name, 1, [=](unsigned i) { return i % lines * 32 + i; });
    sprintf(name, "%u lines, in turn, same banks", lines), measure(name, 1, [=](unsigned i) { return i % lines * 32 + i / lines; });
    sprintf(name, "%u lines, groups of one word", lines), measure(name, 1, [=](unsigned i) { return i / per * 32; });
    sprintf(name, "%u lines, one word, own banks", lines), measure(name, 1, [=](unsigned i) { return i / per * 33; });
  }
  measure("32 lines, own banks", 1, [](unsigned i) { return i * 33 % spread; });
  srand(1);
  for (unsigned lines : {1, 2, 4, 8, 16, 32}) {
    char name[32];
    sprintf(name, "random in %u lines", lines);
    for (int again = 0; again < 2; again++) measure(name, 1, [=](unsigned) { return rand() % (lines * 32); });
  }
  for (unsigned lines : {5, 6, 8, 12, 20, 24, 28, 32})
    for (int again = 0; again < 3; again++) measure("random lines, own banks", 1, [=](unsigned i) { return rand() % lines * 32 + i; });
  measure("rows of 16", 1, [](unsigned i) { return i % 16 + i / 16 * 96; });
  measure("rows of 16, + 8", 1, [](unsigned i) { return i % 16 + i / 16 * 96 + 24; });
  measure("rows of 8", 1, [](unsigned i) { return i % 8 + i / 8 * 64; });
  for (unsigned words : {2, 4}) {
    const auto at = [=](unsigned i) { return i * words % spread; };
    measure("row", words, at);
    measure("one", words, [](unsigned) { return 0u; });
    measure("row+1", words, [=](unsigned i) { return (i + 1) * words; });
    for (unsigned stride : {2, 3, 4, 8}) {
      char name[32];
      sprintf(name, "stride %u", stride);
      measure(name, words, [=](unsigned i) { return i * stride * words % spread; });
    }
    for (unsigned lines : {2, 4, 8, 16, 32}) {
      char name[32];
      sprintf(name, "random in %u lines", lines);
      measure(name, words, [=](unsigned) { return rand() % (lines * 32 / words) * words; });
    }
    for (unsigned lines : {2, 4, 8, 16}) {
      char name[48];
      sprintf(name, "%u lines, groups of one", lines), measure(name, words, [=](unsigned i) { return i / (32 / lines) * 32; });
    }
  }
  if (const cudaError_t error = cudaGetLastError()) printf("%s\n", cudaGetErrorString(error));
}
