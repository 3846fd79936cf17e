// cublasGemmEx and cublasHgemm: halves in, floats or halves out.
// Needs compute capability 7.0.
#include "../check.h"
#include <cublas_v2.h>
#include <cuda_fp16.h>
int main() {
  cublasHandle_t handle;
  EXPECT(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
  const int m = 16, n = 24, k = 32;
  std::vector<__half> a(m * k), b(k * n);
  for (int i = 0; i < m * k; ++i) a[i] = __float2half((float)(i % 5 - 2));
  for (int i = 0; i < k * n; ++i) b[i] = __float2half((float)(i % 7 - 3));
  Device<__half> da(a), db(b), dh(m * n);
  Device<float> dc(m * n);
  const float one = 1, zero = 0;
  EXPECT(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, da, CUDA_R_16F, m, db, CUDA_R_16F, k, &zero, dc, CUDA_R_32F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
  const __half hone = __float2half(1), hzero = __float2half(0);
  EXPECT(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &hone, da, m, db, k, &hzero, dh, m) == CUBLAS_STATUS_SUCCESS);
  CHECK(cudaDeviceSynchronize());
  const auto c = dc.host();
  const auto h = dh.host();
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += __half2float(a[l * m + i]) * __half2float(b[j * k + l]);
      close("gemmEx", j * m + i, c[j * m + i], sum, 0), close("hgemm", j * m + i, __half2float(h[j * m + i]), sum, 0.5);
    }
  EXPECT(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
  return finish();
}
