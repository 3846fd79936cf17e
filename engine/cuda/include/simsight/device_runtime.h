/*
 * Kernels that launch kernels. Clang turns <<<...>>> in device code into the two functions whose names it knows; all
 * of the device runtime goes through one call, which engine/warp/system-calls.ts answers.
 */
#pragma once

/* A kernel begins when the one before it has ended, whatever that one triggers: nothing is left to wait for. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ static __forceinline__ void cudaGridDependencySynchronize() {}
__device__ static __forceinline__ void cudaTriggerProgrammaticLaunchCompletion() {}
#endif

#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

extern "C" {
/* 0: parameter buffer of a bytes; 1: launch of the record at a; 2: last error of thread b in block a; 3: takes it;
 * 4: new stream; 5: address of the text of error a, b = 1: of its name. */
__device__ unsigned __simsight_device_runtime(unsigned call, unsigned a, unsigned b) __attribute__((nothrow));
}
__device__ static __forceinline__ unsigned __simsight_block() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
__device__ static __forceinline__ unsigned __simsight_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

extern "C" {
__device__ inline void *cudaGetParameterBuffer(size_t alignment, size_t size) {
  return (void *)__simsight_device_runtime(0, (unsigned)size, 0);
}
__device__ inline cudaError_t cudaLaunchDevice(void *func, void *parameterBuffer, dim3 gridDimension,
                                               dim3 blockDimension, unsigned int sharedMemSize, cudaStream_t stream) {
  const unsigned record[] = {(unsigned)(__SIZE_TYPE__)func,       (unsigned)(__SIZE_TYPE__)parameterBuffer, gridDimension.x,  gridDimension.y,
                             gridDimension.z,      blockDimension.x,          blockDimension.y, blockDimension.z,
                             sharedMemSize,        (unsigned)(__SIZE_TYPE__)stream,          __simsight_block(), __simsight_thread()};
  return (cudaError_t)__simsight_device_runtime(1, (unsigned)(__SIZE_TYPE__)&record, 0);
}
/* CUB names it in code for kernels that wait for their children, which is not simulated. */
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
__device__ inline cudaError_t cudaPeekAtLastError() {
  return (cudaError_t)__simsight_device_runtime(2, __simsight_block(), __simsight_thread());
}
__device__ inline cudaError_t cudaGetLastError() {
  return (cudaError_t)__simsight_device_runtime(3, __simsight_block(), __simsight_thread());
}
__device__ inline const char *cudaGetErrorString(cudaError_t error) {
  return (const char *)(__SIZE_TYPE__)__simsight_device_runtime(5, (unsigned)error, 0);
}
__device__ inline const char *cudaGetErrorName(cudaError_t error) {
  return (const char *)(__SIZE_TYPE__)__simsight_device_runtime(5, (unsigned)error, 1);
}
__device__ inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  if (flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;
  *stream = (cudaStream_t)__simsight_device_runtime(4, 0, 0);
  return cudaSuccess;
}
__device__ inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { return cudaSuccess; }
/* From the heap of kernels, as by malloc; hosts cannot free it (programming guide, "Heap Memory Allocation" of dynamic parallelism). */
__device__ inline cudaError_t cudaMalloc(void **devPtr, size_t size) {
  *devPtr = malloc(size);
  return *devPtr || size == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}
__device__ inline cudaError_t cudaFree(void *devPtr) {
  free(devPtr);
  return cudaSuccess;
}
}
template <class T> __device__ static inline cudaError_t cudaMalloc(T **devPtr, size_t size) {
  return cudaMalloc((void **)devPtr, size);
}

#ifdef __CLANG_RDC__
/*
 * Copies and fills by kernels are kernels (programming guide, "Memory Declarations" of dynamic parallelism: only the
 * asynchronous ones, only within device memory). A row of blocks has a row of the rectangle, a thread a unit of it.
 */
template <class Unit>
__global__ void __simsight_copy_rows(char *dst, size_t dpitch, const char *src, size_t spitch, size_t units, size_t height) {
  const size_t unit = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (unit >= units) return;
  for (size_t row = blockIdx.y; row < height; row += gridDim.y)
    ((Unit *)(dst + row * dpitch))[unit] = ((const Unit *)(src + row * spitch))[unit];
}
template <class Unit>
__global__ void __simsight_fill_rows(char *dst, size_t pitch, unsigned value, size_t units, size_t height) {
  const size_t unit = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (unit >= units) return;
  for (size_t row = blockIdx.y; row < height; row += gridDim.y) ((Unit *)(dst + row * pitch))[unit] = (Unit)value;
}
__device__ static __forceinline__ dim3 __simsight_rows(size_t units, size_t height) {
  return dim3((unsigned)((units + 255) / 256), (unsigned)(height < 65535 ? height : 65535));
}
/* Templates, so that only programs that copy have these kernels. */
template <class Size>
__device__ static cudaError_t cudaMemcpy2DAsync(void *dst, Size dpitch, const void *src, size_t spitch, size_t width,
                                                size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (width == 0 || height == 0) return cudaSuccess;
  if (height > 1 && (width > dpitch || width > spitch)) return cudaErrorInvalidPitchValue;
  char *to = (char *)dst;
  const char *from = (const char *)src;
  const size_t aligned = (size_t)to | (size_t)from | width | (height > 1 ? dpitch | spitch : 0);
  if (aligned % 16 == 0)
    __simsight_copy_rows<uint4><<<__simsight_rows(width / 16, height), 256, 0, stream>>>(to, dpitch, from, spitch, width / 16, height);
  else if (aligned % 4 == 0)
    __simsight_copy_rows<unsigned><<<__simsight_rows(width / 4, height), 256, 0, stream>>>(to, dpitch, from, spitch, width / 4, height);
  else
    __simsight_copy_rows<char><<<__simsight_rows(width, height), 256, 0, stream>>>(to, dpitch, from, spitch, width, height);
  return cudaPeekAtLastError();
}
template <class Size>
__device__ static cudaError_t cudaMemcpyAsync(void *dst, const void *src, Size count, cudaMemcpyKind kind, cudaStream_t stream = 0) {
  return cudaMemcpy2DAsync(dst, (size_t)count, src, (size_t)count, count, 1, kind, stream);
}
template <class Size>
__device__ static cudaError_t cudaMemset2DAsync(void *devPtr, Size pitch, int value, size_t width, size_t height,
                                                cudaStream_t stream = 0) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (height > 1 && width > pitch) return cudaErrorInvalidPitchValue;
  char *to = (char *)devPtr;
  const unsigned bytes = (value & 255) * 0x01010101u;
  if (((size_t)to | width | (height > 1 ? pitch : 0)) % 4 == 0)
    __simsight_fill_rows<unsigned><<<__simsight_rows(width / 4, height), 256, 0, stream>>>(to, pitch, bytes, width / 4, height);
  else
    __simsight_fill_rows<unsigned char><<<__simsight_rows(width, height), 256, 0, stream>>>(to, pitch, bytes, width, height);
  return cudaPeekAtLastError();
}
template <class Size>
__device__ static cudaError_t cudaMemsetAsync(void *devPtr, int value, Size count, cudaStream_t stream = 0) {
  return cudaMemset2DAsync(devPtr, (size_t)count, value, count, 1, stream);
}
#endif
