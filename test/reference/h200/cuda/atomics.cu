// Atomics on one address by type, every lane its own; how long after each other L2 does them, while nothing else goes on.
#include <cstdio>
#include <cuda_runtime.h>

template <class T, int how> __global__ void same(T *p, const unsigned *zeros, int n) {
  T *at = p + zeros[threadIdx.x];
  for (int i = 0; i < n; i++) {
    if constexpr (how == 0) atomicAdd(at, T(1));
    else if constexpr (how == 1) atomicMax(at, T(i));
    else if constexpr (how == 2) atomicExch(at, T(i));
    else if constexpr (how == 3) atomicCAS(at, T(i), T(i + 1));
    else atomicOr(at, T(i));
  }
}
template <class T, int how> void report(const char *name, void *p, const unsigned *zeros) {
  const int blocks = 132, threads = 256, n = 8;
  cudaEvent_t e[2];
  cudaEventCreate(&e[0]), cudaEventCreate(&e[1]);
  float best = 1e9f;
  for (int i = 0; i < 5; i++) {
    cudaMemset(p, 0, 256);
    cudaEventRecord(e[0]);
    same<T, how><<<blocks, threads>>>((T *)p, zeros, n);
    cudaEventRecord(e[1]);
    cudaEventSynchronize(e[1]);
    float ms;
    cudaEventElapsedTime(&ms, e[0], e[1]);
    best = ms < best ? ms : best;
  }
  printf("%s: %.3f per ns\n", name, (double)blocks * threads * n / (1e6 * best));
}

int main() {
  void *p;
  unsigned *zeros;
  cudaMalloc(&p, 4096), cudaMalloc(&zeros, 4096);
  cudaMemset(zeros, 0, 4096);
  report<unsigned, 0>("add of unsigned", p, zeros);
  report<unsigned long long, 0>("add of unsigned long long", p, zeros);
  report<float, 0>("add of float", p, zeros);
  report<double, 0>("add of double", p, zeros);
  report<int, 1>("max of int", p, zeros);
  report<unsigned, 4>("or of unsigned", p, zeros);
  report<unsigned, 2>("exchange of unsigned", p, zeros);
  report<unsigned, 3>("compare and swap of unsigned", p, zeros);
  if (const cudaError_t error = cudaGetLastError()) printf("%s\n", cudaGetErrorString(error));
}
