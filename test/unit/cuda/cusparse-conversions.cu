#include "sparse.h"
#include <cuda_fp16.h>
static cusparseHandle_t h;
static void *room(size_t bytes) { void *p; cudaMalloc(&p, bytes); return p; }
template <class T> static void vectors() {
  Check check; const int n = 5000, count = 1800; std::vector<int> indices(count); for (int i = 0; i < count; i++) indices[i] = 1 + (i * 7919) % n;
  const auto x = randoms<T>(count), y = randoms<T>(n); const T alpha = number<T>(Z(0.75, 0.5)), beta = number<T>(Z(-1.5, 0.25)); T *dx = toDevice(x), *dy = toDevice(y);
  cusparseSpVecDescr_t X; cusparseDnVecDescr_t Y; const cudaDataType type = Type<T>::type;
  check.ok(cusparseCreateSpVec(&X, n, count, toDevice(indices), dx, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, type)); check.ok(cusparseCreateDnVec(&Y, n, dy, type));
  for (int o = 0; o < (imag(get(alpha)) != 0 ? 3 : 1); o += 2) {
    size_t size; T got; check.ok(cusparseSpVV_bufferSize(h, (cusparseOperation_t)o, X, Y, &got, type, &size)); check.ok(cusparseSpVV(h, (cusparseOperation_t)o, X, Y, &got, type, room(size)));
    Z sum = 0; for (int i = 0; i < count; i++) sum += op(get(x[i]), o) * get(y[indices[i] - 1]); check(get(got), sum);
  }
  check.ok(cusparseAxpby(h, &alpha, X, &beta, Y)); std::vector<Z> want(n); for (int i = 0; i < n; i++) want[i] = get(beta) * get(y[i]); for (int i = 0; i < count; i++) want[indices[i] - 1] += get(alpha) * get(x[i]);
  auto got = toHost(dy, n); for (int i = 0; i < n; i++) check(get(got[i]), want[i]);
  check.ok(cusparseGather(h, Y, X)); const auto taken = toHost(dx, count); for (int i = 0; i < count; i++) check.bad += get(taken[i]) != get(got[indices[i] - 1]);
  cudaMemset(dy, 0, n * sizeof(T)); check.ok(cusparseScatter(h, X, Y)); const auto put = toHost(dy, n); std::vector<Z> only(n); for (int i = 0; i < count; i++) only[indices[i] - 1] = get(taken[i]); for (int i = 0; i < n; i++) check.bad += get(put[i]) != only[i];
  check.say("vectors", Type<T>::name, 20 * Type<T>::most);
}
template <class T> static void dense(cusparseStatus_t (*count)(cusparseHandle_t, cusparseDirection_t, int, int, const cusparseMatDescr_t, const T *, int, int *, int *)) {
  Check check; const Matrix<T> a(70, 45, 0.2); const cudaDataType type = Type<T>::type;
  for (int format = 0; format < 3; format++) for (int rowMajor = 0; rowMajor < 2; rowMajor++) for (int wide = 0; wide < 2; wide++) {
    const int ld = (rowMajor ? 45 : 70) + 2, all = ld * (rowMajor ? 70 : 45); T *values = toDevice(randoms<T>(all)); cusparseDnMatDescr_t D; cusparseSpMatDescr_t A = a.describe(format, wide, 1), B; size_t size;
    cusparseCreateDnMat(&D, 70, 45, ld, values, type, rowMajor ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
    check.ok(cusparseSparseToDense_bufferSize(h, A, D, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &size)); check.ok(cusparseSparseToDense(h, A, D, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, room(size)));
    const auto full = toHost(values, all); for (int i = 0; i < 70; i++) for (int j = 0; j < 45; j++) check.bad += get(full[rowMajor ? i * ld + j : j * ld + i]) != a.full[i * 45 + j];
    // And back.
    const cusparseIndexType_t t = wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I; void *offsets = room(8 * 71);
    if (format == 0) cusparseCreateCsr(&B, 70, 45, 0, offsets, nullptr, nullptr, t, t, CUSPARSE_INDEX_BASE_ONE, type);
    else if (format == 1) cusparseCreateCsc(&B, 70, 45, 0, offsets, nullptr, nullptr, t, t, CUSPARSE_INDEX_BASE_ONE, type);
    else cusparseCreateCoo(&B, 70, 45, 0, nullptr, nullptr, nullptr, t, CUSPARSE_INDEX_BASE_ONE, type);
    const cusparseDenseToSparseAlg_t alg = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT; check.ok(cusparseDenseToSparse_bufferSize(h, D, B, alg, &size)); void *buffer = room(size);
    check.ok(cusparseDenseToSparse_analysis(h, D, B, alg, buffer)); int64_t rows, columns, entries; check.ok(cusparseSpMatGetSize(B, &rows, &columns, &entries)); check.bad += entries != a.entries();
    void *first = room(8 * entries), *second = room(8 * entries), *v = room(sizeof(T) * entries);
    check.ok(format == 0 ? cusparseCsrSetPointers(B, offsets, second, v) : format == 1 ? cusparseCscSetPointers(B, offsets, second, v) : cusparseCooSetPointers(B, first, second, v));
    check.ok(cusparseDenseToSparse_convert(h, D, B, alg, buffer));
    cudaMemset(values, 0xff, all * sizeof(T)); check.ok(cusparseSparseToDense(h, B, D, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
    const auto again = toHost(values, all); for (int i = 0; i < 70; i++) for (int j = 0; j < 45; j++) check.bad += get(again[rowMajor ? i * ld + j : j * ld + i]) != a.full[i * 45 + j];
    // In both the entries come in the same order.
    void *had; cusparseSpMatGetValues(A, &had); const auto one = toHost((T *)had, entries), two = toHost((T *)v, entries); for (int i = 0; i < entries; i++) check.bad += get(one[i]) != get(two[i]);
    cusparseDestroySpMat(A); cusparseDestroySpMat(B);
    if (rowMajor || format || wide) continue;
    cusparseMatDescr_t d; cusparseCreateMatDescr(&d); int *counts = (int *)room(4 * 70), total = 0, *deviceTotal = (int *)room(4);
    check.ok(count(h, CUSPARSE_DIRECTION_ROW, 70, 45, d, values, ld, counts, &total)); check.bad += total != a.entries();
    auto got = toHost(counts, 70); for (int i = 0; i < 70; i++) check.bad += got[i] != a.offsets[i + 1] - a.offsets[i];
    cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE); check.ok(count(h, CUSPARSE_DIRECTION_COLUMN, 70, 45, d, values, ld, counts, deviceTotal)); cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST);
    check.bad += toHost(deviceTotal, 1)[0] != a.entries(); got = toHost(counts, 45); for (int j = 0; j < 45; j++) check.bad += got[j] != std::count(a.column.begin(), a.column.end(), j);
  }
  check.say("dense", Type<T>::name, 0);
}
static void indices() {
  // Rows of every length up to more than a warp sorts at once, and more rows than one block sums.
  Check check; const int m = 3000, n = 400; std::vector<int> offsets{0}, rows, columns; std::vector<double> values;
  for (int i = 0; i < m; i++) { const int count = i == 17 ? 333 : i == 18 ? 64 : i % 40; for (int k = 0; k < count; k++) rows.push_back(i), columns.push_back((k * 7 + i) % n), values.push_back(drawn()); offsets.push_back((int)rows.size()); }
  const int entries = (int)rows.size(); int *dOffsets = toDevice(offsets), *dRows = toDevice(rows), *dColumns = toDevice(columns), *made = (int *)room(4 * (m + 1)), *p = (int *)room(4 * entries); size_t size;
  check.ok(cusparseXcoo2csr(h, dRows, entries, m, made, CUSPARSE_INDEX_BASE_ZERO)); check.bad += toHost(made, m + 1) != offsets;
  int *expanded = (int *)room(4 * entries); check.ok(cusparseXcsr2coo(h, dOffsets, entries, m, expanded, CUSPARSE_INDEX_BASE_ZERO)); check.bad += toHost(expanded, entries) != rows;
  auto sorted = [&](const std::vector<int> &first, const std::vector<int> &second) { std::vector<int> order(first.size()); for (size_t i = 0; i < order.size(); i++) order[i] = (int)i; std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return first[a] != first[b] ? first[a] < first[b] : second[a] < second[b]; }); return order; };
  auto taken = [](const std::vector<int> &from, const std::vector<int> &order) { std::vector<int> to; for (int i : order) to.push_back(from[i]); return to; };
  const auto byRow = sorted(rows, columns), byColumn = sorted(columns, rows);
  cusparseMatDescr_t d; cusparseCreateMatDescr(&d); check.ok(cusparseCreateIdentityPermutation(h, entries, p));
  check.ok(cusparseXcsrsort_bufferSizeExt(h, m, n, entries, dOffsets, dColumns, &size)); int *c = toDevice(columns); check.ok(cusparseXcsrsort(h, m, n, entries, d, dOffsets, c, p, room(size)));
  check.bad += toHost(c, entries) != taken(columns, byRow); check.bad += toHost(p, entries) != byRow;
  // Entries in any order, and with indices from 1 on.
  for (int base = 0; base < 2; base++) for (int column = 0; column < 2; column++) {
    std::vector<int> r(entries), q(entries); for (int i = 0; i < entries; i++) { const int from = (int)((i * 104729ll) % entries); r[i] = rows[from] + base; q[i] = columns[from] + base; }
    const auto order = column ? sorted(q, r) : sorted(r, q); int *dr = toDevice(r), *dq = toDevice(q); check.ok(cusparseCreateIdentityPermutation(h, entries, p)); check.ok(cusparseXcoosort_bufferSizeExt(h, m, n, entries, dr, dq, &size));
    check.ok((column ? cusparseXcoosortByColumn : cusparseXcoosortByRow)(h, m, n, entries, dr, dq, p, room(size)));
    check.bad += toHost(dr, entries) != taken(r, order); check.bad += toHost(dq, entries) != taken(q, order); check.bad += toHost(p, entries) != order;
  }
  double *to = (double *)room(8 * entries); int *starts = (int *)room(4 * (n + 1)), *where = (int *)room(4 * entries); double *dv = toDevice(values); const cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
  check.ok(cusparseCsr2cscEx2_bufferSize(h, m, n, entries, dv, dOffsets, dColumns, to, starts, where, CUDA_R_64F, CUSPARSE_ACTION_NUMERIC, base, CUSPARSE_CSR2CSC_ALG1, &size));
  check.ok(cusparseCsr2cscEx2(h, m, n, entries, dv, dOffsets, dColumns, to, starts, where, CUDA_R_64F, CUSPARSE_ACTION_NUMERIC, base, CUSPARSE_CSR2CSC_ALG1, room(size)));
  check.bad += toHost(where, entries) != taken(rows, byColumn); const auto v = toHost(to, entries); for (int i = 0; i < entries; i++) check.bad += v[i] != values[byColumn[i]];
  const auto s = toHost(starts, n + 1); for (int j = 0; j <= n; j++) check.bad += s[j] != std::lower_bound(byColumn.begin(), byColumn.end(), j, [&](int a, int b) { return columns[a] < b; }) - byColumn.begin();
  check.say("orders", "indices", 0);
}
static void descriptions() {
  Check check; int *p = (int *)room(64); cusparseSpMatDescr_t A; cusparseConstSpMatDescr_t C; int64_t rows, columns, entries; void *a, *b, *v; const void *cv; cusparseIndexType_t t, u; cusparseIndexBase_t base; cudaDataType type; cusparseFormat_t format;
  check.ok(cusparseCreateCsr(&A, 3, 4, 5, p, p + 4, p + 8, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_C_32F));
  check.ok(cusparseCsrGet(A, &rows, &columns, &entries, &a, &b, &v, &t, &u, &base, &type)); check.ok(cusparseSpMatGetFormat(A, &format));
  check.bad += rows != 3 || columns != 4 || entries != 5 || a != p || b != p + 4 || v != p + 8 || t != CUSPARSE_INDEX_64I || u != CUSPARSE_INDEX_32I || base != CUSPARSE_INDEX_BASE_ONE || type != CUDA_C_32F || format != CUSPARSE_FORMAT_CSR;
  check.bad += cusparseCooGet(A, &rows, &columns, &entries, &a, &b, &v, &t, &base, &type) != CUSPARSE_STATUS_INVALID_VALUE; check.bad += cusparseCreateCsr(&A, -1, 4, 5, p, p, p, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F) != CUSPARSE_STATUS_INVALID_VALUE;
  check.ok(cusparseCreateConstCoo(&C, 3, 4, 5, p, p + 4, p + 8, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F)); check.ok(cusparseConstSpMatGetValues(C, &cv)); check.bad += cv != p + 8; check.ok(cusparseDestroySpMat(C)); check.bad += cusparseSpMatGetFormat(C, &format) == CUSPARSE_STATUS_SUCCESS;
  cudaStream_t stream, got; cudaStreamCreate(&stream); check.ok(cusparseSetStream(h, stream)); check.ok(cusparseGetStream(h, &got)); int version, major; check.ok(cusparseGetVersion(h, &version)); check.ok(cusparseGetProperty(MAJOR_VERSION, &major)); check.bad += got != stream || version != CUSPARSE_VERSION || major != CUSPARSE_VER_MAJOR;
  check.say("attributes", "descriptions", 0);
}
__global__ void nothing() {}
int main() {
  cusparseCreate(&h);
  vectors<float>(); vectors<double>(); vectors<cuComplex>(); vectors<cuDoubleComplex>();
  dense<float>(cusparseSnnz); dense<double>(cusparseDnnz); dense<cuComplex>(cusparseCnnz); dense<cuDoubleComplex>(cusparseZnnz);
  indices(); descriptions();
  return cusparseDestroy(h);
}
