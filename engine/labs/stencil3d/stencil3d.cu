// A seven-point stencil on n × n × n numbers, n a multiple of 64: each one and its six neighbours. Borders are copied.
#include "../lab.h"
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

constexpr int width = 32, height = 8, threads = width * height; // threads of a block
constexpr int planes = 32;                                      // that a block goes through

__host__ __device__ inline float mix(float own, float six) { return 0.25f * own + 0.125f * six; }

// One result per thread, seven loads: what comes twice has to come from L1 or L2.
__global__ void direct(const float *in, float *out, int n) {
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * height + threadIdx.y, z = blockIdx.z, plane = n * n;
  const int i = z * plane + y * n + x;
  const bool inner = x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1;
  out[i] = inner ? mix(in[i], in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane]) : in[i];
}

// A block goes upwards through planes. The one at hand lies in shared memory with a halo of one around it; each thread
// has its own elements of the planes below and above in registers.
__global__ void tiled(const float *in, float *out, int n) {
  __shared__ float tile[height + 2][width + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, plane = n * n;
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * height + threadIdx.y, first = blockIdx.z * planes;
  const bool inner = x > 0 && y > 0 && x < n - 1 && y < n - 1;
  in += y * n + x, out += y * n + x;
  float below = first > 0 ? in[(first - 1) * plane] : 0.0f, own = in[first * plane];
  for (int z = first; z < first + planes; ++z) {
    const float *const at = in + z * plane, above = z < n - 1 ? at[plane] : 0.0f;
    tile[ty][tx] = own;
    if (tx == 1 && x > 0) tile[ty][0] = at[-1];
    if (tx == width && x < n - 1) tile[ty][width + 1] = at[1];
    if (ty == 1 && y > 0) tile[0][tx] = at[-n];
    if (ty == height && y < n - 1) tile[height + 1][tx] = at[n];
    __syncthreads();
    const float six = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + below + above;
    out[z * plane] = inner && z > 0 && z < n - 1 ? mix(own, six) : own;
    __syncthreads();
    below = own, own = above;
  }
}

// Five planes in shared memory: the one at hand, the one above it, and three that are on their way there meanwhile (cp.async). Each thread
// makes `rows` results that lie beside each other along y, and reads what they share once. Numbers are stored as T, and added as float.
constexpr int slots = 5;
template <class T, int rows> __device__ void ahead(const T *in, T *out, int n) {
  constexpr int chunk = 16 / sizeof(T), edge = 4 / sizeof(T); // numbers of the largest and the smallest copy
  constexpr int pitch = width + 2 * chunk, tall = height * rows;
  __shared__ __align__(16) T tiles[slots][(tall + 2) * pitch];
  const int thread = threadIdx.y * width + threadIdx.x, plane = n * n;
  const int firstX = blockIdx.x * width, firstY = blockIdx.y * tall, first = blockIdx.z * planes, end = min(first + planes + 1, n);

  const auto fetch = [&](int slot, int z) {
    const auto copy = [&](int row, int x, size_t bytes) {
      const int y = firstY + row - 1, fromX = firstX + x;
      if (y >= 0 && y < n && fromX >= 0 && fromX < n)
        __pipeline_memcpy_async(&tiles[slot][row * pitch + chunk + x], in + z * plane + y * n + fromX, bytes);
    };
    constexpr int inRow = width / chunk, large = (tall + 2) * inRow, small = (tall + 2) * 2;
    if (z < end) {
#pragma unroll
      for (int before = 0; before < large; before += threads)
        if (const int i = before + thread; i < large) copy(i / inRow, i % inRow * chunk, 16);
      if (thread < small) copy(thread / 2, thread % 2 == 0 ? -edge : width, 4);
    }
    __pipeline_commit();
  };

  const int x = firstX + threadIdx.x, y = firstY + threadIdx.y * rows, at = (threadIdx.y * rows + 1) * pitch + chunk + threadIdx.x;
  float below[rows] = {};
  if (first > 0)
    for (int row = 0; row < rows; ++row) below[row] = in[(first - 1) * plane + (y + row) * n + x];
  for (int slot = 0; slot < slots - 1; ++slot) fetch(slot, first + slot);
  for (int z = first, now = 0; z < first + planes; ++z) {
    const int next = now == slots - 1 ? 0 : now + 1, before = now == 0 ? slots - 1 : now - 1;
    __pipeline_wait_prior(slots - 3); // the planes up to the next
    __syncthreads();
    fetch(before, z + slots - 1);
    float column[rows + 2];
#pragma unroll
    for (int row = 0; row < rows + 2; ++row) column[row] = tiles[now][at + (row - 1) * pitch];
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      const T *const own = &tiles[now][at + row * pitch];
      const float above = tiles[next][at + row * pitch];
      const float six = float(own[-1]) + float(own[1]) + column[row] + column[row + 2] + below[row] + above;
      const bool inner = x > 0 && y + row > 0 && z > 0 && x < n - 1 && y + row < n - 1 && z < n - 1;
      out[z * plane + (y + row) * n + x] = T(inner ? mix(column[row + 1], six) : column[row + 1]);
      below[row] = column[row + 1];
    }
    now = next;
  }
}
constexpr int blockRows = 4;
__global__ void tiledAhead(const float *in, float *out, int n) { ahead<float, 1>(in, out, n); }
__global__ void blocked(const float *in, float *out, int n) { ahead<float, blockRows>(in, out, n); }
__global__ void blockedHalf(const half *in, half *out, int n) { ahead<half, blockRows>(in, out, n); }

int main(int argc, char **argv) {
  Lab lab(argc, argv, 256);
  const int n = lab.size, plane = n * n;
  if (n % 64 != 0) return fprintf(stderr, "The size has to be a multiple of 64.\n"), 2;
  // Multiples of eight, small enough for all results to be whole numbers that half has.
  std::vector<float> field(size_t(n) * plane);
  for (size_t i = 0; i < field.size(); ++i) field[i] = float(i * 7 % 31 * 8);

  const auto wrong = [&](const auto &result) {
    size_t count = 0, i = 0;
    for (int z = 0; z < n; ++z)
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x, ++i) {
          const bool inner = x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1;
          const float *const at = &field[i];
          count += float(result[i]) != (inner ? mix(*at, at[-1] + at[1] + at[-n] + at[n] + at[-plane] + at[plane]) : *at);
        }
    return count;
  };
  const dim3 block(width, height), columns(n / width, n / height, n / planes), blocks(n / width, n / height / blockRows, n / planes);
  if (!lab.wants("half") || lab.wants("direct")) {
    Device<float> in(field), out(field.size());
    lab.variant("direct", out, [&] { direct<<<dim3(n / width, n / height, n), block>>>(in, out, n); }, wrong);
    lab.variant("tile", out, [&] { tiled<<<columns, block>>>(in, out, n); }, wrong);
    lab.variant("async", out, [&] { tiledAhead<<<columns, block>>>(in, out, n); }, wrong);
    lab.variant("blocks", out, [&] { blocked<<<blocks, block>>>(in, out, n); }, wrong);
  }
  if (lab.wants("half")) {
    std::vector<half> halves(field.size());
    for (size_t i = 0; i < field.size(); ++i) halves[i] = __float2half(field[i]);
    Device<half> in(halves), out(field.size());
    lab.variant("half", out, [&] { blockedHalf<<<blocks, block>>>(in, out, n); }, wrong);
  }
  return lab.end();
}
