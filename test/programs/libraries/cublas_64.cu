// cuBLAS's names with 64-bit sizes: the same results, indices of 64 bits, sizes of groups in arrays of 64 bits.
#include "../check.h"
#include <cublas_v2.h>
#define BLAS(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)
int main() {
  cublasHandle_t handle;
  BLAS(cublasCreate(&handle));
  const int64_t n = 64;
  std::vector<float> a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = (float)(i % 5 - 2), b[i] = (float)(i % 7 - 3);
  a[100] = -9;
  Device<float> da(n * n), db(n * n), dc(n * n);
  BLAS(cublasSetVector_64(n * n, sizeof(float), a.data(), 1, da, 1));
  BLAS(cublasSetMatrix_64(n, n, sizeof(float), b.data(), n, db, n));

  int64_t index = -1;
  BLAS(cublasIsamax_64(handle, n * n, da, 1, &index));
  same("isamax", 0, index, (int64_t)101);
  index = -1;
  BLAS(cublasIcamax_64(handle, n * n / 2, (const cuComplex *)(float *)da, 1, &index));
  same("icamax", 0, index, (int64_t)51);
  std::vector<int64_t> indices(2, -1);
  Device<int64_t> onDevice(indices);
  BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  BLAS(cublasIsamin_64(handle, n * n, da, 1, onDevice));
  BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
  same("isamin", 0, onDevice.host()[0], (int64_t)3);
  same("isamin", 1, onDevice.host()[1], (int64_t)-1);

  float norm = 0;
  BLAS(cublasSnrm2_64(handle, 3, da + 98, 1, &norm));
  close("snrm2", 0, norm, sqrtf(a[98] * a[98] + a[99] * a[99] + 81), 1e-5);

  const float one = 1, two = 2, zero = 0;
  auto expectProduct = [&](const char *what, float factor) {
    const auto c = dc.host();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int l = 0; l < n; ++l) sum += a[l * n + i] * b[j * n + l];
        close(what, j * n + i, c[j * n + i], factor * sum, 0);
      }
  };
  BLAS(cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, da, n, db, n, &zero, dc, n));
  expectProduct("sgemm", 1);
  BLAS(cublasSscal_64(handle, n * n, &two, dc, 1));
  expectProduct("sscal", 2);
  BLAS(cublasGemmStridedBatchedEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, da, CUDA_R_32F, n, 0, db, CUDA_R_32F, n, 0, &zero, dc, CUDA_R_32F, n, n * n, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  expectProduct("strided", 1);
  BLAS(cublasSgeam_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, &one, dc, n, &two, dc, n, dc, n));
  expectProduct("sgeam", 3);

#if CUBLAS_VERSION >= 120500
  const cublasOperation_t plain = CUBLAS_OP_N;
  const int64_t count = 1;
  Device<float *> pointers(3);
  float *const host[] = {da, db, dc};
  CHECK(cudaMemcpy(pointers, host, sizeof host, cudaMemcpyHostToDevice));
  float **at = pointers;
  BLAS(cublasSgemmGroupedBatched_64(handle, &plain, &plain, &n, &n, &n, &two, at, &n, at + 1, &n, &zero, at + 2, &n, 1, &count));
  expectProduct("grouped", 2);
#endif

  std::vector<cuComplex> diagonal(n), matrix(n * n), scaled(n * n);
  for (int i = 0; i < n; ++i) diagonal[i] = make_cuComplex((float)i, 1);
  for (int i = 0; i < n * n; ++i) matrix[i] = make_cuComplex((float)(i % 3), (float)(i % 4));
  Device<cuComplex> dd(diagonal), dm(matrix), ds(n * n);
  BLAS(cublasCdgmm_64(handle, CUBLAS_SIDE_LEFT, n, n, dm, n, dd, 1, ds, n));
  scaled = ds.host();
  for (int i = 0; i < n * n; ++i) {
    const cuComplex expected = cuCmulf(matrix[i], diagonal[i % n]);
    close("cdgmm", i, scaled[i].x, expected.x, 0), close("cdgmm", i, scaled[i].y, expected.y, 0);
  }
  BLAS(cublasDestroy(handle));
  return finish();
}
