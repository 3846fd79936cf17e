// The bits of floats and doubles, and floats built from bits.
#include "../check.h"

__global__ void kernel(const double *in, long long *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double d = in[i];
  const float f = (float)d;
  long long *o = out + i * 8;
  o[0] = __float_as_int(f), o[1] = __float_as_uint(f), o[2] = __double_as_longlong(d);
  o[3] = __double2hiint(d), o[4] = __double2loint(d);
  o[5] = __hiloint2double(__double2hiint(d), __double2loint(d)) == d;
  o[6] = __int_as_float(__float_as_int(f)) == f && __uint_as_float(__float_as_uint(f)) == f;
  o[7] = __longlong_as_double(__double_as_longlong(d)) == d;
}

int main() {
  const std::vector<double> in = {0, -0.0, 1, -2, 3.5, 1e-40, 1e300, -1e-300, INFINITY, 0.1, 123456.789};
  const int n = in.size();
  Device<double> d(in);
  Device<long long> out(n * 8);
  kernel<<<1, 32>>>(d, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const float f = (float)in[i];
    int bits;
    long long wide;
    memcpy(&bits, &f, 4), memcpy(&wide, &in[i], 8);
    const long long e[8] = {bits, (unsigned)bits, wide, (int)(wide >> 32), (int)wide, 1, 1, 1};
    for (int k = 0; k < 8; ++k) same("bits", i * 8 + k, got[i * 8 + k], e[k]);
  }
  return finish();
}
