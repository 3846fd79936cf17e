#include "sparse.h"
#include <cusolverDn.h>
static cusolverDnHandle_t h;
static void *room(size_t bytes) { void *p; cudaMalloc(&p, bytes); return p; }
struct Bad : Check { void operator()(Z got, Z want) { const double off = std::abs(got - want); if (!(off < 1e300)) bad++; else worst = std::max(worst, off); } void ok(cusolverStatus_t s) { bad += s != CUSOLVER_STATUS_SUCCESS; } void invalid(cusolverStatus_t s) { bad += s != CUSOLVER_STATUS_INVALID_VALUE; } void that(bool right) { bad += !right; } };
typedef cusolverDnHandle_t H; typedef cusolverEigMode_t M; typedef cusolverStatus_t S; typedef gesvdjInfo_t J; typedef long long int L;
template <class T, class R> struct CallsOf {
  S (*svdSize)(H, int, int, int *); S (*svd)(H, signed char, signed char, int, int, T *, int, R *, T *, int, T *, int, T *, int, R *, int *);
  S (*jSize)(H, M, int, int, int, const T *, int, const R *, const T *, int, const T *, int, int *, J); S (*j)(H, M, int, int, int, T *, int, R *, T *, int, T *, int, T *, int, int *, J);
  S (*batchedSize)(H, M, int, int, const T *, int, const R *, const T *, int, const T *, int, int *, J, int); S (*batched)(H, M, int, int, T *, int, R *, T *, int, T *, int, T *, int, int *, J, int);
  S (*aSize)(H, M, int, int, int, const T *, int, L, const R *, L, const T *, int, L, const T *, int, L, int *, int); S (*a)(H, M, int, int, int, const T *, int, L, R *, L, T *, int, L, T *, int, L, T *, int, int *, double *, int);
};
#define CALLS(P) {cusolverDn##P##gesvd_bufferSize, cusolverDn##P##gesvd, cusolverDn##P##gesvdj_bufferSize, cusolverDn##P##gesvdj, cusolverDn##P##gesvdjBatched_bufferSize, cusolverDn##P##gesvdjBatched, cusolverDn##P##gesvdaStridedBatched_bufferSize, cusolverDn##P##gesvdaStridedBatched}
// Some hundred times what numbers are rounded by.
template <class R> static constexpr double most = sizeof(R) == 4 ? 3e-5 : 5e-14;
const M V = CUSOLVER_EIG_MODE_VECTOR, N = CUSOLVER_EIG_MODE_NOVECTOR;
// A matrix with these singular values: a diagonal one between two random reflectors. `full` is what it was rounded to.
template <class T> static std::vector<T> matrix(int m, int n, int lda, const std::vector<double> &s, std::vector<Z> &full) {
  full.assign(m * n, 0); for (size_t i = 0; i < s.size(); i++) full[i + i * m] = s[i]; std::vector<Z> u(m), v(n);
  for (auto *x : {&u, &v}) { double size = 0; for (auto &z : *x) { z = get(random<T>()); size += std::norm(z); } for (auto &z : *x) z *= std::sqrt(2 / size); }
  for (int j = 0; j < n; j++) { Z sum = 0; for (int i = 0; i < m; i++) sum += std::conj(u[i]) * full[i + j * m]; for (int i = 0; i < m; i++) full[i + j * m] -= u[i] * sum; }
  for (int i = 0; i < m; i++) { Z sum = 0; for (int j = 0; j < n; j++) sum += full[i + j * m] * v[j]; for (int j = 0; j < n; j++) full[i + j * m] -= sum * std::conj(v[j]); }
  std::vector<T> a(lda * n, number<T>(Z(99, 99))); for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) { put(a[i + j * lda], full[i + j * m]); full[i + j * m] = get(a[i + j * lda]); }
  return a;
}
static std::vector<double> falling(int n) { std::vector<double> s(n); for (int i = 0; i < n; i++) s[i] = 2.0 * (n - i) / n; return s; }
template <class R> static std::vector<double> values(Bad &check, const R *s, const std::vector<double> &known, double scale = 1) { const auto got = toHost(s, known.size()); for (size_t i = 0; i < known.size(); i++) check(got[i] / scale, known[i] / scale); return {got.begin(), got.end()}; }
template <class T> static void orthonormal(Bad &check, const std::vector<T> &u, int m, int ld, int count) { for (int k = 0; k < count; k++) for (int l = 0; l <= k; l++) { Z sum = 0; for (int i = 0; i < m; i++) sum += std::conj(get(u[i + l * ld])) * get(u[i + k * ld]); check(sum, k == l ? 1 : 0); } }
// U S V' beside A; V as columns or, conjugate, as rows.
template <class T> static void product(Bad &check, const std::vector<Z> &full, int m, int n, const std::vector<double> &s, const std::vector<T> &u, int ldu, const std::vector<T> &v, int ldv, bool rows) {
  const double scale = std::max(s[0], 1e-300); for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) { Z sum = 0; for (size_t k = 0; k < s.size(); k++) sum += get(u[i + k * ldu]) * s[k] * (rows ? get(v[k + j * ldv]) : std::conj(get(v[j + k * ldv]))); check(sum / scale, full[i + j * m] / scale); }
}
template <class T> static std::vector<T> columnsOf(const std::vector<T> &rows, int n, int ld) { std::vector<T> v(n * n); for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) put(v[j + i * n], std::conj(get(rows[i + j * ld]))); return v; }
template <class T, class R> static void one(const CallsOf<T, R> &calls) {
  Bad check; int *info = (int *)room(4), size; R *s = (R *)room(8 * 300);
  struct Case { int m, n; std::vector<double> s; double scale; }; std::vector<Case> cases; for (auto [m, n] : {std::pair{1, 1}, {5, 3}, {20, 20}, {75, 30}}) cases.push_back({m, n, falling(n), 1});
  cases.push_back({9, 6, {3, 3, 1, 1e-9, 0, 0}, 1}); cases.push_back({6, 4, {0, 0, 0, 0}, 1}); { auto large = falling(12); for (double &x : large) x *= 1e25; cases.push_back({15, 12, large, 1e25}); } { std::vector<double> graded; for (int i = 0; i < 20; i++) graded.push_back(std::pow(10., -0.5 * i)); cases.push_back({25, 20, graded, 1}); } if (sizeof(T) == 8) cases.push_back({210, 20, falling(20), 1});
  for (auto &[m, n, known, scale] : cases) for (auto jobs : {"AA", "SS", "OS", "SO", "NA", "AN", "NN"}) {
    if ((m == 75 || m == 210) && jobs[1] != 'S') continue; const int lda = m + 1, ldu = m + 2, ldv = n + 1; std::vector<Z> full; const auto a = matrix<T>(m, n, lda, known, full); T *da = toDevice(a), *u = (T *)room(ldu * m * sizeof(T)), *vt = (T *)room(ldv * n * sizeof(T)); check.ok(calls.svdSize(h, m, n, &size)); check.that(size > 0);
    check.ok(calls.svd(h, jobs[0], jobs[1], m, n, da, lda, s, u, ldu, vt, ldv, (T *)room(size * sizeof(T)), size, nullptr, info)); check.that(toHost(info, 1)[0] == 0); const auto got = values(check, s, known, scale); for (double x : got) check.that(x >= 0);
    const auto left = jobs[0] == 'O' ? toHost(da, lda * n) : toHost(u, ldu * m), right = jobs[1] == 'O' ? toHost(da, lda * n) : toHost(vt, ldv * n); const int ldl = jobs[0] == 'O' ? lda : ldu, ldr = jobs[1] == 'O' ? lda : ldv;
    if (jobs[0] != 'N') orthonormal(check, left, m, ldl, jobs[0] == 'A' ? m : n); if (jobs[1] != 'N') orthonormal(check, columnsOf(right, n, ldr), n, n, n); if (jobs[0] != 'N' && jobs[1] != 'N') product(check, full, m, n, got, left, ldl, right, ldr, true);
  }
  T *da = (T *)room(64 * sizeof(T)); check.invalid(calls.svdSize(h, 3, 4, &size)); check.ok(calls.svdSize(h, 4, 3, &size)); T *work = (T *)room(size * sizeof(T)); check.invalid(calls.svd(h, 'N', 'N', 3, 4, da, 4, s, da, 4, da, 4, work, size, nullptr, info)); check.invalid(calls.svd(h, 'O', 'O', 4, 3, da, 4, s, da, 4, da, 4, work, size, nullptr, info)); check.invalid(calls.svd(h, 'X', 'N', 4, 3, da, 4, s, da, 4, da, 4, work, size, nullptr, info)); check.invalid(calls.svd(h, 'A', 'N', 4, 3, da, 4, s, da, 3, da, 4, work, size, nullptr, info)); check.invalid(calls.svd(h, 'N', 'N', 4, 3, da, 4, s, da, 4, da, 4, work, size - 1, nullptr, info));
  check.say("singular values", Type<T>::name, most<R>);
}
template <class T, class R> static void rotations(const CallsOf<T, R> &calls) {
  Bad check; int *info = (int *)room(16), size, sweeps; R *s = (R *)room(8 * 300); double left; J p; check.ok(cusolverDnCreateGesvdjInfo(&p));
  struct Case { int m, n; std::vector<double> s; }; std::vector<Case> cases; for (auto [m, n] : {std::pair{1, 1}, {5, 3}, {3, 5}, {24, 24}, {12, 30}, {70, 66}, {66, 70}}) cases.push_back({m, n, falling(std::min(m, n))}); cases.push_back({9, 6, {3, 3, 1, 1e-9, 0, 0}}); cases.push_back({6, 4, {0, 0, 0, 0}});
  for (auto &[m, n, known] : cases) for (int economic = 0; economic < 2; economic++) {
    const int lda = m + 1, ldu = m + 2, ldv = n + 1, least = known.size(); std::vector<Z> full; T *da = toDevice(matrix<T>(m, n, lda, known, full)), *u = (T *)room(ldu * m * sizeof(T)), *v = (T *)room(ldv * n * sizeof(T)); check.ok(calls.jSize(h, V, economic, m, n, da, lda, s, u, ldu, v, ldv, &size, p));
    check.ok(calls.j(h, V, economic, m, n, da, lda, s, u, ldu, v, ldv, (T *)room(size * sizeof(T)), size, info, p)); check.that(toHost(info, 1)[0] == 0); const auto got = values(check, s, known); const auto hu = toHost(u, ldu * m), hv = toHost(v, ldv * n);
    orthonormal(check, hu, m, ldu, economic ? least : m); orthonormal(check, hv, n, ldv, economic ? least : n); product(check, full, m, n, got, hu, ldu, hv, ldv, false); check.ok(cusolverDnXgesvdjGetSweeps(h, p, &sweeps)); check.ok(cusolverDnXgesvdjGetResidual(h, p, &left)); check.that(sweeps >= 0 && sweeps < 15 && left < most<R>);
  }
  // A batch without an order: its second matrix is diagonal. Then too few sweeps.
  const int m = 8, n = 5, count = 2; const auto known = falling(n); std::vector<Z> full; auto both = matrix<T>(m, n, m, known, full); std::vector<T> second(m * n, number<T>(0)); for (int i = 0; i < n; i++) put(second[i + i * m], (i * 2) % n + 1); both.insert(both.end(), second.begin(), second.end()); T *da = toDevice(both), *u = (T *)room(2 * m * m * sizeof(T)), *v = (T *)room(2 * n * n * sizeof(T)); check.ok(cusolverDnXgesvdjSetSortEig(p, 0)); check.ok(calls.batchedSize(h, V, m, n, da, m, s, u, m, v, n, &size, p, count)); T *work = (T *)room(size * sizeof(T)); check.ok(calls.batched(h, V, m, n, da, m, s, u, m, v, n, work, size, info, p, count)); for (int i : toHost(info, count)) check.that(i == 0);
  const auto got = toHost(s, n * count); const auto hu = toHost(u, 2 * m * m), hv = toHost(v, 2 * n * n); for (int i = 0; i < n; i++) check.that(got[n + i] == (i * 2) % n + 1); product<T>(check, full, m, n, {got.begin(), got.begin() + n}, hu, m, hv, n, false); orthonormal<T>(check, {hu.begin() + m * m, hu.end()}, m, m, m); std::vector<double> sorted(got.begin(), got.begin() + n); std::sort(sorted.rbegin(), sorted.rend()); for (int i = 0; i < n; i++) check(sorted[i], known[i]);
  check.ok(cusolverDnXgesvdjSetMaxSweeps(p, 1)); da = toDevice(both); check.ok(calls.batched(h, V, m, n, da, m, s, u, m, v, n, work, size, info, p, count)); check.that(toHost(info, 1)[0] == n + 1); check.that(cusolverDnXgesvdjGetResidual(h, p, &left) == CUSOLVER_STATUS_NOT_SUPPORTED); check.invalid(calls.batched(h, V, 33, n, da, 33, s, u, 33, v, n, work, size, info, p, count)); check.ok(cusolverDnDestroyGesvdjInfo(p));
  // Tall matrices and the first of their values; how far the product is from the matrix is the next value.
  for (auto [tall, wide] : {std::pair{30, 4}, {70, 66}}) { const int rank = 3, step = tall * wide + 5; const auto each = falling(wide); std::vector<Z> one; auto a = matrix<T>(tall, wide, tall, each, one); a.resize(step, number<T>(0)); auto two = a; two.insert(two.end(), a.begin(), a.end()); T *dt = toDevice(two), *tu = (T *)room(2 * tall * rank * sizeof(T)), *tv = (T *)room(2 * wide * rank * sizeof(T)); double far[2]; check.ok(calls.aSize(h, V, rank, tall, wide, dt, tall, step, s, rank, tu, tall, tall * rank, tv, wide, wide * rank, &size, 2)); check.ok(calls.a(h, V, rank, tall, wide, dt, tall, step, s, rank, tu, tall, tall * rank, tv, wide, wide * rank, (T *)room(size * sizeof(T)), size, info, far, 2)); double rest = 0; for (int i = rank; i < wide; i++) rest += each[i] * each[i]; for (int k = 0; k < 2; k++) { values(check, s + k * rank, {each.begin(), each.begin() + rank}); check(far[k] / 10, std::sqrt(rest) / 10); orthonormal(check, toHost(tu + k * tall * rank, tall * rank), tall, tall, rank); orthonormal(check, toHost(tv + k * wide * rank, wide * rank), wide, wide, rank); } }
  check.say("rotations", Type<T>::name, most<R>);
}
template <class T, class R> static void general() {
  Bad check; const cudaDataType t = Type<T>::type, r = sizeof(R) == 4 ? CUDA_R_32F : CUDA_R_64F; cusolverDnParams_t p; check.ok(cusolverDnCreateParams(&p)); int *info = (int *)room(4); size_t device, host; R *s = (R *)room(8 * 300); double error = 7;
  const int m = 31, n = 20, lda = 32; const auto known = falling(n); std::vector<Z> full; const auto a = matrix<T>(m, n, lda, known, full); T *da = toDevice(a), *u = (T *)room(m * m * sizeof(T)), *v = (T *)room(n * n * sizeof(T));
  check.ok(cusolverDnXgesvd_bufferSize(h, p, 'S', 'S', m, n, t, da, lda, r, s, t, u, m, t, v, n, t, &device, &host)); check.ok(cusolverDnXgesvd(h, p, 'S', 'S', m, n, t, da, lda, r, s, t, u, m, t, v, n, t, room(device), device, nullptr, host, info)); product(check, full, m, n, values(check, s, known), toHost(u, m * n), m, toHost(v, n * n), n, true);
  da = toDevice(a); check.ok(cusolverDnXgesvdp_bufferSize(h, p, V, 1, m, n, t, da, lda, r, s, t, u, m, t, v, n, t, &device, &host)); check.ok(cusolverDnXgesvdp(h, p, V, 1, m, n, t, da, lda, r, s, t, u, m, t, v, n, t, room(device), device, nullptr, host, info, &error)); check.that(error == 0); product(check, full, m, n, values(check, s, known), toHost(u, m * n), m, toHost(v, n * n), n, false);
  da = toDevice(a); check.ok(cusolverDnXgesvdr_bufferSize(h, p, 'S', 'S', m, n, 4, 5, 2, t, da, lda, r, s, t, u, m, t, v, n, t, &device, &host)); check.ok(cusolverDnXgesvdr(h, p, 'S', 'S', m, n, 4, 5, 2, t, da, lda, r, s, t, u, m, t, v, n, t, room(device), device, nullptr, host, info)); values(check, s, {known.begin(), known.begin() + 4}); orthonormal(check, toHost(u, m * 4), m, m, 4); orthonormal(check, toHost(v, n * 4), n, n, 4);
  check.invalid(cusolverDnXgesvd_bufferSize(h, p, 'S', 'S', n, m, t, da, lda, r, s, t, u, m, t, v, n, t, &device, &host)); check.ok(cusolverDnDestroyParams(p));
  check.say("64-bit calls", Type<T>::name, most<R>);
}
template <class T, class R> static void all(const CallsOf<T, R> &calls) { one(calls); rotations(calls); general<T, R>(); }
__global__ void nothing() {}
int main() {
  cusolverDnCreate(&h); int size; printf("without a handle: %d\n", (int)cusolverDnSgesvd_bufferSize(nullptr, 1, 1, &size));
  all<float, float>(CALLS(S)); all<double, double>(CALLS(D)); all<cuComplex, float>(CALLS(C)); all<cuDoubleComplex, double>(CALLS(Z));
  return cusolverDnDestroy(h);
}
