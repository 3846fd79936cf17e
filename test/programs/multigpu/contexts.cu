// Needs 2 GPUs.
// Primary contexts of the driver API: making one current is cudaSetDevice.
#include "../check.h"
#include <cuda.h>
#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)
int main() {
  CUcontext context[2], now;
  CUdevice device;
  int current;
  DRIVER(cuInit(0));
  for (int d = 0; d < 2; d++) {
    DRIVER(cuDeviceGet(&device, d));
    DRIVER(cuDevicePrimaryCtxRetain(&context[d], device));
  }
  EXPECT(context[0] != context[1]);
  DRIVER(cuCtxSetCurrent(context[1]));
  CHECK(cudaGetDevice(&current));
  same("set", 0, current, 1);
  DRIVER(cuCtxPushCurrent(context[0]));
  DRIVER(cuCtxGetDevice(&device));
  same("pushed", 0, (int)device, 0);
  DRIVER(cuCtxPopCurrent(&now));
  EXPECT(now == context[0]);
  CHECK(cudaGetDevice(&current));
  same("popped", 0, current, 1);
  for (int d = 0; d < 2; d++) {
    DRIVER(cuDeviceGet(&device, d));
    DRIVER(cuDevicePrimaryCtxRelease(device));
  }
  return finish();
}
