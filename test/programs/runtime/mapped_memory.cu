// Zero-copy: kernels read and write mapped host memory, from cudaHostAlloc and cudaHostRegister; flags; pointer kinds.
#include "../check.h"
__global__ void twice(int *p, int n) { const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }
int main() {
  const int n = 500;
  int *host, *device;
  CHECK(cudaHostAlloc(&host, n * 4, cudaHostAllocMapped | cudaHostAllocPortable));
  for (int i = 0; i < n; ++i) host[i] = i;
  CHECK(cudaHostGetDevicePointer(&device, host, 0));
  twice<<<4, 128>>>(device, n);
  CHECK_KERNEL();
  for (int i = 0; i < n; ++i) same("mapped", i, host[i], i * 2);
  unsigned flags;
  CHECK(cudaHostGetFlags(&flags, host));
  EXPECT(flags & cudaHostAllocMapped);
  std::vector<int> own(n);
  for (int i = 0; i < n; ++i) own[i] = i + 7;
  CHECK(cudaHostRegister(own.data(), n * 4, cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(&device, own.data(), 0));
  twice<<<4, 128>>>(device, n);
  CHECK_KERNEL();
  EXPECT_ERROR(cudaHostRegister(own.data(), n * 4, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
  CHECK(cudaHostUnregister(own.data()));
  for (int i = 0; i < n; ++i) same("registered", i, own[i], (i + 7) * 2);
  EXPECT_ERROR(cudaHostUnregister(own.data()), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
  CHECK(cudaFreeHost(host));
  return finish();
}
