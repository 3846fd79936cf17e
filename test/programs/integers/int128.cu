// 128-bit integers: products, quotients, shifts and comparisons.
#include "../check.h"

typedef unsigned long long u64;

__host__ __device__ void compute(u64 a, u64 b, u64 *out) {
  const unsigned __int128 wide = (unsigned __int128)a * b + a;
  out[0] = (u64)wide, out[1] = (u64)(wide >> 64);
  const unsigned __int128 shifted = wide << (a & 63) >> (b & 31);
  out[2] = (u64)shifted, out[3] = (u64)(shifted >> 64);
  const __int128 difference = (__int128)(long long)a - (__int128)(long long)b;
  out[4] = (u64)difference, out[5] = (u64)(difference >> 64);
  out[6] = difference < 0;
  const unsigned __int128 quotient = wide / (b | 1);
  out[7] = (u64)quotient, out[8] = (u64)(wide % (b | 1));
}

__global__ void kernel(const u64 *a, const u64 *b, u64 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) compute(a[i], b[i], out + 9 * i);
}

int main() {
  Random random;
  std::vector<u64> a, b;
  for (int i = 0; i < 128; ++i) a.push_back(random.next() >> (i % 64)), b.push_back(random.next() >> (i * 7 % 64));
  a[0] = ~0ull, b[0] = ~0ull;
  const int n = a.size();
  Device<u64> da(a), db(b), out(9 * n);
  kernel<<<1, n>>>(da, db, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    u64 e[9];
    compute(a[i], b[i], e);
    for (int k = 0; k < 9; ++k) same("int128", 9 * i + k, got[9 * i + k], e[k]);
  }
  return finish();
}
