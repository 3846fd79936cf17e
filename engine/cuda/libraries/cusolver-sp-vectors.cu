/* What sparse solvers do with vectors: numbers in another order, and those that lie anywhere in a factor. */
#include "cusolver-sp.cuh"
#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

KERNEL NAME(gather)(int n, const int *order, const T *from, long long fromStride, T *to, long long toStride) {
  EACH(i, n) to[blockIdx.y * toStride + i] = from[blockIdx.y * fromStride + order[i]];
}
KERNEL NAME(scatter)(int n, const int *order, const T *from, long long fromStride, T *to, long long toStride) {
  EACH(i, n) to[blockIdx.y * toStride + order[i]] = from[blockIdx.y * fromStride + i];
}
/* Real parts: L's diagonal has no others. */
KERNEL NAME(diagonal)(int n, const int *places, const T *factor, Real *to) {
  EACH(i, n) to[i] = realPart(factor[places[i]]);
}
