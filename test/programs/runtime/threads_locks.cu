// Locks of host threads: a counter behind a mutex, recursive and timed locks, shared locks, call_once, static variables, and a
// condition whose time runs out.
#include "../check.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>
using namespace std::chrono_literals;
int built;
struct Slow {
  Slow() { std::this_thread::sleep_for(1ms); built++; }
};
Slow &slow() {
  static Slow instance;
  return instance;
}
int main() {
  std::mutex mutex;
  std::recursive_mutex recursive;
  std::shared_mutex shared;
  std::once_flag once;
  int counter = 0, initialized = 0, readers = 0, most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; i++)
    threads.emplace_back([&] {
      std::call_once(once, [&] { std::this_thread::sleep_for(1ms); initialized++; });
      slow();
      for (int k = 0; k < 50; k++) {
        const std::lock_guard<std::mutex> lock(mutex);
        const int before = counter;
        if (k % 10 == 0) std::this_thread::sleep_for(10us);
        counter = before + 1;
      }
      {
        const std::lock_guard<std::recursive_mutex> outer(recursive);
        const std::lock_guard<std::recursive_mutex> inner(recursive);
        counter++;
      }
      {
        const std::shared_lock<std::shared_mutex> lock(shared);
        { const std::lock_guard<std::mutex> count(mutex); most = std::max(most, ++readers); }
        std::this_thread::sleep_for(2ms);
        { const std::lock_guard<std::mutex> count(mutex); readers--; }
      }
      const std::unique_lock<std::shared_mutex> lock(shared);
      same("readers beside a writer", 0, readers, 0);
    });
  for (auto &thread : threads) thread.join();
  same("counter", 0, counter, 6 * 51);
  same("once", 0, initialized, 1);
  same("static", 0, built, 1);
  EXPECT(most > 1);
  std::condition_variable never;
  std::unique_lock<std::mutex> lock(mutex);
  const auto start = std::chrono::steady_clock::now();
  EXPECT(never.wait_for(lock, 5ms) == std::cv_status::timeout);
  const auto passed = std::chrono::steady_clock::now() - start;
  EXPECT(passed >= 5ms && passed < 50ms);
  std::thread other([&] { EXPECT(!mutex.try_lock()); });
  other.join();
  return finish();
}
