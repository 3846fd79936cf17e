// cuBLAS's levels 1 to 3 beside sums over dense matrices: every form of matrix, triangle, transposition and type.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cublas_v2.h>
#include <functional>
#include <vector>

using C = std::complex<double>;
using Dense = std::vector<C>; // n columns of n

static C toC(float x) { return x; }
static C toC(double x) { return x; }
static C toC(cuComplex x) { return {x.x, x.y}; }
static C toC(cuDoubleComplex x) { return {x.x, x.y}; }
static void from(C x, float &to) { to = (float)x.real(); }
static void from(C x, double &to) { to = x.real(); }
static void from(C x, cuComplex &to) { to = {(float)x.real(), (float)x.imag()}; }
static void from(C x, cuDoubleComplex &to) { to = {x.real(), x.imag()}; }
template <class T> T number(C x) {
  T to;
  from(x, to);
  return to;
}

static unsigned seed = 1;
static double quarter() { return (int)((seed = seed * 1664525u + 1013904223u) >> 28) / 4.0 - 2; }
static bool isComplex;
static C some() {
  const double re = quarter(), im = quarter();
  return {re == 0 ? 1 : re, isComplex ? im : 0};
}
static std::vector<C> several(int n) {
  std::vector<C> all(n);
  for (C &x : all) x = some();
  return all;
}

template <class T> struct Device {
  T *at;
  int n;
  Device(const std::vector<C> &all) : n((int)all.size()) {
    std::vector<T> host(n);
    for (int i = 0; i < n; ++i) from(all[i], host[i]);
    cudaMalloc(&at, n * sizeof(T));
    cudaMemcpy(at, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Device() { cudaFree(at); }
  std::vector<C> host() const {
    std::vector<T> all(n);
    cudaMemcpy(all.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost);
    std::vector<C> out;
    for (T x : all) out.push_back(toC(x));
    return out;
  }
};

static int wrong;
static void expect(bool right, const char *what, int at) {
  if (!right && ++wrong <= 5) printf("%s is wrong at %d\n", what, at);
}
static void close(const char *what, int at, C got, C want) {
  expect(std::abs(got - want) <= 1e-4 * (1 + std::abs(want)), what, at);
}
#define RUN(CALL) expect((CALL) == CUBLAS_STATUS_SUCCESS, #CALL, -1)

constexpr int n = 7, ld = 9;
enum { GENERAL, SYMMETRIC, HERMITIAN, TRIANGULAR };

static Dense dense(int kind, bool upper, bool unit, int kl = n, int ku = n) {
  Dense d = several(n * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      C &x = d[j * n + i];
      if (i - j > kl || j - i > ku) x = 0;
      if (kind == TRIANGULAR && (upper ? i > j : i < j)) x = 0;
      if (kind == TRIANGULAR && i == j) x = unit ? 1 : x + C(x.real() < 0 ? -4 : 4);
      if (kind == HERMITIAN && i == j) x = x.real();
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) {
      if (kind == SYMMETRIC) d[i * n + j] = d[j * n + i];
      if (kind == HERMITIAN) d[i * n + j] = std::conj(d[j * n + i]);
    }
  return d;
}
/* As the call reads it: what it must not read is something else. */
static std::vector<C> full(const Dense &d, int kind, bool upper, bool unit) {
  std::vector<C> a(ld * n, 77);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (kind == GENERAL || (i == j ? !(kind == TRIANGULAR && unit) : upper == (i < j))) a[j * ld + i] = d[j * n + i];
  return a;
}
static std::vector<C> banded(const Dense &d, int kl, int ku, bool unit = false) {
  std::vector<C> a(ld * n, 77);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (i - j <= kl && j - i <= ku && !(unit && i == j)) a[j * ld + ku + i - j] = d[j * n + i];
  return a;
}
static std::vector<C> packed(const Dense &d, bool upper, bool unit = false) {
  std::vector<C> a;
  for (int j = 0; j < n; ++j)
    for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i) a.push_back(unit && i == j ? C(77) : d[j * n + i]);
  return a;
}
static C op(const Dense &d, int trans, int i, int j) {
  return trans == 0 ? d[j * n + i] : trans == 1 ? d[i * n + j] : std::conj(d[i * n + j]);
}
/* Vectors with increments: x every second, y backwards. */
static std::vector<C> spread(const std::vector<C> &x, int inc) {
  std::vector<C> all(1 + (n - 1) * std::abs(inc), 55);
  for (int i = 0; i < n; ++i) all[inc > 0 ? i * inc : (i - n + 1) * inc] = x[i];
  return all;
}
static C element(const std::vector<C> &x, int i, int inc) { return x[inc > 0 ? i * inc : (i - n + 1) * inc]; }

#define HAS(F)                                                                                                         \
  template <class... A> static cublasStatus_t F(A... a) { return PASTE(X, F)(a...); }
#define PASTE(A, B) PASTED(A, B)
#define PASTED(A, B) cublas##A##B
#define ALL(M)                                                                                                         \
  M(gbmv) M(symv) M(hemv) M(sbmv) M(hbmv) M(spmv) M(hpmv) M(gemv) M(gemvBatched) M(gemvStridedBatched) M(trmv) M(trsv) \
  M(tbmv) M(tbsv) M(tpmv) M(tpsv) M(syr) M(her) M(spr) M(hpr) M(syr2) M(her2) M(spr2) M(hpr2) M(geru) M(gerc)          \
  M(symm) M(hemm) M(syrk) M(herk) M(syr2k) M(her2k) M(syrkx) M(herkx) M(trmm) M(trsm) M(trsmBatched) M(dgmm) M(geam)  \
  M(tpttr) M(trttp) M(rot) M(rotg) M(rotm) M(rotmg) M(axpy) M(scal) M(copy) M(swap) M(dotu) M(dotc) M(gemm)           \
  M(gemm3m) M(gemmGroupedBatched)
struct S {
  typedef float T, R;
#define X S
  ALL(HAS)
#undef X
};
struct D {
  typedef double T, R;
#define X D
  ALL(HAS)
#undef X
};
struct Cx {
  typedef cuComplex T;
  typedef float R;
#define X C
  ALL(HAS)
#undef X
};
struct Zx {
  typedef cuDoubleComplex T;
  typedef double R;
#define X Z
  ALL(HAS)
#undef X
};

static cublasHandle_t h;
static cublasFillMode_t fill(int upper) { return upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER; }

template <class B> void matricesAndVectors() {
  typedef typename B::T T;
  typedef typename B::R R;
  constexpr bool complex = sizeof(T) != sizeof(R);
  const C alphaC = some(), betaC = some();
  const T alpha = number<T>(alphaC), beta = number<T>(betaC);
  const R real = (R)1.5;
  const std::vector<C> x = several(n), y = several(n);
  const int incx = 2, incy = -1;
  const Device<T> dx(spread(x, incx));
  auto product = [&](const char *what, const Dense &d, int trans, auto call) {
    Device<T> dy(spread(y, incy));
    RUN(call(dx.at, dy.at));
    const auto got = dy.host();
    for (int i = 0; i < n; ++i) {
      C sum = 0;
      for (int j = 0; j < n; ++j) sum += op(d, trans, i, j) * x[j];
      close(what, i, element(got, i, incy), alphaC * sum + betaC * y[i]);
    }
  };
  for (int trans = 0; trans < 3; ++trans) {
    const Dense d = dense(GENERAL, false, false, 2, 1);
    const Device<T> a(banded(d, 2, 1)), whole(full(d, GENERAL, false, false));
    const auto t = (cublasOperation_t)trans;
    product("gbmv", d, trans, [&](T *x, T *y) { return B::gbmv(h, t, n, n, 2, 1, &alpha, a.at, ld, x, incx, &beta, y, incy); });
    product("gemvStridedBatched", d, trans, [&](T *x, T *y) { return B::gemvStridedBatched(h, t, n, n, &alpha, whole.at, ld, 0LL, x, incx, 0LL, &beta, y, incy, 0LL, 1); });
    if constexpr (complex) product("gemv", d, trans, [&](T *x, T *y) { return B::gemv(h, t, n, n, &alpha, whole.at, ld, x, incx, &beta, y, incy); });
  }
  for (int upper = 0; upper < 2; ++upper) {
    const auto u = fill(upper);
    const Dense s = dense(SYMMETRIC, false, false);
    const Device<T> a(full(s, SYMMETRIC, upper, false));
    product("symv", s, 0, [&](T *x, T *y) { return B::symv(h, u, n, &alpha, a.at, ld, x, incx, &beta, y, incy); });
    const int kind = complex ? HERMITIAN : SYMMETRIC;
    const Dense d = dense(kind, false, false, 2, 2), w = dense(kind, false, false);
    const Device<T> b(banded(d, upper ? 0 : 2, upper ? 2 : 0)), p(packed(w, upper)), f(full(w, kind, upper, false));
    if constexpr (complex) {
      product("hemv", w, 0, [&](T *x, T *y) { return B::hemv(h, u, n, &alpha, f.at, ld, x, incx, &beta, y, incy); });
      product("hbmv", d, 0, [&](T *x, T *y) { return B::hbmv(h, u, n, 2, &alpha, b.at, ld, x, incx, &beta, y, incy); });
      product("hpmv", w, 0, [&](T *x, T *y) { return B::hpmv(h, u, n, &alpha, p.at, x, incx, &beta, y, incy); });
    } else {
      product("sbmv", d, 0, [&](T *x, T *y) { return B::sbmv(h, u, n, 2, &alpha, b.at, ld, x, incx, &beta, y, incy); });
      product("spmv", w, 0, [&](T *x, T *y) { return B::spmv(h, u, n, &alpha, p.at, x, incx, &beta, y, incy); });
    }
    for (int trans = 0; trans < 3; ++trans)
      for (int unit = 0; unit < 2; ++unit) {
        const auto t = (cublasOperation_t)trans;
        const auto g = (cublasDiagType_t)unit;
        auto check = [&](const char *what, const Dense &d, auto multiply, auto solve) {
          Device<T> v(spread(x, incx));
          RUN(multiply(v.at));
          const auto product = v.host();
          for (int i = 0; i < n; ++i) {
            C sum = 0;
            for (int j = 0; j < n; ++j) sum += op(d, trans, i, j) * x[j];
            close(what, i, element(product, i, incx), sum);
          }
          RUN(solve(v.at));
          const auto back = v.host();
          for (int i = 0; i < n; ++i) close(what, 100 + i, element(back, i, incx), x[i]);
        };
        const Dense d = dense(TRIANGULAR, upper, unit), z = dense(TRIANGULAR, upper, unit, 2, 2);
        const Device<T> a(full(d, TRIANGULAR, upper, unit)), b(banded(z, upper ? 0 : 2, upper ? 2 : 0, unit)), p(packed(d, upper, unit));
        check("trmv, trsv", d, [&](T *x) { return B::trmv(h, u, t, g, n, a.at, ld, x, incx); }, [&](T *x) { return B::trsv(h, u, t, g, n, a.at, ld, x, incx); });
        check("tbmv, tbsv", z, [&](T *x) { return B::tbmv(h, u, t, g, n, 2, b.at, ld, x, incx); }, [&](T *x) { return B::tbsv(h, u, t, g, n, 2, b.at, ld, x, incx); });
        check("tpmv, tpsv", d, [&](T *x) { return B::tpmv(h, u, t, g, n, p.at, x, incx); }, [&](T *x) { return B::tpsv(h, u, t, g, n, p.at, x, incx); });
      }
    /* Rank updates of a triangle; the other one stays as it is. */
    const Device<T> dy(spread(y, incy));
    auto update = [&](const char *what, int kind, bool isPacked, auto call, auto want) {
      const Dense d = dense(kind, false, false);
      Device<T> a(isPacked ? packed(d, upper) : full(d, kind, upper, false));
      RUN(call(a.at));
      Dense after(n * n);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) after[j * n + i] = d[j * n + i] + want(i, j);
      const auto got = a.host(), expected = isPacked ? packed(after, upper) : full(after, kind, upper, false);
      for (size_t i = 0; i < got.size(); ++i) close(what, (int)i, got[i], expected[i]);
    };
    update("syr", SYMMETRIC, false, [&](T *a) { return B::syr(h, u, n, &alpha, dx.at, incx, a, ld); }, [&](int i, int j) { return alphaC * x[i] * x[j]; });
    const auto both = [&](int i, int j) { return alphaC * (x[i] * y[j] + y[i] * x[j]); };
    update("syr2", SYMMETRIC, false, [&](T *a) { return B::syr2(h, u, n, &alpha, dx.at, incx, dy.at, incy, a, ld); }, both);
    const auto one = [&](int i, int j) { return C(real) * x[i] * std::conj(x[j]); };
    const auto two = [&](int i, int j) { return alphaC * x[i] * std::conj(y[j]) + std::conj(alphaC) * y[i] * std::conj(x[j]); };
    if constexpr (complex) {
      update("her", HERMITIAN, false, [&](T *a) { return B::her(h, u, n, &real, dx.at, incx, a, ld); }, one);
      update("hpr", HERMITIAN, true, [&](T *a) { return B::hpr(h, u, n, &real, dx.at, incx, a); }, one);
      update("her2", HERMITIAN, false, [&](T *a) { return B::her2(h, u, n, &alpha, dx.at, incx, dy.at, incy, a, ld); }, two);
      update("hpr2", HERMITIAN, true, [&](T *a) { return B::hpr2(h, u, n, &alpha, dx.at, incx, dy.at, incy, a); }, two);
      if (upper) continue;
      update("geru", GENERAL, false, [&](T *a) { return B::geru(h, n, n, &alpha, dx.at, incx, dy.at, incy, a, ld); }, [&](int i, int j) { return alphaC * x[i] * y[j]; });
      update("gerc", GENERAL, false, [&](T *a) { return B::gerc(h, n, n, &alpha, dx.at, incx, dy.at, incy, a, ld); }, [&](int i, int j) { return alphaC * x[i] * std::conj(y[j]); });
    } else {
      update("spr", SYMMETRIC, true, [&](T *a) { return B::spr(h, u, n, &alpha, dx.at, incx, a); }, [&](int i, int j) { return alphaC * x[i] * x[j]; });
      update("spr2", SYMMETRIC, true, [&](T *a) { return B::spr2(h, u, n, &alpha, dx.at, incx, dy.at, incy, a); }, both);
    }
  }
}

template <class B> void matrices() {
  typedef typename B::T T;
  typedef typename B::R R;
  constexpr bool complex = sizeof(T) != sizeof(R);
  const C alphaC = some(), betaC = some();
  const T alpha = number<T>(alphaC), beta = number<T>(betaC);
  const R realAlpha = (R)1.5, realBeta = (R)-0.5;
  const Dense b = dense(GENERAL, false, false), e = dense(GENERAL, false, false);
  const Device<T> db(full(b, GENERAL, false, false)), de(full(e, GENERAL, false, false));
  /* C, all of it or its triangle, after a call; `want`: what is added to beta times it. */
  auto check = [&](const char *what, int part, C scale, bool hermitian, auto call, auto want) {
    const Dense c = dense(hermitian ? HERMITIAN : GENERAL, false, false);
    Device<T> dc(full(c, GENERAL, false, false));
    RUN(call(dc.at));
    const auto got = dc.host();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const bool written = part == 0 || (part == 1 ? i >= j : i <= j);
        close(what, j * n + i, got[j * ld + i], written ? scale * c[j * n + i] + want(i, j) : c[j * n + i]);
      }
  };
  auto times = [&](const Dense &left, int t, const Dense &right, int s) {
    return [&left, t, &right, s](int i, int j) {
      C sum = 0;
      for (int l = 0; l < n; ++l) sum += op(left, t, i, l) * op(right, s, l, j);
      return sum;
    };
  };
  for (int upper = 0; upper < 2; ++upper) {
    const auto u = fill(upper);
    for (int right = 0; right < 2; ++right) {
      const auto side = (cublasSideMode_t)right;
      auto sided = [&](const char *what, int kind, auto call) {
        const Dense d = dense(kind, false, false);
        const Device<T> a(full(d, kind, upper, false));
        const auto sum = right ? times(b, 0, d, 0) : times(d, 0, b, 0);
        check(what, 0, betaC, false, [&](T *c) { return call(a.at, c); }, [&](int i, int j) { return alphaC * sum(i, j); });
      };
      sided("symm", SYMMETRIC, [&](T *a, T *c) { return B::symm(h, side, u, n, n, &alpha, a, ld, db.at, ld, &beta, c, ld); });
      if constexpr (complex) sided("hemm", HERMITIAN, [&](T *a, T *c) { return B::hemm(h, side, u, n, n, &alpha, a, ld, db.at, ld, &beta, c, ld); });
      for (int trans = 0; trans < 3; ++trans)
        for (int unit = 0; unit < 2; ++unit) {
          const auto t = (cublasOperation_t)trans;
          const auto g = (cublasDiagType_t)unit;
          const Dense d = dense(TRIANGULAR, upper, unit);
          const Device<T> a(full(d, TRIANGULAR, upper, unit));
          const auto sum = right ? times(b, 0, d, trans) : times(d, trans, b, 0);
          check("trmm", 0, 0, false, [&](T *c) { return B::trmm(h, side, u, t, g, n, n, &alpha, a.at, ld, db.at, ld, c, ld); }, [&](int i, int j) { return alphaC * sum(i, j); });
          /* In the place of B, and back. */
          Device<T> place(full(b, GENERAL, false, false));
          RUN(B::trmm(h, side, u, t, g, n, n, &alpha, a.at, ld, place.at, ld, place.at, ld));
          const T inverse = number<T>(C(1) / alphaC);
          T *const hosted[] = {place.at};
          const T *const matrices[] = {a.at};
          T **places;
          const T **as;
          cudaMalloc(&places, sizeof hosted), cudaMalloc(&as, sizeof matrices);
          cudaMemcpy(places, hosted, sizeof hosted, cudaMemcpyHostToDevice);
          cudaMemcpy(as, matrices, sizeof matrices, cudaMemcpyHostToDevice);
          RUN(B::trsmBatched(h, side, u, t, g, n, n, &inverse, (const T *const *)as, ld, (T *const *)places, ld, 1));
          cudaFree(places), cudaFree(as);
          auto back = place.host();
          for (int i = 0; i < n * n; ++i) close("trsmBatched", i, back[i / n * ld + i % n], b[i]);
          if constexpr (complex) {
            RUN(B::trmm(h, side, u, t, g, n, n, &alpha, a.at, ld, place.at, ld, place.at, ld));
            RUN(B::trsm(h, side, u, t, g, n, n, &inverse, a.at, ld, place.at, ld));
            back = place.host();
            for (int i = 0; i < n * n; ++i) close("trsm", i, back[i / n * ld + i % n], b[i]);
          }
        }
    }
    for (int trans = 0; trans < 2; ++trans) {
      const auto t = (cublasOperation_t)trans;
      const auto bb = times(b, trans, b, 1 - trans), be = times(b, trans, e, 1 - trans), eb = times(e, trans, b, 1 - trans);
      check("syr2k", upper + 1, betaC, false, [&](T *c) { return B::syr2k(h, u, t, n, n, &alpha, db.at, ld, de.at, ld, &beta, c, ld); }, [&](int i, int j) { return alphaC * (be(i, j) + eb(i, j)); });
      check("syrkx", upper + 1, betaC, false, [&](T *c) { return B::syrkx(h, u, t, n, n, &alpha, db.at, ld, de.at, ld, &beta, c, ld); }, [&](int i, int j) { return alphaC * be(i, j); });
      check("syrk", upper + 1, betaC, false, [&](T *c) { return B::syrk(h, u, t, n, n, &alpha, db.at, ld, &beta, c, ld); }, [&](int i, int j) { return alphaC * bb(i, j); });
      if constexpr (complex) {
        const auto o = trans ? CUBLAS_OP_C : CUBLAS_OP_N;
        const auto hh = times(b, 2 * trans, b, 2 - 2 * trans), he = times(b, 2 * trans, e, 2 - 2 * trans), eh = times(e, 2 * trans, b, 2 - 2 * trans);
        check("herk", upper + 1, realBeta, true, [&](T *c) { return B::herk(h, u, o, n, n, &realAlpha, db.at, ld, &realBeta, c, ld); }, [&](int i, int j) { return C(realAlpha) * hh(i, j); });
        check("her2k", upper + 1, realBeta, true, [&](T *c) { return B::her2k(h, u, o, n, n, &alpha, db.at, ld, de.at, ld, &realBeta, c, ld); }, [&](int i, int j) { return alphaC * he(i, j) + std::conj(alphaC) * eh(i, j); });
        /* Hermitian where A and B make it so. */
        const T one = number<T>(1);
        check("herkx", upper + 1, realBeta, true, [&](T *c) { return B::herkx(h, u, o, n, n, &one, db.at, ld, db.at, ld, &realBeta, c, ld); }, hh);
      }
    }
    const Dense d = dense(SYMMETRIC, false, false);
    const Device<T> p(packed(d, upper));
    Device<T> whole(std::vector<C>(ld * n, 77));
    RUN(B::tpttr(h, u, n, p.at, whole.at, ld));
    const auto got = whole.host(), want = full(d, SYMMETRIC, upper, false);
    for (size_t i = 0; i < got.size(); ++i) close("tpttr", (int)i, got[i], want[i]);
    Device<T> again(std::vector<C>(n * (n + 1) / 2));
    RUN(B::trttp(h, u, n, whole.at, ld, again.at));
    const auto first = p.host(), second = again.host();
    for (size_t i = 0; i < first.size(); ++i) close("trttp", (int)i, second[i], first[i]);
  }
  const std::vector<C> x = several(n);
  const Device<T> dx(spread(x, 2));
  check("dgmm, left", 0, 0, false, [&](T *c) { return B::dgmm(h, CUBLAS_SIDE_LEFT, n, n, db.at, ld, dx.at, 2, c, ld); }, [&](int i, int j) { return x[i] * b[j * n + i]; });
  check("dgmm, right", 0, 0, false, [&](T *c) { return B::dgmm(h, CUBLAS_SIDE_RIGHT, n, n, db.at, ld, dx.at, 2, c, ld); }, [&](int i, int j) { return x[j] * b[j * n + i]; });
  if constexpr (complex) {
    check("geam", 0, 0, false, [&](T *c) { return B::geam(h, CUBLAS_OP_C, CUBLAS_OP_T, n, n, &alpha, db.at, ld, &beta, de.at, ld, c, ld); }, [&](int i, int j) { return alphaC * op(b, 2, i, j) + betaC * op(e, 1, i, j); });
    const auto be = times(b, 0, e, 2);
    check("gemm3m", 0, betaC, false, [&](T *c) { return B::gemm3m(h, CUBLAS_OP_N, CUBLAS_OP_C, n, n, n, &alpha, db.at, ld, de.at, ld, &beta, c, ld); }, [&](int i, int j) { return alphaC * be(i, j); });
  }
}

template <class B> void rotations() {
  typedef typename B::T T;
  typedef typename B::R R;
  constexpr bool complex = sizeof(T) != sizeof(R);
  T a = number<T>(some()), b = number<T>(some()), s;
  const C a0 = toC(a), b0 = toC(b);
  R c;
  RUN(B::rotg(h, &a, &b, &c, &s));
  close("rotg, r", 0, C(c) * a0 + toC(s) * b0, toC(a));
  close("rotg, 0", 0, -std::conj(toC(s)) * a0 + C(c) * b0, 0);
  const std::vector<C> x = several(n), y = several(n);
  Device<T> dx(spread(x, 2)), dy(spread(y, -1));
  RUN(B::rot(h, n, dx.at, 2, dy.at, -1, &c, &s));
  const auto gotX = dx.host(), gotY = dy.host();
  for (int i = 0; i < n; ++i) {
    close("rot, x", i, element(gotX, i, 2), C(c) * x[i] + toC(s) * y[i]);
    close("rot, y", i, element(gotY, i, -1), C(c) * y[i] - std::conj(toC(s)) * x[i]);
  }
  if constexpr (!complex) {
    T d1 = 2, d2 = 3, x1 = (T)1.5, y1 = (T)-0.5, m[5] = {};
    const T x0 = x1;
    RUN(B::rotmg(h, &d1, &d2, &x1, &y1, m));
    Device<T> u({x0}), v({y1});
    RUN(B::rotm(h, 1, u.at, 1, v.at, 1, m));
    close("rotm, x", 0, u.host()[0], x1);
    close("rotm, 0", 0, v.host()[0], 0);
  }
}

template <class B> void report(const char *type, bool complexNumbers) {
  isComplex = complexNumbers;
  const std::pair<const char *, void (*)()> parts[] = {{"rotations", rotations<B>}, {"matrices and vectors", matricesAndVectors<B>}, {"matrices", matrices<B>}};
  for (const auto &[what, run] : parts) {
    wrong = 0;
    run();
    printf("%s, %s: %s\n", type, what, wrong ? "wrong" : "right");
  }
}

/* Complex vectors have names of their own. */
static void vectors() {
  isComplex = true;
  wrong = 0;
  const std::vector<C> x = several(n), y = several(n);
  const C alphaC = some();
  const auto alpha = number<cuDoubleComplex>(alphaC);
  const double real = 0.5;
  Device<cuDoubleComplex> dx(spread(x, 2)), dy(spread(y, -1));
  cuDoubleComplex dot;
  C plain = 0, conjugate = 0;
  double ones = 0, squares = 0, largest = -1, smallest = 1e9;
  int most = 0, least = 0;
  for (int i = 0; i < n; ++i) {
    plain += x[i] * y[i], conjugate += std::conj(x[i]) * y[i];
    const double size = std::abs(x[i].real()) + std::abs(x[i].imag());
    ones += size, squares += std::norm(x[i]);
    if (size > largest) largest = size, most = i + 1;
    if (size < smallest) smallest = size, least = i + 1;
  }
  RUN(cublasZdotu(h, n, dx.at, 2, dy.at, -1, &dot));
  close("dotu", 0, toC(dot), plain);
  RUN(cublasZdotc(h, n, dx.at, 2, dy.at, -1, &dot));
  close("dotc", 0, toC(dot), conjugate);
  double sum;
  int index;
  RUN(cublasDzasum(h, n, dx.at, 2, &sum));
  close("asum", 0, sum, ones);
  RUN(cublasDznrm2(h, n, dx.at, 2, &sum));
  close("nrm2", 0, sum, std::sqrt(squares));
  RUN(cublasIzamax(h, n, dx.at, 2, &index));
  expect(index == most, "amax", index);
  RUN(cublasIzamin(h, n, dx.at, 2, &index));
  expect(index == least, "amin", index);
  RUN(cublasZaxpy(h, n, &alpha, dx.at, 2, dy.at, -1));
  auto got = dy.host();
  for (int i = 0; i < n; ++i) close("axpy", i, element(got, i, -1), y[i] + alphaC * x[i]);
  RUN(cublasZscal(h, n, &alpha, dx.at, 2));
  RUN(cublasZdscal(h, n, &real, dx.at, 2));
  got = dx.host();
  for (int i = 0; i < n; ++i) close("scal", i, element(got, i, 2), real * alphaC * x[i]);
  RUN(cublasZcopy(h, n, dx.at, 2, dy.at, -1));
  const auto copied = dy.host();
  for (int i = 0; i < n; ++i) close("copy", i, element(copied, i, -1), element(got, i, 2));
  /* Results and scalars on the device. */
  RUN(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
  Device<double> result({C(0)}), half({C(0.5)});
  RUN(cublasDzasum(h, n, dy.at, 1, result.at));
  RUN(cublasZdscal(h, n, half.at, dy.at, 1));
  RUN(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
  RUN(cublasDzasum(h, n, dy.at, 1, &sum));
  close("on the device", 0, result.host()[0], 2 * sum);
  printf("complex vectors: %s\n", wrong ? "wrong" : "right");
}

/* Two groups of products, of one and of two matrices. */
static void groups() {
  wrong = 0;
  isComplex = false;
  const Dense a = dense(GENERAL, false, false), b = dense(GENERAL, false, false);
  const Device<double> da(full(a, GENERAL, false, false)), db(full(b, GENERAL, false, false));
  Device<double> c0(std::vector<C>(ld * n)), c1(std::vector<C>(ld * n)), c2(std::vector<C>(ld * n));
  const double *as[] = {da.at, da.at, db.at}, *bs[] = {db.at, da.at, da.at};
  double *cs[] = {c0.at, c1.at, c2.at};
  void *onDevice;
  cudaMalloc(&onDevice, 9 * sizeof(void *));
  auto **arrays = (const double **)onDevice;
  cudaMemcpy(arrays, as, sizeof as, cudaMemcpyHostToDevice);
  cudaMemcpy(arrays + 3, bs, sizeof bs, cudaMemcpyHostToDevice);
  cudaMemcpy(arrays + 6, cs, sizeof cs, cudaMemcpyHostToDevice);
  const cublasOperation_t plain[] = {CUBLAS_OP_N, CUBLAS_OP_N};
  const int sizes[] = {n, n - 2}, lds[] = {ld, ld}, counts[] = {1, 2};
  const double alphas[] = {1, 2}, betas[] = {0, 0};
  RUN(cublasDgemmGroupedBatched(h, plain, plain, sizes, sizes, sizes, alphas, arrays, lds, arrays + 3, lds, betas, (double *const *)(arrays + 6), lds, 2, counts));
  const std::pair<const Dense *, const Dense *> of[] = {{&a, &b}, {&a, &a}, {&b, &a}};
  for (int g = 0; g < 3; ++g) {
    const int size = sizes[g > 0];
    const auto got = (g == 0 ? c0 : g == 1 ? c1 : c2).host();
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) {
        C sum = 0;
        for (int l = 0; l < size; ++l) sum += (*of[g].first)[l * n + i] * (*of[g].second)[j * n + l];
        close("grouped", g * 100 + j * n + i, got[j * ld + i], alphas[g > 0] * sum);
      }
  }
  cudaFree(onDevice);
  printf("groups: %s\n", wrong ? "wrong" : "right");
}

int main() {
  if (cublasCreate(&h) != CUBLAS_STATUS_SUCCESS) return 1;
  report<S>("float", false);
  report<D>("double", false);
  report<Cx>("complex", true);
  report<Zx>("double complex", true);
  vectors();
  groups();
  cublasDestroy(h);
  return cudaDeviceSynchronize();
}
