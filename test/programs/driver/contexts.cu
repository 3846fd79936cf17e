// Contexts of the driver API: none at first, a stack of them per thread, memory that goes with the one that it is of.
#include "check_driver.h"
int main() {
  CUdevice device;
  CUcontext first, second, now, primary;
  CUdeviceptr memory;
  size_t before, after, total;
  int count;
  DRIVER(cuInit(0));
  DRIVER(cuDeviceGetCount(&count));
  EXPECT(count >= 1);
  EXPECT_DRIVER(cuDeviceGet(&device, count), CUDA_ERROR_INVALID_DEVICE);
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuCtxGetCurrent(&now));
  EXPECT(now == nullptr);
  EXPECT_DRIVER(cuMemAlloc(&memory, 4096), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_DRIVER(cuCtxPopCurrent(&now), CUDA_ERROR_INVALID_CONTEXT);

  CUctxCreateParams parameters = {};
  DRIVER(cuCtxCreate(&first, &parameters, 0, device));
  // As programs before CUDA 13 have it.
  DRIVER(cuCtxCreate(&second, CU_CTX_SCHED_AUTO, device));
  EXPECT(first != second);
  DRIVER(cuCtxGetCurrent(&now));
  EXPECT(now == second);
  DRIVER(cuMemGetInfo(&before, &total));
  DRIVER(cuMemAlloc(&memory, 64 << 20));
  EXPECT_DRIVER(cuMemAlloc(&memory, 0), CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemGetInfo(&after, &total));
  EXPECT(after < before);
  DRIVER(cuCtxPopCurrent(&now));
  EXPECT(now == second);
  DRIVER(cuCtxGetCurrent(&now));
  EXPECT(now == first);
  DRIVER(cuCtxDestroy(second));
  DRIVER(cuMemGetInfo(&after, &total));
  EXPECT(after >= before);
  EXPECT_DRIVER(cuCtxPushCurrent(second), CUDA_ERROR_INVALID_CONTEXT);

  // The runtime's own context is the primary one.
  DRIVER(cuCtxDestroy(first));
  DRIVER(cuCtxGetCurrent(&now));
  EXPECT(now == nullptr);
  CHECK(cudaFree(0));
  DRIVER(cuCtxGetCurrent(&now));
  DRIVER(cuDevicePrimaryCtxRetain(&primary, device));
  EXPECT(now == primary);
  // What the driver answers, the runtime knows nothing of.
  EXPECT_DRIVER(cuMemFree(12345), CUDA_ERROR_INVALID_VALUE);
  EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
  int major = 0;
  DRIVER(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  EXPECT(major >= 2);
  const char *text;
  EXPECT_DRIVER(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT(text == nullptr);
  return finish();
}
