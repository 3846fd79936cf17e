// Floating point of 8 bits: every half and bfloat16, many floats and doubles, in all ways. The digests are those that CUDA 13.0's own
// cuda_fp8.h gives on the host; the device has to give what the host does.
#include "../check.h"
#include <cuda_fp8.h>

struct Digest {
  uint64_t state = 1469598103934665603ull;
  void add(uint64_t value) { state = (state ^ value) * 1099511628211ull; }
};
template <class T, class B> __host__ __device__ T as(B bits) {
  static_assert(sizeof(T) == sizeof(B), "");
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
__host__ __device__ __half_raw rawHalf(unsigned short x) {
  __half_raw raw;
  raw.x = x;
  return raw;
}
__host__ __device__ __nv_bfloat16_raw rawBfloat(unsigned short x) {
  __nv_bfloat16_raw raw;
  raw.x = x;
  return raw;
}

template <class F> static uint64_t numbers(unsigned char bits) {
  F f;
  f.__x = bits;
  Digest digest;
  digest.add((unsigned char)f), digest.add((unsigned short)f), digest.add((unsigned)f), digest.add((unsigned long)f);
  digest.add((unsigned long long)f), digest.add((uint64_t)(signed char)f), digest.add((uint64_t)(char)f);
  digest.add((uint64_t)(short)f), digest.add((uint64_t)(int)f), digest.add((uint64_t)(long)f);
  digest.add((uint64_t)(long long)f), digest.add((bool)f), digest.add(as<unsigned>((float)f));
  digest.add(as<uint64_t>((double)f)), digest.add(as<unsigned short>((__nv_bfloat16)f)), digest.add(as<unsigned short>((__half)f));
  return digest.state;
}

static void onHost(std::vector<uint64_t> &digests) {
  for (int kind = 0; kind < 2; ++kind)
    for (int saturation = 0; saturation < 2; ++saturation) {
      const auto k = (__nv_fp8_interpretation_t)kind;
      const auto s = (__nv_saturation_t)saturation;
      Digest halves, bfloats, floats, random, doubles, back;
      for (int i = 0; i < 65536; ++i) {
        halves.add(__nv_cvt_halfraw_to_fp8(rawHalf(i), s, k)), bfloats.add(__nv_cvt_bfloat16raw_to_fp8(rawBfloat(i), s, k));
        const __half2_raw pair = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)i, k);
        back.add(pair.x), back.add(pair.y);
      }
      // Ties and what is beside them.
      for (int i = 0; i < 65536; ++i) {
        const float f = __half2float(__half(rawHalf(i)));
        if (f != f) continue;
        for (int d = -1; d <= 1; ++d) {
          floats.add(__nv_cvt_float_to_fp8(as<float>(as<unsigned>(f) + d), s, k));
          doubles.add(__nv_cvt_double_to_fp8(as<double>(as<uint64_t>((double)f) + d), s, k));
        }
      }
      Random numbers(7);
      for (int i = 0; i < 300000; ++i) {
        const uint64_t r = numbers.next();
        const float near = as<float>((unsigned)((unsigned)(r >> 32) & 0x80ffffffu | (unsigned)(100 + (r & 63)) << 23));
        random.add(__nv_cvt_float_to_fp8(as<float>((unsigned)r), s, k)), random.add(__nv_cvt_float_to_fp8(near, s, k));
        doubles.add(__nv_cvt_double_to_fp8(as<double>(r), s, k)), doubles.add(__nv_cvt_double_to_fp8((double)near * (1 + 1e-12), s, k));
      }
      for (const Digest &each : {halves, bfloats, floats, random, doubles, back}) digests.push_back(each.state);
    }
  Digest whole, vectors;
  for (int i = 0; i < 256; ++i) whole.add(numbers<__nv_fp8_e4m3>(i)), whole.add(numbers<__nv_fp8_e5m2>(i));
  digests.push_back(whole.state);
  for (int i = -70000; i < 70000; i += 3) {
    vectors.add(__nv_fp8_e4m3(i).__x), vectors.add(__nv_fp8_e5m2((long long)i * i).__x);
    vectors.add(__nv_fp8_e5m2((unsigned short)i).__x);
    const float4 f = make_float4(i, i * 0.01f, 1.0f / i, i * i);
    const __nv_fp8x4_e4m3 x(f);
    const __nv_fp8x4_e5m2 y(f);
    const float4 g = (float4)x;
    const float2 e = (float2)__nv_fp8x2_e5m2(make_float2(i, -i));
    vectors.add(x.__x), vectors.add(y.__x), vectors.add(as<unsigned>(g.x)), vectors.add(as<unsigned>(g.w)), vectors.add(as<unsigned>(e.y));
  }
  digests.push_back(vectors.state);
}

// Of each half: from half, bfloat16, float and double, in both formats, with saturation and without, and back.
constexpr int ways = 18;
__host__ __device__ unsigned short way(int i, int which) {
  const auto k = (__nv_fp8_interpretation_t)(which & 1);
  const auto s = (__nv_saturation_t)(which >> 1 & 1);
  const float f = as<float>(((unsigned)(i & 0x8000) << 16 | (unsigned)(i & 0x7fff) << 13) + (112u << 23) + (unsigned)(i % 3 - 1));
  switch (which >> 2) {
  case 0: return __nv_cvt_halfraw_to_fp8(rawHalf(i), s, k);
  case 1: return __nv_cvt_bfloat16raw_to_fp8(rawBfloat(i), s, k);
  case 2: return __nv_cvt_float_to_fp8(f, s, k);
  case 3: return __nv_cvt_double_to_fp8((double)f * (1 + 1e-14 * (i % 5 - 2)), s, k);
  default: return __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i, k).x;
  }
}
__global__ void onDevice(unsigned short *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int which = 0; which < ways; ++which) out[which * 65536 + i] = way(i, which);
}

// Powers of two: how they are rounded, what is too large, and back.
__host__ __device__ void powers(unsigned *out) {
  out[0] = __nv_cvt_float_to_e8m0(1.0f, __NV_SATFINITE, cudaRoundPosInf);
  out[1] = __nv_cvt_float_to_e8m0(1.25f, __NV_SATFINITE, cudaRoundPosInf);
  out[2] = __nv_cvt_float_to_e8m0(-1.25f, __NV_SATFINITE, cudaRoundZero);
  out[3] = __nv_cvt_float_to_e8m0(3.3e38f, __NV_NOSAT, cudaRoundPosInf);
  out[4] = __nv_cvt_float_to_e8m0(INFINITY, __NV_SATFINITE, cudaRoundZero);
  out[5] = __nv_cvt_float_to_e8m0(0.0f, __NV_SATFINITE, cudaRoundPosInf);
  out[6] = __nv_cvt_float_to_e8m0(NAN, __NV_SATFINITE, cudaRoundPosInf);
  out[7] = __nv_cvt_double_to_e8m0(1.0 + 1e-12, __NV_SATFINITE, cudaRoundPosInf);
  out[8] = __nv_fp8_e8m0((1ull << 60) + 1).__x;
  out[9] = __nv_cvt_e8m0_to_bf16raw(0).x;
  out[10] = (unsigned)(float)__nv_fp8_e8m0(1000.0f);
  out[11] = __nv_fp8x2_e8m0(make_float2(4, 9)).__x;
}
__global__ void powersThere(unsigned *out) { powers(out); }
static void checkPowers() {
  const unsigned expected[] = {127, 128, 127, 255, 254, 0, 255, 128, 188, 0x40, 1024, 129 | 131 << 8};
  Device<unsigned> there(12);
  powersThere<<<1, 1>>>(there);
  CHECK_KERNEL();
  std::vector<unsigned> got = there.host(), here(12);
  powers(here.data());
  for (int i = 0; i < 12; i++) {
    same("power on the device", i, got[i], expected[i]);
    same("power on the host", i, here[i], expected[i]);
  }
}

int main() {
  checkPowers();
  const uint64_t expected[] = {
      0xe1be7e2905688d83ull, 0x36cea2a5f0cdfa73ull, 0xcdac0e6a9fc8e75dull, 0x5533d74f766feaa7ull, 0x9bd69ac9111f000aull, 0x248077e7854e4f83ull,
      0xd919a0c5d8573d03ull, 0x779c6b6e0bc94283ull, 0x1aca5dd3f2725e5dull, 0xbe47dc04de480d9aull, 0xefaea07db39606ceull, 0x248077e7854e4f83ull,
      0xe0872b8ca78f6903ull, 0x2fecdcae1faf50c3ull, 0x4c16e5c070c2178bull, 0xfb8c13a037332f4aull, 0x8ec80384215e0c6bull, 0xaaaf3f7fd7c20b83ull,
      0x4804f8b47543ad03ull, 0x44600776dfc3e9e3ull, 0x96ff22db6984990dull, 0xd35b778affdbc260ull, 0xc49e98dbd1ba79a4ull, 0xaaaf3f7fd7c20b83ull,
      0x70c6704ca13e72f1ull, 0x3b6cdf05c0cce3daull
  };
  std::vector<uint64_t> digests;
  onHost(digests);
  for (size_t i = 0; i < digests.size(); ++i) same("digest", i, digests[i], expected[i]);
  Device<unsigned short> out(ways * 65536);
  onDevice<<<256, 256>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int which = 0; which < ways; ++which)
    for (int i = 0; i < 65536; ++i) same("device", which * 65536 + i, got[which * 65536 + i], way(i, which));
  return finish();
}
