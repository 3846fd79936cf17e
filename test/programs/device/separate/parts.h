// What the files of this program share: device code of each uses that of the others, as after nvcc -rdc=true.
#pragma once
#include "../../check.h"

constexpr int n = 64;

// Defined in functions.cu.
__device__ int twice(int x);
extern "C" __device__ int plain_name(int x);
extern __device__ int counter;
extern __device__ float samples[n];
extern __constant__ int factors[4];
extern __managed__ int visits;
struct Meter {
  int base;
  __device__ Meter(int base);
  __device__ virtual int read(int x) const;
};
__device__ int across_the_block(int value);
__global__ void elsewhere(int *out, int add);
typedef int (*Operation)(int);
extern __device__ Operation operations[2];
void run_statics(int *out);
int first_hidden();

// One of each for all files.
template <class T> __device__ T squared(T x) { return x * x; }
inline __device__ int tally(int by) {
  static __device__ int total = 0;
  return atomicAdd(&total, by) + by;
}
template <class T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value + (T)squared(threadIdx.x); }
