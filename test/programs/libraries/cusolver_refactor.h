// Matrices for the programs of cuSOLVER's refactorization, their factors, and what a solution has to be.
#pragma once
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
