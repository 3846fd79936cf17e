// A program that has variables of the names of the driver's functions, and finds these in the driver's library by itself: under names without a version, too.
#include <dlfcn.h>
#include "../check.h"

extern "C" {
int (*cuInit)(unsigned flags);
int (*cuDriverGetVersion)(int *version);
int (*cuDeviceGetCount)(int *count);
int (*cuCtxDestroy)(void *context);
int (*cuDevicePrimaryCtxRetain)(void **context, int device);
int (*cuCtxPushCurrent)(void *context);
int (*cuCtxPopCurrent)(void **context);
}

template <typename F> static bool find(void *library, const char *name, F *&function) {
  function = (F *)dlsym(library, name);
  return function != nullptr;
}

int main() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  EXPECT(library != nullptr);
  EXPECT(find(library, "cuInit", cuInit) && find(library, "cuDriverGetVersion", cuDriverGetVersion));
  EXPECT(find(library, "cuDeviceGetCount", cuDeviceGetCount) && find(library, "cuCtxDestroy", cuCtxDestroy));
  EXPECT(find(library, "cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain));
  EXPECT(find(library, "cuCtxPushCurrent", cuCtxPushCurrent) && find(library, "cuCtxPopCurrent", cuCtxPopCurrent));
  EXPECT(dlsym(library, "cuTexRefCreate") && dlsym(library, "cuMemFree") && dlsym(library, "cuMemFree_v2"));
  EXPECT(!dlsym(library, "cuNobodyHasThis"));
  int version = 0, count = 0;
  EXPECT(!cuInit(0) && !cuDriverGetVersion(&version) && version >= 11000);
  EXPECT(!cuDeviceGetCount(&count) && count >= 1);
  void *context, *popped;
  EXPECT(!cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxPushCurrent(context));
  EXPECT(!cuCtxPopCurrent(&popped) && popped == context);
  return finish();
}
