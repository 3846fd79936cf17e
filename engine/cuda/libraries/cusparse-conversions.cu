/*
 * The kernels behind cuSPARSE's sparse vectors, and behind what goes from dense matrices to sparse ones and back. One family
 * per compilation: SPARSE_VECTORS or SPARSE_DENSE is defined. `cusparse-conversions.ts` launches them.
 */
#include "cusparse.cuh"

/* Numbers that are only moved, by their bytes. */
#define EACH_SIZE(OF) OF(1, unsigned char) OF(2, unsigned short) OF(4, unsigned) OF(8, uint2) OF(16, uint4)
#define EACH_TYPE(OF)                                                                                                  \
  OF(s, float)                                                                                                         \
  OF(d, double)                                                                                                        \
  OF(c, Complex<float>)                                                                                                \
  OF(z, Complex<double>)

#if SPARSE_VECTORS
#define MOVE(BYTES, T)                                                                                                 \
  KERNEL cusparse_gather_##BYTES(int n, const void *indices, int wide, int base, const T *y, T *x) {                   \
    EACH(i, n) x[i] = y[integerAt(indices, wide, i) - base];                                                           \
  }                                                                                                                    \
  KERNEL cusparse_scatter_##BYTES(int n, const void *indices, int wide, int base, const T *x, T *y) {                  \
    EACH(i, n) y[integerAt(indices, wide, i) - base] = x[i];                                                           \
  }
EACH_SIZE(MOVE)

constexpr int reducers = 256;
template <class T> __device__ inline T sumOverBlock(T sum) {
  __shared__ T sums[reducers / 32];
  sum = sumOverLanes(sum, 32);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = sums[0];
  for (int w = 1; w < reducers / 32; ++w) sum += sums[w];
  return sum;
}
/* y = beta y, y += alpha x where x has entries; and the sum of x y: blocks leave parts, one block adds them up. */
#define VECTORS(X, T)                                                                                                  \
  KERNEL cusparse_##X##vscale(int n, T *y, const void *betaAt, T betaValue) {                                          \
    const T beta = scalar(betaValue, betaAt);                                                                          \
    EACH(i, n) y[i] = beta == (T)0 ? (T)0 : beta * y[i];                                                               \
  }                                                                                                                    \
  KERNEL cusparse_##X##axpy(int n, const void *indices, int wide, int base, const T *x, T *y, const void *alphaAt,     \
                            T alphaValue) {                                                                            \
    const T alpha = scalar(alphaValue, alphaAt);                                                                       \
    EACH(i, n) y[integerAt(indices, wide, i) - base] += alpha * x[i];                                                  \
  }                                                                                                                    \
  KERNEL cusparse_##X##vv(int n, const void *indices, int wide, int base, const T *x, const T *y, int conjugate,       \
                          T *parts) {                                                                                  \
    T sum = 0;                                                                                                         \
    EACH(i, n) sum += conjugated(x[i], conjugate) * y[integerAt(indices, wide, i) - base];                             \
    sum = sumOverBlock(sum);                                                                                           \
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;                                                                     \
  }                                                                                                                    \
  KERNEL cusparse_##X##vv_parts(int n, const T *parts, T *result) {                                                    \
    T sum = 0;                                                                                                         \
    for (int i = threadIdx.x; i < n; i += reducers) sum += parts[i];                                                   \
    sum = sumOverBlock(sum);                                                                                           \
    if (threadIdx.x == 0) *result = sum;                                                                               \
  }
EACH_TYPE(VECTORS)
#endif

#if SPARSE_DENSE
#define SPREAD(BYTES, T)                                                                                               \
  KERNEL cusparse_clear_##BYTES(Dense b) {                                                                             \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                               \
    const int row = b.rowStep == 1 ? i % b.rows : i / b.columns, column = b.rowStep == 1 ? i / b.rows : i % b.columns; \
    if (row < b.rows && column < b.columns)                                                                            \
      valuesOf<T>(b, blockIdx.z)[row * b.rowStep + column * b.columnStep] = {};                                        \
  }                                                                                                                    \
  KERNEL cusparse_spread_##BYTES(Sparse a, Dense b) {                                                                  \
    const int batch = blockIdx.z, i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;                               \
    if (i >= walks(a)) return;                                                                                         \
    const Walk walk = walkOf(a, i, batch);                                                                             \
    const T *values = valuesOf<T>(a, batch);                                                                           \
    T *to = valuesOf<T>(b, batch) + walk.row * b.rowStep;                                                              \
    for (int k = walk.begin + threadIdx.x % 32; k < walk.end; k += 32)                                                 \
      to[indexAt(a, k, batch) * b.columnStep] = values[k];                                                             \
  }
EACH_SIZE(SPREAD)

template <class T> __device__ inline bool isZero(T a) { return a == (T)0; }
/* Halves of either format: 0 and -0. */
template <> __device__ inline bool isZero(unsigned short bits) { return (bits & 0x7fff) == 0; }
/*
 * What is not zero in each row, counted or written as a row of a sparse matrix: by a warp where the elements of a row lie
 * together, else by a thread, whose neighbours have the rows beside it.
 */
template <class T, class Act> __device__ inline int eachNonZero(const Dense &a, int row, int lanes, const Act &act) {
  const T *from = valuesOf<T>(a, 0) + row * a.rowStep;
  const int lane = threadIdx.x & (lanes - 1);
  int before = 0;
  for (int start = 0; start < a.columns; start += lanes) {
    const int column = start + lane;
    const T value = column < a.columns ? from[column * a.columnStep] : T{};
    const bool is = column < a.columns && !isZero(value);
    if (lanes == 1) {
      if (is) act(before, column, value);
      before += is;
    } else {
      const unsigned found = __ballot_sync(0xffffffffu, is);
      if (is) act(before + __popc(found & ((1u << lane) - 1)), column, value);
      before += __popc(found);
    }
  }
  return before;
}
__device__ inline void putInteger(void *p, int wide, long long i, int value) {
  if (wide) ((long long *)p)[i] = value;
  else ((int *)p)[i] = value;
}
#define COMPRESS(X, T)                                                                                                 \
  KERNEL cusparse_##X##count_rows(Dense a, int lanes, int *counts) {                                                   \
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, row = thread / lanes;                                    \
    if (row >= a.rows) return;                                                                                         \
    const int count = eachNonZero<T>(a, row, lanes, [](int, int, T) {});                                               \
    if ((thread & (lanes - 1)) == 0) counts[row] = count;                                                              \
  }                                                                                                                    \
  KERNEL cusparse_##X##compress(Dense a, int lanes, const int *offsets, void *rowIndices, void *indices, int wide,     \
                                T *values, int base) {                                                                 \
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / lanes;                                                   \
    if (row >= a.rows) return;                                                                                         \
    eachNonZero<T>(a, row, lanes, [&](int i, int column, T value) {                                                    \
      const int at = offsets[row] + i;                                                                                 \
      if (rowIndices) putInteger(rowIndices, wide, at, row + base);                                                    \
      putInteger(indices, wide, at, column + base);                                                                    \
      values[at] = value;                                                                                              \
    });                                                                                                                \
  }
EACH_TYPE(COMPRESS)
COMPRESS(h, unsigned short)
COMPRESS(i, signed char)

/* Offsets from 0 on as the program wants them. */
KERNEL cusparse_put_offsets(int n, const int *from, void *to, int wide, int base) {
  EACH(i, n) putInteger(to, wide, i, from[i] + base);
}
/* The sum of counts, by one block. */
KERNEL cusparse_sum(int n, const int *counts, int *sum) {
  __shared__ int sums[32];
  int own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own += counts[i];
  own = sumOverLanes(own, 32);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  own = sumOverLanes(threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0, 32);
  if (threadIdx.x == 0) *sum = own;
}
#endif
