// Host threads that wait for each other: a producer fills a queue of two places, a consumer has kernels add what it takes.
#include "../check.h"
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
__global__ void add(int *sum, int v) { *sum += v; }
int main() {
  std::mutex guard;
  std::condition_variable taken, put;
  std::queue<int> queue;
  size_t longest = 0;
  Device<int> sum(1);
  CHECK(cudaMemset(sum, 0, 4));
  std::thread consumer([&] {
    for (int v = 1; v != 0;) {
      std::unique_lock<std::mutex> lock(guard);
      put.wait(lock, [&] { return !queue.empty(); });
      v = queue.front();
      queue.pop();
      lock.unlock();
      taken.notify_one();
      add<<<1, 1>>>(sum, v);
      CHECK_KERNEL();
    }
  });
  for (int v = 20; v >= 0; v--) {
    std::unique_lock<std::mutex> lock(guard);
    taken.wait(lock, [&] { return queue.size() < 2; });
    queue.push(v);
    longest = std::max(longest, queue.size());
    lock.unlock();
    put.notify_one();
  }
  consumer.join();
  same("sum", 0, sum.host()[0], 210);
  EXPECT(longest <= 2);
  return finish();
}
