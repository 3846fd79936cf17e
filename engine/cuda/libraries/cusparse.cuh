/* Matrices as cuSPARSE's kernels get them; `cusparse-matrices.ts` writes them. */
#pragma once
#include "numbers.cuh"
#define KERNEL extern "C" __global__ void
#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

/*
 * Compressed rows; compressed columns are the rows of the transposed matrix. Where `offsets` is null, each entry is a
 * row of its own, whose number is in `rowIndices`.
 */
struct Sparse {
  const void *offsets, *rowIndices, *indices, *values;
  /* From matrix to matrix of a batch. */
  long long offsetStride, entryStride;
  int rows, columns, entries, base;
  /* Integers of 64 bits. */
  int wideOffsets, wideIndices;
};
/* Element (i, j) lies at i * rowStep + j * columnStep. */
struct Dense {
  void *values;
  long long rowStep, columnStep, batchStride;
  int rows, columns;
};

__device__ inline int integerAt(const void *p, int wide, long long i) {
  return wide ? (int)((const long long *)p)[i] : ((const int *)p)[i];
}
__device__ inline int offsetAt(const Sparse &a, int row, int batch) {
  return integerAt(a.offsets, a.wideOffsets, batch * a.offsetStride + row) - a.base;
}
__device__ inline int indexAt(const Sparse &a, int entry, int batch) {
  return integerAt(a.indices, a.wideIndices, batch * a.entryStride + entry) - a.base;
}
/* What is walked through at once: a row, or an entry that is a row of its own. */
__device__ inline int walks(const Sparse &a) { return a.offsets ? a.rows : a.entries; }
struct Walk {
  int row, begin, end;
};
__device__ inline Walk walkOf(const Sparse &a, int i, int batch) {
  if (a.offsets) return {i, offsetAt(a, i, batch), offsetAt(a, i + 1, batch)};
  return {integerAt(a.rowIndices, a.wideIndices, batch * a.entryStride + i) - a.base, i, i + 1};
}
template <class T> __device__ inline const T *valuesOf(const Sparse &a, int batch) {
  return (const T *)a.values + batch * a.entryStride;
}
template <class T> __device__ inline T *valuesOf(const Dense &a, int batch) {
  return (T *)a.values + batch * a.batchStride;
}
