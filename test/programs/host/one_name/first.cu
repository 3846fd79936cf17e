// Kernels, variables and types of one name in two files of a program: static ones, those of unnamed namespaces, of a header, templates
// over types that only this file has. Each file runs its own.
#include "common.h"

namespace {
__global__ void scale(float *p) { p[threadIdx.x] *= 2; }
__device__ float table[4] = {2, 2, 2, 2};
__constant__ float step[2] = {2, 20};
template <class T, int N> __global__ void many(T *p) { p[threadIdx.x] += 2 * N; }
template __global__ void many<float, 5>(float *);
namespace inner {
__global__ void deep(float *p) { p[threadIdx.x] += 2; }
} // namespace inner
struct Tag {
  static constexpr int value = 2;
};
} // namespace
static __global__ void shift(float *p);
static __global__ void shift(float *p) { p[threadIdx.x] += table[threadIdx.x & 3] + step[1]; }
extern "C" {
static __global__ void plain(float *p) { p[threadIdx.x] += 2; }
}
template <class T> __global__ void tagged(float *p) { p[threadIdx.x] += T::value; }
template <class F> __global__ void each(F f) { f(threadIdx.x); }
static void run(float *d) {
  each<<<1, 32>>>([=] __device__(int i) { d[i] += 2; });
}

float first() {
  float *d, h[32];
  for (float &x : h) x = 1;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  scale<<<1, 32>>>(d);
  many<float, 3><<<1, 32>>>(d);
  many<float, 5><<<1, 32>>>(d);
  inner::deep<<<1, 32>>>(d);
  tagged<Tag><<<1, 32>>>(d);
  shift<<<1, 32>>>(d);
  plain<<<1, 32>>>(d);
  of_header<<<1, 32>>>(d);
  run(d);
  void *arguments[] = {&d};
  cudaLaunchKernel((void *)shift, dim3(1), dim3(32), arguments, 0, 0);
  const float other = 100;
  cudaMemcpyToSymbol(step, &other, sizeof other, sizeof other);
  shift<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(d);
  return h[1];
}
