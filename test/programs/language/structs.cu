// Structures by value, with padding, nesting, arrays and bit fields, as kernel parameters and in memory.
#include "../check.h"
#include <cstddef>

struct Inner { char tag; double weight; short s[3]; };
struct Outer { char a; Inner inner[2]; unsigned char bits; long long big; float3 v; };
struct Fields { unsigned low : 3, middle : 11, high : 18; int sign : 4; };
struct Empty {};
struct Derived : Empty, Inner { int more; };
struct alignas(32) Aligned { float x[5]; };

__global__ void read(Outer o, Fields f, Derived d, Aligned a, char last, double *out) {
  out[0] = o.a, out[1] = o.inner[1].tag, out[2] = o.inner[1].weight, out[3] = o.inner[0].s[2], out[4] = o.bits;
  out[5] = (double)o.big, out[6] = o.v.z, out[7] = f.low, out[8] = f.middle, out[9] = f.high, out[10] = f.sign;
  out[11] = d.weight, out[12] = d.more, out[13] = a.x[4], out[14] = last;
  out[15] = sizeof(Inner), out[16] = sizeof(Outer), out[17] = offsetof(Outer, big), out[18] = alignof(Aligned), out[19] = sizeof(Derived);
}

__device__ Outer change(Outer o, int by) {
  o.inner[by & 1].weight += by;
  o.v = make_float3(o.v.z, o.v.x, o.v.y);
  return o;
}

__global__ void modify(Outer *o, Fields *f) {
  const int i = threadIdx.x;
  o[i] = change(o[i], i);
  f[i].middle += i;
  f[i].sign = -(i & 7);
}

int main() {
  Outer o = {1, {{2, 3.5, {4, 5, 6}}, {7, 8.5, {9, 10, 11}}}, 200, -1234567890123ll, {1, 2, 3}};
  Fields f = {5, 1234, 200000, -3};
  Derived d;
  d.weight = 6.25, d.more = -9, d.tag = 1;
  Aligned a = {{1, 2, 3, 4, 5}};
  Device<double> out(20);
  read<<<1, 1>>>(o, f, d, a, 'z', out);
  CHECK_KERNEL();
  const auto got = out.host();
  const double e[20] = {1, 7, 8.5, 6, 200, -1234567890123.0, 3, 5, 1234, 200000, -3, 6.25, -9, 5, 'z', sizeof(Inner), sizeof(Outer), (double)offsetof(Outer, big), 32, sizeof(Derived)};
  for (int k = 0; k < 20; ++k) close("read", k, got[k], e[k], 0);
  std::vector<Outer> os(8, o);
  std::vector<Fields> fs(8, f);
  Device<Outer> devo(os);
  Device<Fields> devf(fs);
  modify<<<1, 8>>>(devo, devf);
  CHECK_KERNEL();
  os = devo.host(), fs = devf.host();
  for (int i = 0; i < 8; ++i) {
    close("weight", i, os[i].inner[i & 1].weight, o.inner[i & 1].weight + i, 0);
    close("other weight", i, os[i].inner[~i & 1].weight, o.inner[~i & 1].weight, 0);
    EXPECT(os[i].v.x == 3 && os[i].v.y == 1 && os[i].v.z == 2 && os[i].big == o.big);
    same("middle", i, (int)fs[i].middle, 1234 + i);
    same("sign", i, (int)fs[i].sign, -(i & 7));
    same("high", i, (int)fs[i].high, 200000);
  }
  return finish();
}
