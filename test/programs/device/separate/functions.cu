#include "parts.h"

__device__ int counter = 5;
__device__ float samples[n];
__constant__ int factors[4] = {1, 10, 100, 1000};
__managed__ int visits = 2;

// The other file has functions, variables and a kernel of these names, too.
static __device__ int hidden = 30;
static __device__ int mine(int x) { return x + 100; }
static __global__ void same(int *out) { out[threadIdx.x] = mine(twice(threadIdx.x)) + hidden; }
namespace {
__device__ int unnamed = 7;
__global__ void unnamed_kernel(int *out) { out[threadIdx.x] = unnamed + 1; }
} // namespace

__device__ int twice(int x) { return 2 * x; }
extern "C" __device__ int plain_name(int x) { return x - 1; }
__device__ Meter::Meter(int base) : base(base) {}
__device__ int Meter::read(int x) const { return base + x; }

__device__ int across_the_block(int value) {
  __shared__ int values[n];
  extern __shared__ int more[];
  values[threadIdx.x] = value, more[threadIdx.x] = 3 * value;
  __syncthreads();
  const int sum = values[n - 1 - threadIdx.x] + more[(threadIdx.x + 1) % n];
  __syncthreads();
  return sum;
}

__global__ void elsewhere(int *out, int add) {
  out[threadIdx.x] = add + tally(0) + squared((int)threadIdx.x);
  if (threadIdx.x == 0) counter += 1, visits += 1;
}

static __device__ int negated(int x) { return -x; }
__device__ Operation operations[2] = {twice, negated};

void run_statics(int *out) {
  same<<<1, n>>>(out);
  unnamed_kernel<<<1, n>>>(out + n);
  fill<<<1, n>>>(out + 2 * n, 3);
  const int value = 40;
  CHECK(cudaMemcpyToSymbol(hidden, &value, sizeof value));
  same<<<1, n>>>(out + 3 * n);
}
int first_hidden() {
  int value;
  CHECK(cudaMemcpyFromSymbol(&value, hidden, sizeof value));
  return value;
}
