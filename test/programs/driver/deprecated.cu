// Functions of the driver API as they were before CUDA 4: launches whose shape and parameters are set call by call, properties in one struct, attached contexts.
// Copies between arrays.
#include "check_driver.h"

__global__ void scale(float *values, float factor, int n, long long shift) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x + blockIdx.y * gridDim.x * blockDim.x;
  tile[threadIdx.x] = i < n ? values[i] : 0;
  __syncthreads();
  if (i < n) values[i] = tile[threadIdx.x] * factor + shift;
}

static void launches() {
  const int n = 1000;
  float *values;
  cudaMallocManaged(&values, n * sizeof *values);
  for (int i = 0; i < n; i++) values[i] = i;
  CUfunction fn;
  EXPECT(cudaGetFuncBySymbol(&fn, (const void *)scale) == cudaSuccess);
  long long shift = 5;
  EXPECT(!cuFuncSetBlockShape(fn, 64, 1, 1));
  EXPECT(!cuFuncSetSharedSize(fn, 64 * sizeof(float)));
  EXPECT(!cuParamSetv(fn, 0, &values, sizeof values));
  EXPECT(!cuParamSetf(fn, 8, 2.5f));
  EXPECT(!cuParamSeti(fn, 12, n));
  EXPECT(!cuParamSetv(fn, 16, &shift, sizeof shift));
  EXPECT(!cuParamSetSize(fn, 24));
  EXPECT(!cuLaunchGrid(fn, 4, 4));
  EXPECT(!cuCtxSynchronize());
  for (int i = 0; i < n; i++) EXPECT(values[i] == i * 2.5f + 5);
  EXPECT(!cuParamSeti(fn, 12, 64));
  EXPECT(!cuLaunch(fn));
  CUstream stream;
  EXPECT(!cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  EXPECT(!cuCtxSynchronize());
  EXPECT(values[63] == (63 * 2.5f + 5) * 2.5f + 5 && values[64] == 64 * 2.5f + 5);
  EXPECT(!cuLaunchGridAsync(fn, 1, 1, stream));
  EXPECT(!cuStreamSynchronize(stream));
  EXPECT(values[1] == ((2.5f + 5) * 2.5f + 5) * 2.5f + 5);
  cuStreamDestroy(stream);
  cudaFree(values);
}

static void properties() {
  CUdevprop of;
  cudaDeviceProp now;
  EXPECT(!cuDeviceGetProperties(&of, 0));
  cudaGetDeviceProperties(&now, 0);
  EXPECT(of.maxThreadsPerBlock == now.maxThreadsPerBlock && of.maxThreadsDim[2] == now.maxThreadsDim[2]);
  EXPECT(of.maxGridSize[0] == now.maxGridSize[0] && of.maxGridSize[1] == now.maxGridSize[1]);
  EXPECT(of.sharedMemPerBlock == (int)now.sharedMemPerBlock && of.totalConstantMemory == (int)now.totalConstMem);
  EXPECT(of.SIMDWidth == 32 && of.regsPerBlock == now.regsPerBlock && of.textureAlign == (int)now.textureAlignment);
}

// Of arrays with several rows these copies know the first one.
static void arrays(int height) {
  const int width = 24, row = width * 4;
  CUDA_ARRAY_DESCRIPTOR shape = {width, (size_t)height, CU_AD_FORMAT_UNSIGNED_INT32, 1};
  CUarray from, to;
  EXPECT(!cuArrayCreate(&from, &shape) && !cuArrayCreate(&to, &shape));
  unsigned *words, *back;
  cuMemAllocHost((void **)&words, 2 * row);
  cuMemAllocHost((void **)&back, 2 * row);
  for (int i = 0; i < 2 * width; i++) words[i] = i * 3 + 1, back[i] = 0;
  CUstream stream;
  EXPECT(!cuStreamCreate(&stream, 0));
  EXPECT(!cuMemcpyHtoAAsync(from, 0, words, row, stream));
  EXPECT(!cuStreamSynchronize(stream));
  EXPECT(!cuMemcpyAtoA(to, 0, from, 0, row));
  EXPECT(!cuMemcpyAtoA(to, 4, from, 40, 16));
  EXPECT(!cuMemcpyAtoHAsync(back, to, 0, row, stream));
  EXPECT(!cuStreamSynchronize(stream));
  for (int i = 0; i < width; i++) same("word", i, back[i], words[i >= 1 && i < 5 ? i + 9 : i]);
  EXPECT(cuMemcpyHtoA(from, 0, words, 2 * row) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemcpyHtoA(from, row, words, row) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemcpyHtoA(from, 80, words, 32) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemcpyAtoA(to, 80, from, 0, 32) == CUDA_ERROR_INVALID_VALUE);
  cuStreamDestroy(stream);
  cuArrayDestroy(from);
  cuArrayDestroy(to);
}

int main() {
  cudaFree(0);
  launches();
  properties();
  arrays(0);
  arrays(6);
  CUcontext current;
  EXPECT(!cuCtxAttach(&current, 0) && !cuCtxDetach(current));
  return finish();
}
