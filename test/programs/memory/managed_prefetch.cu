// cudaMemPrefetchAsync to the GPU and back, of parts, in streams; what is prefetched is what was there, and memset and copies of
// managed memory see it.
#include "../check.h"

__global__ void twice(int *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

static cudaError_t prefetch(const void *p, size_t bytes, int device, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  cudaMemLocation to = {};
  to.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  to.id = device < 0 ? 0 : device;
  return cudaMemPrefetchAsync(p, bytes, to, 0, stream);
#else
  return cudaMemPrefetchAsync(p, bytes, device, stream);
#endif
}

int main() {
  int concurrent;
  CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
  if (!concurrent) return finish();
  const int n = 3 << 18;
  int *x;
  CHECK(cudaMallocManaged(&x, n * 4));
  for (int i = 0; i < n; ++i) x[i] = i;
  cudaStream_t streams[2];
  for (auto &stream : streams) CHECK(cudaStreamCreate(&stream));
  for (int half = 0; half < 2; ++half) {
    int *part = x + half * (n / 2);
    CHECK(prefetch(part, n / 2 * 4, 0, streams[half]));
    twice<<<(n / 2 + 255) / 256, 256, 0, streams[half]>>>(part, n / 2);
    CHECK(prefetch(part, n / 4 * 4, cudaCpuDeviceId, streams[half]));
  }
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) same("x", i, x[i], 2 * i);
  // Pages are whole: a part of one is prefetched with all of it.
  CHECK(prefetch(x + 10, 4, 0, 0));
  twice<<<1, 64>>>(x, 20);
  CHECK_KERNEL();
  for (int i = 0; i < 40; ++i) same("part", i, x[i], i < 20 ? 4 * i : 2 * i);

  CHECK(cudaMemset(x + 100, 0xff, 400));
  std::vector<int> copied(n);
  CHECK(cudaMemcpy(copied.data(), x, n * 4, cudaMemcpyDefault));
  for (int i = 0; i < n; ++i) same("copied", i, copied[i], i < 20 ? 4 * i : i >= 100 && i < 200 ? -1 : 2 * i);
  for (auto &value : copied) value = 7;
  CHECK(cudaMemcpy(x, copied.data(), n * 4, cudaMemcpyDefault));
  twice<<<n / 256, 256>>>(x, n);
  CHECK_KERNEL();
  for (int i = 0; i < n; ++i) same("back", i, x[i], 14);
  int last;
  CHECK(cudaMemRangeGetAttribute(&last, sizeof last, cudaMemRangeAttributeLastPrefetchLocation, x + n / 2 + n / 4, 64));
  CHECK(cudaFree(x));
  for (auto &stream : streams) CHECK(cudaStreamDestroy(stream));
  return finish();
}
