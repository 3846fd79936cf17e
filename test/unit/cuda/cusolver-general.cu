#include "sparse.h"
#include <cusolverDn.h>
static cusolverDnHandle_t h; static cusolverDnParams_t p;
static void *room(size_t bytes) { void *a; cudaMalloc(&a, bytes); return a; }
struct Bad : Check { void operator()(Z got, Z want) { const double off = std::abs(got - want); if (!(off < 1e300)) bad++; else worst = std::max(worst, off); } void ok(cusolverStatus_t s) { bad += s != CUSOLVER_STATUS_SUCCESS; } void invalid(cusolverStatus_t s) { bad += s != CUSOLVER_STATUS_INVALID_VALUE; } void that(bool right) { bad += !right; } };
// Some hundred times what numbers are rounded by.
template <class R> static constexpr double most = sizeof(R) == 4 ? 3e-5 : 5e-14;
const cusolverEigMode_t N = CUSOLVER_EIG_MODE_NOVECTOR, V = CUSOLVER_EIG_MODE_VECTOR;
// A V = V W, vectors of length 1 whose largest number is real, and the trace.
template <class T, class R> static void decompose(Bad &check, int n, const std::vector<T> &a, int lda, const std::vector<Z> *known, bool apart) {
  const cudaDataType t = Type<T>::type, r = sizeof(R) == 4 ? CUDA_R_32F : CUDA_R_64F, c = sizeof(R) == 4 ? CUDA_C_32F : CUDA_C_64F, w = apart ? r : c; const bool real = sizeof(T) == sizeof(R); const int ldv = n + 2;
  T *da = toDevice(a), *dv = (T *)room(ldv * n * sizeof(T)); R *dw = (R *)room(2 * n * sizeof(R)); int *info = (int *)room(4); size_t device, host; check.ok(cusolverDnXgeev_bufferSize(h, p, N, V, n, t, da, lda, w, dw, t, nullptr, 1, t, dv, ldv, t, &device, &host)); void *work = room(device); check.ok(cusolverDnXgeev(h, p, N, V, n, t, da, lda, w, dw, t, nullptr, 1, t, dv, ldv, t, work, device, nullptr, host, info)); check.that(toHost(info, 1)[0] == 0);
  const auto got = toHost(dw, 2 * n); const auto raw = toHost(dv, ldv * n); std::vector<Z> values(n), v(n * n); Z trace = 0, sum = 0; double size = 1e-300; for (int k = 0; k < n; k++) { values[k] = apart ? Z(got[k], got[n + k]) : Z(got[2 * k], got[2 * k + 1]); trace += get(a[k + k * lda]); sum += values[k]; for (int i = 0; i < n; i++) size = std::max(size, std::abs(get(a[i + k * lda]))); }
  size *= std::sqrt(n); check(trace / size / (double)n, sum / size / (double)n);
  for (int k = 0; k < n; k++) if (real && values[k].imag() > 0) { check.that(k + 1 < n && values[k + 1] == std::conj(values[k])); for (int i = 0; i < n; i++) { v[i + k * n] = Z(get(raw[i + k * ldv]).real(), get(raw[i + (k + 1) * ldv]).real()); v[i + (k + 1) * n] = std::conj(v[i + k * n]); } k++; } else for (int i = 0; i < n; i++) v[i + k * n] = get(raw[i + k * ldv]);
  for (int k = 0; k < n; k++) { double squares = 0, large = 0; bool isReal = false; for (int i = 0; i < n; i++) { Z av = 0; for (int j = 0; j < n; j++) av += get(a[i + j * lda]) * v[j + k * n]; check(av / size, values[k] * v[i + k * n] / size); squares += std::norm(v[i + k * n]); large = std::max(large, std::norm(v[i + k * n])); } check(squares, 1); for (int i = 0; i < n; i++) isReal |= std::norm(v[i + k * n]) > 0.999 * large && v[i + k * n].imag() == 0; check.that(isReal); }
  if (known) { auto sorted = values; auto want = *known; const auto less = [](Z a, Z b) { return std::abs(a.real() - b.real()) > 1e-3 ? a.real() < b.real() : a.imag() < b.imag(); }; std::sort(sorted.begin(), sorted.end(), less); std::sort(want.begin(), want.end(), less); for (int i = 0; i < n; i++) check(sorted[i] / size, want[i] / size); }
  da = toDevice(a); R *again = (R *)room(2 * n * sizeof(R)); check.ok(cusolverDnXgeev(h, p, N, N, n, t, da, lda, w, again, t, nullptr, 1, t, nullptr, 1, t, work, device, nullptr, host, info)); const auto alone = toHost(again, 2 * n); for (int i = 0; i < 2 * n; i++) check(alone[i] / size, got[i] / size);
  check.invalid(cusolverDnXgeev(h, p, V, V, n, t, da, lda, w, dw, t, dv, ldv, t, dv, ldv, t, work, device, nullptr, host, info)); check.invalid(cusolverDnXgeev(h, p, N, V, n, t, da, lda, w, dw, t, nullptr, 1, t, dv, n - 1, t, work, device, nullptr, host, info)); check.invalid(cusolverDnXgeev(h, p, N, V, n, t, da, lda, w, dw, t, nullptr, 1, t, dv, ldv, t, work, device - 1, nullptr, host, info));
}
template <class T, class R> static void eigenvalues() {
  Bad check; const bool real = sizeof(T) == sizeof(R); for (int n : {1, 2, 3, 6, 45}) { const int lda = n + 1; decompose<T, R>(check, n, randoms<T>(lda * n), lda, nullptr, false); }
  // A cycle, whose values are the roots of 1, and a triangle with its own; one with two cycles apart, and none at all.
  const int n = 8; std::vector<Z> roots(n), own(n); std::vector<T> cycle(n * n, number<T>(0)), triangle(n * n, number<T>(0)), zero(n * n, number<T>(0)); for (int i = 0; i < n; i++) { put(cycle[(i + 1) % n + i * n], 1); roots[i] = std::polar(1., 2 * M_PI * i / n); own[i] = i - 3.5; for (int j = i; j < n; j++) put(triangle[i + j * n], i == j ? own[i] : get(random<T>())); }
  decompose<T, R>(check, n, cycle, n, &roots, real); decompose<T, R>(check, n, triangle, n, &own, real); const std::vector<Z> nothing(n); decompose<T, R>(check, n, zero, n, &nothing, real);
  check.say("general eigenvalues", Type<T>::name, most<R>);
}
template <class T, class R> static void triangles() {
  Bad check; int *info = (int *)room(4); size_t device, host; const cudaDataType t = Type<T>::type;
  for (int n : {1, 5, 70}) for (int upper = 0; upper < 2; upper++) for (int unit = 0; unit < 2; unit++) {
    const int lda = n + 1; auto a = randoms<T>(lda * n); for (auto &x : a) x = number<T>(get(x) * (2. / n)); for (int i = 0; i < n; i++) put(a[i + i * lda], get(a[i + i * lda]) + Z(2)); T *da = toDevice(a); const cublasFillMode_t f = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER; const cublasDiagType_t d = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    check.ok(cusolverDnXtrtri_bufferSize(h, f, d, n, t, da, lda, &device, &host)); check.ok(cusolverDnXtrtri(h, f, d, n, t, da, lda, room(device), device, nullptr, host, info)); check.that(toHost(info, 1)[0] == 0); const auto b = toHost(da, lda * n);
    auto in = [&](const std::vector<T> &x, int i, int j) { return i == j ? unit ? Z(1) : get(x[i + j * lda]) : (upper ? i < j : i > j) ? get(x[i + j * lda]) : Z(0); };
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { Z sum = 0; for (int k = 0; k < n; k++) sum += in(a, i, k) * in(b, k, j); check(sum, i == j ? 1 : 0); if ((upper ? i > j : i < j) || (unit && i == j)) check.that(get(b[i + j * lda]) == get(a[i + j * lda])); }
  }
  auto a = randoms<T>(25); put(a[2 + 2 * 5], 0); T *da = toDevice(a); check.ok(cusolverDnXtrtri(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_NON_UNIT, 5, t, da, 5, room(25 * sizeof(T)), 25 * sizeof(T), nullptr, 0, info)); check.that(toHost(info, 1)[0] == 3); check.invalid(cusolverDnXtrtri(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_NON_UNIT, 5, t, da, 4, da, 25 * sizeof(T), nullptr, 0, info));
  check.say("inverse triangles", Type<T>::name, most<R>);
}
__global__ void nothing() {}
int main() {
  cusolverDnCreate(&h); cusolverDnCreateParams(&p);
  eigenvalues<float, float>(); triangles<float, float>(); eigenvalues<double, double>(); triangles<double, double>(); eigenvalues<cuComplex, float>(); triangles<cuComplex, float>(); eigenvalues<cuDoubleComplex, double>(); triangles<cuDoubleComplex, double>();
  return cusolverDnDestroy(h);
}
