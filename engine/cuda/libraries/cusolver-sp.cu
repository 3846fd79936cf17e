/*
 * L L' of sparse Hermitian matrices, and L U of those whose pivots are given: a block for a front, level by level of the
 * elimination tree. A front's memory holds `pivots` columns of L; of L U then as many rows of U, beside the pivots. What
 * is left goes to a square in a pool, which the front above takes in. Systems of a batch are blocks in y.
 */
#include "cusolver-sp.cuh"

template <bool symmetric>
__device__ inline void assemble(const Tree &t, const Front &f, const Entries &e, const T *values, T *factor, T *pool) {
  const int n = f.size, p = f.pivots, r = n - p, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  T *panel = factor + f.factor, *across = panel + n * p, *rest = pool + f.rest;
  for (int i = threadIdx.x; i < (symmetric ? n : n + r) * p; i += blockDim.x) panel[i] = T(0);
  for (int i = threadIdx.x; i < r * r; i += blockDim.x) rest[i] = T(0);
  __syncthreads();
  for (int k = f.entry + threadIdx.x; k < f.entryEnd; k += blockDim.x) {
    const int to = e.to[k];
    factor[to < 0 ? ~to : to] = conjugated(values[e.from[k]], to < 0);
  }
  for (int k = f.child; k < f.childEnd; ++k) {
    __syncthreads();
    const Front &child = t.fronts[t.children[k]];
    const int count = child.size - child.pivots;
    const int *relative = t.relative + child.list + child.pivots;
    const T *left = pool + child.rest;
    for (int c = warp; c < count; c += warps) {
      const int column = relative[c];
      for (int i = (symmetric ? c : 0) + lane; i < count; i += 32) {
        const int row = relative[i];
        T *to = column < p                ? panel + row + column * n
                : !symmetric && row < p ? across + column - p + row * r
                                        : rest + row - p + (column - p) * r;
        *to += left[i + c * count];
      }
    }
  }
  __syncthreads();
}
/* What is left when the pivots are eliminated: four columns by two rows for each lane. */
template <bool symmetric> __device__ inline void leave(const Front &f, const T *panel, T *rest) {
  constexpr int wide = 4, high = 2;
  const int n = f.size, p = f.pivots, r = n - p, last = r - 1, lane = threadIdx.x % 32;
  const T *across = panel + n * p;
  for (int c = wide * (threadIdx.x / 32); c < r; c += wide * (blockDim.x / 32)) {
    const int columns[wide] = {c, min(c + 1, last), min(c + 2, last), min(c + 3, last)};
    for (int i = (symmetric ? c : 0) + lane; i - lane < r; i += 32 * high) {
      const int rows[high] = {min(i, last), min(i + 32, last)};
      T sums[high][wide] = {};
      for (int k = 0; k < p; ++k) {
        const T *column = panel + p + k * n;
        const T below[high] = {column[rows[0]], column[rows[1]]};
        for (int w = 0; w < wide; ++w) {
          const T right = symmetric ? conjugated(column[columns[w]], true) : across[columns[w] + k * r];
          for (int h = 0; h < high; ++h) sums[h][w] += below[h] * right;
        }
      }
      for (int h = 0; h < high; ++h)
        for (int w = 0; w < wide; ++w)
          if (i + 32 * h < r && c + w < r) rest[i + 32 * h + (c + w) * r] -= sums[h][w];
    }
  }
}

KERNEL NAME(cholesky)(Tree t, Entries e, const T *values, T *factors, long long factorStride, T *pools,
                      long long poolStride) {
  const T *own = values + blockIdx.y * e.stride;
  T *factor = factors + blockIdx.y * factorStride, *pool = pools + blockIdx.y * poolStride;
  eachFront(t, false, [&](const Front &f) {
    assemble<true>(t, f, e, own, factor, pool);
    const int n = f.size, p = f.pivots, lane = threadIdx.x % 32;
    T *panel = factor + f.factor;
    for (int k = 0; k < p; ++k) {
      T *column = panel + k * n;
      const Real pivot = realPart(column[k]), root = pivot > 0 ? sqrt(pivot) : Real(0);
      __syncthreads();
      for (int i = k + threadIdx.x; i < n; i += blockDim.x)
        column[i] = i == k ? T(root) : root > 0 ? column[i] / T(root) : T(0);
      __syncthreads();
      for (int c = k + 1 + threadIdx.x / 32; c < p; c += blockDim.x / 32) {
        const T factor = conjugated(column[c], true);
        for (int i = c + lane; i < n; i += 32) panel[i + c * n] -= column[i] * factor;
      }
      __syncthreads();
    }
    leave<true>(f, panel, pool + f.rest);
  });
}

#if SOLVER_DOUBLE
/* Pivots below `zero` are replaced by `boost`, which is then noted. */
KERNEL NAME(lu)(Tree t, Entries e, const T *values, T *factors, long long factorStride, T *pools, long long poolStride,
                T zero, T boost, int *boosted) {
  const T *own = values + blockIdx.y * e.stride;
  T *factor = factors + blockIdx.y * factorStride, *pool = pools + blockIdx.y * poolStride;
  eachFront(t, false, [&](const Front &f) {
    assemble<false>(t, f, e, own, factor, pool);
    const int n = f.size, p = f.pivots, r = n - p, lane = threadIdx.x % 32;
    T *panel = factor + f.factor, *across = panel + n * p;
    for (int k = 0; k < p; ++k) {
      T *column = panel + k * n;
      T pivot = column[k];
      const bool isSmall = size(pivot) < zero;
      if (isSmall) pivot = boost;
      __syncthreads();
      if (isSmall && threadIdx.x == 0) column[k] = boost, *boosted = 1;
      for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) column[i] = column[i] / pivot;
      __syncthreads();
      for (int c = k + 1 + threadIdx.x / 32; c < p; c += blockDim.x / 32) {
        const T right = panel[k + c * n], below = column[c];
        for (int i = k + 1 + lane; i < n; i += 32) panel[i + c * n] -= column[i] * right;
        for (int i = lane; i < r; i += 32) across[i + c * r] -= below * across[i + k * r];
      }
      __syncthreads();
    }
    leave<false>(f, panel, pool + f.rest);
  });
}
/* L and U in one matrix. */
KERNEL NAME(bundle)(int n, const int *places, const T *factor, T *to) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = factor[places[i]];
}
#endif

/* L y = x in x's place: the first warp of a front's block has the pivots, all of them what is below. */
KERNEL NAME(forward)(Tree t, int isLu, const T *factors, long long factorStride, T *vectors, long long vectorStride,
                     T *updates, long long updateStride) {
  const T *factor = factors + blockIdx.y * factorStride;
  T *x = vectors + blockIdx.y * vectorStride, *update = updates + blockIdx.y * updateStride;
  eachFront(t, false, [&](const Front &f) {
    const int n = f.size, p = f.pivots, r = n - p, lane = threadIdx.x;
    const T *panel = factor + f.factor;
    T *own = x + f.first, *left = update + f.update;
    for (int i = threadIdx.x; i < r; i += blockDim.x) left[i] = T(0);
    for (int k = f.child; k < f.childEnd; ++k) {
      __syncthreads();
      const Front &child = t.fronts[t.children[k]];
      const int *relative = t.relative + child.list + child.pivots;
      for (int i = threadIdx.x; i < child.size - child.pivots; i += blockDim.x) {
        const int row = relative[i];
        *(row < p ? own + row : left + row - p) += update[child.update + i];
      }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
      T y = lane < p ? own[lane] : T(0);
      for (int k = 0; k < p; ++k) {
        if (!isLu && lane == k) y = y / panel[k + k * n];
        const T done = fromLane(y, k);
        if (lane > k && lane < p) y -= panel[lane + k * n] * done;
      }
      if (lane < p) own[lane] = y;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < r; i += blockDim.x) {
      T sum = left[i];
      for (int k = 0; k < p; ++k) sum -= panel[p + i + k * n] * own[k];
      left[i] = sum;
    }
  });
}

/* L' x = y, or U x = y, in y's place. */
KERNEL NAME(backward)(Tree t, int isLu, const T *factors, long long factorStride, T *vectors, long long vectorStride) {
  const T *factor = factors + blockIdx.y * factorStride;
  T *x = vectors + blockIdx.y * vectorStride;
  eachFront(t, true, [&](const Front &f) {
    const int n = f.size, p = f.pivots, r = n - p, lane = threadIdx.x % 32;
    const T *panel = factor + f.factor, *across = panel + n * p;
    const int *columns = t.columns + f.list + p;
    T *own = x + f.first;
    for (int k = threadIdx.x / 32; k < p; k += blockDim.x / 32) {
      T sum = 0;
      for (int i = lane; i < r; i += 32)
        sum += (isLu ? across[i + k * r] : conjugated(panel[p + i + k * n], true)) * x[columns[i]];
      sum = sumOverLanes(sum, 32);
      if (lane == 0) own[k] -= sum;
    }
    __syncthreads();
    if (threadIdx.x >= 32) return;
    T y = lane < p ? own[lane] : T(0);
    for (int k = p - 1; k >= 0; --k) {
      if (lane == k) y = y / panel[k + k * n];
      const T done = fromLane(y, k);
      if (lane < k) y -= (isLu ? panel[lane + k * n] : conjugated(panel[k + lane * n], true)) * done;
    }
    if (lane < p) own[lane] = y;
  });
}
