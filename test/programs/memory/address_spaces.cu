// Generic pointers: one function reading global, shared, local and constant memory; __isShared and its relatives.
#include "../check.h"

__constant__ int constants[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int globals[8] = {2, 7, 1, 8, 2, 8, 1, 8};

__noinline__ __device__ int dot(const int *a, const int *b) {
  int s = 0;
  for (int k = 0; k < 8; ++k) s += a[k] * b[k];
  return s;
}

__global__ void kernel(int *out) {
  __shared__ int shared[8];
  int local[8];
  const int i = threadIdx.x;
  for (int k = 0; k < 8; ++k) local[(k + i) & 7] = k + i;
  if (i < 8) shared[i] = i * i;
  __syncthreads();
  const int *spaces[4] = {constants, globals, shared, local};
  out[i * 2] = dot(spaces[i & 3], spaces[(i >> 2) & 3]);
  out[i * 2 + 1] = (__isShared(shared) != 0) | (__isGlobal(globals) != 0) << 1 | (__isLocal(local) != 0) << 2 | (__isShared(globals) != 0) << 3 | (__isGlobal(shared) != 0) << 4;
}

int main() {
  Device<int> out(128);
  kernel<<<1, 64>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    int spaces[4][8] = {{3, 1, 4, 1, 5, 9, 2, 6}, {2, 7, 1, 8, 2, 8, 1, 8}};
    for (int k = 0; k < 8; ++k) spaces[2][k] = k * k, spaces[3][(k + i) & 7] = k + i;
    int e = 0;
    for (int k = 0; k < 8; ++k) e += spaces[i & 3][k] * spaces[(i >> 2) & 3][k];
    same("dot", i, got[i * 2], e);
    same("space", i, got[i * 2 + 1], 7);
  }
  return finish();
}
