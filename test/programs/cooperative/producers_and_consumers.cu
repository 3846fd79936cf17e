// Warps that load and warps that compute: cuda::pipeline with roles, and barriers with numbers.
// Needs compute capability 8.0.
#include "../check.h"
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

template <bool byRole> __global__ void roles(const int *in, int *out, int tiles) {
  constexpr int stages = 3, size = 128;
  __shared__ alignas(16) int buffer[stages][size];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe = byRole ? cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer)
                     : cuda::make_pipeline(block, &state, 32);
  const int *from = in + blockIdx.x * tiles * size;
  if (produces) {
    for (int i = 0; i < tiles; i++) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[i % stages][4 * threadIdx.x], from + i * size + 4 * threadIdx.x, cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    }
    return;
  }
  int sum = 0;
  for (int i = 0; i < tiles; i++) {
    pipe.consumer_wait();
    sum = sum * 3 + buffer[i % stages][(threadIdx.x * 5 + i) % size];
    pipe.consumer_release();
  }
  out[blockIdx.x * 64 + threadIdx.x - 32] = sum;
}

__global__ void numbers(const int *in, int *out, int tiles) {
  __shared__ int tile[2][64];
  const int t = threadIdx.x % 64;
  if (threadIdx.x < 64)
    for (int i = 0; i < tiles; i++) {
      if (i >= 2) asm volatile("bar.sync %0, 128;" ::"r"(3 + i % 2) : "memory");
      tile[i % 2][t] = in[(blockIdx.x * tiles + i) * 64 + t];
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + i % 2) : "memory");
    }
  else {
    int sum = 0;
    for (int i = 0; i < tiles; i++) {
      asm volatile("bar.sync %0, 128;" ::"r"(1 + i % 2) : "memory");
      sum = sum * 5 + tile[i % 2][63 - t];
      if (i + 2 < tiles) asm volatile("bar.arrive %0, 128;" ::"r"(3 + i % 2) : "memory");
    }
    out[blockIdx.x * 64 + t] = sum;
  }
}

int main() {
  const int blocks = 5, tiles = 11, n = blocks * tiles * 128;
  std::vector<int> in(n), out(blocks * 64);
  for (int i = 0; i < n; i++) in[i] = i * 13 % 97;
  int *a, *b;
  CHECK(cudaMalloc(&a, n * 4));
  CHECK(cudaMalloc(&b, blocks * 64 * 4));
  CHECK(cudaMemcpy(a, in.data(), n * 4, cudaMemcpyHostToDevice));
  for (int how = 0; how < 2; how++) {
    if (how == 0) roles<true><<<blocks, 96>>>(a, b, tiles);
    else roles<false><<<blocks, 96>>>(a, b, tiles);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(out.data(), b, out.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks * 64; i++) {
      int sum = 0;
      for (int t = 0; t < tiles; t++) sum = sum * 3 + in[(i / 64 * tiles + t) * 128 + ((i % 64 + 32) * 5 + t) % 128];
      if (out[i] != sum) return printf("roles %d, %d: %d, not %d\n", how, i, out[i], sum), 1;
    }
  }
  numbers<<<blocks, 128>>>(a, b, tiles);
  CHECK_KERNEL();
  CHECK(cudaMemcpy(out.data(), b, out.size() * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < blocks * 64; i++) {
    int sum = 0;
    for (int t = 0; t < tiles; t++) sum = sum * 5 + in[(i / 64 * tiles + t) * 64 + 63 - i % 64];
    if (out[i] != sum) return printf("numbers %d: %d, not %d\n", i, out[i], sum), 1;
  }
  puts("ok");
}
