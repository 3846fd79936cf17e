// LDC with so many distinct words per warp: cycles per load where eight are independent, and of a chain. One block.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
__constant__ int table[8192];
// distinct words per warp k, stride in words
template <int UN>
__global__ void ldc(int k, int stride, int rounds, int* out, long long* cyc) {
  int i = (threadIdx.x % k) * stride;
  int s = 0;
  for (int w = 0; w < 2; w++) { for (int q = 0; q < 8192; q += 8) s += table[(q + i) & 8191]; }
  __syncthreads();
  long long t0 = clock64();
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int u = 0; u < UN; u++) s += table[i + u];
    i ^= (s == 12345);
  }
  long long t1 = clock64();
  out[threadIdx.x] = s;
  if (threadIdx.x == 0) *cyc = t1 - t0;
}
__global__ void ldc_chain(int k, int stride, int rounds, int* out, long long* cyc) {
  int i = (threadIdx.x % k) * stride;
  for (int q = 0; q < 8192; q += 8) if (table[q] == 77) i++;
  long long t0 = clock64();
  for (int r = 0; r < rounds; r++) i = i + table[i];
  long long t1 = clock64();
  out[threadIdx.x] = i;
  if (threadIdx.x == 0) *cyc = t1 - t0;
}
int main() {
  int zeros[8192];
  memset(zeros, 0, sizeof zeros);
  cudaMemcpyToSymbol(table, zeros, sizeof zeros);
  int* out;
  long long *cyc, c;
  cudaMalloc(&out, 4096 * 4);
  cudaMalloc(&cyc, 8);
  for (int threads : {32, 128, 256, 1024})
    for (int stride : {1, 2, 16, 32})
      for (int k : {1, 2, 4, 8, 16, 32}) {
        if (k * stride + 16 > 2048) continue;
        for (int i = 0; i < 2; i++) ldc<8><<<1, threads>>>(k, stride, 64, out, cyc);
        cudaMemcpy(&c, cyc, 8, cudaMemcpyDeviceToHost);
        double th = c / 512.0;
        for (int i = 0; i < 2; i++) ldc_chain<<<1, threads>>>(k, stride, 128, out, cyc);
        cudaMemcpy(&c, cyc, 8, cudaMemcpyDeviceToHost);
        printf("{\"warps\":%d,\"stride\":%d,\"words\":%d,\"load\":%.2f,\"chain\":%.2f}\n", threads / 32, stride, k, th, c / 128.0);
      }
}
