// Sparse matrices of all types, in either base, and dense computations to compare with.
#pragma once
#include "../check.h"
#include <complex>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <map>

#define SOLVER(call)                                                                                                   \
  do {                                                                                                                 \
    const cusolverStatus_t s_ = (call);                                                                                \
    if (s_ != CUSOLVER_STATUS_SUCCESS) {                                                                               \
      printf("line %d: %s: %d\n", __LINE__, #call, (int)s_);                                                           \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

template <class T> struct Number {
  typedef T Real;
  typedef T Cuda;
  static T of(double re, double) { return (T)re; }
  static Cuda cuda(T a) { return a; }
};
template <> struct Number<std::complex<float>> {
  typedef float Real;
  typedef cuComplex Cuda;
  static std::complex<float> of(double re, double im) { return {(float)re, (float)im}; }
  static Cuda cuda(std::complex<float> a) { return make_cuComplex(a.real(), a.imag()); }
};
template <> struct Number<std::complex<double>> {
  typedef double Real;
  typedef cuDoubleComplex Cuda;
  static std::complex<double> of(double re, double im) { return {re, im}; }
  static Cuda cuda(std::complex<double> a) { return make_cuDoubleComplex(a.real(), a.imag()); }
};
template <class T> T conjugate(T a) { return a; }
template <class R> std::complex<R> conjugate(std::complex<R> a) { return std::conj(a); }
template <class T> typename Number<T>::Cuda *cu(std::vector<T> &a) { return (typename Number<T>::Cuda *)a.data(); }
template <class T> typename Number<T>::Cuda *cu(const Device<T> &a) { return (typename Number<T>::Cuda *)a.data; }
template <class T> double tolerance() { return sizeof(typename Number<T>::Real) == 4 ? 2e-4 : 1e-11; }

template <class T> struct Matrix {
  int rows, columns, base;
  std::vector<int> offsets, indices;
  std::vector<T> values;
  cusparseMatDescr_t description;

  Matrix(int m, int n, int base, const std::map<std::pair<int, int>, T> &entries)
      : rows(m), columns(n), base(base), offsets(m + 1, base) {
    for (const auto &entry : entries) {
      indices.push_back(entry.first.second + base);
      values.push_back(entry.second);
      for (int i = entry.first.first; i < m; ++i) ++offsets[i + 1];
    }
    cusparseCreateMatDescr(&description);
    cusparseSetMatType(description, CUSPARSE_MATRIX_TYPE_GENERAL);
    cusparseSetMatIndexBase(description, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
  }
  Matrix(const Matrix &) = delete;
  ~Matrix() { cusparseDestroyMatDescr(description); }
  int entries() const { return (int)values.size(); }
  // The most that |b - A x| has in a row.
  double left(const std::vector<T> &x, const std::vector<T> &b) const {
    double most = 0;
    for (int i = 0; i < rows; ++i) {
      std::complex<double> sum = b[i];
      for (int k = offsets[i] - base; k < offsets[i + 1] - base; ++k)
        sum -= (std::complex<double>)values[k] * (std::complex<double>)x[indices[k] - base];
      if (!(std::abs(sum) <= most)) most = std::abs(sum);
    }
    return most;
  }
};

template <class T> std::vector<T> side(int n, int seed) {
  Random random(seed);
  std::vector<T> b(n);
  for (T &each : b) {
    const double re = random.between(-1, 1), im = random.between(-1, 1);
    each = Number<T>::of(re, im);
  }
  return b;
}
// A grid of so many points on a side, Hermitian and positive definite.
template <class T> Matrix<T> grid(int side, int base) {
  std::map<std::pair<int, int>, T> entries;
  for (int i = 0; i < side * side; ++i) {
    entries[{i, i}] = Number<T>::of(4.5 + i % 3, 0);
    for (int j : {i % side + 1 < side ? i + 1 : -1, i + side < side * side ? i + side : -1}) {
      if (j < 0) continue;
      entries[{i, j}] = Number<T>::of(-1 - i % 2 * 0.1, 0.3);
      entries[{j, i}] = conjugate(entries[{i, j}]);
    }
  }
  return Matrix<T>(side * side, side * side, base, entries);
}
// Entries anywhere, and a strong band, part of it off the diagonal: pivots have to be looked for.
template <class T> Matrix<T> scattered(int m, int n, int base, int seed) {
  Random random(seed);
  std::map<std::pair<int, int>, T> entries;
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < 4; ++k) {
      const int j = (int)(random.next() % n);
      const double re = random.between(-1, 1), im = random.between(-1, 1);
      entries[{i, j}] = Number<T>::of(re, im);
    }
    entries[{i, (i + 1) % n}] = Number<T>::of(5 + i % 4, 1);
  }
  return Matrix<T>(m, n, base, entries);
}
inline bool isOrder(const std::vector<int> &order) {
  std::vector<int> seen(order.size());
  for (int i : order)
    if (i < 0 || i >= (int)order.size() || seen[i]++) return false;
  return true;
}
