// Exponent and mantissa: frexp, ldexp, scalbn, modf, logb, ilogb, nextafter, remquo, fdim, copysign; subnormals too.
#include "../check.h"

constexpr int values = 14;

template <class T> __host__ __device__ void compute(T x, T *o) {
  int exponent = 0, quotient = 0;
  T whole = 0;
  o[0] = frexp(x, &exponent), o[1] = (T)exponent;
  o[2] = modf(x, &whole), o[3] = whole;
  o[4] = ldexp(x, 5), o[5] = scalbn(x, -7), o[6] = ldexp(x, -140);
  o[7] = logb(x), o[8] = (T)ilogb(x);
  o[9] = nextafter(x, (T)1e30), o[10] = nextafter(x, (T)0);
  o[11] = remquo(x, (T)0.75, &quotient), o[12] = (T)(quotient & 7);
  o[13] = fdim(x, (T)1);
}

template <class T> __global__ void kernel(const T *in, T *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) compute(in[i], out + i * values);
}

template <class T> void test(const char *name, T subnormal) {
  std::vector<T> in = {1, -1, 2, (T)0.75, (T)0.1, (T)-0.3, (T)1e10, (T)1e-10, (T)123.456, subnormal, -subnormal, subnormal * 1000, (T)1e-30};
  Random random;
  while (in.size() < 96) in.push_back((T)(random.between(-1, 1) * std::ldexp(1.0, (int)(random.next() % 20))));
  const int n = in.size();
  Device<T> d(in), out(n * values);
  kernel<<<1, n>>>(d.data, out.data, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    T e[values];
    compute(in[i], e);
    for (int k = 0; k < values; ++k)
      if (got[i * values + k] != e[k]) FAIL("%s value %d of %a: %a, expected %a", name, k, (double)in[i], (double)got[i * values + k], (double)e[k]);
  }
}

int main() {
  test<float>("float", 1e-42f);
  test<double>("double", 1e-310);
  return finish();
}
