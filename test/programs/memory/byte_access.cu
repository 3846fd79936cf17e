// Memory accesses of 1, 2, 4, 8 and 16 bytes at strides, permuted, and memcpy/memset on the device.
#include "../check.h"

template <class T> __global__ void permute(const T *in, T *out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[(i * stride) % n] = (T)(in[i] + (T)1);
}

__global__ void copies(const unsigned char *in, unsigned char *out) {
  const int i = threadIdx.x;
  unsigned char buffer[24];
  memset(buffer, 0xee, sizeof buffer);
  memcpy(buffer + 3, in + i * 5, 13);
  memcpy(out + i * 24, buffer, 24);
}

template <class T> void test(const char *name) {
  const int n = 1009;
  std::vector<T> in(n);
  for (int i = 0; i < n; ++i) in[i] = (T)(i * 2654435761u);
  Device<T> d(in), out(n);
  for (int stride : {1, 2, 33, 500}) {
    permute<<<(n + 255) / 256, 256>>>(d.data, out.data, n, stride);
    CHECK_KERNEL();
    const auto got = out.host();
    for (int i = 0; i < n; ++i) same(name, i, got[(i * stride) % n], (T)(in[i] + (T)1));
  }
}

int main() {
  test<unsigned char>("1 byte");
  test<short>("2 bytes");
  test<int>("4 bytes");
  test<long long>("8 bytes");
  std::vector<unsigned char> in(400);
  for (int i = 0; i < 400; ++i) in[i] = (unsigned char)(i * 3);
  Device<unsigned char> d(in), out(64 * 24);
  copies<<<1, 64>>>(d, out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 24; ++k) same("copy", i * 24 + k, (int)got[i * 24 + k], k < 3 || k >= 16 ? 0xee : (int)in[i * 5 + k - 3]);
  return finish();
}
