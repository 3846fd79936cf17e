// Columns of a 32 × 32 tile in shared memory, read again and again: all words of a column lie in one bank, unless rows are a
// word longer or the words of each row are stored in another order.
#include "../lab.h"

constexpr int threads = 256, side = 32;

__device__ inline float cell(int row, int column) { return float(row * side + column); }

// Each warp sums up column after column; lane r has row r. `pitch`: words from row to row.
template <int pitch, bool swizzle> __device__ void sumColumns(float *out, int rounds) {
  __shared__ float tile[side * pitch];
  for (int i = threadIdx.x; i < side * side; i += threads) {
    const int row = i / side, column = i % side;
    tile[row * pitch + (swizzle ? column ^ row : column)] = cell(row, column);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round) {
    const int column = (round + threadIdx.x / 32) % side;
    sum += tile[lane * pitch + (swizzle ? column ^ lane : column)];
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

__global__ void columns(float *out, int rounds) { sumColumns<side, false>(out, rounds); }
__global__ void columnsPadded(float *out, int rounds) { sumColumns<side + 1, false>(out, rounds); }
__global__ void columnsSwizzled(float *out, int rounds) { sumColumns<side, true>(out, rounds); }

// Lanes `stride` words apart: as many of them meet in one bank.
template <int stride> __global__ void strided(float *out, int rounds) {
  __shared__ float words[side * side];
  for (int i = threadIdx.x; i < side * side; i += threads) words[i] = float(i);
  __syncthreads();
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round) sum += words[(threadIdx.x % 32 * stride + round) % (side * side)];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 2048);
  const int rounds = lab.size, blocks = 216;
  Device<float> out(size_t(blocks) * threads);

  // Whole numbers below 2^24: sums are exact in any order.
  const auto wrongUnless = [&](auto word) {
    return [=](const std::vector<float> &result) {
      size_t count = 0;
      for (int thread = 0; thread < threads; ++thread) {
        float sum = 0.0f;
        for (int round = 0; round < rounds; ++round) sum += word(thread, round);
        for (int block = 0; block < blocks; ++block) count += result[size_t(block) * threads + thread] != sum;
      }
      return count;
    };
  };
  const auto wrong = wrongUnless([](int thread, int round) { return float(thread % 32 * side + (round + thread / 32) % side); });
  const auto wrongAt = [&](int stride) {
    return wrongUnless([=](int thread, int round) { return float((thread % 32 * stride + round) % (side * side)); });
  };
  lab.variant("column", out, [&] { columns<<<blocks, threads>>>(out, rounds); }, wrong);
  lab.variant("2-way", out, [&] { strided<2><<<blocks, threads>>>(out, rounds); }, wrongAt(2));
  lab.variant("4-way", out, [&] { strided<4><<<blocks, threads>>>(out, rounds); }, wrongAt(4));
  lab.variant("8-way", out, [&] { strided<8><<<blocks, threads>>>(out, rounds); }, wrongAt(8));
  lab.variant("16-way", out, [&] { strided<16><<<blocks, threads>>>(out, rounds); }, wrongAt(16));
  lab.variant("padded", out, [&] { columnsPadded<<<blocks, threads>>>(out, rounds); }, wrong);
  lab.variant("swizzled", out, [&] { columnsSwizzled<<<blocks, threads>>>(out, rounds); }, wrong);
  return lab.end();
}
