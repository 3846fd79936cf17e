// What each host thread has of its own: thread_local variables with constructors and destructors, errno, exceptions, the device's
// last error, and a stack.
#include "../check.h"
#include <cerrno>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
thread_local int number = 7;
thread_local int zeroed[100];
int made, destroyed;
struct Counted {
  int value;
  Counted() : value(++made) {}
  ~Counted() { destroyed++; }
};
thread_local Counted counted;
int depth(int n) {
  volatile int here[1000] = {n};
  return n == 0 ? 0 : depth(n - 1) + (here[0] == n);
}
int main() {
  std::mutex guard;
  int ready = 0;
  number = 1;
  const auto everyone = [&] {
    // Nobody goes on before all have come here: so they are all in the middle of what they do.
    { std::lock_guard<std::mutex> lock(guard); ready++; }
    for (;;) {
      { std::lock_guard<std::mutex> lock(guard); if (ready >= 4) return; }
      std::this_thread::yield();
    }
  };
  std::vector<std::thread> threads;
  int values[4];
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&, i] {
      same("initial value", i, number, 7);
      number = 100 + i;
      zeroed[i] = i;
      errno = 1000 + i;
      values[i] = counted.value;
      cudaMemcpy(nullptr, nullptr, 1, (cudaMemcpyKind)(i == 0 ? 9 : 0));
      try {
        throw std::runtime_error(std::to_string(i));
      } catch (const std::exception &error) {
        everyone();
        same("exception", i, std::stoi(error.what()), i);
        try {
          std::rethrow_exception(std::current_exception());
        } catch (const std::runtime_error &again) {
          same("exception again", i, std::stoi(again.what()), i);
        }
      }
      same("errno", i, errno, 1000 + i);
      same("thread_local", i, number, 100 + i);
      same("other elements", i, zeroed[(i + 1) % 4], 0);
      same("depth", i, depth(1000), 1000);
      EXPECT((cudaGetLastError() == cudaErrorInvalidMemcpyDirection) == (i == 0));
    });
  for (auto &thread : threads) thread.join();
  same("main's", 0, number, 1);
  int all = 0;
  for (int value : values) all += value;
  same("constructed", 0, all, 1 + 2 + 3 + 4);
  same("destroyed", 0, destroyed, 4);
  return finish();
}
