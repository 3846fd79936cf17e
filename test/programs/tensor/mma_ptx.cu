// mma.sync of PTX: m16n8k16 and m16n8k8 with halves, m16n8k16 with bfloat16, m16n8k32 with bytes; fragment layouts.
// Needs compute capability 8.0.
#include "../check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __device__ unsigned pair(const T *p) { return *(const unsigned *)p; }

// A is row by row, B column by column, so that neighbours along k share a register.
template <class T> __global__ void k16(const T *a, const T *b, float *c) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  const unsigned a0 = pair(a + g * 16 + 2 * t), a1 = pair(a + (g + 8) * 16 + 2 * t), a2 = pair(a + g * 16 + 2 * t + 8), a3 = pair(a + (g + 8) * 16 + 2 * t + 8);
  const unsigned b0 = pair(b + g * 16 + 2 * t), b1 = pair(b + g * 16 + 2 * t + 8);
  float d0, d1, d2, d3;
  if constexpr (std::is_same<T, __half>::value)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
                 : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(1.0f));
  else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
                 : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(1.0f));
  c[g * 8 + 2 * t] = d0, c[g * 8 + 2 * t + 1] = d1, c[(g + 8) * 8 + 2 * t] = d2, c[(g + 8) * 8 + 2 * t + 1] = d3;
}

__global__ void k8(const __half *a, const __half *b, float *c) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  float d[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(pair(a + g * 8 + 2 * t)), "r"(pair(a + (g + 8) * 8 + 2 * t)), "r"(pair(b + g * 8 + 2 * t)));
  c[g * 8 + 2 * t] = d[0], c[g * 8 + 2 * t + 1] = d[1], c[(g + 8) * 8 + 2 * t] = d[2], c[(g + 8) * 8 + 2 * t + 1] = d[3];
}

__global__ void bytes(const signed char *a, const signed char *b, int *c) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  int d[4] = {5, 5, 5, 5};
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(pair(a + g * 32 + 4 * t)), "r"(pair(a + (g + 8) * 32 + 4 * t)), "r"(pair(a + g * 32 + 4 * t + 16)), "r"(pair(a + (g + 8) * 32 + 4 * t + 16)),
                 "r"(pair(b + g * 32 + 4 * t)), "r"(pair(b + g * 32 + 4 * t + 16)));
  c[g * 8 + 2 * t] = d[0], c[g * 8 + 2 * t + 1] = d[1], c[(g + 8) * 8 + 2 * t] = d[2], c[(g + 8) * 8 + 2 * t + 1] = d[3];
}

template <class T, class R, class F> void test(const char *name, int k, double start, F launch) {
  std::vector<T> a, b;
  for (int i = 0; i < 16 * k; ++i) a.push_back((T)(float)(i * 7 % 23 - 11));
  for (int i = 0; i < 8 * k; ++i) b.push_back((T)(float)(i * 5 % 13 - 6));
  Device<T> da(a), db(b);
  Device<R> c(128);
  launch(da.data, db.data, c.data);
  CHECK_KERNEL();
  const auto got = c.host();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = start;
      for (int t = 0; t < k; ++t) sum += (double)(float)a[i * k + t] * (double)(float)b[j * k + t];
      close(name, i * 8 + j, got[i * 8 + j], sum, 0);
    }
}

int main() {
  test<__half, float>("m16n8k16 half", 16, 1, [](auto a, auto b, auto c) { k16<<<1, 32>>>(a, b, c); });
  test<__nv_bfloat16, float>("m16n8k16 bfloat16", 16, 1, [](auto a, auto b, auto c) { k16<<<1, 32>>>(a, b, c); });
  test<__half, float>("m16n8k8 half", 8, 0, [](auto a, auto b, auto c) { k8<<<1, 32>>>(a, b, c); });
  test<signed char, int>("m16n8k32 bytes", 32, 5, [](auto a, auto b, auto c) { bytes<<<1, 32>>>(a, b, c); });
  return finish();
}
