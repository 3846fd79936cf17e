// clock, clock64 and the global timer go forward; more work takes more cycles; __nanosleep waits.
// Needs compute capability 7.0.
#include "../check.h"
__global__ void kernel(long long *out, float *sink, int rounds) {
  const long long t0 = clock64();
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 1.0001f + 0.5f;
  sink[threadIdx.x] = x;
  const long long t1 = clock64();
  for (int i = 0; i < rounds * 8; ++i) x = x * 1.0001f + 0.25f;
  sink[threadIdx.x] += x;
  const long long t2 = clock64();
  const clock_t c0 = clock();
  unsigned long long g0, g1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0));
  for (int i = 0; i < 20; ++i) __nanosleep(1000);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1));
  if (threadIdx.x == 0) out[0] = t1 - t0, out[1] = t2 - t1, out[2] = (long long)(g1 - g0), out[3] = clock() != c0;
}
int main() {
  Device<long long> out(4);
  Device<float> sink(32);
  kernel<<<1, 32>>>(out, sink, 500);
  CHECK_KERNEL();
  const auto got = out.host();
  if (got[0] < 500) FAIL("500 dependent operations took %lld cycles", got[0]);
  if (got[1] < 3 * got[0]) FAIL("eight times the work took %lld instead of %lld cycles", got[1], got[0]);
  if (got[2] < 1000) FAIL("sleeping 20 times took %lld ns", got[2]);
  EXPECT(got[3] == 1);
  return finish();
}
