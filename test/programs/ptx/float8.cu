// Conversions to pairs of 8-bit floats and back as inline PTX has them from compute capability 8.9 on, beside those that the host makes.
#include "../check.h"
#include <cuda_fp16.h>
#include <cuda_fp8.h>

struct Row {
  unsigned short e4m3, e5m2, e4m3Relu, e5m2Relu, ofHalves4, ofHalves5;
};
__global__ void toPairs(const float *x, int n, Row *rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#if __CUDA_ARCH__ >= 890
  Row r;
  const float low = x[i], high = x[n - 1 - i];
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r.e4m3) : "f"(high), "f"(low));
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r.e5m2) : "f"(high), "f"(low));
  asm("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;" : "=h"(r.e4m3Relu) : "f"(high), "f"(low));
  asm("cvt.rn.satfinite.relu.e5m2x2.f32 %0, %1, %2;" : "=h"(r.e5m2Relu) : "f"(high), "f"(low));
  const __half2 halves = __floats2half2_rn(low, high);
  const unsigned bits = *(const unsigned *)&halves;
  asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(r.ofHalves4) : "r"(bits));
  asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(r.ofHalves5) : "r"(bits));
  rows[i] = r;
#endif
}
__global__ void fromPairs(unsigned *halves) {
#if __CUDA_ARCH__ >= 890
  const unsigned i = threadIdx.x;
  const unsigned short pair = i | (255 - i) << 8;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves[i]) : "h"(pair));
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(halves[256 + i]) : "h"(pair));
  asm("cvt.rn.relu.f16x2.e4m3x2 %0, %1;" : "=r"(halves[512 + i]) : "h"(pair));
  asm("cvt.rn.relu.f16x2.e5m2x2 %0, %1;" : "=r"(halves[768 + i]) : "h"(pair));
#endif
}

static unsigned byte(float x, __nv_fp8_interpretation_t kind, bool relu = false) {
  return __nv_cvt_float_to_fp8(relu && !(x > 0) && x == x ? 0.0f : x, __NV_SATFINITE, kind);
}
static unsigned pairOf(float low, float high, __nv_fp8_interpretation_t kind, bool relu = false) {
  return byte(low, kind, relu) | byte(high, kind, relu) << 8;
}
static unsigned halfOf(unsigned bits, __nv_fp8_interpretation_t kind, bool relu) {
  const unsigned of = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)bits, kind).x;
  return relu && of >> 15 ? 0 : of;
}

int main() {
  int major, minor;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  if (10 * major + minor < 89) return finish();
  std::vector<float> x = {0, -0.0f, 1, -1, 448, 449, 464, 465, 480, 1e30f, -1e30f, INFINITY, -INFINITY, NAN, 57344, 61439, 61440, 65504, 1e-3f};
  for (int i = 0; i < 1024; i++) x.push_back(ldexpf(1 + (i * 37 & 255) / 256.0f, i % 44 - 24) * (i & 1 ? -1 : 1));
  const int n = (int)x.size();
  float *in;
  Row *rows;
  unsigned *halves;
  CHECK(cudaMalloc(&in, n * sizeof *in));
  CHECK(cudaMalloc(&rows, n * sizeof *rows));
  CHECK(cudaMalloc(&halves, 1024 * sizeof *halves));
  CHECK(cudaMemcpy(in, x.data(), n * sizeof *in, cudaMemcpyHostToDevice));
  toPairs<<<(n + 255) / 256, 256>>>(in, n, rows);
  CHECK_KERNEL();
  fromPairs<<<1, 256>>>(halves);
  CHECK_KERNEL();
  std::vector<Row> got(n);
  CHECK(cudaMemcpy(got.data(), rows, n * sizeof *rows, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    const float low = x[i], high = x[n - 1 - i];
    same("e4m3", i, (unsigned)got[i].e4m3, pairOf(low, high, __NV_E4M3));
    same("e5m2", i, (unsigned)got[i].e5m2, pairOf(low, high, __NV_E5M2));
    same("e4m3, relu", i, (unsigned)got[i].e4m3Relu, pairOf(low, high, __NV_E4M3, true));
    same("e5m2, relu", i, (unsigned)got[i].e5m2Relu, pairOf(low, high, __NV_E5M2, true));
    const float lowHalf = __half2float(__float2half(low)), highHalf = __half2float(__float2half(high));
    same("e4m3 of halves", i, (unsigned)got[i].ofHalves4, pairOf(lowHalf, highHalf, __NV_E4M3));
    same("e5m2 of halves", i, (unsigned)got[i].ofHalves5, pairOf(lowHalf, highHalf, __NV_E5M2));
  }
  std::vector<unsigned> back(1024);
  CHECK(cudaMemcpy(back.data(), halves, 1024 * sizeof *halves, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 4; k++)
    for (unsigned i = 0; i < 256; i++) {
      const __nv_fp8_interpretation_t kind = k & 1 ? __NV_E5M2 : __NV_E4M3;
      same("halves", k * 256 + i, back[k * 256 + i], halfOf(i, kind, k > 1) | halfOf(255 - i, kind, k > 1) << 16);
    }
  return finish();
}
