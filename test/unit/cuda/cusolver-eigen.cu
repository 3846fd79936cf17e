#include "sparse.h"
#include <cusolverDn.h>
static cusolverDnHandle_t h;
static void *room(size_t bytes) { void *p; cudaMalloc(&p, bytes); return p; }
struct Bad : Check { void operator()(Z got, Z want) { const double off = std::abs(got - want); if (!(off < 1e300)) bad++; else worst = std::max(worst, off); } void ok(cusolverStatus_t s) { bad += s != CUSOLVER_STATUS_SUCCESS; } void invalid(cusolverStatus_t s) { bad += s != CUSOLVER_STATUS_INVALID_VALUE; } void that(bool right) { bad += !right; } };
template <class T> struct Calls; typedef cusolverDnHandle_t H; typedef cusolverEigMode_t M; typedef cublasFillMode_t F; typedef cusolverStatus_t S; typedef cusolverEigType_t E; typedef cusolverEigRange_t G; typedef syevjInfo_t J;
template <class T, class R> struct CallsOf {
  S (*evdSize)(H, M, F, int, const T *, int, const R *, int *); S (*evd)(H, M, F, int, T *, int, R *, T *, int, int *);
  S (*evdxSize)(H, M, G, F, int, const T *, int, R, R, int, int, int *, const R *, int *); S (*evdx)(H, M, G, F, int, T *, int, R, R, int, int, int *, R *, T *, int, int *);
  S (*evjSize)(H, M, F, int, const T *, int, const R *, int *, J); S (*evj)(H, M, F, int, T *, int, R *, T *, int, int *, J);
  S (*evjBatchedSize)(H, M, F, int, const T *, int, const R *, int *, J, int); S (*evjBatched)(H, M, F, int, T *, int, R *, T *, int, int *, J, int);
  S (*gvdSize)(H, E, M, F, int, const T *, int, const T *, int, const R *, int *); S (*gvd)(H, E, M, F, int, T *, int, T *, int, R *, T *, int, int *);
  S (*gvdxSize)(H, E, M, G, F, int, const T *, int, const T *, int, R, R, int, int, int *, const R *, int *); S (*gvdx)(H, E, M, G, F, int, T *, int, T *, int, R, R, int, int, int *, R *, T *, int, int *);
  S (*gvjSize)(H, E, M, F, int, const T *, int, const T *, int, const R *, int *, J); S (*gvj)(H, E, M, F, int, T *, int, T *, int, R *, T *, int, int *, J);
};
#define CALLS(P) {cusolverDn##P##evd_bufferSize, cusolverDn##P##evd, cusolverDn##P##evdx_bufferSize, cusolverDn##P##evdx, cusolverDn##P##evj_bufferSize, cusolverDn##P##evj, cusolverDn##P##evjBatched_bufferSize, cusolverDn##P##evjBatched, cusolverDn##P##gvd_bufferSize, cusolverDn##P##gvd, cusolverDn##P##gvdx_bufferSize, cusolverDn##P##gvdx, cusolverDn##P##gvj_bufferSize, cusolverDn##P##gvj}
// Some hundred times what numbers are rounded by.
template <class R> static constexpr double most = sizeof(R) == 4 ? 3e-5 : 5e-14;
const M N = CUSOLVER_EIG_MODE_NOVECTOR, V = CUSOLVER_EIG_MODE_VECTOR; const G All = CUSOLVER_EIG_RANGE_ALL, Index = CUSOLVER_EIG_RANGE_I, Value = CUSOLVER_EIG_RANGE_V;
static F fill(int upper) { return upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER; }
// A Hermitian matrix with these eigenvalues: turned by random reflectors. Only one triangle is given; `full` has all of it as it was rounded.
template <class T> static std::vector<T> hermitian(const std::vector<double> &values, int upper, int lda, std::vector<Z> &full) {
  const int n = values.size(); full.assign(n * n, 0); for (int i = 0; i < n; i++) full[i + i * n] = values[i];
  for (int turn = 0; turn < 2; turn++) {
    std::vector<Z> v(n), p(n); double size = 0; for (auto &z : v) { z = get(random<T>()); size += std::norm(z); } for (auto &z : v) z *= std::sqrt(2 / size); Z q = 0;
    for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) p[i] += full[i + j * n] * v[j]; q += std::conj(v[i]) * p[i]; }
    for (int i = 0; i < n; i++) p[i] -= q * v[i] * 0.5; for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) full[i + j * n] -= v[i] * std::conj(p[j]) + p[i] * std::conj(v[j]);
  }
  std::vector<T> a(lda * n, number<T>(Z(99, 99)));
  for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) if (upper ? i <= j : i >= j) { put(a[i + j * lda], i == j ? full[i + j * n].real() : full[i + j * n]); full[i + j * n] = get(a[i + j * lda]); full[j + i * n] = std::conj(full[i + j * n]); }
  return a;
}
static std::vector<double> spread(int n) { std::vector<double> v(n); for (int i = 0; i < n; i++) v[i] = std::cos(i * 3.0 / n) * 2 - 0.3; std::sort(v.begin(), v.end()); return v; }
// A V = V W, or A V = B V W, and V' V = 1 or V' B V = 1, by the size of the matrices.
template <class T> static void vectors(Bad &check, const std::vector<Z> &a, int n, const std::vector<Z> *b, const std::vector<T> &v, int ldv, const std::vector<double> &w, int count) {
  double size = 1e-300; for (double x : w) size = std::max(size, std::abs(x)); std::vector<Z> bv(n * count);
  for (int k = 0; k < count; k++) for (int i = 0; i < n; i++) { Z av = 0, sum = 0; for (int j = 0; j < n; j++) { av += a[i + j * n] * get(v[j + k * ldv]); if (b) sum += (*b)[i + j * n] * get(v[j + k * ldv]); } bv[i + k * n] = b ? sum : get(v[i + k * ldv]); check(av / size, bv[i + k * n] * w[k] / size); }
  for (int k = 0; k < count; k++) for (int l = 0; l < count; l++) { Z sum = 0; for (int i = 0; i < n; i++) sum += std::conj(get(v[i + l * ldv])) * bv[i + k * n]; check(sum, k == l ? 1 : 0); }
}
template <class R> static std::vector<double> values(Bad &check, const R *w, int n, const std::vector<double> &known, double scale = 1) {
  const auto got = toHost(w, n); std::vector<double> all(got.begin(), got.end()); for (int i = 0; i < n; i++) check(all[i] / scale, known[i] / scale); return all;
}
template <class T, class R> static void one(const CallsOf<T, R> &calls) {
  Bad check; int *info = (int *)room(4), size; R *w = (R *)room(8 * 300);
  std::vector<std::pair<std::vector<double>, double>> spectra; for (int n : {1, 2, 3, 30}) spectra.push_back({spread(n), 1}); if (sizeof(R) == 8) spectra.push_back({spread(sizeof(T) == 8 ? 200 : 75), 1});
  spectra.push_back({{-1, -1, -1, 0, 0, 0, 0, 1e-3, 1, 1, 1, 1 + 1e-7, 5}, 1}); spectra.push_back({std::vector<double>(20, 0.0), 1}); { auto large = spread(25); for (double &x : large) x *= 1e25; spectra.push_back({large, 1e25}); }
  { std::vector<double> graded; for (int i = 0; i < 40; i++) graded.push_back(std::pow(10., -0.5 * (39 - i))); spectra.push_back({graded, 1}); }
  for (auto &[known, scale] : spectra) for (int upper = 0; upper < 2; upper++) {
    const int n = known.size(), lda = n + 2; if (n >= 40 && upper) continue; std::vector<Z> full; const auto a = hermitian<T>(known, upper, lda, full); T *da = toDevice(a);
    check.ok(calls.evdSize(h, V, fill(upper), n, da, lda, w, &size)); check.that(size > 0); T *work = (T *)room(size * sizeof(T));
    check.ok(calls.evd(h, V, fill(upper), n, da, lda, w, work, size, info)); check.that(toHost(info, 1)[0] == 0); const auto v = toHost(da, lda * n); vectors<T>(check, full, n, nullptr, v, lda, values(check, w, n, known, scale), n); check.that(get(v[n]) == get(number<T>(Z(99, 99))));
    da = toDevice(a); check.ok(calls.evd(h, N, fill(upper), n, da, lda, w, work, size, info)); values(check, w, n, known, scale);
  }
  // 2 on the diagonal and -1 beside it.
  const int n = 60; std::vector<T> chain(n * n, number<T>(0)); std::vector<double> known(n); for (int i = 0; i < n; i++) { put(chain[i * (n + 1)], 2); if (i) put(chain[i + (i - 1) * n], -1); known[i] = 2 - 2 * std::cos((i + 1) * M_PI / (n + 1)); }
  T *da = toDevice(chain); check.ok(calls.evdSize(h, N, fill(0), n, da, n, w, &size)); T *work = (T *)room(size * sizeof(T)); check.ok(calls.evd(h, N, fill(0), n, da, n, w, work, size, info)); values(check, w, n, known);
  check.invalid(calls.evd(h, V, fill(0), n, da, n - 1, w, work, size, info)); check.invalid(calls.evd(h, V, fill(0), -1, da, n, w, work, size, info)); check.invalid(calls.evd(h, V, fill(0), n, da, n, w, work, size - 1, info)); check.invalid(calls.evd(h, (M)2, fill(0), n, da, n, w, work, size, info)); check.ok(calls.evd(h, V, fill(0), 0, da, 1, w, work, size, info));
  check.say("eigenvalues", Type<T>::name, most<R>);
}
template <class T, class R> static void ranges(const CallsOf<T, R> &calls) {
  Bad check; int *info = (int *)room(4), size, found; R *w = (R *)room(8 * 300); const int n = 40, lda = 41; const auto known = spread(n); std::vector<Z> full; const auto a = hermitian<T>(known, 0, lda, full); T *da = toDevice(a);
  check.ok(calls.evdxSize(h, V, Index, fill(0), n, da, lda, 0, 0, 5, 17, &found, w, &size)); T *work = (T *)room(size * sizeof(T)); check.ok(calls.evdx(h, V, Index, fill(0), n, da, lda, 0, 0, 5, 17, &found, w, work, size, info));
  check.that(found == 13); auto v = toHost(da, lda * n); vectors<T>(check, full, n, nullptr, v, lda, values(check, w, 13, {known.begin() + 4, known.begin() + 17}), 13);
  const double low = (known[6] + known[7]) / 2, high = (known[11] + known[12]) / 2; da = toDevice(a); check.ok(calls.evdx(h, V, Value, fill(0), n, da, lda, (R)low, (R)high, 0, 0, &found, w, work, size, info));
  check.that(found == 5); v = toHost(da, lda * n); vectors<T>(check, full, n, nullptr, v, lda, values(check, w, 5, {known.begin() + 7, known.begin() + 12}), 5);
  da = toDevice(a); check.ok(calls.evdx(h, N, Value, fill(0), n, da, lda, 50, 51, 0, 0, &found, w, work, size, info)); check.that(found == 0); da = toDevice(a); check.ok(calls.evdx(h, N, All, fill(0), n, da, lda, 0, 0, 0, 0, &found, w, work, size, info)); check.that(found == n); values(check, w, n, known);
  check.invalid(calls.evdx(h, V, Index, fill(0), n, da, lda, 0, 0, 0, 3, &found, w, work, size, info)); check.invalid(calls.evdx(h, V, Index, fill(0), n, da, lda, 0, 0, 3, n + 1, &found, w, work, size, info)); check.invalid(calls.evdx(h, V, Value, fill(0), n, da, lda, 1, 1, 0, 0, &found, w, work, size, info)); check.invalid(calls.evdx(h, V, (G)7, fill(0), n, da, lda, 1, 2, 1, 1, &found, w, work, size, info));
  check.say("ranges", Type<T>::name, most<R>);
}
template <class T, class R> static void rotations(const CallsOf<T, R> &calls) {
  Bad check; int *info = (int *)room(4 * 8), size, sweeps; R *w = (R *)room(8 * 300); double left; J p; check.ok(cusolverDnCreateSyevjInfo(&p));
  for (int n : {1, 2, 7, 20, 70}) for (int upper = 0; upper < 2; upper++) {
    if (n == 70 && upper) continue;
    const int lda = n + 1; const auto known = spread(n); std::vector<Z> full; const auto a = hermitian<T>(known, upper, lda, full); T *da = toDevice(a); check.ok(calls.evjSize(h, V, fill(upper), n, da, lda, w, &size, p)); T *work = (T *)room(size * sizeof(T));
    check.ok(calls.evj(h, V, fill(upper), n, da, lda, w, work, size, info, p)); check.that(toHost(info, 1)[0] == 0); vectors<T>(check, full, n, nullptr, toHost(da, lda * n), lda, values(check, w, n, known), n);
    check.ok(cusolverDnXsyevjGetSweeps(h, p, &sweeps)); check.ok(cusolverDnXsyevjGetResidual(h, p, &left)); check.that(sweeps >= (n > 1) && sweeps < 15 && left < most<R>);
  }
  // Too few sweeps; then a batch, whose second matrix is diagonal and in no order.
  const int n = 12, count = 3; std::vector<Z> full, last; const auto known = spread(n); auto a = hermitian<T>(known, 0, n, full); T *da = toDevice(a); check.ok(cusolverDnXsyevjSetMaxSweeps(p, 1)); check.ok(calls.evjSize(h, V, fill(0), n, da, n, w, &size, p)); T *work = (T *)room(size * sizeof(T)); check.ok(calls.evj(h, V, fill(0), n, da, n, w, work, size, info, p)); check.that(toHost(info, 1)[0] == n + 1); check.ok(cusolverDnXsyevjGetSweeps(h, p, &sweeps)); check.that(sweeps == 1);
  check.ok(cusolverDnXsyevjSetMaxSweeps(p, 30)); check.ok(cusolverDnXsyevjSetTolerance(p, 1e-14)); check.ok(cusolverDnXsyevjSetSortEig(p, 0)); check.invalid(cusolverDnXsyevjSetSortEig(p, 2)); std::vector<T> middle(n * n, number<T>(0)); for (int i = 0; i < n; i++) put(middle[i * (n + 1)], (i * 5) % n); const auto third = hermitian<T>(known, 0, n, last); a.insert(a.end(), middle.begin(), middle.end()); a.insert(a.end(), third.begin(), third.end());
  da = toDevice(a); check.ok(calls.evjBatchedSize(h, V, fill(0), n, da, n, w, &size, p, count)); work = (T *)room(size * sizeof(T)); check.ok(calls.evjBatched(h, V, fill(0), n, da, n, w, work, size, info, p, count)); for (int i : toHost(info, count)) check.that(i == 0);
  const auto all = toHost(w, n * count); const auto v = toHost(da, n * n * count); for (int i = 0; i < n; i++) check.that(all[n + i] == (i * 5) % n); vectors<T>(check, full, n, nullptr, {v.begin(), v.begin() + n * n}, n, {all.begin(), all.begin() + n}, n); vectors<T>(check, last, n, nullptr, {v.begin() + 2 * n * n, v.end()}, n, {all.begin() + 2 * n, all.end()}, n);
  check.that(cusolverDnXsyevjGetSweeps(h, p, &sweeps) == CUSOLVER_STATUS_NOT_SUPPORTED); check.invalid(calls.evjBatched(h, V, fill(0), n, da, n, w, work, size - 1, info, p, count)); check.ok(cusolverDnDestroySyevjInfo(p)); check.invalid(cusolverDnDestroySyevjInfo(p));
  check.say("rotations", Type<T>::name, most<R>);
}
template <class T, class R> static void two(const CallsOf<T, R> &calls) {
  Bad check; int *info = (int *)room(4), size, found; R *w = (R *)room(8 * 300); J p; check.ok(cusolverDnCreateSyevjInfo(&p));
  for (int n : {3, 12, 66}) for (int type = 1; type < 4; type++) for (int upper = 0; upper < 2; upper++) for (int way = 0; way < 3; way++) {
    if (n == 66 && (upper || way == 1 || type == 3)) continue; const int lda = n + 1, ldb = n + 2; std::vector<Z> fa, fb; auto positive = spread(n); for (double &x : positive) x = x + 4; const auto a = hermitian<T>(spread(n), upper, lda, fa), b = hermitian<T>(positive, upper, ldb, fb); T *da = toDevice(a), *db = toDevice(b); const F f = fill(upper); const E e = (E)type; int first = 0, count = n;
    if (way == 0) { check.ok(calls.gvdSize(h, e, V, f, n, da, lda, db, ldb, w, &size)); check.ok(calls.gvd(h, e, V, f, n, da, lda, db, ldb, w, (T *)room(size * sizeof(T)), size, info)); }
    if (way == 1) { first = 1, count = 2; check.ok(calls.gvdxSize(h, e, V, Index, f, n, da, lda, db, ldb, 0, 0, 2, 3, &found, w, &size)); check.ok(calls.gvdx(h, e, V, Index, f, n, da, lda, db, ldb, 0, 0, 2, 3, &found, w, (T *)room(size * sizeof(T)), size, info)); check.that(found == 2); }
    if (way == 2) { check.ok(calls.gvjSize(h, e, V, f, n, da, lda, db, ldb, w, &size, p)); check.ok(calls.gvj(h, e, V, f, n, da, lda, db, ldb, w, (T *)room(size * sizeof(T)), size, info, p)); }
    check.that(toHost(info, 1)[0] == 0); const auto all = toHost(w, count); std::vector<double> values(all.begin(), all.end()); const auto v = toHost(da, lda * n); for (int i = 1; i < count; i++) check.that(values[i] >= values[i - 1]);
    if (type == 1) vectors<T>(check, fa, n, &fb, v, lda, values, count);
    // A B x = w x, B A x = w x: with y = B x or x = B y, A y = w B⁻¹ y; so x' B x = 1, or x' B⁻¹ x = 1.
    else for (int k = 0; k < count; k++) { std::vector<Z> x(n), y(n), z(n); for (int i = 0; i < n; i++) x[i] = get(v[i + k * lda]); const auto &one = type == 2 ? fb : fa, &next = type == 2 ? fa : fb; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += one[i + j * n] * x[j]; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) z[i] += next[i + j * n] * y[j]; for (int i = 0; i < n; i++) check(z[i] / 10., x[i] * values[k] / 10.); Z q = 0; for (int i = 0; i < n; i++) q += std::conj(x[i]) * y[i]; check(q / 10., (type == 2 ? 1. : values[k]) / 10.); }
  }
  // B is not positive definite.
  const int n = 5; std::vector<Z> full; T *da = toDevice(hermitian<T>(spread(n), 0, n, full)); std::vector<T> b(n * n, number<T>(0)); for (int i = 0; i < n; i++) put(b[i * (n + 1)], i == 2 ? -1 : 1); T *db = toDevice(b); check.ok(calls.gvdSize(h, CUSOLVER_EIG_TYPE_1, V, fill(0), n, da, n, db, n, w, &size)); T *work = (T *)room(size * sizeof(T)); check.ok(calls.gvd(h, CUSOLVER_EIG_TYPE_1, V, fill(0), n, da, n, db, n, w, work, size, info)); check.that(toHost(info, 1)[0] == n + 3); check.invalid(calls.gvd(h, (E)4, V, fill(0), n, da, n, db, n, w, work, size, info)); check.ok(cusolverDnDestroySyevjInfo(p));
  check.say("two matrices", Type<T>::name, most<R>);
}
template <class T, class R> static void general() {
  Bad check; const cudaDataType t = Type<T>::type, r = sizeof(R) == 4 ? CUDA_R_32F : CUDA_R_64F; cusolverDnParams_t p; check.ok(cusolverDnCreateParams(&p)); int *info = (int *)room(64); size_t device, host; R *w = (R *)room(8 * 300); int64_t found;
  const int n = 33; const auto known = spread(n); std::vector<Z> full; const auto a = hermitian<T>(known, 1, n, full); T *da = toDevice(a); check.ok(cusolverDnXsyevd_bufferSize(h, p, V, fill(1), n, t, da, n, r, w, t, &device, &host)); check.ok(cusolverDnXsyevd(h, p, V, fill(1), n, t, da, n, r, w, t, room(device), device, nullptr, host, info)); vectors<T>(check, full, n, nullptr, toHost(da, n * n), n, values(check, w, n, known), n);
  R low = (R)((known[2] + known[3]) / 2), high = (R)10; da = toDevice(a); check.ok(cusolverDnXsyevdx_bufferSize(h, p, V, Value, fill(1), n, t, da, n, &low, &high, 0, 0, &found, r, w, t, &device, &host)); check.ok(cusolverDnXsyevdx(h, p, V, Value, fill(1), n, t, da, n, &low, &high, 0, 0, &found, r, w, t, room(device), device, nullptr, host, info)); check.that(found == n - 3); vectors<T>(check, full, n, nullptr, toHost(da, n * n), n, values(check, w, n - 3, {known.begin() + 3, known.end()}), n - 3);
  for (int m : {9, 66}) { const auto each = spread(m); std::vector<Z> one, two; auto both = hermitian<T>(each, 0, m, one); const auto second = hermitian<T>(each, 0, m, two); both.insert(both.end(), second.begin(), second.end()); da = toDevice(both); check.ok(cusolverDnXsyevBatched_bufferSize(h, p, V, fill(0), m, t, da, m, r, w, t, &device, &host, 2)); check.ok(cusolverDnXsyevBatched(h, p, V, fill(0), m, t, da, m, r, w, t, room(device), device, nullptr, host, info, 2)); const auto v = toHost(da, 2 * m * m); vectors<T>(check, one, m, nullptr, {v.begin(), v.begin() + m * m}, m, values(check, w, m, each), m); vectors<T>(check, two, m, nullptr, {v.begin() + m * m, v.end()}, m, values(check, w + m, m, each), m); for (int i : toHost(info, 2)) check.that(i == 0); }
  check.that(cusolverDnXsyevd_bufferSize(h, p, V, fill(1), n, CUDA_R_16F, da, n, r, w, t, &device, &host) == CUSOLVER_STATUS_NOT_SUPPORTED); check.ok(cusolverDnDestroyParams(p));
  check.say("64-bit calls", Type<T>::name, most<R>);
}
template <class T, class R> static void all(const CallsOf<T, R> &calls) { one(calls); ranges(calls); rotations(calls); two(calls); general<T, R>(); }
__global__ void nothing() {}
int main() {
  cusolverDnCreate(&h); printf("without a handle: %d\n", (int)cusolverDnSsyevd(nullptr, V, fill(0), 0, nullptr, 1, nullptr, nullptr, 0, nullptr));
  all<float, float>(CALLS(Ssy)); all<double, double>(CALLS(Dsy)); all<cuComplex, float>(CALLS(Che)); all<cuDoubleComplex, double>(CALLS(Zhe));
  return cusolverDnDestroy(h);
}
