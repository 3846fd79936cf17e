// Products of matrices on the FMA pipe and on tensor cores, and computation that is no product. Arguments: names of kernels to run.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <vector>

// Of `inner` products for each result.
constexpr int n = 2048, inner = 128, tile = 64, depth = 8;

// Tiles of 64 x 64 in shared memory, 4 x 4 results in the registers of each thread.
__global__ void __launch_bounds__(256) product(const float *a, const float *b, float *c) {
  __shared__ float tileA[depth][tile + 4], tileB[depth][tile];
  const int row = threadIdx.x / 16 * 4, column = threadIdx.x % 16 * 4;
  const float *const from = a + blockIdx.y * tile * inner, *const to = b + blockIdx.x * tile;
  float sum[4][4] = {};
  for (int k = 0; k < inner; k += depth) {
    for (int i = threadIdx.x; i < tile * depth; i += 256) {
      tileA[i % depth][i / depth] = from[i / depth * inner + k + i % depth];
      tileB[i / tile][i % tile] = to[(k + i / tile) * n + i % tile];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < depth; ++d)
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += tileA[d][row + i] * tileB[d][column + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(blockIdx.y * tile + row + i) * n + blockIdx.x * tile + column + j] = sum[i][j];
}

using namespace nvcuda;
__global__ void tensor(const half *a, const half *b, float *c) {
  const int row = blockIdx.y * 16, column = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < inner; k += 16) {
    wmma::load_matrix_sync(left, a + row * inner + k, inner);
    wmma::load_matrix_sync(right, b + k * n + column, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// Multiply-adds only, near the roof, of nothing but registers.
__global__ void recurrence(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x[8];
  for (int k = 0; k < 8; ++k) x[k] = in[i] + k;
  for (int step = 0; step < 256; ++step)
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = 0.998f * x[k] + 0.001f;
  out[i] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}

int main(int argc, char **argv) {
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(float));
  cudaMemset(b, 0, n * n * sizeof(float));
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i];
    const auto is = [name](const char *other) { return strcmp(name, other) == 0; };
    if (is("product")) product<<<dim3(n / tile, n / tile), 256>>>(a, b, c);
    if (is("tensor")) tensor<<<dim3(n / 64, n / 16), 128>>>(reinterpret_cast<half *>(a), reinterpret_cast<half *>(b), c);
    if (is("recurrence")) recurrence<<<1024, 256>>>(a, c);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
