/*
 * The kernels behind cuSOLVER's dense factorizations and what is done with their results. One type per compilation:
 * SOLVER_FLOAT, SOLVER_DOUBLE, SOLVER_COMPLEX or SOLVER_DOUBLE_COMPLEX is defined. `cusolver.ts` launches them and knows
 * their parameters. Matrices lie column by column; where they may also be read the other way, element (i, j) lies at
 * i * rowStep + j * columnStep.
 */
#define JOINED(X, REST) cusolver_##X##REST
#include "typed.cuh"

/* Columns that are factorized together: `tile` in cusolver.ts. */
constexpr int tile = 32;
/* Vectors that a block solves for beside a tile, a thread each: `vectorsOf` in cusolver.ts. */
constexpr int vectors = sizeof(T) > 8 ? 32 : 64;

/* The row of the largest number in rows `start` to m of a column: the first of several. Every thread gets it. */
__device__ inline int largest(const T *column, int start, int m) {
  __shared__ Real sizes[mostWarps];
  __shared__ int rows[mostWarps];
  Real most = -1;
  int row = start;
  for (int i = start + threadIdx.x; i < m; i += blockDim.x)
    if (size(column[i]) > most) most = size(column[i]), row = i;
  for (int mask = 16; mask > 0; mask /= 2) {
    const Real other = otherLane(most, mask);
    const int otherRow = otherLane(row, mask);
    if (other > most || (other == most && otherRow < row)) most = other, row = otherRow;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) sizes[threadIdx.x / 32] = most, rows[threadIdx.x / 32] = row;
  __syncthreads();
  most = sizes[0], row = rows[0];
  for (int w = 1; w < blockDim.x / 32; ++w)
    if (sizes[w] > most || (sizes[w] == most && rows[w] < row)) most = sizes[w], row = rows[w];
  return row;
}
__device__ inline long long pivotAt(const void *pivots, int wide, int i) {
  return wide ? ((const long long *)pivots)[i] : ((const int *)pivots)[i];
}

/* C -= A B where there are at most `tile` columns of A: a block takes 32 x 32 of C; `part` 1: of its lower triangle. */
struct Factor {
  const T *at;
  long long rowStep, columnStep;
  int conjugate;
};
KERNEL NAME(update)(int m, int n, int k, Factor a, Factor b, T *c, long long rowStep, long long columnStep, int part,
                    const int *info) {
  __shared__ T left[tile][tile + 1], right[tile][tile + 1];
  const int row = blockIdx.x * tile, column = blockIdx.y * tile;
  if ((part == 1 && column > row + tile - 1) || (info && *info != 0)) return;
  const bool leftRows = a.rowStep == 1, rightRows = b.rowStep == 1;
  for (int i = threadIdx.x; i < tile * tile; i += blockDim.x) {
    const int fast = i % tile, slow = i / tile;
    const int r = leftRows ? fast : slow, l = leftRows ? slow : fast;
    left[r][l] = row + r < m && l < k
                     ? conjugated(a.at[(row + r) * a.rowStep + l * a.columnStep], a.conjugate)
                     : T(0);
    const int q = rightRows ? fast : slow, j = rightRows ? slow : fast;
    right[q][j] = q < k && column + j < n ? conjugated(b.at[q * b.rowStep + (column + j) * b.columnStep], b.conjugate)
                                          : T(0);
  }
  __syncthreads();
  const bool rowsTogether = rowStep == 1;
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  T sums[2][2] = {{T(0), T(0)}, {T(0), T(0)}};
  for (int l = 0; l < k; ++l) {
    const T l0 = left[rowsTogether ? x : y][l], l1 = left[(rowsTogether ? x : y) + 16][l];
    const T r0 = right[l][rowsTogether ? y : x], r1 = right[l][(rowsTogether ? y : x) + 16];
    sums[0][0] += l0 * r0, sums[0][1] += l0 * r1, sums[1][0] += l1 * r0, sums[1][1] += l1 * r1;
  }
#pragma unroll
  for (int p = 0; p < 2; ++p)
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const int i = row + (rowsTogether ? x : y) + 16 * p, j = column + (rowsTogether ? y : x) + 16 * q;
      if (i < m && j < n && (part == 0 || i >= j)) c[i * rowStep + j * columnStep] -= sums[p][q];
    }
}

/* L of a tile on the diagonal, L L' = A. Information as LAPACK's: the first minor that is not positive, counted from 1. */
KERNEL NAME(potrf_tile)(int n, T *a, long long rowStep, long long columnStep, int before, int *info) {
  __shared__ T w[tile][tile + 1];
  if (*info != 0) return;
  for (int i = threadIdx.x; i < n * n; i += blockDim.x)
    w[i % n][i / n] = a[i % n * rowStep + i / n * columnStep];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    const Real square = realPart(w[k][k]);
    if (!(square > 0)) {
      if (threadIdx.x == 0) *info = before + k + 1;
      break;
    }
    const Real root = sqrt(square);
    __syncthreads();
    for (int i = k + threadIdx.x; i < n; i += blockDim.x) w[i][k] = i == k ? T(root) : w[i][k] / T(root);
    __syncthreads();
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
      const int row = i % n, column = i / n;
      if (column > k && row >= column) w[row][column] -= w[row][k] * conjugated(w[column][k], true);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n * n; i += blockDim.x)
    if (i % n >= i / n) a[i % n * rowStep + i / n * columnStep] = w[i % n][i / n];
}
/* X from X L' = A below a tile: a thread for a row. */
KERNEL NAME(potrf_below)(int m, int n, const T *tileAt, T *a, long long rowStep, long long columnStep, const int *info) {
  __shared__ T w[tile][tile + 1], x[tile][vectors + 1];
  if (*info != 0) return;
  for (int i = threadIdx.x; i < n * n; i += blockDim.x)
    w[i % n][i / n] = tileAt[i % n * rowStep + i / n * columnStep];
  __syncthreads();
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m) return;
  for (int j = 0; j < n; ++j) {
    T value = a[row * rowStep + j * columnStep];
    for (int k = 0; k < j; ++k) value -= x[k][threadIdx.x] * conjugated(w[j][k], true);
    x[j][threadIdx.x] = value / w[j][j];
  }
  for (int j = 0; j < n; ++j) a[row * rowStep + j * columnStep] = x[j][threadIdx.x];
}
/* A small matrix for each block of a batch. */
KERNEL NAME(potrf_batched)(int n, T *const *matrices, long long rowStep, long long columnStep, int *infos) {
  T *a = matrices[blockIdx.x];
  int info = 0;
  for (int k = 0; k < n; ++k) {
    const Real square = realPart(a[k * (rowStep + columnStep)]);
    if (!(square > 0)) {
      info = k + 1;
      break;
    }
    const Real root = sqrt(square);
    __syncthreads();
    for (int i = k + threadIdx.x; i < n; i += blockDim.x) {
      T &value = a[i * rowStep + k * columnStep];
      value = i == k ? T(root) : value / T(root);
    }
    __syncthreads();
    for (int j = k + 1 + threadIdx.x / 32; j < n; j += blockDim.x / 32) {
      const T factor = conjugated(a[j * rowStep + k * columnStep], true);
      for (int i = j + threadIdx.x % 32; i < n; i += 32)
        a[i * rowStep + j * columnStep] -= a[i * rowStep + k * columnStep] * factor;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) infos[blockIdx.x] = info;
}

/* P A = L U of the columns of a tile, in rows `start` to m: one block. */
KERNEL NAME(getrf_panel)(int m, int start, int n, T *a, int lda, void *pivots, int wide, int *info) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int k = start; k < start + n; ++k) {
    T *column = a + (size_t)k * lda;
    if (pivots) {
      const int row = largest(column, k, m);
      if (threadIdx.x == 0) {
        if (wide) ((long long *)pivots)[k] = row + 1;
        else ((int *)pivots)[k] = row + 1;
      }
      if (row != k && threadIdx.x < n) {
        T *both = a + (size_t)(start + threadIdx.x) * lda;
        const T kept = both[k];
        both[k] = both[row];
        both[row] = kept;
      }
      __syncthreads();
    }
    const T pivot = column[k];
    if (pivot != T(0))
      for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x) column[i] = column[i] / pivot;
    else if (threadIdx.x == 0 && *info == 0)
      *info = k + 1;
    __syncthreads();
    for (int j = k + 1 + warp; j < start + n; j += warps) {
      T *target = a + (size_t)j * lda;
      const T above = target[k];
      for (int i = k + 1 + lane; i < m; i += 32) target[i] -= column[i] * above;
    }
    __syncthreads();
  }
}
/* Exchanges rows `first` to `end` with their pivots, in this order or back: a thread for a column. */
KERNEL NAME(laswp)(int n, T *a, int lda, int first, int end, const void *pivots, int wide, int back) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  T *column = a + (size_t)j * lda;
  for (int s = first; s < end; ++s) {
    const int k = back ? first + end - 1 - s : s, row = (int)pivotAt(pivots, wide, k) - 1;
    const T kept = column[k];
    column[k] = column[row];
    column[row] = kept;
  }
}
/* U of the rows of a tile, from L U = A beside it: a thread for a column. */
KERNEL NAME(getrf_right)(int k, int n, const T *tileAt, T *a, int lda) {
  __shared__ T w[tile][tile + 1], x[tile][vectors + 1];
  for (int i = threadIdx.x; i < k * k; i += blockDim.x) w[i % k][i / k] = tileAt[i % k + (size_t)(i / k) * lda];
  __syncthreads();
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  T *column = a + (size_t)j * lda;
  for (int i = 0; i < k; ++i) {
    T value = column[i];
    for (int l = 0; l < i; ++l) value -= w[i][l] * x[l][threadIdx.x];
    x[i][threadIdx.x] = value;
  }
  for (int i = 0; i < k; ++i) column[i] = x[i][threadIdx.x];
}

/* X from A X = B in B's place, A a triangle as it is read: a block for a column of B. */
struct Triangle {
  const T *at;
  /* Where not null: pointers to the matrices and the right-hand sides of a batch. */
  const T *const *batch;
  long long rowStep, columnStep;
  int conjugate, lower, unit;
};
KERNEL NAME(solve)(int n, Triangle t, T *b, T *const *batch, int ldb) {
  const T *a = t.batch ? t.batch[blockIdx.y] : t.at;
  T *x = (batch ? batch[blockIdx.y] : b) + (size_t)blockIdx.x * ldb;
  const bool byColumns = t.rowStep == 1;
  for (int s = 0; s < n; ++s) {
    const int k = t.lower ? s : n - 1 - s;
    const T diagonal = t.unit ? T(1) : conjugated(a[k * (t.rowStep + t.columnStep)], t.conjugate);
    const int first = t.lower ? k + 1 : 0, end = t.lower ? n : k;
    if (byColumns) {
      const T known = x[k] / diagonal;
      for (int i = first + threadIdx.x; i < end; i += blockDim.x)
        x[i] -= conjugated(a[i + k * t.columnStep], t.conjugate) * known;
      __syncthreads();
      if (threadIdx.x == 0) x[k] = known;
    } else {
      T sum = 0;
      const int begin = t.lower ? 0 : k + 1, last = t.lower ? k : n;
      for (int i = begin + threadIdx.x; i < last; i += blockDim.x)
        sum += conjugated(a[k * t.rowStep + i], t.conjugate) * x[i];
      sum = sumOverBlock(sum);
      if (threadIdx.x == 0) x[k] = (x[k] - sum) / diagonal;
      __syncthreads();
    }
  }
}

/* The reflector that leaves only the first number of a column, I - tau v v': by one block, as LAPACK's larfg. */
KERNEL NAME(geqrf_reflector)(int m, T *column, T *tau) {
  Real squares = 0;
  for (int i = 1 + threadIdx.x; i < m; i += blockDim.x) squares += square(column[i]);
  squares = sumOverBlock(squares);
  const T alpha = column[0];
  __syncthreads();
  if (squares == 0 && imaginaryPart(alpha) == 0) {
    if (threadIdx.x == 0) *tau = T(0);
    return;
  }
  const Real length = sqrt(squares + square(alpha)), beta = realPart(alpha) >= 0 ? -length : length;
  const T scale = T(1) / (alpha - T(beta));
  for (int i = 1 + threadIdx.x; i < m; i += blockDim.x) column[i] = column[i] * scale;
  if (threadIdx.x == 0) {
    *tau = (T(beta) - alpha) / T(beta);
    column[0] = T(beta);
  }
}
/*
 * Applies reflectors to vectors, one after the other: a block for a vector. Those of `conjugated` are of the transposed
 * product; from the right vectors are rows, and it is v that is conjugate.
 */
struct Reflectors {
  const T *at;
  int ld;
  const T *tau;
  int first, count, back, conjugated, fromRight;
};
KERNEL NAME(reflect)(int m, Reflectors r, T *c, long long step, long long vectorStep) {
  T *x = c + blockIdx.x * vectorStep;
  for (int s = 0; s < r.count; ++s) {
    const int k = r.first + (r.back ? r.count - 1 - s : s);
    const T *v = r.at + (size_t)k * r.ld;
    const T tau = conjugated(r.tau[k], r.conjugated);
    T sum = 0;
    for (int i = k + threadIdx.x; i < m; i += blockDim.x)
      sum += (i == k ? T(1) : conjugated(v[i], !r.fromRight)) * x[i * step];
    sum = sumOverBlock(sum) * tau;
    for (int i = k + threadIdx.x; i < m; i += blockDim.x)
      x[i * step] -= (i == k ? T(1) : conjugated(v[i], r.fromRight)) * sum;
    __syncthreads();
  }
}
/* Copies the reflectors, and puts the unit matrix in their place. */
KERNEL NAME(orgqr_begin)(int m, int n, int k, T *a, int lda, T *copy) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= m) return;
  T &value = a[i + (size_t)j * lda];
  if (j < k) copy[i + (size_t)j * m] = value;
  value = T(i == j ? 1 : 0);
}
