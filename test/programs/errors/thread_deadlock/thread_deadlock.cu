// Two threads that take two locks in different orders: refused, with who waits for what.
#include <chrono>
#include <mutex>
#include <thread>
int main() {
  std::mutex first, second;
  const auto both = [](std::mutex &a, std::mutex &b) {
    const std::lock_guard<std::mutex> one(a);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard<std::mutex> other(b);
  };
  std::thread x([&] { both(first, second); }), y([&] { both(second, first); });
  x.join(), y.join();
}
