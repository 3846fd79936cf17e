#include "sparse.h"
static cusparseHandle_t h;
static void *room(size_t bytes) { void *p; cudaMalloc(&p, bytes); return p; }
// A square matrix with a diagonal that its rows do not outweigh.
template <class T> static Matrix<T> square(int n, double share) {
  Matrix<T> a(0, 0, 0); a.rows = a.columns = n; a.full.assign(n * n, 0); a.offsets = {0};
  for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) if (i == j || drawn() + 0.5 < share) a.add(i, j, i == j ? number<T>(Z(4 + drawn(), 0)) : random<T>()); a.offsets.push_back(a.entries()); }
  return a;
}
// Element of the triangle that is solved with.
template <class T> static Z part(const Matrix<T> &a, int i, int j, int o, bool upper, bool unit) {
  const int row = o ? j : i, column = o ? i : j;
  if (row == column) return unit ? Z(1) : a.at(i, j, o);
  return (upper ? column > row : column < row) ? a.at(i, j, o) : Z(0);
}
template <class T> static void systems(int n, double share) {
  Check check; const Matrix<T> a = square<T>(n, share); const T alpha = number<T>(Z(0.75, 0.5));
  for (int format = 0; format < 3; format++) for (int o = 0; o < 3; o++) for (int upper = 0; upper < 2; upper++) for (int unit = 0; unit < 2; unit++) {
    const cudaDataType type = Type<T>::type; const cusparseOperation_t O = (cusparseOperation_t)o; cusparseSpMatDescr_t A = a.describe(format, false, unit);
    const cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER; const cusparseDiagType_t diagonal = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    check.ok(cusparseSpMatSetAttribute(A, CUSPARSE_SPMAT_FILL_MODE, (void *)&fill, sizeof fill)); check.ok(cusparseSpMatSetAttribute(A, CUSPARSE_SPMAT_DIAG_TYPE, (void *)&diagonal, sizeof diagonal));
    const auto b = randoms<T>(n); T *dx = (T *)room(n * sizeof(T)); cusparseDnVecDescr_t B, X; cusparseCreateDnVec(&B, n, toDevice(b), type); cusparseCreateDnVec(&X, n, dx, type);
    cusparseSpSVDescr_t d; size_t size; check.ok(cusparseSpSV_createDescr(&d));
    check.bad += cusparseSpSV_solve(h, O, &alpha, A, B, X, type, CUSPARSE_SPSV_ALG_DEFAULT, d) != CUSPARSE_STATUS_INVALID_VALUE;
    check.ok(cusparseSpSV_bufferSize(h, O, &alpha, A, B, X, type, CUSPARSE_SPSV_ALG_DEFAULT, d, &size)); void *buffer = room(size);
    check.ok(cusparseSpSV_analysis(h, O, &alpha, A, B, X, type, CUSPARSE_SPSV_ALG_DEFAULT, d, buffer)); check.ok(cusparseSpSV_solve(h, O, &alpha, A, B, X, type, CUSPARSE_SPSV_ALG_DEFAULT, d));
    const auto x = toHost(dx, n);
    for (int i = 0; i < n; i++) { Z sum = 0; double size = 1; for (int j = 0; j < n; j++) { const Z t = part(a, i, j, o, upper, unit) * get(x[j]); sum += t; size += std::abs(t); } check(sum / size, get(alpha) * get(b[i]) / size); }
    check.ok(cusparseSpSV_destroyDescr(d));
    // Several right-hand sides, of either order, transposed where the matrix is.
    const int count = 3, ldb = (o ? count : n) + 1, ldc = count + 2; const auto bs = randoms<T>(ldb * (o ? n : count)); T *dc = toDevice(randoms<T>(ldc * n)); cusparseDnMatDescr_t Bs, C; cusparseSpSMDescr_t e;
    cusparseCreateDnMat(&Bs, o ? count : n, o ? n : count, ldb, toDevice(bs), type, CUSPARSE_ORDER_COL); cusparseCreateDnMat(&C, n, count, ldc, dc, type, CUSPARSE_ORDER_ROW); check.ok(cusparseSpSM_createDescr(&e));
    check.ok(cusparseSpSM_bufferSize(h, O, O, &alpha, A, Bs, C, type, CUSPARSE_SPSM_ALG_DEFAULT, e, &size)); buffer = room(size);
    check.ok(cusparseSpSM_analysis(h, O, O, &alpha, A, Bs, C, type, CUSPARSE_SPSM_ALG_DEFAULT, e, buffer)); check.ok(cusparseSpSM_solve(h, O, O, &alpha, A, Bs, C, type, CUSPARSE_SPSM_ALG_DEFAULT, e));
    const auto c = toHost(dc, ldc * n);
    for (int k = 0; k < count; k++) for (int i = 0; i < n; i++) {
      Z sum = 0; double size = 1; for (int j = 0; j < n; j++) { const Z t = part(a, i, j, o, upper, unit) * get(c[j * ldc + k]); sum += t; size += std::abs(t); }
      check(sum / size, get(alpha) * op(get(o ? bs[i * ldb + k] : bs[k * ldb + i]), o) / size);
    }
    check.ok(cusparseSpSM_destroyDescr(e));
  }
  check.say("SpSV and SpSM", Type<T>::name, Type<T>::most);
}
// Levels that take all SMs: 10000 rows that need nothing, then as many that need one of those each.
static void wide() {
  Check check; const int half = 10000, n = 2 * half; std::vector<int> offsets{0}, columns; std::vector<double> values, b(n), x(n);
  for (int i = 0; i < n; i++) { if (i >= half) columns.push_back((i * 7) % half), values.push_back(drawn()); columns.push_back(i); values.push_back(2 + drawn()); offsets.push_back((int)columns.size()); b[i] = drawn(); }
  cusparseSpMatDescr_t A; cusparseDnVecDescr_t B, X; cusparseSpSVDescr_t d; size_t size; const double one = 1; double *dx = (double *)room(n * 8); const cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE;
  cusparseCreateCsr(&A, n, n, (int)values.size(), toDevice(offsets), toDevice(columns), toDevice(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseCreateDnVec(&B, n, toDevice(b), CUDA_R_64F); cusparseCreateDnVec(&X, n, dx, CUDA_R_64F); cusparseSpSV_createDescr(&d);
  check.ok(cusparseSpSV_bufferSize(h, N, &one, A, B, X, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d, &size)); void *buffer = room(size);
  check.ok(cusparseSpSV_analysis(h, N, &one, A, B, X, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d, buffer)); check.ok(cusparseSpSV_solve(h, N, &one, A, B, X, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d));
  const auto got = toHost(dx, n);
  for (int i = 0; i < n; i++) { double sum = b[i]; for (int k = offsets[i]; k + 1 < offsets[i + 1]; k++) sum -= values[k] * x[columns[k]]; x[i] = sum / values[offsets[i + 1] - 1]; check(got[i], x[i]); }
  check.say("wide levels", "double", 1e-12);
}
template <class T> struct Calls {
  cusparseStatus_t (*size)(cusparseHandle_t, int, int, const cusparseMatDescr_t, T *, const int *, const int *, csrilu02Info_t, int *);
  cusparseStatus_t (*analysis)(cusparseHandle_t, int, int, const cusparseMatDescr_t, const T *, const int *, const int *, csrilu02Info_t, cusparseSolvePolicy_t, void *);
  cusparseStatus_t (*factor)(cusparseHandle_t, int, int, const cusparseMatDescr_t, T *, const int *, const int *, csrilu02Info_t, cusparseSolvePolicy_t, void *);
  cusparseStatus_t (*icSize)(cusparseHandle_t, int, int, const cusparseMatDescr_t, T *, const int *, const int *, csric02Info_t, int *);
  cusparseStatus_t (*icAnalysis)(cusparseHandle_t, int, int, const cusparseMatDescr_t, const T *, const int *, const int *, csric02Info_t, cusparseSolvePolicy_t, void *);
  cusparseStatus_t (*icFactor)(cusparseHandle_t, int, int, const cusparseMatDescr_t, T *, const int *, const int *, csric02Info_t, cusparseSolvePolicy_t, void *);
};
template <class T> static void factors(Calls<T> calls) {
  Check check; const int n = 60; Matrix<T> a = square<T>(n, 0.1); std::vector<int> offsets(a.offsets), columns(a.column); for (auto &i : offsets) i++; for (auto &i : columns) i++;
  cusparseMatDescr_t d; check.ok(cusparseCreateMatDescr(&d)); check.ok(cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE)); check.bad += cusparseGetMatIndexBase(d) != CUSPARSE_INDEX_BASE_ONE;
  int *o = toDevice(offsets), *c = toDevice(columns), size, zero = 99; T *v = toDevice(a.value); csrilu02Info_t info; check.ok(cusparseCreateCsrilu02Info(&info));
  const int entries = a.entries(); check.ok(calls.size(h, n, entries, d, v, o, c, info, &size)); void *buffer = room(size); const cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
  check.ok(calls.analysis(h, n, entries, d, v, o, c, info, policy, buffer)); check.ok(cusparseXcsrilu02_zeroPivot(h, info, &zero)); check.bad += zero != -1;
  check.ok(calls.factor(h, n, entries, d, v, o, c, info, policy, buffer)); check.ok(cusparseXcsrilu02_zeroPivot(h, info, &zero)); check.bad += zero != -1;
  std::vector<Z> w(a.full); auto has = [&](int i, int j) { return a.full[i * n + j] != Z(0); };
  for (int i = 0; i < n; i++) for (int k = 0; k < i; k++) if (has(i, k)) { w[i * n + k] /= w[k * n + k]; for (int j = k + 1; j < n; j++) if (has(i, j) && has(k, j)) w[i * n + j] -= w[i * n + k] * w[k * n + j]; }
  auto got = toHost(v, entries); for (int k = 0; k < entries; k++) check(get(got[k]), w[a.row[k] * n + a.column[k]]);
  // A pivot that is 0, and one that is not there.
  std::vector<T> spoiled(a.value); for (int k = 0; k < entries; k++) if (a.row[k] == 3) spoiled[k] = number<T>(0);
  v = toDevice(spoiled); check.ok(calls.factor(h, n, entries, d, v, o, c, info, policy, buffer)); check.bad += cusparseXcsrilu02_zeroPivot(h, info, &zero) != CUSPARSE_STATUS_ZERO_PIVOT || zero != 4;
  cusparseDestroyCsrilu02Info(info); check.say("ILU(0)", Type<T>::name, 10 * Type<T>::most);
  Check also; Matrix<T> s(0, 0, 0); s.rows = s.columns = n; s.full.assign(n * n, 0); s.offsets = {0};
  for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) if (has(i, j)) { s.full[i * n + j] = a.full[i * n + j]; s.full[j * n + i] = std::conj(a.full[i * n + j]); }
  const std::vector<Z> full(s.full); offsets = {0}; columns.clear(); std::vector<T> values; for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) if (full[i * n + j] != Z(0)) columns.push_back(j), values.push_back(number<T>(full[i * n + j])); offsets.push_back((int)columns.size()); }
  o = toDevice(offsets); c = toDevice(columns); v = toDevice(values); csric02Info_t ic; also.ok(cusparseCreateCsric02Info(&ic)); also.ok(cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ZERO));
  const int all = (int)values.size(); also.ok(calls.icSize(h, n, all, d, v, o, c, ic, &size)); buffer = room(size);
  also.ok(calls.icAnalysis(h, n, all, d, v, o, c, ic, policy, buffer)); also.ok(calls.icFactor(h, n, all, d, v, o, c, ic, policy, buffer)); also.ok(cusparseXcsric02_zeroPivot(h, ic, &zero)); also.bad += zero != -1;
  w = full;
  for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) if (full[i * n + j] != Z(0)) {
    Z sum = w[i * n + j]; for (int k = 0; k < j; k++) if (full[i * n + k] != Z(0) && full[j * n + k] != Z(0)) sum -= w[i * n + k] * std::conj(w[j * n + k]);
    w[i * n + j] = i == j ? std::sqrt(sum.real()) : sum / w[j * n + j];
  }
  got = toHost(v, all); for (int i = 0; i < n; i++) for (int k = offsets[i]; k < offsets[i + 1]; k++) also(get(got[k]), w[i * n + columns[k]]);
  cusparseDestroyCsric02Info(ic); also.say("IC(0)", Type<T>::name, 10 * Type<T>::most);
}
#define CALLS(X) {cusparse##X##csrilu02_bufferSize, cusparse##X##csrilu02_analysis, cusparse##X##csrilu02, cusparse##X##csric02_bufferSize, cusparse##X##csric02_analysis, cusparse##X##csric02}
__global__ void nothing() {}
int main() {
  cusparseCreate(&h);
  systems<float>(60, 0.1); systems<double>(60, 0.1); systems<cuComplex>(60, 0.1); systems<cuDoubleComplex>(60, 0.1);
  wide();
  factors<float>(CALLS(S)); factors<double>(CALLS(D)); factors<cuComplex>(CALLS(C)); factors<cuDoubleComplex>(CALLS(Z));
  return cusparseDestroy(h);
}
