// DPX: sums, minima and maxima of up to three integers, whole and in halves, with and without a bound of zero, and which of two it was.
#include "../check.h"

template <class T> __host__ __device__ T least(T a, T b) { return b < a ? b : a; }
template <class T> __host__ __device__ T most(T a, T b) { return a < b ? b : a; }

constexpr int kinds = 36;

// All of them, once by the functions.
__host__ __device__ void byFunctions(unsigned a, unsigned b, unsigned c, unsigned *o) {
  const int x = (int)a, y = (int)b, z = (int)c;
  bool high, low;
  o[0] = __vimax3_s32(x, y, z), o[1] = __vimin3_s32(x, y, z), o[2] = __vimax3_u32(a, b, c), o[3] = __vimin3_u32(a, b, c);
  o[4] = __viaddmax_s32(x, y, z), o[5] = __viaddmin_s32(x, y, z), o[6] = __viaddmax_u32(a, b, c), o[7] = __viaddmin_u32(a, b, c);
  o[8] = __vimax_s32_relu(x, y), o[9] = __vimin_s32_relu(x, y), o[10] = __vimax3_s32_relu(x, y, z);
  o[11] = __vimin3_s32_relu(x, y, z), o[12] = __viaddmax_s32_relu(x, y, z), o[13] = __viaddmin_s32_relu(x, y, z);
  o[14] = __vimax3_s16x2(a, b, c), o[15] = __vimin3_s16x2(a, b, c), o[16] = __vimax3_u16x2(a, b, c), o[17] = __vimin3_u16x2(a, b, c);
  o[18] = __viaddmax_s16x2(a, b, c), o[19] = __viaddmin_s16x2(a, b, c), o[20] = __viaddmax_u16x2(a, b, c);
  o[21] = __viaddmin_u16x2(a, b, c), o[22] = __vimax_s16x2_relu(a, b), o[23] = __vimin_s16x2_relu(a, b);
  o[24] = __vimax3_s16x2_relu(a, b, c), o[25] = __vimin3_s16x2_relu(a, b, c), o[26] = __viaddmax_s16x2_relu(a, b, c);
  o[27] = __viaddmin_s16x2_relu(a, b, c);
  o[28] = __vibmax_s32(x, y, &low), o[28] += 7 * low;
  o[29] = __vibmin_s32(x, y, &low), o[29] += 7 * low;
  o[30] = __vibmax_u32(a, b, &low), o[30] += 7 * low;
  o[31] = __vibmin_u32(a, b, &low), o[31] += 7 * low;
  o[32] = __vibmax_s16x2(a, b, &high, &low), o[32] += 7 * low + 70 * high;
  o[33] = __vibmin_s16x2(a, b, &high, &low), o[33] += 7 * low + 70 * high;
  o[34] = __vibmax_u16x2(a, b, &high, &low), o[34] += 7 * low + 70 * high;
  o[35] = __vibmin_u16x2(a, b, &high, &low), o[35] += 7 * low + 70 * high;
}

// One half of those of halves, by wider integers: T is short or unsigned short.
template <class T> void half(unsigned a, unsigned b, unsigned c, int shift, unsigned *o) {
  const long long x = (T)(a >> shift), y = (T)(b >> shift), z = (T)(c >> shift), sum = (T)(x + y), none = 0;
  const bool isSigned = (T)-1 < 0;
  const auto put = [&](int kind, long long value) { o[kind] |= (unsigned)(value & 0xffff) << shift; };
  put(isSigned ? 14 : 16, most(most(x, y), z)), put(isSigned ? 15 : 17, least(least(x, y), z));
  put(isSigned ? 18 : 20, most(sum, z)), put(isSigned ? 19 : 21, least(sum, z));
  put(isSigned ? 32 : 34, most(x, y)), put(isSigned ? 33 : 35, least(x, y));
  if (!isSigned) return;
  put(22, most(most(x, y), none)), put(23, most(least(x, y), none));
  put(24, most(most(most(x, y), z), none)), put(25, most(least(least(x, y), z), none));
  put(26, most(most(sum, z), none)), put(27, most(least(sum, z), none));
}
void expected(unsigned a, unsigned b, unsigned c, unsigned *o) {
  const long long x = (int)a, y = (int)b, z = (int)c, sum = (int)(a + b), none = 0;
  for (int i = 0; i < kinds; ++i) o[i] = 0;
  o[0] = most(most(x, y), z), o[1] = least(least(x, y), z), o[2] = most(most(a, b), c), o[3] = least(least(a, b), c);
  o[4] = most(sum, z), o[5] = least(sum, z), o[6] = most(a + b, c), o[7] = least(a + b, c);
  o[8] = most(most(x, y), none), o[9] = most(least(x, y), none), o[10] = most(most(most(x, y), z), none);
  o[11] = most(least(least(x, y), z), none), o[12] = most(most(sum, z), none), o[13] = most(least(sum, z), none);
  o[28] = most(x, y) + 7 * (x >= y), o[29] = least(x, y) + 7 * (x <= y);
  o[30] = most(a, b) + 7 * (a >= b), o[31] = least(a, b) + 7 * (a <= b);
  for (int shift = 0; shift < 32; shift += 16) half<short>(a, b, c, shift, o), half<unsigned short>(a, b, c, shift, o);
  const short h = a >> 16, l = a, i = b >> 16, m = b;
  const unsigned short uh = h, ul = l, ui = i, um = m;
  o[32] += 70 * (h >= i) + 7 * (l >= m), o[33] += 70 * (h <= i) + 7 * (l <= m);
  o[34] += 70 * (uh >= ui) + 7 * (ul >= um), o[35] += 70 * (uh <= ui) + 7 * (ul <= um);
}

__global__ void kernel(const unsigned *in, unsigned *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) byFunctions(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + i * kinds);
}

int main() {
  const unsigned edges[] = {0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x7fff8000, 0x80007fff, 0xffff0001};
  std::vector<unsigned> in;
  for (unsigned a : edges)
    for (unsigned b : edges)
      for (unsigned c : edges) in.insert(in.end(), {a, b, c});
  Random random;
  for (int i = 0; i < 900; ++i) in.push_back((unsigned)random.next());
  const int n = in.size() / 3;
  Device<unsigned> d(in), out(n * kinds);
  kernel<<<(n + 63) / 64, 64>>>(d, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    unsigned want[kinds], own[kinds];
    expected(in[3 * i], in[3 * i + 1], in[3 * i + 2], want);
    byFunctions(in[3 * i], in[3 * i + 1], in[3 * i + 2], own);
    for (int k = 0; k < kinds; ++k) {
      same("device", i * kinds + k, got[i * kinds + k], want[k]);
      same("host", i * kinds + k, own[k], want[k]);
    }
  }
  return finish();
}
