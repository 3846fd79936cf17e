// bfloat16: conversion of every value, rounding to nearest even, arithmetic and pairs.
#include "../check.h"
#include <cuda_bf16.h>

__host__ __device__ float value(unsigned bits) {
  union { unsigned u; float f; } both;
  both.u = bits << 16;
  return both.f;
}

__global__ void everyValue(int *errors) {
  const unsigned bits = blockIdx.x * blockDim.x + threadIdx.x;
  const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)bits);
  const float f = __bfloat162float(b);
  if ((bits & 0x7f80) == 0x7f80) {
    if (bits & 127 ? !isnan(f) : !isinf(f)) atomicAdd(errors, 1);
    return;
  }
  if (__float_as_uint(f) != bits << 16) atomicAdd(errors + 1, 1);
  if (__bfloat16_as_ushort(__float2bfloat16(f)) != bits) atomicAdd(errors + 2, 1);
  // Halfway, a little below and a little above.
  const unsigned half = (bits << 16) + 0x8000;
  if (__bfloat16_as_ushort(__float2bfloat16_rn(__uint_as_float(half))) != bits + (bits & 1)) atomicAdd(errors + 3, 1);
  if (__bfloat16_as_ushort(__float2bfloat16_rn(__uint_as_float(half - 1))) != bits) atomicAdd(errors + 4, 1);
  if (__bfloat16_as_ushort(__float2bfloat16_rn(__uint_as_float(half + 1))) != bits + 1) atomicAdd(errors + 5, 1);
  if (__bfloat16_as_ushort(__float2bfloat16_rz(__uint_as_float(half + 1))) != bits) atomicAdd(errors + 6, 1);
}

__global__ void arithmetic(const float *a, const float *b, unsigned short *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __nv_bfloat16 x = __float2bfloat16(a[i]), y = __float2bfloat16(b[i]);
  unsigned short *o = out + i * 8;
  o[0] = __bfloat16_as_ushort(__hadd(x, y));
  o[1] = __bfloat16_as_ushort(__hsub(x, y));
  o[2] = __bfloat16_as_ushort(__hmul(x, y));
  o[3] = __bfloat16_as_ushort(__hfma(x, y, x));
  o[4] = __bfloat16_as_ushort(x * y);
  o[5] = (x < y) | (x == y) << 1 | __hge(x, y) << 2;
  const __nv_bfloat162 p = __floats2bfloat162_rn(a[i], b[i]);
  const float2 sum = __bfloat1622float2(__hadd2(p, __bfloat162bfloat162(x)));
  o[6] = (unsigned short)(__float_as_uint(sum.x) >> 16);
  o[7] = (unsigned short)(__float_as_uint(sum.y) >> 16);
}

unsigned short nearest(double exact) {
  // Odd rounding to float first, so that the second rounding cannot go wrong.
  float f = (float)exact;
  unsigned u;
  memcpy(&u, &f, 4);
  if ((double)f != exact) {
    if (std::fabs((double)f) > std::fabs(exact)) --u;
    u |= 1;
  }
  return (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

int main() {
  Device<int> errors(8);
  everyValue<<<256, 256>>>(errors);
  CHECK_KERNEL();
  const auto e = errors.host();
  for (int k = 0; k < 8; ++k) same("conversion errors", k, e[k], 0);
  Random random;
  std::vector<float> a, b;
  for (int i = 0; i < 512; ++i) {
    a.push_back(value(nearest(random.between(-100, 100))));
    b.push_back(value(nearest(random.between(-2, 2))));
  }
  const int n = a.size();
  Device<float> da(a), db(b);
  Device<unsigned short> out(n * 8);
  arithmetic<<<n / 128, 128>>>(da, db, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const double x = a[i], y = b[i];
    const unsigned short expected[8] = {nearest(x + y), nearest(x - y), nearest(x * y), nearest(x * y + x), nearest(x * y),
                                        (unsigned short)((x < y) | (x == y) << 1 | (x >= y) << 2), nearest(x + x), nearest(y + x)};
    for (int k = 0; k < 8; ++k) same("bfloat16", i * 8 + k, (int)got[i * 8 + k], (int)expected[k]);
  }
  return finish();
}
