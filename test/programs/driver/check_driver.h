// Checked calls of the driver API.
#pragma once
#include "../check.h"
#include <cuda.h>

inline void driverChecked(CUresult status, const char *call, int line) {
  if (status == CUDA_SUCCESS) return;
  const char *name = "?";
  cuGetErrorName(status, &name);
  printf("line %d: %s: %s\n", line, call, name);
  exit(1);
}
#define DRIVER(call) driverChecked((call), #call, __LINE__)
#define EXPECT_DRIVER(call, expected) same(#call, 0, (int)(call), (int)(expected))
