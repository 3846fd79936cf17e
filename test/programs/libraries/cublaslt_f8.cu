// Products of 8-bit floats by cuBLASLt: all combinations of types that it has on Ada and Hopper, with scales, epilogues, and the largest magnitude. All sums are exact.
#include "../check.h"
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

static void blas(cublasStatus_t status, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  printf("line %d: cuBLASLt says %d\n", line, status);
  exit(1);
}
#define BLAS(call) blas(call, __LINE__)

static size_t bytesOf(cudaDataType_t type) { return type == CUDA_R_32F ? 4 : type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : 1; }
static void put(std::vector<unsigned char> &to, size_t i, cudaDataType_t type, float value) {
  if (type == CUDA_R_32F) ((float *)to.data())[i] = value;
  else if (type == CUDA_R_16F) ((__half *)to.data())[i] = __float2half(value);
  else if (type == CUDA_R_16BF) ((__nv_bfloat16 *)to.data())[i] = __float2bfloat16(value);
  else to[i] = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, type == CUDA_R_8F_E4M3 ? __NV_E4M3 : __NV_E5M2);
}
static float get(const std::vector<unsigned char> &from, size_t i, cudaDataType_t type) {
  if (type == CUDA_R_32F) return ((const float *)from.data())[i];
  if (type == CUDA_R_16F) return __half2float(((const __half *)from.data())[i]);
  if (type == CUDA_R_16BF) return __bfloat162float(((const __nv_bfloat16 *)from.data())[i]);
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(from[i], type == CUDA_R_8F_E4M3 ? __NV_E4M3 : __NV_E5M2)));
}

struct Matrix {
  int rows, columns;
  cudaDataType_t type;
  std::vector<unsigned char> host;
  void *device;
  cublasLtMatrixLayout_t layout;
  Matrix(int rows, int columns, cudaDataType_t type) : rows(rows), columns(columns), type(type), host(rows * columns * bytesOf(type)) {
    CHECK(cudaMalloc(&device, host.size()));
    BLAS(cublasLtMatrixLayoutCreate(&layout, type, rows, columns, rows));
  }
  void fill(unsigned seed) {
    static const float values[] = {0, 0.5f, -0.5f, 1, -1, 2, -1.5f, 3};
    for (int i = 0; i < rows * columns; i++) put(host, i, type, values[(seed = seed * 1664525 + 1013904223) >> 29]);
    CHECK(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice));
  }
  float at(int row, int column) const { return get(host, (size_t)column * rows + row, type); }
  ~Matrix() {
    cudaFree(device);
    cublasLtMatrixLayoutDestroy(layout);
  }
};

template <class T> static void set(cublasLtMatmulDesc_t of, cublasLtMatmulDescAttributes_t attribute, T value) {
  BLAS(cublasLtMatmulDescSetAttribute(of, attribute, &value, sizeof value));
}
static cublasLtHandle_t lt;
// A scale or a largest magnitude in each, where a vector could lie.
static float *scales;
constexpr int apart = 8;
static const float scaleA = 0.5f, scaleB = 4, scaleD = 0.25f;

static cublasStatus_t choose(cublasLtMatmulDesc_t desc, Matrix &A, Matrix &B, Matrix &C, Matrix &D, cublasLtMatmulHeuristicResult_t &found) {
  cublasLtMatmulPreference_t preference;
  BLAS(cublasLtMatmulPreferenceCreate(&preference));
  int count = 0;
  cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(lt, desc, A.layout, B.layout, C.layout, D.layout, preference, 1, &found, &count);
  cublasLtMatmulPreferenceDestroy(preference);
  return status == CUBLAS_STATUS_SUCCESS && count == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : status;
}

// What cublasLtMatmul says; where that is success, results are checked.
static cublasStatus_t once(cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cudaDataType_t d, cublasLtEpilogue_t epilogue, float beta, bool fast) {
  const int m = 80, n = 48, k = 96;
  const bool isNarrow = bytesOf(d) == 1;
  Matrix A(k, m, a), B(k, n, b), C(m, n, c), D(m, n, d), bias(m, 1, d == CUDA_R_32F ? CUDA_R_16BF : c);
  A.fill(1), B.fill(2), C.fill(3), bias.fill(4);
  cublasLtMatmulDesc_t desc;
  BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  set(desc, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  set(desc, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
  set(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  set(desc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, (int8_t)fast);
  set(desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scales);
  set(desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scales + apart);
  if (isNarrow) {
    set(desc, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scales + 2 * apart);
    set(desc, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, scales + 3 * apart);
  }
  const bool hasBias = epilogue & CUBLASLT_EPILOGUE_BIAS;
  if (hasBias) set(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.device);
  const float alpha = 0.5f;
  cublasLtMatmulHeuristicResult_t found;
  BLAS(choose(desc, A, B, C, D, found));
  const cublasStatus_t status = cublasLtMatmul(lt, desc, &alpha, A.device, A.layout, B.device, B.layout, &beta, C.device, C.layout, D.device, D.layout, &found.algo, nullptr, 0, 0);
  if (status != CUBLAS_STATUS_SUCCESS) {
    cublasLtMatmulDescDestroy(desc);
    return status;
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(D.host.data(), D.device, D.host.size(), cudaMemcpyDeviceToHost));
  float largest = 0;
  std::vector<unsigned char> rounded(4);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) {
      float sum = 0;
      for (int l = 0; l < k; l++) sum += A.at(l, x) * B.at(l, y);
      float value = alpha * scaleA * scaleB * sum + beta * C.at(x, y);
      if (hasBias) value += bias.at(x, 0);
      if (epilogue & CUBLASLT_EPILOGUE_RELU) value = value > 0 ? value : 0;
      largest = fmaxf(largest, fabsf(value));
      put(rounded, 0, d, isNarrow ? value * scaleD : value);
      const float expected = get(rounded, 0, d), got = D.at(x, y);
      if (got != expected) FAIL("%d x %d to %d, epilogue %d: (%d, %d) is %g, not %g", a, b, d, epilogue, x, y, got, expected);
    }
  float told = -1;
  CHECK(cudaMemcpy(&told, scales + 3 * apart, 4, cudaMemcpyDeviceToHost));
  if (isNarrow && told != largest) FAIL("%d x %d to %d: largest is %g, not %g", a, b, d, told, largest);
  cublasLtMatmulDescDestroy(desc);
  return status;
}
static void product(cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cudaDataType_t d, cublasLtEpilogue_t epilogue, float beta, bool fast) {
  BLAS(once(a, b, c, d, epilogue, beta, fast));
}

static cublasStatus_t possible(cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cudaDataType_t d, cublasOperation_t ta, cublasOperation_t tb) {
  Matrix A(64, 64, a), B(64, 64, b), C(64, 64, c), D(64, 64, d);
  cublasLtMatmulDesc_t desc;
  BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  set(desc, CUBLASLT_MATMUL_DESC_TRANSA, ta);
  set(desc, CUBLASLT_MATMUL_DESC_TRANSB, tb);
  cublasLtMatmulHeuristicResult_t found;
  const cublasStatus_t status = choose(desc, A, B, C, D, found);
  cublasLtMatmulDescDestroy(desc);
  return status;
}

int main() {
  int major, minor;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  BLAS(cublasLtCreate(&lt));
  const cudaDataType_t e4 = CUDA_R_8F_E4M3, e5 = CUDA_R_8F_E5M2, h = CUDA_R_16F, bf = CUDA_R_16BF, s = CUDA_R_32F;
  if (10 * major + minor < 89) {
    EXPECT(possible(e4, e4, bf, bf, CUBLAS_OP_T, CUBLAS_OP_N) == CUBLAS_STATUS_NOT_SUPPORTED);
    return finish();
  }
  float host[4 * apart] = {scaleA};
  host[apart] = scaleB, host[2 * apart] = scaleD;
  CHECK(cudaMalloc(&scales, sizeof host));
  CHECK(cudaMemcpy(scales, host, sizeof host, cudaMemcpyHostToDevice));
  for (cudaDataType_t b : {e4, e5}) {
    for (cudaDataType_t d : {bf, h, s}) product(e4, b, d, d, CUBLASLT_EPILOGUE_DEFAULT, 0, false);
    product(e4, b, bf, bf, CUBLASLT_EPILOGUE_RELU_BIAS, 0, true);
    product(e4, b, h, h, CUBLASLT_EPILOGUE_BIAS, 2, false);
    for (cudaDataType_t c : {bf, h}) product(e4, b, c, e4, CUBLASLT_EPILOGUE_DEFAULT, 0, true);
    product(e4, b, bf, e4, CUBLASLT_EPILOGUE_RELU_BIAS, 0, true);
  }
  product(e5, e4, bf, bf, CUBLASLT_EPILOGUE_DEFAULT, 1, false);
  product(e5, e4, bf, e5, CUBLASLT_EPILOGUE_DEFAULT, 0, false);
  product(e4, e5, h, e5, CUBLASLT_EPILOGUE_RELU, 0, true);
  // Scales have to be aligned as vectors are.
  scales++;
  EXPECT(once(e4, e4, bf, bf, CUBLASLT_EPILOGUE_DEFAULT, 0, false) == CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT(possible(e5, e5, bf, bf, CUBLAS_OP_T, CUBLAS_OP_N) != CUBLAS_STATUS_SUCCESS);
  EXPECT(possible(e4, e4, s, e4, CUBLAS_OP_T, CUBLAS_OP_N) != CUBLAS_STATUS_SUCCESS);
  EXPECT(possible(e4, e4, bf, e5, CUBLAS_OP_T, CUBLAS_OP_N) != CUBLAS_STATUS_SUCCESS);
  EXPECT(major >= 10 || possible(e4, e4, bf, bf, CUBLAS_OP_N, CUBLAS_OP_N) != CUBLAS_STATUS_SUCCESS);
  return finish();
}
