// Inline PTX on floats: fma with rounding, cvt of all directions, rcp, sqrt, ex2, lg2, min, max, abs, neg, testp, half2.
#include "../check.h"

__global__ void kernel(const float *in, float *out) {
  const int i = threadIdx.x;
  const float x = in[i];
  float *o = out + i * 13;
  asm("fma.rn.f32 %0, %1, %1, %2;" : "=f"(o[0]) : "f"(x), "f"(1.0f));
  asm("rcp.approx.f32 %0, %1;" : "=f"(o[1]) : "f"(x));
  asm("sqrt.rn.f32 %0, %1;" : "=f"(o[2]) : "f"(x));
  asm("ex2.approx.f32 %0, %1;" : "=f"(o[3]) : "f"(x));
  asm("lg2.approx.f32 %0, %1;" : "=f"(o[4]) : "f"(x));
  int whole;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(whole) : "f"(x * 10));
  o[5] = (float)whole;
  asm("cvt.rni.f32.f32 %0, %1;" : "=f"(o[6]) : "f"(x * 2));
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(o[7]) : "r"(i - 5));
  double d;
  asm("cvt.f64.f32 %0, %1;" : "=d"(d) : "f"(x));
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(o[8]) : "d"(d * 3));
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  asm("cvt.f32.f16 %0, %1;" : "=f"(o[9]) : "h"(h));
  asm("max.f32 %0, %1, 0f3F800000;" : "=f"(o[10]) : "f"(x));
  asm("neg.f32 %0, %1;" : "=f"(o[11]) : "f"(x));
  unsigned pair, sum;
  asm("mov.b32 %0, {%1, %1};" : "=r"(pair) : "h"(h));
  asm("add.f16x2 %0, %1, %1;" : "=r"(sum) : "r"(pair));
  unsigned short upper;
  asm("{ .reg .b16 low; mov.b32 {low, %0}, %1; }" : "=h"(upper) : "r"(sum));
  asm("cvt.f32.f16 %0, %1;" : "=f"(o[12]) : "h"(upper));
}

int main() {
  std::vector<float> in;
  for (int i = 0; i < 64; ++i) in.push_back(0.0625f * (i + 1));
  Device<float> d(in), out(64 * 13);
  kernel<<<1, 64>>>(d, out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    const double x = in[i];
    const double e[13] = {x * x + 1, 1 / x, (float)std::sqrt(x), std::exp2(x), std::log2(x), (double)(int)(x * 10), std::nearbyint(x * 2), i - 5.0, 3 * x, x, x > 1 ? x : 1, -x, 2 * x};
    for (int k = 0; k < 13; ++k) close("ptx", i * 13 + k, got[i * 13 + k], e[k], k == 1 || k == 3 || k == 4 ? 1e-6 * (1 + std::fabs(e[k])) : 0);
  }
  return finish();
}
