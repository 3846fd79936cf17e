// Templates: kernels by type and number, specialisation, variadic folds, constexpr, if constexpr.
#include "../check.h"

template <class T, int N> struct Polynomial {
  T c[N];
  __host__ __device__ constexpr T at(T x) const {
    T sum = 0;
    for (int i = N - 1; i >= 0; --i) sum = sum * x + c[i];
    return sum;
  }
};
template <class... T> __host__ __device__ auto sum(T... x) { return (x + ...); }
template <class T> __host__ __device__ int sizeClass() {
  if constexpr (sizeof(T) == 8) return 8;
  else return 4;
}
template <> __host__ __device__ int sizeClass<char>() { return 1; }
__host__ __device__ constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
template <int N> struct Fibonacci { static constexpr int value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value; };
template <> struct Fibonacci<0> { static constexpr int value = 0; };
template <> struct Fibonacci<1> { static constexpr int value = 1; };

template <class T, int N> __global__ void kernel(Polynomial<T, N> p, T *out) {
  constexpr int f = factorial(N), g = Fibonacci<N + 5>::value;
  out[threadIdx.x] = p.at((T)threadIdx.x) + (T)(f + g + sizeClass<T>() + sizeClass<char>()) + (T)sum(1, 2u, (short)3, threadIdx.x);
}

template <class T, int N> void test(const char *name) {
  Polynomial<T, N> p;
  for (int i = 0; i < N; ++i) p.c[i] = (T)(i + 1);
  Device<T> out(64);
  kernel<<<1, 64>>>(p, out.data);
  CHECK_KERNEL();
  const auto got = out.host();
  const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  for (int i = 0; i < 64; ++i)
    same(name, i, got[i], (T)(p.at((T)i) + (T)(factorial(N) + fibonacci[N + 5] + (int)sizeof(T) + 1) + (T)(6 + i)));
}

int main() {
  test<int, 3>("int");
  test<long long, 4>("long long");
  test<double, 2>("double");
  test<float, 1>("float");
  return finish();
}
