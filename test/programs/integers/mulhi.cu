// The upper halves of products, 24-bit products, and averages: __mulhi and its relatives.
#include "../check.h"

__global__ void kernel(const unsigned long long *a, const unsigned long long *b, unsigned long long *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long x = a[i], y = b[i];
  unsigned long long *o = out + i * 10;
  o[0] = (unsigned)__mulhi((int)x, (int)y);
  o[1] = __umulhi((unsigned)x, (unsigned)y);
  o[2] = (unsigned long long)__mul64hi((long long)x, (long long)y);
  o[3] = __umul64hi(x, y);
  o[4] = (unsigned)__mul24((int)x, (int)y);
  o[5] = __umul24((unsigned)x, (unsigned)y);
  o[6] = (unsigned)__hadd((int)x, (int)y);
  o[7] = (unsigned)__rhadd((int)x, (int)y);
  o[8] = __uhadd((unsigned)x, (unsigned)y);
  o[9] = __urhadd((unsigned)x, (unsigned)y);
}

unsigned long long upper(unsigned long long a, unsigned long long b) {
  const unsigned long long al = (unsigned)a, ah = a >> 32, bl = (unsigned)b, bh = b >> 32;
  const unsigned long long middle = ah * bl + (al * bl >> 32);
  const unsigned long long other = al * bh + (unsigned)middle;
  return ah * bh + (middle >> 32) + (other >> 32);
}

int sign24(unsigned x) { return (int)(x << 8) >> 8; }

int main() {
  std::vector<unsigned long long> edges = {0, 1, 2, ~0ull, ~1ull, 0x7fffffffull, 0x80000000ull, 0xffffffffull, 0x800000ull,
                                           0x7fffffffffffffffull, 0x8000000000000000ull, 0xffffffff00000000ull};
  Random random;
  while (edges.size() < 40) edges.push_back(random.next());
  std::vector<unsigned long long> a, b;
  for (auto x : edges)
    for (auto y : edges) a.push_back(x), b.push_back(y);
  const int n = a.size();
  Device<unsigned long long> da(a), db(b), out(n * 10);
  kernel<<<(n + 127) / 128, 128>>>(da, db, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const unsigned long long x = a[i], y = b[i];
    const long long sx = (int)x, sy = (int)y;
    const unsigned long long ux = (unsigned)x, uy = (unsigned)y;
    const unsigned long long high = upper(x, y);
    const unsigned long long expected[10] = {
        (unsigned)(sx * sy >> 32),
        ux * uy >> 32,
        high - ((long long)x < 0 ? y : 0) - ((long long)y < 0 ? x : 0),
        high,
        (unsigned)((long long)sign24(x) * sign24(y)),
        (unsigned)((ux & 0xffffff) * (uy & 0xffffff)),
        (unsigned)((sx + sy) >> 1),
        (unsigned)((sx + sy + 1) >> 1),
        (ux + uy) >> 1,
        (ux + uy + 1) >> 1,
    };
    for (int k = 0; k < 10; ++k) same("mulhi", i * 10 + k, got[i * 10 + k], expected[k]);
  }
  return finish();
}
