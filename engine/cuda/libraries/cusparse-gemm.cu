/*
 * The kernels behind cuSPARSE's product of two sparse matrices, with compressed rows: a warp for each row of the result.
 * A row has twice as many places as there are products; they are found by a hash of the column, put together, sorted and
 * copied. `cusparse-gemm.ts` launches them.
 */
#include "cusparse.cuh"

#define EACH_TYPE(OF)                                                                                                  \
  OF(s, float)                                                                                                         \
  OF(d, double)                                                                                                        \
  OF(c, Complex<float>)                                                                                                \
  OF(z, Complex<double>)

__device__ inline int rowOfWarp() { return blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; }

/* places[row] = twice the number of products. */
KERNEL cusparse_gemm_products(Sparse a, Sparse b, int *places) {
  const int row = rowOfWarp();
  if (row >= a.rows) return;
  int sum = 0;
  for (int k = offsetAt(a, row, 0) + threadIdx.x % 32; k < offsetAt(a, row + 1, 0); k += 32) {
    const int inner = indexAt(a, k, 0);
    sum += offsetAt(b, inner + 1, 0) - offsetAt(b, inner, 0);
  }
  sum = sumOverLanes(sum, 32);
  if (threadIdx.x % 32 == 0) places[row] = 2 * sum;
}

/* Adds products up by their columns; keys are -1 and sums 0 before. */
template <class T>
__device__ inline void accumulate(const Sparse &a, const Sparse &b, const int *starts, int *keys, T *sums, T alpha) {
  const int row = rowOfWarp();
  if (row >= a.rows) return;
  const int start = starts[row], places = starts[row + 1] - start;
  const T *left = valuesOf<T>(a, 0), *right = valuesOf<T>(b, 0);
  for (int k = offsetAt(a, row, 0); k < offsetAt(a, row + 1, 0); ++k) {
    const int inner = indexAt(a, k, 0);
    const T factor = alpha * left[k];
    for (int l = offsetAt(b, inner, 0) + threadIdx.x % 32; l < offsetAt(b, inner + 1, 0); l += 32) {
      const int column = indexAt(b, l, 0);
      int at = (int)((unsigned)column * 2654435761u % (unsigned)places);
      for (;;) {
        const int found = atomicCAS(&keys[start + at], -1, column);
        if (found == -1 || found == column) break;
        if (++at == places) at = 0;
      }
      addAtomically(&sums[start + at], factor * right[l]);
    }
    __syncwarp();
  }
}
/* Moves what a row has to the beginning of its places, and counts it. */
template <class T> __device__ inline void gatherRow(int rows, const int *starts, int *keys, T *sums, int *counts) {
  const int row = rowOfWarp(), lane = threadIdx.x % 32;
  if (row >= rows) return;
  const int start = starts[row], end = starts[row + 1];
  int to = start;
  for (int from = start; from < end; from += 32) {
    const int key = from + lane < end ? keys[from + lane] : -1;
    const T sum = key >= 0 ? sums[from + lane] : T(0);
    const unsigned found = __ballot_sync(0xffffffffu, key >= 0);
    const int at = to + __popc(found & ((1u << lane) - 1));
    if (key >= 0) keys[at] = key, sums[at] = sum;
    to += __popc(found);
    __syncwarp();
  }
  if (lane == 0) counts[row] = to - start;
}
template <class T> __device__ inline void exchange(int *keys, T *sums, int i, int j) {
  const int a = keys[i], b = keys[j];
  if (a <= b) return;
  const T p = sums[i];
  keys[i] = b, keys[j] = a;
  sums[i] = sums[j], sums[j] = p;
}
/* By a bitonic network: what is missing to a power of two counts as larger than all. */
template <class T> __device__ inline void sortRow(int rows, const int *starts, const int *counts, int *keys, T *sums) {
  const int row = rowOfWarp(), lane = threadIdx.x % 32;
  if (row >= rows) return;
  const int n = counts[row];
  keys += starts[row], sums += starts[row];
  for (int size = 2; size < 2 * n; size *= 2) {
    for (int i = lane; i < n; i += 32) {
      const int j = i ^ (size - 1);
      if (j > i && j < n) exchange(keys, sums, i, j);
    }
    __syncwarp();
    for (int step = size / 4; step > 0; step /= 2) {
      for (int i = lane; i < n; i += 32) {
        const int j = i ^ step;
        if (j > i && j < n) exchange(keys, sums, i, j);
      }
      __syncwarp();
    }
  }
}
template <class T>
__device__ inline void copyRow(int rows, const int *starts, const int *from, const int *keys, const T *sums,
                               int *offsets, int *columns, T *values, int base) {
  const int row = rowOfWarp();
  if (row >= rows) return;
  const int begin = from[row], count = from[row + 1] - begin;
  for (int i = threadIdx.x % 32; i < count; i += 32) {
    columns[begin + i] = keys[starts[row] + i] + base;
    values[begin + i] = sums[starts[row] + i];
  }
  if (threadIdx.x % 32 != 0) return;
  offsets[row + 1] = from[row + 1] + base;
  if (row == 0) offsets[0] = base;
}
#define GEMM(X, T)                                                                                                     \
  KERNEL cusparse_##X##gemm_accumulate(Sparse a, Sparse b, const int *starts, int *keys, T *sums, const void *alphaAt, \
                                       T alpha) {                                                                      \
    accumulate<T>(a, b, starts, keys, sums, scalar(alpha, alphaAt));                                                   \
  }                                                                                                                    \
  KERNEL cusparse_##X##gemm_gather(int rows, const int *starts, int *keys, T *sums, int *counts) {                     \
    gatherRow<T>(rows, starts, keys, sums, counts);                                                                    \
  }                                                                                                                    \
  KERNEL cusparse_##X##gemm_sort(int rows, const int *starts, const int *counts, int *keys, T *sums) {                 \
    sortRow<T>(rows, starts, counts, keys, sums);                                                                      \
  }                                                                                                                    \
  KERNEL cusparse_##X##gemm_copy(int rows, const int *starts, const int *from, const int *keys, const T *sums,         \
                                 int *offsets, int *columns, T *values, int base) {                                    \
    copyRow<T>(rows, starts, from, keys, sums, offsets, columns, values, base);                                        \
  }
EACH_TYPE(GEMM)
