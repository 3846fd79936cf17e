#include "sparse.h"
#include <cusolverDn.h>
static cusolverDnHandle_t h;
static void *room(size_t bytes) { void *p; cudaMalloc(&p, bytes); return p; }
template <class T> struct Calls {
  cusolverStatus_t (*potrfSize)(cusolverDnHandle_t, cublasFillMode_t, int, T *, int, int *);
  cusolverStatus_t (*potrf)(cusolverDnHandle_t, cublasFillMode_t, int, T *, int, T *, int, int *);
  cusolverStatus_t (*potrs)(cusolverDnHandle_t, cublasFillMode_t, int, int, const T *, int, T *, int, int *);
  cusolverStatus_t (*potrfBatched)(cusolverDnHandle_t, cublasFillMode_t, int, T **, int, int *, int);
  cusolverStatus_t (*potrsBatched)(cusolverDnHandle_t, cublasFillMode_t, int, int, T **, int, T **, int, int *, int);
  cusolverStatus_t (*getrfSize)(cusolverDnHandle_t, int, int, T *, int, int *);
  cusolverStatus_t (*getrf)(cusolverDnHandle_t, int, int, T *, int, T *, int *, int *);
  cusolverStatus_t (*getrs)(cusolverDnHandle_t, cublasOperation_t, int, int, const T *, int, const int *, T *, int, int *);
  cusolverStatus_t (*geqrfSize)(cusolverDnHandle_t, int, int, T *, int, int *);
  cusolverStatus_t (*geqrf)(cusolverDnHandle_t, int, int, T *, int, T *, T *, int, int *);
  cusolverStatus_t (*orgqrSize)(cusolverDnHandle_t, int, int, int, const T *, int, const T *, int *);
  cusolverStatus_t (*orgqr)(cusolverDnHandle_t, int, int, int, T *, int, const T *, T *, int, int *);
  cusolverStatus_t (*ormqrSize)(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int, int, int, const T *, int, const T *, const T *, int, int *);
  cusolverStatus_t (*ormqr)(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int, int, int, const T *, int, const T *, T *, int, T *, int, int *);
};
#define CALLS(X, ORG, ORM) {cusolverDn##X##potrf_bufferSize, cusolverDn##X##potrf, cusolverDn##X##potrs, cusolverDn##X##potrfBatched, cusolverDn##X##potrsBatched, cusolverDn##X##getrf_bufferSize, cusolverDn##X##getrf, cusolverDn##X##getrs, cusolverDn##X##geqrf_bufferSize, cusolverDn##X##geqrf, cusolverDn##X##ORG##_bufferSize, cusolverDn##X##ORG, cusolverDn##X##ORM##_bufferSize, cusolverDn##X##ORM}
struct Bad : Check { void ok(cusolverStatus_t s) { bad += s != CUSOLVER_STATUS_SUCCESS; } };
// A positive definite matrix: a random one times its conjugate transpose, and something on the diagonal.
template <class T> static std::vector<T> definite(int n, int lda, std::vector<Z> &full) {
  std::vector<Z> g(n * n); for (auto &z : g) z = get(random<T>()); full.assign(n * n, 0);
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { Z sum = i == j ? 1 : 0; for (int k = 0; k < n; k++) sum += g[i * n + k] * std::conj(g[j * n + k]); full[i + j * n] = get(number<T>(i <= j ? sum : std::conj(full[j + i * n]))); }
  std::vector<T> a(lda * n); for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) put(a[i + j * lda], full[i + j * n]);
  return a;
}
// How far A X is from B, by the size of what is added up.
template <class T> static void residual(Bad &check, int n, int count, const std::vector<Z> &a, int o, const std::vector<T> &x, const std::vector<T> &b, int ldb) {
  for (int j = 0; j < count; j++) for (int i = 0; i < n; i++) { Z sum = 0; double size = 1; for (int k = 0; k < n; k++) { const Z t = (o ? op(a[k + i * n], o) : a[i + k * n]) * get(x[k + j * ldb]); sum += t; size += std::abs(t); } check(sum / size, get(b[i + j * ldb]) / size); }
}
template <class T> static void cholesky(Calls<T> calls) {
  Bad check; int *info = (int *)room(64);
  for (int n : {1, 30, 75}) for (int upper = 0; upper < 2; upper++) {
    const int lda = n + 2, ldb = n + 1, count = 3; std::vector<Z> full; auto a = definite<T>(n, lda, full); T *da = toDevice(a); const auto b = randoms<T>(ldb * count); T *db = toDevice(b); int size = 0; const cublasFillMode_t fill = (cublasFillMode_t)upper;
    check.ok(calls.potrfSize(h, fill, n, da, lda, &size)); check.bad += size < 1; T *work = (T *)room(size * sizeof(T)); check.ok(calls.potrf(h, fill, n, da, lda, work, size, info)); check.bad += toHost(info, 1)[0] != 0;
    const auto l = toHost(da, lda * n);
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
      if (upper ? i > j : i < j) { check.bad += get(l[i + j * lda]) != full[i + j * n]; continue; }
      Z sum = 0; for (int k = 0; k <= std::min(i, j); k++) sum += upper ? std::conj(get(l[k + i * lda])) * get(l[k + j * lda]) : get(l[i + k * lda]) * std::conj(get(l[j + k * lda]));
      check(sum / (double)n, full[i + j * n] / (double)n);
    }
    check.ok(calls.potrs(h, fill, n, count, da, lda, db, ldb, info)); residual(check, n, count, full, 0, toHost(db, ldb * count), b, ldb);
    // A batch, one of them not positive.
    auto spoiled = a; const int at = n / 2; spoiled[at + at * lda] = number<T>(Z(-1, 0)); T *one = toDevice(a), *two = toDevice(spoiled), *x = toDevice(b), *y = toDevice(b), **as = toDevice(std::vector<T *>{one, two}), **bs = toDevice(std::vector<T *>{x, y});
    check.ok(calls.potrfBatched(h, fill, n, as, lda, info, 2)); const auto infos = toHost(info, 2); check.bad += infos[0] != 0 || infos[1] != at + 1;
    check.ok(calls.potrsBatched(h, fill, n, 1, as, lda, bs, ldb, info, 1)); residual(check, n, 1, full, 0, toHost(x, ldb), b, ldb);
    two = toDevice(spoiled); check.ok(calls.potrf(h, fill, n, two, lda, work, size, info)); check.bad += toHost(info, 1)[0] != at + 1;
  }
  check.bad += calls.potrf(h, CUBLAS_FILL_MODE_LOWER, 5, (T *)info, 4, nullptr, 0, info) != CUSOLVER_STATUS_INVALID_VALUE;
  check.say("Cholesky", Type<T>::name, 10 * Type<T>::most);
}
template <class T> static void lu(Calls<T> calls) {
  Bad check; int *info = (int *)room(4), *pivots = (int *)room(4 * 100);
  for (auto [m, n] : {std::pair{1, 1}, {75, 75}, {50, 81}, {81, 50}}) for (int pivoting = 0; pivoting < 2; pivoting++) {
    const int lda = m + 2; auto a = randoms<T>(lda * n); if (!pivoting) for (int i = 0; i < std::min(m, n); i++) a[i + i * lda] = number<T>(Z(n, 1)); T *da = toDevice(a); int size = 0, *given = pivoting ? pivots : nullptr;
    check.ok(calls.getrfSize(h, m, n, da, lda, &size)); check.ok(calls.getrf(h, m, n, da, lda, (T *)room(size * sizeof(T)), given, info)); check.bad += toHost(info, 1)[0] != 0;
    std::vector<int> rows(m); for (int i = 0; i < m; i++) rows[i] = i; if (pivoting) { const auto p = toHost(pivots, std::min(m, n)); for (int i = 0; i < std::min(m, n); i++) std::swap(rows[i], rows[p[i] - 1]); }
    const auto f = toHost(da, lda * n); std::vector<Z> full(n * n);
    for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) { Z sum = 0; for (int k = 0; k <= std::min(i, std::min(j, n - 1)) && k < m; k++) sum += (k == i ? Z(1) : get(f[i + k * lda])) * get(f[k + j * lda]); check(sum / (double)n, get(a[rows[i] + j * lda]) / (double)n); if (pivoting && i > j) check.bad += std::abs(get(f[i + j * lda])) > 1.5; if (m == n) full[i + j * n] = get(a[i + j * lda]); }
    for (int o = 0; o < 3 && m == n; o++) { const int ldb = n + 1, count = 2; const auto b = randoms<T>(ldb * count); T *db = toDevice(b); check.ok(calls.getrs(h, (cublasOperation_t)o, n, count, da, lda, given, db, ldb, info)); residual(check, n, count, full, o, toHost(db, ldb * count), b, ldb); }
  }
  std::vector<T> singular(40 * 40, number<T>(0)); for (int i = 0; i < 40; i++) if (i != 35) singular[i * 41] = number<T>(Z(1 + i, 0)); T *da = toDevice(singular); check.ok(calls.getrf(h, 40, 40, da, 40, (T *)room(40 * 32 * sizeof(T)), pivots, info)); check.bad += toHost(info, 1)[0] != 36;
  check.say("LU", Type<T>::name, 10 * Type<T>::most);
}
template <class T> static void qr(Calls<T> calls) {
  Bad check; int *info = (int *)room(4);
  for (auto [m, n] : {std::pair{1, 1}, {70, 40}, {40, 70}, {45, 45}}) {
    const int lda = m + 1, k = std::min(m, n); const auto a = randoms<T>(lda * n); T *da = toDevice(a), *tau = (T *)room(k * sizeof(T)); int size = 0; check.ok(calls.geqrfSize(h, m, n, da, lda, &size)); T *work = (T *)room(size * sizeof(T));
    check.ok(calls.geqrf(h, m, n, da, lda, tau, work, size, info)); check.bad += toHost(info, 1)[0] != 0; const auto f = toHost(da, lda * n);
    // Q itself, whose columns are orthonormal, and Q R.
    T *dq = toDevice(f); int length = 0; check.ok(calls.orgqrSize(h, m, k, k, dq, lda, tau, &length)); check.ok(calls.orgqr(h, m, k, k, dq, lda, tau, (T *)room(length * sizeof(T)), length, info)); const auto q = toHost(dq, lda * k);
    for (int i = 0; i < k; i++) for (int j = 0; j < k; j++) { Z sum = 0; for (int l = 0; l < m; l++) sum += std::conj(get(q[l + i * lda])) * get(q[l + j * lda]); check(sum, i == j ? 1 : 0); }
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { Z sum = 0; for (int l = 0; l <= std::min(j, k - 1); l++) sum += get(q[i + l * lda]) * get(f[l + j * lda]); check(sum, get(a[i + j * lda])); }
    // Products with all of Q: of a square matrix, so that all of it is known.
    if (m != n) continue;
    for (int side = 0; side < 2; side++) for (int o = 0; o < 2; o++) {
      const int rows = side ? 7 : m, columns = side ? m : 7, ldc = rows + 1; const auto c = randoms<T>(ldc * columns); T *dc = toDevice(c); const cublasOperation_t O = o ? (imag(get(number<T>(Z(0, 1)))) != 0 ? CUBLAS_OP_C : CUBLAS_OP_T) : CUBLAS_OP_N; const cublasSideMode_t S = (cublasSideMode_t)side;
      check.ok(calls.ormqrSize(h, S, O, rows, columns, k, da, lda, tau, dc, ldc, &length)); check.ok(calls.ormqr(h, S, O, rows, columns, k, da, lda, tau, dc, ldc, (T *)room(length * sizeof(T)), length, info)); const auto got = toHost(dc, ldc * columns);
      auto Q = [&](int i, int j) { return o ? std::conj(get(q[j + i * lda])) : get(q[i + j * lda]); };
      for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) { Z sum = 0; for (int l = 0; l < m; l++) sum += side ? get(c[i + l * ldc]) * Q(l, j) : Q(i, l) * get(c[l + j * ldc]); check(get(got[i + j * ldc]), sum); }
    }
  }
  check.say("QR", Type<T>::name, 20 * Type<T>::most);
}
template <class T> static void general() {
  Bad check; const int n = 50, lda = n; const cudaDataType t = Type<T>::type; cusolverDnParams_t p; check.ok(cusolverDnCreateParams(&p)); check.ok(cusolverDnSetAdvOptions(p, CUSOLVERDN_GETRF, CUSOLVER_ALG_0)); int *info = (int *)room(4); size_t device, host; int64_t *pivots = (int64_t *)room(8 * n);
  std::vector<Z> full; const auto a = definite<T>(n, lda, full); T *da = toDevice(a); const auto b = randoms<T>(n); T *db = toDevice(b); const cublasFillMode_t fill = CUBLAS_FILL_MODE_UPPER;
  check.ok(cusolverDnXpotrf_bufferSize(h, p, fill, n, t, da, lda, t, &device, &host)); check.ok(cusolverDnXpotrf(h, p, fill, n, t, da, lda, t, room(device), device, nullptr, host, info)); check.ok(cusolverDnXpotrs(h, p, fill, n, 1, t, da, lda, t, db, n, info)); residual(check, n, 1, full, 0, toHost(db, n), b, n);
  da = toDevice(a); db = toDevice(b); check.ok(cusolverDnXgetrf_bufferSize(h, p, n, n, t, da, lda, t, &device, &host)); check.ok(cusolverDnXgetrf(h, p, n, n, t, da, lda, pivots, t, room(device), device, nullptr, host, info)); check.ok(cusolverDnXgetrs(h, p, CUBLAS_OP_T, n, 1, t, da, lda, pivots, t, db, n, info)); residual(check, n, 1, full, 1, toHost(db, n), b, n);
  da = toDevice(a); T *tau = (T *)room(n * sizeof(T)); check.ok(cusolverDnXgeqrf_bufferSize(h, p, n, n, t, da, lda, t, tau, t, &device, &host)); check.ok(cusolverDnXgeqrf(h, p, n, n, t, da, lda, t, tau, t, room(device), device, nullptr, host, info));
  const auto r = toHost(da, n * n); for (int j = 0; j < n; j++) { double one = 0, two = 0; for (int i = 0; i < n; i++) { one += std::norm(full[i + j * n]); if (i <= j) two += std::norm(get(r[i + j * n])); } check(two / one, 1); }
  check.bad += cusolverDnXpotrf_bufferSize(h, p, fill, n, CUDA_R_16F, da, lda, t, &device, &host) != CUSOLVER_STATUS_NOT_SUPPORTED; check.ok(cusolverDnDestroyParams(p));
  check.say("64-bit calls", Type<T>::name, 10 * Type<T>::most);
}
template <class T> static void all(Calls<T> calls) { cholesky<T>(calls); lu<T>(calls); qr<T>(calls); general<T>(); }
__global__ void nothing() {}
int main() {
  printf("without a handle: %d\n", (int)cusolverDnSetStream(nullptr, nullptr)); int version; cusolverGetVersion(&version); printf("version: %d\n", version - CUSOLVER_VERSION);
  cusolverDnCreate(&h); cudaStream_t stream, got; cudaStreamCreate(&stream); cusolverDnSetStream(h, stream); cusolverDnGetStream(h, &got); printf("stream: %d\n", got == stream);
  all<float>(CALLS(S, orgqr, ormqr)); all<double>(CALLS(D, orgqr, ormqr)); all<cuComplex>(CALLS(C, ungqr, unmqr)); all<cuDoubleComplex>(CALLS(Z, ungqr, unmqr));
  return cusolverDnDestroy(h);
}
