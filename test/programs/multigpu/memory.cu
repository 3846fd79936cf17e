// Needs 2 GPUs.
// Memory by device: what is free, whose a pointer is, pools, freeing and filling from elsewhere, pinned memory for all.
#include "../check.h"
__global__ void twice(int *x) { *x *= 2; }
static size_t freeNow() {
  size_t free, total;
  CHECK(cudaMemGetInfo(&free, &total));
  EXPECT(free <= total);
  return free;
}
int main() {
  const size_t size = 64 << 20;
  CHECK(cudaSetDevice(1));
  CHECK(cudaFree(nullptr));
  const size_t other = freeNow();
  CHECK(cudaSetDevice(0));
  CHECK(cudaFree(nullptr));
  const size_t before = freeNow();
  int *p[2], *pinned;
  CHECK(cudaMalloc(&p[0], size));
  EXPECT(before - freeNow() >= size);
  CHECK(cudaSetDevice(1));
  EXPECT(other - freeNow() < size);
  CHECK(cudaMalloc(&p[1], size));
  for (int d = 0; d < 2; d++) {
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, p[d] + 100));
    same("type", d, (int)attributes.type, (int)cudaMemoryTypeDevice);
    same("device", d, attributes.device, d);
    EXPECT(attributes.devicePointer == p[d] + 100);
  }
  // Pinned memory is in reach of all devices.
  CHECK(cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocPortable | cudaHostAllocMapped));
  *pinned = 5;
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    twice<<<1, 1>>>(pinned);
    CHECK_KERNEL();
  }
  same("pinned", 0, *pinned, 20);
  // Pools and what is allocated from them belong to a device.
  cudaMemPool_t pool[2];
  cudaStream_t stream;
  CHECK(cudaDeviceGetDefaultMemPool(&pool[0], 0)), CHECK(cudaDeviceGetDefaultMemPool(&pool[1], 1));
  EXPECT(pool[0] != pool[1]);
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreate(&stream));
  int *fromPool;
  CHECK(cudaMallocAsync(&fromPool, 1024, stream));
  CHECK(cudaStreamSynchronize(stream));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, fromPool));
  same("of the pool", 0, attributes.device, 1);
  CHECK(cudaFreeAsync(fromPool, stream));
  CHECK(cudaStreamSynchronize(stream));
  // Freed by whoever wants to.
  CHECK(cudaFree(p[0]));
  CHECK(cudaSetDevice(0));
  CHECK(cudaFree(p[1]));
  EXPECT(before - freeNow() < size);
  CHECK(cudaFreeHost(pinned));
  return finish();
}
