// 128-bit integers through memory, parameters, structs, loops and conversions; against the host's.
#include "../check.h"

typedef __int128 i128;
typedef unsigned __int128 u128;

struct Value {
  char tag;
  u128 number;
};

__host__ __device__ i128 step(i128 x, i128 y, int k) {
  switch (k) {
  case 0: return x + y;
  case 1: return x - y;
  case 2: return x * y;
  case 3: return y == 0 ? x : x / y;
  case 4: return y == 0 ? x : x % y;
  case 5: return x << (int)(y & 127);
  case 6: return x >> (int)(y & 127);
  case 7: return (i128)((u128)x >> (int)(y & 127));
  case 8: return x < y ? x : y;
  case 9: return (u128)x < (u128)y ? x : y;
  case 10: return (x & y) | (~x ^ y);
  case 11: return -x;
  case 12: return (u128)y == 0 ? x : (i128)((u128)x / (u128)y);
  case 13: return (i128)(long long)x + (unsigned int)y + (signed char)x;
  case 14: return x == y || x >= 0 ? x : y;
  default: return (i128)(double)(long long)x;
  }
}
constexpr int steps = 16;

__global__ void kernel(const i128 *x, const i128 *y, i128 *out, Value extra, Value *values, float *floats, double *doubles) {
  __shared__ i128 shared[32];
  const int i = threadIdx.x;
  for (int k = 0; k < steps; ++k) out[k * 32 + i] = step(x[i], y[i], k);
  shared[31 - i] = x[i];
  __syncthreads();
  i128 sum = (i128)extra.number;
  for (int k = 0; k <= i; ++k) sum += shared[k] * k;
  values[i].tag = extra.tag;
  values[i].number = (u128)sum;
  floats[i] = (float)x[i];
  doubles[i] = (double)(u128)y[i];
}

int main() {
  Random random;
  std::vector<i128> x(32), y(32);
  auto any = [&] { return (i128)((u128)random.next() << 64 | random.next()) >> (random.next() & 127); };
  for (int i = 0; i < 32; ++i) x[i] = any(), y[i] = any();
  x[0] = (i128)((u128)1 << 127), y[0] = 3;
  x[1] = -1, y[1] = 1;
  x[2] = 0, y[2] = 0;
  Device<i128> dx(x), dy(y), out(steps * 32);
  Device<Value> values(32);
  Device<float> floats(32);
  Device<double> doubles(32);
  const Value extra{7, ((u128)5 << 100) + 9};
  kernel<<<1, 32>>>(dx, dy, out, extra, values, floats, doubles);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int k = 0; k < steps; ++k)
    for (int i = 0; i < 32; ++i) {
      const i128 expected = step(x[i], y[i], k), is = got[k * 32 + i];
      same("low", k * 100 + i, (long long)is, (long long)expected);
      same("high", k * 100 + i, (long long)(is >> 64), (long long)(expected >> 64));
    }
  const auto structs = values.host();
  i128 sum = (i128)extra.number;
  for (int i = 0; i < 32; ++i) {
    sum += x[31 - i] * i;
    same("tag", i, (int)structs[i].tag, 7);
    same("sum", i, structs[i].number == (u128)sum, true);
  }
  const auto f = floats.host();
  const auto d = doubles.host();
  for (int i = 0; i < 32; ++i) {
    close("float", i, f[i], (float)x[i], 0);
    close("double", i, d[i], (double)(u128)y[i], 0);
  }
  return finish();
}
