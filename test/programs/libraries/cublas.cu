// cuBLAS: gemm of both precisions with every transposition, gemv, axpy, dot, scal, nrm2, strided batches.
#include "../check.h"
#include <cublas_v2.h>
#define BLAS(call) do { const cublasStatus_t s_ = (call); if (s_ != CUBLAS_STATUS_SUCCESS) { printf("line %d: %s: %d\n", __LINE__, #call, (int)s_); exit(1); } } while (0)
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t a, cublasOperation_t b, int m, int n, int k, const float *al, const float *A, int lda, const float *B, int ldb, const float *be, float *C, int ldc) { return cublasSgemm(h, a, b, m, n, k, al, A, lda, B, ldb, be, C, ldc); }
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t a, cublasOperation_t b, int m, int n, int k, const double *al, const double *A, int lda, const double *B, int ldb, const double *be, double *C, int ldc) { return cublasDgemm(h, a, b, m, n, k, al, A, lda, B, ldb, be, C, ldc); }
template <class T> void matrices(cublasHandle_t handle, const char *name) {
  const int m = 13, n = 7, k = 9, ld = 17;
  for (int ta = 0; ta < 2; ++ta)
    for (int tb = 0; tb < 2; ++tb) {
      std::vector<T> a(ld * 20), b(ld * 20), c(ld * n);
      for (size_t i = 0; i < a.size(); ++i) a[i] = (T)((int)(i * 7 % 11) - 5), b[i] = (T)((int)(i * 3 % 13) - 6);
      for (size_t i = 0; i < c.size(); ++i) c[i] = (T)(i % 5);
      Device<T> da(a), db(b), dc(c);
      const T alpha = 2, beta = -1;
      BLAS(gemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, da.data, ld, db.data, ld, &beta, dc.data, ld));
      const auto got = dc.host();
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < ld; ++i) {
          double sum = 0;
          for (int l = 0; l < k; ++l) sum += (double)(ta ? a[i * ld + l] : a[l * ld + i]) * (double)(tb ? b[l * ld + j] : b[j * ld + l]);
          close(name, j * ld + i, got[j * ld + i], i < m ? 2 * sum - c[j * ld + i] : c[j * ld + i], 0);
        }
    }
}
int main() {
  cublasHandle_t handle;
  BLAS(cublasCreate(&handle));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  BLAS(cublasSetStream(handle, stream));
  matrices<float>(handle, "sgemm");
  matrices<double>(handle, "dgemm");
  const int n = 100;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = (float)(i % 7 - 3), y[i] = (float)(i % 5);
  Device<float> dx(x), dy(y);
  float alpha = 3, result;
  BLAS(cublasSaxpy(handle, n, &alpha, dx, 1, dy, 1));
  for (int i = 0; i < n; ++i) y[i] += 3 * x[i];
  BLAS(cublasSdot(handle, n, dx, 1, dy, 1, &result));
  double dot = 0, norm = 0;
  for (int i = 0; i < n; ++i) dot += x[i] * y[i], norm += x[i] * x[i];
  close("dot", 0, result, dot, 0);
  BLAS(cublasSnrm2(handle, n, dx, 1, &result));
  close("nrm2", 0, result, std::sqrt(norm), 1e-5);
  BLAS(cublasSscal(handle, n / 2, &alpha, dx, 2));
  CHECK(cudaStreamSynchronize(stream));
  const auto scaled = dx.host();
  for (int i = 0; i < n; ++i) close("scal", i, scaled[i], i % 2 ? x[i] : 3 * x[i], 0);
  // A row-major 4 by 6 matrix is its own transpose in column order.
  std::vector<float> a(24), v(6), w(4);
  for (int i = 0; i < 24; ++i) a[i] = (float)i;
  for (int i = 0; i < 6; ++i) v[i] = (float)(i + 1);
  Device<float> da(a), dv(v), dw(w);
  const float one = 1, zero = 0;
  BLAS(cublasSgemv(handle, CUBLAS_OP_T, 6, 4, &one, da, 6, dv, 1, &zero, dw, 1));
  CHECK(cudaStreamSynchronize(stream));
  w = dw.host();
  for (int i = 0; i < 4; ++i) {
    float sum = 0;
    for (int j = 0; j < 6; ++j) sum += a[i * 6 + j] * v[j];
    close("gemv", i, w[i], sum, 0);
  }
  std::vector<float> p(3 * 16), q(3 * 16);
  for (int i = 0; i < 48; ++i) p[i] = (float)(i % 9), q[i] = (float)(i % 4);
  Device<float> dp(p), dq(q), dr(48);
  BLAS(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, dp, 4, 16, dq, 4, 16, &zero, dr, 4, 16, 3));
  CHECK(cudaStreamSynchronize(stream));
  const auto r = dr.host();
  for (int b = 0; b < 3; ++b)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) {
        float sum = 0;
        for (int l = 0; l < 4; ++l) sum += p[b * 16 + l * 4 + i] * q[b * 16 + j * 4 + l];
        close("batched", b * 16 + j * 4 + i, r[b * 16 + j * 4 + i], sum, 0);
      }
  BLAS(cublasDestroy(handle));
  return finish();
}
