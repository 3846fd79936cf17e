// Kernels that are compiled while the program runs: names, headers, options, what is wrong with them.
#include "../check.h"
#include <cuda.h>
#include <nvrtc.h>
#include <string>

static void agree(const char *what, long long index, long long got, long long expected) { same(what, index, got, expected); }

static const char source[] = R"(
#include "scale.h"
#include <offset.h>
namespace kernels {
template <class T, int N> __global__ void scale(T *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] * N * factor<T>() + OFFSET;
}
__device__ int table[4] = {1, 2, 3, 4};
__constant__ float weights[2] = {0.5f, 0.25f};
}
static __constant__ int hidden[2];
extern "C" __global__ void plain(int *out) {
  out[threadIdx.x] = kernels::table[threadIdx.x & 3] + (int)(kernels::weights[0] * 8) + hidden[1];
#ifndef __CUDACC_RTC__
  out[threadIdx.x] = -1;
#endif
}
)";
static const char scaleHeader[] = "#pragma once\ntemplate <class T> __device__ T factor() { return FACTOR; }\n";
static const char offsetHeader[] = "#define OFFSET 1\n";

static std::string logOf(nvrtcProgram program) {
  size_t size = 0;
  agree("size of the log", 0, nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
  std::string log(size, 'x');
  agree("log", 0, nvrtcGetProgramLog(program, &log[0]), NVRTC_SUCCESS);
  agree("end of the log", 0, log.back(), 0);
  return log;
}

static void compiles() {
  const char *headers[] = {scaleHeader, offsetHeader}, *names[] = {"scale.h", "offset.h"};
  nvrtcProgram program;
  agree("create", 0, nvrtcCreateProgram(&program, source, "scale.cu", 2, headers, names), NVRTC_SUCCESS);
  const char *ofFloat = "kernels::scale<float, 3>", *ofInt = "kernels::scale<int, 2>", *ofTable = "&kernels::table";
  for (const char *name : {ofFloat, ofInt, ofTable}) agree("add a name", 0, nvrtcAddNameExpression(program, name), NVRTC_SUCCESS);
  const char *lowered;
  agree("before", 0, nvrtcGetLoweredName(program, ofInt, &lowered), NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  const char *options[] = {"-DFACTOR=2", "--std=c++17", "-default-device", "--gpu-architecture=compute_75", "-lineinfo"};
  const nvrtcResult result = nvrtcCompileProgram(program, 5, options);
  agree("compile", 0, result, NVRTC_SUCCESS);
  if (result != NVRTC_SUCCESS) printf("%s\n", logOf(program).c_str());
  agree("after", 0, nvrtcAddNameExpression(program, "plain"), NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  size_t size = 0;
  agree("size", 0, nvrtcGetPTXSize(program, &size), NVRTC_SUCCESS);
  std::string ptx(size, 'x');
  agree("get", 0, nvrtcGetPTX(program, &ptx[0]), NVRTC_SUCCESS);
  agree("one text", 0, strlen(ptx.c_str()), size - 1);

  CUmodule module;
  agree("load", 0, cuModuleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr), CUDA_SUCCESS);
  CUfunction function;
  std::vector<float> floats(1000, 1.5f);
  std::vector<int> ints(1000, 4);
  CUdeviceptr memory;
  int n = 1000;
  void *arguments[] = {&memory, &n};
  agree("allocate", 0, cuMemAlloc(&memory, 4000), CUDA_SUCCESS);
  for (int i = 0; i < 2; i++) {
    agree("name", i, nvrtcGetLoweredName(program, i ? ofInt : ofFloat, &lowered), NVRTC_SUCCESS);
    agree("function", i, cuModuleGetFunction(&function, module, lowered), CUDA_SUCCESS);
    void *data = i ? (void *)ints.data() : (void *)floats.data();
    cuMemcpyHtoD(memory, data, 4000);
    agree("launch", i, cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
    agree("copy", i, cuMemcpyDtoH(data, memory, 4000), CUDA_SUCCESS);
  }
  for (int i = 0; i < n; i++) agree("float", i, (long long)floats[i], 10), agree("int", i, ints[i], 17);

  CUdeviceptr table;
  size_t bytes;
  agree("name of the table", 0, nvrtcGetLoweredName(program, ofTable, &lowered), NVRTC_SUCCESS);
  agree("table", 0, cuModuleGetGlobal(&table, &bytes, module, lowered), CUDA_SUCCESS);
  agree("bytes", 0, bytes, 16);
  const int forty = 40;
  cuMemcpyHtoD(table + 4, &forty, 4);
  agree("static", 0, cuModuleGetGlobal(&table, &bytes, module, "hidden"), CUDA_SUCCESS);
  const int added[] = {1, 100};
  cuMemcpyHtoD(table, added, 8);
  agree("plain", 0, cuModuleGetFunction(&function, module, "plain"), CUDA_SUCCESS);
  agree("launch", 2, cuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  cuMemcpyDtoH(ints.data(), memory, 32);
  for (int i = 0; i < 8; i++) agree("plain", i, ints[i], (i & 3) == 1 ? 144 : (i & 3) + 105);
  agree("no such name", 0, nvrtcGetLoweredName(program, "plain", &lowered), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  agree("unload", 0, cuModuleUnload(module), CUDA_SUCCESS);
  agree("destroy", 0, nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  agree("destroyed", 0, program == nullptr, 1);
}

static std::string relocatable(const char *text) {
  nvrtcProgram program;
  const char *options[] = {"-rdc=true", "-arch=sm_90"};
  agree("create", 2, nvrtcCreateProgram(&program, text, "part.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  agree("compile", 2, nvrtcCompileProgram(program, 2, options), NVRTC_SUCCESS);
  size_t size = 0;
  agree("size", 2, nvrtcGetPTXSize(program, &size), NVRTC_SUCCESS);
  std::string ptx(size, 'x');
  agree("get", 2, nvrtcGetPTX(program, &ptx[0]), NVRTC_SUCCESS);
  nvrtcDestroyProgram(&program);
  return ptx;
}

// Two texts, of which one calls what the other defines.
static void links() {
  const std::string kernel = relocatable("extern __device__ int twice(int x); extern __device__ int base;\n"
                                         "extern \"C\" __global__ void use(int *out) { out[threadIdx.x] = twice(threadIdx.x) + base; }\n");
  const std::string function = relocatable("__device__ int base = 100; __device__ int twice(int x) { return 2 * x; }\n");
  CUlinkState state;
  void *linked;
  size_t size;
  agree("link", 0, cuLinkCreate(0, nullptr, nullptr, &state), CUDA_SUCCESS);
  for (const std::string *part : {&kernel, &function})
    agree("add", 0, cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)part->data(), part->size(), "part", 0, nullptr, nullptr), CUDA_SUCCESS);
  agree("complete", 0, cuLinkComplete(state, &linked, &size), CUDA_SUCCESS);
  CUmodule module;
  agree("load", 1, cuModuleLoadData(&module, linked), CUDA_SUCCESS);
  agree("end", 0, cuLinkDestroy(state), CUDA_SUCCESS);
  CUfunction use;
  agree("use", 0, cuModuleGetFunction(&use, module, "use"), CUDA_SUCCESS);
  CUdeviceptr memory;
  cuMemAlloc(&memory, 128);
  void *arguments[] = {&memory};
  agree("launch", 3, cuLaunchKernel(use, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  int out[32];
  cuMemcpyDtoH(out, memory, 128);
  for (int i = 0; i < 32; i++) agree("linked", i, out[i], 2 * i + 100);
}

static nvrtcResult compile(const char *text, const char *option, const char *inLog) {
  nvrtcProgram program;
  agree("create", 1, nvrtcCreateProgram(&program, text, nullptr, 0, nullptr, nullptr), NVRTC_SUCCESS);
  const nvrtcResult result = nvrtcCompileProgram(program, option ? 1 : 0, &option);
  const std::string log = logOf(program);
  if (log.find(inLog) == std::string::npos) FAIL("the log does not say %s: %s", inLog, log.c_str());
  nvrtcDestroyProgram(&program);
  return result;
}

int main() {
  CHECK(cudaFree(0));
  compiles();
  links();
  agree("error", 0, compile("__global__ void f() { int x = nowhere; }", nullptr, "nowhere"), NVRTC_ERROR_COMPILATION);
  agree("error", 1, compile("#include \"none.h\"\n", nullptr, "none.h"), NVRTC_ERROR_COMPILATION);
  agree("option", 0, compile("__global__ void f() {}", "-nothing-of-the-kind", "nothing-of-the-kind"), NVRTC_ERROR_INVALID_OPTION);
  agree("no source", 0, nvrtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr), NVRTC_ERROR_INVALID_PROGRAM);
  agree("text of a result", 0, strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION"), 0);
  int major = 0, minor = -1, count = 0;
  agree("version", 0, nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
  agree("version", 1, major >= 12 && minor >= 0, 1);
  agree("architectures", 0, nvrtcGetNumSupportedArchs(&count), NVRTC_SUCCESS);
  std::vector<int> all(count);
  agree("architectures", 1, nvrtcGetSupportedArchs(all.data()), NVRTC_SUCCESS);
  int has90 = 0;
  for (int each : all) has90 |= each == 90;
  agree("architectures", 2, has90, 1);
  return finish();
}
