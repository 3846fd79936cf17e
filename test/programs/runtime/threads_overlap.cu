// Four host threads, each with a stream of its own: kernels that last 20 ms run beside each other.
#include "../check.h"
#include <chrono>
#include <thread>
#include <vector>
__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
}
using Clock = std::chrono::steady_clock;
double ms(Clock::time_point since) { return std::chrono::duration<double, std::milli>(Clock::now() - since).count(); }
int main() {
  int khz;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  const long long cycles = 20ll * khz;
  spin<<<1, 32>>>(1);
  CHECK(cudaDeviceSynchronize());
  const auto alone = Clock::now();
  spin<<<1, 32>>>(cycles);
  CHECK(cudaDeviceSynchronize());
  const double one = ms(alone);
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&] {
      cudaStream_t stream;
      CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      spin<<<1, 32, 0, stream>>>(cycles);
      CHECK(cudaStreamSynchronize(stream));
      CHECK(cudaStreamDestroy(stream));
    });
  for (auto &thread : threads) thread.join();
  const double four = ms(start);
  if (four > 2 * one) printf("one thread %.1f ms, four %.1f ms\n", one, four);
  EXPECT(four < 2 * one);
  return finish();
}
