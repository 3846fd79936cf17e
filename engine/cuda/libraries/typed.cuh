/*
 * The type of a compilation's kernels, T, with its real type and the sum of a block's threads. The file that includes this says by
 * `JOINED(X, REST)` what its kernels are called.
 */
#pragma once
#include "numbers.cuh"
#define KERNEL extern "C" __global__ void
#if LEVELS_FLOAT || SOLVER_FLOAT
typedef float T;
#define NAME(REST) JOINED(s, REST)
#elif LEVELS_DOUBLE || SOLVER_DOUBLE
typedef double T;
#define NAME(REST) JOINED(d, REST)
#elif LEVELS_COMPLEX || SOLVER_COMPLEX
typedef Complex<float> T;
#define NAME(REST) JOINED(c, REST)
#else
typedef Complex<double> T;
#define NAME(REST) JOINED(z, REST)
#endif
typedef Parts<T>::Real Real;

constexpr int mostWarps = 32;

/* The sum over a block of up to 1024 threads, in all of them. */
template <class N> __device__ inline N sumOverBlock(N sum) {
  __shared__ __align__(16) char storage[mostWarps * sizeof(N)];
  N *parts = (N *)storage;
  sum = sumOverLanes(sum, 32);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  N all = parts[0];
  for (int w = 1; w < blockDim.x / 32; ++w) all += parts[w];
  return all;
}
