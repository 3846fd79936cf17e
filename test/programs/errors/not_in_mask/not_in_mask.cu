// A binary scan with the mask of the lanes before: it does not name the lane that votes, which is an illegal instruction on an H200. The same
// with the lane itself is legal as far as that goes.
// Needs compute capability 7.0.
#include <cstdio>

__global__ void prefix(const int *in, unsigned *out, int own) {
  const unsigned lane = threadIdx.x & 31, mask = ((1 + own) << lane) - 1;
  if (own) out[lane] = __shfl_sync(mask, in[lane], lane);
  else out[lane] = __popc(__ballot_sync(mask, in[lane] > 0));
}
int main() {
  int *in;
  unsigned *out;
  cudaMalloc(&in, 32 * sizeof *in);
  cudaMalloc(&out, 32 * sizeof *out);
  cudaMemset(in, 1, 32 * sizeof *in);
  prefix<<<1, 32>>>(in, out, 1);
  printf("own lane: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  prefix<<<1, 32>>>(in, out, 0);
  const cudaError_t error = cudaDeviceSynchronize();
  printf("lanes before: %s, %d\n", cudaGetErrorName(error), error);
  return 0;
}
