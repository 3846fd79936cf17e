// What modules.cu loads.
#include "shape.h"
__constant__ float factor = 2;
__device__ int calls;

extern "C" __global__ void scale(float *values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
  if (i == 0) atomicAdd(&calls, 1);
}

extern "C" __global__ void place(Shape shape, char tag, double *out) {
  extern __shared__ double parts[];
  parts[threadIdx.x] = shape.width * shape.height + tag;
  __syncthreads();
  out[threadIdx.x] = parts[blockDim.x - 1 - threadIdx.x] + threadIdx.x;
}

extern "C" __global__ void __launch_bounds__(128) bounded(int *out) {
  __shared__ int rows[256];
  rows[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = rows[127 - threadIdx.x];
}
