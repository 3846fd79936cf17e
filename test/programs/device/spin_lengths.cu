// Kernels of one shape that last as long as they are told, each differently: events and timers agree with what was asked for.
// Needs compute capability 7.0.
#include "../check.h"
__global__ void spin(unsigned long long *timer, int i, long long cycles) {
  unsigned long long begin, end;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  const long long start = clock64();
  while (clock64() - start < cycles) {}
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
  timer[2 * i] = begin, timer[2 * i + 1] = end;
}
int main() {
  constexpr int count = 40;
  Device<unsigned long long> timer(2 * count);
  cudaEvent_t events[count + 1];
  for (auto &event : events) CHECK(cudaEventCreate(&event));
  int khz;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  spin<<<1, 32>>>(timer, 0, 1000);
  CHECK_KERNEL();
  CHECK(cudaEventRecord(events[0]));
  for (int i = 0; i < count; ++i) {
    spin<<<1, 32>>>(timer, i, 2000ll * (i + 1));
    CHECK(cudaEventRecord(events[i + 1]));
  }
  CHECK_KERNEL();
  const auto at = timer.host();
  for (int i = 0; i < count; ++i) {
    const double asked = 2000.0 * (i + 1) / khz * 1e3, inside = (at[2 * i + 1] - at[2 * i]) * 1e-3;
    float ms;
    CHECK(cudaEventElapsedTime(&ms, events[i], events[i + 1]));
    // Clocks may be slower or faster than they are said to be; launches and events take a few microseconds, and the timer of
    // some GPUs goes on in steps of one.
    if (inside < 0.6 * asked - 1.1 || inside > 1.6 * asked + 1.1) FAIL("%d: %.1f us for %.1f", i, inside, asked);
    if (ms * 1e3 < inside - 1.1 || ms * 1e3 > inside + 15) FAIL("%d: %.1f us around %.1f", i, ms * 1e3, inside);
    if (i > 0 && at[2 * i] < at[2 * i - 1]) FAIL("%d starts before the one before has ended", i);
  }
  return finish();
}
