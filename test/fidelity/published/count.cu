// How many of n integers equal one value: an atomic per match, then sums per block and an atomic for each.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void perMatch(const int *values, int n, int wanted, int *count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && values[i] == wanted) atomicAdd(count, 1);
}

__global__ void perBlock(const int *values, int n, int wanted, int *count) {
  __shared__ int sums[256];
  int own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += values[i] == wanted;
  sums[threadIdx.x] = own;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(count, sums[0]);
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100 << 20;
  int *values, *count, found[2];
  if (cudaMalloc(&values, sizeof(int) * static_cast<size_t>(n)) != cudaSuccess || cudaMalloc(&count, sizeof(int)) != cudaSuccess)
    return printf("cudaMalloc: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
  std::vector<int> host(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += (host[i] = i * 37 % 101) == 7;
  cudaMemcpy(values, host.data(), sizeof(int) * host.size(), cudaMemcpyHostToDevice);
  cudaMemset(count, 0, sizeof(int));
  perMatch<<<(n + 255) / 256, 256>>>(values, n, 7, count);
  cudaMemcpy(found, count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemset(count, 0, sizeof(int));
  perBlock<<<1024, 256>>>(values, n, 7, count);
  cudaMemcpy(found + 1, count, sizeof(int), cudaMemcpyDeviceToHost);
  if (found[0] != expected || found[1] != expected) return printf("%d, %d instead of %d\n", found[0], found[1], expected), 1;
}
