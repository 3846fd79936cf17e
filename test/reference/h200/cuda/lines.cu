// What a load of many lines takes: one warp, a chain of loads of 1 to 32 lines that are in L1, or in L2 as somebody left them.
#include <cstdio>
#include <cuda_runtime.h>

constexpr unsigned apart = 5 * 32, step = 32 * apart + 32;

__global__ void lines(const unsigned *zeros, unsigned *out, unsigned count, int hits) {
  const unsigned lane = threadIdx.x, own = lane % count * apart + lane / count % 4;
  unsigned at = own;
  if (hits) at = own + zeros[own];
  const long long from = clock64();
  for (int k = 0; k < 64; k++) {
    const unsigned loaded = zeros[at];
    at = (hits ? own : at + step) + loaded;
  }
  const long long to = clock64();
  out[2 + lane] = at;
  if (lane == 0) *(long long *)out = to - from;
}

__global__ void readAll(const unsigned *p, unsigned n, unsigned *out) {
  unsigned s = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += p[i];
  if (s != 0) *out = s;
}

int main() {
  unsigned *zeros, *out;
  cudaMalloc(&zeros, 64 << 20), cudaMalloc(&out, 256);
  const char *names[] = {"hits", "stored", "read"};
  for (int how = 0; how < 3; how++)
    for (unsigned count = 1; count <= 32; count *= 2) {
      long long cycles;
      if (how < 2) cudaMemset(zeros, 0, 16 << 20);
      else
        for (int i = 0; i < 8; i++) readAll<<<528, 512>>>(zeros, 4 << 20, out + 60);
      lines<<<1, 32>>>(zeros, out, count, how == 0);
      cudaMemcpy(&cycles, out, sizeof cycles, cudaMemcpyDeviceToHost);
      printf("%s, %u lines: %.1f\n", names[how], count, cycles / 64.0);
    }
  if (const cudaError_t error = cudaGetLastError()) printf("%s\n", cudaGetErrorString(error));
}
