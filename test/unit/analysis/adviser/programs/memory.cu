// Kernels with a flaw in how they access memory, and the same without it. Arguments: names of kernels to run, in order.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

constexpr int side = 1024, count = side * side, block = 256, grid = count / block;

__global__ void column(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[(i % side) * side + i / side];
}
__global__ void row(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1.0f;
}

__device__ inline unsigned mixed(unsigned i) {
  i ^= i >> 7;
  i *= 0x9e3779b1u;
  i ^= i >> 13;
  i *= 0x85ebca6bu;
  return i ^ (i >> 16);
}
__global__ void gather(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[mixed(i) % (16 * count)];
}
// Each warp somewhere, its lanes side by side; rows begin at a line, or in the middle of a sector.
__global__ void gatherRows(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[mixed(i / 32) % (15 * count / 32) * 32 + i % 32];
}
__global__ void gatherOffset(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[mixed(i / 32) % (15 * count / 32) * 33 + i % 32];
}

__global__ void offset(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k) out[k * count + i] = in[k * count + i + 1];
}
__global__ void aligned(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k) out[k * count + i] = in[k * count + i];
}
// Neighbours on both sides: one of three accesses is at a sector, the others cannot be.
__global__ void stencil(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i < count - 1) out[i] = in[i - 1] + in[i] + in[i + 1];
}

struct Particle {
  float x, y, z, vx, vy;
};
__global__ void structures(const Particle *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Particle p = in[i];
  out[i] = p.x * p.vx + p.y * p.vy + p.z;
}
__global__ void arrays(const float *x, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i] * x[3 * count + i] + x[count + i] * x[4 * count + i] + x[2 * count + i];
}

template <int padding> __device__ void turn(const float *in, float *out) {
  __shared__ float tile[32][32 + padding];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = in[(blockIdx.y * 32 + j) * side + x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) out[(blockIdx.x * 32 + j) * side + y] = tile[threadIdx.x][j];
}
__global__ void turned(const float *in, float *out) { turn<0>(in, out); }
__global__ void turnedPadded(const float *in, float *out) { turn<1>(in, out); }

// 64 values of each thread, indexed by what it reads: they cannot be registers.
__global__ void indexed(const int *in, float *out) {
  float own[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 64; ++k) own[k] = 0.5f * k + i;
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += own[(in[i] + k * 7) & 63];
  out[i] = sum;
}
__global__ void unindexed(const int *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += 0.5f * ((in[i] + k * 7) & 63) + i;
  out[i] = sum;
}

__global__ void binsGlobal(const unsigned *in, unsigned *bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count / 16; i += gridDim.x * blockDim.x) atomicAdd(&bins[mixed(i) % 64], 1u);
}
__global__ void binsShared(const unsigned *in, unsigned *bins) {
  __shared__ unsigned own[8][64];
  for (int k = threadIdx.x; k < 8 * 64; k += blockDim.x) own[0][k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count / 4; i += gridDim.x * blockDim.x) atomicAdd(&own[threadIdx.x / 32][mixed(i) % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64) {
    unsigned sum = 0;
    for (int k = 0; k < 8; ++k) sum += own[k][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
  }
}
// One word for all of the grid.
__global__ void countGlobal(const unsigned *in, unsigned *bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] == 0) atomicAdd(bins, 1u);
}
// All lanes of a warp count in two words of shared memory.
__global__ void binsMeeting(const unsigned *in, unsigned *bins) {
  __shared__ unsigned own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 2 * count; i += gridDim.x * blockDim.x)
    atomicMax(&own[mixed(i) % 2], mixed(i));
  __syncthreads();
  if (threadIdx.x < 64) bins[blockIdx.x * 64 + threadIdx.x] = own[threadIdx.x];
}

// A table of 96 KB that each block reads again and again.
__global__ void table(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int pass = 0; pass < 8; ++pass)
    for (int k = 0; k < 96; ++k) sum += in[k * block + threadIdx.x];
  out[i] = sum;
}

int main(int argc, char **argv) {
  float *in, *out;
  cudaMalloc(&in, 16 * count * sizeof(float));
  cudaMalloc(&out, 8 * count * sizeof(float));
  cudaMemset(in, 0, 16 * count * sizeof(float));
  cudaMemset(out, 0, 8 * count * sizeof(float));
  const unsigned *numbers = reinterpret_cast<unsigned *>(in);
  unsigned *bins = reinterpret_cast<unsigned *>(out);
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i];
    const auto is = [name](const char *other) { return strcmp(name, other) == 0; };
    if (is("column")) column<<<grid, block>>>(in, out);
    if (is("row")) row<<<grid, block>>>(in, out);
    if (is("gather")) gather<<<grid, block>>>(in, out);
    if (is("gatherRows")) gatherRows<<<grid, block>>>(in, out);
    if (is("gatherOffset")) gatherOffset<<<grid, block>>>(in, out);
    if (is("offset")) offset<<<grid, block>>>(in, out);
    if (is("aligned")) aligned<<<grid, block>>>(in, out);
    if (is("stencil")) stencil<<<grid, block>>>(in, out);
    if (is("structures")) structures<<<grid, block>>>(reinterpret_cast<Particle *>(in), out);
    if (is("arrays")) arrays<<<grid, block>>>(in, out);
    if (is("turned")) turned<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(in, out);
    if (is("turnedPadded")) turnedPadded<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(in, out);
    if (is("indexed")) indexed<<<grid / 4, block>>>(reinterpret_cast<int *>(in), out);
    if (is("unindexed")) unindexed<<<4 * grid, block>>>(reinterpret_cast<int *>(in), out);
    if (is("countGlobal")) countGlobal<<<2 * grid, block>>>(numbers, bins);
    if (is("binsGlobal")) binsGlobal<<<132, block>>>(numbers, bins);
    if (is("binsShared")) binsShared<<<132, block>>>(numbers, bins);
    if (is("binsMeeting")) binsMeeting<<<132, block>>>(numbers, bins);
    if (is("tableShared")) cudaFuncSetAttribute(table, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
    if (is("tableShared") || is("table")) table<<<4 * 132, block>>>(in, out);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
