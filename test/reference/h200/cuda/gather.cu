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
// Rows of `row` float4, read at random (mode 1) and written at random (2), or in order.
__global__ void copies(const float4 *in, float4 *out, unsigned n, int rounds, int row, int mode, long long *cycles) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, rows = n / row;
  auto place = [&](int i, bool random) {
    unsigned g = t + i * all, r = g / row;
    return (size_t)((random ? mix(r) : r) & (rows - 1)) * row + g % row;
  };
  long long t0 = clock64();
  for (int i = 0; i < rounds; i += 4) {
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = __ldcg(in + place(i + k, mode & 1));
#pragma unroll
    for (int k = 0; k < 4; k++) out[place(i + k, mode & 2)] = v[k];
  }
  long long t1 = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = t1 - t0;
}
// Indices from line to line; each lane reads a word of the line.
__global__ void links(unsigned *next, unsigned lines) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < lines) for (int k = 0; k < 32; k++) next[(size_t)i * 32 + k] = mix(i * 2654435761u + 12345) & (lines - 1);
}
__global__ void chain(const unsigned *next, unsigned *out, int hops, unsigned mask, int lanes, long long *cycles) {
  unsigned line = mix(blockIdx.x + 99) & mask;
  if (threadIdx.x >= lanes) return;
  long long t0 = clock64();
#pragma unroll 1
  for (int h = 0; h < hops; h++) line = __ldcg(next + (size_t)line * 32 + threadIdx.x);
  long long t1 = clock64();
  out[blockIdx.x * 32 + threadIdx.x] = line;
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
double longest(const long long *cycles, int blocks) {
  long long h[264];
  cudaMemcpy(h, cycles, blocks * 8, cudaMemcpyDeviceToHost);
  double most = 0;
  for (int i = 0; i < blocks; i++) most = h[i] > most ? h[i] : most;
  return most;
}
template <int W> void run(float *in, float *out, long long *cycles, unsigned window) {
  unsigned mask = window / ((W < 8 ? 8 : W) * 4) - 1;
  int rounds = window < (1u << 27) ? 512 : 128;
  for (int sms : {1, 2, 4, 8, 16, 33, 66, 99, 132}) {
    int blocks = 2 * sms;
    for (int warm = 0; warm < 3; warm++) gather<W><<<blocks, 1024>>>(in, out, mask, rounds, cycles);
    cudaDeviceSynchronize();
    printf("window %u granule %d bytes, %d SMs: %.2f per cycle\n", window, W * 4, sms,
           blocks * 1024.0 / W * rounds / longest(cycles, blocks));
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
  links<<<256, 256>>>((unsigned *)out, 1 << 16);
  for (int lanes : {1, 2, 8, 16, 32}) {
    for (int warm = 0; warm < 3; warm++) chain<<<132, 32>>>((unsigned *)out, (unsigned *)in, 256, (1 << 16) - 1, lanes, cycles);
    cudaDeviceSynchronize();
    printf("chain, %d lanes: %.1f cycles\n", lanes, longest(cycles, 132) / 256);
  }
  for (int row : {2, 4, 8, 16, 64})
    for (int mode = 0; mode < 4; mode++) {
      int blocks = 264, rounds = 128;
      for (int warm = 0; warm < 3; warm++) copies<<<blocks, 1024>>>((float4 *)in, (float4 *)out, 8 << 16, rounds, row, mode, cycles);
      cudaDeviceSynchronize();
      printf("8 MB, rows of %d bytes, mode %d: %.1f sectors per cycle\n", row * 16, mode, blocks * 1024.0 * rounds / 2 / longest(cycles, blocks));
    }
  for (unsigned window : {1u << 22, 1u << 24}) {
    run<1>(in, out, cycles, window); run<8>(in, out, cycles, window); run<16>(in, out, cycles, window); run<32>(in, out, cycles, window);
  }
  for (unsigned window : {1u << 28, 1u << 30}) {
    run<1>(in, out, cycles, window); run<16>(in, out, cycles, window); run<32>(in, out, cycles, window);
    run<64>(in, out, cycles, window); run<256>(in, out, cycles, window);
  }
}
