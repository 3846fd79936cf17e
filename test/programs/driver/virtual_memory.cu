// Virtual memory management: a range of two allocations that kernels and copies see as one, memory that moves with what it holds.
#include "check_driver.h"

__global__ void add(int *values, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += by;
}

int main() {
  CHECK(cudaSetDevice(0));
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 0;
  size_t unit = 0, before, after, total;
  DRIVER(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  EXPECT(unit > 0 && unit % 65536 == 0);
  CUdeviceptr range, other;
  CUmemGenericAllocationHandle handles[2];
  EXPECT_DRIVER(cuMemAddressReserve(&range, unit + 1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemAddressReserve(&range, 2 * unit, 0, 0, 0));
  EXPECT(range % unit == 0);
  DRIVER(cuMemGetInfo(&before, &total));
  for (int i = 0; i < 2; i++) DRIVER(cuMemCreate(&handles[i], unit, &properties, 0));
  DRIVER(cuMemGetInfo(&after, &total));
  EXPECT(before - after >= 2 * unit);
  for (int i = 0; i < 2; i++) DRIVER(cuMemMap(range + i * unit, unit, 0, handles[i], 0));
  EXPECT_DRIVER(cuMemMap(range, unit, 0, handles[0], 0), CUDA_ERROR_INVALID_VALUE);
  // Mapped is not accessible.
  EXPECT_DRIVER(cuMemsetD32(range, 0, 1), CUDA_ERROR_INVALID_VALUE);
  CUmemAccessDesc access = {};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER(cuMemSetAccess(range, 2 * unit, &access, 1));
  unsigned long long flags = 0;
  DRIVER(cuMemGetAccess(&flags, &access.location, range + unit));
  EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

  const int n = 2 * unit / sizeof(int);
  std::vector<int> host(n), back(n);
  for (int i = 0; i < n; i++) host[i] = i;
  DRIVER(cuMemcpyHtoD(range, host.data(), 2 * unit));
  add<<<(n + 255) / 256, 256>>>((int *)range, n, 5);
  CHECK_KERNEL();
  CHECK(cudaMemcpy(back.data(), (void *)range, 2 * unit, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) same("across", i, back[i], i + 5);
  EXPECT_ERROR(cudaFree((void *)range), cudaErrorInvalidValue);

  // The second allocation moves to another range, with what it holds.
  CUmemAllocationProp told = {};
  DRIVER(cuMemGetAllocationPropertiesFromHandle(&told, handles[1]));
  EXPECT(told.type == properties.type && told.location.id == 0);
  EXPECT_DRIVER(cuMemUnmap(range + unit, unit / 2), CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemUnmap(range + unit, unit));
  EXPECT_DRIVER(cuMemsetD32(range + unit, 0, 1), CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemAddressReserve(&other, unit, 0, 0, 0));
  DRIVER(cuMemMap(other, unit, 0, handles[1], 0));
  DRIVER(cuMemSetAccess(other, unit, &access, 1));
  DRIVER(cuMemcpyDtoH(back.data(), other, unit));
  same("moved", 0, back[0], (int)(unit / sizeof(int)) + 5);
  // What nobody may access for a while keeps its contents.
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  DRIVER(cuMemSetAccess(other, unit, &access, 1));
  EXPECT_DRIVER(cuMemcpyDtoH(back.data(), other, unit), CUDA_ERROR_INVALID_VALUE);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER(cuMemSetAccess(other, unit, &access, 1));
  DRIVER(cuMemcpyDtoH(back.data(), other, unit));
  same("again", 1, back[1], (int)(unit / sizeof(int)) + 6);

  for (int i = 0; i < 2; i++) DRIVER(cuMemRelease(handles[i]));
  EXPECT_DRIVER(cuMemRelease(handles[0]), CUDA_ERROR_INVALID_VALUE);
  EXPECT_DRIVER(cuMemAddressFree(other, unit), CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemUnmap(range, unit));
  DRIVER(cuMemUnmap(other, unit));
  DRIVER(cuMemGetInfo(&after, &total));
  EXPECT(after == before);
  DRIVER(cuMemAddressFree(range, 2 * unit));
  DRIVER(cuMemAddressFree(other, unit));
  return finish();
}
