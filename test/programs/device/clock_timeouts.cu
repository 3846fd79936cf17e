// Kernels that poll memory and give up after a time: they last as long as they waited, whether that is short or long, and leave early
// when somebody writes.
// Needs compute capability 7.0.
#include "../check.h"
__global__ void wait(volatile int *flag, long long *out, long long cycles) {
  const long long begin = clock64();
  long long now = begin;
  int seen = 1;
  while (!*flag) {
    now = clock64();
    if (now - begin > cycles) {
      seen = 0;
      break;
    }
  }
  out[0] = clock64() - begin;
  out[1] = seen;
}
/** The last block writes what the others wait for, after a while. */
__global__ void waitForBlock(volatile int *flag, int *given_up, long long cycles, long long later) {
  const long long begin = clock64();
  if (blockIdx.x == gridDim.x - 1) {
    while (clock64() - begin < later) {}
    *flag = 1;
    return;
  }
  while (!*flag)
    if (clock64() - begin > cycles) {
      atomicAdd(given_up, 1);
      return;
    }
}
int main() {
  int khz;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  volatile int *host;
  CHECK(cudaHostAlloc((void **)&host, sizeof(int), cudaHostAllocDefault));
  *host = 0;
  Device<int> onDevice(2);
  Device<long long> out(2);
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  for (const bool inHost : {true, false})
    // Up to two seconds.
    for (const long long cycles : {20000ll, 10000000ll, 4000000000ll}) {
      CHECK(cudaEventRecord(from));
      wait<<<1, 1>>>(inHost ? (int *)host : (int *)onDevice, out, cycles);
      CHECK(cudaEventRecord(to));
      CHECK_KERNEL();
      float ms;
      CHECK(cudaEventElapsedTime(&ms, from, to));
      const auto got = out.host();
      EXPECT(got[1] == 0);
      if (got[0] < cycles || got[0] > 1.01 * cycles + 20000)
        FAIL("%lld cycles: waited %lld", cycles, got[0]);
      const double asked = 1.0 * cycles / khz;
      // Clocks may be slower or faster than they are said to be; launches and events take some time.
      if (ms < 0.6 * asked || ms > 1.6 * asked + 0.05) FAIL("%lld cycles: %f ms instead of %f", cycles, ms, asked);
    }
  *host = 1;
  CHECK(cudaEventRecord(from));
  wait<<<1, 1>>>((int *)host, out, 4000000000ll);
  CHECK(cudaEventRecord(to));
  CHECK_KERNEL();
  float ms;
  CHECK(cudaEventElapsedTime(&ms, from, to));
  EXPECT(out.host()[1] == 1);
  if (ms > 0.5) FAIL("what was there took %f ms", ms);
  waitForBlock<<<8, 32>>>(onDevice, (int *)onDevice + 1, 1000000000ll, 100000ll);
  CHECK_KERNEL();
  const auto flags = onDevice.host();
  EXPECT(flags[0] == 1);
  EXPECT(flags[1] == 0);
  CHECK(cudaFreeHost((void *)host));
  return finish();
}
