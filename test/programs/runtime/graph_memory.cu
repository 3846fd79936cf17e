// Memory nodes of graphs: addresses that stay, reuse behind a free, memory that outlives a launch, what such graphs refuse.
#include "../check.h"
__global__ void put(int *x, int n, int v) { for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = v + i; }
__global__ void sum(int *to, const int *x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(to, x[i]); }

cudaMemAllocNodeParams parameters(size_t bytes) {
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = bytes;
  return p;
}
cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t behind, void *function, void **arguments) {
  cudaKernelNodeParams p = {};
  p.func = function, p.gridDim = dim3(1), p.blockDim = dim3(64), p.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, &behind, 1, &p));
  return node;
}
cudaError_t removeEdge(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
#if CUDART_VERSION >= 13000
  return cudaGraphRemoveDependencies(graph, &from, &to, nullptr, 1);
#else
  return cudaGraphRemoveDependencies(graph, &from, &to, 1);
#endif
}
unsigned long long graphMemory(cudaGraphMemAttributeType which) {
  unsigned long long value = ~0ull;
  CHECK(cudaDeviceGetGraphMemAttribute(0, which, &value));
  return value;
}
constexpr unsigned long long block = 32 << 20;
constexpr int n = 1000, bytes = 4 * n, total = n * (n - 1) / 2;

// alloc, put, sum, free
void inside(cudaStream_t s, int *to) {
  cudaGraph_t graph, other;
  CHECK(cudaGraphCreate(&graph, 0)), CHECK(cudaGraphCreate(&other, 0));
  cudaGraphNode_t allocate, release, node;
  cudaMemAllocNodeParams p = parameters(bytes), got = {};
  CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &p));
  EXPECT(p.dptr != nullptr);
  int *x = (int *)p.dptr, count = n, value = 0;
  void *putArguments[] = {&x, &count, &value}, *sumArguments[] = {&to, &x, &count};
  cudaGraphNode_t putNode = kernel(graph, allocate, (void *)put, putArguments);
  cudaGraphNode_t sumNode = kernel(graph, putNode, (void *)sum, sumArguments);
  CHECK(cudaGraphAddMemFreeNode(&release, graph, &sumNode, 1, x));

  // Nothing is there before a launch; what was freed in the graph, or is nobody's, cannot be freed.
  int word = 0;
  cudaPointerAttributes attributes;
  EXPECT_ERROR(cudaMemcpy(x, &word, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK(cudaPointerGetAttributes(&attributes, x));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);
  EXPECT_ERROR(cudaFree(x), cudaErrorInvalidValue);
  for (int *stray : {x, x + 64, to, (int *)nullptr})
    EXPECT_ERROR(cudaGraphAddMemFreeNode(&node, graph, &sumNode, 1, stray), cudaErrorInvalidValue);

  CHECK(cudaGraphMemAllocNodeGetParams(allocate, &got));
  EXPECT(got.dptr == x && got.bytesize == bytes && got.poolProps.location.type == cudaMemLocationTypeDevice);
  void *freed = nullptr;
  CHECK(cudaGraphMemFreeNodeGetParams(release, &freed));
  EXPECT(freed == x);
  EXPECT_ERROR(cudaGraphMemFreeNodeGetParams(allocate, &freed), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaGraphMemAllocNodeGetParams(release, &got), cudaErrorInvalidValue);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(allocate, &type));
  EXPECT(type == cudaGraphNodeTypeMemAlloc);
  CHECK(cudaGraphNodeGetType(release, &type));
  EXPECT(type == cudaGraphNodeTypeMemFree);

  cudaMemAllocNodeParams bad = parameters(0);
  EXPECT_ERROR(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &bad), cudaErrorInvalidValue);
  bad = parameters(64), bad.poolProps.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  EXPECT_ERROR(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &bad), cudaErrorNotSupported);
  bad = parameters(64), bad.poolProps.allocType = cudaMemAllocationTypeInvalid;
  EXPECT_ERROR(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &bad), cudaErrorInvalidValue);
  bad = parameters(64), bad.poolProps.location.id = 99;
  EXPECT_ERROR(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &bad), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);

  // Such a graph keeps its nodes and edges, and is there once.
  EXPECT_ERROR(cudaGraphDestroyNode(sumNode), cudaErrorNotSupported);
  EXPECT_ERROR(removeEdge(graph, allocate, putNode), cudaErrorNotSupported);
  cudaGraph_t clone;
  EXPECT_ERROR(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
  EXPECT_ERROR(cudaGraphAddChildGraphNode(&node, other, nullptr, 0, graph), cudaErrorNotSupported);
  cudaGraphExec_t exec, second;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_ERROR(cudaGraphInstantiate(&second, graph, 0), cudaErrorNotSupported);
  EXPECT(graphMemory(cudaGraphMemAttrReservedMemCurrent) == 0);
  CHECK(cudaGraphUpload(exec, s));
  CHECK(cudaStreamSynchronize(s));
  EXPECT(graphMemory(cudaGraphMemAttrReservedMemCurrent) == block);
  EXPECT_ERROR(cudaGraphNodeSetEnabled(exec, allocate, 0), cudaErrorInvalidValue);
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaStreamSynchronize(s));
  CHECK(cudaMemcpy(&word, to, 4, cudaMemcpyDeviceToHost));
  same("inside", 0, word, 3 * total);
  EXPECT_ERROR(cudaFree(x), cudaErrorInvalidValue);

  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT_ERROR(cudaGraphLaunch(exec, s), cudaErrorStreamCaptureUnsupported);
  EXPECT_ERROR(cudaStreamEndCapture(s, &clone), cudaErrorStreamCaptureInvalidated);

  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaDeviceGraphMemTrim(0));
  EXPECT(graphMemory(cudaGraphMemAttrReservedMemCurrent) == 0);
  EXPECT(graphMemory(cudaGraphMemAttrReservedMemHigh) == block);
  unsigned long long zero = 0, one = 1;
  CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero));
  CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  EXPECT(graphMemory(cudaGraphMemAttrReservedMemHigh) == 0);
  EXPECT_ERROR(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &one), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaDeviceGetGraphMemAttribute(99, cudaGraphMemAttrUsedMemHigh, &zero), cudaErrorInvalidDevice);
  EXPECT_ERROR(cudaDeviceGraphMemTrim(99), cudaErrorInvalidDevice);

  // A graph of the same form brings its own addresses along.
  cudaGraph_t like;
  CHECK(cudaGraphCreate(&like, 0));
  p = parameters(2 * bytes);
  CHECK(cudaGraphAddMemAllocNode(&allocate, like, nullptr, 0, &p));
  x = (int *)p.dptr;
  putNode = kernel(like, allocate, (void *)put, putArguments), sumNode = kernel(like, putNode, (void *)sum, sumArguments);
  CHECK(cudaGraphAddMemFreeNode(&release, like, &sumNode, 1, x));
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(exec, like, &info));
  CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaMemcpyAsync(&word, to, 4, cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s));
  same("updated", 0, word, 4 * total);
  CHECK(cudaGraphDestroy(like));

  CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph)), CHECK(cudaGraphDestroy(other));
  CHECK(cudaDeviceGraphMemTrim(0));
}

// What a graph allocates and does not free: by cudaFreeAsync, cudaFree, another graph, or the next launch.
void outside(cudaStream_t s) {
  cudaGraph_t graph, releasing;
  CHECK(cudaGraphCreate(&graph, 0)), CHECK(cudaGraphCreate(&releasing, 0));
  cudaGraphNode_t allocate, release;
  cudaMemAllocNodeParams p = parameters(bytes);
  CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &p));
  int *x = (int *)p.dptr, count = n, value = 7;
  void *arguments[] = {&x, &count, &value};
  kernel(graph, allocate, (void *)put, arguments);
  CHECK(cudaGraphAddMemFreeNode(&release, releasing, nullptr, 0, x));
  cudaGraphExec_t exec, releaser;
  CHECK(cudaGraphInstantiate(&exec, graph, 0)), CHECK(cudaGraphInstantiate(&releaser, releasing, 0));
  EXPECT_ERROR(cudaFreeAsync(x, s), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaGraphLaunch(releaser, s), cudaErrorInvalidValue);
  const auto check = [&](int i) {
    int word = 0;
    CHECK(cudaMemcpyAsync(&word, x + 5, 4, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    same("outside", i, word, 12);
  };
  CHECK(cudaGraphLaunch(exec, s));
  check(0);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, x));
  EXPECT(attributes.type == cudaMemoryTypeDevice);
  EXPECT_ERROR(cudaGraphLaunch(exec, s), cudaErrorInvalidValue);
  CHECK(cudaFreeAsync(x, s));
  CHECK(cudaGraphLaunch(exec, s));
  check(1);
  CHECK(cudaFree(x));
  EXPECT_ERROR(cudaFree(x), cudaErrorInvalidValue);
  CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaGraphLaunch(releaser, s));
  EXPECT_ERROR(cudaGraphLaunch(releaser, s), cudaErrorInvalidValue);
  CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaDeviceGraphMemTrim(0));
  EXPECT(graphMemory(cudaGraphMemAttrUsedMemCurrent) == block);
  // It outlives graph and executable.
  CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphExecDestroy(releaser));
  CHECK(cudaGraphDestroy(graph)), CHECK(cudaGraphDestroy(releasing));
  check(2);
  CHECK(cudaFree(x));

  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &p));
  x = (int *)p.dptr;
  kernel(graph, allocate, (void *)put, arguments);
  CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int i = 3; i < 6; ++i) {
    CHECK(cudaGraphLaunch(exec, s));
    check(i);
  }
  CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(x));
  CHECK(cudaDeviceGraphMemTrim(0));
  EXPECT(graphMemory(cudaGraphMemAttrUsedMemCurrent) == 0);
}

// Addresses are used again by nodes behind the one that frees them, and only by those.
void reuse(cudaStream_t s) {
  for (int ordered = 0; ordered < 2; ++ordered) {
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first, second, release;
    cudaMemAllocNodeParams a = parameters(1 << 20), b = parameters(1 << 20);
    CHECK(cudaGraphAddMemAllocNode(&first, graph, nullptr, 0, &a));
    CHECK(cudaGraphAddMemFreeNode(&release, graph, &first, 1, a.dptr));
    CHECK(cudaGraphAddMemAllocNode(&second, graph, ordered ? &release : &first, 1, &b));
    EXPECT((a.dptr == b.dptr) == (ordered == 1));
    CHECK(cudaGraphAddMemFreeNode(&release, graph, &second, 1, b.dptr));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s)), CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph));
  }
}

// cudaMallocAsync and cudaFreeAsync of a stream that is being captured.
void captured(cudaStream_t s, int *to) {
  cudaGraph_t graph;
  int *x, *y, *nothing = to, *pooled, result = 0;
  std::vector<int> host(n, 3);
  CHECK(cudaMallocAsync(&pooled, 64, s));
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long before, after;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &before));
  CHECK(cudaMemsetAsync(to, 0, 4, s));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&x, bytes, s));
  CHECK(cudaMallocFromPoolAsync(&y, bytes, pool, s));
  EXPECT(x != y);
  CHECK(cudaMallocAsync(&nothing, 0, s));
  EXPECT(nothing == nullptr);
  CHECK(cudaMemcpyAsync(x, host.data(), bytes, cudaMemcpyHostToDevice, s));
  CHECK(cudaMemsetAsync(y, 0, bytes, s));
  CHECK(cudaMemcpyAsync(y, x, bytes / 2, cudaMemcpyDeviceToDevice, s));
  CHECK(cudaFreeAsync(x, s));
  sum<<<1, 64, 0, s>>>(to, y, n);
  EXPECT_ERROR(cudaFreeAsync(x, s), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaFreeAsync(to, s), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaFreeAsync(pooled, s), cudaErrorInvalidValue);
  CHECK(cudaFreeAsync(nullptr, s));
  CHECK(cudaFreeAsync(y, s));
  CHECK(cudaStreamEndCapture(s, &graph));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &after));
  EXPECT(before == after);
  size_t count;
  CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  same("nodes", 0, (int)count, 8);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, s)), CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaMemcpyAsync(&result, to, 4, cudaMemcpyDeviceToHost, s));
  CHECK(cudaFreeAsync(pooled, s));
  CHECK(cudaStreamSynchronize(s));
  same("captured", 0, result, 2 * 3 * n / 2);
  CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph));
}

int main() {
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  Device<int> to(1);
  inside(s, to);
  outside(s);
  reuse(s);
  captured(s, to);
  return finish();
}
