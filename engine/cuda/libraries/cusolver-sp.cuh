/* Fronts of sparse factorizations as kernels get them; `cusolver-sp-device.ts` writes them. */
#pragma once
#include "typed.cuh"
#define JOINED(X, REST) cusolver_sp_##X##REST

/* Places are those of numbers. */
struct Front {
  /* Columns of A from `first` on, `pivots` of them, and `size` in all, in `columns` from `list` on. */
  int first, pivots, size, list;
  int factor, rest, update;
  int child, childEnd, entry, entryEnd;
  /* Of Q R: rows in `rows` from `rowList` on. */
  int height, rowList, reflectors, taus, shift, shiftEnd, unused;
};
struct Tree {
  const Front *fronts;
  const int *order, *starts, *columns, *relative, *children;
  /* Levels of a launch. */
  int first, end;
};
struct Entries {
  const int *from, *to;
  long long stride;
};

/* Does something for each front of the levels, a block for each, in the order of the tree or back. */
template <class Act> __device__ inline void eachFront(const Tree &t, bool back, const Act &act) {
  for (int l = t.first; l < t.end; ++l) {
    const int level = back ? t.first + t.end - 1 - l : l, end = t.starts[level + 1];
    for (int i = t.starts[level] + blockIdx.x; i < end; i += gridDim.x) {
      act(t.fronts[t.order[i]]);
      __syncthreads();
    }
  }
}
