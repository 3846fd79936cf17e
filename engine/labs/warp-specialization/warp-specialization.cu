// n floats in tiles: each element and its neighbour, some arithmetic, one result. One block per SM goes through its tiles with all warps
// doing the same, load and then compute; with the loads of all warps ahead of what they compute; and with a warp that only loads for
// others that only compute.
#include "../lab.h"
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_pipeline_primitives.h>

constexpr int tile = 1024, threads = 256, stages = 3, rounds = 8;

// Whole numbers below 256, halved so many times, are exact.
__host__ __device__ inline float mix(float own, float next) {
#pragma unroll
  for (int i = 0; i < rounds; ++i) own = 0.5f * own + next;
  return own;
}
__device__ void compute(const float *part, float *out) {
#pragma unroll
  for (int i = threadIdx.x % threads; i < tile; i += threads) out[i] = mix(part[i], part[(i + 1) % tile]);
}

// Nobody computes while the tile is on its way, and nobody loads while it is computed.
__global__ void __launch_bounds__(threads) allAlike(const float *in, float *out, int tiles) {
  __shared__ __align__(16) float part[tile];
  for (int at = blockIdx.x; at < tiles; at += gridDim.x) {
    reinterpret_cast<float4 *>(part)[threadIdx.x] = reinterpret_cast<const float4 *>(in + size_t(at) * tile)[threadIdx.x];
    __syncthreads();
    compute(part, out + size_t(at) * tile);
    __syncthreads();
  }
}

// Copies 16 bytes at a time, past registers, for `count` threads; what is past the end is not there.
__device__ void copy(float *part, const float *in, int at, int tiles, int thread, int count) {
  if (at >= tiles) return;
  for (int i = thread; i < tile / 4; i += count) __pipeline_memcpy_async(part + 4 * i, in + size_t(at) * tile + 4 * i, 16);
}

// Each warp asks for its part of the tile after next before it computes.
__global__ void __launch_bounds__(threads) allAhead(const float *in, float *out, int tiles) {
  __shared__ __align__(16) float parts[stages][tile];
  for (int i = 0; i < stages - 1; ++i) {
    copy(parts[i], in, blockIdx.x + i * gridDim.x, tiles, threadIdx.x, threads);
    __pipeline_commit();
  }
  for (int i = 0, at = blockIdx.x; at < tiles; ++i, at += gridDim.x) {
    copy(parts[(i + stages - 1) % stages], in, at + (stages - 1) * gridDim.x, tiles, threadIdx.x, threads);
    __pipeline_commit();
    __pipeline_wait_prior(stages - 1); // all but the last groups: this tile is there
    __syncthreads();
    compute(parts[i % stages], out + size_t(at) * tile);
    __syncthreads();
  }
}

// The last warp loads: it waits for a place that is free, and says when it is full. The others wait for that, and say when it is free.
__global__ void __launch_bounds__(threads + 32) producerConsumers(const float *in, float *out, int tiles) {
  __shared__ __align__(16) float parts[stages][tile];
#pragma nv_diag_suppress static_var_with_dynamic_init // make_pipeline does it
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  const bool produces = threadIdx.x >= threads;
  const auto block = cooperative_groups::this_thread_block();
  const auto warp = cooperative_groups::tiled_partition<32>(block);
  auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int i = 0, at = blockIdx.x; at < tiles; ++i, at += gridDim.x) {
    float *const part = parts[i % stages];
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(warp, part, in + size_t(at) * tile, cuda::aligned_size_t<16>(sizeof parts[0]), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      compute(part, out + size_t(at) * tile);
      pipe.consumer_release();
    }
  }
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 22);
  const int n = lab.size, tiles = n / tile;
  if (n % tile != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", tile), 2;
  std::vector<float> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = float(i % 251);
  Device<float> in(numbers), out(n);

  const auto wrong = [&](const std::vector<float> &result) {
    size_t count = 0;
    for (int i = 0; i < n; ++i) count += result[i] != mix(numbers[i], numbers[(i + 1) % tile == 0 ? i + 1 - tile : i + 1]);
    return count;
  };
  int sms;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = std::min(tiles, sms);
  lab.variant("alike", out, [&] { allAlike<<<blocks, threads>>>(in, out, tiles); }, wrong);
  lab.variant("ahead", out, [&] { allAhead<<<blocks, threads>>>(in, out, tiles); }, wrong);
  lab.variant("producer", out, [&] { producerConsumers<<<blocks, threads + 32>>>(in, out, tiles); }, wrong);
  return lab.end();
}
