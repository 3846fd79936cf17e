// Kernels bound by DRAM: data that goes there and back between kernels, or is read again when L2 has given it up. For a GPU with a
// small L2. Arguments: names of kernels to run, in order.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

constexpr int count = 1 << 22, block = 256, grid = count / block;

__global__ void scale(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2.0f * in[i];
}
__global__ void shift(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1.0f;
}
__global__ void scaleAndShift(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2.0f * in[i] + 1.0f;
}

// Everything is read by four blocks: one after all others have been read, or right after each other.
__global__ void passes(const float *in, float *out, bool again) {
  const int part = again ? blockIdx.x % grid : blockIdx.x / 4;
  const float value = in[part * block + threadIdx.x];
  if (value != 0) out[blockIdx.x] = value;
}

int main(int argc, char **argv) {
  float *a, *b, *c;
  cudaMalloc(&a, count * sizeof(float));
  if (strcmp(argv[1], "again") != 0 && strcmp(argv[1], "parts") != 0) cudaMalloc(&b, count * sizeof(float));
  cudaMalloc(&c, count / 4 * sizeof(float));
  cudaMemset(a, 0, count * sizeof(float));
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i];
    const auto is = [name](const char *other) { return strcmp(name, other) == 0; };
    if (is("scale")) scale<<<grid, block>>>(a, b);
    if (is("shift")) shift<<<grid, block>>>(b, a);
    if (is("scaleAndShift")) scaleAndShift<<<grid, block>>>(a, b);
    if (is("again")) passes<<<4 * grid, block>>>(a, c, true);
    if (is("parts")) passes<<<4 * grid, block>>>(a, c, false);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
