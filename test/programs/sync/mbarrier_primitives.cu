// cuda_awbarrier_primitives.h: barriers in shared memory as functions: phases by tokens and by parity, threads that drop out.
#include "../check.h"
#include <cuda_awbarrier_primitives.h>

__global__ void kernel(unsigned *out, int rounds) {
  __shared__ __mbarrier_t barrier, turns;
  __shared__ unsigned values[128];
  const unsigned t = threadIdx.x;
  if (t == 0) __mbarrier_init(&barrier, blockDim.x), __mbarrier_init(&turns, blockDim.x);
  __syncthreads();
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    values[t] = t * (round + 1);
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {}
    sum += values[(t + 37) % blockDim.x];
    __mbarrier_arrive(&turns);
    while (!__mbarrier_try_wait_parity(&turns, round & 1, 100)) {}
  }
  // The upper half leaves; the others go on without it.
  if (t >= blockDim.x / 2) __mbarrier_arrive_and_drop(&barrier);
  else {
    const __mbarrier_token_t first = __mbarrier_arrive(&barrier);
    while (!__mbarrier_try_wait(&barrier, first, 100)) {}
    const __mbarrier_token_t second = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, second)) {}
    sum += 1;
  }
  __syncthreads();
  if (t == 0) __mbarrier_inval(&barrier), __mbarrier_inval(&turns);
  out[t] = sum;
}

int main() {
  const int threads = 128, rounds = 5;
  Device<unsigned> out(threads);
  kernel<<<1, threads>>>(out, rounds);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int t = 0; t < threads; ++t) {
    unsigned want = t < threads / 2;
    for (int round = 0; round < rounds; ++round) want += (t + 37) % threads * (round + 1);
    same("sum", t, got[t], want);
  }
  same("most", 0, __mbarrier_maximum_count(), (1u << 14) - 1);
  return finish();
}
