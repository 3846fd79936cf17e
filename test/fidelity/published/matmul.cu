// A square product of floats, one thread per element: operands from global memory, then tiles of 16 by 16 in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int tile = 16;

__global__ void naive(const float *a, const float *b, float *c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

template <typename Element>
__device__ void product(Element (&left)[tile][tile], Element (&right)[tile][tile], const float *a, const float *b, float *c,
                        int m, int n, int k) {
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y;
  const int column = blockIdx.x * tile + x;
  float sum = 0;
  for (int step = 0; step < (k + tile - 1) / tile; ++step) {
    const int across = step * tile + x, down = step * tile + y;
    left[y][x] = row < m && across < k ? a[row * k + across] : 0;
    right[y][x] = down < k && column < n ? b[down * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float left[tile][tile], right[tile][tile];
  product(left, right, a, b, c, m, n, k);
}

// Each element is loaded by itself; ptxas of CUDA 13 joins four of the left tile otherwise.
__global__ void tiledByElement(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ volatile float left[tile][tile], right[tile][tile];
  product(left, right, a, b, c, m, n, k);
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1024;
  const size_t bytes = sizeof(float) * n * n;
  std::vector<float> values(static_cast<size_t>(n) * n);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 13) - 6;
  float *a, *b, *c;
  if (cudaMalloc(&a, bytes) != cudaSuccess || cudaMalloc(&b, bytes) != cudaSuccess || cudaMalloc(&c, bytes) != cudaSuccess)
    return printf("cudaMalloc: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
  cudaMemcpy(a, values.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, values.data(), bytes, cudaMemcpyHostToDevice);
  const dim3 block(tile, tile), grid((n + tile - 1) / tile, (n + tile - 1) / tile);
  std::vector<float> first(values.size()), second(values.size());
  naive<<<grid, block>>>(a, b, c, n, n, n);
  cudaMemcpy(first.data(), c, bytes, cudaMemcpyDeviceToHost);
  for (auto kernel : {tiled, tiledByElement}) {
    kernel<<<grid, block>>>(a, b, c, n, n, n);
    cudaMemcpy(second.data(), c, bytes, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) return 1;
    for (size_t i = 0; i < first.size(); i += 97)
      if (first[i] != second[i]) return printf("element %zu: %g and %g\n", i, first[i], second[i]), 1;
  }
}
