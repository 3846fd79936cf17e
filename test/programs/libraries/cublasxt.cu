// cuBLASXt: level 3 in tiles on all GPUs there are, with matrices of the host's and of a device's; whole numbers, so that results are exact.
#include "../check.h"
#include <algorithm>
#include <complex>
#include <cublasXt.h>
#define BLAS(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)
typedef std::complex<float> C;
static Random numbers(7);
static void fill(float &x) { x = (float)((int)(numbers.next() % 5) - 2); }
static void fill(C &x) {
  float re, im;
  fill(re), fill(im);
  x = C(re, im);
}
static float conjugate(float x) { return x; }
static C conjugate(C x) { return std::conj(x); }
static float realOf(float x) { return x; }
static float realOf(C x) { return x.real(); }

// Columns, one after the other.
template <class T> struct Matrix {
  int rows, columns;
  std::vector<T> data;
  Matrix(int rows, int columns) : rows(rows), columns(columns), data(rows * columns) {
    for (T &x : data) fill(x);
  }
  T &operator()(int i, int j) { return data[j * rows + i]; }
  T operator()(int i, int j) const { return data[j * rows + i]; }
  T *at() { return data.data(); }
};
template <class T> T op(const Matrix<T> &m, cublasOperation_t how, int i, int j) {
  return how == CUBLAS_OP_N ? m(i, j) : how == CUBLAS_OP_T ? m(j, i) : conjugate(m(j, i));
}
template <class T> Matrix<T> product(const Matrix<T> &a, cublasOperation_t ta, const Matrix<T> &b, cublasOperation_t tb) {
  const int m = ta ? a.columns : a.rows, k = ta ? a.rows : a.columns, n = tb ? b.rows : b.columns;
  Matrix<T> c(m, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      T sum = 0;
      for (int l = 0; l < k; ++l) sum += op(a, ta, i, l) * op(b, tb, l, j);
      c(i, j) = sum;
    }
  return c;
}
template <class T> Matrix<T> sum(T x, const Matrix<T> &a, T y, const Matrix<T> &b) {
  Matrix<T> c = a;
  for (size_t i = 0; i < c.data.size(); ++i) c.data[i] = x * a.data[i] + y * b.data[i];
  return c;
}
// All of a matrix of which a triangle counts: symmetric, hermitian, or triangular with what is beyond as zeros.
enum Kind { Symmetric, Hermitian, Triangular, Unit };
template <class T> Matrix<T> whole(const Matrix<T> &a, cublasFillMode_t uplo, Kind kind) {
  Matrix<T> all = a;
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i) {
      const bool stored = uplo == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
      if (!stored) all(i, j) = kind == Symmetric ? a(j, i) : kind == Hermitian ? conjugate(a(j, i)) : T(0);
      if (i == j && kind == Hermitian) all(i, j) = realOf(a(i, j));
      if (i == j && kind == Unit) all(i, j) = 1;
    }
  return all;
}
template <class T> void expect(const char *what, const Matrix<T> &got, const Matrix<T> &expected) {
  for (size_t i = 0; i < got.data.size(); ++i)
    if (std::abs(got.data[i] - expected.data[i]) > 0)
      FAIL("%s[%zu]: %g, expected %g", what, i, realOf(got.data[i]), realOf(expected.data[i]));
}
// What a routine leaves outside of its triangle stays.
template <class T> Matrix<T> within(const Matrix<T> &old, const Matrix<T> &made, cublasFillMode_t uplo) {
  Matrix<T> all = old;
  for (int j = 0; j < old.columns; ++j)
    for (int i = 0; i < old.rows; ++i)
      if (uplo == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j) all(i, j) = made(i, j);
  return all;
}

static const int m = 37, n = 25, k = 19;
static cublasXtHandle_t xt;

static void real() {
  const float alpha = 2, beta = 3, zero = 0;
  for (auto ta : {CUBLAS_OP_N, CUBLAS_OP_T})
    for (auto tb : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      Matrix<float> a(ta ? k : m, ta ? m : k), b(tb ? n : k, tb ? k : n), c(m, n), old = c;
      BLAS(cublasXtSgemm(xt, ta, tb, m, n, k, &alpha, a.at(), a.rows, b.at(), b.rows, &beta, c.at(), m));
      expect("sgemm", c, sum(alpha, product(a, ta, b, tb), beta, old));
    }
  {
    Matrix<float> a(m, k), b(k, n), c(m, n);
    Device<float> da(a.data), dc(m * n);
    BLAS(cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, da, m, b.at(), k, &zero, dc, m));
    c.data = dc.host();
    expect("sgemm of a device", c, sum(alpha, product(a, CUBLAS_OP_N, b, CUBLAS_OP_N), 0.f, c));
  }
  for (auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
    for (auto trans : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      const cublasOperation_t other = trans ? CUBLAS_OP_N : CUBLAS_OP_T;
      Matrix<float> a(trans ? k : n, trans ? n : k), b = a, c(n, n), old = c;
      for (float &x : b.data) fill(x);
      BLAS(cublasXtSsyrk(xt, uplo, trans, n, k, &alpha, a.at(), a.rows, &beta, c.at(), n));
      expect("ssyrk", c, within(old, sum(alpha, product(a, trans, a, other), beta, old), uplo));
      c = old;
      BLAS(cublasXtSsyr2k(xt, uplo, trans, n, k, &alpha, a.at(), a.rows, b.at(), b.rows, &beta, c.at(), n));
      const auto both = sum(1.f, product(a, trans, b, other), 1.f, product(b, trans, a, other));
      expect("ssyr2k", c, within(old, sum(alpha, both, beta, old), uplo));
      c = old;
      BLAS(cublasXtSsyrkx(xt, uplo, trans, n, k, &alpha, a.at(), a.rows, a.at(), a.rows, &zero, c.at(), n));
      expect("ssyrkx", c, within(old, sum(alpha, product(a, trans, a, other), 0.f, old), uplo));
    }
  for (auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
    for (auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
      const int order = side == CUBLAS_SIDE_LEFT ? m : n;
      Matrix<float> a(order, order), b(m, n), c(m, n), old = c;
      const auto all = whole(a, uplo, Symmetric);
      const auto made = side == CUBLAS_SIDE_LEFT ? product(all, CUBLAS_OP_N, b, CUBLAS_OP_N) : product(b, CUBLAS_OP_N, all, CUBLAS_OP_N);
      BLAS(cublasXtSsymm(xt, side, uplo, m, n, &alpha, a.at(), order, b.at(), m, &beta, c.at(), m));
      expect("ssymm", c, sum(alpha, made, beta, old));
      std::vector<float> packed;
      for (int j = 0; j < order; ++j)
        for (int i = 0; i < order; ++i)
          if (uplo == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j) packed.push_back(a(i, j));
      c = old;
      BLAS(cublasXtSspmm(xt, side, uplo, m, n, &alpha, packed.data(), b.at(), m, &beta, c.at(), m));
      expect("sspmm", c, sum(alpha, made, beta, old));
      for (auto trans : {CUBLAS_OP_N, CUBLAS_OP_T}) {
        for (auto diag : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT}) {
          const auto t = whole(a, uplo, diag == CUBLAS_DIAG_UNIT ? Unit : Triangular);
          const auto times = side == CUBLAS_SIDE_LEFT ? product(t, trans, b, CUBLAS_OP_N) : product(b, CUBLAS_OP_N, t, trans);
          BLAS(cublasXtStrmm(xt, side, uplo, trans, diag, m, n, &alpha, a.at(), order, b.at(), m, c.at(), m));
          expect("strmm", c, sum(alpha, times, 0.f, times));
          c = b;
          BLAS(cublasXtStrmm(xt, side, uplo, trans, diag, m, n, &alpha, a.at(), order, c.at(), m, c.at(), m));
          expect("strmm in place", c, sum(alpha, times, 0.f, times));
        }
        // With a few elements beside a diagonal of ones, what is solved for stays a whole number.
        Matrix<float> thin = a;
        for (int j = 0; j < order; ++j)
          for (int i = 0; i < order; ++i) thin(i, j) = (i + 2 * j) % 11 == 0 ? (float)(i % 2 * 2 - 1) : 0;
        const auto t = whole(thin, uplo, Unit);
        auto x = side == CUBLAS_SIDE_LEFT ? product(t, trans, b, CUBLAS_OP_N) : product(b, CUBLAS_OP_N, t, trans);
        BLAS(cublasXtStrsm(xt, side, uplo, trans, CUBLAS_DIAG_UNIT, m, n, &alpha, thin.at(), order, x.at(), m));
        expect("strsm", x, sum(alpha, b, 0.f, b));
      }
    }
}

static cuComplex *cu(C *p) { return (cuComplex *)p; }
static void complexNumbers() {
  const C alpha(1, 2), beta(2, -1);
  const float realAlpha = 2, realBeta = 3;
  {
    Matrix<C> a(k, m), b(n, k), c(m, n), old = c;
    BLAS(cublasXtCgemm(xt, CUBLAS_OP_C, CUBLAS_OP_T, m, n, k, cu((C *)&alpha), cu(a.at()), k, cu(b.at()), n, cu((C *)&beta), cu(c.at()), m));
    expect("cgemm", c, sum(alpha, product(a, CUBLAS_OP_C, b, CUBLAS_OP_T), beta, old));
  }
  for (auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
    for (auto trans : {CUBLAS_OP_N, CUBLAS_OP_C}) {
      const cublasOperation_t other = trans ? CUBLAS_OP_N : CUBLAS_OP_C;
      Matrix<C> a(trans ? k : n, trans ? n : k), b = a, c(n, n);
      for (C &x : b.data) fill(x);
      for (int i = 0; i < n; ++i) c(i, i) = c(i, i).real();
      const Matrix<C> old = c;
      BLAS(cublasXtCherk(xt, uplo, trans, n, k, &realAlpha, cu(a.at()), a.rows, &realBeta, cu(c.at()), n));
      expect("cherk", c, within(old, sum(C(realAlpha), product(a, trans, a, other), C(realBeta), old), uplo));
      c = old;
      BLAS(cublasXtCher2k(xt, uplo, trans, n, k, cu((C *)&alpha), cu(a.at()), a.rows, cu(b.at()), b.rows, &realBeta, cu(c.at()), n));
      const auto both = sum(alpha, product(a, trans, b, other), std::conj(alpha), product(b, trans, a, other));
      expect("cher2k", c, within(old, sum(C(1), both, C(realBeta), old), uplo));
      c = old;
      const C two(2, 0);
      BLAS(cublasXtCherkx(xt, uplo, trans, n, k, cu((C *)&two), cu(a.at()), a.rows, cu(a.at()), a.rows, &realBeta, cu(c.at()), n));
      expect("cherkx", c, within(old, sum(two, product(a, trans, a, other), C(realBeta), old), uplo));
    }
  for (auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
    for (auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
      const int order = side == CUBLAS_SIDE_LEFT ? m : n;
      Matrix<C> a(order, order), b(m, n), c(m, n), old = c;
      const auto all = whole(a, uplo, Hermitian);
      const auto made = side == CUBLAS_SIDE_LEFT ? product(all, CUBLAS_OP_N, b, CUBLAS_OP_N) : product(b, CUBLAS_OP_N, all, CUBLAS_OP_N);
      for (int i = 0; i < order; ++i) a(i, i) = a(i, i).real();
      BLAS(cublasXtChemm(xt, side, uplo, m, n, cu((C *)&alpha), cu(a.at()), order, cu(b.at()), m, cu((C *)&beta), cu(c.at()), m));
      expect("chemm", c, sum(alpha, made, beta, old));
    }
}

int main() {
  int count = 0, boards = 0, block = 0, value = 0;
  CHECK(cudaGetDeviceCount(&count));
  std::vector<int> devices(std::min(count, 4));
  for (size_t i = 0; i < devices.size(); ++i) devices[i] = (int)i;
  BLAS(cublasXtCreate(&xt));
  BLAS(cublasXtDeviceSelect(xt, (int)devices.size(), devices.data()));
  EXPECT(cublasXtDeviceSelect(xt, (int)devices.size(), devices.data()) == CUBLAS_STATUS_INVALID_VALUE);
  BLAS(cublasXtGetNumBoards((int)devices.size(), devices.data(), &boards));
  EXPECT(boards >= 1);
  EXPECT(cublasXtSetBlockDim(xt, 0) == CUBLAS_STATUS_INVALID_VALUE);
  BLAS(cublasXtSetBlockDim(xt, 16));
  BLAS(cublasXtGetBlockDim(xt, &block));
  same("blockDim", 0, block, 16);
  cublasXtPinnedMemMode_t mode = CUBLASXT_PINNING_ENABLED;
  BLAS(cublasXtGetPinningMemMode(xt, &mode));
  EXPECT(mode == CUBLASXT_PINNING_DISABLED);
  EXPECT(cublasXtSetPinningMemMode(xt, (cublasXtPinnedMemMode_t)7) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasXtSetCpuRatio(xt, CUBLASXT_TRSM, CUBLASXT_FLOAT, 0.5f) == CUBLAS_STATUS_NOT_SUPPORTED);
  BLAS(cublasXtSetCpuRatio(xt, CUBLASXT_GEMM, CUBLASXT_FLOAT, 0));
  real();
  complexNumbers();
  // Larger tiles, of pinned matrices.
  BLAS(cublasXtSetBlockDim(xt, 1024));
  BLAS(cublasXtSetPinningMemMode(xt, CUBLASXT_PINNING_ENABLED));
  CHECK(cudaGetDevice(&value));
  same("device", 0, value, 0);
  real();
  const float one = 1;
  float a[4] = {1, 2, 3, 4};
  EXPECT(cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 1, a, 2, &one, a, 2) == CUBLAS_STATUS_INVALID_VALUE);
  BLAS(cublasXtDestroy(xt));
  return finish();
}
