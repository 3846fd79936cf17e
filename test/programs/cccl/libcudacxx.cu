// libcu++ of CCCL: cuda::std types in kernels and on the host, atomics with scopes, latches, barriers, pipelines.
// Needs CCCL.
// Needs compute capability 8.0.
#include "../check.h"
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <nv/target>

__host__ __device__ int place() { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return 1;), (return 2;)) }

__host__ __device__ cuda::std::tuple<int, float> pair(int i) { return cuda::std::make_tuple(i, 0.5f * i); }

__global__ void types(int *out, float *reals) {
  cuda::std::array<int, 4> numbers{4, 3, 2, 1};
  int sum = 0;
  for (int number : numbers) sum = 10 * sum + number;
  out[0] = sum;
  out[1] = cuda::std::get<0>(pair(21));
  out[2] = cuda::std::numeric_limits<int>::max();
  out[3] = place();
  const cuda::std::complex<float> z(1, 2), square = z * z;
  reals[0] = square.real(), reals[1] = square.imag();
  reals[2] = cuda::std::get<1>(pair(21));
}

__global__ void count(cuda::atomic<int, cuda::thread_scope_device> *total, int *most) {
  total->fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device>(*most).fetch_max((int)threadIdx.x);
}

__global__ void rotate(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int numbers[128];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 3; round++) {
    numbers[threadIdx.x] = in[threadIdx.x] + round;
    barrier.arrive_and_wait();
    out[round * blockDim.x + threadIdx.x] = numbers[(threadIdx.x + 1) % blockDim.x];
    barrier.arrive_and_wait();
  }
}

__global__ void copy(const int *in, int *out, int n) {
  constexpr int stages = 2;
  __shared__ int buffer[stages][128];
  auto pipeline = cuda::make_pipeline();
  const int steps = n / 128;
  for (int step = 0, fetched = 0; step < steps; step++) {
    for (; fetched < steps && fetched < step + stages; fetched++) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&buffer[fetched % stages][threadIdx.x], in + fetched * 128 + threadIdx.x, sizeof(int), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    __syncthreads();
    out[step * 128 + threadIdx.x] = buffer[step % stages][127 - threadIdx.x];
    __syncthreads();
    pipeline.consumer_release();
  }
}

int main() {
  Device<int> out(1024);
  Device<float> reals(3);
  types<<<1, 1>>>(out, reals);
  CHECK_KERNEL();
  std::vector<int> got = out.host();
  same("array", 0, got[0], 4321);
  same("tuple", 1, got[1], 21);
  same("limit", 2, got[2], 2147483647);
  same("place", 3, got[3], 1);
  same("place", 4, place(), 2);
  close("square", 0, reals.host()[0], -3, 0);
  close("square", 1, reals.host()[1], 4, 0);
  close("tuple", 2, reals.host()[2], 10.5, 0);

  Device<cuda::atomic<int, cuda::thread_scope_device>> total(1);
  Device<int> most(1);
  count<<<5, 96>>>(total, most);
  CHECK_KERNEL();
  int sum;
  CHECK(cudaMemcpy(&sum, total.data, sizeof sum, cudaMemcpyDeviceToHost));
  same("atomic", 0, sum, 960);
  same("maximum", 0, most.host()[0], 95);

  std::vector<int> numbers(1024);
  for (int i = 0; i < 1024; i++) numbers[i] = i * i;
  Device<int> in(numbers);
  rotate<<<1, 128>>>(in, out);
  CHECK_KERNEL();
  got = out.host();
  for (int i = 0; i < 384; i++) same("rotated", i, got[i], numbers[(i % 128 + 1) % 128] + i / 128);
  copy<<<1, 128>>>(in, out, 1024);
  CHECK_KERNEL();
  got = out.host();
  for (int i = 0; i < 1024; i++) same("copied", i, got[i], numbers[i / 128 * 128 + 127 - i % 128]);
  return finish();
}
