// Loads and stores with cache operators: __ldg, __ldcg, __ldcs, __ldca, __ldcv, __stcg, __stcs, __stwt, vectors too.
#include "../check.h"

__global__ void kernel(const float *__restrict__ f, const int4 *__restrict__ v, const unsigned char *__restrict__ c, float *of, int4 *ov, int *oc) {
  const int i = threadIdx.x;
  const float x = __ldg(f + i) + __ldcg(f + i) + __ldcs(f + i) + __ldca(f + i) + __ldcv(f + i);
  const int4 a = __ldg(v + i), b = __ldcs(v + i);
  __stcg(of + i, x), __stcs(ov + i, make_int4(a.x + b.w, a.y, b.z, a.w)), __stwt(oc + i, (int)__ldg(c + i));
  __stwb(oc + i + 64, (int)__ldcg(v + i).y);
}

int main() {
  std::vector<float> f;
  std::vector<int4> v;
  std::vector<unsigned char> c;
  for (int i = 0; i < 64; ++i) f.push_back(0.25f * i), v.push_back(make_int4(i, 2 * i, 3 * i, -i)), c.push_back((unsigned char)(i * 5));
  Device<float> df(f), of(64);
  Device<int4> dv(v), ov(64);
  Device<unsigned char> dc(c);
  Device<int> oc(128);
  kernel<<<1, 64>>>(df, dv, dc, of, ov, oc);
  CHECK_KERNEL();
  const auto gf = of.host();
  const auto gv = ov.host();
  const auto gc = oc.host();
  for (int i = 0; i < 64; ++i) {
    close("float", i, gf[i], 1.25 * i, 0);
    EXPECT(gv[i].x == 0 && gv[i].y == 2 * i && gv[i].z == 3 * i && gv[i].w == -i);
    same("char", i, gc[i], (int)(unsigned char)(i * 5));
    same("int4", i, gc[64 + i], 2 * i);
  }
  return finish();
}
