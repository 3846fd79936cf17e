// A filter of 7 × 7 over an image of n × n floats, n a multiple of 32: the image read through L1 or from a tile with a halo, the filter
// from global or from constant memory.
#include "../lab.h"

constexpr int radius = 3, side = 2 * radius + 1, width = 32, height = 16;

__constant__ float constantFilter[side * side];

// The image has a margin of `radius` rows and columns around it, and a row of it `pitch` elements: nobody has to ask for its end.
__device__ float weighted(const float *in, int pitch, const float *filter) {
  float sum = 0;
#pragma unroll
  for (int y = 0; y < side; ++y)
#pragma unroll
    for (int x = 0; x < side; ++x) sum += filter[y * side + x] * in[y * pitch + x];
  return sum;
}

__global__ void direct(const float *in, int pitch, const float *filter, float *out, int n) {
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * height + threadIdx.y;
  out[y * n + x] = weighted(in + y * pitch + x, pitch, filter);
}
__global__ void directConstant(const float *in, int pitch, float *out, int n) {
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * height + threadIdx.y;
  out[y * n + x] = weighted(in + y * pitch + x, pitch, constantFilter);
}

// What a block reads: its own part and the halo around it.
constexpr int tileWidth = width + 2 * radius, tileHeight = height + 2 * radius;
__device__ void load(float *tile, const float *in, int pitch) {
  in += blockIdx.y * height * pitch + blockIdx.x * width;
#pragma unroll
  for (int i = threadIdx.y * width + threadIdx.x; i < tileHeight * tileWidth; i += height * width)
    tile[i] = in[i / tileWidth * pitch + i % tileWidth];
  __syncthreads();
}
__global__ void tiled(const float *in, int pitch, const float *filter, float *out, int n) {
  __shared__ float tile[tileHeight * tileWidth];
  load(tile, in, pitch);
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * height + threadIdx.y;
  out[y * n + x] = weighted(tile + threadIdx.y * tileWidth + threadIdx.x, tileWidth, filter);
}
__global__ void tiledConstant(const float *in, int pitch, float *out, int n) {
  __shared__ float tile[tileHeight * tileWidth];
  load(tile, in, pitch);
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * height + threadIdx.y;
  out[y * n + x] = weighted(tile + threadIdx.y * tileWidth + threadIdx.x, tileWidth, constantFilter);
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1536);
  const int n = lab.size, pitch = n + 32;
  if (n % 32 != 0) return fprintf(stderr, "The size has to be a multiple of 32.\n"), 2;
  // Small whole numbers: sums are exact. The filter is a product of a column and a row, which the host makes use of.
  std::vector<float> image(size_t(n + 2 * radius) * pitch), filter(side * side);
  for (size_t i = 0; i < image.size(); ++i) image[i] = float(i * 7 % 251);
  const int column[side] = {1, -2, 3, 4, 3, 2, -1}, row[side] = {2, 1, -1, 5, 4, -3, 1};
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) filter[y * side + x] = float(column[y] * row[x]);
  Device<float> in(image), weights(filter), out(size_t(n) * n);
  CHECK(cudaMemcpyToSymbol(constantFilter, filter.data(), weights.bytes()));

  const auto wrong = [&](const std::vector<float> &result) {
    // Along rows first, then along columns.
    std::vector<float> rows(size_t(n + 2 * radius) * n);
    for (int y = 0; y < n + 2 * radius; ++y)
      for (int x = 0; x < n; ++x)
        for (int i = 0; i < side; ++i) rows[size_t(y) * n + x] += row[i] * image[size_t(y) * pitch + x + i];
    size_t count = 0;
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        float sum = 0;
        for (int i = 0; i < side; ++i) sum += column[i] * rows[size_t(y + i) * n + x];
        count += result[size_t(y) * n + x] != sum;
      }
    return count;
  };
  const dim3 block(width, height), grid(n / width, n / height);
  lab.variant("direct", out, [&] { direct<<<grid, block>>>(in, pitch, weights, out, n); }, wrong);
  lab.variant("tile", out, [&] { tiled<<<grid, block>>>(in, pitch, weights, out, n); }, wrong);
  lab.variant("direct-constant", out, [&] { directConstant<<<grid, block>>>(in, pitch, out, n); }, wrong);
  lab.variant("constant", out, [&] { tiledConstant<<<grid, block>>>(in, pitch, out, n); }, wrong);
  return lab.end();
}
