// Matrix product C = A · B, row-major: naive against tiles in shared memory.
//
//   matmul [naive|tiled] [n]
//
// The naive kernel reads every element of A and B from global memory n times. The tiled kernel loads each 16 × 16 tile
// once per block into shared memory and uses it 16 times.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status));   \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

constexpr int tile = 16;

__global__ void matmulNaive(const float *a, const float *b, float *c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void matmulTiled(const float *a, const float *b, float *c, int n) {
  __shared__ float tileA[tile][tile];
  __shared__ float tileB[tile][tile];
  const int column = blockIdx.x * tile + threadIdx.x;
  const int row = blockIdx.y * tile + threadIdx.y;
  float sum = 0.0f;
  for (int first = 0; first < n; first += tile) {
    const int columnA = first + threadIdx.x;
    const int rowB = first + threadIdx.y;
    tileA[threadIdx.y][threadIdx.x] = row < n && columnA < n ? a[row * n + columnA] : 0.0f;
    tileB[threadIdx.y][threadIdx.x] = rowB < n && column < n ? b[rowB * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

int main(int argc, char **argv) {
  const bool tiled = argc > 1 && strcmp(argv[1], "tiled") == 0;
  const int n = argc > 2 ? atoi(argv[2]) : 512;
  if (n < 1 || n > 8192) {
    fprintf(stderr, "usage: matmul [naive|tiled] [n 1..8192]\n");
    return 2;
  }
  const size_t count = static_cast<size_t>(n) * n;
  const size_t bytes = count * sizeof(float);
  std::vector<float> a(count), b(count), c(count);
  // Small whole numbers: sums are exact in any order, so results can be compared with ==.
  for (size_t i = 0; i < count; ++i) {
    a[i] = static_cast<float>((i * 7 + i / n) % 5) - 2.0f;
    b[i] = static_cast<float>((i * 3 + i / n) % 7) - 3.0f;
  }

  float *deviceA, *deviceB, *deviceC;
  CHECK(cudaMalloc(&deviceA, bytes));
  CHECK(cudaMalloc(&deviceB, bytes));
  CHECK(cudaMalloc(&deviceC, bytes));
  CHECK(cudaMemcpy(deviceA, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceB, b.data(), bytes, cudaMemcpyHostToDevice));

  const dim3 block(tile, tile);
  const dim3 grid((n + tile - 1) / tile, (n + tile - 1) / tile);
  const auto kernel = tiled ? matmulTiled : matmulNaive;
  // The first launch of a kernel loads its code: keep that out of the measured part.
  kernel<<<1, block>>>(deviceA, deviceB, deviceC, 0);
  CHECK(cudaDeviceSynchronize());

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  kernel<<<grid, block>>>(deviceA, deviceB, deviceC, n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaMemcpy(c.data(), deviceC, bytes, cudaMemcpyDeviceToHost));

  // Every element of some rows, spread over the matrix.
  int wrong = 0;
  for (int row = 0; row < n; row += n > 64 ? n / 64 : 1)
    for (int column = 0; column < n; ++column) {
      float sum = 0.0f;
      for (int k = 0; k < n; ++k) sum += a[static_cast<size_t>(row) * n + k] * b[static_cast<size_t>(k) * n + column];
      if (sum != c[static_cast<size_t>(row) * n + column]) ++wrong;
    }
  const double gflops = 2.0 * n * n * static_cast<double>(n) / (milliseconds * 1e6);
  printf("%s, n = %d: %.3f ms, %.0f GFLOP/s, %s\n", tiled ? "tiled" : "naive", n, milliseconds, gflops,
         wrong == 0 ? "results correct" : "RESULTS WRONG");

  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  CHECK(cudaFree(deviceC));
  return wrong == 0 ? 0 : 1;
}
