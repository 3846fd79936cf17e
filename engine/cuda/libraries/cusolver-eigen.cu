/*
 * Eigenvalues of Hermitian matrices: a tridiagonal matrix by reflectors and its values by the implicit QL method, or all
 * by Jacobi's rotations. `cusolver-eigen.ts` launches these kernels and knows their parameters.
 */
#include "cusolver-numbers.cuh"

/*
 * A Hermitian matrix, of which column after column becomes tridiagonal. The last reflector's two vectors are taken from
 * the matrix when the next one is multiplied with it: A - v w' - w v'.
 */
struct Tridiagonal {
  int n;
  T *a, *tau, *w, *y;
  Real *d, *e;
};
/* Column k as the reflectors before it leave it, and its own: one block. */
__device__ inline void tridiagonalColumn(const Tridiagonal &t, int k) {
  const int n = t.n;
  T *column = t.a + (size_t)k * n;
  if (k > 0) {
    const T *v = column - n, tau = t.tau[k - 1];
    T product = 0;
    for (int i = k + threadIdx.x; i < n; i += blockDim.x) product += conjugated(t.y[i], true) * v[i];
    product = sumOverBlock(product);
    const T part = scaled(tau * conjugated(tau, true) * product, Real(-0.5));
    for (int i = k + threadIdx.x; i < n; i += blockDim.x) t.w[i] = tau * t.y[i] + part * v[i];
    __syncthreads();
    const T wk = conjugated(t.w[k], true);
    for (int i = k + threadIdx.x; i < n; i += blockDim.x) column[i] -= v[i] * wk + t.w[i];
    __syncthreads();
  }
  if (threadIdx.x == 0) t.d[k] = realPart(column[k]);
  if (k + 1 < n) reflector(n - k - 1, column + k + 1, t.tau + k, t.e + k);
}
/* The rest of the matrix without the last reflector, and its product with the vector of reflector k: a warp for a column. */
__device__ inline void tridiagonalRest(const Tridiagonal &t, int k, int warp, int warps) {
  const int n = t.n, lane = threadIdx.x % 32;
  const T *v = t.a + (size_t)k * n, *last = v - n;
  for (int j = k + 1 + warp; j < n; j += warps) {
    T *column = t.a + (size_t)j * n, sum = 0;
    if (k > 0) {
      const T wj = conjugated(t.w[j], true), vj = conjugated(last[j], true);
      for (int i = k + 1 + lane; i < n; i += 32) {
        const T value = column[i] - last[i] * wj - t.w[i] * vj;
        column[i] = value;
        sum += conjugated(value, true) * v[i];
      }
    } else
      for (int i = k + 1 + lane; i < n; i += 32) sum += conjugated(column[i], true) * v[i];
    sum = sumOverLanes(sum, 32);
    if (lane == 0) t.y[j] = sum;
  }
}
/* All of it by one block, or its two parts for a column of a larger matrix. */
KERNEL NAME(tridiagonal)(Tridiagonal t) {
  for (int k = 0; k < t.n; ++k) {
    tridiagonalColumn(t, k);
    tridiagonalRest(t, k, threadIdx.x / 32, blockDim.x / 32);
    __syncthreads();
  }
}
KERNEL NAME(tridiagonal_column)(Tridiagonal t, int k) { tridiagonalColumn(t, k); }
KERNEL NAME(tridiagonal_rest)(Tridiagonal t, int k) {
  tridiagonalRest(t, k, (blockIdx.x * blockDim.x + threadIdx.x) / 32, gridDim.x * blockDim.x / 32);
}

/* The two values of rows l and l + 1, the larger one first. By one thread. */
__device__ inline void lastTwo(int l, Real *d, Real *e, Rotation *rotation) {
  const Real a = d[l], b = e[l], c = d[l + 1], sum = a + c, root = sqrt((a - c) * (a - c) + 4 * b * b);
  const Real away = signOf(sum) * root, first = (sum + away) / 2;
  const bool fromFirst = (a >= c) == (sum >= 0);
  const Real x = fromFirst ? (a - c + away) / 2 : b, y = fromFirst ? b : (c - a + away) / 2, length = sqrt(x * x + y * y);
  d[l] = first;
  d[l + 1] = first == 0 ? 0 : a / first * c - b / first * b;
  e[l] = 0;
  if (rotation) *rotation = {x / length, y / length, l, l + 1};
}
/* One implicit QL step of rows l to m, which leaves its rotations; so many of them. By one thread. */
__device__ inline int qlStep(int l, int m, Real *d, Real *e, Rotation *rotations) {
  if (m == l + 1) {
    lastTwo(l, d, e, rotations);
    return 1;
  }
  const Real half = (d[l + 1] - d[l]) / (2 * e[l]), length = sqrt(half * half + 1);
  Real g = d[m] - d[l] + e[l] / (half + (half < 0 ? -length : length)), c = 1, s = 1, taken = 0;
  for (int i = m - 1; i >= l; --i) {
    const Real f = s * e[i], b = c * e[i], r = signOf(g) * sqrt(f * f + g * g);
    e[i + 1] = r;
    if (r == 0) {
      d[i + 1] -= taken;
      e[m] = 0;
      return m - 1 - i;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - taken;
    const Real q = (d[i] - g) * s + 2 * c * b;
    taken = s * q;
    d[i + 1] = g + taken;
    g = c * q - b;
    if (rotations) rotations[m - 1 - i] = {c, s, i + 1, i};
  }
  d[l] -= taken;
  e[l] = g;
  e[m] = 0;
  return m - l;
}
/* Steps until all numbers beside the diagonal are nothing, or there is no room for more rotations. One warp. */
KERNEL NAME(tridiagonal_ql)(int n, Real *d, Real *e, Rotation *rotations, int room, Iteration *iteration, int *info) {
  constexpr int mostTries = 60;
  const int lane = threadIdx.x;
  int l = iteration->at, tries = iteration->tries, count = 0, wrong = 0;
  if (lane == 0) e[n - 1] = 0;
  __syncwarp();
  while (l < n) {
    int m = l;
    for (unsigned small = 0; small == 0;) {
      const int i = m + lane;
      small = __ballot_sync(0xffffffffu, i >= n - 1 || fabs(e[i]) <= epsilon * (fabs(d[i]) + fabs(d[i + 1])) + nothing);
      m += small ? __ffs(small) - 1 : 32;
    }
    if (m == l || tries == mostTries) {
      wrong += m != l;
      ++l, tries = 0;
      continue;
    }
    if (rotations && count + m - l > room) break;
    ++tries;
    const int more = lane == 0 ? qlStep(l, m, d, e, rotations ? rotations + count : nullptr) : 0;
    __syncwarp();
    count += fromLane(more, 0);
  }
  if (lane > 0) return;
  *iteration = {l, tries, count, l == n};
  *info += wrong;
}

/* Two numbers of a round in which each meets another one, of n or of one more: then the last has none to meet. */
__device__ inline void pairOf(int round, int k, int n, int &p, int &q) {
  const int all = n + n % 2 - 1, a = k == 0 ? all : (round + k) % all, b = (round + all - k) % all;
  p = min(a, b), q = max(a, b);
}
/*
 * Jacobi's rotations of a Hermitian matrix: a block for each matrix of a batch. `report`: how much is left beside the
 * diagonal, and the number of sweeps. Rotations are those of small angles, so that values without an order stay in that
 * of the diagonal. V takes the matrix's place.
 */
struct Jacobi {
  T *work;
  int part, vectors, sorted, sweeps;
  double tolerance;
  double *report;
};
KERNEL NAME(jacobi)(int n, T *matrices, int lda, long long stride, Real *values, int *infos, Jacobi j) {
  const int half = (n + 1) / 2, rounds = n + n % 2 - 1;
  T *a = matrices + blockIdx.x * stride, *v = j.work + (size_t)blockIdx.x * (2 * (size_t)n * n + 2 * n);
  T *turns = v + (size_t)n * n;
  Real *cosines = (Real *)(turns + half), *w = values + (size_t)blockIdx.x * n;
  T *copy = turns + 2 * n;
  Real most = 0;
  for (int t = threadIdx.x; t < n * n; t += blockDim.x) {
    const int x = t % n, y = t / n;
    const bool there = j.part == 1 ? x >= y : x <= y;
    const T value = there ? a[x + (size_t)y * lda] : conjugated(a[y + (size_t)x * lda], true);
    copy[t] = x == y ? T(realPart(value)) : value;
    v[t] = T(x == y ? 1 : 0);
    most = fmax(most, size(value));
  }
  const Real scale = scaleOverBlock(most);
  for (int t = threadIdx.x; t < n * n; t += blockDim.x) copy[t] = scaled(copy[t], scale);
  __syncthreads();
  int sweep = 0;
  Real left;
  bool done;
  for (;; ++sweep) {
    Real all = 0, off = 0;
    for (int t = threadIdx.x; t < n * n; t += blockDim.x) {
      const Real s = square(copy[t]);
      all += s;
      if (t % n != t / n) off += s;
    }
    all = sumOverBlock(all), off = sumOverBlock(off);
    left = sqrt(off);
    done = left <= Real(j.tolerance) * sqrt(all);
    if (done || sweep == j.sweeps) break;
    for (int round = 0; round < rounds; ++round) {
      for (int k = threadIdx.x; k < half; k += blockDim.x) {
        int p, q;
        pairOf(round, k, n, p, q);
        const T apq = q < n ? copy[p + q * n] : T(0);
        const Real length = sqrt(square(apq));
        Real c = 1;
        T turn = 0;
        if (length > 0) {
          const Real tau = (realPart(copy[q + q * n]) - realPart(copy[p + p * n])) / (2 * length);
          const Real t = signOf(tau) / (fabs(tau) + sqrt(1 + tau * tau));
          c = 1 / sqrt(1 + t * t);
          turn = scaled(apq, t * c / length);
        }
        cosines[k] = c, turns[k] = turn;
      }
      __syncthreads();
      for (int t = threadIdx.x; t < half * half; t += blockDim.x) {
        const int k = t % half, l = t / half;
        int p, q, r, s;
        pairOf(round, k, n, p, q);
        pairOf(round, l, n, r, s);
        const Real ck = cosines[k], cl = cosines[l];
        const T zk = turns[k], zl = turns[l];
        T pr = copy[p + r * n], qr = q < n ? copy[q + r * n] : T(0);
        T ps = s < n ? copy[p + s * n] : T(0), qs = q < n && s < n ? copy[q + s * n] : T(0);
        const T pr1 = scaled(pr, cl) - conjugated(zl, true) * ps, ps1 = zl * pr + scaled(ps, cl);
        const T qr1 = scaled(qr, cl) - conjugated(zl, true) * qs, qs1 = zl * qr + scaled(qs, cl);
        pr = scaled(pr1, ck) - zk * qr1, qr = conjugated(zk, true) * pr1 + scaled(qr1, ck);
        ps = scaled(ps1, ck) - zk * qs1, qs = conjugated(zk, true) * ps1 + scaled(qs1, ck);
        if (k == l) pr = T(realPart(pr)), qs = T(realPart(qs)), ps = qr = T(0);
        copy[p + r * n] = pr;
        if (q < n) copy[q + r * n] = qr;
        if (s < n) copy[p + s * n] = ps;
        if (q < n && s < n) copy[q + s * n] = qs;
      }
      if (j.vectors)
        for (int t = threadIdx.x; t < half * n; t += blockDim.x) {
          const int i = t % n, k = t / n;
          int p, q;
          pairOf(round, k, n, p, q);
          if (q >= n) continue;
          const T x = v[i + p * n], y = v[i + q * n];
          v[i + p * n] = scaled(x, cosines[k]) - conjugated(turns[k], true) * y;
          v[i + q * n] = turns[k] * x + scaled(y, cosines[k]);
        }
      __syncthreads();
    }
  }
  for (int t = threadIdx.x / 32; t < n; t += blockDim.x / 32) {
    const Real own = realPart(copy[t + t * n]);
    int place = t;
    if (j.sorted) {
      place = 0;
      for (int i = 0; i < n; ++i) {
        const Real other = realPart(copy[i + i * n]);
        place += other < own || (other == own && i < t);
      }
    }
    if (threadIdx.x % 32 == 0) w[place] = own / scale;
    if (j.vectors)
      for (int i = threadIdx.x % 32; i < n; i += 32) a[i + (size_t)place * lda] = v[i + t * n];
  }
  if (threadIdx.x > 0) return;
  infos[blockIdx.x] = done ? 0 : n + 1;
  if (j.report) j.report[0] = left / scale, j.report[1] = sweep;
}

/* The missing triangle of a Hermitian matrix, in its own place. */
KERNEL NAME(eigen_mirror)(int n, T *a, int lda, int part) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= n) return;
  if (i == j) a[i + (size_t)j * lda] = T(realPart(a[i + (size_t)j * lda]));
  else if (part == 1 ? i > j : i < j) a[j + (size_t)i * lda] = conjugated(a[i + (size_t)j * lda], true);
}
/* The conjugate transpose of a square matrix. */
KERNEL NAME(eigen_transpose)(int n, const T *a, int lda, T *target, int ld) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i < n) target[i + (size_t)j * ld] = conjugated(a[j + (size_t)i * lda], true);
}
/* The product of a triangle, as it is read, and columns: a warp for a column, which is replaced from the end that nothing needs any more. */
KERNEL NAME(eigen_triangle)(int n, int columns, const T *t, long long rowStep, long long columnStep, int conjugate,
                            int isLower, T *b, int ldb) {
  const int lane = threadIdx.x % 32, j = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (j >= columns) return;
  T *x = b + (size_t)j * ldb;
  for (int s = 0; s < n; ++s) {
    const int i = isLower ? n - 1 - s : s, first = isLower ? 0 : i, end = isLower ? i + 1 : n;
    T sum = 0;
    for (int k = first + lane; k < end; k += 32)
      sum += conjugated(t[i * rowStep + k * columnStep], conjugate) * x[k];
    sum = sumOverLanes(sum, 32);
    __syncwarp();
    if (lane == 0) x[i] = sum;
    __syncwarp();
  }
}
