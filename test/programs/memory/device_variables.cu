// __device__ variables: initial values, symbol addresses and sizes, state kept between kernels, arrays, static ones.
#include "../check.h"

__device__ int counter = 5;
__device__ float values[16] = {1, 2, 3};
__device__ int *pointer;
static __device__ unsigned long long big = 0x123456789abcdefull;
struct Config { int a; float b[2]; };
__device__ Config config = {7, {0.5f, 0.25f}};

__global__ void kernel(int *out) {
  static __device__ int calls = 100;
  if (threadIdx.x == 0) out[0] = calls++, out[1] = (int)(big >> 32), out[2] = config.a, out[3] = (int)(config.b[1] * 100), out[4] = pointer[3];
  atomicAdd(&counter, 1);
  values[threadIdx.x % 16] += 0.5f;
}

int main() {
  int *address, *buffer;
  size_t size;
  CHECK(cudaGetSymbolAddress((void **)&address, counter));
  CHECK(cudaGetSymbolSize(&size, values));
  same("size", 0, (long long)size, 64ll);
  CHECK(cudaGetSymbolSize(&size, config));
  same("size", 1, (long long)size, 12ll);
  CHECK(cudaMalloc(&buffer, 16));
  const int numbers[4] = {11, 22, 33, 44};
  CHECK(cudaMemcpy(buffer, numbers, 16, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(pointer, &buffer, sizeof buffer));
  Device<int> out(5);
  for (int round = 0; round < 2; ++round) {
    kernel<<<1, 16>>>(out);
    CHECK_KERNEL();
    const auto got = out.host();
    const int e[5] = {100 + round, 0x01234567, 7, 25, 44};
    for (int k = 0; k < 5; ++k) same("out", k, got[k], e[k]);
  }
  int c;
  CHECK(cudaMemcpy(&c, address, 4, cudaMemcpyDeviceToHost));
  same("counter", 0, c, 5 + 32);
  CHECK(cudaMemcpyFromSymbol(&c, counter, 4));
  same("counter", 1, c, 5 + 32);
  float v[16];
  CHECK(cudaMemcpyFromSymbol(v, values, sizeof v));
  for (int k = 0; k < 16; ++k) close("values", k, v[k], (k < 3 ? k + 1 : 0) + 1, 0);
  CHECK(cudaMemset(address, 0, 4));
  CHECK(cudaMemcpyFromSymbol(&c, counter, 4));
  same("counter", 2, c, 0);
  CHECK(cudaFree(buffer));
  return finish();
}
