// std::async, std::promise and pthreads, each with work for the device.
#include "../check.h"
#include <future>
#include <pthread.h>
#include <stdexcept>
#include <thread>
__global__ void sum_to(int *out, int n) {
  int s = 0;
  for (int i = threadIdx.x; i <= n; i += 32) s += i;
  atomicAdd(out, s);
}
int on_device(int n) {
  Device<int> out(1);
  CHECK(cudaMemset(out, 0, 4));
  sum_to<<<1, 32>>>(out, n);
  CHECK_KERNEL();
  return out.host()[0];
}
void *posix(void *argument) {
  int *n = (int *)argument;
  *n = on_device(*n);
  return n;
}
int main() {
  auto ten = std::async(std::launch::async, on_device, 10);
  auto later = std::async(std::launch::deferred, on_device, 20);
  same("async", 0, ten.get(), 55);
  same("deferred", 0, later.get(), 210);
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread worker([&] { promise.set_value(on_device(100)); });
  same("promise", 0, future.get(), 5050);
  EXPECT(worker.joinable() && worker.get_id() != std::this_thread::get_id());
  worker.join();
  std::promise<int> failing;
  auto failure = failing.get_future();
  std::thread thrower([&] { failing.set_exception(std::make_exception_ptr(std::runtime_error("as it should"))); });
  thrower.join();
  try {
    failure.get();
    EXPECT(!"thrown");
  } catch (const std::runtime_error &error) {
    EXPECT(error.what()[0] == 'a');
  }
  pthread_t thread;
  int value = 4;
  void *result;
  EXPECT(pthread_create(&thread, nullptr, posix, &value) == 0);
  EXPECT(pthread_join(thread, &result) == 0 && result == &value);
  same("pthread", 0, value, 10);
  return finish();
}
