// WMMA with halves: 16x16x16, 32x8x16 and 8x32x16, float and half accumulators, row and column order, element access.
// Needs compute capability 7.0.
#include "../check.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <int m, int n, int k, class Acc, class OrderA, class OrderB> __global__ void multiply(const __half *a, const __half *b, Acc *c, int tiles) {
  wmma::fragment<wmma::matrix_a, m, n, k, __half, OrderA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, __half, OrderB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, Acc> fc;
  constexpr bool rowA = std::is_same<OrderA, wmma::row_major>::value, rowB = std::is_same<OrderB, wmma::row_major>::value;
  const int depth = k * tiles;
  wmma::fill_fragment(fc, (Acc)1.0f);
  for (int t = 0; t < tiles; ++t) {
    wmma::load_matrix_sync(fa, a + (rowA ? t * k : t * k * m), rowA ? depth : m);
    wmma::load_matrix_sync(fb, b + (rowB ? t * k * n : t * k), rowB ? n : depth);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int e = 0; e < fc.num_elements; ++e) fc.x[e] = fc.x[e] * (Acc)2.0f;
  wmma::store_matrix_sync(c, fc, n, wmma::mem_row_major);
}

template <int m, int n, int k, class Acc, class OrderA, class OrderB> void test(const char *name) {
  const int tiles = 3, depth = k * tiles;
  constexpr bool rowA = std::is_same<OrderA, wmma::row_major>::value, rowB = std::is_same<OrderB, wmma::row_major>::value;
  std::vector<__half> a(m * depth), b(depth * n);
  const auto va = [](int i, int j) { return (float)((i * 3 + j * 5) % 7 - 3); };
  const auto vb = [](int i, int j) { return (float)((i * 2 + j) % 5 - 2) * 0.5f; };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < depth; ++j) a[rowA ? i * depth + j : j * m + i] = __float2half(va(i, j));
  for (int i = 0; i < depth; ++i)
    for (int j = 0; j < n; ++j) b[rowB ? i * n + j : j * depth + i] = __float2half(vb(i, j));
  Device<__half> da(a), db(b);
  Device<Acc> c(m * n);
  multiply<m, n, k, Acc, OrderA, OrderB><<<1, 32>>>(da.data, db.data, c.data, tiles);
  CHECK_KERNEL();
  const auto got = c.host();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 1;
      for (int t = 0; t < depth; ++t) sum += va(i, t) * vb(t, j);
      close(name, i * n + j, (float)got[i * n + j], 2 * sum, 0);
    }
}

int main() {
  test<16, 16, 16, float, wmma::row_major, wmma::row_major>("16x16x16 row row float");
  test<16, 16, 16, float, wmma::col_major, wmma::row_major>("16x16x16 col row float");
  test<16, 16, 16, __half, wmma::row_major, wmma::col_major>("16x16x16 row col half");
  test<32, 8, 16, float, wmma::row_major, wmma::col_major>("32x8x16 row col float");
  test<8, 32, 16, __half, wmma::col_major, wmma::col_major>("8x32x16 col col half");
  return finish();
}
