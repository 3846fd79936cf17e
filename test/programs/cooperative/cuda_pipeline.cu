// cuda::pipeline and cuda::barrier of libcu++: a two-stage pipeline of a block, a barrier with tokens.
// Needs compute capability 7.0.
#include "../check.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__global__ void stages(const int *in, int *out, int tiles) {
  __shared__ int buffer[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int t = 0, next = 0; t < tiles; ++t) {
    for (; next < tiles && next < t + 2; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[next & 1], in + next * 64, sizeof(int) * 64, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += buffer[t & 1][(threadIdx.x + t) % 64] * (t + 1);
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void barriers(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int shared[64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int x = threadIdx.x;
  for (int r = 0; r < 3; ++r) {
    shared[threadIdx.x] = x;
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    x += shared[(threadIdx.x + 1) % 64];
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = x;
}

int main() {
  const int tiles = 5;
  std::vector<int> in;
  for (int i = 0; i < tiles * 64; ++i) in.push_back((i * 17) % 300);
  Device<int> d(in), out(64);
  stages<<<1, 64>>>(d, out, tiles);
  CHECK_KERNEL();
  auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    int sum = 0;
    for (int t = 0; t < tiles; ++t) sum += in[t * 64 + (i + t) % 64] * (t + 1);
    same("pipeline", i, got[i], sum);
  }
  barriers<<<1, 64>>>(out);
  CHECK_KERNEL();
  got = out.host();
  std::vector<int> x(64), y(64);
  for (int i = 0; i < 64; ++i) x[i] = i;
  for (int r = 0; r < 3; ++r) {
    for (int i = 0; i < 64; ++i) y[i] = x[i] + x[(i + 1) % 64];
    x = y;
  }
  for (int i = 0; i < 64; ++i) same("barrier", i, got[i], x[i]);
  return finish();
}
