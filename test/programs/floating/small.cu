// Floating point of 6 and 4 bits: every half and bfloat16, many floats and doubles, in all ways. The digests are those that CUDA 13.0's own
// cuda_fp6.h and cuda_fp4.h give on the host; the device has to give what the host does.
#include "../check.h"
#include <cuda_fp4.h>
#include <cuda_fp6.h>

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

// The three formats by number, through the functions in C.
constexpr int formats = 3;
__host__ __device__ unsigned fromDouble(int format, double x, cudaRoundMode r) {
  return format < 2 ? __nv_cvt_double_to_fp6(x, (__nv_fp6_interpretation_t)format, r) : __nv_cvt_double_to_fp4(x, __NV_E2M1, r);
}
__host__ __device__ unsigned fromFloat(int format, float x, cudaRoundMode r) {
  return format < 2 ? __nv_cvt_float_to_fp6(x, (__nv_fp6_interpretation_t)format, r) : __nv_cvt_float_to_fp4(x, __NV_E2M1, r);
}
__host__ __device__ unsigned fromHalf(int format, unsigned short x, cudaRoundMode r) {
  return format < 2 ? __nv_cvt_halfraw_to_fp6(rawHalf(x), (__nv_fp6_interpretation_t)format, r)
                    : __nv_cvt_halfraw_to_fp4(rawHalf(x), __NV_E2M1, r);
}
__host__ __device__ unsigned fromBfloat(int format, unsigned short x, cudaRoundMode r) {
  return format < 2 ? __nv_cvt_bfloat16raw_to_fp6(rawBfloat(x), (__nv_fp6_interpretation_t)format, r)
                    : __nv_cvt_bfloat16raw_to_fp4(rawBfloat(x), __NV_E2M1, r);
}
__host__ __device__ unsigned toHalf(int format, unsigned x) {
  return format < 2 ? __nv_cvt_fp6_to_halfraw(x & 63, (__nv_fp6_interpretation_t)format).x : __nv_cvt_fp4_to_halfraw(x & 15, __NV_E2M1).x;
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

template <class One, class Two, class Four> static void vectors(Digest &digest, int i) {
  digest.add(One(i).__x), digest.add(One((long long)i * i).__x), digest.add(One((unsigned short)i).__x), digest.add(One((short)i).__x);
  digest.add(One((unsigned long long)i).__x), digest.add(One(i * 0.001f).__x), digest.add(One(__half(i * 0.001f)).__x);
  digest.add(One(__nv_bfloat16(i * 0.001f)).__x), digest.add(One(i * 1e-4).__x);
  const float4 f = make_float4(i, i * 0.01f, 1.0f / i, i * 0.0001f);
  const Four four(f);
  const float4 back = (float4)four;
  const Two two(make_float2(i * 0.001f, -i * 0.0002f));
  const float2 pair = (float2)two;
  const __half2 halves = (__half2)two;
  digest.add(four.__x), digest.add(as<unsigned>(back.x)), digest.add(as<unsigned>(back.y)), digest.add(as<unsigned>(back.w));
  digest.add(two.__x), digest.add(as<unsigned>(pair.x)), digest.add(as<unsigned>(pair.y)), digest.add(as<unsigned>(halves));
  digest.add(Two(make_double2(i * 1e-4, i * 1e-3)).__x), digest.add(Two(halves).__x);
  digest.add(Four(halves, __floats2half2_rn(i * 0.01f, 0.3f)).__x);
}

static void onHost(std::vector<uint64_t> &digests) {
  for (int format = 0; format < formats; ++format)
    for (int rounding = 0; rounding < 2; ++rounding) {
      const auto r = (cudaRoundMode)rounding;
      Digest halves, bfloats, floats, doubles;
      for (int i = 0; i < 65536; ++i) {
        halves.add(fromHalf(format, i, r)), bfloats.add(fromBfloat(format, i, r));
        // Ties and what is beside them.
        const float f = __half2float(__half(rawHalf(i)));
        if (f != f) continue;
        for (int d = -1; d <= 1; ++d) {
          floats.add(fromFloat(format, as<float>(as<unsigned>(f) + d), r));
          doubles.add(fromDouble(format, as<double>(as<uint64_t>((double)f) + d), r));
        }
      }
      Random numbers(7);
      for (int i = 0; i < 100000; ++i) {
        const uint64_t bits = numbers.next();
        floats.add(fromFloat(format, as<float>((unsigned)bits), r)), doubles.add(fromDouble(format, as<double>(bits), r));
      }
      for (const Digest &each : {halves, bfloats, floats, doubles}) digests.push_back(each.state);
    }
  Digest whole, all;
  for (int i = 0; i < 64; ++i) whole.add(numbers<__nv_fp6_e2m3>(i)), whole.add(numbers<__nv_fp6_e3m2>(i));
  for (int i = 0; i < 16; ++i) whole.add(numbers<__nv_fp4_e2m1>(i));
  for (int format = 0; format < formats; ++format)
    for (int i = 0; i < 64; ++i) whole.add(toHalf(format, i));
  for (int i = -70000; i < 70000; i += 7) {
    vectors<__nv_fp6_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_e2m3>(all, i);
    vectors<__nv_fp6_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_e3m2>(all, i);
    vectors<__nv_fp4_e2m1, __nv_fp4x2_e2m1, __nv_fp4x4_e2m1>(all, i);
  }
  digests.push_back(whole.state), digests.push_back(all.state);
}

// Of each half: from half, bfloat16, float and double, in all formats and roundings, and back.
constexpr int ways = 5 * formats * 2;
__host__ __device__ unsigned short way(int i, int which) {
  const auto r = (cudaRoundMode)(which & 1);
  const int format = which >> 1;
  const float f = as<float>(((unsigned)(i & 0x8000) << 16 | (unsigned)(i & 0x7fff) << 13) + (112u << 23) + (unsigned)(i % 3 - 1));
  switch (format / formats) {
  case 0: return fromHalf(format % formats, i, r);
  case 1: return fromBfloat(format % formats, i, r);
  case 2: return fromFloat(format % formats, f, r);
  case 3: return fromDouble(format % formats, (double)f * (1 + 1e-14 * (i % 5 - 2)), r);
  default: return toHalf(format % formats, i);
  }
}
__global__ void onDevice(unsigned short *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int which = 0; which < ways; ++which) out[which * 65536 + i] = way(i, which);
}

int main(int count, char **) {
  const uint64_t expected[] = {
      0x6aa01d68c2216423ull, 0xfe4421beb2431813ull, 0xa3f2592f31b66a6full, 0x9f5fdefa8c9f8766ull, 0x153f44b081bdf7a3ull, 0x8d4bf5d22bf761a3ull,
      0x719dd620cb7ec84cull, 0x65dd158120695ee2ull, 0x23ba93ca6a5b30a3ull, 0xb9a8709e5e105203ull, 0x0f8605bf98e1b4e2ull, 0x408f577c74d80514ull,
      0xb76c574b10cec3a3ull, 0xe2b2ed64b48cb5a3ull, 0x3930f3fe4b25febfull, 0xcfb8f27578ad0139ull, 0x3f2e246c1cc4a98bull, 0x4f9b3ce9c13fd84bull,
      0x75900171f963cd60ull, 0xaac74e9a2c9d17f2ull, 0x8586f1c6b789e78bull, 0x2d6c9ce069a5d00bull, 0xfecd6a0341e7ae0bull, 0x9ede35e47e5e90acull,
      0xb717a52a20b6dff4ull, 0xe17f808fd25ce3f7ull
  };
  std::vector<uint64_t> digests;
  onHost(digests);
  if (count > 1) {
    for (uint64_t digest : digests) printf("0x%016llxull,\n", (unsigned long long)digest);
    return 0;
  }
  for (size_t i = 0; i < digests.size(); ++i) same("digest", i, digests[i], expected[i]);
  Device<unsigned short> out(ways * 65536);
  onDevice<<<256, 256>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int which = 0; which < ways; ++which)
    for (int i = 0; i < 65536; ++i) same("device", which * 65536 + i, got[which * 65536 + i], way(i, which));
  return finish();
}
