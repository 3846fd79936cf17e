// The built-in vector types: sizes, alignment, loads and stores of 2, 4, 8 and 16 bytes, make_ functions, dim3.
#include "../check.h"

template <class V> __global__ void reverse(const V *in, V *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i];
}

template <class V> void test(const char *name, size_t size, size_t alignment) {
  if (sizeof(V) != size || alignof(V) != alignment) FAIL("%s: %d bytes, aligned to %d", name, (int)sizeof(V), (int)alignof(V));
  const int n = 100;
  std::vector<V> in(n);
  for (size_t k = 0; k < n * sizeof(V); ++k) ((unsigned char *)in.data())[k] = (unsigned char)(k * 7 + k / 256);
  Device<V> d(in), out(n);
  reverse<<<1, 128>>>(d.data, out.data, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i)
    if (memcmp(&got[n - 1 - i], &in[i], sizeof(V))) FAIL("%s[%d] differs", name, i);
}

__global__ void arithmetic(float4 a, int3 b, double2 c, uchar4 d, longlong2 e, float *out) {
  const float4 f = make_float4(a.w, a.z, a.y, a.x);
  out[0] = f.x * b.x + f.y * b.y + f.z * b.z + f.w, out[1] = (float)(c.x - c.y), out[2] = d.x + d.y * d.z - d.w, out[3] = (float)(e.x + e.y);
  const dim3 g(5), h(2, 3);
  out[4] = g.x * 100 + g.y * 10 + g.z, out[5] = h.x * 100 + h.y * 10 + h.z;
}

int main() {
  test<char1>("char1", 1, 1), test<uchar2>("uchar2", 2, 2), test<char3>("char3", 3, 1), test<uchar4>("uchar4", 4, 4);
  test<short2>("short2", 4, 4), test<ushort3>("ushort3", 6, 2), test<short4>("short4", 8, 8);
  test<int2>("int2", 8, 8), test<uint3>("uint3", 12, 4), test<int4>("int4", 16, 16);
  test<float1>("float1", 4, 4), test<float2>("float2", 8, 8), test<float3>("float3", 12, 4), test<float4>("float4", 16, 16);
  test<double2>("double2", 16, 16), test<double3>("double3", 24, 8), test<longlong2>("longlong2", 16, 16), test<ulonglong3>("ulonglong3", 24, 8);
  Device<float> out(6);
  arithmetic<<<1, 1>>>(make_float4(1, 2, 3, 4), make_int3(5, 6, 7), make_double2(10, 3), make_uchar4(200, 100, 2, 50), make_longlong2(1 << 20, -24), out);
  CHECK_KERNEL();
  const auto got = out.host();
  const float e[6] = {4 * 5 + 3 * 6 + 2 * 7 + 1, 7, 350, 1048552, 511, 231};
  for (int k = 0; k < 6; ++k) close("arithmetic", k, got[k], e[k], 0);
  return finish();
}
