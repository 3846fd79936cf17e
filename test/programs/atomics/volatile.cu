// cuda::atomic and cuda::std::atomic through pointers and references to volatile, as flags between host and device are.
#include "../check.h"
#include <cuda/atomic>
#include <cuda/std/atomic>

enum class State { idle, done };

__global__ void count(volatile cuda::std::atomic<State> *state, volatile cuda::atomic<int> *n) {
  n->fetch_add(1);
  ++*n;
  (*n)--;
  *n += 3;
  state->store(State::done);
}

int main() {
  cuda::std::atomic<State> *state;
  cuda::atomic<int> *n;
  CHECK(cudaMallocManaged(&state, sizeof *state));
  CHECK(cudaMallocManaged(&n, sizeof *n));
  volatile cuda::atomic<int> &seen = *n;
  seen = 0;
  *state = State::idle;
  count<<<1, 32>>>(state, n);
  CHECK_KERNEL();
  EXPECT(static_cast<volatile cuda::std::atomic<State> *>(state)->load(cuda::memory_order_acquire) == State::done);
  same("count", 0, (int)seen, 128);
  int expected = 128;
  EXPECT(seen.compare_exchange_strong(expected, 2));
  same("exchanged", 0, n->load(), 2);
  return finish();
}
