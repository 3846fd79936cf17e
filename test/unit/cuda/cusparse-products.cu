#include "sparse.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
static cusparseHandle_t h;
static void *room(size_t bytes) { void *p; cudaMalloc(&p, bytes); return p; }
template <class T> static void vectors() {
  Check check; const Matrix<T> a(70, 50, 0.15); const T alpha = number<T>(Z(0.75, 0.5)), beta = number<T>(Z(-1.5, 0.25));
  for (int format = 0; format < 3; format++) for (int o = 0; o < 3; o++) for (int wide = 0; wide < 2; wide++) {
    const int m = o ? a.columns : a.rows, n = o ? a.rows : a.columns;
    const auto x = randoms<T>(n), y = randoms<T>(m); T *dx = toDevice(x), *dy = toDevice(y);
    cusparseSpMatDescr_t A = a.describe(format, wide, wide); cusparseDnVecDescr_t X, Y; size_t size = 0;
    check.ok(cusparseCreateDnVec(&X, n, dx, Type<T>::type)); check.ok(cusparseCreateDnVec(&Y, m, dy, Type<T>::type));
    check.ok(cusparseSpMV_bufferSize(h, (cusparseOperation_t)o, &alpha, A, X, &beta, Y, Type<T>::type, CUSPARSE_SPMV_ALG_DEFAULT, &size));
    void *buffer = room(size); check.bad += size == 0;
    check.ok(cusparseSpMV_preprocess(h, (cusparseOperation_t)o, &alpha, A, X, &beta, Y, Type<T>::type, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    // Scalars on the device give the same.
    if (wide) cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE);
    T *scalars = toDevice(std::vector<T>{alpha, beta});
    check.ok(cusparseSpMV(h, (cusparseOperation_t)o, wide ? scalars : &alpha, A, X, wide ? scalars + 1 : &beta, Y, Type<T>::type, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST);
    const auto got = toHost(dy, m);
    for (int i = 0; i < m; i++) { Z sum = 0; for (int k = 0; k < n; k++) sum += a.at(i, k, o) * get(x[k]); check(get(got[i]), get(alpha) * sum + get(beta) * get(y[i])); }
    cusparseDestroySpMat(A); cusparseDestroyDnVec(X); cusparseDestroyDnVec(Y);
  }
  check.say("SpMV", Type<T>::name, 4 * Type<T>::most);
}
template <class T> static void matrices() {
  Check check; const int columns = 37, batch = 2; const Matrix<T> a(45, 33, 0.2); const T alpha = number<T>(Z(0.75, 0.5)), beta = number<T>(Z(-1.5, 0.25));
  for (int format = 0; format < 3; format++) for (int oa = 0; oa < 3; oa++) for (int ob = 0; ob < 3; ob++) for (int rowMajor = 0; rowMajor < 2; rowMajor++) {
    const int m = oa ? a.columns : a.rows, k = oa ? a.rows : a.columns, rb = ob ? columns : k, cb = ob ? k : columns;
    const int ldb = (rowMajor ? cb : rb) + 3, ldc = (rowMajor ? columns : m) + 1, sb = ldb * (rowMajor ? rb : cb), sc = ldc * (rowMajor ? m : columns);
    const auto b = randoms<T>(sb * batch), c = randoms<T>(sc * batch); T *db = toDevice(b), *dc = toDevice(c);
    const cusparseOrder_t order = rowMajor ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL; cusparseDnMatDescr_t B, C; cusparseSpMatDescr_t A = a.describe(format);
    check.ok(cusparseCreateDnMat(&B, rb, cb, ldb, db, Type<T>::type, order)); check.ok(cusparseCreateDnMat(&C, m, columns, ldc, dc, Type<T>::type, order));
    check.ok(cusparseDnMatSetStridedBatch(B, batch, sb)); check.ok(cusparseDnMatSetStridedBatch(C, batch, sc));
    size_t size; check.ok(cusparseSpMM_bufferSize(h, (cusparseOperation_t)oa, (cusparseOperation_t)ob, &alpha, A, B, &beta, C, Type<T>::type, CUSPARSE_SPMM_ALG_DEFAULT, &size));
    check.ok(cusparseSpMM(h, (cusparseOperation_t)oa, (cusparseOperation_t)ob, &alpha, A, B, &beta, C, Type<T>::type, CUSPARSE_SPMM_ALG_DEFAULT, room(size)));
    const auto got = toHost(dc, sc * batch);
    for (int z = 0; z < batch; z++) for (int i = 0; i < m; i++) for (int j = 0; j < columns; j++) {
      Z sum = 0;
      for (int l = 0; l < k; l++) { const int bi = ob ? j : l, bj = ob ? l : j; sum += a.at(i, l, oa) * op(get(b[z * sb + (rowMajor ? bi * ldb + bj : bj * ldb + bi)]), ob); }
      const int at = z * sc + (rowMajor ? i * ldc + j : j * ldc + i); check(get(got[at]), get(alpha) * sum + get(beta) * get(c[at]));
    }
    cusparseDestroySpMat(A); cusparseDestroyDnMat(B); cusparseDestroyDnMat(C);
  }
  check.say("SpMM", Type<T>::name, 4 * Type<T>::most);
}
template <class T> static void sampled() {
  Check check; const int inner = 41; const Matrix<T> c(23, 29, 0.2); const T alpha = number<T>(Z(0.75, 0.5)), beta = number<T>(Z(-1.5, 0.25));
  for (int format = 0; format < 3; format++) for (int oa = 0; oa < 3; oa++) for (int ob = 0; ob < 3; ob++) {
    const int ra = oa ? inner : c.rows, ca = oa ? c.rows : inner, rb = ob ? c.columns : inner, cb = ob ? inner : c.columns;
    const auto a = randoms<T>(ra * ca), b = randoms<T>(rb * cb); cusparseDnMatDescr_t A, B; cusparseSpMatDescr_t C = c.describe(format); size_t size; void *values;
    cusparseCreateDnMat(&A, ra, ca, ca, toDevice(a), Type<T>::type, CUSPARSE_ORDER_ROW); cusparseCreateDnMat(&B, rb, cb, rb, toDevice(b), Type<T>::type, CUSPARSE_ORDER_COL);
    check.ok(cusparseSDDMM_bufferSize(h, (cusparseOperation_t)oa, (cusparseOperation_t)ob, &alpha, A, B, &beta, C, Type<T>::type, CUSPARSE_SDDMM_ALG_DEFAULT, &size));
    check.ok(cusparseSDDMM_preprocess(h, (cusparseOperation_t)oa, (cusparseOperation_t)ob, &alpha, A, B, &beta, C, Type<T>::type, CUSPARSE_SDDMM_ALG_DEFAULT, room(size)));
    check.ok(cusparseSDDMM(h, (cusparseOperation_t)oa, (cusparseOperation_t)ob, &alpha, A, B, &beta, C, Type<T>::type, CUSPARSE_SDDMM_ALG_DEFAULT, room(size)));
    // In CSC the entries are in another order: those of the whole matrix, as it is walked through.
    std::vector<Z> all; for (int i = 0; i < (format == 1 ? c.columns : c.rows); i++) for (int j = 0; j < (format == 1 ? c.rows : c.columns); j++) {
      const int row = format == 1 ? j : i, column = format == 1 ? i : j; if (c.full[row * c.columns + column] == Z(0)) continue;
      Z sum = 0; for (int l = 0; l < inner; l++) sum += op(get(a[oa ? l * ca + row : row * ca + l]), oa) * op(get(b[ob ? l * rb + column : column * rb + l]), ob);
      all.push_back(get(alpha) * sum + get(beta) * c.full[row * c.columns + column]);
    }
    cusparseSpMatGetValues(C, &values); const auto got = toHost((T *)values, c.entries()); check.bad += (int)all.size() != c.entries();
    for (int i = 0; i < c.entries(); i++) check(get(got[i]), all[i]);
  }
  check.say("SDDMM", Type<T>::name, 4 * Type<T>::most);
}
template <class T> static void sparseProduct() {
  Check check; const Matrix<T> a(60, 80, 0.1), b(80, 90, 0.1); const T alpha = number<T>(Z(0.75, 0.5)), beta = number<T>(0); const cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE;
  cusparseSpMatDescr_t A = a.describe(0), B = b.describe(0), C; int *offsets; cudaMalloc(&offsets, 61 * sizeof(int));
  check.ok(cusparseCreateCsr(&C, 60, 90, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, Type<T>::type));
  cusparseSpGEMMDescr_t d; check.ok(cusparseSpGEMM_createDescr(&d)); size_t one = 0, two = 0;
  const cusparseSpGEMMAlg_t alg = CUSPARSE_SPGEMM_DEFAULT; const cudaDataType type = Type<T>::type;
  check.ok(cusparseSpGEMM_workEstimation(h, N, N, &alpha, A, B, &beta, C, type, alg, d, &one, nullptr)); void *first = room(one);
  check.ok(cusparseSpGEMM_workEstimation(h, N, N, &alpha, A, B, &beta, C, type, alg, d, &one, first));
  check.ok(cusparseSpGEMM_compute(h, N, N, &alpha, A, B, &beta, C, type, alg, d, &two, nullptr)); void *second = room(two);
  check.ok(cusparseSpGEMM_compute(h, N, N, &alpha, A, B, &beta, C, type, alg, d, &two, second));
  int64_t rows, columns, entries, products; check.ok(cusparseSpMatGetSize(C, &rows, &columns, &entries)); check.ok(cusparseSpGEMM_getNumProducts(d, &products));
  int *indices = (int *)room(entries * sizeof(int)); T *values = (T *)room(entries * sizeof(T));
  check.ok(cusparseCsrSetPointers(C, offsets, indices, values)); check.ok(cusparseSpGEMM_copy(h, N, N, &alpha, A, B, &beta, C, type, alg, d));
  const auto o = toHost(offsets, 61), at = toHost(indices, entries); const auto v = toHost(values, entries); int64_t count = 0, needed = 0; check.bad += o[0] != 1 || rows != 60 || columns != 90;
  for (int i = 0; i < 60; i++) {
    int next = o[i] - 1;
    for (int k = 0; k < 80; k++) if (a.full[i * 80 + k] != Z(0)) for (int j = 0; j < 90; j++) needed += b.full[k * 90 + j] != Z(0);
    for (int j = 0; j < 90; j++) {
      Z sum = 0; bool any = false; for (int k = 0; k < 80; k++) if (a.full[i * 80 + k] != Z(0) && b.full[k * 90 + j] != Z(0)) any = true, sum += a.full[i * 80 + k] * b.full[k * 90 + j];
      if (!any) continue;
      count++; if (next >= entries || at[next] != j + 1) { check.bad++; continue; }
      check(get(v[next++]), get(alpha) * sum);
    }
    check.bad += next != o[i + 1] - 1;
  }
  check.bad += count != entries || needed != products;
  check.say("SpGEMM", Type<T>::name, 4 * Type<T>::most);
  cusparseSpGEMM_destroyDescr(d);
}
template <class T, class F> static void halves(const char *name, cudaDataType type, F convert) {
  Check check; const Matrix<float> a(40, 30, 0.2); std::vector<T> values, x; std::vector<float> rounded, rx;
  for (float v : a.value) values.push_back(convert(v)), rounded.push_back((float)values.back());
  for (int i = 0; i < 30; i++) { x.push_back(convert((float)drawn())); rx.push_back((float)x.back()); }
  const float alpha = 2, beta = 0; T *dy; float *df; cudaMalloc(&dy, 80); cudaMalloc(&df, 160); cusparseSpMatDescr_t A; cusparseDnVecDescr_t X, Y, F32;
  cusparseCreateCsr(&A, 40, 30, a.entries(), toDevice(a.offsets), toDevice(a.column), toDevice(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
  cusparseCreateDnVec(&X, 30, toDevice(x), type); cusparseCreateDnVec(&Y, 40, dy, type); cusparseCreateDnVec(&F32, 40, df, CUDA_R_32F);
  check.ok(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, A, X, &beta, Y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
  check.ok(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, A, X, &beta, F32, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
  const auto y = toHost(dy, 40); const auto f = toHost(df, 40);
  for (int i = 0; i < 40; i++) { double sum = 0; for (int k = a.offsets[i]; k < a.offsets[i + 1]; k++) sum += 2.0 * rounded[k] * rx[a.column[k]]; check(f[i], sum); check((float)y[i] * 1e-3, sum * 1e-3); }
  check.say("SpMV", name, 2e-5);
}
__global__ void nothing() {}
int main() {
  printf("none yet: %s\n", cusparseGetErrorName(cusparseDestroy(nullptr)));
  if (cusparseCreate(&h)) return 1;
  cudaStream_t stream; cudaStreamCreate(&stream); cusparseSetStream(h, stream);
  vectors<float>(); vectors<double>(); vectors<cuComplex>(); vectors<cuDoubleComplex>();
  halves<__half>("half", CUDA_R_16F, [](float x) { return __float2half(x); }); halves<__nv_bfloat16>("bfloat16", CUDA_R_16BF, [](float x) { return __float2bfloat16(x); });
  matrices<float>(); matrices<double>(); matrices<cuComplex>(); matrices<cuDoubleComplex>();
  sampled<float>(); sampled<double>(); sampled<cuComplex>(); sampled<cuDoubleComplex>();
  sparseProduct<float>(); sparseProduct<double>(); sparseProduct<cuComplex>(); sparseProduct<cuDoubleComplex>();
  // What cannot be, and what is not there.
  const Matrix<float> a(5, 4, 0.5); cusparseSpMatDescr_t A = a.describe(0); cusparseDnVecDescr_t X, D; float one = 1, *p; cudaMalloc(&p, 64);
  cusparseCreateDnVec(&X, 5, p, CUDA_R_32F); cusparseCreateDnVec(&D, 4, p, CUDA_R_64F); const cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE;
  printf("sizes: %s\n", cusparseGetErrorName(cusparseSpMV(h, N, &one, A, X, &one, X, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr)));
  printf("types: %s\n", cusparseGetErrorString(cusparseSpMV(h, N, &one, A, D, &one, X, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr)));
  printf("no matrix: %s\n", cusparseGetErrorString(cusparseSpMV(h, N, &one, nullptr, D, &one, X, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr)));
  return cusparseDestroy(h);
}
