// A thread that waits for what the main thread does only later: refused, since threads run one after the other.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
int main() {
  std::mutex guard;
  std::condition_variable ready;
  bool go = false;
  std::thread worker([&] {
    std::unique_lock<std::mutex> lock(guard);
    ready.wait(lock, [&] { return go; });
    printf("went\n");
  });
  {
    const std::lock_guard<std::mutex> lock(guard);
    go = true;
  }
  ready.notify_one();
  worker.join();
}
