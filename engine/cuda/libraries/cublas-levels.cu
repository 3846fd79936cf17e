/*
 * The kernels of cuBLAS's three levels but for those of `cublas.cu` (real vectors, products of general matrices): matrices that are
 * symmetric, hermitian, triangular, banded or packed, and complex vectors. One level and one type per compilation: LEVEL_1, LEVEL_2 or
 * LEVEL_3, and LEVELS_FLOAT, LEVELS_DOUBLE, LEVELS_COMPLEX or LEVELS_DOUBLE_COMPLEX are defined. `cublas-levels.ts` launches them and
 * knows their parameters.
 *
 * A kernel takes a matrix of any form as a `Matrix`, so there is one per operation. Scalars are values where the pointer beside them is
 * null, else they lie on the device.
 */
#define JOINED(X, REST) cublas_##X##REST
#include "typed.cuh"

/* Element i of a vector; with a negative increment the first lies at the end. */
__device__ inline size_t at(int i, int n, int inc) { return (size_t)((inc < 0 ? i - n + 1 : i) * (long long)inc); }
#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

/* Scalars of hermitian calls are real. */
__device__ inline T scalar(T value, const void *pointer, int isReal) {
  if (pointer == nullptr) return value;
  return isReal ? T(*(const Real *)pointer) : *(const T *)pointer;
}
/* Alpha and beta of a call; bits say that alpha, and that beta, is real on the device. */
struct Scalars {
  const void *alphaAt, *betaAt;
  T alphaValue, betaValue;
  int areReal;
  __device__ T alpha() const { return scalar(alphaValue, alphaAt, areReal & 1); }
  __device__ T beta() const { return scalar(betaValue, betaAt, areReal & 2); }
};

enum { FULL, BANDED, PACKED };
enum { GENERAL, SYMMETRIC, HERMITIAN, TRIANGULAR };
/* A matrix as a call names it, and what is done with it before all else; `cublas-levels.ts` writes it. */
struct Matrix {
  const T *a;
  int ld, storage, kind, upper, trans, unit, below, above, order;

  /* Element (i, j) of what is stored, the other triangle included. */
  __device__ T stored(int i, int j) const {
    const bool outside = upper ? i > j : i < j;
    if (kind == TRIANGULAR && outside) return 0;
    if (kind == TRIANGULAR && unit && i == j) return 1;
    const bool turned = outside && (kind == SYMMETRIC || kind == HERMITIAN);
    const int r = turned ? j : i, c = turned ? i : j;
    if (storage == BANDED && (r - c > below || c - r > above)) return 0;
    const T value = storage == FULL     ? a[(size_t)c * ld + r]
                    : storage == BANDED ? a[(size_t)c * ld + above + r - c]
                    : upper             ? a[r + (size_t)c * (c + 1) / 2]
                                        : a[r + (size_t)c * (2 * order - c - 1) / 2];
    if (kind != HERMITIAN) return value;
    return r == c ? T(realPart(value)) : conjugated(value, turned);
  }
  __device__ T operator()(int i, int j) const {
    return trans ? conjugated(stored(j, i), trans == 2) : stored(i, j);
  }
  /* Columns in which row i may have something. */
  __device__ int begin(int i) const { return storage == BANDED ? max(0, i - max(below, above)) : 0; }
  __device__ int end(int i, int columns) const {
    return storage == BANDED ? min(columns, i + max(below, above) + 1) : columns;
  }
  /* What is read of a triangular matrix lies above its diagonal. */
  __device__ bool isUpper() const { return (upper != 0) != (trans != 0); }
};

#if LEVEL_1
KERNEL NAME(rot_xy)(int n, T *x, int incx, T *y, int incy, const Real *cAt, const void *sAt, int realS, Real cValue, T sValue) {
  const Real c = cAt ? *cAt : cValue;
  const T s = scalar(sValue, sAt, realS);
  EACH(i, n) {
    T &a = x[at(i, n, incx)], &b = y[at(i, n, incy)];
    const T before = a;
    a = T(c) * before + s * b;
    b = T(c) * b - conjugated(s, true) * before;
  }
}
#if LEVELS_FLOAT || LEVELS_DOUBLE
/* The modified rotation: a flag, then the matrix by columns; the flag says which of its elements are as usual. */
struct Modified {
  T flag, h[4];
};
KERNEL NAME(rotm)(int n, T *x, int incx, T *y, int incy, const Modified *given, Modified value) {
  const Modified m = given ? *given : value;
  if (m.flag == -2) return;
  const T h11 = m.flag == 0 ? T(1) : m.h[0], h21 = m.flag == 1 ? T(-1) : m.h[1];
  const T h12 = m.flag == 1 ? T(1) : m.h[2], h22 = m.flag == 0 ? T(1) : m.h[3];
  EACH(i, n) {
    T &a = x[at(i, n, incx)], &b = y[at(i, n, incy)];
    const T before = a;
    a = h11 * before + h12 * b;
    b = h21 * before + h22 * b;
  }
}
#else
KERNEL NAME(axpy)(int n, const T *x, int incx, T *y, int incy, Scalars scalars) {
  const T alpha = scalars.alpha();
  EACH(i, n) y[at(i, n, incy)] += alpha * x[at(i, n, incx)];
}
KERNEL NAME(scal)(int n, T *x, int incx, Scalars scalars) {
  const T alpha = scalars.alpha();
  EACH(i, n) x[at(i, n, incx)] *= alpha;
}
KERNEL NAME(copy)(int n, const T *x, int incx, T *y, int incy) { EACH(i, n) y[at(i, n, incy)] = x[at(i, n, incx)]; }
KERNEL NAME(swap)(int n, T *x, int incx, T *y, int incy) {
  EACH(i, n) {
    const T kept = x[at(i, n, incx)];
    x[at(i, n, incx)] = y[at(i, n, incy)];
    y[at(i, n, incy)] = kept;
  }
}
/* The rest is of one block. */
KERNEL NAME(dot)(int n, const T *x, int incx, const T *y, int incy, int conjugate, T *result) {
  T sum = 0;
  EACH(i, n) sum += conjugated(x[at(i, n, incx)], conjugate) * y[at(i, n, incy)];
  sum = sumOverBlock(sum);
  if (threadIdx.x == 0) *result = sum;
}
KERNEL NAME(asum)(int n, const T *x, int incx, Real *result) {
  Real sum = 0;
  EACH(i, n) sum += size(x[at(i, n, incx)]);
  sum = sumOverBlock(sum);
  if (threadIdx.x == 0) *result = sum;
}
/* The largest part first, so that squares neither overflow nor vanish. */
KERNEL NAME(nrm2)(int n, const T *x, int incx, Real *result) {
  __shared__ Real parts[32];
  Real largest = 0;
  EACH(i, n) {
    const T value = x[at(i, n, incx)];
    largest = fmax(largest, fmax(fabs(value.x), fabs(value.y)));
  }
  for (int mask = 16; mask > 0; mask /= 2) largest = fmax(largest, otherLane(largest, mask));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = largest;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; ++w) largest = fmax(largest, parts[w]);
  double sum = 0;
  EACH(i, n) {
    const T value = x[at(i, n, incx)];
    const double a = (double)value.x / largest, b = (double)value.y / largest;
    sum += a * a + b * b;
  }
  sum = sumOverBlock(sum);
  if (threadIdx.x == 0) *result = largest == 0 ? Real(0) : Real(largest * sqrt(sum));
}
/* The first of the largest, or with the sign turned of the smallest; indices count from 1. */
template <class Index> __device__ inline void findLargest(int n, const T *x, int incx, Real sign, Index *result) {
  __shared__ Real values[32];
  __shared__ int indices[32];
  Real best = 0;
  int index = 0;
  EACH(i, n) {
    const Real value = sign * size(x[at(i, n, incx)]);
    if (index == 0 || value > best) best = value, index = i + 1;
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    const Real value = otherLane(best, mask);
    const int other = otherLane(index, mask);
    if (other != 0 && (index == 0 || value > best || (value == best && other < index))) best = value, index = other;
  }
  if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = best, indices[threadIdx.x / 32] = index;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < blockDim.x / 32; ++w)
    if (indices[w] != 0 && (index == 0 || values[w] > best || (values[w] == best && indices[w] < index)))
      best = values[w], index = indices[w];
  *result = index;
}
KERNEL NAME(amax)(int n, const T *x, int incx, Real sign, int *result) { findLargest(n, x, incx, sign, result); }
KERNEL NAME(amax_64)(int n, const T *x, int incx, Real sign, long long *result) {
  findLargest(n, x, incx, sign, result);
}
#endif
#endif

#if LEVEL_2
/* y = alpha op(A) x + beta y, a thread per row; batches by arrays of pointers or distances. */
struct Batch {
  const T *const *as, *const *xs;
  T *const *ys;
  long long strideA, strideX, strideY;
};
KERNEL NAME(mv)(Matrix a, int m, int n, const T *x, int incx, T *y, int incy, Scalars scalars, Batch batch) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.y;
  if (i >= m) return;
  a.a = batch.as ? batch.as[z] : a.a + z * batch.strideA;
  x = batch.xs ? batch.xs[z] : x + z * batch.strideX;
  y = batch.ys ? batch.ys[z] : y + z * batch.strideY;
  const T alpha = scalars.alpha(), beta = scalars.beta();
  T sum = 0;
  if (alpha != T(0))
    for (int j = a.begin(i); j < a.end(i, n); ++j) sum += a(i, j) * x[at(j, n, incx)];
  T &target = y[at(i, m, incy)];
  target = beta == T(0) ? alpha * sum : alpha * sum + beta * target;
}
/* x = op(A) x, or what solves op(A) x = x, by one block: row after row, in the order in which none needs what is overwritten. */
KERNEL NAME(triangle)(Matrix a, int n, T *x, int incx, int solve) {
  const bool forward = a.isUpper() != (solve != 0);
  for (int s = 0; s < n; ++s) {
    const int i = forward ? s : n - 1 - s;
    T sum = 0;
    const int begin = a.isUpper() ? i + 1 : a.begin(i), end = a.isUpper() ? a.end(i, n) : i;
    for (int j = begin + threadIdx.x; j < end; j += blockDim.x) sum += a(i, j) * x[at(j, n, incx)];
    sum = sumOverBlock(sum);
    if (threadIdx.x == 0) {
      T &own = x[at(i, n, incx)];
      own = solve ? (own - sum) / a(i, i) : a(i, i) * own + sum;
    }
    __syncthreads();
  }
}
/* A += alpha x y' (and its counterpart, where there are two): all of A, or its triangle; `conjugate`: y' is conjugate. */
KERNEL NAME(rank)(T *a, int ld, int packed, int part, int hermitian, int m, int n, const T *x, int incx, const T *y, int incy,
                  int conjugate, int two, Scalars scalars) {
  const T alpha = scalars.alpha();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  for (int j = blockIdx.y; j < n; j += gridDim.y) {
    if ((part == 1 && i < j) || (part == 2 && i > j)) continue;
    T &target = !packed     ? a[(size_t)j * ld + i]
                : part == 2 ? a[i + (size_t)j * (j + 1) / 2]
                            : a[i + (size_t)j * (2 * n - j - 1) / 2];
    T sum = target + alpha * x[at(i, m, incx)] * conjugated(y[at(j, n, incy)], conjugate);
    if (two) sum += conjugated(alpha, hermitian) * y[at(i, m, incy)] * conjugated(x[at(j, n, incx)], conjugate);
    target = hermitian && i == j ? T(realPart(sum)) : sum;
  }
}
#endif

#if LEVEL_3
/* C = alpha A B (and + alpha' A2 B2, where there are two) + beta C: all of C, or its triangle. A thread per element. */
struct Product {
  T *c;
  int m, n, k, ldc, part, hermitian, two;
};
KERNEL NAME(mm)(Product p, Matrix a, Matrix b, Matrix a2, Matrix b2, Scalars scalars) {
  const T alpha = scalars.alpha(), beta = scalars.beta();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.m) return;
  for (int j = blockIdx.y; j < p.n; j += gridDim.y) {
    if ((p.part == 1 && i < j) || (p.part == 2 && i > j)) continue;
    T sum = 0, second = 0;
    if (alpha != T(0))
      for (int l = 0; l < p.k; ++l) {
        sum += a(i, l) * b(l, j);
        if (p.two) second += a2(i, l) * b2(l, j);
      }
    T &target = p.c[(size_t)j * p.ldc + i];
    T value = alpha * sum;
    if (p.two) value += conjugated(alpha, p.hermitian) * second;
    if (beta != T(0)) value += beta * target;
    target = p.hermitian && i == j ? T(realPart(value)) : value;
  }
}
/* C = alpha op(A) B or alpha B op(A), a thread per column or row, so that C may be B. */
KERNEL NAME(trmm)(Matrix a, int right, int order, int count, const T *b, int ldb, T *c, int ldc, Scalars scalars) {
  const T alpha = scalars.alpha();
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  const size_t stepB = right ? ldb : 1, stepC = right ? ldc : 1;
  const T *from = right ? b + r : b + (size_t)r * ldb;
  T *to = right ? c + r : c + (size_t)r * ldc;
  const bool above = a.isUpper() != (right != 0);
  for (int s = 0; s < order; ++s) {
    const int i = above ? s : order - 1 - s;
    T sum = 0;
    for (int j = above ? i : 0; j < (above ? order : i + 1); ++j) sum += (right ? a(j, i) : a(i, j)) * from[j * stepB];
    to[i * stepC] = alpha * sum;
  }
}
/* What solves op(A) X = alpha B or X op(A) = alpha B, in the place of B: a thread per column or row. */
KERNEL NAME(solve)(Matrix a, int right, int order, int count, T *b, int ldb, const T *const *as, T *const *bs, Scalars scalars) {
  const T alpha = scalars.alpha();
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  if (as) a.a = as[blockIdx.y], b = bs[blockIdx.y];
  const size_t step = right ? ldb : 1;
  T *x = right ? b + r : b + (size_t)r * ldb;
  const bool forward = a.isUpper() == (right != 0);
  for (int s = 0; s < order; ++s) {
    const int i = forward ? s : order - 1 - s;
    T value = alpha == T(0) ? T(0) : alpha * x[i * step];
    if (alpha != T(0))
      for (int o = 0; o < s; ++o) {
        const int j = forward ? o : order - 1 - o;
        value -= (right ? a(j, i) : a(i, j)) * x[j * step];
      }
    x[i * step] = alpha == T(0) || a.unit ? value : value / a(i, i);
  }
}
/* C = diag(x) A, or A diag(x). */
KERNEL NAME(dgmm)(int right, int m, int n, const T *a, int lda, const T *x, int incx, T *c, int ldc) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  for (int j = blockIdx.y; j < n; j += gridDim.y)
    c[(size_t)j * ldc + i] = a[(size_t)j * lda + i] * (right ? x[at(j, n, incx)] : x[at(i, m, incx)]);
}
#if LEVELS_COMPLEX || LEVELS_DOUBLE_COMPLEX
KERNEL NAME(sum)(int m, int n, Matrix a, Matrix b, T *c, int ldc, Scalars scalars) {
  const T alpha = scalars.alpha(), beta = scalars.beta();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  for (int j = blockIdx.y; j < n; j += gridDim.y) {
    T sum = 0;
    if (alpha != T(0)) sum += alpha * a(i, j);
    if (beta != T(0)) sum += beta * b(i, j);
    c[(size_t)j * ldc + i] = sum;
  }
}
#endif
/* Between a triangle in full and in packed storage. */
KERNEL NAME(packing)(int toPacked, int upper, int n, T *full, int ld, T *packed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = blockIdx.y; j < n; j += gridDim.y) {
    if (upper ? i > j : i < j) continue;
    T &one = full[(size_t)j * ld + i];
    T &other = packed[upper ? i + (size_t)j * (j + 1) / 2 : i + (size_t)j * (2 * n - j - 1) / 2];
    if (toPacked) other = one;
    else one = other;
  }
}
#endif
