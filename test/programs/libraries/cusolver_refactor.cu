// cuSOLVER's refactorization of matrices with the same entries: one by one, in all formats, and in batches.
#include "cusolver_sparse.h"
#include <cusolverRf.h>

// Rows or columns of a dense matrix, with all of its entries that are not 0, and the diagonal where it is wanted.
struct Compressed {
  std::vector<int> offsets{0}, indices;
  std::vector<double> values;
  Compressed(const std::vector<double> &dense, int n, bool columns, int part, bool diagonal) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int row = columns ? j : i, column = columns ? i : j;
        const bool isIn = part == 0 ? dense[row * n + column] != 0 : part < 0 ? row > column : row < column;
        if (row == column && part != 0 ? !diagonal : !isIn || dense[row * n + column] == 0) continue;
        indices.push_back(j);
        values.push_back(dense[row * n + column]);
      }
      offsets.push_back((int)indices.size());
    }
  }
  int count() const { return (int)values.size(); }
};

const int n = 30;
std::vector<double> matrixOf(int seed) {
  Matrix<double> a = scattered<double>(n, n, 0, 11);
  Random random(seed);
  std::vector<double> dense(n * n);
  for (int i = 0; i < n; ++i)
    for (int k = a.offsets[i]; k < a.offsets[i + 1]; ++k) dense[i * n + a.indices[k]] = a.values[k] * random.between(0.95, 1.05);
  return dense;
}
// Rows whose strongest entry is on the diagonal then.
int rowOf(int i) { return (i + n - 1) % n; }

// L U of A(p, q) without pivots; ones are in L or in U.
void factorize(const std::vector<double> &a, const std::vector<int> &p, const std::vector<int> &q, bool onesInU, std::vector<double> &l, std::vector<double> &u) {
  l.assign(n * n, 0), u.assign(n * n, 0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) u[i * n + j] = a[p[i] * n + q[j]];
  for (int k = 0; k < n; ++k) {
    l[k * n + k] = 1;
    for (int i = k + 1; i < n; ++i) {
      l[i * n + k] = u[i * n + k] / u[k * n + k];
      u[i * n + k] = 0;
      if (l[i * n + k] != 0)
        for (int j = k + 1; j < n; ++j) u[i * n + j] -= l[i * n + k] * u[k * n + j];
    }
  }
  if (!onesInU) return;
  for (int k = 0; k < n; ++k) {
    const double pivot = u[k * n + k];
    for (int i = 0; i < n; ++i) l[i * n + k] *= pivot, u[k * n + i] /= pivot;
  }
}

void checkSolution(const char *name, const std::vector<double> &a, const std::vector<double> &x, const std::vector<double> &b) {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
    close(name, i, sum, b[i], 1e-9);
  }
}

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
  // L and U of the last matrix.
  factorize(dense, p, q, onesInU, l, u);
  int count, *mp, *mi;
  double *mx;
  SOLVER(cusolverRfExtractBundledFactorsHost(handle, &count, &mp, &mi, &mx));
  int found = 0;
  for (int i = 0; i < n; ++i)
    for (int k = mp[i]; k < mp[i + 1]; ++k, ++found) {
      const int row = columns ? mi[k] : i, column = columns ? i : mi[k];
      const double expected = row > column || (row == column && onesInU) ? l[row * n + column] : u[row * n + column];
      close("bundle", row * n + column, mx[k], expected, 1e-10);
    }
  same("bundle", -1, found, count);
  int *dp, *di;
  double *dx;
  SOLVER(cusolverRfAccessBundledFactorsDevice(handle, &count, &dp, &di, &dx));
  same("bundle on the device", -1, count, found);
  std::vector<double> onDevice(count);
  CHECK(cudaMemcpy(onDevice.data(), dx, count * sizeof(double), cudaMemcpyDeviceToHost));
  for (int k = 0; k < count; ++k) close("bundle on the device", k, onDevice[k], mx[k], 0);
  free(mp), free(mi), free(mx);
  SOLVER(cusolverRfDestroy(handle));
}

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
  one(CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L, false);
  one(CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_STORED_L, true);
  one(CUSOLVERRF_MATRIX_FORMAT_CSC, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L, false);
  one(CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U, false);
  one(CUSOLVERRF_MATRIX_FORMAT_CSC, CUSOLVERRF_UNIT_DIAGONAL_STORED_U, true);
  many();
  return finish();
}
