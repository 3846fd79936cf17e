// The sequence of XORWOW and Philox is part of the interface: first numbers of seed 0 and 1234 are related by skipping.
#include "../check.h"
#include <curand_kernel.h>
template <class State> __global__ void kernel(unsigned *straight, unsigned *skipped, unsigned *offset) {
  State a, b, c;
  curand_init(99, 5, 0, &a);
  for (int k = 0; k < 20; ++k) straight[k] = curand(&a);
  curand_init(99, 5, 0, &b);
  skipahead(7, &b);
  for (int k = 7; k < 20; ++k) skipped[k] = curand(&b);
  curand_init(99, 5, 11, &c);
  for (int k = 11; k < 20; ++k) offset[k] = curand(&c);
}
template <class State> void test(const char *name) {
  Device<unsigned> a(20), b(20), c(20);
  kernel<State><<<1, 1>>>(a, b, c);
  CHECK_KERNEL();
  const auto straight = a.host(), skipped = b.host(), offset = c.host();
  for (int k = 7; k < 20; ++k) same(name, k, skipped[k], straight[k]);
  for (int k = 11; k < 20; ++k) same(name, 100 + k, offset[k], straight[k]);
}
int main() {
  test<curandStateXORWOW_t>("XORWOW");
  test<curandStatePhilox4_32_10_t>("Philox");
  return finish();
}
