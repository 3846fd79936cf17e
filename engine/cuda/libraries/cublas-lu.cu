/*
 * The kernels behind cuBLAS's batched LU factorization and what is done with its results. One type per compilation:
 * LU_FLOAT, LU_DOUBLE, LU_COMPLEX or LU_DOUBLE_COMPLEX is defined. `cublas-lu.ts` launches them and knows their
 * parameters. Matrices lie column by column; a block takes one of the batch.
 */
#if LU_DOUBLE || LU_DOUBLE_COMPLEX
typedef double Real;
#else
typedef float Real;
#endif
#define JOINED(X, REST) cublas_##X##REST
#if LU_COMPLEX || LU_DOUBLE_COMPLEX
struct __align__(2 * sizeof(Real)) T {
  Real x, y;
};
#if LU_COMPLEX
#define NAME(REST) JOINED(c, REST)
#else
#define NAME(REST) JOINED(z, REST)
#endif
__device__ inline T number(Real x) { return {x, 0}; }
__device__ inline T conjugate(T a) { return {a.x, -a.y}; }
__device__ inline bool isZero(T a) { return a.x == 0 && a.y == 0; }
/* What pivots are compared by: LAPACK's norm. */
__device__ inline Real size(T a) { return fabs(a.x) + fabs(a.y); }
/* c - a b */
__device__ inline T minus(T c, T a, T b) {
  return {fma(a.y, b.y, fma(-a.x, b.x, c.x)), fma(-a.y, b.x, fma(-a.x, b.y, c.y))};
}
/* Scaled by the larger part of the divisor, so that nothing overflows on the way. */
__device__ inline T over(T a, T b) {
  if (fabs(b.x) >= fabs(b.y)) {
    const Real ratio = b.y / b.x, divisor = fma(b.y, ratio, b.x);
    return {fma(a.y, ratio, a.x) / divisor, fma(-a.x, ratio, a.y) / divisor};
  }
  const Real ratio = b.x / b.y, divisor = fma(b.x, ratio, b.y);
  return {fma(a.x, ratio, a.y) / divisor, fma(a.y, ratio, -a.x) / divisor};
}
__device__ inline T below(T a, int lanes) {
  return {__shfl_down_sync(0xffffffffu, a.x, lanes), __shfl_down_sync(0xffffffffu, a.y, lanes)};
}
__device__ inline T first(T a) { return {__shfl_sync(0xffffffffu, a.x, 0), __shfl_sync(0xffffffffu, a.y, 0)}; }
__device__ inline T sum(T a, T b) { return {a.x + b.x, a.y + b.y}; }
#else
typedef Real T;
#if LU_FLOAT
#define NAME(REST) JOINED(s, REST)
#else
#define NAME(REST) JOINED(d, REST)
#endif
__device__ inline T number(Real x) { return x; }
__device__ inline T conjugate(T a) { return a; }
__device__ inline bool isZero(T a) { return a == 0; }
__device__ inline Real size(T a) { return fabs(a); }
__device__ inline T minus(T c, T a, T b) { return fma(-a, b, c); }
__device__ inline T over(T a, T b) { return a / b; }
__device__ inline T below(T a, int lanes) { return __shfl_down_sync(0xffffffffu, a, lanes); }
__device__ inline T first(T a) { return __shfl_sync(0xffffffffu, a, 0); }
__device__ inline T sum(T a, T b) { return a + b; }
#endif
#define KERNEL extern "C" __global__ void

constexpr int mostWarps = 8;

/* The row of the largest number in rows `start` to n of a column: the first of several. Every thread gets it. */
__device__ inline int largest(const T *column, int start, int n) {
  __shared__ Real sizes[mostWarps];
  __shared__ int rows[mostWarps];
  Real most = -1;
  int row = start;
  for (int i = start + threadIdx.x; i < n; i += blockDim.x)
    if (size(column[i]) > most) most = size(column[i]), row = i;
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    const Real other = __shfl_down_sync(0xffffffffu, most, lanes);
    const int otherRow = __shfl_down_sync(0xffffffffu, row, lanes);
    if (other > most || (other == most && otherRow < row)) most = other, row = otherRow;
  }
  if (threadIdx.x % 32 == 0) sizes[threadIdx.x / 32] = most, rows[threadIdx.x / 32] = row;
  __syncthreads();
  most = sizes[0], row = rows[0];
  for (int w = 1; w < blockDim.x / 32; ++w)
    if (sizes[w] > most || (sizes[w] == most && rows[w] < row)) most = sizes[w], row = rows[w];
  __syncthreads();
  return row;
}

/*
 * P A = L U in A's place, row by row exchanged with the largest below it where there are pivots. Information is as
 * LAPACK's: 0, or the first diagonal element of U that is 0, counted from 1; the factorization goes on behind it.
 */
KERNEL NAME(getrf)(int n, T *const *matrices, int lda, int *pivots, int *info) {
  T *a = matrices[blockIdx.x];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int zero = 0;
  for (int k = 0; k < n; ++k) {
    T *column = a + (size_t)k * lda;
    if (pivots) {
      const int row = largest(column, k, n);
      if (threadIdx.x == 0) pivots[(size_t)blockIdx.x * n + k] = row + 1;
      if (row != k)
        for (int j = threadIdx.x; j < n; j += blockDim.x) {
          T *both = a + (size_t)j * lda;
          const T kept = both[k];
          both[k] = both[row];
          both[row] = kept;
        }
      __syncthreads();
    }
    const T pivot = column[k];
    if (!isZero(pivot))
      for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) column[i] = over(column[i], pivot);
    else if (zero == 0)
      zero = k + 1;
    __syncthreads();
    for (int j = k + 1 + warp; j < n; j += warps) {
      T *target = a + (size_t)j * lda;
      const T above = target[k];
      for (int i = k + 1 + lane; i < n; i += 32) target[i] = minus(target[i], column[i], above);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) info[blockIdx.x] = zero;
}

/* x from L U x = b, in b's place, by one warp; b's rows are already those of P b. */
__device__ inline void solve(int n, const T *a, int lda, T *x) {
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < n; ++k) {
    const T known = x[k];
    for (int i = k + 1 + lane; i < n; i += 32) x[i] = minus(x[i], a[(size_t)k * lda + i], known);
    __syncwarp();
  }
  for (int k = n - 1; k >= 0; --k) {
    const T known = over(x[k], a[(size_t)k * lda + k]);
    __syncwarp();
    if (lane == 0) x[k] = known;
    for (int i = lane; i < k; i += 32) x[i] = minus(x[i], a[(size_t)k * lda + i], known);
    __syncwarp();
  }
}
/* The same of the transposed factors, or of the conjugate ones: U' first. */
__device__ inline void solveTransposed(int n, const T *a, int lda, bool conjugated, T *x) {
  const int lane = threadIdx.x % 32;
  for (int s = 0; s < 2 * n; ++s) {
    const bool upper = s < n;
    const int k = upper ? s : 2 * n - 1 - s;
    const T *column = a + (size_t)k * lda;
    T part = number(0);
    for (int i = upper ? lane : k + 1 + lane; i < (upper ? k : n); i += 32)
      part = minus(part, conjugated ? conjugate(column[i]) : column[i], x[i]);
    for (int lanes = 16; lanes > 0; lanes /= 2) part = sum(part, below(part, lanes));
    part = sum(x[k], first(part));
    if (upper) part = over(part, conjugated ? conjugate(column[k]) : column[k]);
    __syncwarp();
    if (lane == 0) x[k] = part;
    __syncwarp();
  }
}
/* Exchanges of the factorization, in their order or back. */
__device__ inline void exchange(int n, const int *pivots, bool back, T *x) {
  if (threadIdx.x % 32 == 0)
    for (int s = 0; s < n; ++s) {
      const int k = back ? n - 1 - s : s, row = pivots[k] - 1;
      const T kept = x[k];
      x[k] = x[row];
      x[row] = kept;
    }
  __syncwarp();
}

/* A warp per right-hand side. */
KERNEL NAME(getrs)(int trans, int n, int count, const T *const *matrices, int lda, const int *pivots, T *const *sides,
                   int ldb) {
  const T *a = matrices[blockIdx.x];
  if (pivots) pivots += (size_t)blockIdx.x * n;
  for (int j = threadIdx.x / 32; j < count; j += blockDim.x / 32) {
    T *x = sides[blockIdx.x] + (size_t)j * ldb;
    if (pivots && trans == 0) exchange(n, pivots, false, x);
    if (trans == 0) solve(n, a, lda, x);
    else solveTransposed(n, a, lda, trans == 2, x);
    if (pivots && trans != 0) exchange(n, pivots, true, x);
  }
}

/* A warp per column of the inverse. Of a singular matrix there is none: its information says where U is 0. */
KERNEL NAME(getri)(int n, const T *const *matrices, int lda, const int *pivots, T *const *inverses, int ldc, int *info) {
  const T *a = matrices[blockIdx.x];
  if (pivots) pivots += (size_t)blockIdx.x * n;
  int zero = 0;
  for (int k = n - 1; k >= 0; --k)
    if (isZero(a[(size_t)k * lda + k])) zero = k + 1;
  if (threadIdx.x == 0) info[blockIdx.x] = zero;
  if (zero) return;
  const int lane = threadIdx.x % 32;
  for (int j = threadIdx.x / 32; j < n; j += blockDim.x / 32) {
    T *x = inverses[blockIdx.x] + (size_t)j * ldc;
    for (int i = lane; i < n; i += 32) x[i] = number(i == j ? 1 : 0);
    __syncwarp();
    if (pivots) exchange(n, pivots, false, x);
    solve(n, a, lda, x);
  }
}
