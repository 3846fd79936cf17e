// Stores to one word among other accesses of 64 rounds: mode 1 a load at random before each, 2 a store at random, 4 the store to the
// one word, 8 to one of 64 words.
#include <cstdio>
#include <cuda_runtime.h>
// stores to one word, between stores and loads elsewhere
__global__ void hot(int* flag, int* data, const int* __restrict__ idx, int rounds, int mode, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32) return;
  unsigned s = i * 2654435761u + 1;
  for (int r = 0; r < rounds; r++) {
    s = s * 1664525u + 1013904223u;
    int at = (s >> 8) % n;
    if (mode & 1) { volatile int* d = data; if (d[at] == -5) return; }
    if (mode & 2) data[at] = r;
    if (mode & 4) { volatile int* f = flag; *f = r; }
    if (mode & 8) { volatile int* f = flag; f[(i & 63) * 64] = r; }
  }
}
int main() {
  int *flag, *data, n = 1 << 20;
  cudaMalloc(&flag, 1 << 16);
  cudaMalloc(&data, n * 4);
  cudaMemset(data, 0, n * 4);
  for (int mode : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
    for (int blocks : {132, 1056}) {
      float best = 1e9;
      cudaEvent_t a, b;
      cudaEventCreate(&a);
      cudaEventCreate(&b);
      for (int i = 0; i < 3; i++) {
        cudaEventRecord(a);
        hot<<<blocks, 256>>>(flag, data, data, 64, mode, n);
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        float ms;
        cudaEventElapsedTime(&ms, a, b);
        if (ms < best) best = ms;
      }
      printf("{\"mode\":%d,\"blocks\":%d,\"us\":%.1f}\n", mode, blocks, best * 1e3);
    }
}
