// What instructions cost that are not in the caches: passes over straight code of different lengths, four chains of FFMA.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int passes = 6;

template <int groups>
__global__ void straight(float *out, unsigned *cycles, float a, float b) {
  float x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;
#pragma unroll 1
  for (int pass = 0; pass < passes; pass++) {
    __syncthreads();
    const unsigned from = clock();
#pragma unroll
    for (int i = 0; i < groups; i++)
      asm volatile(
          "fma.rn.f32 %0, %0, %4, %5;\n fma.rn.f32 %1, %1, %4, %5;\n fma.rn.f32 %2, %2, %4, %5;\n fma.rn.f32 %3, %3, %4, %5;"
          : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
          : "f"(a), "f"(b));
    __syncthreads();
    const unsigned to = clock();
    if (blockIdx.x == 0 && threadIdx.x == 0) cycles[pass] = to - from;
  }
  if (x + y + z + w == 1.2345f) *out = x;
}

float *out;
unsigned *cycles;
template <int groups>
void measure() {
  for (int threads : {32, 128, 512})
    for (int launch = 0; launch < 2; launch++) {
      straight<groups><<<132, threads>>>(out, cycles, 0.5f, 1);
      unsigned got[passes];
      cudaMemcpy(got, cycles, sizeof got, cudaMemcpyDeviceToHost);
      printf("%d KB, %d warps, launch %d:", groups * 4 * 16 / 1024, threads / 32, launch);
      for (unsigned one : got) printf(" %.3f", one / (4.0 * groups));
      printf("\n");
    }
}
int main() {
  cudaMalloc(&out, 4), cudaMalloc(&cycles, 64);
  measure<128>(), measure<256>(), measure<384>(), measure<512>(), measure<768>(), measure<1024>(), measure<1536>();
  measure<3072>(), measure<4096>();
  if (const cudaError_t error = cudaGetLastError()) printf("%s\n", cudaGetErrorString(error));
}
