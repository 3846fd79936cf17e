// Every integer atomic on every type, in global and shared memory: final values.
#include "../check.h"
#include <type_traits>

template <class T, bool shared> __global__ void kernel(const T *in, T *cells, int n) {
  __shared__ T own[8];
  T *c = shared ? own : cells;
  if (shared) {
    if (threadIdx.x < 8) own[threadIdx.x] = cells[threadIdx.x];
    __syncthreads();
  }
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const T x = in[i];
    atomicAdd((typename std::conditional<std::is_same<T, long long>::value, unsigned long long, T>::type *)&c[0], x);
    atomicMin(&c[1], x), atomicMax(&c[2], x), atomicAnd(&c[3], x), atomicOr(&c[4], x), atomicXor(&c[5], x);
    if (sizeof(T) == 4) atomicSub((int *)&c[6], (int)x);
    T old = c[7], seen;
    do {
      seen = old;
      old = (T)atomicCAS((typename std::conditional<std::is_same<T, long long>::value, unsigned long long, T>::type *)&c[7], seen, (T)(seen * 1 + (x & 3)));
    } while (old != seen);
  }
  if (shared) {
    __syncthreads();
    if (threadIdx.x < 8) cells[threadIdx.x] = own[threadIdx.x];
  }
}

template <class T> void test(const char *name) {
  const int n = 700;
  Random random(sizeof(T));
  std::vector<T> in(n), start = {5, 1000, (T)-1000, (T)-1, 0, 77, 9, 1};
  for (T &x : in) x = (T)random.next();
  auto e = start;
  for (T x : in) {
    e[0] = (T)((unsigned long long)e[0] + (unsigned long long)x), e[1] = x < e[1] ? x : e[1], e[2] = x > e[2] ? x : e[2];
    e[3] &= x, e[4] |= x, e[5] ^= x, e[7] += (T)(x & 3);
    if (sizeof(T) == 4) e[6] = (T)((unsigned)e[6] - (unsigned)x);
  }
  Device<T> d(in), g(start), s(start);
  kernel<T, false><<<3, 96>>>(d.data, g.data, n);
  kernel<T, true><<<1, 96>>>(d.data, s.data, n);
  CHECK_KERNEL();
  const auto gg = g.host(), ss = s.host();
  for (int k = 0; k < 8; ++k) same(name, k, gg[k], e[k]), same(name, 10 + k, ss[k], e[k]);
}

int main() {
  test<int>("int");
  test<unsigned>("unsigned");
  test<long long>("long long");
  test<unsigned long long>("unsigned long long");
  return finish();
}
