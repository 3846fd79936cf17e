// Host clocks go forward with simulated work: chrono clocks, clock(), clock_gettime, time.
#include "../check.h"
#include <chrono>
#include <ctime>
__global__ void spin(float *x) { float v = *x; for (int i = 0; i < 20000; ++i) v = v * 0.999f + 1; *x = v; }
int main() {
  Device<float> x(1);
  const auto a = std::chrono::high_resolution_clock::now();
  const auto b = std::chrono::steady_clock::now();
  const auto c = std::chrono::system_clock::now();
  timespec t0, t1;
  EXPECT(clock_gettime(CLOCK_MONOTONIC, &t0) == 0);
  spin<<<1, 1>>>(x);
  CHECK_KERNEL();
  EXPECT(clock_gettime(CLOCK_MONOTONIC, &t1) == 0);
  const auto us = [](auto d) { return std::chrono::duration<double, std::micro>(d).count(); };
  EXPECT(us(std::chrono::high_resolution_clock::now() - a) > 20);
  EXPECT(us(std::chrono::steady_clock::now() - b) > 20);
  EXPECT(us(std::chrono::system_clock::now() - c) > 20);
  EXPECT((t1.tv_sec - t0.tv_sec) * 1e9 + t1.tv_nsec - t0.tv_nsec > 20000);
  EXPECT(clock() != (clock_t)-1);
  EXPECT(time(nullptr) != (time_t)-1);
  return finish();
}
