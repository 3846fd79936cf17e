/*
 * Singular values: a bidiagonal matrix by reflectors from both sides and its values by the implicit QR method of Golub
 * and Kahan, or all by one-sided rotations of columns. `cusolver-singular.ts` launches these kernels and knows their
 * parameters. Matrices have at least as many rows as columns.
 */
#include "cusolver-numbers.cuh"

/*
 * A matrix of which column after column and row after row becomes bidiagonal. What the last two reflectors change is
 * taken from it when the next one is multiplied with it: A - v y' - x u'. The vectors v stay in its columns, the
 * vectors u in those of `rows`.
 */
struct Bidiagonal {
  int m, n;
  T *a, *rows, *tauLeft, *tauRight, *x, *y, *sum;
  Real *d, *e;
};
/* Column k as the reflectors before it leave it, and its own: one block. */
__device__ inline void bidiagonalColumn(const Bidiagonal &b, int k) {
  T *column = b.a + (size_t)k * b.m;
  if (k > 0) {
    const T *v = column - b.m, *u = b.rows + (size_t)(k - 1) * b.n;
    const T yk = conjugated(b.y[k], true), uk = conjugated(u[k], true);
    for (int i = k + threadIdx.x; i < b.m; i += blockDim.x) column[i] -= v[i] * yk + b.x[i] * uk;
    __syncthreads();
  }
  reflector(b.m - k, column + k, b.tauLeft + k, b.d + k);
}
/* The rest without the last two reflectors, and y of this column's: a warp for a column. */
__device__ inline void bidiagonalLeft(const Bidiagonal &b, int k, int warp, int warps) {
  const int lane = threadIdx.x % 32;
  const T *v = b.a + (size_t)k * b.m, *last = v - b.m, *u = b.rows + (size_t)(k - 1) * b.n;
  for (int j = k + 1 + warp; j < b.n; j += warps) {
    T *column = b.a + (size_t)j * b.m, sum = 0;
    if (k > 0) {
      const T yj = conjugated(b.y[j], true), uj = conjugated(u[j], true);
      for (int i = k + lane; i < b.m; i += 32) {
        const T value = column[i] - last[i] * yj - b.x[i] * uj;
        column[i] = value;
        sum += conjugated(value, true) * v[i];
      }
    } else
      for (int i = k + lane; i < b.m; i += 32) sum += conjugated(column[i], true) * v[i];
    sum = sumOverLanes(sum, 32);
    if (lane == 0) b.y[j] = b.tauLeft[k] * sum;
  }
}
/* Row k without what its column's reflector changes, and the row's own: one block. */
__device__ inline void bidiagonalRow(const Bidiagonal &b, int k) {
  T *u = b.rows + (size_t)k * b.n, product = 0;
  for (int j = k + 1 + threadIdx.x; j < b.n; j += blockDim.x)
    u[j] = conjugated(b.a[k + (size_t)j * b.m], true) - b.y[j];
  __syncthreads();
  reflector(b.n - k - 1, u + k + 1, b.tauRight + k, b.e + k);
  for (int j = k + 1 + threadIdx.x; j < b.n; j += blockDim.x) product += conjugated(b.y[j], true) * u[j];
  product = sumOverBlock(product);
  if (threadIdx.x == 0) *b.sum = product;
}
/* x of this row's reflector: 32 rows at a time, each warp for some of the columns. */
__device__ inline void bidiagonalRight(const Bidiagonal &b, int k, int group, int groups) {
  __shared__ T sums[mostWarps][33];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const T *v = b.a + (size_t)k * b.m, *u = b.rows + (size_t)k * b.n;
  for (int first = k + 1 + 32 * group; first < b.m; first += 32 * groups) {
    const int i = first + lane;
    T sum = 0;
    if (i < b.m)
      for (int j = k + 1 + warp; j < b.n; j += warps) sum += b.a[i + (size_t)j * b.m] * u[j];
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && i < b.m) {
      for (int w = 1; w < warps; ++w) sum += sums[w][lane];
      b.x[i] = b.tauRight[k] * (sum - v[i] * *b.sum);
    }
    __syncthreads();
  }
}
/* All of it by one block, or its four parts for a column and a row of a larger matrix. */
KERNEL NAME(bidiagonal)(Bidiagonal b) {
  for (int k = 0; k < b.n; ++k) {
    bidiagonalColumn(b, k);
    if (k + 1 == b.n) break;
    bidiagonalLeft(b, k, threadIdx.x / 32, blockDim.x / 32);
    __syncthreads();
    bidiagonalRow(b, k);
    __syncthreads();
    bidiagonalRight(b, k, 0, 1);
  }
}
KERNEL NAME(bidiagonal_column)(Bidiagonal b, int k) { bidiagonalColumn(b, k); }
KERNEL NAME(bidiagonal_left)(Bidiagonal b, int k) {
  bidiagonalLeft(b, k, (blockIdx.x * blockDim.x + threadIdx.x) / 32, gridDim.x * blockDim.x / 32);
}
KERNEL NAME(bidiagonal_row)(Bidiagonal b, int k) { bidiagonalRow(b, k); }
KERNEL NAME(bidiagonal_right)(Bidiagonal b, int k) { bidiagonalRight(b, k, blockIdx.x, gridDim.x); }

/* What turns (f, g) to (r, 0), by no more than a right angle. */
__device__ inline void rotationOf(Real f, Real g, Real &c, Real &s, Real &r) {
  r = signOf(f) * sqrt(f * f + g * g);
  c = 1, s = 0;
  if (r == 0) r = f;
  else c = f / r, s = g / r;
}
/*
 * One step of Golub and Kahan's for rows l to m, with the shift of the last two columns; none where a number on the
 * diagonal is nothing: then what is beside it goes. By one thread.
 */
__device__ inline void golubKahanStep(int l, int m, bool shifted, Real *d, Real *e, Rotation *left, Rotation *right) {
  Real f = d[l], g = e[l];
  if (shifted) {
    const Real above = m - 1 > l ? e[m - 2] : 0;
    const Real first = d[m - 1] * d[m - 1] + above * above, last = d[m] * d[m] + e[m - 1] * e[m - 1];
    const Real beside = d[m - 1] * e[m - 1], half = (first - last) / 2, length = sqrt(half * half + beside * beside);
    const Real divisor = half + (half < 0 ? -length : length);
    const Real shift = divisor == 0 ? last : last - beside * (beside / divisor);
    f = d[l] * d[l] - shift;
    g = d[l] * e[l];
    /* Of two columns the larger value comes first. */
    if (m == l + 1) f = half >= 0 ? half + length : beside, g = half >= 0 ? beside : length - half;
  }
  for (int k = l; k < m; ++k) {
    Real c, s, r;
    rotationOf(f, g, c, s, r);
    if (k > l) e[k - 1] = r;
    f = c * d[k] + s * e[k];
    e[k] = c * e[k] - s * d[k];
    g = s * d[k + 1];
    d[k + 1] = c * d[k + 1];
    if (right) right[k - l] = {c, s, k, k + 1};
    rotationOf(f, g, c, s, r);
    d[k] = r;
    f = c * e[k] + s * d[k + 1];
    d[k + 1] = c * d[k + 1] - s * e[k];
    if (k + 1 < m) {
      g = s * e[k + 1];
      e[k + 1] = c * e[k + 1];
    }
    if (left) left[k - l] = {c, s, k, k + 1};
  }
  e[m - 1] = f;
}
/* Steps until all numbers beside the diagonal are nothing, or there is no room for more rotations. One warp; values are found from the last on. */
KERNEL NAME(bidiagonal_qr)(int n, Real *d, Real *e, Rotation *left, Rotation *right, int room, Iteration *iteration, int *info) {
  constexpr int mostTries = 60;
  const int lane = threadIdx.x;
  int m = n - 1 - iteration->at, tries = iteration->tries, count = 0, wrong = 0;
  while (m > 0) {
    /* The last number beside the diagonal that is nothing, and whether one is nothing on it. */
    int l = m;
    unsigned found = 0, zeros = 0;
    for (int begin = m; begin > 0 && found == 0; begin -= 32) {
      const int i = begin - 1 - lane;
      found = __ballot_sync(0xffffffffu,
                            i < 0 || fabs(e[i]) <= epsilon * (fabs(d[i]) + fabs(d[i + 1])) + nothing);
      l = begin - (found ? __ffs(found) - 1 : 32);
    }
    if (m == l || tries == mostTries) {
      wrong += m != l;
      --m, tries = 0;
      continue;
    }
    if ((left || right) && count + m - l > room) break;
    for (int i = l + lane; i <= m; i += 32) zeros |= fabs(d[i]) <= nothing;
    zeros = __ballot_sync(0xffffffffu, zeros);
    ++tries;
    if (lane == 0) golubKahanStep(l, m, !zeros, d, e, left ? left + count : nullptr, right ? right + count : nullptr);
    __syncwarp();
    count += m - l;
  }
  if (lane > 0) return;
  *iteration = {n - 1 - m, tries, count, m <= 0};
  *info += wrong;
}

/* Two numbers of a round in which each meets another one, of n or of one more: then the last has none to meet. */
__device__ inline void pairOf(int round, int k, int n, int &p, int &q) {
  const int all = n + n % 2 - 1, a = k == 0 ? all : (round + k) % all, b = (round + all - k) % all;
  p = min(a, b), q = max(a, b);
}
/* Vectors of one side of a batch of matrices: where the first ones lie, and how many of each matrix; none where `at` is null. */
struct Side {
  T *at;
  int ld, count;
  long long stride;
};
/*
 * Columns of a matrix that rotations make orthogonal, so that their lengths are its singular values: a block for each
 * matrix of a batch. `flipped`: of the conjugate transpose. `report`: the largest cosine that is left, times the
 * matrix's norm, and the number of sweeps.
 */
struct OneSided {
  const T *at;
  int ld, flipped;
  long long stride;
  T *work;
  Side left, right;
  long long strideValues;
  int sorted, sweeps, values;
  double tolerance;
  double *report;
};
/* What is missing of a side's vectors: unit vectors less what the others have of them. By a block. */
__device__ inline void complete(int m, int known, const int *empty, Side side, T *vectors, T *parts) {
  int next = 0;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int j = 0; j < side.count; ++j) {
    if (j < known && !empty[j]) continue;
    T *v = vectors + (size_t)j * side.ld;
    for (Real squares = 0; next < m && 4 * m * squares < 1; ++next) {
      for (int i = threadIdx.x; i < m; i += blockDim.x) v[i] = T(i == next ? 1 : 0);
      for (int again = 0; again < 2; ++again) {
        __syncthreads();
        for (int k = warp; k < side.count; k += warps) {
          const bool there = k < known ? !empty[k] || k < j : k < j;
          T sum = 0;
          if (there)
            for (int i = lane; i < m; i += 32) sum += conjugated(vectors[i + (size_t)k * side.ld], true) * v[i];
          sum = sumOverLanes(sum, 32);
          if (lane == 0) parts[k] = sum;
        }
        __syncthreads();
        squares = 0;
        for (int i = threadIdx.x; i < m; i += blockDim.x) {
          T value = v[i];
          for (int k = 0; k < side.count; ++k)
            if (k < known ? !empty[k] || k < j : k < j) value -= parts[k] * vectors[i + (size_t)k * side.ld];
          v[i] = value;
          squares += square(value);
        }
        squares = sumOverBlock(squares);
      }
      if (4 * m * squares >= 1)
        for (int i = threadIdx.x; i < m; i += blockDim.x) v[i] = scaled(v[i], 1 / sqrt(squares));
    }
    __syncthreads();
  }
}
KERNEL NAME(onesided)(int m, int n, OneSided o, Real *values, int *infos) {
  __shared__ Real largest[mostWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int half = (n + 1) / 2, rounds = n + n % 2 - 1;
  const T *a = o.at + blockIdx.x * o.stride;
  T *w = o.work + blockIdx.x * ((size_t)m * n + (size_t)n * n + m + 2 * n), *v = w + (size_t)m * n, *parts = v + n * n;
  Real *lengths = (Real *)(parts + m);
  int *empty = (int *)(lengths + n);
  Real norm = 0, greatest = 0;
  for (int t = threadIdx.x; t < m * n; t += blockDim.x) {
    const int i = t % m, j = t / m;
    w[t] = o.flipped ? conjugated(a[j + (size_t)i * o.ld], true) : a[i + (size_t)j * o.ld];
    greatest = fmax(greatest, size(w[t]));
  }
  const Real scale = scaleOverBlock(greatest);
  for (int t = threadIdx.x; t < m * n; t += blockDim.x) {
    w[t] = scaled(w[t], scale);
    norm += square(w[t]);
  }
  norm = sqrt(sumOverBlock(norm));
  for (int t = threadIdx.x; t < n * n; t += blockDim.x) v[t] = T(t % n == t / n ? 1 : 0);
  __syncthreads();
  const Real bound = fmax(Real(o.tolerance), 4 * epsilon * sqrt(Real(m)));
  int sweep = 0;
  Real left = 0;
  for (bool done = n == 1; !done && sweep < o.sweeps; ++sweep) {
    Real most = 0;
    for (int round = 0; round < rounds; ++round) {
      for (int k = warp; k < half; k += warps) {
        int p, q;
        pairOf(round, k, n, p, q);
        if (q >= n) continue;
        T *x = w + (size_t)p * m, *y = w + (size_t)q * m, product = 0;
        Real xx = 0, yy = 0;
        for (int i = lane; i < m; i += 32) {
          xx += square(x[i]), yy += square(y[i]);
          product += conjugated(x[i], true) * y[i];
        }
        xx = sumOverLanes(xx, 32), yy = sumOverLanes(yy, 32), product = sumOverLanes(product, 32);
        const Real length = sqrt(square(product)), both = sqrt(xx) * sqrt(yy);
        if (!(length > bound * both)) continue;
        most = fmax(most, length / both);
        const Real tau = (yy - xx) / (2 * length), t = signOf(tau) / (fabs(tau) + sqrt(1 + tau * tau));
        const Real c = 1 / sqrt(1 + t * t);
        const T turn = scaled(product, t * c / length), back = conjugated(turn, true);
        for (int i = lane; i < m; i += 32) {
          const T xi = x[i], yi = y[i];
          x[i] = scaled(xi, c) - back * yi;
          y[i] = turn * xi + scaled(yi, c);
        }
        for (int i = lane; i < n; i += 32) {
          const T xi = v[i + p * n], yi = v[i + q * n];
          v[i + p * n] = scaled(xi, c) - back * yi;
          v[i + q * n] = turn * xi + scaled(yi, c);
        }
      }
      __syncthreads();
    }
    if (lane == 0) largest[warp] = most;
    __syncthreads();
    left = 0;
    for (int k = 0; k < warps; ++k) left = fmax(left, largest[k]);
    done = left == 0;
    __syncthreads();
  }
  for (int j = warp; j < n; j += warps) {
    Real squares = 0;
    for (int i = lane; i < m; i += 32) squares += square(w[i + (size_t)j * m]);
    squares = sumOverLanes(squares, 32);
    if (lane == 0) lengths[j] = sqrt(squares);
  }
  __syncthreads();
  Side u = o.left, r = o.right;
  if (u.at) u.at += blockIdx.x * u.stride;
  if (r.at) r.at += blockIdx.x * r.stride;
  for (int j = warp; j < n; j += warps) {
    const Real own = lengths[j];
    int place = j;
    if (o.sorted) {
      place = 0;
      for (int i = 0; i < n; ++i) place += lengths[i] > own || (lengths[i] == own && i < j);
    }
    if (lane == 0) {
      if (place < o.values) values[blockIdx.x * o.strideValues + place] = own / scale;
      empty[place] = own == 0;
    }
    if (u.at && place < u.count && own > 0)
      for (int i = lane; i < m; i += 32) u.at[i + (size_t)place * u.ld] = scaled(w[i + (size_t)j * m], 1 / own);
    if (r.at && place < r.count)
      for (int i = lane; i < n; i += 32) r.at[i + (size_t)place * r.ld] = v[i + j * n];
  }
  __syncthreads();
  if (u.at) complete(m, n, empty, u, u.at, parts);
  if (threadIdx.x > 0) return;
  infos[blockIdx.x] = sweep < o.sweeps || left == 0 ? 0 : n + 1;
  if (o.report) o.report[0] = left * norm / scale, o.report[1] = sweep;
}
/* How far matrices are from the product of what was found, in the norm of Frobenius: a block for each. */
KERNEL NAME(singular_residual)(int m, int n, const T *a, int lda, long long stride, int rank, const Real *s,
                               long long strideS, Side u, Side v, double *residuals) {
  a += blockIdx.x * stride, s += blockIdx.x * strideS;
  const T *left = u.at + blockIdx.x * u.stride, *right = v.at + blockIdx.x * v.stride;
  double squares = 0;
  for (int t = threadIdx.x; t < m * n; t += blockDim.x) {
    const int i = t % m, j = t / m;
    T rest = a[i + (size_t)j * lda];
    for (int k = 0; k < rank; ++k)
      rest -= scaled(left[i + (size_t)k * u.ld] * conjugated(right[j + (size_t)k * v.ld], true), s[k]);
    squares += square(rest);
  }
  squares = sumOverBlock(squares);
  if (threadIdx.x == 0) residuals[blockIdx.x] = sqrt(squares);
}
