// Functions of the driver that are looked up while the program runs. What look-ups answer is what an H200's driver answered (CUDA 13.0).
#include "../check.h"
#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>

__global__ void add(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += i;
}

// Numbers of several types, as enumerations are.
static void agree(const char *what, long long index, int got, int expected) { same(what, index, got, expected); }

template <class F> static F entry(const char *name, int version, cuuint64_t flags, int expected) {
  void *found = (void *)&wrong;
  CUdriverProcAddressQueryResult status;
  agree(name, 0, cuGetProcAddress(name, &found, version, flags, &status), 0);
  agree(name, 1, status, expected);
  agree(name, 2, found != nullptr, expected == CU_GET_PROC_ADDRESS_SUCCESS);
  return (F)found;
}

static const char nothing[] = "cuNothingOfTheKind", later[] = "cuGraphConditionalHandleCreate";

static void byDriver() {
  auto allocate = entry<PFN_cuMemAlloc_v3020>("cuMemAlloc", 12000, 0, CU_GET_PROC_ADDRESS_SUCCESS);
  auto copy = entry<PFN_cuMemcpyDtoH_v3020>("cuMemcpyDtoH", 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, CU_GET_PROC_ADDRESS_SUCCESS);
  auto set = entry<PFN_cuMemsetD32_v3020>("cuMemsetD32", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, CU_GET_PROC_ADDRESS_SUCCESS);
  auto launch = entry<PFN_cuLaunchKernel_v4000>("cuLaunchKernel", 12000, 0, CU_GET_PROC_ADDRESS_SUCCESS);
  entry<void *>(nothing, 12000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  entry<void *>(later, 11000, 0, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  void *found = (void *)&wrong;
  agree("nothing, without a status", 0, cuGetProcAddress(nothing, &found, 12000, 0, nullptr), CUDA_SUCCESS);
  agree("nothing, without a status", 1, found == nullptr, 1);
  agree("later, without a status", 0, cuGetProcAddress(later, &found, 11000, 0, nullptr), CUDA_SUCCESS);
  agree("flags", 0, cuGetProcAddress("cuMemAlloc", &found, 12000, 8, nullptr), CUDA_ERROR_INVALID_VALUE);

  CHECK(cudaFree(0));
  CUdeviceptr a;
  const int n = 1000;
  agree("allocate", 0, allocate(&a, n * sizeof(int)), 0);
  agree("set", 0, set(a, 7, n), 0);
  CHECK(cudaDeviceSynchronize());
  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, (void *)add));
  int count = n;
  void *arguments[] = {&a, &count};
  agree("launch", 0, launch((CUfunction)function, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr), 0);
  int host[n];
  agree("copy", 0, copy(host, a, sizeof host), 0);
  agree("first", 0, host[0], 7);
  agree("last", 0, host[n - 1], n + 6);

  cudaDriverEntryPointQueryResult status;
  CHECK(cudaGetDriverEntryPointByVersion("cuMemFree", &found, 12000, cudaEnableDefault, &status));
  agree("of the runtime", 0, status, cudaDriverEntryPointSuccess);
  agree("free", 0, ((PFN_cuMemFree_v3020)found)(a), 0);
  CHECK(cudaGetDriverEntryPointByVersion(nothing, &found, 12000, cudaEnableDefault, &status));
  agree("of the runtime, nothing", 0, status, cudaDriverEntryPointSymbolNotFound);
  agree("of the runtime, nothing", 1, found == nullptr, 1);
  CHECK(cudaGetDriverEntryPointByVersion(later, &found, 11000, cudaEnableDefault, &status));
  agree("of the runtime, later", 0, status, cudaDriverEntryPointVersionNotSufficent);
  agree("of the runtime, without a status", 0, cudaGetDriverEntryPointByVersion(nothing, &found, 12000, cudaEnableDefault, nullptr), 0);
}

static void byLibrary() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  agree("library", 0, driver != nullptr, 1);
  agree("no library", 0, dlopen("libnothingofthekind.so", RTLD_NOW) == nullptr, 1);
  auto devices = (PFN_cuDeviceGetCount_v2000)dlsym(driver, "cuDeviceGetCount");
  auto lookUp = (PFN_cuGetProcAddress_v12000)dlsym(driver, "cuGetProcAddress_v2");
  agree("not in the library", 0, dlsym(driver, nothing) == nullptr, 1);
  int count = 0;
  agree("devices", 0, devices(&count), 0);
  agree("devices", 1, count > 0, 1);
  void *found;
  agree("look-up", 0, lookUp("cuDeviceGet", &found, 12000, 0, nullptr), 0);
  CUdevice device = -1;
  agree("device", 0, ((PFN_cuDeviceGet_v2000)found)(&device, 0), 0);
  agree("device", 1, device, 0);
  agree("close", 0, dlclose(driver), 0);
}

int main() {
  agree("init", 0, cuInit(0), 0);
  byDriver();
  byLibrary();
  return finish();
}
