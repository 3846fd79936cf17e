// A frame of three parts, one after the other: 500 tiny filters of signals, sweeps of a five-point stencil, and a batch of matrix
// products. Each variant makes one part faster and keeps what those before it have gained. The size is the side of the stencil's grid; there
// is a product for each 16 of it.
#include "../lab.h"
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <mma.h>
namespace wmma = nvcuda::wmma;

// Filters: each takes its coefficient less the signal, each channel goes through 100 of them.
constexpr int samples = 256, channels = 5, filters = 100, group = 10;

__host__ __device__ inline float coefficient(int number) { return float(number % 8); }

__global__ void filter(const float *in, float *out, float coefficient) { out[threadIdx.x] = coefficient - in[threadIdx.x]; }

__global__ void filterGroup(const float *in, float *out, int first) {
  float x = in[threadIdx.x];
  for (int number = first; number < first + group; ++number) x = coefficient(number) - x;
  out[threadIdx.x] = x;
}

// The stencil; borders are copied.
constexpr int sweeps = 4; // more would round
__host__ __device__ inline float mix(float own, float west, float east, float north, float south) {
  return 0.5f * own + 0.125f * (west + east + north + south);
}

__global__ void stencil(const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
  const bool inner = x > 0 && y > 0 && x < n - 1 && y < n - 1;
  out[i] = inner ? mix(in[i], in[i - 1], in[i + 1], in[i - n], in[i + n]) : in[i];
}

// Products C = A · B of 128 × 128 matrices, row-major; blockIdx.z says which.
constexpr int side = 128, area = side * side, tile = 16;

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

// A tile per warp, operands from global memory: blocks of four warps beside each other.
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

// 64 × 64 results per block, 32 × 32 per warp. Operands are staged in shared memory, and the next ones copied there meanwhile. Rows are
// 16 bytes longer than they need be: those of a tile would meet in the same banks otherwise.
constexpr int part = 64, depth = 32, pitchA = depth + 8, pitchB = part + 8, word = 8; // halves in 16 bytes
__global__ void __launch_bounds__(128) productStaged(const half *a, const half *b, float *c) {
  __shared__ __align__(16) half stageA[2][part * pitchA], stageB[2][depth * pitchB];
  const int row = blockIdx.y * part, column = blockIdx.x * part;
  a += blockIdx.z * area + row * side, b += blockIdx.z * area + column, c += blockIdx.z * area + row * side + column;
  const auto fetch = [&](int stage, int first) {
    for (int i = threadIdx.x; i < part * depth / word; i += 128) {
      const int rowA = i / (depth / word), inA = i % (depth / word) * word, rowB = i / (part / word), inB = i % (part / word) * word;
      __pipeline_memcpy_async(&stageA[stage][rowA * pitchA + inA], a + rowA * side + first + inA, 16);
      __pipeline_memcpy_async(&stageB[stage][rowB * pitchB + inB], b + (first + rowB) * side + inB, 16);
    }
    __pipeline_commit();
  };
  const int warpRow = threadIdx.x / 64 * 32, warpColumn = threadIdx.x / 32 % 2 * 32;
  Sums sums[2][2];
  for (auto &each : sums) wmma::fill_fragment(each[0], 0.0f), wmma::fill_fragment(each[1], 0.0f);
  fetch(0, 0);
#pragma unroll
  for (int first = 0; first < side; first += depth) {
    const int stage = first / depth % 2;
    if (first + depth < side) fetch(1 - stage, first + depth);
    __pipeline_wait_prior(first + depth < side ? 1 : 0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; k += tile) {
      TileA tileA[2];
      TileB tileB[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(tileA[i], &stageA[stage][(warpRow + i * tile) * pitchA + k], pitchA);
        wmma::load_matrix_sync(tileB[i], &stageB[stage][k * pitchB + warpColumn + i * tile], pitchB);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], tileA[i], tileB[j], sums[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(c + (warpRow + i * tile) * side + warpColumn + j * tile, sums[i][j], side, wmma::mem_row_major);
}

/** How the parts of a frame are done. */
struct Frame {
  bool fused, wide;
  enum { onCores, onTensorCores, staged } products;
};

int main(int argc, char **argv) {
  Lab lab(argc, argv, 768);
  const int n = lab.size, products = n / 16;
  if (n % 32 != 0) return fprintf(stderr, "The size has to be a multiple of 32.\n"), 2;
  std::vector<float> signals(channels * samples), field(size_t(n) * n);
  std::vector<half> hostA(products * area), hostB(products * area);
  // Small whole numbers, so that all sums are exact.
  for (size_t i = 0; i < signals.size(); ++i) signals[i] = float(i * 7 % 1021);
  for (size_t i = 0; i < field.size(); ++i) field[i] = float(i * 7 % 1021);
  for (size_t i = 0; i < hostA.size(); ++i) hostA[i] = __float2half(float((i * 7 + i / side) % 5) - 2.0f);
  for (size_t i = 0; i < hostB.size(); ++i) hostB[i] = __float2half(float((i * 3 + i / side) % 7) - 3.0f);
  Device<float> source(signals), grid(field), scratch(field.size());
  Device<half> a(hostA), b(hostB);
  // The results of all three, one behind the other.
  Device<float> out(field.size() + hostA.size() + signals.size());
  float *const swept = out, *const product = swept + field.size(), *const filtered = product + hostA.size();

  const auto run = [&](const Frame &frame, cudaStream_t stream) {
    const auto in = [&](int channel, int number) { return (number == 0 ? source.data : filtered) + channel * samples; };
    for (int number = 0; number < filters; number += frame.fused ? group : 1)
      for (int channel = 0; channel < channels; ++channel)
        if (frame.fused)
          filterGroup<<<1, samples, 0, stream>>>(in(channel, number), filtered + channel * samples, number);
        else
          filter<<<1, samples, 0, stream>>>(in(channel, number), filtered + channel * samples, coefficient(number));
    const dim3 block = frame.wide ? dim3(32, 8) : dim3(16, 16);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      const float *from = sweep == 0 ? grid : sweep % 2 == 0 ? swept : scratch;
      stencil<<<dim3(n / block.x, n / block.y), block, 0, stream>>>(from, sweep % 2 == 0 ? scratch.data : swept, n);
    }
    if (frame.products == Frame::onCores)
      productOnCores<<<dim3(side / tile, side / tile, products), dim3(tile, tile), 0, stream>>>(a, b, product);
    else if (frame.products == Frame::onTensorCores)
      productOnTensorCores<<<dim3(side / tile / 4, side / tile, products), 128, 0, stream>>>(a, b, product);
    else
      productStaged<<<dim3(side / part, side / part, products), 128, 0, stream>>>(a, b, product);
  };

  const auto wrong = [&](const std::vector<float> &result) {
    size_t errors = 0;
    std::vector<float> now = field, next = field;
    for (int sweep = 0; sweep < sweeps; ++sweep, now.swap(next))
      for (int y = 1; y < n - 1; ++y)
        for (int i = y * n + 1; i < y * n + n - 1; ++i) next[i] = mix(now[i], now[i - 1], now[i + 1], now[i - n], now[i + n]);
    for (size_t i = 0; i < now.size(); ++i) errors += result[i] != now[i];
    // Of each product some rows, others in each.
    for (int which = 0; which < products; ++which)
      for (int row = which % 16; row < side; row += 16)
        for (int column = 0; column < side; ++column) {
          float sum = 0.0f;
          for (int k = 0; k < side; ++k)
            sum += __half2float(hostA[which * area + row * side + k]) * __half2float(hostB[which * area + k * side + column]);
          errors += result[field.size() + which * area + row * side + column] != sum;
        }
    // Of all filters signs and a constant are left.
    float constant = 0.0f, sign = 1.0f;
    for (int number = filters - 1; number >= 0; --number) constant += sign * coefficient(number), sign = -sign;
    for (size_t i = 0; i < signals.size(); ++i) errors += result[field.size() + hostA.size() + i] != constant + sign * signals[i];
    return errors;
  };

  const Frame plain = {false, false, Frame::onCores};
  lab.variant("baseline", out, [&] { run(plain, 0); }, wrong);
  const auto asGraph = [&](const char *name, const Frame &frame) {
    if (!lab.wants(name)) return;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    const cudaGraphExec_t executable = graphOf(stream, [&] { run(frame, stream); });
    lab.variant(name, out, [&] { CHECK(cudaGraphLaunch(executable, 0)); }, wrong);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaStreamDestroy(stream));
  };
  asGraph("graph", plain);
  asGraph("fused", {true, false, Frame::onCores});
  asGraph("stencil", {true, true, Frame::onCores});
  asGraph("tensor", {true, true, Frame::onTensorCores});
  asGraph("staged", {true, true, Frame::staged});
  return lab.end();
}
