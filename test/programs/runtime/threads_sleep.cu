// Host threads that sleep do so at the same time, and come back in the order of the time; a thread that gives way or polls the
// clock lets others go on.
#include "../check.h"
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>
using namespace std::chrono_literals;
int main() {
  using Clock = std::chrono::steady_clock;
  std::mutex guard;
  std::vector<int> order;
  std::atomic<bool> flag{false};
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (int i : {3, 1, 2})
    threads.emplace_back([&, i] {
      std::this_thread::sleep_for(i * 20ms);
      const std::lock_guard<std::mutex> lock(guard);
      order.push_back(i);
    });
  std::thread yields([&] { while (!flag) std::this_thread::yield(); });
  std::thread polls([&] { const auto end = Clock::now() + 1ms; while (Clock::now() < end) {} flag = true; });
  for (auto &thread : threads) thread.join();
  yields.join(), polls.join();
  EXPECT(Clock::now() - start < 110ms);
  for (int i = 0; i < 3; i++) same("order", i, order[i], i + 1);
  return finish();
}
