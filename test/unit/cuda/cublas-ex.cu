#include <cstdio>
#include <cmath>
#include <complex>
#include <vector>
#include <cublas_v2.h>
#include <cuda_bf16.h>
typedef std::complex<double> Z;
static void put(__half &t, double x, double) { t = __float2half((float)x); }
static void put(__nv_bfloat16 &t, double x, double) { t = __float2bfloat16((float)x); }
static void put(float &t, double x, double) { t = (float)x; }
static void put(double &t, double x, double) { t = x; }
static void put(cuComplex &t, double x, double y) { t = make_cuComplex((float)x, (float)y); }
static void put(cuDoubleComplex &t, double x, double y) { t = make_cuDoubleComplex(x, y); }
static Z get(__half t) { return __half2float(t); }
static Z get(__nv_bfloat16 t) { return __bfloat162float(t); }
static Z get(float t) { return t; }
static Z get(double t) { return t; }
static Z get(cuComplex t) { return Z(t.x, t.y); }
static Z get(cuDoubleComplex t) { return Z(t.x, t.y); }
template <class T> T *toDevice(const std::vector<T> &v) { T *p; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> std::vector<T> toHost(const T *p, size_t n) { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }
// T: of the vectors; E: of scalars and of the execution; N: of the norm. `most`: relative.
template <class T, class E, class N> static void test(const char *name, cudaDataType type, cudaDataType execution, cudaDataType norm, cudaDataType normExecution, double most) {
  const int n = 3001; int bad = 0; double worst = 0;
  auto check = [&](Z got, Z want) { const double off = std::abs(got - want) / (1 + std::abs(want)); if (!(off <= worst)) worst = off; };
  std::vector<T> x(2 * n), y(n);
  for (int i = 0; i < 2 * n; i++) put(x[i], (i * 7 % 13) * 0.125 - 0.5, (i * 5 % 7) * 0.25 - 0.5);
  for (int i = 0; i < n; i++) put(y[i], (i * 3 % 11) * 0.125 - 0.25, (i % 5) * 0.25);
  cublasHandle_t h; cublasCreate(&h);
  T *dx = toDevice(x), *dy = toDevice(y), result, *at = toDevice(std::vector<T>(1)); N length;
  Z dot = 0, dotc = 0; double squares = 0;
  for (int i = 0; i < n; i++) dot += get(x[2 * i]) * get(y[n - 1 - i]), dotc += std::conj(get(x[i])) * get(y[i]), squares += std::norm(get(x[2 * i]));
  bad += cublasDotEx(h, n, dx, type, 2, dy, type, -1, &result, type, execution) != 0; check(get(result), dot);
  bad += cublasNrm2Ex(h, n, dx, type, 2, &length, norm, normExecution) != 0; check(get(length), std::sqrt(squares));
  E alpha; put(alpha, 1.5, -0.5);
  bad += cublasAxpyEx(h, n, &alpha, execution, dx, type, 2, dy, type, -1, execution) != 0;
  auto g = toHost(dy, n); for (int i = 0; i < n; i++) check(get(g[n - 1 - i]), get(y[n - 1 - i]) + get(alpha) * get(x[2 * i]));
  E *dalpha = toDevice(std::vector<E>(1, alpha));
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
  bad += cublasScalEx(h, n, dalpha, execution, dx, type, 2, execution) != 0;
  auto s = toHost(dx, 2 * n); for (int i = 0; i < 2 * n; i++) check(get(s[i]), i % 2 ? get(x[i]) : get(alpha) * get(x[i]));
  cudaMemcpy(dx, x.data(), n * sizeof(T), cudaMemcpyHostToDevice); cudaMemcpy(dy, y.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  bad += cublasDotcEx(h, n, dx, type, 1, dy, type, 1, at, type, execution) != 0; check(get(toHost(at, 1)[0]), dotc);
  bad += cublasDotcEx(h, 0, dx, type, 1, dy, type, 1, at, type, execution) != 0; check(get(toHost(at, 1)[0]), 0);
  const cudaDataType other = CUDA_R_8I;
  bad += cublasDotEx(h, n, dx, type, 1, dy, other, 1, at, type, execution) != CUBLAS_STATUS_NOT_SUPPORTED;
  bad += cublasNrm2Ex(h, n, dx, type, 1, at, norm, other) != CUBLAS_STATUS_NOT_SUPPORTED;
  bad += cublasAxpyEx(h, n, dalpha, other, dx, type, 1, dy, type, 1, execution) != CUBLAS_STATUS_NOT_SUPPORTED;
  bad += cublasScalEx(h, n, dalpha, execution, dx, CUDA_R_8I, 1, execution) != CUBLAS_STATUS_NOT_SUPPORTED;
  cublasDestroy(h);
  printf("%s: %s\n", name, bad == 0 && worst <= most && cudaGetLastError() == 0 ? "right" : "wrong");
  if (bad || !(worst <= most)) printf("  %d bad, off by %g\n", bad, worst);
}
int main() {
  test<__half, float, __half>("half", CUDA_R_16F, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F, 1e-3);
  test<__nv_bfloat16, float, __nv_bfloat16>("bfloat16", CUDA_R_16BF, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F, 8e-3);
  test<float, float, float>("float", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 1e-6);
  test<double, double, double>("double", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, 1e-14);
  test<cuComplex, cuComplex, float>("complex", CUDA_C_32F, CUDA_C_32F, CUDA_R_32F, CUDA_R_32F, 1e-6);
  test<cuDoubleComplex, cuDoubleComplex, double>("double complex", CUDA_C_64F, CUDA_C_64F, CUDA_R_64F, CUDA_R_64F, 1e-14);
}
