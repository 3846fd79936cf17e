#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_bf16.h>
#include <cublasLt.h>
static float gelu(float x) { return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))); }
template <class T> static float value(T x) { return (float)x; }
template <class T> static void test(const char *name, cudaDataType type, int ta, int tb, cublasLtEpilogue_t epilogue, float beta, int batch, float most) {
  const int m = 70, n = 45, k = 33;
  const int ra = ta ? k : m, ca = ta ? m : k, rb = tb ? n : k, cb = tb ? k : n;
  std::vector<T> a(ra * ca * batch), b(rb * cb * batch), c(m * n * batch), d(m * n * batch), bias(m), aux(m * n * batch);
  for (size_t i = 0; i < a.size(); i++) a[i] = (T)((int)(i * 7 % 13) * 0.125f - 0.75f);
  for (size_t i = 0; i < b.size(); i++) b[i] = (T)((int)(i * 5 % 11) * 0.125f - 0.5f);
  for (size_t i = 0; i < c.size(); i++) c[i] = (T)((int)(i % 9) * 0.25f), aux[i] = (T)((int)(i % 7) * 0.5f - 1.5f);
  for (int i = 0; i < m; i++) bias[i] = (T)((i % 5) * 0.5f - 1);
  T *da, *db, *dc, *dd, *dbias, *daux;
  cudaMalloc(&da, a.size() * sizeof(T)); cudaMalloc(&db, b.size() * sizeof(T)); cudaMalloc(&dc, c.size() * sizeof(T));
  cudaMalloc(&dd, d.size() * sizeof(T)); cudaMalloc(&dbias, bias.size() * sizeof(T)); cudaMalloc(&daux, aux.size() * sizeof(T));
  cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice); cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice); cudaMemcpy(dbias, bias.data(), bias.size() * sizeof(T), cudaMemcpyHostToDevice);
  cudaMemcpy(daux, aux.data(), aux.size() * sizeof(T), cudaMemcpyHostToDevice);
  cublasLtHandle_t handle; cublasLtCreate(&handle);
  cublasLtMatmulDesc_t desc; cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasOperation_t opA = ta ? CUBLAS_OP_T : CUBLAS_OP_N, opB = tb ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &opA, sizeof opA);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &opB, sizeof opB);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &dbias, sizeof dbias);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &daux, sizeof daux);
  int64_t ld = m, auxStride = m * n;
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, &auxStride, sizeof auxStride);
  cublasLtMatrixLayout_t la, lb, lc; cublasLtMatrixLayoutOpaque_t own;
  cublasLtMatrixLayoutCreate(&la, type, ra, ca, ra); cublasLtMatrixLayoutCreate(&lb, type, rb, cb, rb);
  cublasLtMatrixLayoutInit(&own, type, m, n, m); lc = &own;
  int64_t strides[3] = {ra * ca, rb * cb, m * n}; cublasLtMatrixLayout_t all[3] = {la, lb, lc};
  for (int i = 0; i < 3; i++) {
    cublasLtMatrixLayoutSetAttribute(all[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
    cublasLtMatrixLayoutSetAttribute(all[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &strides[i], sizeof strides[i]);
  }
  cublasLtMatmulPreference_t pref; cublasLtMatmulPreferenceCreate(&pref);
  cublasLtMatmulHeuristicResult_t heuristic; int found = 0;
  cublasStatus_t s = cublasLtMatmulAlgoGetHeuristic(handle, desc, la, lb, lc, lc, pref, 1, &heuristic, &found);
  float alpha = 0.5f;
  if (s || !found) { printf("%s: no way, %s\n", name, cublasLtGetStatusName(s)); return; }
  s = cublasLtMatmul(handle, desc, &alpha, da, la, db, lb, &beta, dc, lc, dd, lc, &heuristic.algo, nullptr, 0, 0);
  std::vector<T> after(aux.size());
  cudaMemcpy(d.data(), dd, d.size() * sizeof(T), cudaMemcpyDeviceToHost); cudaMemcpy(after.data(), daux, after.size() * sizeof(T), cudaMemcpyDeviceToHost);
  float worst = 0;
  for (int z = 0; z < batch; z++) for (int y = 0; y < n; y++) for (int x = 0; x < m; x++) {
    float sum = 0;
    for (int i = 0; i < k; i++) sum += value(a[z * ra * ca + (ta ? x * ra + i : i * ra + x)]) * value(b[z * rb * cb + (tb ? i * rb + y : y * rb + i)]);
    int at = z * m * n + y * m + x;
    float v = alpha * sum + beta * value(c[at]);
    if (epilogue & 4) v += value(bias[x]);
    if (epilogue == CUBLASLT_EPILOGUE_DGELU) { float p = value(aux[at]), h = 1e-2f; v *= (gelu(p + h) - gelu(p - h)) / (2 * h); }
    if ((epilogue & 128) && epilogue != CUBLASLT_EPILOGUE_DGELU) worst = fmaxf(worst, fabsf(value(after[at]) - v));
    if (epilogue & 32) v = gelu(v);
    if (epilogue & 2) v = fmaxf(v, 0);
    worst = fmaxf(worst, fabsf(value(d[at]) - v));
  }
  printf("%s: %s\n", name, s == 0 && worst <= most ? "right" : "wrong");
  if (worst > most) printf("  off by %g\n", worst);
  cublasLtMatrixLayoutDestroy(la); cublasLtMatrixLayoutDestroy(lb); cublasLtMatmulDescDestroy(desc); cublasLtDestroy(handle);
}
// T: of A and B, C: of the result, S: of the scalars.
template <class T, class C, class S> static void product(const char *name, cudaDataType type, cudaDataType result, cublasComputeType_t compute, cudaDataType scale, float most, cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT) {
  const int m = 37, n = 21, k = 50;
  std::vector<T> a(m * k), b(k * n); std::vector<C> c(m * n), d(m * n);
  for (int i = 0; i < m * k; i++) a[i] = (T)(float)(i * 7 % 13 - 6);
  for (int i = 0; i < k * n; i++) b[i] = (T)(float)(i * 5 % 11 - 5);
  for (int i = 0; i < m * n; i++) c[i] = (C)(float)(i % 9);
  T *da, *db; C *dc, *dd;
  cudaMalloc(&da, a.size() * sizeof(T)); cudaMalloc(&db, b.size() * sizeof(T)); cudaMalloc(&dc, c.size() * sizeof(C)); cudaMalloc(&dd, d.size() * sizeof(C));
  cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice); cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), c.size() * sizeof(C), cudaMemcpyHostToDevice);
  cublasLtHandle_t handle; cublasLtCreate(&handle);
  cublasLtMatmulDesc_t desc; cublasLtMatmulDescCreate(&desc, compute, scale);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  cublasLtMatrixLayout_t la, lb, lc; cublasLtMatrixLayoutCreate(&la, type, m, k, m); cublasLtMatrixLayoutCreate(&lb, type, k, n, k); cublasLtMatrixLayoutCreate(&lc, result, m, n, m);
  const S alpha = (S)2.0f, beta = (S)3.0f;
  const cublasStatus_t s = cublasLtMatmul(handle, desc, &alpha, da, la, db, lb, &beta, dc, lc, dd, lc, nullptr, nullptr, 0, 0);
  if (s) { printf("%s: no way, %s\n", name, cublasLtGetStatusName(s)); return; }
  cudaMemcpy(d.data(), dd, d.size() * sizeof(C), cudaMemcpyDeviceToHost);
  float worst = 0;
  for (int y = 0; y < n; y++) for (int x = 0; x < m; x++) {
    float sum = 0;
    for (int i = 0; i < k; i++) sum += value(a[i * m + x]) * value(b[y * k + i]);
    worst = fmaxf(worst, fabsf(value(d[y * m + x]) - (2 * sum + 3 * value(c[y * m + x]))));
  }
  printf("%s: %s\n", name, worst <= most ? "right" : "wrong");
  if (worst > most) printf("  off by %g\n", worst);
}
int main() {
  test<float>("plain", CUDA_R_32F, 0, 0, CUBLASLT_EPILOGUE_DEFAULT, 0, 1, 1e-4);
  test<float>("transposed, with C", CUDA_R_32F, 1, 1, CUBLASLT_EPILOGUE_DEFAULT, 0.25f, 1, 1e-4);
  test<float>("bias, batched", CUDA_R_32F, 1, 0, CUBLASLT_EPILOGUE_BIAS, 0, 3, 1e-4);
  test<float>("relu and bias", CUDA_R_32F, 0, 1, CUBLASLT_EPILOGUE_RELU_BIAS, 0, 1, 1e-4);
  test<float>("gelu", CUDA_R_32F, 0, 0, CUBLASLT_EPILOGUE_GELU, 0, 1, 1e-4);
  test<float>("gelu, bias and what was before", CUDA_R_32F, 0, 0, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, 0.5f, 2, 1e-4);
  test<float>("slope of gelu", CUDA_R_32F, 0, 0, CUBLASLT_EPILOGUE_DGELU, 0, 2, 2e-3);
  test<__nv_bfloat16>("bfloat16 with bias", CUDA_R_16BF, 1, 0, CUBLASLT_EPILOGUE_BIAS, 0, 1, 2e-2);
  test<__half>("half with gelu", CUDA_R_16F, 1, 0, CUBLASLT_EPILOGUE_GELU_BIAS, 0, 1, 5e-3);
  test<float>("gradient of the bias", CUDA_R_32F, 0, 0, CUBLASLT_EPILOGUE_BGRADB, 0, 1, 1e-4);
  product<double, double, double>("doubles", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, 0);
  product<__half, __half, __half>("halves throughout", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F, 1);
  product<int8_t, int, int>("bytes to integers", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, 0);
  product<int8_t, float, float>("bytes to floats", CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, 0);
  product<double, double, float>("doubles by floats", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_32F, 0);
  product<int8_t, int, int>("bytes with a ReLU", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, 0, CUBLASLT_EPILOGUE_RELU);
}
