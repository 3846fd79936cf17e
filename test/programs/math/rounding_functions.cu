// Whole numbers near floats: floor, ceil, trunc, round, rint, lrint, llround and others, float and double.
#include "../check.h"

constexpr int functions = 10;

template <class T> __host__ __device__ void compute(T x, T *o) {
  o[0] = floor(x), o[1] = ceil(x), o[2] = trunc(x), o[3] = round(x), o[4] = rint(x), o[5] = nearbyint(x);
  const bool fits = fabs(x) < 2e9;
  o[6] = fits ? (T)lrint(x) : 0, o[7] = fits ? (T)lround(x) : 0, o[8] = fits ? (T)llrint(x) : 0, o[9] = fits ? (T)llround(x) : 0;
}

template <class T> __global__ void kernel(const T *in, T *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) compute(in[i], out + i * functions);
}

template <class T> void test(const char *name) {
  std::vector<T> in = {0, (T)-0.0, (T)0.5, (T)1.5, (T)2.5, (T)-0.5, (T)-1.5, (T)-2.5, (T)0.49999997, (T)-0.49999997, (T)8388609, (T)8388607.5, (T)-4194304.5, (T)1e10, (T)1e30, INFINITY, -INFINITY};
  Random random;
  while (in.size() < 128) in.push_back((T)random.between(-1000, 1000));
  const int n = in.size();
  Device<T> d(in), out(n * functions);
  kernel<<<1, n>>>(d.data, out.data, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    T e[functions];
    compute(in[i], e);
    for (int k = 0; k < functions; ++k)
      if (got[i * functions + k] != e[k] || (k < 6 && std::signbit(got[i * functions + k]) != std::signbit(e[k])))
        FAIL("%s function %d of %a: %a, expected %a", name, k, (double)in[i], (double)got[i * functions + k], (double)e[k]);
  }
}

int main() {
  test<float>("float");
  test<double>("double");
  return finish();
}
