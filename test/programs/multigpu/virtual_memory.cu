// Needs 2 GPUs.
// One range of memory of two devices, which the first may access: no peer access has to be enabled for that.
#include "../check.h"
#include <cuda.h>
#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

__global__ void add(int *values, int n, int by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) values[i] += by;
}

int main() {
  CHECK(cudaSetDevice(0));
  size_t unit = 0;
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  DRIVER(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  CUdeviceptr range;
  DRIVER(cuMemAddressReserve(&range, 2 * unit, 0, 0, 0));
  for (int d = 0; d < 2; d++) {
    CUmemGenericAllocationHandle handle;
    properties.location.id = d;
    DRIVER(cuMemCreate(&handle, unit, &properties, 0));
    DRIVER(cuMemMap(range + d * unit, unit, 0, handle, 0));
    DRIVER(cuMemRelease(handle));
  }
  CUmemAccessDesc access = {};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER(cuMemSetAccess(range, 2 * unit, &access, 1));
  const int n = 2 * unit / sizeof(int);
  std::vector<int> values(n);
  for (int i = 0; i < n; i++) values[i] = i;
  DRIVER(cuMemcpyHtoD(range, values.data(), 2 * unit));
  add<<<132, 256>>>((int *)range, n, 3);
  CHECK_KERNEL();
  DRIVER(cuMemcpyDtoH(values.data(), range, 2 * unit));
  for (int i = 0; i < n; i++) same("value", i, values[i], i + 3);
  int ordinal = -1;
  DRIVER(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, range + unit));
  same("owner", 0, ordinal, 1);
  DRIVER(cuMemUnmap(range, 2 * unit));
  DRIVER(cuMemAddressFree(range, 2 * unit));
  return finish();
}
