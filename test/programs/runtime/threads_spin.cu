// Host threads that wait for each other by reading atomic variables again and again: a flag, a lock, a count of those that have
// come, C++20's waiting, and one that spins while another waits for the GPU.
#include "../check.h"
#include <atomic>
#include <thread>
#include <vector>
__global__ void add(int *sum) { atomicAdd(sum, 1); }
int main() {
  Device<int> sum(1);
  CHECK(cudaMemset(sum, 0, 4));
  std::atomic<bool> go{false}, done{false};
  std::atomic<int> ready{0};
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&] {
      ready++;
      while (ready < 4) {}
      while (!go.load(std::memory_order_acquire)) {}
      for (int k = 0; k < 10; k++) {
        while (lock.test_and_set(std::memory_order_acquire)) {}
        const int before = counter;
        add<<<1, 32>>>(sum);
        CHECK(cudaDeviceSynchronize());
        counter = before + 1;
        lock.clear(std::memory_order_release);
      }
    });
  std::thread watches([&] { while (!done) {} });
  while (ready < 4) {}
  go = true;
  for (auto &thread : threads) thread.join();
  done = true;
  watches.join();
  same("counter", 0, counter, 40);
  same("sum", 0, sum.host()[0], 40 * 32);
  long long total = 0;
  std::atomic<int> next{0};
  std::thread takes([&] { for (int i; (i = next.fetch_add(1)) < 1000;) total += i; });
  takes.join();
  same("total", 0, total, 499500ll);
  return finish();
}
