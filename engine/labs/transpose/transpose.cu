// Transpose of an n × n matrix, n a multiple of 32: one of the two directions is a column, unless a tile is turned in shared memory.
#include "../lab.h"

constexpr int tile = 32, rows = 8; // a block of 32 × 8 threads moves a tile of 32 × 32: four elements for each thread

// Reads rows, writes columns: the lanes of a warp write n words apart.
__global__ void transposeNaive(const float *in, float *out, int n) {
  const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows) out[x * n + y + j] = in[(y + j) * n + x];
}

// Reads rows and writes rows; columns are read from shared memory, whose rows are `pitch` words apart.
template <int pitch> __global__ void transposeTile(const float *in, float *out, int n) {
  __shared__ float part[tile][pitch];
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows) part[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows) out[(y + j) * n + x] = part[threadIdx.x][threadIdx.y + j];
}

// Without padding: word c of row r is kept at c ^ r, so that columns lie in 32 banks as rows do.
__global__ void transposeSwizzled(const float *in, float *out, int n) {
  __shared__ float part[tile][tile];
  int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows) part[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  for (int j = 0; j < tile; j += rows) out[(y + j) * n + x] = part[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1024);
  const int n = lab.size;
  if (n % tile != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", tile), 2;
  std::vector<float> matrix(size_t(n) * n);
  for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = float(i % 9973);
  Device<float> in(matrix), out(matrix.size());

  const auto wrong = [&](const std::vector<float> &result) {
    size_t count = 0;
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) count += result[size_t(x) * n + y] != matrix[size_t(y) * n + x];
    return count;
  };
  const dim3 grid(n / tile, n / tile), block(tile, rows);
  lab.variant("naive", out, [&] { transposeNaive<<<grid, block>>>(in, out, n); }, wrong);
  lab.variant("tile", out, [&] { transposeTile<tile><<<grid, block>>>(in, out, n); }, wrong);
  lab.variant("padded", out, [&] { transposeTile<tile + 1><<<grid, block>>>(in, out, n); }, wrong);
  lab.variant("swizzled", out, [&] { transposeSwizzled<<<grid, block>>>(in, out, n); }, wrong);
  return lab.end();
}
