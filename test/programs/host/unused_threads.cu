// Headers of threads without a thread: locks, once, conditions and variables of threads do what they do for one.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "../check.h"

static thread_local int mine = 1;

int main() {
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
  for (int i = 0; i < 3; i++) {
    std::lock_guard<std::mutex> lock(mutex);
    count += mine;
    changed.notify_all();
  }
  std::once_flag once;
  for (int i = 0; i < 2; i++) std::call_once(once, [&] { count++; });
  EXPECT(count == 4);
  EXPECT(mutex.try_lock());
  EXPECT(std::this_thread::get_id() != std::thread::id());
  float *x;
  CHECK(cudaMalloc(&x, 1024));
  CHECK(cudaFree(x));
  return finish();
}
