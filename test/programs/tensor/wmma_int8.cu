// WMMA with signed and unsigned bytes, accumulating in int.
// Needs compute capability 7.2.
#include "../check.h"
#include <mma.h>
using namespace nvcuda;

template <class T> __global__ void multiply(const T *a, const T *b, int *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  wmma::load_matrix_sync(fa, a, 16), wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major);
}

template <class T> void test(const char *name) {
  Random random;
  std::vector<T> a(256), b(256);
  std::vector<int> c(256);
  for (int i = 0; i < 256; ++i) a[i] = (T)random.next(), b[i] = (T)random.next(), c[i] = (int)(random.next() % 1000);
  Device<T> da(a), db(b);
  Device<int> dc(c);
  multiply<<<1, 32>>>(da.data, db.data, dc.data);
  CHECK_KERNEL();
  const auto got = dc.host();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      int sum = c[i * 16 + j];
      for (int k = 0; k < 16; ++k) sum += a[i * 16 + k] * b[j * 16 + k];
      same(name, i * 16 + j, got[j * 16 + i], sum);
    }
}

int main() {
  test<signed char>("signed");
  test<unsigned char>("unsigned");
  return finish();
}
