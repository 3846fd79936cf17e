/*
 * The kernels behind cuSPARSE's products of matrices and vectors, and of dense matrices where a sparse one is not zero.
 * One family per compilation: SPARSE_MV, SPARSE_MM or SPARSE_SDDMM is defined. `cusparse-products.ts` launches them.
 * Scalars are values where the pointer beside them is null, else they lie on the device.
 */
#include "cusparse.cuh"

/* Types of the matrix and of what it is multiplied with, of the result, and of the sums. */
#define EACH_TYPE(OF)                                                                                                  \
  OF(s, float, float, float)                                                                                           \
  OF(d, double, double, double)                                                                                        \
  OF(c, Complex<float>, Complex<float>, Complex<float>)                                                                \
  OF(z, Complex<double>, Complex<double>, Complex<double>)                                                             \
  OF(h, __half, __half, float)                                                                                         \
  OF(hs, __half, float, float)                                                                                         \
  OF(b, Bfloat16, Bfloat16, float)                                                                                     \
  OF(bs, Bfloat16, float, float)                                                                                       \
  OF(i, signed char, int, int)                                                                                         \
  OF(is, signed char, float, float)
/* Those whose results can be added to atomically. */
#define EACH_ATOMIC_TYPE(OF)                                                                                           \
  OF(s, float, float, float)                                                                                           \
  OF(d, double, double, double)                                                                                        \
  OF(c, Complex<float>, Complex<float>, Complex<float>)                                                                \
  OF(z, Complex<double>, Complex<double>, Complex<double>)                                                             \
  OF(hs, __half, float, float)                                                                                         \
  OF(bs, Bfloat16, float, float)                                                                                       \
  OF(i, signed char, int, int)                                                                                         \
  OF(is, signed char, float, float)

#if SPARSE_MV
/* y = alpha A x + beta y, a group of lanes for each row. */
template <class In, class Out, class Acc>
__device__ inline void csrmv(const Sparse &a, const In *x, Out *y, Acc alpha, Acc beta, int lanes, bool conjugate) {
  const In *values = valuesOf<In>(a, 0);
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / lanes, lane = thread & (lanes - 1);
  Acc sum = 0;
  if (row < a.rows) {
    const int end = offsetAt(a, row + 1, 0);
    for (int k = offsetAt(a, row, 0) + lane; k < end; k += lanes)
      sum += conjugated(widen<Acc>(values[k]), conjugate) * widen<Acc>(x[indexAt(a, k, 0)]);
  }
  sum = sumOverLanes(sum, lanes);
  if (row >= a.rows || lane != 0) return;
  sum *= alpha;
  if (beta != (Acc)0) sum += beta * widen<Acc>(y[row]);
  y[row] = narrow<Out>(sum);
}
#define CSRMV(X, IN, OUT, ACC)                                                                                         \
  KERNEL cusparse_##X##csrmv(Sparse a, const IN *x, OUT *y, const void *alphaAt, ACC alpha, const void *betaAt,        \
                             ACC beta, int lanes, int conjugate) {                                                     \
    csrmv<IN, OUT, ACC>(a, x, y, scalar(alpha, alphaAt), scalar(beta, betaAt), lanes, conjugate);                      \
  }
EACH_TYPE(CSRMV)

/* y += alpha A' x, a group of lanes for each row of A. */
template <class In, class Out, class Acc>
__device__ inline void csrmvTransposed(const Sparse &a, const In *x, Out *y, Acc alpha, int lanes, bool conjugate) {
  const In *values = valuesOf<In>(a, 0);
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / lanes, lane = thread & (lanes - 1);
  if (row >= a.rows) return;
  const Acc factor = alpha * widen<Acc>(x[row]);
  const int end = offsetAt(a, row + 1, 0);
  for (int k = offsetAt(a, row, 0) + lane; k < end; k += lanes)
    addAtomically(&y[indexAt(a, k, 0)], (Out)(conjugated(widen<Acc>(values[k]), conjugate) * factor));
}
#define CSRMV_T(X, IN, OUT, ACC)                                                                                       \
  KERNEL cusparse_##X##csrmv_t(Sparse a, const IN *x, OUT *y, const void *alphaAt, ACC alpha, int lanes,               \
                               int conjugate) {                                                                        \
    csrmvTransposed<IN, OUT, ACC>(a, x, y, scalar(alpha, alphaAt), lanes, conjugate);                                  \
  }
EACH_ATOMIC_TYPE(CSRMV_T)

/* y += alpha A x or alpha A' x, a thread for each entry; entries of one row that follow each other are added up first. */
template <class In, class Out, class Acc>
__device__ inline void coomv(const Sparse &a, const In *x, Out *y, Acc alpha, bool transposed, bool conjugate) {
  const In *values = valuesOf<In>(a, 0);
  const int k = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int target = -1;
  Acc sum = 0;
  if (k < a.entries) {
    const int row = integerAt(a.rowIndices, a.wideIndices, k) - a.base, column = indexAt(a, k, 0);
    target = transposed ? column : row;
    sum = alpha * conjugated(widen<Acc>(values[k]), conjugate) * widen<Acc>(x[transposed ? row : column]);
  }
  const int before = laneBelow(target, 1);
  const unsigned heads = __ballot_sync(0xffffffffu, lane == 0 || before != target);
  const int first = 31 - __clz(heads & (0xffffffffu >> (31 - lane)));
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    const Acc other = laneBelow(sum, by);
    if (lane - by >= first) sum += other;
  }
  if (target >= 0 && (lane == 31 || (heads >> (lane + 1) & 1))) addAtomically(&y[target], (Out)sum);
}
#define COOMV(X, IN, OUT, ACC)                                                                                         \
  KERNEL cusparse_##X##coomv(Sparse a, const IN *x, OUT *y, const void *alphaAt, ACC alpha, int transposed,            \
                             int conjugate) {                                                                          \
    coomv<IN, OUT, ACC>(a, x, y, scalar(alpha, alphaAt), transposed, conjugate);                                       \
  }
EACH_ATOMIC_TYPE(COOMV)
#endif

#if SPARSE_MM
/* C = alpha A B + beta C where B's rows lie together: a warp takes 32 columns of one row of C. */
template <class In, class Out, class Acc>
__device__ inline void csrmmRows(const Sparse &a, const Dense &b, const Dense &c, Acc alpha, Acc beta, bool conjugate,
                                 bool conjugateB) {
  const int batch = blockIdx.z, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int column = blockIdx.y * 32 + threadIdx.x % 32;
  if (row >= a.rows || column >= c.columns) return;
  const In *values = valuesOf<In>(a, batch), *right = valuesOf<In>(b, batch) + column * b.columnStep;
  Acc sum = 0;
  const int end = offsetAt(a, row + 1, batch);
  for (int k = offsetAt(a, row, batch); k < end; ++k)
    sum += conjugated(widen<Acc>(values[k]), conjugate) *
           conjugated(widen<Acc>(right[indexAt(a, k, batch) * b.rowStep]), conjugateB);
  sum *= alpha;
  Out &target = valuesOf<Out>(c, batch)[row * c.rowStep + column * c.columnStep];
  if (beta != (Acc)0) sum += beta * widen<Acc>(target);
  target = narrow<Out>(sum);
}
/* The same where B's columns lie together: a group of lanes takes 4 columns of one row of C. */
template <class In, class Out, class Acc>
__device__ inline void csrmmColumns(const Sparse &a, const Dense &b, const Dense &c, Acc alpha, Acc beta, int lanes,
                                    bool conjugate, bool conjugateB) {
  constexpr int width = 4;
  const int batch = blockIdx.z, thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / lanes, lane = thread & (lanes - 1), column = blockIdx.y * width;
  const In *values = valuesOf<In>(a, batch), *right = valuesOf<In>(b, batch);
  Acc sums[width] = {};
  if (row < a.rows) {
    const int end = offsetAt(a, row + 1, batch);
    for (int k = offsetAt(a, row, batch) + lane; k < end; k += lanes) {
      const Acc value = conjugated(widen<Acc>(values[k]), conjugate);
      const In *from = right + indexAt(a, k, batch) * b.rowStep;
#pragma unroll
      for (int j = 0; j < width; ++j)
        if (column + j < c.columns)
          sums[j] += value * conjugated(widen<Acc>(from[(column + j) * b.columnStep]), conjugateB);
    }
  }
#pragma unroll
  for (int j = 0; j < width; ++j) {
    Acc sum = alpha * sumOverLanes(sums[j], lanes);
    if (row >= a.rows || lane != 0 || column + j >= c.columns) continue;
    Out &target = valuesOf<Out>(c, batch)[row * c.rowStep + (column + j) * c.columnStep];
    if (beta != (Acc)0) sum += beta * widen<Acc>(target);
    target = narrow<Out>(sum);
  }
}
#define CSRMM(X, IN, OUT, ACC)                                                                                         \
  KERNEL cusparse_##X##csrmm_row(Sparse a, Dense b, Dense c, const void *alphaAt, ACC alpha, const void *betaAt,       \
                                 ACC beta, int, int conjugate, int conjugateB) {                                       \
    csrmmRows<IN, OUT, ACC>(a, b, c, scalar(alpha, alphaAt), scalar(beta, betaAt), conjugate, conjugateB);             \
  }                                                                                                                    \
  KERNEL cusparse_##X##csrmm_col(Sparse a, Dense b, Dense c, const void *alphaAt, ACC alpha, const void *betaAt,       \
                                 ACC beta, int lanes, int conjugate, int conjugateB) {                                 \
    csrmmColumns<IN, OUT, ACC>(a, b, c, scalar(alpha, alphaAt), scalar(beta, betaAt), lanes, conjugate, conjugateB);   \
  }
EACH_TYPE(CSRMM)

/* C += alpha A B or alpha A' B, entry by entry: a warp takes 32 columns of C for each row of A, or for each entry. */
template <class In, class Out, class Acc>
__device__ inline void scatteredMm(const Sparse &a, const Dense &b, const Dense &c, Acc alpha, bool transposed,
                                   bool conjugate, bool conjugateB) {
  const int batch = blockIdx.z, i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int column = blockIdx.y * 32 + threadIdx.x % 32;
  if (i >= walks(a) || column >= c.columns) return;
  const In *values = valuesOf<In>(a, batch), *right = valuesOf<In>(b, batch) + column * b.columnStep;
  Out *target = valuesOf<Out>(c, batch) + column * c.columnStep;
  const Walk walk = walkOf(a, i, batch);
  for (int k = walk.begin; k < walk.end; ++k) {
    const int index = indexAt(a, k, batch);
    const int from = transposed ? walk.row : index, to = transposed ? index : walk.row;
    const Acc product = alpha * conjugated(widen<Acc>(values[k]), conjugate) *
                        conjugated(widen<Acc>(right[from * b.rowStep]), conjugateB);
    addAtomically(&target[to * c.rowStep], (Out)product);
  }
}
#define SCATTERED_MM(X, IN, OUT, ACC)                                                                                  \
  KERNEL cusparse_##X##mm_scattered(Sparse a, Dense b, Dense c, const void *alphaAt, ACC alpha, int transposed,        \
                                    int conjugate, int conjugateB) {                                                   \
    scatteredMm<IN, OUT, ACC>(a, b, c, scalar(alpha, alphaAt), transposed, conjugate, conjugateB);                     \
  }
EACH_ATOMIC_TYPE(SCATTERED_MM)
#endif

#if SPARSE_MM || SPARSE_MV
/* C = beta C, before products are added to it. */
#if SPARSE_MM
#define SCALE_NAME(X) cusparse_##X##scale_mm
#else
#define SCALE_NAME(X) cusparse_##X##scale_mv
#endif
#define SCALE(X, T)                                                                                                    \
  KERNEL SCALE_NAME(X)(Dense c, const void *betaAt, T betaValue) {                                                     \
    const T beta = scalar(betaValue, betaAt);                                                                          \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                               \
    const int row = c.rowStep == 1 ? i % c.rows : i / c.columns, column = c.rowStep == 1 ? i / c.rows : i % c.columns; \
    if (row >= c.rows || column >= c.columns) return;                                                                  \
    T &target = valuesOf<T>(c, blockIdx.z)[row * c.rowStep + column * c.columnStep];                                   \
    target = beta == (T)0 ? (T)0 : beta * target;                                                                      \
  }
SCALE(s, float)
SCALE(d, double)
SCALE(c, Complex<float>)
SCALE(z, Complex<double>)
SCALE(i, int)
#endif

#if SPARSE_SDDMM
/* C = alpha (A B) where C has entries + beta C: a warp for each row of C, or for each entry. */
template <class In, class Out, class Acc>
__device__ inline void sddmm(const Sparse &c, const Dense &a, const Dense &b, Acc alpha, Acc beta, bool swapped,
                             bool conjugateA, bool conjugateB) {
  const int batch = blockIdx.z, i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (i >= walks(c)) return;
  const In *left = valuesOf<In>(a, batch), *right = valuesOf<In>(b, batch);
  Out *values = (Out *)valuesOf<Out>(c, batch);
  const Walk walk = walkOf(c, i, batch);
  for (int k = walk.begin; k < walk.end; ++k) {
    const int index = indexAt(c, k, batch);
    const int row = swapped ? index : walk.row, column = swapped ? walk.row : index;
    const In *p = left + row * a.rowStep, *q = right + column * b.columnStep;
    Acc sum = 0;
    for (int l = lane; l < a.columns; l += 32)
      sum += conjugated(widen<Acc>(p[l * a.columnStep]), conjugateA) *
             conjugated(widen<Acc>(q[l * b.rowStep]), conjugateB);
    sum = alpha * sumOverLanes(sum, 32);
    if (lane != 0) continue;
    if (beta != (Acc)0) sum += beta * widen<Acc>(values[k]);
    values[k] = narrow<Out>(sum);
  }
}
#define SDDMM(X, IN, OUT, ACC)                                                                                         \
  KERNEL cusparse_##X##sddmm(Sparse c, Dense a, Dense b, const void *alphaAt, ACC alpha, const void *betaAt, ACC beta, \
                             int swapped, int conjugateA, int conjugateB) {                                            \
    sddmm<IN, OUT, ACC>(c, a, b, scalar(alpha, alphaAt), scalar(beta, betaAt), swapped, conjugateA, conjugateB);       \
  }
SDDMM(s, float, float, float)
SDDMM(d, double, double, double)
SDDMM(c, Complex<float>, Complex<float>, Complex<float>)
SDDMM(z, Complex<double>, Complex<double>, Complex<double>)
SDDMM(h, __half, __half, float)
SDDMM(hs, __half, float, float)
#endif
