// cuSOLVER's refactorization of matrices with the same entries, in all formats.
#include "cusolver_refactor.h"
#include <algorithm>

void one(cusolverRfMatrixFormat_t format, cusolverRfUnitDiagonal_t diagonal, bool fromDevice) {
  const bool columns = format == CUSOLVERRF_MATRIX_FORMAT_CSC;
  const bool onesInU = diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_U || diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U;
  const bool assumed = diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L || diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U;
  std::vector<double> dense = matrixOf(1), l, u;
  std::vector<int> p(n), q(n);
  for (int i = 0; i < n; ++i) p[i] = rowOf(i * 7 % n), q[i] = i * 7 % n;
  factorize(dense, p, q, onesInU, l, u);
  Compressed a(dense, n, columns, 0, true), lower(l, n, columns, -1, onesInU || !assumed), upper(u, n, columns, 1, !onesInU || !assumed);
  cusolverRfHandle_t handle;
  SOLVER(cusolverRfCreate(&handle));
  SOLVER(cusolverRfSetMatrixFormat(handle, format, diagonal));
  SOLVER(cusolverRfSetNumericProperties(handle, 0, 0));
  SOLVER(cusolverRfSetAlgs(handle, CUSOLVERRF_FACTORIZATION_ALG0, CUSOLVERRF_TRIANGULAR_SOLVE_ALG1));
  SOLVER(cusolverRfSetResetValuesFastMode(handle, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON));
  cusolverRfMatrixFormat_t gotFormat;
  cusolverRfUnitDiagonal_t gotDiagonal;
  SOLVER(cusolverRfGetMatrixFormat(handle, &gotFormat, &gotDiagonal));
  EXPECT(gotFormat == format && gotDiagonal == diagonal);
  Device<int> offsets(a.offsets), indices(a.indices), rows(p), order(q);
  Device<double> values(a.values);
  if (fromDevice) {
    Device<int> lo(lower.offsets), li(lower.indices), uo(upper.offsets), ui(upper.indices);
    Device<double> lv(lower.values), uv(upper.values);
    SOLVER(cusolverRfSetupDevice(n, a.count(), offsets, indices, values, lower.count(), lo, li, lv, upper.count(), uo, ui, uv, rows, order, handle));
    CHECK(cudaDeviceSynchronize());
  } else {
    SOLVER(cusolverRfSetupHost(n, a.count(), a.offsets.data(), a.indices.data(), a.values.data(), lower.count(), lower.offsets.data(), lower.indices.data(), lower.values.data(), upper.count(), upper.offsets.data(), upper.indices.data(), upper.values.data(), p.data(), q.data(), handle));
  }
  SOLVER(cusolverRfAnalyze(handle));
  for (int turn = 0; turn < 3; ++turn) {
    dense = matrixOf(turn + 1);
    Compressed next(dense, n, columns, 0, true);
    CHECK(cudaMemcpy(values, next.values.data(), next.count() * sizeof(double), cudaMemcpyHostToDevice));
    SOLVER(cusolverRfResetValues(n, next.count(), offsets, indices, values, rows, order, handle));
    SOLVER(cusolverRfRefactor(handle));
    const std::vector<double> b = side<double>(n, turn);
    Device<double> x(b), room(n);
    SOLVER(cusolverRfSolve(handle, rows, order, 1, room, n, x, n));
    CHECK(cudaDeviceSynchronize());
    checkSolution("cusolverRfSolve", dense, x.host(), b);
  }
  // L and U of the last matrix; the ones are in L, whatever was said of those that it was set up with.
  factorize(dense, p, q, false, l, u);
  int count, *mp, *mi;
  double *mx;
  SOLVER(cusolverRfExtractBundledFactorsHost(handle, &count, &mp, &mi, &mx));
  int found = 0;
  for (int i = 0; i < n; ++i)
    for (int k = mp[i]; k < mp[i + 1]; ++k, ++found) {
      const int row = columns ? mi[k] : i, column = columns ? i : mi[k];
      const double expected = row > column ? l[row * n + column] : u[row * n + column];
      close("bundle", row * n + column, mx[k], expected, 1e-10);
    }
  same("bundle", -1, found, count);
  int *dp, *di;
  double *dx;
  SOLVER(cusolverRfAccessBundledFactorsDevice(handle, &count, &dp, &di, &dx));
  same("bundle on the device", -1, count, found);
  std::vector<double> onDevice(count);
  CHECK(cudaMemcpy(onDevice.data(), dx, count * sizeof(double), cudaMemcpyDeviceToHost));
  // The same numbers, in whatever order they lie there.
  std::vector<double> onHost(mx, mx + count);
  std::sort(onDevice.begin(), onDevice.end());
  std::sort(onHost.begin(), onHost.end());
  for (int k = 0; k < count; ++k) close("bundle on the device", k, onDevice[k], onHost[k], 0);
  free(mp), free(mi), free(mx);
  SOLVER(cusolverRfDestroy(handle));
}

int main() {
  one(CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L, false);
  one(CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_STORED_L, true);
  one(CUSOLVERRF_MATRIX_FORMAT_CSC, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L, false);
  one(CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U, false);
  one(CUSOLVERRF_MATRIX_FORMAT_CSC, CUSOLVERRF_UNIT_DIAGONAL_STORED_U, true);
  return finish();
}
