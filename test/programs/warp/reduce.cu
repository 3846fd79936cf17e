// __reduce_*_sync: add, min, max, and, or, xor over a full warp, a part of it, and both sides of a branch.
// Needs compute capability 8.0.
#include "../check.h"

template <class T> __global__ void kernel(const T *in, T *out) {
  const int i = threadIdx.x;
  T *o = out + i * 4;
  o[0] = __reduce_add_sync(0xffffffffu, in[i]), o[1] = __reduce_min_sync(0xffffffffu, in[i]), o[2] = __reduce_max_sync(0xffffffffu, in[i]);
  if (i % 32 < 10) o[3] = __reduce_add_sync(0x3ffu, in[i]);
  else o[3] = __reduce_max_sync(~0x3ffu, in[i]);
}
__global__ void bits(const unsigned *in, unsigned *out) {
  const int i = threadIdx.x;
  out[i * 3] = __reduce_and_sync(0xffffffffu, in[i] | 0xff00ff00u), out[i * 3 + 1] = __reduce_or_sync(0xffffffffu, in[i] & 0x0f0f0f0fu), out[i * 3 + 2] = __reduce_xor_sync(0xffffffffu, in[i]);
}

template <class T> void test(const char *name) {
  std::vector<T> in;
  Random random(sizeof(T));
  for (int i = 0; i < 64; ++i) in.push_back((T)random.next());
  Device<T> d(in), out(256);
  kernel<<<1, 64>>>(d.data, out.data);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    const bool low = i % 32 < 10;
    unsigned sum = 0, part = 0;
    T least = in[i], most = in[i], partMost = in[i];
    for (int l = 0; l < 32; ++l) {
      const T x = in[(i & 32) + l];
      sum += (unsigned)x, least = x < least ? x : least, most = x > most ? x : most;
      if ((l < 10) == low) part += (unsigned)x, partMost = x > partMost ? x : partMost;
    }
    const T e[4] = {(T)sum, least, most, low ? (T)part : partMost};
    for (int k = 0; k < 4; ++k) same(name, i * 4 + k, got[i * 4 + k], e[k]);
  }
}

int main() {
  test<int>("int");
  test<unsigned>("unsigned");
  std::vector<unsigned> in;
  Random random;
  for (int i = 0; i < 32; ++i) in.push_back((unsigned)random.next());
  Device<unsigned> d(in), out(96);
  bits<<<1, 32>>>(d, out);
  CHECK_KERNEL();
  const auto got = out.host();
  unsigned a = ~0u, o = 0, x = 0;
  for (unsigned v : in) a &= v | 0xff00ff00u, o |= v & 0x0f0f0f0fu, x ^= v;
  for (int i = 0; i < 32; ++i) same("and", i, got[i * 3], a), same("or", i, got[i * 3 + 1], o), same("xor", i, got[i * 3 + 2], x);
  return finish();
}
