#include <cstdio>
#include <cmath>
#include <complex>
#include <vector>
#include <cublas_v2.h>
// A number of any of the four types from two parts, and back.
static void put(float &t, double x, double) { t = (float)x; }
static void put(double &t, double x, double) { t = x; }
static void put(cuComplex &t, double x, double y) { t = make_cuComplex((float)x, (float)y); }
static void put(cuDoubleComplex &t, double x, double y) { t = make_cuDoubleComplex(x, y); }
typedef std::complex<double> Z;
static Z get(float t) { return t; }
static Z get(double t) { return t; }
static Z get(cuComplex t) { return Z(t.x, t.y); }
static Z get(cuDoubleComplex t) { return Z(t.x, t.y); }
template <class T> struct Calls {
  cublasStatus_t (*getrf)(cublasHandle_t, int, T *const *, int, int *, int *, int);
  cublasStatus_t (*getrs)(cublasHandle_t, cublasOperation_t, int, int, const T *const *, int, const int *, T *const *, int, int *, int);
  cublasStatus_t (*getri)(cublasHandle_t, int, const T *const *, int, const int *, T *const *, int, int *, int);
};
template <class T> T *toDevice(const std::vector<T> &v) { T *p; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> std::vector<T> toHost(const T *p, size_t n) { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }
template <class T> T **each(T *p, int step, int batch) { std::vector<T *> v; for (int i = 0; i < batch; i++) v.push_back(p + i * step); return toDevice(v); }
// The second of three matrices is singular where `singular` says so: two equal columns.
template <class T> static void test(const char *name, Calls<T> calls, int n, bool pivoting, bool singular, double most) {
  const int batch = 3, lda = n + 2, ldb = n + 1, count = 2, step = lda * n;
  unsigned seed = n;
  auto random = [&] { seed = seed * 1664525u + 1013904223u; return (seed >> 8) / 16777216.0 - 0.5; };
  std::vector<T> a(step * batch), b(ldb * count * batch);
  for (auto &t : a) put(t, random(), random());
  for (auto &t : b) put(t, random(), random());
  if (!pivoting) for (int z = 0; z < batch; z++) for (int i = 0; i < n; i++) put(a[z * step + i * lda + i], n + 1, 1);
  if (singular) for (int i = 0; i < n; i++) put(a[step + i], 1 << i, 0), put(a[step + lda + i], 1 << i, 0);
  cublasHandle_t h; cublasCreate(&h);
  T *da = toDevice(a), **pa = each(da, step, batch), *dc = toDevice(std::vector<T>(n * n * batch)), **pc = each(dc, n * n, batch);
  int *pivots = pivoting ? toDevice(std::vector<int>(n * batch)) : nullptr, *info = toDevice(std::vector<int>(batch, 99));
  double worst = 0; int bad = 0;
  auto check = [&](Z got, Z want) { const double off = std::abs(got - want); if (!(off <= worst)) worst = off; };
  bad += calls.getrf(h, n, pa, lda, pivots, info, batch) != CUBLAS_STATUS_SUCCESS;
  const auto lu = toHost(da, step * batch); const auto said = toHost(info, batch);
  std::vector<int> rows(n);
  for (int z = 0; z < batch; z++) {
    bad += said[z] != (singular && z == 1 ? 2 : 0);
    const auto p = pivoting ? toHost(pivots + z * n, n) : std::vector<int>();
    for (int i = 0; i < n; i++) rows[i] = i;
    for (int i = 0; i < n && pivoting; i++) { bad += p[i] <= i || p[i] > n; std::swap(rows[i], rows[p[i] - 1]); }
    for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) {
      Z sum = 0;
      for (int k = 0; k <= j && k <= i; k++) sum += (k == i ? Z(1) : get(lu[z * step + k * lda + i])) * get(lu[z * step + j * lda + k]);
      check(sum, get(a[z * step + j * lda + rows[i]]));
      if (pivoting && i > j) bad += std::abs(get(lu[z * step + j * lda + i])) > 1.5;
    }
    for (int j = 0; j < n; j++) for (int i = n; i < lda; i++) bad += get(lu[z * step + j * lda + i]) != get(a[z * step + j * lda + i]);
  }
  for (int trans = 0; trans < 3 && !singular; trans++) {
    T *db = toDevice(b), **pb = each(db, ldb * count, batch); int wrong = 99;
    bad += calls.getrs(h, (cublasOperation_t)trans, n, count, pa, lda, pivots, pb, ldb, &wrong, batch) != CUBLAS_STATUS_SUCCESS || wrong != 0;
    const auto x = toHost(db, ldb * count * batch);
    for (int z = 0; z < batch; z++) for (int j = 0; j < count; j++) for (int i = 0; i < n; i++) {
      Z sum = 0;
      for (int k = 0; k < n; k++) {
        const Z e = get(a[z * step + (trans ? i * lda + k : k * lda + i)]);
        sum += (trans == 2 ? std::conj(e) : e) * get(x[z * ldb * count + j * ldb + k]);
      }
      check(sum, get(b[z * ldb * count + j * ldb + i]));
    }
  }
  bad += calls.getri(h, n, pa, lda, pivots, pc, n, info, batch) != CUBLAS_STATUS_SUCCESS;
  const auto inverse = toHost(dc, n * n * batch); const auto could = toHost(info, batch);
  for (int z = 0; z < batch; z++) {
    const bool none = singular && z == 1;
    bad += could[z] != (none ? 2 : 0);
    for (int j = 0; j < n && !none; j++) for (int i = 0; i < n; i++) {
      Z sum = 0;
      for (int k = 0; k < n; k++) sum += get(a[z * step + k * lda + i]) * get(inverse[z * n * n + j * n + k]);
      check(sum, i == j ? 1 : 0);
    }
  }
  int wrong = 0;
  bad += calls.getrs(h, CUBLAS_OP_N, n, count, pa, n - 1, pivots, pa, ldb, &wrong, batch) != CUBLAS_STATUS_INVALID_VALUE || wrong != -5;
  bad += calls.getrf(h, n, pa, n - 1, pivots, info, batch) != CUBLAS_STATUS_INVALID_VALUE;
  cublasDestroy(h);
  printf("%s: %s\n", name, bad == 0 && worst <= most && cudaGetLastError() == 0 ? "right" : "wrong");
  if (bad || !(worst <= most)) printf("  %d bad, off by %g\n", bad, worst);
}
int main() {
  const Calls<float> s = {cublasSgetrfBatched, cublasSgetrsBatched, cublasSgetriBatched};
  const Calls<double> d = {cublasDgetrfBatched, cublasDgetrsBatched, cublasDgetriBatched};
  const Calls<cuComplex> c = {cublasCgetrfBatched, cublasCgetrsBatched, cublasCgetriBatched};
  const Calls<cuDoubleComplex> z = {cublasZgetrfBatched, cublasZgetrsBatched, cublasZgetriBatched};
  test("float", s, 5, true, false, 1e-4);
  test("float without pivots", s, 40, false, false, 1e-4);
  test("double", d, 70, true, false, 1e-11);
  test("double, one singular", d, 6, true, true, 1e-12);
  test("double without pivots, one singular", d, 7, false, true, 1e-12);
  test("complex", c, 9, true, false, 1e-4);
  test("double complex", z, 37, true, false, 1e-12);
  test("double complex without pivots", z, 4, false, false, 1e-13);
}
