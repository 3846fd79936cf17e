// Functions of half and half2: hsqrt, hexp, hlog, hsin, hrcp, hfloor and others; minimum, maximum, absolute value.
#include "../check.h"
#include <cuda_fp16.h>

constexpr int functions = 14;

__global__ void kernel(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half x = __float2half(in[i]);
  float *o = out + i * functions;
  o[0] = __half2float(hsqrt(x)), o[1] = __half2float(hrsqrt(x)), o[2] = __half2float(hexp(x)), o[3] = __half2float(hlog(x));
  o[4] = __half2float(hexp2(x)), o[5] = __half2float(hlog2(x)), o[6] = __half2float(hsin(x)), o[7] = __half2float(hcos(x));
  o[8] = __half2float(hrcp(x)), o[9] = __half2float(hfloor(x)), o[10] = __half2float(hceil(x)), o[11] = __half2float(hrint(x));
  const __half2 two = h2sqrt(__floats2half2_rn(in[i], 4.0f));
  o[12] = __low2float(two), o[13] = __high2float(two);
}

__global__ void pairs(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half2 a = __floats2half2_rn(in[i], -in[i]), b = __float2half2_rn(1.0f);
  const float2 low = __half22float2(__hmin2(a, b)), high = __half22float2(__hmax2(a, b)), size = __half22float2(__habs2(a));
  const float2 swapped = __half22float2(__lowhigh2highlow(a));
  float *o = out + i * 8;
  o[0] = low.x, o[1] = low.y, o[2] = high.x, o[3] = high.y, o[4] = size.x, o[5] = size.y, o[6] = swapped.x, o[7] = swapped.y;
}

int main() {
  std::vector<float> in;
  for (int i = 0; i < 160; ++i) in.push_back(0.0625f * (i + 1)); // exact in half
  const int n = in.size();
  Device<float> d(in), out(n * functions), p(n * 8);
  kernel<<<(n + 63) / 64, 64>>>(d, out, n);
  pairs<<<(n + 63) / 64, 64>>>(d, p, n);
  CHECK_KERNEL();
  const auto got = out.host(), two = p.host();
  for (int i = 0; i < n; ++i) {
    const double x = in[i];
    const double e[functions] = {std::sqrt(x), 1 / std::sqrt(x), std::exp(x), std::log(x), std::exp2(x), std::log2(x), std::sin(x), std::cos(x), 1 / x, std::floor(x), std::ceil(x), std::nearbyint(x), std::sqrt(x), 2};
    for (int k = 0; k < functions; ++k)
      close("half function", i * functions + k, got[i * functions + k], e[k], std::fabs(e[k]) * 0x1.8p-10 + 0x1p-12);
    const double f[8] = {std::fmin(x, 1.0), -x, std::fmax(x, 1.0), 1, x, x, -x, x};
    for (int k = 0; k < 8; ++k) close("half2", i * 8 + k, two[i * 8 + k], f[k], 0);
  }
  return finish();
}
