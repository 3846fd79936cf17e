// Stream-ordered allocation: cudaMallocAsync, cudaFreeAsync, the default pool, a pool of one's own with attributes.
#include "../check.h"
__global__ void fill(int *p, int n, int v) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v + i; }
int main() {
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  for (int round = 0; round < 3; ++round) {
    int *p, host[100];
    CHECK(cudaMallocAsync(&p, 400, s));
    fill<<<1, 64, 0, s>>>(p, 100, round * 1000);
    CHECK(cudaMemcpyAsync(host, p, 400, cudaMemcpyDeviceToHost, s));
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    for (int i = 0; i < 100; ++i) same("value", i, host[i], round * 1000 + i);
  }
  cudaMemPool_t pool, mine;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = 1 << 20, read = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
  same("threshold", 0, read, threshold);
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned, properties.location.type = cudaMemLocationTypeDevice, properties.location.id = 0;
  CHECK(cudaMemPoolCreate(&mine, &properties));
  int *q;
  CHECK(cudaMallocFromPoolAsync(&q, 4000, mine, s));
  fill<<<1, 64, 0, s>>>(q, 1000, 5);
  CHECK(cudaFreeAsync(q, s));
  CHECK(cudaStreamSynchronize(s));
  CHECK(cudaMemPoolTrimTo(mine, 0));
  CHECK(cudaMemPoolDestroy(mine));
  CHECK(cudaStreamDestroy(s));
  return finish();
}
