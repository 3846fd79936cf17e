// Lambdas inside device code: captures by value and reference, generic lambdas, passed to templates.
#include "../check.h"

template <class F> __device__ int apply(int n, F f) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += f(i);
  return sum;
}

__global__ void kernel(int *out) {
  const int i = threadIdx.x;
  int calls = 0;
  const auto square = [](auto x) { return x * x; };
  const auto shifted = [i](int k) { return k + i; };
  const auto counted = [&](int k) { ++calls; return square(k) + shifted(k); };
  auto counter = [n = i]() mutable { return n++; };
  counter(), counter();
  out[i] = apply(i % 7, counted) * 1000 + calls * 10 + (counter() - i);
}

int main() {
  Device<int> out(64);
  kernel<<<1, 64>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    int sum = 0;
    for (int k = 0; k < i % 7; ++k) sum += k * k + k + i;
    same("lambda", i, got[i], sum * 1000 + i % 7 * 10 + 2);
  }
  return finish();
}
