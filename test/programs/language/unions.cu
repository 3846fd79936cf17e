// Unions: the same bytes read as other types, in registers, local and shared memory.
#include "../check.h"

union Word {
  unsigned u;
  float f;
  unsigned char b[4];
  struct { unsigned short low, high; } h;
};

__global__ void kernel(const float *in, unsigned *out, int which) {
  __shared__ Word shared[64];
  const int i = threadIdx.x;
  Word w;
  w.f = in[i];
  w.b[which] ^= 0x5a;
  shared[i] = w;
  __syncthreads();
  const Word n = shared[63 - i];
  out[i * 4] = w.u, out[i * 4 + 1] = n.h.high, out[i * 4 + 2] = n.b[i & 3], out[i * 4 + 3] = n.h.low + w.h.low;
}

int main() {
  std::vector<float> in;
  for (int i = 0; i < 64; ++i) in.push_back(1.5f * i - 40);
  Device<float> d(in);
  Device<unsigned> out(256);
  for (int which = 0; which < 4; ++which) {
    kernel<<<1, 64>>>(d, out, which);
    CHECK_KERNEL();
    const auto got = out.host();
    std::vector<unsigned> u(64);
    memcpy(u.data(), in.data(), 256);
    for (auto &x : u) x ^= 0x5au << 8 * which;
    for (int i = 0; i < 64; ++i) {
      const unsigned n = u[63 - i];
      const unsigned e[4] = {u[i], n >> 16, n >> 8 * (i & 3) & 255, (n & 65535) + (u[i] & 65535)};
      for (int k = 0; k < 4; ++k) same("union", i * 4 + k, got[i * 4 + k], e[k]);
    }
  }
  return finish();
}
