// WMMA with bfloat16, tf32 (float rounded to 10 bits of mantissa) and double.
// Needs compute capability 8.0.
#include "../check.h"
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void brain(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16), wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void tensorFloat(const float *a, const float *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 8), wmma::load_matrix_sync(fb, b, 16);
  for (int e = 0; e < fa.num_elements; ++e) fa.x[e] = wmma::__float_to_tf32(fa.x[e]);
  for (int e = 0; e < fb.num_elements; ++e) fb.x[e] = wmma::__float_to_tf32(fb.x[e]);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void doubles(const double *a, const double *b, double *c) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
  wmma::fill_fragment(fc, 0.5);
  wmma::load_matrix_sync(fa, a, 4), wmma::load_matrix_sync(fb, b, 8);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}

template <class T, class R> void compare(const char *name, const std::vector<T> &a, const std::vector<T> &b, const std::vector<R> &c, int m, int n, int k, double start) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = start;
      for (int t = 0; t < k; ++t) sum += (double)(float)a[i * k + t] * (double)(float)b[t * n + j];
      close(name, i * n + j, c[i * n + j], sum, 0);
    }
}

int main() {
  std::vector<__nv_bfloat16> a, b;
  std::vector<float> fa, fb;
  std::vector<double> da, db;
  for (int i = 0; i < 256; ++i) {
    const float x = (float)(i * 7 % 31 - 15) * 0.25f, y = (float)(i * 5 % 17 - 8);
    a.push_back(__float2bfloat16(x)), b.push_back(__float2bfloat16(y));
    if (i < 128) fa.push_back(x), fb.push_back(y);
    if (i < 32) da.push_back(x), db.push_back(y);
  }
  Device<__nv_bfloat16> xa(a), xb(b);
  Device<float> ya(fa), yb(fb), c(256), c2(256);
  Device<double> za(da), zb(db), c3(64);
  brain<<<1, 32>>>(xa, xb, c);
  tensorFloat<<<1, 32>>>(ya, yb, c2);
  doubles<<<1, 32>>>(za, zb, c3);
  CHECK_KERNEL();
  compare("bfloat16", a, b, c.host(), 16, 16, 16, 0);
  compare("tf32", fa, fb, c2.host(), 16, 16, 8, 0);
  compare("double", da, db, c3.host(), 8, 8, 4, 0.5);
  return finish();
}
