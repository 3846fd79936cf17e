/* What the CUDA runtime API adds in C++: typed pointers instead of void **, kernels and symbols by their own type. */
#pragma once
#include "cuda_runtime_api.h"

template <class T> static inline cudaError_t cudaMalloc(T **devPtr, size_t size) {
  return cudaMalloc((void **)devPtr, size);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **devPtr, size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch((void **)devPtr, pitch, width, height);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **devPtr, size_t size, cudaStream_t stream) {
  return cudaMallocAsync((void **)devPtr, size, stream);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void **)devPtr, size, flags);
}
/* As CUDA 13 has them, under their names of CUDA 12 as well; one kind of host memory, whatever its node. */
static inline int __simsight_device_of(cudaMemLocation location) {
  return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, cudaMemLocation location,
                                               unsigned int flags, cudaStream_t stream = 0) {
  return flags ? cudaErrorInvalidValue : cudaMemPrefetchAsync(devPtr, count, __simsight_device_of(location), stream);
}
static inline cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, cudaMemLocation location,
                                                  unsigned int flags, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(devPtr, count, location, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void *devPtr, size_t count, cudaMemoryAdvise advice,
                                        cudaMemLocation location) {
  return cudaMemAdvise(devPtr, count, advice, __simsight_device_of(location));
}
static inline cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, cudaMemoryAdvise advice,
                                           cudaMemLocation location) {
  return cudaMemAdvise(devPtr, count, advice, location);
}
template <class T> static inline cudaError_t cudaMallocHost(T **ptr, size_t size, unsigned int flags = 0) {
  return flags ? cudaHostAlloc((void **)ptr, size, flags) : cudaMallocHost((void **)ptr, size);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **ptr, size_t size, unsigned int flags) {
  return cudaHostAlloc((void **)ptr, size, flags);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
  return cudaHostGetDevicePointer((void **)device, host, flags);
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **devPtr, const T &symbol) {
  return cudaGetSymbolAddress(devPtr, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(T **devPtr, const T &symbol) {
  return cudaGetSymbolAddress((void **)devPtr, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
  return cudaGetSymbolSize(size, (const void *)&symbol);
}

template <class T>
static inline cudaError_t cudaLaunchKernel(T *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem = 0,
                                           cudaStream_t stream = 0) {
  return cudaLaunchKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 gridDim, dim3 blockDim, void **args,
                                                      size_t sharedMem = 0, cudaStream_t stream = 0) {
  return cudaLaunchCooperativeKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attr, T *func) {
  return cudaFuncGetAttributes(attr, (const void *)func);
}
template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *func) {
  return cudaFuncGetName(name, (const void *)func);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *func, cudaFuncAttribute attr, int value) {
  return cudaFuncSetAttribute((const void *)func, attr, value);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *func, cudaFuncCache config) {
  return cudaFuncSetCacheConfig((const void *)func, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, T func, int blockSize,
                                                                        size_t dynamicSMemSize) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, (const void *)func, blockSize, dynamicSMemSize);
}

/* The block size, a multiple of the warp, with the most resident threads: the largest of equals. */
template <class T, class SharedSize>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, T func,
                                                                         SharedSize sharedSize,
                                                                         int blockSizeLimit = 0) {
  int device, processors, best = 0;
  cudaFuncAttributes attributes;
  cudaError_t error;
  if ((error = cudaGetDevice(&device)) != cudaSuccess) return error;
  if ((error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device)) != cudaSuccess)
    return error;
  if ((error = cudaFuncGetAttributes(&attributes, (const void *)func)) != cudaSuccess) return error;
  int limit = attributes.maxThreadsPerBlock;
  if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
  *blockSize = 0;
  *minGridSize = 0;
  for (int size = (limit + 31) / 32 * 32; size > 0; size -= 32) {
    int tried = size < limit ? size : limit, blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)func, tried, sharedSize(tried));
    if (error != cudaSuccess) return error;
    if (blocks * tried > best) {
      best = blocks * tried;
      *blockSize = tried;
      *minGridSize = blocks * processors;
    }
  }
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, T func,
                                                             size_t dynamicSMemSize = 0, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; }, blockSizeLimit);
}

template <class T>
static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, T *symbol) {
  return cudaGetFuncBySymbol(function, (const void *)symbol);
}
template <class T>
static inline cudaError_t cudaGetKernel(cudaKernel_t *kernel, T *function) {
  return cudaGetKernel(kernel, (const void *)function);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}

/* Both signatures that CUDA 11 had. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *errorNode,
                                               char *, size_t) {
  if (errorNode) *errorNode = nullptr;
  return cudaGraphInstantiate(exec, graph, 0);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *errorNode,
                                              cudaGraphExecUpdateResult *result) {
  cudaGraphExecUpdateResultInfo info;
  const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  if (errorNode) *errorNode = info.errorNode;
  if (result) *result = info.result;
  return error;
}

/*
 * With data of edges, as CUDA 13 has these calls, and CUDA 12 under names with _v2. The data are all zero: an edge that is not
 * is for programmatic launches.
 */
static inline bool __simsightPlainEdges(const cudaGraphEdgeData *data, size_t count) {
  const unsigned char *bytes = (const unsigned char *)data;
  for (size_t i = 0; data && i < count * sizeof *data; i++)
    if (bytes[i] != 0) return false;
  return true;
}
static inline void __simsightClearEdges(cudaGraphEdgeData *data, const size_t *count) {
  if (data && count) memset((void *)data, 0, *count * sizeof *data);
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *data,
                                           size_t numDependencies, cudaGraphNodeParams *params) {
  if (!__simsightPlainEdges(data, numDependencies)) return cudaErrorNotSupported;
  return cudaGraphAddNode(node, graph, dependencies, numDependencies, params);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                                   size_t count) {
  return __simsightPlainEdges(data, count) ? cudaGraphAddDependencies(graph, from, to, count) : cudaErrorNotSupported;
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                                      size_t count) {
  return __simsightPlainEdges(data, count) ? cudaGraphRemoveDependencies(graph, from, to, count)
                                           : cudaErrorNotSupported;
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                            cudaGraphEdgeData *data, size_t *count) {
  __simsightClearEdges(data, count);
  return cudaGraphGetEdges(graph, from, to, count);
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                                       cudaGraphEdgeData *data, size_t *count) {
  __simsightClearEdges(data, count);
  return cudaGraphNodeGetDependencies(node, dependencies, count);
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                                                         cudaGraphEdgeData *data, size_t *count) {
  __simsightClearEdges(data, count);
  return cudaGraphNodeGetDependentNodes(node, dependents, count);
}
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                   unsigned long long *id, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **dependencies,
                                                   const cudaGraphEdgeData **data, size_t *count) {
  if (data) *data = nullptr;
  return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, count);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                              const cudaGraphEdgeData *data, size_t count,
                                                              unsigned int flags = 0) {
  if (!__simsightPlainEdges(data, count)) return cudaErrorNotSupported;
  return cudaStreamUpdateCaptureDependencies(stream, dependencies, count, flags);
}
#define cudaGraphAddNode_v2 cudaGraphAddNode
#define cudaGraphAddDependencies_v2 cudaGraphAddDependencies
#define cudaGraphRemoveDependencies_v2 cudaGraphRemoveDependencies
#define cudaGraphGetEdges_v2 cudaGraphGetEdges
#define cudaGraphNodeGetDependencies_v2 cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes_v2 cudaGraphNodeGetDependentNodes
#define cudaStreamGetCaptureInfo_v2 cudaStreamGetCaptureInfo
#define cudaStreamGetCaptureInfo_v3 cudaStreamGetCaptureInfo
#define cudaStreamUpdateCaptureDependencies_v2 cudaStreamUpdateCaptureDependencies

template <class T>
static inline cudaError_t cudaMallocAsync(T **devPtr, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)devPtr, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **devPtr, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)devPtr, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *devPtr, size_t length = 0,
                                                   unsigned int flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, (void *)devPtr, length, flags);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                         const cudaGraphNode_t *dependencies, size_t numDependencies,
                                                         const T &symbol, const void *src, size_t count, size_t offset,
                                                         cudaMemcpyKind kind) {
  return cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, numDependencies, (const void *)&symbol, src, count,
                                        offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                           const cudaGraphNode_t *dependencies, size_t numDependencies,
                                                           void *dst, const T &symbol, size_t count, size_t offset,
                                                           cudaMemcpyKind kind) {
  return cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, numDependencies, dst, (const void *)&symbol, count,
                                          offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *src,
                                                               size_t count, size_t offset, cudaMemcpyKind kind) {
  return cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const T &symbol,
                                                                 size_t count, size_t offset, cudaMemcpyKind kind) {
  return cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                   const T &symbol, const void *src, size_t count,
                                                                   size_t offset, cudaMemcpyKind kind) {
  return cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, src, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                     void *dst, const T &symbol, size_t count,
                                                                     size_t offset, cudaMemcpyKind kind) {
  return cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, T func, int blockSize,
                                                                                 size_t dynamicSMemSize,
                                                                                 unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void *)func, blockSize,
                                                                dynamicSMemSize, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *func, int numBlocks,
                                                                    int blockSize) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)func, numBlocks, blockSize);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, T func,
                                                                      size_t dynamicSMemSize = 0,
                                                                      int blockSizeLimit = 0, unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSize(minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *func, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig((const void *)func, config);
}

/* The arguments are converted to the kernel's parameters first, as <<<>>> does. */
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                                             Arguments &&...arguments) {
  return [&](Parameters... converted) {
    void *pointers[] = {(void *)&converted..., nullptr};
    return cudaLaunchKernelExC(config, (const void *)kernel, pointers);
  }(static_cast<Arguments &&>(arguments)...);
}

/* Channel descriptions of the types that textures may have. */
static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return __simsightChannelDesc(x, y, z, w, f);
}
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return __simsightChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define __SIMSIGHT_CHANNEL(type, x, y, z, w, kind)                                                                     \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                             \
    return __simsightChannelDesc(x, y, z, w, cudaChannelFormatKind##kind);                                             \
  }
#define __SIMSIGHT_CHANNELS(type, vector, bits, kind)                                                                  \
  __SIMSIGHT_CHANNEL(type, bits, 0, 0, 0, kind)                                                                        \
  __SIMSIGHT_CHANNEL(vector##1, bits, 0, 0, 0, kind)                                                                   \
  __SIMSIGHT_CHANNEL(vector##2, bits, bits, 0, 0, kind)                                                                \
  __SIMSIGHT_CHANNEL(vector##3, bits, bits, bits, 0, kind)                                                             \
  __SIMSIGHT_CHANNEL(vector##4, bits, bits, bits, bits, kind)
__SIMSIGHT_CHANNELS(signed char, char, 8, Signed)
__SIMSIGHT_CHANNELS(unsigned char, uchar, 8, Unsigned)
__SIMSIGHT_CHANNELS(short, short, 16, Signed)
__SIMSIGHT_CHANNELS(unsigned short, ushort, 16, Unsigned)
__SIMSIGHT_CHANNELS(int, int, 32, Signed)
__SIMSIGHT_CHANNELS(unsigned int, uint, 32, Unsigned)
__SIMSIGHT_CHANNELS(float, float, 32, Float)
__SIMSIGHT_CHANNEL(char, 8, 0, 0, 0, Signed)
#undef __SIMSIGHT_CHANNELS
#undef __SIMSIGHT_CHANNEL
