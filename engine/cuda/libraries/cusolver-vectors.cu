/*
 * Around the iterations that find eigenvalues and singular values: the matrix that they begin with, and the vectors
 * from reflectors and rotations, in the order that is asked for. `cusolver-spectra.ts` launches these kernels and knows
 * their parameters.
 */
#include "cusolver-numbers.cuh"

/* Which part of a matrix is there. */
enum Part { whole, lower, upper };
__device__ inline bool isIn(int part, int i, int j) { return part == whole || (part == lower ? i >= j : i <= j); }

/* What scales a matrix. One block, which begins the iteration, too. */
KERNEL NAME(spectrum_scale)(int m, int n, const T *a, int lda, int part, Real *scale, Iteration *iteration, int *info) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  Real most = 0;
  for (int j = warp; j < n; j += warps)
    for (int i = lane; i < m; i += 32)
      if (isIn(part, i, j)) most = fmax(most, size(a[i + (size_t)j * lda]));
  most = scaleOverBlock(most);
  if (threadIdx.x > 0) return;
  *scale = most;
  *iteration = {0, 0, 0, 0};
  if (info) *info = 0;
}
/* The matrix that iterations begin with, scaled: of a Hermitian one the missing triangle, or the transposed of a whole one. */
KERNEL NAME(spectrum_begin)(int m, int n, const T *a, int lda, int part, int flipped, const Real *scale, T *target) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= m) return;
  const bool other = part == whole ? flipped : !isIn(part, i, j);
  T value = other ? conjugated(a[j + (size_t)i * lda], true) : a[i + (size_t)j * lda];
  if (part != whole && i == j) value = T(realPart(value));
  target[i + (size_t)j * m] = scaled(value, *scale);
}

/*
 * The first columns of the product of reflectors, of which number k begins in row k + offset: a warp for a column. Each
 * lane has the same rows all the time.
 */
KERNEL NAME(spectrum_reflect)(int m, int columns, int count, int offset, const T *reflectors, int ld, const T *tau, T *target) {
  const int lane = threadIdx.x % 32, j = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (j >= columns) return;
  T *x = target + (size_t)j * m;
  for (int i = lane; i < m; i += 32) x[i] = T(i == j ? 1 : 0);
  for (int k = min(count - 1, j - offset); k >= 0; --k) {
    const T *v = reflectors + (size_t)k * ld;
    const int first = k + offset, begin = first - first % 32 + lane;
    T sum = 0;
    for (int i = begin; i < m; i += 32)
      if (i >= first) sum += conjugated(v[i], true) * x[i];
    sum = sumOverLanes(sum, 32) * tau[k];
    for (int i = begin; i < m; i += 32)
      if (i >= first) x[i] -= v[i] * sum;
  }
}
/* Turns columns by the rotations of one launch of the iteration: a thread for a row. */
KERNEL NAME(spectrum_rotate)(int m, T *z, const Rotation *rotations, const Iteration *iteration) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, count = iteration->rotations;
  if (row >= m || count == 0) return;
  int held = rotations[0].from;
  T x = z[row + (size_t)held * m];
  for (int k = 0; k < count; ++k) {
    const Rotation r = rotations[k];
    if (r.from != held) {
      z[row + (size_t)held * m] = x;
      x = z[row + (size_t)r.from * m];
    }
    const T y = z[row + (size_t)r.to * m];
    z[row + (size_t)r.from * m] = scaled(x, r.c) + scaled(y, r.s);
    x = scaled(y, r.c) - scaled(x, r.s);
    held = r.to;
  }
  z[row + (size_t)held * m] = x;
}

/* The places of values in their order, and those from `first` on without the scale. Singular values are not negative. */
KERNEL NAME(spectrum_order)(int n, const Real *d, const Real *scale, int descending, int first, int *places, Real *values) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  const Real own = descending ? fabs(d[j]) : d[j];
  int place = 0;
  for (int i = 0; i < n; ++i) {
    const Real other = descending ? fabs(d[i]) : d[i];
    place += (descending ? other > own : other < own) || (other == own && i < j);
  }
  places[j] = place;
  if (place >= first) values[place - first] = own / *scale;
}
/* Vectors `first` to `first` + count in their places; those beyond the values stay where they are. `signs`: values whose signs vectors take. */
KERNEL NAME(spectrum_place)(int m, int n, const T *z, const int *places, const Real *signs, int first, int count, T *target,
                            long long rowStep, long long columnStep, int conjugate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= m) return;
  const int place = (j < n ? places[j] : j) - first;
  if (place < 0 || place >= count) return;
  const T value = conjugated(z[i + (size_t)j * m], conjugate);
  target[i * rowStep + place * columnStep] = signs && j < n && signs[j] < 0 ? -value : value;
}
