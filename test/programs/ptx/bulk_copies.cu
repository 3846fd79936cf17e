// Bulk copies and barriers that count their bytes: PTX, cuda::ptx, libcu++; loops that wait in inline PTX.
// Needs compute capability 9.0.
#include "../check.h"
#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;

__device__ unsigned int address(const void *p) { return (unsigned int)__cvta_generic_to_shared(p); }
__device__ void waitTwoJumps(uint64_t *b, unsigned int parity) {
  asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(
                   address(b)),
               "r"(parity)
               : "memory");
}
__device__ void waitOneJump(uint64_t *b, unsigned int parity) {
  asm volatile("{\n.reg .pred P1;\nAGAIN_%=:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1, %2;\n@!P1 bra.uni AGAIN_%=;\n}" ::"r"(
                   address(b)),
               "r"(parity), "r"(0x989680)
               : "memory");
}

// One warp copies tiles in a ring of three, the other sums them up.
__global__ void ring(const int *in, int *out, int tiles) {
  constexpr int size = 64, stages = 3;
  __shared__ alignas(128) int tile[stages][size];
  __shared__ uint64_t full[stages], empty[stages];
  if (threadIdx.x == 0)
    for (int s = 0; s < stages; s++) {
      ptx::mbarrier_init(&full[s], 1);
      ptx::mbarrier_init(&empty[s], 32);
    }
  __syncthreads();
  const int *from = in + blockIdx.x * tiles * size;
  if (threadIdx.x >= 32) {
    if (threadIdx.x == 32)
      for (int i = 0; i < tiles; i++) {
        const int s = i % stages;
        if (i >= stages) waitOneJump(&empty[s], (i / stages - 1) & 1);
        asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1;\n}" ::"r"(address(&full[s])),
                     "r"(size * 4)
                     : "memory");
        // Two copies make the bytes of one phase.
        for (int half = 0; half < 2; half++)
          asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                           address(&tile[s][half * 32])),
                       "l"(from + i * size + half * 32), "r"(128), "r"(address(&full[s]))
                       : "memory");
      }
    return;
  }
  int sum = 0;
  for (int i = 0; i < tiles; i++) {
    const int s = i % stages;
    waitTwoJumps(&full[s], i / stages & 1);
    sum += tile[s][threadIdx.x] - tile[s][63 - threadIdx.x] * 2;
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&empty[s])) : "memory");
  }
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// The bytes come before they are announced; out again in two groups.
__global__ void thereAndBack(const int *in, int *out) {
  __shared__ alignas(16) int buffer[256];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, in + blockIdx.x * 256, sizeof buffer, &bar);
    if (ptx::mbarrier_test_wait_parity(&bar, 0)) out[0] = -1;
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof buffer);
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  buffer[threadIdx.x] = 3 * buffer[threadIdx.x] + 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0)
    for (int half = 0; half < 2; half++) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 256 + half * 128, buffer + half * 128, 512);
      ptx::cp_async_bulk_commit_group();
    }
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
  ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

__global__ void byBarrier(const int *in, int *out) {
  __shared__ alignas(128) int first[256], second[256];
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::memcpy_async(first, in, cuda::aligned_size_t<16>(sizeof first), bar);
    cuda::device::memcpy_async_tx(second, in + 256, cuda::aligned_size_t<16>(sizeof second), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof second);
  } else token = bar.arrive();
  bar.wait(std::move(token));
  out[threadIdx.x] = first[threadIdx.x] + 1000 * second[255 - threadIdx.x];
}

int main() {
  const int blocks = 6, tiles = 10, n = blocks * tiles * 64;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; i++) in[i] = i * 7 % 1001;
  int *a, *b;
  CHECK(cudaMalloc(&a, n * 4));
  CHECK(cudaMalloc(&b, n * 4));
  CHECK(cudaMemcpy(a, in.data(), n * 4, cudaMemcpyHostToDevice));
  ring<<<blocks, 64>>>(a, b, tiles);
  CHECK_KERNEL();
  CHECK(cudaMemcpy(out.data(), b, blocks * 32 * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < blocks * 32; i++) {
    int sum = 0;
    for (int t = 0; t < tiles; t++) sum += in[(i / 32 * tiles + t) * 64 + i % 32] - 2 * in[(i / 32 * tiles + t) * 64 + 63 - i % 32];
    if (out[i] != sum) return printf("ring %d: %d, not %d\n", i, out[i], sum), 1;
  }
  thereAndBack<<<blocks, 256>>>(a, b);
  CHECK_KERNEL();
  CHECK(cudaMemcpy(out.data(), b, blocks * 256 * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < blocks * 256; i++)
    if (out[i] != 3 * in[i] + 1) return printf("there and back %d: %d\n", i, out[i]), 1;
  byBarrier<<<1, 256>>>(a, b);
  CHECK_KERNEL();
  CHECK(cudaMemcpy(out.data(), b, 256 * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 256; i++)
    if (out[i] != in[i] + 1000 * in[511 - i]) return printf("barrier %d: %d\n", i, out[i]), 1;
  puts("ok");
}
