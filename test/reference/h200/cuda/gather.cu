// What L2 and DRAM deliver when granules of 4 to 1,024 bytes are read at random, and what sectors cost that are stored in part.
// nvcc -O3 -arch=sm_90 -o gather gather.cu; ./gather; ncu --metrics dram__bytes_read.sum,... ./gather stores
#include <cstdio>
#include <cuda_runtime.h>

__device__ unsigned mix(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16;
  return x;
}
// W lanes read a granule of W words together, past L1; granules start at multiples of 32 bytes at least.
template <int W>
__global__ void gather(const float *in, float *out, unsigned mask, int rounds, long long *cycles) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, g = t / W, l = t % W;
  float s = 0;
  long long t0 = clock64();
  for (int i = 0; i < rounds; i += 8) {
    float v[8];
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = __ldcg(in + (size_t)(mix(g + (i + k) * 1000003u) & mask) * (W < 8 ? 8 : W) + l);
#pragma unroll
    for (int k = 0; k < 8; k++) s += v[k];
  }
  long long t1 = clock64();
  out[t] = s;
  if (threadIdx.x == 0) cycles[blockIdx.x] = t1 - t0;
}
// A thread stores words of its sector one after the other, so many cycles apart.
__global__ void stores(float *out, int words, int apart, int sectors) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int s = 0; s < sectors; s++)
    for (int w = 0; w < words; w++) {
      out[((size_t)s * n + t) * 8 + w] = s + w;
      if (apart) for (long long a = clock64(); clock64() - a < apart;) {}
    }
}
template <int W> void run(float *in, float *out, long long *cycles, unsigned window) {
  unsigned mask = window / ((W < 8 ? 8 : W) * 4) - 1;
  int rounds = window < (1u << 27) ? 512 : 128;
  for (int sms : {1, 2, 4, 8, 16, 33, 66, 99, 132}) {
    int blocks = 2 * sms;
    for (int warm = 0; warm < 3; warm++) gather<W><<<blocks, 1024>>>(in, out, mask, rounds, cycles);
    cudaDeviceSynchronize();
    long long h[264];
    cudaMemcpy(h, cycles, blocks * 8, cudaMemcpyDeviceToHost);
    double most = 0;
    for (int i = 0; i < blocks; i++) most = h[i] > most ? h[i] : most;
    printf("window %u granule %d bytes, %d SMs: %.2f per cycle\n", window, W * 4, sms, blocks * 1024.0 / W * rounds / most);
  }
}
int main(int argc, char **) {
  float *in, *out;
  long long *cycles;
  cudaMalloc(&in, 1ull << 31); cudaMalloc(&out, 1ull << 31); cudaMalloc(&cycles, 8192);
  cudaMemset(in, 0, 1ull << 31); cudaMemset(out, 0, 1ull << 31);
  if (argc > 1) {
    for (int words : {1, 2, 4, 8})
      for (int apart : {0, 50, 200, 1000, 4000}) stores<<<132 * 8, 256>>>(out, words, apart, apart >= 1000 ? 16 : 32);
    return cudaDeviceSynchronize();
  }
  for (unsigned window : {1u << 22, 1u << 24}) {
    run<1>(in, out, cycles, window); run<8>(in, out, cycles, window); run<16>(in, out, cycles, window); run<32>(in, out, cycles, window);
  }
  for (unsigned window : {1u << 28, 1u << 30}) {
    run<1>(in, out, cycles, window); run<16>(in, out, cycles, window); run<32>(in, out, cycles, window);
    run<64>(in, out, cycles, window); run<256>(in, out, cycles, window);
  }
}
