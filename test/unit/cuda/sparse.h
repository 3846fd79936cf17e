// Random sparse matrices of all four types, and plain products on the host to compare with.
#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cusparse.h>
#include <vector>
typedef std::complex<double> Z;
static void put(float &t, Z z) { t = (float)z.real(); }
static void put(double &t, Z z) { t = z.real(); }
static void put(cuComplex &t, Z z) { t = make_cuComplex((float)z.real(), (float)z.imag()); }
static void put(cuDoubleComplex &t, Z z) { t = make_cuDoubleComplex(z.real(), z.imag()); }
static Z get(float t) { return t; }
static Z get(double t) { return t; }
static Z get(cuComplex t) { return Z(t.x, t.y); }
static Z get(cuDoubleComplex t) { return Z(t.x, t.y); }
template <class T> struct Type;
template <> struct Type<float> { static constexpr cudaDataType type = CUDA_R_32F; static constexpr double most = 2e-5; static constexpr const char *name = "float"; };
template <> struct Type<double> { static constexpr cudaDataType type = CUDA_R_64F; static constexpr double most = 1e-12; static constexpr const char *name = "double"; };
template <> struct Type<cuComplex> { static constexpr cudaDataType type = CUDA_C_32F; static constexpr double most = 4e-5; static constexpr const char *name = "complex"; };
template <> struct Type<cuDoubleComplex> { static constexpr cudaDataType type = CUDA_C_64F; static constexpr double most = 2e-12; static constexpr const char *name = "double complex"; };
template <class T> static T number(Z z) { T t; put(t, z); return t; }
static unsigned seed = 7;
static double drawn() { seed = seed * 1664525u + 1013904223u; return (seed >> 8) / 16777216.0 - 0.5; }
template <class T> static T random() { const double x = drawn(), y = drawn(); return number<T>(Z(x, y)); }
template <class T> static std::vector<T> randoms(size_t n) { std::vector<T> v(n); for (auto &t : v) t = random<T>(); return v; }
template <class T> T *toDevice(const std::vector<T> &v) { T *p; cudaMalloc(&p, std::max<size_t>(1, v.size()) * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> std::vector<T> toHost(const T *p, size_t n) { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }
static Z op(Z z, int operation) { return operation == 2 ? std::conj(z) : z; }
// A matrix as a list of entries in the order of its rows, as numbers in full; row 1 has none.
template <class T> struct Matrix {
  int rows, columns; std::vector<int> row, column, offsets; std::vector<T> value; std::vector<Z> full;
  Matrix(int rows, int columns, double share) : rows(rows), columns(columns), full(rows * columns) {
    offsets.push_back(0);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) if (i != 1 && drawn() + 0.5 < (i == 2 ? 0.9 : share)) add(i, j, random<T>());
      offsets.push_back((int)row.size());
    }
  }
  void add(int i, int j, T t) { row.push_back(i); column.push_back(j); value.push_back(t); full[i * columns + j] = get(t); }
  int entries() const { return (int)row.size(); }
  Z at(int i, int j, int operation) const { return operation ? op(full[j * columns + i], operation) : full[i * columns + j]; }
  // 0: CSR, 1: CSC, 2: COO; indices of 64 bits and from 1 on where asked for.
  cusparseSpMatDescr_t describe(int format, bool wide = false, int base = 0) const {
    std::vector<int> order(entries()), first(row), second(column), starts; std::vector<T> v(value);
    for (int i = 0; i < entries(); i++) order[i] = i;
    if (format == 1) {
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return column[a] < column[b]; });
      for (int i = 0; i < entries(); i++) first[i] = column[order[i]], second[i] = row[order[i]], v[i] = value[order[i]];
      starts.assign(columns + 1, 0);
      for (int c : first) starts[c + 1]++;
      for (int c = 0; c < columns; c++) starts[c + 1] += starts[c];
    } else starts = offsets;
    auto device = [&](std::vector<int> from) -> void * {
      for (auto &i : from) i += base;
      if (!wide) return toDevice(from);
      return toDevice(std::vector<long long>(from.begin(), from.end()));
    };
    cusparseSpMatDescr_t m; const cusparseIndexType_t t = wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I; const cusparseIndexBase_t b = (cusparseIndexBase_t)base;
    cusparseStatus_t s;
    if (format == 0) s = cusparseCreateCsr(&m, rows, columns, entries(), device(starts), device(second), toDevice(v), t, t, b, Type<T>::type);
    else if (format == 1) s = cusparseCreateCsc(&m, rows, columns, entries(), device(starts), device(second), toDevice(v), t, t, b, Type<T>::type);
    else s = cusparseCreateCoo(&m, rows, columns, entries(), device(first), device(second), toDevice(v), t, b, Type<T>::type);
    if (s) printf("no matrix: %s\n", cusparseGetErrorName(s));
    return m;
  }
};
static const char *formats[] = {"CSR", "CSC", "COO"};
struct Check {
  double worst = 0; int bad = 0;
  void operator()(Z got, Z want) { const double off = std::abs(got - want); if (!(off <= worst)) worst = off; }
  void ok(cusparseStatus_t s) { bad += s != CUSPARSE_STATUS_SUCCESS; }
  void say(const char *what, const char *type, double most) { if (worst <= most && bad == 0) printf("%s of %s: right\n", what, type); else printf("%s of %s: off by %g, %d wrong\n", what, type, worst, bad); }
};
