// The approximate intrinsics: __expf, __logf, __sinf, __fdividef, __powf, __tanf, __saturatef, within documented errors.
#include "../check.h"

constexpr int functions = 11;

__global__ void kernel(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float *o = out + i * functions;
  o[0] = __expf(x), o[1] = __exp10f(x), o[2] = __logf(x), o[3] = __log2f(x), o[4] = __log10f(x);
  o[5] = __sinf(x), o[6] = __cosf(x), o[7] = __fdividef(1, x), o[8] = __powf(x, 1.5f), o[9] = __saturatef(x - 1);
  float s, c;
  __sincosf(x, &s, &c);
  o[10] = s * s + c * c;
}

int main() {
  std::vector<float> in;
  for (int i = 1; i <= 128; ++i) in.push_back(i * 3.0f / 128);
  const int n = in.size();
  Device<float> d(in), out(n * functions);
  kernel<<<2, 64>>>(d, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const double x = in[i], y = x - 1;
    const double e[functions] = {std::exp(x), std::pow(10.0, x), std::log(x), std::log2(x), std::log10(x), std::sin(x), std::cos(x), 1 / x, std::pow(x, 1.5), y < 0 ? 0 : y > 1 ? 1 : y, 1};
    const double t[functions] = {e[0] * 1e-6, e[1] * 2e-6, 1e-6, 1e-6, 1e-6, 6e-7, 6e-7, e[7] * 3e-7, e[8] * 2e-6 + 1e-7, 0, 3e-6};
    for (int k = 0; k < functions; ++k) close("fast", i * functions + k, got[i * functions + k], e[k], t[k]);
  }
  return finish();
}
