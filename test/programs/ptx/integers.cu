// Inline PTX on integers: lop3, prmt, mad.wide, bfe, bfi, bfind, shf, carries, mul.hi, min/max and selp with setp.
#include "../check.h"

constexpr int operations = 16;

__global__ void kernel(const unsigned *a, const unsigned *b, const unsigned *c, unsigned long long *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned x = a[i], y = b[i], z = c[i];
  unsigned r[operations] = {};
  unsigned long long wide;
  long long swide;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r[0]) : "r"(x), "r"(y), "r"(z));
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r[1]) : "r"(x), "r"(y), "r"(z));
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(r[2]) : "r"(x), "r"(y));
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(wide) : "r"(x), "r"(y), "l"((unsigned long long)z));
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(swide) : "r"((int)x), "r"((int)y));
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r[3]) : "r"(x), "r"(y & 31), "r"(z & 15));
  asm("bfe.s32 %0, %1, 4, 7;" : "=r"(r[4]) : "r"(x));
  asm("bfi.b32 %0, %1, %2, 8, 12;" : "=r"(r[5]) : "r"(x), "r"(y));
  asm("bfind.u32 %0, %1;" : "=r"(r[6]) : "r"(x));
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r[7]) : "r"(x), "r"(y), "r"(z));
  asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.u32 %0, %1, %3, p; }" : "=r"(r[8]) : "r"(x), "r"(y), "r"(z));
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, %5;" : "=r"(r[9]), "=r"(r[10]) : "r"(x), "r"(y), "r"(z), "r"(x));
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(r[11]) : "r"(x), "r"(y));
  asm("min.s32 %0, %1, %2;" : "=r"(r[12]) : "r"(x), "r"(y));
  asm("prmt.b32 %0, %1, %2, 0xd498;" : "=r"(r[13]) : "r"(x), "r"(y)); // signs of bytes
  unsigned long long *o = out + i * operations;
  for (int k = 0; k < 14; ++k) o[k] = r[k];
  o[14] = wide, o[15] = (unsigned long long)swide;
}

int main() {
  Random random;
  std::vector<unsigned> a, b, c;
  for (int i = 0; i < 256; ++i) a.push_back((unsigned)random.next()), b.push_back((unsigned)random.next()), c.push_back((unsigned)random.next());
  const int n = a.size();
  Device<unsigned> da(a), db(b), dc(c);
  Device<unsigned long long> out(n * operations);
  kernel<<<2, 128>>>(da, db, dc, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const unsigned x = a[i], y = b[i], z = c[i];
    const unsigned position = y & 31, length = z & 15;
    int top = 31;
    while (top >= 0 && !(x >> top & 1)) --top;
    const unsigned signs = (x & 0x80 ? 0xff : 0) | (x & 0x8000 ? 0xff00 : 0) | (y & 0xff) << 16 | (y & 0x8000 ? 0xff000000u : 0);
    const unsigned long long e[operations] = {
        x ^ y ^ z, (x & y) | (x & z) | (y & z), (x & 0xffff) | y << 16, (unsigned)((unsigned long long)x >> position & ((1u << length) - 1)),
        (unsigned)((int)(x << 21) >> 25), (y & 0xfff000ffu) | (x & 0xfff) << 8, (unsigned)top,
        (unsigned)((((unsigned long long)y << 32 | x) << (z & 31)) >> 32), (int)x < (int)y ? x : z,
        (unsigned)(x + y), (unsigned)(z + x + (x + y < x)), (unsigned long long)x * y >> 32, (int)x < (int)y ? x : y, signs,
        (unsigned long long)x * y + z, (unsigned long long)((long long)(int)x * (int)y)};
    for (int k = 0; k < operations; ++k) same("ptx", i * operations + k, got[i * operations + k], e[k]);
  }
  return finish();
}
