// A five-point stencil on n × n floats, n a multiple of 32: each element and its four neighbours, read through L1 or from a tile.
#include "../lab.h"

__host__ __device__ inline float mix(float own, float west, float east, float north, float south) {
  return 0.5f * own + 0.125f * (west + east + north + south);
}

// Borders are copied.
__global__ void stencil(const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
  const bool inner = x > 0 && y > 0 && x < n - 1 && y < n - 1;
  out[i] = inner ? mix(in[i], in[i - 1], in[i + 1], in[i - n], in[i + n]) : in[i];
}

// The same through the read-only path: since Volta it is the same path.
__global__ void stencilReadOnly(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
  const bool inner = x > 0 && y > 0 && x < n - 1 && y < n - 1;
  out[i] = inner ? mix(__ldg(in + i), __ldg(in + i - 1), __ldg(in + i + 1), __ldg(in + i - n), __ldg(in + i + n)) : __ldg(in + i);
}

// A tile with a halo of one element, loaded once per block.
template <int width, int height> __device__ void fromTile(const float *in, float *out, int n) {
  __shared__ float tile[height + 2][width + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * height + threadIdx.y, i = y * n + x;
  tile[ty][tx] = in[i];
  if (threadIdx.x == 0 && x > 0) tile[ty][0] = in[i - 1];
  if (threadIdx.x == width - 1 && x < n - 1) tile[ty][width + 1] = in[i + 1];
  if (threadIdx.y == 0 && y > 0) tile[0][tx] = in[i - n];
  if (threadIdx.y == height - 1 && y < n - 1) tile[height + 1][tx] = in[i + n];
  __syncthreads();
  const bool inner = x > 0 && y > 0 && x < n - 1 && y < n - 1;
  out[i] = inner ? mix(tile[ty][tx], tile[ty][tx - 1], tile[ty][tx + 1], tile[ty - 1][tx], tile[ty + 1][tx]) : tile[ty][tx];
}
__global__ void stencilTile16(const float *in, float *out, int n) { fromTile<16, 16>(in, out, n); }
__global__ void stencilTile32(const float *in, float *out, int n) { fromTile<32, 8>(in, out, n); }

int main(int argc, char **argv) {
  Lab lab(argc, argv, 2048);
  const int n = lab.size;
  if (n % 32 != 0) return fprintf(stderr, "The size has to be a multiple of 32.\n"), 2;
  std::vector<float> field(size_t(n) * n);
  // Whole numbers: eighths are exact.
  for (size_t i = 0; i < field.size(); ++i) field[i] = float(i * 7 % 1021);
  Device<float> in(field), out(field.size());

  const auto wrong = [&](const std::vector<float> &result) {
    size_t count = 0;
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const size_t i = size_t(y) * n + x;
        const bool inner = x > 0 && y > 0 && x < n - 1 && y < n - 1;
        count += result[i] != (inner ? mix(field[i], field[i - 1], field[i + 1], field[i - n], field[i + n]) : field[i]);
      }
    return count;
  };
  const dim3 square(16, 16), wide(32, 8), squares(n / 16, n / 16), wides(n / 32, n / 8);
  lab.variant("16x16", out, [&] { stencil<<<squares, square>>>(in, out, n); }, wrong);
  lab.variant("tile-16x16", out, [&] { stencilTile16<<<squares, square>>>(in, out, n); }, wrong);
  lab.variant("tile-32x8", out, [&] { stencilTile32<<<wides, wide>>>(in, out, n); }, wrong);
  lab.variant("read-only", out, [&] { stencilReadOnly<<<wides, wide>>>(in, out, n); }, wrong);
  lab.variant("32x8", out, [&] { stencil<<<wides, wide>>>(in, out, n); }, wrong);
  return lab.end();
}
