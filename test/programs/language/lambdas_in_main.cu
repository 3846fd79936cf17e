// Kernels of lambdas in a main that has parameters.
#include "../check.h"

template <class F, class T> __global__ void apply(F f, T *numbers) { numbers[threadIdx.x] = f(numbers[threadIdx.x]); }

template <class F> void run(F f, char **, int *numbers) {
  apply<<<1, 32>>>(f, numbers);
  CHECK_KERNEL();
}

int main(int argc, char **argv) {
  Device<int> numbers(32);
  Device<char> letters(32);
  run([] __device__(int) { return (int)threadIdx.x; }, argv, numbers);
  run([=] __host__ __device__(int number) { return number * 3 + argc; }, argv, numbers);
  // A name in which the type of the parameters comes again.
  apply<<<1, 32>>>([argv] __device__(char) { return argv == nullptr ? 'n' : 'y'; }, letters.data);
  CHECK_KERNEL();
  std::vector<int> got = numbers.host();
  for (int i = 0; i < 32; i++) same("number", i, got[i], 3 * i + argc);
  same("letter", 31, (int)letters.host()[31], (int)'y');
  return finish();
}
