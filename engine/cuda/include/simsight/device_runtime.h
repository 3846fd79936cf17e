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
 * 4: new stream. */
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
