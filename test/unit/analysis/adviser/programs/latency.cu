// Kernels that have too little to do at once, and the same with more. Arguments: names of kernels to run, in order.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <vector>

constexpr int count = 1 << 20;

// Each load waits for the one before; what shares an SM is limited by the shared memory that a block asks for.
__global__ void chase(const int *next, int *out) {
  extern __shared__ int unused[];
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 24; ++k) at = next[(at + k * 4096) % count] + at + 128;
  if (at == -1) unused[threadIdx.x] = at;
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// The first warp of each block does all the work between two barriers.
__global__ void oneWorks(const float *in, float *out) {
  __shared__ float sum;
  float own = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < 8; ++k) {
    if (threadIdx.x < 32) {
      float x = own;
      for (int n = 0; n < 500; ++n) x = 0.99f * x + 0.5f;
      if (threadIdx.x == 0) sum = x;
    }
    __syncthreads();
    own += sum;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = own;
}
__global__ void allWork(const float *in, float *out) {
  __shared__ float sum;
  float own = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < 8; ++k) {
    float x = own;
    for (int n = 0; n < 200; ++n) x = 0.99f * x + 0.5f;
    if (threadIdx.x == 0) sum = x;
    __syncthreads();
    own += sum;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = own;
}

// Blocks of 1024 threads, two to an SM, that take long.
__global__ void longBlocks(const float *in, float *out) {
  float x = in[threadIdx.x];
  for (int n = 0; n < 500; ++n) x = 1.0f / (x + 1.5f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void copyWords(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
__global__ void copyVectors(const float4 *in, float4 *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

constexpr int tile = 256, tiles = 24;
__device__ inline float computed(const float *shared, float x) {
  for (int k = 0; k < 16; ++k) x = 0.9f * x + shared[(threadIdx.x + k * 32) % tile];
  return x;
}
__global__ void staged(const float *in, float *out) {
  __shared__ float shared[tile];
  float x = 0;
  for (int t = 0; t < tiles; ++t) {
    shared[threadIdx.x] = in[(t * gridDim.x + blockIdx.x) * tile + threadIdx.x];
    __syncthreads();
    x = computed(shared, x);
    __syncthreads();
  }
  out[blockIdx.x * tile + threadIdx.x] = x;
}
__global__ void pipelined(const float *in, float *out) {
  __shared__ float shared[4][tile];
  float x = 0;
  for (int t = 0; t < 3; ++t) {
    __pipeline_memcpy_async(&shared[t][threadIdx.x], &in[(t * gridDim.x + blockIdx.x) * tile + threadIdx.x], 4);
    __pipeline_commit();
  }
  for (int t = 0; t < tiles; ++t) {
    if (t + 3 < tiles) __pipeline_memcpy_async(&shared[(t + 3) % 4][threadIdx.x], &in[((t + 3) * gridDim.x + blockIdx.x) * tile + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(3);
    __syncthreads();
    x = computed(shared[t % 4], x);
    __syncthreads();
  }
  out[blockIdx.x * tile + threadIdx.x] = x;
}

__global__ void divergent(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  const int rounds = 4 << (i % 8);
  for (int n = 0; n < rounds; ++n) x = 0.99f * x + 0.5f;
  out[i] = x;
}
// As much to do, warp by warp.
__global__ void uniform(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  const int rounds = 4 << (i / 32 % 8);
  for (int n = 0; n < rounds; ++n) x = 0.99f * x + 0.5f;
  out[i] = x;
}

int main(int argc, char **argv) {
  float *in, *out;
  cudaMalloc(&in, 16 * count * sizeof(float));
  cudaMalloc(&out, 16 * count * sizeof(float));
  cudaMemset(in, 0, 16 * count * sizeof(float));
  int *next = reinterpret_cast<int *>(in), *last = reinterpret_cast<int *>(out);
  cudaFuncSetAttribute(chase, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024);
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i];
    const auto is = [name](const char *other) { return strcmp(name, other) == 0; };
    if (is("chaseShared")) chase<<<132 * 8, 256, 100 * 1024>>>(next, last);
    if (is("chase")) chase<<<132 * 8, 256>>>(next, last);
    if (is("oneWorks")) oneWorks<<<132 * 4, 512>>>(in, out);
    if (is("allWork")) allWork<<<132 * 4, 512>>>(in, out);
    if (is("tail")) longBlocks<<<132 * 2 + 4, 1024>>>(in, out);
    if (is("noTail")) longBlocks<<<132 * 2, 1024>>>(in, out);
    if (is("small")) longBlocks<<<8, 1024>>>(in, out);
    if (is("beside")) {
      for (int k = 0; k < 4; ++k) {
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        longBlocks<<<8, 1024, 0, stream>>>(in, out);
      }
    }
    if (is("copyWords")) copyWords<<<16 * count / 512, 512>>>(in, out);
    if (is("copyVectors")) copyVectors<<<16 * count / 4 / 512, 512>>>(reinterpret_cast<float4 *>(in), reinterpret_cast<float4 *>(out));
    if (is("staged")) staged<<<132 * 4, tile>>>(in, out);
    if (is("pipelined")) pipelined<<<132 * 4, tile>>>(in, out);
    if (is("divergent")) divergent<<<count / 256, 256>>>(in, out);
    if (is("uniform")) uniform<<<count / 256, 256>>>(in, out);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
