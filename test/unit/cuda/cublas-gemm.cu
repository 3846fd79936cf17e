#include <cstdio>
#include <complex>
#include <vector>
#include <cublas_v2.h>
struct Byte { signed char x, y; };
typedef std::complex<double> Z;
static Z get(cuComplex t) { return Z(t.x, t.y); }
static Z get(cuDoubleComplex t) { return Z(t.x, t.y); }
static Z get(Byte t) { return Z(t.x, t.y); }
static Z get(signed char t) { return t; }
static Z get(float t) { return t; }
static void put(cuComplex &t, int x, int y) { t = make_cuComplex(x, y); }
static void put(cuDoubleComplex &t, int x, int y) { t = make_cuDoubleComplex(x, y); }
static void put(Byte &t, int x, int y) { t.x = x, t.y = y; }
static void put(signed char &t, int x, int) { t = x; }
static void put(float &t, int x, int) { t = x; }
template <class T> T *toDevice(const std::vector<T> &v) { T *p; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
// Small whole numbers: every sum is exact. `call` gets the handle, both operations, the scalars and the matrices of a batch.
template <class T, class C, class Call> static void test(const char *name, int batch, Call call) {
  int bad = 0;
  for (int ta = 0; ta < 3; ta++) for (int tb = 0; tb < 3; tb++) {
    const int m = 37, n = 21, k = 50, ra = ta ? k : m, rb = tb ? n : k;
    std::vector<T> a(m * k * batch), b(k * n * batch); std::vector<C> c(m * n * batch), d(m * n * batch);
    for (size_t i = 0; i < a.size(); i++) put(a[i], i * 7 % 13 - 6, i * 3 % 7 - 3);
    for (size_t i = 0; i < b.size(); i++) put(b[i], i * 5 % 11 - 5, i % 5 - 2);
    for (size_t i = 0; i < c.size(); i++) put(c[i], i % 9, i % 4);
    C alpha, beta; put(alpha, 2, 1); put(beta, -1, 3);
    T *da = toDevice(a), *db = toDevice(b); C *dc = toDevice(c);
    cublasHandle_t h; cublasCreate(&h);
    bad += call(h, (cublasOperation_t)ta, (cublasOperation_t)tb, m, n, k, &alpha, da, ra, db, rb, &beta, dc, batch) != CUBLAS_STATUS_SUCCESS;
    cublasDestroy(h);
    cudaMemcpy(d.data(), dc, d.size() * sizeof(C), cudaMemcpyDeviceToHost);
    for (int z = 0; z < batch; z++) for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) {
      Z sum = 0;
      for (int l = 0; l < k; l++) {
        const Z x = get(a[z * m * k + (ta ? i * ra + l : l * ra + i)]), y = get(b[z * k * n + (tb ? l * rb + j : j * rb + l)]);
        sum += (ta == 2 ? std::conj(x) : x) * (tb == 2 ? std::conj(y) : y);
      }
      const int at = z * m * n + j * m + i;
      bad += get(d[at]) != get(alpha) * sum + get(beta) * get(c[at]);
    }
  }
  printf("%s: %s\n", name, bad ? "wrong" : "right");
}
template <cudaDataType type, cudaDataType result, cublasComputeType_t compute, class T, class C>
static cublasStatus_t ex(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const C *alpha, const T *a, int lda, const T *b, int ldb, const C *beta, C *c, int) {
  return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, type, lda, b, type, ldb, beta, c, result, m, compute, CUBLAS_GEMM_DEFAULT);
}
int main() {
  test<cuComplex, cuComplex>("complex", 1, [](cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, auto alpha, auto a, int lda, auto b, int ldb, auto beta, auto c, int) {
    return cublasCgemm(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, m); });
  test<cuDoubleComplex, cuDoubleComplex>("double complex, batched", 3, [](cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, auto alpha, auto a, int lda, auto b, int ldb, auto beta, auto c, int batch) {
    return cublasZgemmStridedBatched(h, ta, tb, m, n, k, alpha, a, lda, m * k, b, ldb, k * n, beta, c, m, m * n, batch); });
  test<cuComplex, cuComplex>("complex by type", 1, ex<CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F_FAST_TF32, cuComplex, cuComplex>);
  test<cuDoubleComplex, cuDoubleComplex>("double complex by type", 1, ex<CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F, cuDoubleComplex, cuDoubleComplex>);
  test<Byte, cuComplex>("complex bytes", 1, ex<CUDA_C_8I, CUDA_C_32F, CUBLAS_COMPUTE_32F, Byte, cuComplex>);
  test<signed char, float>("bytes to floats", 1, ex<CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, signed char, float>);
  cublasHandle_t h; cublasCreate(&h); const float one = 1, zero = 0; float *p; cudaMalloc(&p, 1024);
  printf("bytes to floats by integers: %s\n", cublasGetStatusName(ex<CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32I>(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, (signed char *)p, 4, (signed char *)p, 4, &zero, p, 1)));
  printf("complex by doubles: %s\n", cublasGetStatusName(ex<CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_64F>(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, p, 4, p, 4, &zero, p, 1)));
}
