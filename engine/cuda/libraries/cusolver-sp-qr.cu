/*
 * Q R of sparse matrices by reflectors: a block for a front, level by level of the columns' elimination tree. A front's rows
 * are sorted by where they begin, so a reflector has those of its stair. Rows that are left go to the front above.
 */
#include "cusolver-sp.cuh"

struct Rows {
  const int *rows, *to, *stairs, *shifts;
};

__device__ inline void assembleRows(const Tree &t, const Rows &rows, const Front &f, const Entries &e, const T *values,
                                    T *factor, T mu) {
  const int m = f.height, n = f.size, lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  T *front = factor + f.factor;
  for (int i = threadIdx.x; i < m * n; i += blockDim.x) front[i] = T(0);
  __syncthreads();
  for (int k = f.entry + threadIdx.x; k < f.entryEnd; k += blockDim.x) factor[e.to[k]] = values[e.from[k]];
  __syncthreads();
  for (int k = f.shift + threadIdx.x; k < f.shiftEnd; k += blockDim.x) factor[rows.shifts[k]] -= mu;
  for (int k = f.child; k < f.childEnd; ++k) {
    const Front &child = t.fronts[t.children[k]];
    const int *to = rows.to + child.rowList;
    for (int c = child.pivots + warp; c < child.size; c += warps) {
      T *target = front + t.relative[child.list + c] * m;
      const T *left = factor + child.factor + c * child.height;
      /* Below the diagonal are vectors, where there are more reflectors than pivots. */
      const int end = child.reflectors > child.pivots ? min(c + 1, child.height) : child.height;
      for (int i = child.pivots + lane; i < end; i += 32) target[to[i]] = left[i];
    }
  }
  __syncthreads();
}

/* A reflector that leaves the first of so many numbers of a column: 0 where there is nothing to do. */
__device__ inline T reflector(T *column, int count) {
  Real sum = 0;
  for (int i = 1 + threadIdx.x; i < count; i += blockDim.x) sum += square(column[i]);
  sum = sumOverBlock(sum);
  const T alpha = column[0];
  __syncthreads();
  if (sum == 0 && imaginaryPart(alpha) == 0) return T(0);
  const Real length = sqrt(square(alpha) + sum), beta = realPart(alpha) >= 0 ? -length : length;
  const T divisor = alpha - T(beta);
  for (int i = threadIdx.x; i < count; i += blockDim.x) column[i] = i == 0 ? T(beta) : column[i] / divisor;
  __syncthreads();
  return -divisor / T(beta);
}

KERNEL NAME(qr)(Tree t, Rows rows, Entries e, const T *values, T *factors, long long factorStride, T *tausOf,
                long long tausStride, T mu) {
  const T *own = values + blockIdx.y * e.stride;
  T *factor = factors + blockIdx.y * factorStride, *taus = tausOf + blockIdx.y * tausStride;
  const int lane = threadIdx.x % 32;
  eachFront(t, false, [&](const Front &f) {
    assembleRows(t, rows, f, e, own, factor, mu);
    const int m = f.height, n = f.size;
    T *front = factor + f.factor;
    for (int j = 0; j < f.reflectors; ++j) {
      const int count = rows.stairs[f.list + j] - j;
      T *column = front + j + j * m;
      const T tau = count > 0 ? reflector(column, count) : T(0);
      if (threadIdx.x == 0) taus[f.taus + j] = tau;
      if (tau == T(0)) continue;
      for (int c = j + 1 + threadIdx.x / 32; c < n; c += blockDim.x / 32) {
        T *other = front + j + c * m;
        T sum = 0;
        for (int i = lane; i < count; i += 32) sum += i == 0 ? other[0] : conjugated(column[i], true) * other[i];
        sum = sumOverLanes(sum, 32) * conjugated(tau, true);
        for (int i = lane; i < count; i += 32) other[i] -= i == 0 ? sum : column[i] * sum;
      }
      __syncthreads();
    }
  });
}

/* Q' w in w's place, a warp for a front; the first numbers of each are what R x is. */
KERNEL NAME(qr_forward)(Tree t, Rows rows, const T *factors, long long factorStride, const T *tausOf,
                        long long tausStride, T *sides, long long sideStride, T *vectors, long long vectorStride) {
  const T *factor = factors + blockIdx.y * factorStride, *taus = tausOf + blockIdx.y * tausStride;
  T *w = sides + blockIdx.y * sideStride, *x = vectors + blockIdx.y * vectorStride;
  const int lane = threadIdx.x;
  eachFront(t, false, [&](const Front &f) {
    const int *own = rows.rows + f.rowList;
    for (int j = 0; j < f.reflectors; ++j) {
      const int count = rows.stairs[f.list + j] - j;
      const T tau = taus[f.taus + j], *column = factor + f.factor + j + j * f.height;
      if (tau == T(0)) continue;
      T sum = 0;
      for (int i = lane; i < count; i += 32)
        sum += (i == 0 ? T(1) : conjugated(column[i], true)) * w[own[j + i]];
      sum = sumOverLanes(sum, 32) * conjugated(tau, true);
      for (int i = lane; i < count; i += 32) w[own[j + i]] -= (i == 0 ? T(1) : column[i]) * sum;
      __syncwarp();
    }
    if (lane < f.pivots) x[f.first + lane] = lane < f.height ? w[own[lane]] : T(0);
  });
}

/* R x = y in y's place. */
KERNEL NAME(qr_backward)(Tree t, const T *factors, long long factorStride, T *vectors, long long vectorStride) {
  const T *factor = factors + blockIdx.y * factorStride;
  T *x = vectors + blockIdx.y * vectorStride;
  eachFront(t, true, [&](const Front &f) {
    const int m = f.height, p = f.pivots, lane = threadIdx.x;
    const T *front = factor + f.factor;
    const int *columns = t.columns + f.list;
    T y = lane < p ? x[f.first + lane] : T(0);
    for (int c = p; c < f.size; ++c) {
      const T above = x[columns[c]];
      if (lane < p) y -= front[lane + c * m] * above;
    }
    for (int k = p - 1; k >= 0; --k) {
      if (lane == k) y = y / front[k + k * m];
      const T done = fromLane(y, k);
      if (lane < k) y -= front[lane + k * m] * done;
    }
    if (lane < p) x[f.first + lane] = y;
  });
}
