/*
 * Eigenvalues and right eigenvectors of general matrices: a Hessenberg matrix by reflectors, Schur's form by the implicit
 * QR method, with two shifts at once where numbers are real, and vectors by substitution. Inverses of triangles, too.
 * `cusolver-general.ts` launches these kernels and knows their parameters.
 */
#include "cusolver-numbers.cuh"

typedef Complex<Real> Both;
constexpr bool isReal = sizeof(T) == sizeof(Real);
/* Numbers that a reflector of the iteration turns: one more than there are shifts. */
constexpr int width = isReal ? 3 : 2;

__device__ inline Real absolute(Both a) { return hypot(a.x, a.y); }
__device__ inline Both both(T a) { return {realPart(a), imaginaryPart(a)}; }
/* As the matrix's own numbers are. */
template <class N> __device__ inline N numberOf(Both a) {
  if constexpr (sizeof(N) == sizeof(Real)) return a.x;
  else return a;
}
/* A root whose real part is not negative. */
__device__ inline Both root(Both a) {
  const Real length = absolute(a), x = sqrt((length + fabs(a.x)) / 2);
  if (x == 0) return {0, 0};
  const Real y = a.y / (2 * x);
  return a.x >= 0 ? Both(x, y) : Both(fabs(y), a.y >= 0 ? x : -x);
}

/* A matrix becomes Hessenberg's in its place; the reflectors are columns of another one. One block. */
KERNEL NAME(general_hessenberg)(int n, T *h, T *reflectors, T *tau) {
  __shared__ Real first;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int k = 0; k + 1 < n; ++k) {
    T *v = reflectors + (size_t)k * n, *column = h + (size_t)k * n;
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) v[i] = column[i];
    __syncthreads();
    reflector(n - k - 1, v + k + 1, tau + k, &first);
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) column[i] = i == k + 1 ? T(first) : T(0);
    const T t = tau[k];
    for (int j = k + 1 + warp; j < n; j += warps) {
      T sum = 0;
      for (int i = k + 1 + lane; i < n; i += 32) sum += conjugated(v[i], true) * h[i + (size_t)j * n];
      sum = sumOverLanes(sum, 32) * conjugated(t, true);
      for (int i = k + 1 + lane; i < n; i += 32) h[i + (size_t)j * n] -= v[i] * sum;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      T sum = 0;
      for (int j = k + 1; j < n; ++j) sum += h[i + (size_t)j * n] * v[j];
      sum *= t;
      for (int j = k + 1; j < n; ++j) h[i + (size_t)j * n] -= sum * conjugated(v[j], true);
    }
    __syncthreads();
  }
}

/* H' A H and Z H with a reflector of `count` numbers from row k on: by a block. Rows up to `last` have numbers in these columns. */
__device__ inline void turn(int n, T *h, T *z, int k, int count, int last, T *x) {
  Real squares = 0;
  for (int i = 1; i < count; ++i) squares += square(x[i]);
  const T alpha = x[0];
  if (squares == 0 && imaginaryPart(alpha) == 0) return;
  const Real length = sqrt(squares + square(alpha)), beta = realPart(alpha) >= 0 ? -length : length;
  const T scale = T(1) / (alpha - T(beta)), tau = (T(beta) - alpha) / T(beta);
  x[0] = T(1);
  for (int i = 1; i < count; ++i) x[i] = x[i] * scale;
  for (int j = max(0, k - 1) + threadIdx.x; j < n; j += blockDim.x) {
    T *column = h + (size_t)j * n + k, sum = 0;
    for (int i = 0; i < count; ++i) sum += conjugated(x[i], true) * column[i];
    sum *= conjugated(tau, true);
    for (int i = 0; i < count; ++i) column[i] -= x[i] * sum;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2 * n; i += blockDim.x) {
    if (i > last && i < n) continue;
    T *row = (i < n ? h + i : z + i - n) + (size_t)k * n, sum = 0;
    for (int j = 0; j < count; ++j) sum += row[(size_t)j * n] * x[j];
    sum *= tau;
    for (int j = 0; j < count; ++j) row[(size_t)j * n] -= sum * conjugated(x[j], true);
  }
  __syncthreads();
}
/* What the first reflector of a step turns: the first column of the product of the shifted matrices. */
__device__ inline void beginStep(int n, const T *h, int lo, int hi, int tries, T *x) {
  auto at = [&](int i, int j) { return h[i + (size_t)j * n]; };
  const T a = at(hi - 1, hi - 1), b = at(hi - 1, hi), c = at(hi, hi - 1), d = at(hi, hi);
  const bool stuck = tries % 10 == 9;
  if constexpr (isReal) {
    const T beside = T(size(c) + size(at(hi - 1, max(lo, hi - 2)))), sum = stuck ? T(1.5) * beside : a + d;
    const T product = stuck ? beside * beside : a * d - b * c;
    x[0] = (at(lo, lo) * (at(lo, lo) - sum) + product) / at(lo + 1, lo) + at(lo, lo + 1);
    x[1] = at(lo, lo) + at(lo + 1, lo + 1) - sum;
    x[2] = at(lo + 2, lo + 1);
  } else {
    const T half = scaled(a - d, Real(0.5)), r = numberOf<T>(root(both(half * half + b * c)));
    const bool opposite = realPart(half) * realPart(r) + imaginaryPart(half) * imaginaryPart(r) < 0;
    const T divisor = opposite ? half - r : half + r;
    T shift = divisor == T(0) ? d : d - b * (c / divisor);
    if (stuck) shift = d + T(absolute(both(c)));
    x[0] = at(lo, lo) - shift;
    x[1] = at(lo + 1, lo);
  }
}
/*
 * Schur's form of a Hessenberg matrix, its vectors in Z: one block. Two real rows whose values are complex stay
 * together. Information: values up to this one were not found.
 */
KERNEL NAME(general_schur)(int n, T *h, T *z, int *info) {
  constexpr int mostTries = 60;
  __shared__ int from;
  auto at = [&](int i, int j) -> T & { return h[i + (size_t)j * n]; };
  int tries = 0;
  for (int hi = n - 1; hi >= 0;) {
    if (threadIdx.x == 0) {
      int l = hi;
      for (; l > 0; --l) {
        const Real beside = size(at(l - 1, l - 1)) + size(at(l, l));
        if (size(at(l, l - 1)) <= epsilon * beside + nothing) break;
      }
      if (l > 0) at(l, l - 1) = T(0);
      from = l;
    }
    __syncthreads();
    const int lo = from;
    T x[width];
    if (isReal && lo == hi - 1) {
      const T p = scaled(at(lo, lo) - at(hi, hi), Real(0.5)), q = p * p + at(lo, hi) * at(hi, lo);
      x[0] = p + T(signOf(realPart(p)) * sqrt(fmax(realPart(q), Real(0)))), x[1] = at(hi, lo);
      __syncthreads();
      if (realPart(q) >= 0) {
        turn(n, h, z, lo, 2, hi, x);
        if (threadIdx.x == 0) at(hi, lo) = T(0);
      }
    }
    if (lo == hi || (isReal && lo == hi - 1)) {
      hi = lo - 1, tries = 0;
      __syncthreads();
      continue;
    }
    if (tries++ == mostTries) {
      if (threadIdx.x == 0) *info = hi + 1;
      return;
    }
    beginStep(n, h, lo, hi, tries, x);
    __syncthreads();
    for (int k = lo; k < hi; ++k) {
      const int count = min(width, hi - k + 1);
      if (k > lo)
        for (int i = 0; i < count; ++i) x[i] = at(k + i, k - 1);
      __syncthreads();
      turn(n, h, z, k, count, min(k + width, hi), x);
      if (k > lo && threadIdx.x > 0 && threadIdx.x < count) at(k + threadIdx.x, k - 1) = T(0);
    }
    __syncthreads();
  }
}

/* Value k of Schur's form, and which row of two it is: 0 for one alone. */
__device__ inline Both valueOf(int n, const T *h, int k, int &row) {
  auto at = [&](int i, int j) { return h[i + (size_t)j * n]; };
  row = !isReal ? 0 : k + 1 < n && at(k + 1, k) != T(0) ? 1 : k > 0 && at(k, k - 1) != T(0) ? 2 : 0;
  if (row == 0) return both(at(k, k));
  const int l = row == 1 ? k : k - 1;
  const Real p = realPart(at(l, l) - at(l + 1, l + 1)) / 2, q = realPart(at(l, l + 1) * at(l + 1, l));
  const Real y = sqrt(fmax(-(p * p + q), Real(0)));
  return {realPart(at(l, l) + at(l + 1, l + 1)) / 2, row == 1 ? y : -y};
}
/* Values: complex, or real parts and then imaginary ones. */
KERNEL NAME(general_values)(int n, const T *h, const Real *scale, int apart, Real *w) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  int row;
  const Both value = valueOf(n, h, k, row);
  w[apart ? k : 2 * k] = value.x / *scale;
  w[apart ? n + k : 2 * k + 1] = value.y / *scale;
}
/* A solution of a small system, its divisor not less than `least`. */
__device__ inline Both divided(Both a, Both by, Real least) {
  return a / (absolute(by) < least ? Both(least) : by);
}
/* Vectors of length 1 whose largest number is real: a warp for each; real ones of a pair share two columns. `work`: n complex numbers for each. */
KERNEL NAME(general_vectors)(int n, const T *h, const T *z, Both *work, T *vectors, int ld) {
  const int lane = threadIdx.x % 32, k = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (k >= n) return;
  auto at = [&](int i, int j) { return both(h[i + (size_t)j * n]); };
  int row, other;
  const Both value = valueOf(n, h, k, row);
  if (row == 2) return;
  Both *x = work + (size_t)k * n;
  const int last = row == 1 ? k + 1 : k;
  Both one = 1, two = 0;
  if (row == 1) {
    const Both b = at(k, last), c = at(last, k);
    if (absolute(b) >= absolute(c)) two = (value - at(k, k)) / b;
    else two = 1, one = (value - at(last, last)) / c;
  }
  if (lane == 0) {
    x[k] = one;
    if (row == 1) x[last] = two;
  }
  __syncwarp();
  for (int i = k - 1; i >= 0; --i) {
    valueOf(n, h, i, other);
    const int above = other == 2 ? i - 1 : i;
    Both lower = 0, upper = 0;
    for (int j = i + 1 + lane; j <= last; j += 32) {
      lower -= at(i, j) * x[j];
      if (above < i) upper -= at(above, j) * x[j];
    }
    lower = sumOverLanes(lower, 32), upper = sumOverLanes(upper, 32);
    const Both d = at(i, i) - value;
    Both below, over = 0;
    if (above < i) {
      const Both a = at(above, above) - value, b = at(above, i), c = at(i, above), determinant = a * d - b * c;
      below = divided(a * lower - c * upper, determinant, nothing);
      over = divided(d * upper - b * lower, determinant, nothing);
    } else
      below = divided(lower, d, epsilon);
    if (lane == 0) {
      x[i] = below;
      if (above < i) x[above] = over;
    }
    __syncwarp();
    const Real most = fmax(absolute(below), absolute(over));
    if (most > 1 / nothing)
      for (int j = above + lane; j <= last; j += 32) x[j] = scaled(x[j], 1 / most);
    __syncwarp();
    i = above;
  }
  Real squares = 0, most = -1;
  Both largest = 1;
  int where = 0;
  T *real = vectors + (size_t)k * ld, *imaginary = real + ld;
  for (int i = lane; i < n; i += 32) {
    Both sum = 0;
    for (int j = 0; j <= last; ++j) sum += both(z[i + (size_t)j * n]) * x[j];
    squares += square(sum);
    if (square(sum) > most) most = square(sum), largest = sum, where = i;
    real[i] = numberOf<T>(sum);
    if (row == 1) imaginary[i] = T(sum.y);
  }
  squares = sumOverLanes(squares, 32);
  for (int mask = 16; mask > 0; mask /= 2) {
    const Real others = otherLane(most, mask);
    const Both number = otherLane(largest, mask);
    const int place = otherLane(where, mask);
    if (others > most || (others == most && place < where)) most = others, largest = number, where = place;
  }
  const Real length = sqrt(squares), size = absolute(largest);
  const Both factor = isReal && row == 0 ? Both(1 / length) : Both(largest.x / size / length, -largest.y / size / length);
  for (int i = lane; i < n; i += 32) {
    const Both v = (row == 1 ? Both(realPart(real[i]), realPart(imaginary[i])) : both(real[i])) * factor;
    /* The largest number is real without a remainder. */
    const Both kept(v.x, i == where ? 0 : v.y);
    real[i] = numberOf<T>(kept);
    if (row == 1) imaginary[i] = T(kept.y);
  }
}

/* The first number on a triangle's diagonal that is 0, counted from 1. One block of one warp. */
KERNEL NAME(general_diagonal)(int n, const T *a, int lda, int unit, int *info) {
  int first = n + 1;
  for (int i = threadIdx.x; i < n && !unit; i += 32)
    if (a[i + (size_t)i * lda] == T(0)) first = min(first, i + 1);
  for (int mask = 16; mask > 0; mask /= 2) first = min(first, otherLane(first, mask));
  if (threadIdx.x == 0) *info = first > n ? 0 : first;
}
/* A triangle in another one's place, where that had its inverse; the diagonal of ones stays. */
KERNEL NAME(general_triangle)(int n, const T *from, T *a, int lda, int isLower, int unit, const int *info) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= n || *info != 0 || (isLower ? i < j : i > j) || (unit && i == j)) return;
  a[i + (size_t)j * lda] = from[i + (size_t)j * n];
}
