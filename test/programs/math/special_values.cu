// Mathematical functions at the ends of their ranges: zeros, infinities, NaN, domain errors.
#include "../check.h"

constexpr int count = 30;

__global__ void kernel(float zero, float inf, float nan, float *out) {
  float *o = out;
  *o++ = expf(-inf), *o++ = expf(inf), *o++ = expf(100 + zero), *o++ = expf(-200 + zero);
  *o++ = logf(zero), *o++ = logf(-1 + zero), *o++ = logf(inf), *o++ = logf(1 + zero);
  *o++ = powf(nan, zero), *o++ = powf(1 + zero, nan), *o++ = powf(-2 + zero, 3), *o++ = powf(-2 + zero, 0.5f), *o++ = powf(zero, -1);
  *o++ = sqrtf(-1 + zero), *o++ = rsqrtf(zero), *o++ = sinf(inf), *o++ = atan2f(zero, -1), *o++ = atan2f(-zero, -1);
  *o++ = fmodf(5, zero), *o++ = fmodf(5 + zero, inf), *o++ = tanhf(inf), *o++ = erff(-inf), *o++ = fminf(nan, 1), *o++ = fmaxf(2, nan);
  *o++ = hypotf(inf, nan), *o++ = acosf(2 + zero), *o++ = cbrtf(-8 + zero), *o++ = 1 / zero, *o++ = atanf(inf), *o++ = lgammaf(-1 + zero);
}

int main() {
  Device<float> out(count);
  kernel<<<1, 1>>>(0, INFINITY, NAN, out);
  CHECK_KERNEL();
  const auto got = out.host();
  const float inf = INFINITY, nan = NAN, pi = 3.14159265f;
  const float e[count] = {0, inf, inf, 0, -inf, nan, inf, 0, 1, 1, -8, nan, inf, nan, inf, nan, pi, -pi, nan, 5, 1, -1, 1, 2, inf, nan, -2, inf, pi / 2, inf};
  for (int k = 0; k < count; ++k)
    if (std::isnan(e[k]) ? !std::isnan(got[k]) : !(std::fabs(got[k] - e[k]) <= 1e-6f || got[k] == e[k])) FAIL("case %d: %g, expected %g", k, got[k], e[k]);
  return finish();
}
