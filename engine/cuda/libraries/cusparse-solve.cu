/*
 * The kernels behind cuSPARSE's triangular systems and incomplete factorizations. One family per compilation: SPARSE_SV,
 * SPARSE_ILU or SPARSE_IC is defined. `cusparse-solve.ts` launches them, level by level: rows of a level need none of each
 * other. Wide levels have a launch each, with all SMs; narrow ones that follow each other are walked through by one block.
 */
#include "cusparse.cuh"

#define EACH_TYPE(OF)                                                                                                  \
  OF(s, float)                                                                                                         \
  OF(d, double)                                                                                                        \
  OF(c, Complex<float>)                                                                                                \
  OF(z, Complex<double>)

/* Rows in the order of their levels, and where each level begins; a launch is for levels `first` to `end`. */
struct Levels {
  const int *order, *starts;
  int first, end;
};
/* Does something for each row of the levels, with `lanes` of its block's threads for each. */
template <class Act> __device__ inline void eachRow(const Levels &levels, int lanes, const Act &act) {
  const int group = (blockIdx.x * blockDim.x + threadIdx.x) / lanes, groups = gridDim.x * blockDim.x / lanes;
  const int perWarp = 32 / lanes;
  for (int level = levels.first; level < levels.end; ++level) {
    const int end = levels.starts[level + 1];
    /* All lanes of a warp stay together: what they do may need them all. */
    for (int i = levels.starts[level] + group; i - group % perWarp < end; i += groups)
      act(i < end ? levels.order[i] : -1);
    if (level + 1 < levels.end) __syncthreads();
  }
}

#if SPARSE_SV
struct Triangle {
  Sparse a;
  /* Where not null: entries' places among the values, of a transposed matrix. */
  const int *places;
  int lower, unit, conjugate, lanes;
};
/* X from A X = alpha B, a group of lanes for a row of one column. */
template <class T>
__device__ inline void solve(const Triangle &t, const Levels &levels, const Dense &b, const Dense &x, T alpha,
                             bool conjugateB) {
  const Sparse &a = t.a;
  const T *values = (const T *)a.values;
  const int lane = threadIdx.x & (t.lanes - 1), column = blockIdx.y;
  const T *right = (const T *)b.values + column * b.columnStep;
  T *result = (T *)x.values + column * x.columnStep;
  eachRow(levels, t.lanes, [&](int row) {
    T sum = 0, diagonal = 0;
    if (row >= 0) {
      const int end = offsetAt(a, row + 1, 0);
      for (int k = offsetAt(a, row, 0) + lane; k < end; k += t.lanes) {
        const int index = indexAt(a, k, 0);
        if (t.lower ? index > row : index < row) continue;
        const T value = conjugated(values[t.places ? t.places[k] : k], t.conjugate);
        if (index == row) diagonal = value;
        else sum += value * result[index * x.rowStep];
      }
    }
    sum = sumOverLanes(sum, t.lanes);
    if (!t.unit) diagonal = sumOverLanes(diagonal, t.lanes);
    if (row < 0 || lane != 0) return;
    const T left = alpha * conjugated(right[row * b.rowStep], conjugateB) - sum;
    result[row * x.rowStep] = t.unit ? left : left / diagonal;
  });
}
#define SOLVE(X, T)                                                                                                    \
  KERNEL cusparse_##X##sv_levels(Triangle t, Levels levels, Dense b, Dense x, const void *alphaAt, T alpha,            \
                                 int conjugateB) {                                                                     \
    solve<T>(t, levels, b, x, scalar(alpha, alphaAt), conjugateB);                                                     \
  }
EACH_TYPE(SOLVE)
#endif

#if SPARSE_ILU || SPARSE_IC
/* The place of a column in sorted indices from `begin` to `end`; -1 where it is not among them. */
__device__ inline int find(const int *indices, int begin, int end, int index) {
  while (begin < end) {
    const int middle = (begin + end) / 2;
    if (indices[middle] < index) begin = middle + 1;
    else end = middle;
  }
  return begin;
}
struct Factor {
  const int *offsets, *indices, *diagonal;
  /* The first row whose pivot is 0. */
  int *zero;
  int base;
};
#endif

#if SPARSE_ILU
/* L U where A has entries, in A's place: a warp for a row, by the rows above it. */
template <class T> __device__ inline void ilu(const Factor &f, const Levels &levels, T *values) {
  const int lane = threadIdx.x % 32, base = f.base;
  eachRow(levels, 32, [&](int row) {
    if (row < 0) return;
    const int begin = f.offsets[row] - base, end = f.offsets[row + 1] - base, diagonal = f.diagonal[row];
    for (int k = begin; k < end; ++k) {
      const int above = f.indices[k] - base;
      if (above >= row) break;
      const int pivot = f.diagonal[above];
      const T factor = values[k] / (pivot < 0 ? T(0) : values[pivot]);
      __syncwarp();
      if (lane == 0) values[k] = factor;
      const int endAbove = f.offsets[above + 1] - base;
      for (int p = (pivot < 0 ? endAbove : pivot + 1) + lane; p < endAbove; p += 32) {
        const int place = find(f.indices, k + 1, end, f.indices[p]);
        if (place < end && f.indices[place] == f.indices[p]) values[place] -= factor * values[p];
      }
      __syncwarp();
    }
    if (lane == 0 && (diagonal < 0 || values[diagonal] == T(0))) atomicMin(f.zero, row);
  });
}
#define ILU(X, T)                                                                                                      \
  KERNEL cusparse_##X##ilu_levels(Factor f, Levels levels, T *values) { ilu<T>(f, levels, values); }
EACH_TYPE(ILU)
#endif

#if SPARSE_IC
template <class T> __device__ inline T root(T a) { return sqrt(a); }
template <class R> __device__ inline Complex<R> root(Complex<R> a) { return {(R)sqrt(a.x), 0}; }
/* The lower triangle of L L' where A has entries, in A's place: a warp for a row, by the rows above it. */
template <class T> __device__ inline void ic(const Factor &f, const Levels &levels, T *values) {
  const int lane = threadIdx.x % 32, base = f.base;
  eachRow(levels, 32, [&](int row) {
    if (row < 0) return;
    const int begin = f.offsets[row] - base, end = f.offsets[row + 1] - base;
    for (int k = begin; k < end; ++k) {
      const int column = f.indices[k] - base;
      if (column > row) break;
      const int pivot = f.diagonal[column];
      T sum = 0;
      for (int p = f.offsets[column] - base + lane; p < (pivot < 0 ? 0 : pivot); p += 32) {
        const int place = find(f.indices, begin, k, f.indices[p]);
        if (place < k && f.indices[place] == f.indices[p]) sum += values[place] * conjugated(values[p], true);
      }
      sum = values[k] - sumOverLanes(sum, 32);
      if (column == row && lane == 0 && !(realPart(sum) > 0)) atomicMin(f.zero, row);
      const T result = column == row ? root(sum) : sum / (pivot < 0 ? T(0) : values[pivot]);
      __syncwarp();
      if (lane == 0) values[k] = result;
      __syncwarp();
    }
    if (lane == 0 && f.diagonal[row] < 0) atomicMin(f.zero, row);
  });
}
#define IC(X, T)                                                                                                       \
  KERNEL cusparse_##X##ic_levels(Factor f, Levels levels, T *values) { ic<T>(f, levels, values); }
EACH_TYPE(IC)
#endif
