// Kernels of two host threads in stream 0: one after the other in the legacy default stream, side by side where each thread has
// its own (`nvcc --default-stream per-thread`). Both kinds can be had by name.
#include "../check.h"
#include <chrono>
#include <thread>
__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
}
using Clock = std::chrono::steady_clock;
long long cycles;
double two_threads(cudaStream_t stream) {
  const auto start = Clock::now();
  const auto work = [=] {
    spin<<<1, 32, 0, stream>>>(cycles);
    CHECK(cudaStreamSynchronize(stream));
  };
  std::thread a(work), b(work);
  a.join(), b.join();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}
int main() {
  int khz;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  cycles = 20ll * khz;
  spin<<<1, 32>>>(1);
  CHECK(cudaDeviceSynchronize());
  const double legacy = two_threads(cudaStreamLegacy), own = two_threads(cudaStreamPerThread), zero = two_threads(0);
  EXPECT(own < 0.75 * legacy);
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  EXPECT(zero < 0.75 * legacy);
#else
  EXPECT(zero > 1.25 * own);
#endif
  return finish();
}
