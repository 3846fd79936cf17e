// Needs 2 GPUs.
// Every device has __device__ and __constant__ variables of its own; their addresses work from the other one with peer access.
#include "../check.h"
__device__ int value = 5;
__device__ int table[4] = {1, 2, 3, 4};
__device__ int *first = table;
__constant__ int factor = 1;
__global__ void use(int *out) {
  out[threadIdx.x] = first[threadIdx.x] * factor + value;
  if (threadIdx.x == 0) value++;
}
__global__ void read(int *out, const int *from) { *out = *from; }
int main() {
  int *out[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMalloc(&out[d], 4 * sizeof(int)));
  }
  CHECK(cudaSetDevice(1));
  const int ten = 10, seven = 7;
  CHECK(cudaMemcpyToSymbol(factor, &ten, sizeof ten));
  CHECK(cudaMemcpyToSymbol(table, &seven, sizeof seven, 2 * sizeof(int)));
  for (int pass = 0; pass < 2; pass++)
    for (int d = 0; d < 2; d++) {
      CHECK(cudaSetDevice(d));
      use<<<1, 4>>>(out[d]);
      CHECK_KERNEL();
      int got[4], now;
      CHECK(cudaMemcpy(got, out[d], sizeof got, cudaMemcpyDeviceToHost));
      for (int i = 0; i < 4; i++) same("use", 4 * d + i, got[i], (d == 1 && i == 2 ? 7 : i + 1) * (d == 1 ? 10 : 1) + 5 + pass);
      CHECK(cudaMemcpyFromSymbol(&now, value, sizeof now));
      same("value", d, now, 6 + pass);
    }
  void *address[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaGetSymbolAddress(&address[d], value));
  }
  EXPECT(address[0] != address[1]);
  const int other = 99;
  CHECK(cudaMemcpyToSymbol(value, &other, sizeof other)); // of device 1
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  read<<<1, 1>>>(out[0], (const int *)address[1]);
  CHECK_KERNEL();
  int got;
  CHECK(cudaMemcpy(&got, out[0], sizeof got, cudaMemcpyDeviceToHost));
  same("of the peer", 0, got, 99);
  CHECK(cudaMemcpyFromSymbol(&got, value, sizeof got));
  same("own", 0, got, 7);
  return finish();
}
