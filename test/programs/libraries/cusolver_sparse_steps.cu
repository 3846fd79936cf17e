// cuSOLVER's sparse factorizations step by step, on host and device, and batches of systems by Q R.
#include "cusolver_sparse.h"

template <class T> struct Calls;
#define CALLS(T, X)                                                                                                    \
  template <> struct Calls<T> {                                                                                        \
    static constexpr auto luInfo = cusolverSp##X##csrluBufferInfoHost;                                                 \
    static constexpr auto luFactor = cusolverSp##X##csrluFactorHost;                                                   \
    static constexpr auto luZero = cusolverSp##X##csrluZeroPivotHost;                                                  \
    static constexpr auto luSolve = cusolverSp##X##csrluSolveHost;                                                     \
    static constexpr auto luExtract = cusolverSp##X##csrluExtractHost;                                                 \
    static constexpr auto choleskyInfoHost = cusolverSp##X##csrcholBufferInfoHost;                                     \
    static constexpr auto choleskyFactorHost = cusolverSp##X##csrcholFactorHost;                                       \
    static constexpr auto choleskyZeroHost = cusolverSp##X##csrcholZeroPivotHost;                                      \
    static constexpr auto choleskySolveHost = cusolverSp##X##csrcholSolveHost;                                         \
    static constexpr auto choleskyInfo = cusolverSp##X##csrcholBufferInfo;                                             \
    static constexpr auto choleskyFactor = cusolverSp##X##csrcholFactor;                                               \
    static constexpr auto choleskyZero = cusolverSp##X##csrcholZeroPivot;                                              \
    static constexpr auto choleskySolve = cusolverSp##X##csrcholSolve;                                                 \
    static constexpr auto choleskyDiagonal = cusolverSp##X##csrcholDiag;                                               \
    static constexpr auto qrInfoHost = cusolverSp##X##csrqrBufferInfoHost;                                             \
    static constexpr auto qrSetupHost = cusolverSp##X##csrqrSetupHost;                                                 \
    static constexpr auto qrFactorHost = cusolverSp##X##csrqrFactorHost;                                               \
    static constexpr auto qrZeroHost = cusolverSp##X##csrqrZeroPivotHost;                                              \
    static constexpr auto qrSolveHost = cusolverSp##X##csrqrSolveHost;                                                 \
    static constexpr auto qrInfo = cusolverSp##X##csrqrBufferInfo;                                                     \
    static constexpr auto qrSetup = cusolverSp##X##csrqrSetup;                                                         \
    static constexpr auto qrFactor = cusolverSp##X##csrqrFactor;                                                       \
    static constexpr auto qrZero = cusolverSp##X##csrqrZeroPivot;                                                      \
    static constexpr auto qrSolve = cusolverSp##X##csrqrSolve;                                                         \
    static constexpr auto batchInfo = cusolverSp##X##csrqrBufferInfoBatched;                                           \
    static constexpr auto batchSolve = cusolverSp##X##csrqrsvBatched;                                                  \
  };
CALLS(float, S)
CALLS(double, D)
CALLS(std::complex<float>, C)
CALLS(std::complex<double>, Z)

cusolverSpHandle_t handle;
size_t internal, workspace;

template <class T> void expectSolved(const char *name, const Matrix<T> &a, const std::vector<T> &x, const std::vector<T> &b) {
  if (!(a.left(x, b) < tolerance<T>())) FAIL("%s: %g is left", name, a.left(x, b));
}

// P A Q' = L U, where L has ones that are not stored.
template <class T> void lu(int base) {
  Matrix<T> a = scattered<T>(50, 50, base, 6);
  const int n = a.rows;
  csrluInfoHost_t info;
  SOLVER(cusolverSpCreateCsrluInfoHost(&info));
  SOLVER(cusolverSpXcsrluAnalysisHost(handle, n, a.entries(), a.description, a.offsets.data(), a.indices.data(), info));
  SOLVER(Calls<T>::luInfo(handle, n, a.entries(), a.description, cu(a.values), a.offsets.data(), a.indices.data(), info, &internal, &workspace));
  std::vector<char> buffer(workspace + 1);
  SOLVER(Calls<T>::luFactor(handle, n, a.entries(), a.description, cu(a.values), a.offsets.data(), a.indices.data(), info, 1, buffer.data()));
  int zero = 5;
  SOLVER(Calls<T>::luZero(handle, info, (typename Number<T>::Real)1e-6, &zero));
  same("zero pivot of L U", base, zero, -1);
  std::vector<T> b = side<T>(n, 1), x(n);
  SOLVER(Calls<T>::luSolve(handle, n, cu(b), cu(x), info, buffer.data()));
  expectSolved("csrluSolveHost", a, x, b);

  int lowerCount = 0, upperCount = 0;
  SOLVER(cusolverSpXcsrluNnzHost(handle, &lowerCount, &upperCount, info));
  std::vector<int> p(n), q(n), lowerOffsets(n + 1), upperOffsets(n + 1), lowerIndices(lowerCount), upperIndices(upperCount);
  std::vector<T> lower(lowerCount), upper(upperCount);
  SOLVER(Calls<T>::luExtract(handle, p.data(), q.data(), a.description, cu(lower), lowerOffsets.data(), lowerIndices.data(), a.description, cu(upper), upperOffsets.data(), upperIndices.data(), info, buffer.data()));
  EXPECT(isOrder(p));
  EXPECT(isOrder(q));
  typedef std::complex<double> Wide;
  std::vector<Wide> dense(n * n), l(n * n), u(n * n);
  for (int i = 0; i < n; ++i) {
    l[i * n + i] = 1;
    for (int k = a.offsets[i] - base; k < a.offsets[i + 1] - base; ++k) dense[i * n + a.indices[k] - base] = a.values[k];
    for (int k = lowerOffsets[i] - base; k < lowerOffsets[i + 1] - base; ++k) l[i * n + lowerIndices[k] - base] = lower[k];
    for (int k = upperOffsets[i] - base; k < upperOffsets[i + 1] - base; ++k) u[i * n + upperIndices[k] - base] = upper[k];
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      Wide sum = 0;
      for (int k = 0; k < n; ++k) sum += l[i * n + k] * u[k * n + j];
      close("L U", i * n + j, std::abs(sum - dense[p[i] * n + q[j]]), 0, tolerance<T>());
    }
  SOLVER(cusolverSpDestroyCsrluInfoHost(info));
}

template <class T> void cholesky(int base) {
  Matrix<T> a = grid<T>(13, base);
  const int n = a.rows;
  std::vector<T> b = side<T>(n, 2), x(n);
  int zero = 5;
  csrcholInfoHost_t onHost;
  SOLVER(cusolverSpCreateCsrcholInfoHost(&onHost));
  SOLVER(cusolverSpXcsrcholAnalysisHost(handle, n, a.entries(), a.description, a.offsets.data(), a.indices.data(), onHost));
  SOLVER(Calls<T>::choleskyInfoHost(handle, n, a.entries(), a.description, cu(a.values), a.offsets.data(), a.indices.data(), onHost, &internal, &workspace));
  std::vector<char> buffer(workspace + 1);
  SOLVER(Calls<T>::choleskyFactorHost(handle, n, a.entries(), a.description, cu(a.values), a.offsets.data(), a.indices.data(), onHost, buffer.data()));
  SOLVER(Calls<T>::choleskyZeroHost(handle, onHost, (typename Number<T>::Real)1e-6, &zero));
  same("zero pivot of L L' on the host", base, zero, -1);
  SOLVER(Calls<T>::choleskySolveHost(handle, n, cu(b), cu(x), onHost, buffer.data()));
  expectSolved("csrcholSolveHost", a, x, b);
  SOLVER(cusolverSpDestroyCsrcholInfoHost(onHost));

  csrcholInfo_t info;
  Device<T> values(a.values), right(b), result(n);
  Device<int> offsets(a.offsets), indices(a.indices);
  SOLVER(cusolverSpCreateCsrcholInfo(&info));
  SOLVER(cusolverSpXcsrcholAnalysis(handle, n, a.entries(), a.description, offsets, indices, info));
  SOLVER(Calls<T>::choleskyInfo(handle, n, a.entries(), a.description, cu(values), offsets, indices, info, &internal, &workspace));
  Device<char> memory(workspace + 1);
  SOLVER(Calls<T>::choleskyFactor(handle, n, a.entries(), a.description, cu(values), offsets, indices, info, memory));
  SOLVER(Calls<T>::choleskyZero(handle, info, (typename Number<T>::Real)1e-6, &zero));
  same("zero pivot of L L'", base, zero, -1);
  SOLVER(Calls<T>::choleskySolve(handle, n, cu(right), cu(result), info, memory));
  expectSolved("csrcholSolve", a, result.host(), b);
  Device<typename Number<T>::Real> diagonal(n);
  SOLVER(Calls<T>::choleskyDiagonal(handle, info, diagonal));
  // The determinant, by a dense factorization.
  typedef std::complex<double> Wide;
  std::vector<Wide> dense(n * n);
  for (int i = 0; i < n; ++i)
    for (int k = a.offsets[i] - base; k < a.offsets[i + 1] - base; ++k) dense[i * n + a.indices[k] - base] = a.values[k];
  double expected = 0, got = 0;
  for (int k = 0; k < n; ++k) {
    expected += log(dense[k * n + k].real());
    for (int i = k + 1; i < n; ++i) {
      const Wide factor = dense[i * n + k] / dense[k * n + k];
      for (int j = k; j < n; ++j) dense[i * n + j] -= factor * dense[k * n + j];
    }
  }
  for (const double each : diagonal.host()) got += 2 * log(each);
  close("log of the determinant", base, got, expected, 100 * tolerance<T>());
  SOLVER(cusolverSpDestroyCsrcholInfo(info));
}

// A - mu I; the second factorization has other values.
template <class T> void qr(int base) {
  Matrix<T> a = scattered<T>(60, 60, base, 8);
  const int n = a.rows;
  std::vector<T> b = side<T>(n, 3), x(n);
  const T zeroShift{}, shift = Number<T>::of(0.25, 0);
  std::vector<T> shifted(n);
  int zero = 5;
  csrqrInfoHost_t onHost;
  SOLVER(cusolverSpCreateCsrqrInfoHost(&onHost));
  SOLVER(cusolverSpXcsrqrAnalysisHost(handle, n, n, a.entries(), a.description, a.offsets.data(), a.indices.data(), onHost));
  SOLVER(Calls<T>::qrInfoHost(handle, n, n, a.entries(), a.description, cu(a.values), a.offsets.data(), a.indices.data(), onHost, &internal, &workspace));
  std::vector<char> buffer(workspace + 1);
  for (T mu : {zeroShift, shift}) {
    SOLVER(Calls<T>::qrSetupHost(handle, n, n, a.entries(), a.description, cu(a.values), a.offsets.data(), a.indices.data(), Number<T>::cuda(mu), onHost));
    SOLVER(Calls<T>::qrFactorHost(handle, n, n, a.entries(), nullptr, nullptr, onHost, buffer.data()));
    SOLVER(Calls<T>::qrZeroHost(handle, onHost, (typename Number<T>::Real)1e-6, &zero));
    same("zero pivot of Q R on the host", base, zero, -1);
    std::vector<T> given = b;
    SOLVER(Calls<T>::qrSolveHost(handle, n, n, cu(given), cu(x), onHost, buffer.data()));
    // A x = b + mu x
    for (int i = 0; i < n; ++i) shifted[i] = b[i] + mu * x[i];
    expectSolved("csrqrSolveHost", a, x, shifted);
  }
  SOLVER(cusolverSpDestroyCsrqrInfoHost(onHost));

  csrqrInfo_t info;
  Device<T> values(a.values), result(n);
  Device<int> offsets(a.offsets), indices(a.indices);
  SOLVER(cusolverSpCreateCsrqrInfo(&info));
  SOLVER(cusolverSpXcsrqrAnalysis(handle, n, n, a.entries(), a.description, offsets, indices, info));
  SOLVER(Calls<T>::qrInfo(handle, n, n, a.entries(), a.description, cu(values), offsets, indices, info, &internal, &workspace));
  Device<char> memory(workspace + 1);
  for (T mu : {zeroShift, shift}) {
    Device<T> right(b);
    SOLVER(Calls<T>::qrSetup(handle, n, n, a.entries(), a.description, cu(values), offsets, indices, Number<T>::cuda(mu), info));
    SOLVER(Calls<T>::qrFactor(handle, n, n, a.entries(), nullptr, nullptr, info, memory));
    SOLVER(Calls<T>::qrZero(handle, info, (typename Number<T>::Real)1e-6, &zero));
    same("zero pivot of Q R", base, zero, -1);
    SOLVER(Calls<T>::qrSolve(handle, n, n, cu(right), cu(result), info, memory));
    x = result.host();
    for (int i = 0; i < n; ++i) shifted[i] = b[i] + mu * x[i];
    expectSolved("csrqrSolve", a, x, shifted);
  }
  SOLVER(cusolverSpDestroyCsrqrInfo(info));
}

template <class T> void batch(int base) {
  Matrix<T> a = scattered<T>(25, 25, base, 9);
  const int n = a.rows, count = 7;
  std::vector<T> all, sides = side<T>(n * count, 5);
  for (int k = 0; k < count; ++k)
    for (size_t e = 0; e < a.values.size(); ++e) all.push_back(a.values[e] * Number<T>::of(1 + 0.01 * ((int)e * k % 5), 0));
  Device<T> values(all), right(sides), result(n * count);
  Device<int> offsets(a.offsets), indices(a.indices);
  csrqrInfo_t info;
  SOLVER(cusolverSpCreateCsrqrInfo(&info));
  SOLVER(cusolverSpXcsrqrAnalysisBatched(handle, n, n, a.entries(), a.description, offsets, indices, info));
  SOLVER(Calls<T>::batchInfo(handle, n, n, a.entries(), a.description, cu(values), offsets, indices, count, info, &internal, &workspace));
  Device<char> memory(workspace + 1);
  SOLVER(Calls<T>::batchSolve(handle, n, n, a.entries(), a.description, cu(values), offsets, indices, cu(right), cu(result), count, info, memory));
  CHECK(cudaDeviceSynchronize());
  const std::vector<T> x = result.host();
  for (int k = 0; k < count; ++k) {
    std::copy(all.begin() + k * a.entries(), all.begin() + (k + 1) * a.entries(), a.values.begin());
    expectSolved("csrqrsvBatched", a, std::vector<T>(x.begin() + k * n, x.begin() + (k + 1) * n), std::vector<T>(sides.begin() + k * n, sides.begin() + (k + 1) * n));
  }
  SOLVER(cusolverSpDestroyCsrqrInfo(info));
}

template <class T> void steps() {
  for (int base = 0; base < 2; ++base) {
    lu<T>(base);
    cholesky<T>(base);
    qr<T>(base);
    batch<T>(base);
  }
}

int main() {
  SOLVER(cusolverSpCreate(&handle));
  steps<float>();
  steps<double>();
  steps<std::complex<float>>();
  steps<std::complex<double>>();
  SOLVER(cusolverSpDestroy(handle));
  return finish();
}
