// The same in batches. NVIDIA's library (CUDA 13.0) crashes in cusolverRfBatchAnalyze, whatever is set before: on an H200 this cannot be checked.
#include "cusolver_refactor.h"

void many() {
  const int count = 4;
  std::vector<double> dense = matrixOf(1), l, u;
  std::vector<int> p(n), q(n);
  for (int i = 0; i < n; ++i) p[i] = rowOf(i), q[i] = i;
  factorize(dense, p, q, false, l, u);
  Compressed a(dense, n, false, 0, true), lower(l, n, false, -1, false), upper(u, n, false, 1, true);
  std::vector<std::vector<double>> matrices;
  for (int k = 0; k < count; ++k) matrices.push_back(Compressed(matrixOf(k + 2), n, false, 0, true).values);
  std::vector<double *> pointers;
  for (auto &each : matrices) pointers.push_back(each.data());
  cusolverRfHandle_t handle;
  SOLVER(cusolverRfCreate(&handle));
  SOLVER(cusolverRfSetMatrixFormat(handle, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
  SOLVER(cusolverRfSetResetValuesFastMode(handle, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON));
  SOLVER(cusolverRfBatchSetupHost(count, n, a.count(), a.offsets.data(), a.indices.data(), pointers.data(), lower.count(), lower.offsets.data(), lower.indices.data(), lower.values.data(), upper.count(), upper.offsets.data(), upper.indices.data(), upper.values.data(), p.data(), q.data(), handle));
  CHECK(cudaDeviceSynchronize());
  SOLVER(cusolverRfBatchAnalyze(handle));
  Device<int> offsets(a.offsets), indices(a.indices), rows(p), order(q);
  std::vector<double> all, sides = side<double>(n * count, 6);
  for (const auto &each : matrices) all.insert(all.end(), each.begin(), each.end());
  Device<double> values(all), x(sides), room(2 * n * count);
  std::vector<double *> matrixPointers, sidePointers;
  for (int k = 0; k < count; ++k) matrixPointers.push_back(values.data + k * a.count()), sidePointers.push_back(x.data + k * n);
  Device<double *> matricesAt(matrixPointers), sidesAt(sidePointers);
  SOLVER(cusolverRfBatchResetValues(count, n, a.count(), offsets, indices, matricesAt, rows, order, handle));
  SOLVER(cusolverRfBatchRefactor(handle));
  SOLVER(cusolverRfBatchSolve(handle, rows, order, 1, room, n, sidesAt, n));
  CHECK(cudaDeviceSynchronize());
  const std::vector<double> got = x.host();
  for (int k = 0; k < count; ++k)
    checkSolution("cusolverRfBatchSolve", matrixOf(k + 2), std::vector<double>(got.begin() + k * n, got.begin() + (k + 1) * n), std::vector<double>(sides.begin() + k * n, sides.begin() + (k + 1) * n));
  std::vector<int> zeros(count, 5);
  SOLVER(cusolverRfBatchZeroPivot(handle, zeros.data()));
  for (int k = 0; k < count; ++k) same("zero pivot", k, zeros[k], -1);
  SOLVER(cusolverRfDestroy(handle));
}

int main() {
  many();
  return finish();
}
