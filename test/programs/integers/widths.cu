// Arithmetic of 8, 16, 32 and 64 bits, signed and unsigned: wrap-around, division towards zero, shifts.
#include "../check.h"

constexpr int operations = 12;

template <class T> __host__ __device__ void compute(T a, T b, T *out) {
  const int bits = 8 * sizeof(T);
  out[0] = (T)(a + b);
  out[1] = (T)(a - b);
  out[2] = (T)((unsigned long long)a * (unsigned long long)b);
  // The smallest number divided by -1 has no result.
  const bool defined = b != 0 && !((T)-1 < 0 && b == (T)-1);
  out[3] = defined ? (T)(a / b) : 0;
  out[4] = defined ? (T)(a % b) : 0;
  out[5] = (T)(a & b);
  out[6] = (T)(a | b);
  out[7] = (T)(a ^ b);
  out[8] = (T)~a;
  out[9] = (T)((unsigned long long)a << (b & (bits - 1)));
  out[10] = (T)(a >> (b & (bits - 1)));
  out[11] = (T)((a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a > b));
}

template <class T> __global__ void kernel(const T *a, const T *b, T *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) compute(a[i], b[i], out + i * operations);
}

template <class T> void test(const char *name) {
  const T top = (T)((T)1 << (8 * sizeof(T) - 1));
  std::vector<T> edges = {0, 1, 2, 3, 7, 10, (T)-1, (T)-2, (T)-7, top, (T)(top + 1), (T)(top - 1), 100, 127, (T)128};
  Random random(sizeof(T));
  for (int i = 0; i < 17; ++i) edges.push_back((T)random.next());
  std::vector<T> a, b;
  for (T x : edges)
    for (T y : edges) a.push_back(x), b.push_back(y);
  const int n = a.size();
  Device<T> da(a), db(b), out(n * operations);
  kernel<<<(n + 127) / 128, 128>>>(da.data, db.data, out.data, n);
  CHECK_KERNEL();
  const std::vector<T> got = out.host();
  for (int i = 0; i < n; ++i) {
    T expected[operations];
    compute(a[i], b[i], expected);
    for (int k = 0; k < operations; ++k) same(name, i * operations + k, got[i * operations + k], expected[k]);
  }
}

int main() {
  test<signed char>("int8");
  test<unsigned char>("uint8");
  test<short>("int16");
  test<unsigned short>("uint16");
  test<int>("int32");
  test<unsigned>("uint32");
  test<long long>("int64");
  test<unsigned long long>("uint64");
  return finish();
}
