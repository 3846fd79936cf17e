// A picture of the Mandelbrot set, n × n pixels, where tiles are filled if their border has one value, and computed pixel by pixel
// otherwise. Which ones those are is known on the GPU. The host can read it and launch a kernel for each of them, the GPU can launch
// these kernels itself, or one kernel works off a list.
//
// With nvcc: -rdc=true, for launches from kernels.
#include "../lab.h"

constexpr int tile = 16, inTile = tile * tile, onBorder = 4 * (tile - 1), border = 64, most = 256;

// With 24 bits behind the point, so that host and device compute the same.
constexpr int point = 24;
__host__ __device__ inline int product(int a, int b) { return int((long long)a * b >> point); }
__host__ __device__ inline int iterations(int x, int y, int n) {
  const int step = (3 << point) / n, cx = step * x - (9 << point) / 4, cy = step * y - (3 << point) / 2;
  int zx = 0, zy = 0, count = 0;
  for (; count < most; ++count) {
    const int xx = product(zx, zx), yy = product(zy, zy);
    if (xx + yy > (4 << point)) break;
    zy = 2 * product(zx, zy) + cy, zx = xx - yy + cx;
  }
  return count;
}

// The pixels of a tile's border, all around.
__host__ __device__ inline int borderX(int i) {
  const int side = i / (tile - 1), along = i % (tile - 1);
  return side == 0 ? along : side == 1 ? tile - 1 : side == 2 ? tile - 1 - along : 0;
}
__host__ __device__ inline int borderY(int i) { return borderX((i + 3 * (tile - 1)) % onBorder); }

__device__ inline int ownTile() { return blockIdx.y * gridDim.x + blockIdx.x; }

// Whether there is more to do for the block's tile: it is filled if its border has one value.
__device__ inline bool needsMore(int *picture, int n) {
  __shared__ int values[border];
  const int column = blockIdx.x * tile, row = blockIdx.y * tile, i = threadIdx.x;
  values[i] = i < onBorder ? iterations(column + borderX(i), row + borderY(i), n) : 0;
  __syncthreads();
  if (__syncthreads_or(i < onBorder && values[i] != values[0])) return true;
  for (int pixel = i; pixel < inTile; pixel += border) picture[(row + pixel / tile) * n + column + pixel % tile] = values[0];
  return false;
}

__device__ inline void compute(int *picture, int n, int number) {
  const int x = number % (n / tile) * tile + threadIdx.x % tile, y = number / (n / tile) * tile + threadIdx.x / tile;
  picture[y * n + x] = iterations(x, y, n);
}

__global__ void computeTile(int *picture, int n, int number) { compute(picture, n, number); }

__global__ void examineAndList(int *picture, int n, int *count, int *list) {
  if (needsMore(picture, n) && threadIdx.x == 0) list[atomicAdd(count, 1)] = ownTile();
}

// Fire and forget: the kernel waits for nothing else that its block launches.
__global__ void examineAndLaunch(int *picture, int n) {
  if (needsMore(picture, n) && threadIdx.x == 0) computeTile<<<1, inTile, 0, cudaStreamFireAndForget>>>(picture, n, ownTile());
}

// Blocks beyond the end of the list have nothing to do: cheaper than to ask how many there are.
__global__ void computeListed(int *picture, int n, const int *count, const int *list) {
  if (blockIdx.x < *count) compute(picture, n, list[blockIdx.x]);
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 512);
  const int n = lab.size, side = n / tile, tiles = side * side;
  if (n % tile != 0 || tiles > 2048) return fprintf(stderr, "The size has to be a multiple of %d, 720 at most.\n", tile), 2;
  Device<int> picture(n * n), count(1), list(tiles);

  const auto wrong = [&](const std::vector<int> &result) {
    size_t errors = 0;
    for (int number = 0; number < tiles; ++number) {
      const int column = number % side * tile, row = number / side * tile, corner = iterations(column, row, n);
      bool uniform = true;
      for (int i = 0; i < tile; ++i)
        uniform = uniform && iterations(column + i, row, n) == corner && iterations(column + i, row + tile - 1, n) == corner &&
                  iterations(column, row + i, n) == corner && iterations(column + tile - 1, row + i, n) == corner;
      for (int y = row; y < row + tile; ++y)
        for (int x = column; x < column + tile; ++x) errors += result[y * n + x] != (uniform ? corner : iterations(x, y, n));
    }
    return errors;
  };
  // Tiles need nothing of each other. Streams of this kind wait for what is in the default stream, and it waits for them.
  cudaStream_t streams[8];
  for (cudaStream_t &stream : streams) CHECK(cudaStreamCreate(&stream));
  const dim3 all(side, side);
  const auto makeList = [&] {
    CHECK(cudaMemsetAsync(count, 0, sizeof(int)));
    examineAndList<<<all, border>>>(picture, n, count, list);
  };
  lab.variant("host", picture, [&] {
    makeList();
    const int listed = count.host()[0];
    const std::vector<int> numbers = list.host();
    for (int i = 0; i < listed; ++i) computeTile<<<1, inTile, 0, streams[i % 8]>>>(picture, n, numbers[i]);
  }, wrong);
  lab.variant("device", picture, [&] { examineAndLaunch<<<all, border>>>(picture, n); }, wrong);
  lab.variant("list", picture, [&] { makeList(), computeListed<<<tiles, inTile>>>(picture, n, count, list); }, wrong);
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  return lab.end();
}
