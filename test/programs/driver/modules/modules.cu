// Modules of the driver API: loaded from a file and from memory, each with variables of its own; functions, launches, occupancy.
#include "../check_driver.h"
#include "shape.h"

// The module has a kernel of this name too.
extern "C" __global__ void scale(float *values, int n) { values[threadIdx.x] = -n; }

static std::vector<char> fileNamed(const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file) {
    printf("There is no %s.\n", name);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  std::vector<char> bytes(ftell(file));
  rewind(file);
  EXPECT(fread(bytes.data(), 1, bytes.size(), file) == bytes.size());
  fclose(file);
  return bytes;
}

static void launches(CUmodule first, CUmodule second) {
  const int n = 100;
  float values[n];
  for (int i = 0; i < n; i++) values[i] = i;
  CUdeviceptr memory, factor, calls;
  size_t bytes;
  DRIVER(cuMemAlloc(&memory, sizeof values));
  DRIVER(cuMemcpyHtoD(memory, values, sizeof values));
  CUfunction scales[2];
  DRIVER(cuModuleGetFunction(&scales[0], first, "scale"));
  DRIVER(cuModuleGetFunction(&scales[1], second, "scale"));
  EXPECT(scales[0] != scales[1]);
  DRIVER(cuModuleGetGlobal(&factor, &bytes, second, "factor"));
  EXPECT(bytes == sizeof(float));
  const float ten = 10;
  DRIVER(cuMemcpyHtoD(factor, &ten, sizeof ten));
  int count = n;
  void *parameters[] = {&memory, &count};
  for (CUfunction scaled : scales)
    DRIVER(cuLaunchKernel(scaled, 4, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  DRIVER(cuLaunchKernel(scales[1], 4, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  DRIVER(cuMemcpyDtoH(values, memory, sizeof values));
  for (int i = 0; i < n; i++) EXPECT(values[i] == 200.0f * i);
  int made[2];
  CUmodule modules[] = {first, second};
  for (int m = 0; m < 2; m++) {
    DRIVER(cuModuleGetGlobal(&calls, nullptr, modules[m], "calls"));
    DRIVER(cuMemcpyDtoH(&made[m], calls, sizeof(int)));
  }
  EXPECT(made[0] == 1 && made[1] == 2);
  // The program's own.
  scale<<<1, 1>>>((float *)memory, 7);
  DRIVER(cuMemcpyDtoH(values, memory, sizeof(float)));
  EXPECT(values[0] == -7);
  EXPECT_DRIVER(cuLaunchKernel(scales[0], 0, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_DRIVER(cuLaunchKernel(scales[0], 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemFree(memory));
}

// Parameters in one buffer, aligned as a struct's fields would be.
static void buffer(CUmodule module) {
  CUfunction place;
  CUdeviceptr out;
  double back[32];
  DRIVER(cuModuleGetFunction(&place, module, "place"));
  DRIVER(cuMemAlloc(&out, sizeof back));
  struct {
    Shape shape;
    char tag;
    CUdeviceptr out;
  } given = {{3, 4.5}, 2, out};
  size_t bytes = sizeof given, offset, size;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &given, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  DRIVER(cuLaunchKernel(place, 1, 1, 1, 32, 1, 1, sizeof back, nullptr, nullptr, extra));
  DRIVER(cuMemcpyDtoH(back, out, sizeof back));
  for (int i = 0; i < 32; i++) EXPECT(back[i] == 3 * 4.5 + 2 + i);
  DRIVER(cuFuncGetParamInfo(place, 2, &offset, &size));
  EXPECT(offset == 24 && size == 8);
  EXPECT_DRIVER(cuFuncGetParamInfo(place, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  bytes = 8;
  EXPECT_DRIVER(cuLaunchKernel(place, 1, 1, 1, 32, 1, 1, 256, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemFree(out));
}

static size_t shared(int threads) { return threads * sizeof(double); }

static void attributes(CUmodule module) {
  CUfunction bounded, place;
  int value, blocks, threads, processors;
  DRIVER(cuModuleGetFunction(&bounded, module, "bounded"));
  DRIVER(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded));
  EXPECT(value == 128);
  DRIVER(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, bounded));
  EXPECT(value == 1024);
  DRIVER(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, bounded));
  EXPECT(value > 0 && value < 256);
  CUdeviceptr out;
  DRIVER(cuMemAlloc(&out, 1024));
  void *parameters[] = {&out};
  EXPECT_DRIVER(cuLaunchKernel(bounded, 1, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr),
                CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  DRIVER(cuMemFree(out));
  DRIVER(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  DRIVER(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, bounded, nullptr, 0, 0));
  EXPECT(threads == 128 && blocks % processors == 0 && blocks > 0);
  DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, bounded, 128, 0));
  EXPECT(value * processors == blocks);
  DRIVER(cuModuleGetFunction(&place, module, "place"));
  DRIVER(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, place, shared, 0, 256));
  EXPECT(threads > 0 && threads <= 256);
  DRIVER(cuFuncSetAttribute(place, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
  DRIVER(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, place));
  EXPECT(value == 1024);
}

static void libraries(const std::vector<char> &image) {
  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  CUdeviceptr factor;
  const char *name;
  size_t bytes;
  unsigned count;
  DRIVER(cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  DRIVER(cuLibraryGetKernelCount(&count, library));
  EXPECT(count == 3);
  DRIVER(cuLibraryGetKernel(&kernel, library, "scale"));
  DRIVER(cuKernelGetName(&name, kernel));
  EXPECT(strcmp(name, "scale") == 0);
  DRIVER(cuKernelGetFunction(&function, kernel));
  DRIVER(cuLibraryGetGlobal(&factor, &bytes, library, "factor"));
  float value = 3;
  CUdeviceptr memory;
  int n = 1;
  DRIVER(cuMemAlloc(&memory, 4));
  DRIVER(cuMemcpyHtoD(memory, &value, 4));
  void *parameters[] = {&memory, &n};
  DRIVER(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  DRIVER(cuMemcpyDtoH(&value, memory, 4));
  EXPECT(value == 6);
  DRIVER(cuMemFree(memory));
  DRIVER(cuLibraryUnload(library));
}

// One input is linked to what it is itself.
static void links(const std::vector<char> &image) {
  CUlinkState state;
  void *linked;
  size_t bytes;
  char log[64];
  memset(log, 'x', sizeof log);
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  CUmodule module;
  CUfunction scaled;
  DRIVER(cuLinkCreate(2, options, values, &state));
  DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)image.data(), image.size(), "kernels", 0, nullptr, nullptr));
  DRIVER(cuLinkComplete(state, &linked, &bytes));
  DRIVER(cuModuleLoadData(&module, linked));
  DRIVER(cuLinkDestroy(state));
  EXPECT(log[0] == 0);
  DRIVER(cuModuleGetFunction(&scaled, module, "scale"));
  DRIVER(cuModuleUnload(module));
}

int main() {
  CUcontext context;
  CUmodule first, second;
  CUfunction none;
  DRIVER(cuInit(0));
  CUctxCreateParams parameters = {};
  DRIVER(cuCtxCreate(&context, &parameters, 0, 0));
  DRIVER(cuModuleLoad(&first, "kernels.fatbin"));
  const std::vector<char> image = fileNamed("kernels.fatbin");
  DRIVER(cuModuleLoadDataEx(&second, image.data(), 0, nullptr, nullptr));
  EXPECT(first != second);
  EXPECT_DRIVER(cuModuleLoad(&first, "nothing.fatbin"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_DRIVER(cuModuleGetFunction(&none, first, "nothing"), CUDA_ERROR_NOT_FOUND);
  EXPECT_DRIVER(cuModuleLoadData(&first, "nonsense"), CUDA_ERROR_INVALID_IMAGE);
  launches(first, second);
  buffer(first);
  attributes(first);
  libraries(image);
  links(image);
  CUfunction scaled;
  DRIVER(cuModuleGetFunction(&scaled, first, "scale"));
  DRIVER(cuModuleUnload(first));
  EXPECT_DRIVER(cuModuleUnload(first), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_DRIVER(cuLaunchKernel(scaled, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  DRIVER(cuCtxDestroy(context));
  return finish();
}
