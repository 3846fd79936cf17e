// The steps by which a product of float matrices gets faster: from one thread per element, badly placed, to tiles of registers.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// Threads of a warp in one column: every access of a warp touches 32 lines.
__global__ void uncoalesced(int n, const float *a, const float *b, float *c) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// Threads of a warp in one row.
__global__ void coalesced(int n, const float *a, const float *b, float *c) {
  const int row = blockIdx.x * 32 + threadIdx.x / 32, column = blockIdx.y * 32 + threadIdx.x % 32;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// Tiles of 32 by 32 in shared memory.
__global__ void sharedTiles(int n, const float *a, const float *b, float *c) {
  __shared__ float left[32 * 32], right[32 * 32];
  const int y = threadIdx.x / 32, x = threadIdx.x % 32;
  a += blockIdx.x * 32 * n;
  b += blockIdx.y * 32;
  c += blockIdx.x * 32 * n + blockIdx.y * 32;
  float sum = 0;
  for (int step = 0; step < n; step += 32) {
    left[y * 32 + x] = a[y * n + x];
    right[y * 32 + x] = b[y * n + x];
    __syncthreads();
    a += 32;
    b += 32 * n;
    for (int i = 0; i < 32; ++i) sum += left[y * 32 + i] * right[i * 32 + x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

// Each thread makes 8 elements of a column: tiles of 64 by 64, 8 deep.
__global__ void columns(int n, const float *a, const float *b, float *c) {
  constexpr int size = 64, depth = 8, own = 8;
  __shared__ float left[size * depth], right[depth * size];
  const int x = threadIdx.x % size, y = threadIdx.x / size;
  const int leftX = threadIdx.x % depth, leftY = threadIdx.x / depth;
  a += blockIdx.y * size * n;
  b += blockIdx.x * size;
  c += blockIdx.y * size * n + blockIdx.x * size;
  float sums[own] = {};
  for (int step = 0; step < n; step += depth) {
    left[leftY * depth + leftX] = a[leftY * n + leftX];
    right[y * size + x] = b[y * n + x];
    __syncthreads();
    a += depth;
    b += depth * n;
    for (int i = 0; i < depth; ++i) {
      const float factor = right[i * size + x];
      for (int k = 0; k < own; ++k) sums[k] += left[(y * own + k) * depth + i] * factor;
    }
    __syncthreads();
  }
  for (int k = 0; k < own; ++k) c[(y * own + k) * n + x] = sums[k];
}

// Each thread makes 8 by 8 elements: tiles of 128 by 128, 8 deep.
__global__ void __launch_bounds__(256, 1) squares(int n, const float *a, const float *b, float *c) {
  constexpr int size = 128, depth = 8, own = 8, threads = 256;
  __shared__ float left[size * depth], right[depth * size];
  const int x = threadIdx.x % (size / own), y = threadIdx.x / (size / own);
  const int leftX = threadIdx.x % depth, leftY = threadIdx.x / depth;
  const int rightX = threadIdx.x % size, rightY = threadIdx.x / size;
  a += blockIdx.y * size * n;
  b += blockIdx.x * size;
  c += blockIdx.y * size * n + blockIdx.x * size;
  float sums[own * own] = {}, leftOwn[own], rightOwn[own];
  for (int step = 0; step < n; step += depth) {
    for (int k = 0; k < size; k += threads / depth) left[(leftY + k) * depth + leftX] = a[(leftY + k) * n + leftX];
    for (int k = 0; k < depth; k += threads / size) right[(rightY + k) * size + rightX] = b[(rightY + k) * n + rightX];
    __syncthreads();
    a += depth;
    b += depth * n;
    for (int i = 0; i < depth; ++i) {
      for (int k = 0; k < own; ++k) leftOwn[k] = left[(y * own + k) * depth + i];
      for (int k = 0; k < own; ++k) rightOwn[k] = right[i * size + x * own + k];
      for (int k = 0; k < own; ++k)
        for (int j = 0; j < own; ++j) sums[k * own + j] += leftOwn[k] * rightOwn[j];
    }
    __syncthreads();
  }
  for (int k = 0; k < own; ++k)
    for (int j = 0; j < own; ++j) c[(y * own + k) * n + x * own + j] = sums[k * own + j];
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 2048;
  const size_t count = static_cast<size_t>(n) * n, bytes = sizeof(float) * count;
  std::vector<float> values(count), first(count), other(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7 % 13) - 6;
  float *a, *b, *c;
  if (cudaMalloc(&a, bytes) != cudaSuccess || cudaMalloc(&b, bytes) != cudaSuccess || cudaMalloc(&c, bytes) != cudaSuccess)
    return printf("cudaMalloc: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
  cudaMemcpy(a, values.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, values.data(), bytes, cudaMemcpyHostToDevice);
  const int wide = n / 32;
  coalesced<<<dim3(wide, wide), 1024>>>(n, a, b, c);
  cudaMemcpy(first.data(), c, bytes, cudaMemcpyDeviceToHost);
  auto check = [&](const char *name) {
    cudaMemcpy(other.data(), c, bytes, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) return printf("%s failed\n", name), exit(1);
    for (size_t i = 0; i < count; i += 97)
      if (first[i] != other[i]) return printf("%s, element %zu: %g instead of %g\n", name, i, other[i], first[i]), exit(1);
    cudaMemset(c, 0, bytes);
  };
  uncoalesced<<<dim3(wide, wide), dim3(32, 32)>>>(n, a, b, c), check("uncoalesced");
  sharedTiles<<<dim3(wide, wide), 1024>>>(n, a, b, c), check("sharedTiles");
  columns<<<dim3(n / 64, n / 64), 512>>>(n, a, b, c), check("columns");
  squares<<<dim3(n / 128, n / 128), 256>>>(n, a, b, c), check("squares");
}
