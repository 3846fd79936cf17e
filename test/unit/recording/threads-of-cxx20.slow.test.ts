/** Threads, stop tokens, latches, barriers, semaphores and atomic variables of C++20, as a program on Linux finds them. */
import { expect, test } from 'vitest';
import { recorded } from './recorded.ts';

const program = `#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>
struct Odd { char c[7]; bool operator==(const Odd &) const = default; };
int main() {
  std::atomic<int> turns{0}, ready{0};
  {
    std::jthread worker([&](std::stop_token stop) {
      while (!stop.stop_requested()) { turns++; std::this_thread::yield(); }
    });
    while (turns < 3) std::this_thread::yield();
  }
  printf("jthread %d\\n", turns >= 3);
  std::jthread waiter([&] { ready.wait(0); printf("woken %d\\n", ready.load()); });
  ready = 5; ready.notify_all(); waiter.join();
  std::latch done(3);
  std::counting_semaphore<4> slots(2);
  std::atomic<int> most{0}, now{0};
  std::vector<std::jthread> team;
  for (int i = 0; i < 3; i++) team.emplace_back([&] {
    slots.acquire(); int n = ++now; int m = most; while (m < n && !most.compare_exchange_weak(m, n)); std::this_thread::yield(); --now; slots.release();
    done.count_down();
  });
  done.wait();
  printf("at most two at a time: %d\\n", most <= 2);
  team.clear();
  int rounds = 0;
  std::barrier meet(2, [&]() noexcept { rounds++; });
  { std::jthread a([&] { for (int i = 0; i < 4; i++) meet.arrive_and_wait(); }), b([&] { for (int i = 0; i < 4; i++) meet.arrive_and_wait(); }); }
  printf("rounds %d\\n", rounds);
  std::atomic<Odd> odd{Odd{"abcdef"}};
  Odd is{"abcdef"}, next{"ghijkl"};
  printf("odd %d", odd.compare_exchange_strong(is, next));
  printf(" %s %d\\n", odd.load().c, odd.compare_exchange_strong(is, next));
  std::mutex m; std::condition_variable_any cv; 
  std::jthread sleeper([&](std::stop_token stop) { std::unique_lock lock(m); bool met = cv.wait(lock, stop, [] { return false; }); printf("stopped %d\\n", met); });
  sleeper.request_stop(); sleeper.join();
}
`;

// What gcc makes of it prints the same.
test('wait for each other, and stop', async () => {
  const { trace } = await recorded(program, { standard: 'c++20' });
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('');
  trace.close();
  expect(said.split('\n')).toEqual([
    'jthread 1',
    'woken 5',
    'at most two at a time: 1',
    'rounds 4',
    'odd 1 ghijkl 0',
    'stopped 0',
    '',
  ]);
});
