// Products C = A · B of 128 × 128 halves each, row-major, with sums in float; blockIdx.z says which. On the ordinary cores, and in three
// steps on the tensor cores.
#pragma once
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <mma.h>
namespace wmma = nvcuda::wmma;

constexpr int side = 128, area = side * side, tile = 16;

// A thread per result, operands in shared tiles: a block has 16 × 16 threads and results.
__global__ void productOnCores(const half *a, const half *b, float *c) {
  __shared__ half tileA[tile][tile], tileB[tile][tile];
  a += blockIdx.z * area, b += blockIdx.z * area, c += blockIdx.z * area;
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < side; first += tile) {
    tileA[threadIdx.y][threadIdx.x] = a[row * side + first + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * side + column];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += __half2float(tileA[threadIdx.y][k]) * __half2float(tileB[k][threadIdx.x]);
    __syncthreads();
  }
  c[row * side + column] = sum;
}

using TileA = wmma::fragment<wmma::matrix_a, tile, tile, tile, half, wmma::row_major>;
using TileB = wmma::fragment<wmma::matrix_b, tile, tile, tile, half, wmma::row_major>;
using Sums = wmma::fragment<wmma::accumulator, tile, tile, tile, float>;

// A tile of 16 × 16 results per warp, operands from global memory: blocks of four warps beside each other.
__global__ void productOnTensorCores(const half *a, const half *b, float *c) {
  const int row = blockIdx.y * tile, column = (blockIdx.x * 4 + threadIdx.x / 32) * tile;
  a += blockIdx.z * area + row * side, b += blockIdx.z * area + column, c += blockIdx.z * area + row * side + column;
  Sums sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int k = 0; k < side; k += tile) {
    TileA tileA;
    TileB tileB;
    wmma::load_matrix_sync(tileA, a + k, side);
    wmma::load_matrix_sync(tileB, b + k * side, side);
    wmma::mma_sync(sums, tileA, tileB, sums);
  }
  wmma::store_matrix_sync(c, sums, side, wmma::mem_row_major);
}

// 64 × 64 results per block of four warps, 32 × 32 per warp: each fragment that is loaded serves two products. Operands are staged in
// shared memory. Rows are 16 bytes longer there than they need be: those of a tile would meet in the same banks otherwise.
constexpr int part = 64, depth = 32, pitchA = depth + 8, pitchB = part + 8, word = 8; // halves in 16 bytes
struct Stage {
  half a[part * pitchA], b[depth * pitchB];
};

// What a warp multiplies of a stage.
__device__ inline void multiply(const Stage &stage, int row, int column, Sums (&sums)[2][2]) {
#pragma unroll
  for (int k = 0; k < depth; k += tile) {
    TileA tileA[2];
    TileB tileB[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      wmma::load_matrix_sync(tileA[i], stage.a + (row + i * tile) * pitchA + k, pitchA);
      wmma::load_matrix_sync(tileB[i], stage.b + k * pitchB + column + i * tile, pitchB);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], tileA[i], tileB[j], sums[i][j]);
  }
}

// With `ahead` there are two stages, and the next one is copied (cp.async) while this one is multiplied.
template <bool ahead> __device__ inline void staged(const half *a, const half *b, float *c) {
  __shared__ __align__(16) Stage stages[ahead ? 2 : 1];
  const int row = blockIdx.y * part, column = blockIdx.x * part;
  a += blockIdx.z * area + row * side, b += blockIdx.z * area + column, c += blockIdx.z * area + row * side + column;
  const auto copy = [](half *to, const half *from) {
    if (ahead)
      __pipeline_memcpy_async(to, from, 16);
    else
      *reinterpret_cast<uint4 *>(to) = *reinterpret_cast<const uint4 *>(from);
  };
  const auto fetch = [&](Stage &stage, int first) {
#pragma unroll
    for (int i = threadIdx.x; i < part * depth / word; i += 128) {
      const int rowA = i / (depth / word), inA = i % (depth / word) * word, rowB = i / (part / word), inB = i % (part / word) * word;
      copy(&stage.a[rowA * pitchA + inA], a + rowA * side + first + inA);
      copy(&stage.b[rowB * pitchB + inB], b + (first + rowB) * side + inB);
    }
    if (ahead) __pipeline_commit();
  };
  const int warpRow = threadIdx.x / 64 * 32, warpColumn = threadIdx.x / 32 % 2 * 32;
  Sums sums[2][2];
  for (auto &each : sums) wmma::fill_fragment(each[0], 0.0f), wmma::fill_fragment(each[1], 0.0f);
  if (ahead) fetch(stages[0], 0);
#pragma unroll 1
  for (int first = 0, now = 0; first < side; first += depth) {
    const bool more = ahead && first + depth < side;
    if (!ahead) fetch(stages[0], first);
    if (more) fetch(stages[1 - now], first + depth);
    if (ahead) more ? __pipeline_wait_prior(1) : __pipeline_wait_prior(0);
    __syncthreads();
    multiply(stages[now], warpRow, warpColumn, sums);
    __syncthreads();
    if (ahead) now = 1 - now;
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(c + (warpRow + i * tile) * side + warpColumn + j * tile, sums[i][j], side, wmma::mem_row_major);
}
__global__ void __launch_bounds__(128) productStaged(const half *a, const half *b, float *c) { staged<false>(a, b, c); }
__global__ void __launch_bounds__(128) productAhead(const half *a, const half *b, float *c) { staged<true>(a, b, c); }

// Operands of so many products, small whole numbers: all sums are exact.
inline std::vector<half> halves(int products, int factor, int modulus) {
  std::vector<half> numbers(size_t(products) * area);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = __float2half(float((i * factor + i / side) % modulus) - float(modulus / 2));
  return numbers;
}

// How many results of some rows of each product are wrong; other rows in each.
inline size_t wrongProducts(const std::vector<half> &a, const std::vector<half> &b, const float *result) {
  size_t errors = 0;
  const int products = int(a.size() / area);
  for (int which = 0; which < products; ++which)
    for (int row = which % 16; row < side; row += 16)
      for (int column = 0; column < side; ++column) {
        const size_t first = size_t(which) * area;
        float sum = 0.0f;
        for (int k = 0; k < side; ++k) sum += __half2float(a[first + row * side + k]) * __half2float(b[first + k * side + column]);
        errors += result[first + row * side + column] != sum;
      }
  return errors;
}
