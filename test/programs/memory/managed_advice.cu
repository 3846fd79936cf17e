// cudaMemAdvise: values stay what they are, whatever was advised, through reads and writes of both sides.
#include "../check.h"

__global__ void add(int *x, int n, int amount) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += amount;
}
__global__ void total(const int *x, int n, unsigned long long *out) {
  unsigned long long sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
  atomicAdd(out, sum);
}

static cudaError_t advise(const void *p, size_t bytes, cudaMemoryAdvise advice, int device) {
#if CUDART_VERSION >= 13000
  cudaMemLocation where = {};
  where.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  where.id = device < 0 ? 0 : device;
  return cudaMemAdvise(p, bytes, advice, where);
#else
  return cudaMemAdvise(p, bytes, advice, device);
#endif
}

int main() {
  int concurrent;
  CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
  if (!concurrent) return finish();
  const int n = 100000;
  struct { cudaMemoryAdvise set, unset; int device; } kinds[] = {
      {cudaMemAdviseSetReadMostly, cudaMemAdviseUnsetReadMostly, 0},
      {cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation, cudaCpuDeviceId},
      {cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation, 0},
      {cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy, 0},
      {cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy, cudaCpuDeviceId},
  };
  unsigned long long *sum;
  CHECK(cudaMallocManaged(&sum, sizeof *sum));
  for (auto [set, unset, device] : kinds) {
    int *x;
    CHECK(cudaMallocManaged(&x, n * 4));
    for (int i = 0; i < n; ++i) x[i] = i;
    CHECK(advise(x, n * 4, set, device));
    long long expected = (long long)n * (n - 1) / 2;
    for (int round = 0; round < 3; ++round) {
      *sum = 0;
      total<<<1, 256>>>(x, n, sum);
      CHECK_KERNEL();
      same("sum", round, (long long)*sum, expected);
      x[round * 5000] += 1;
      add<<<(n + 255) / 256, 256>>>(x, n, round);
      CHECK_KERNEL();
      expected += 1 + (long long)round * n;
      if (round == 1) CHECK(advise(x, n * 4, unset, device));
    }
    for (int i = 0; i < n; ++i) same("x", i, x[i], i + 3 + (i % 5000 == 0 && i <= 10000));
    CHECK(cudaFree(x));
  }
  CHECK(cudaFree(sum));
  return finish();
}
