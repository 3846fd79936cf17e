// Graphs of the driver API: nodes by their own calls and by those for any, what they show, executables, edges with data, capture, conditions.
#include "check_driver.h"

__global__ void scale(int *values, int n, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}
__global__ void count(int *total, int amount) { *total += amount; }
__global__ void decide(cudaGraphConditionalHandle handle, const int *total, int limit) {
  cudaGraphSetConditional(handle, *total < limit);
}

static const int n = 1000;
static int hostCalls;
static void CUDA_CB called(void *data) { hostCalls += *(int *)data; }

static CUfunction functionOf(const void *kernel) {
  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, kernel));
  return function;
}

/* From the host, or to it, all n. */
static CUDA_MEMCPY3D copyOf(CUdeviceptr device, int *host, bool toDevice) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = toDevice ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  copy.dstMemoryType = toDevice ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  (toDevice ? copy.dstDevice : copy.srcDevice) = device;
  if (toDevice) copy.srcHost = host;
  else copy.dstHost = host;
  copy.WidthInBytes = n * sizeof(int);
  copy.Height = copy.Depth = 1;
  return copy;
}

template <class Parameters = CUDA_KERNEL_NODE_PARAMS>
static Parameters kernelOf(CUfunction function, unsigned blocks, unsigned threads, void **arguments) {
  Parameters kernel = {};
  kernel.func = function;
  kernel.gridDimX = blocks, kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = threads, kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = arguments;
  return kernel;
}

static void nodes(CUcontext context, CUstream stream) {
  std::vector<int> in(n), out(n, 0);
  for (int i = 0; i < n; i++) in[i] = i;
  CUdeviceptr memory;
  DRIVER(cuMemAlloc(&memory, n * sizeof(int)));
  CUgraph graph;
  DRIVER(cuGraphCreate(&graph, 0));
  CUgraphNode first, second, third, fourth, host, empty;
  CUDA_MEMCPY3D to = copyOf(memory, in.data(), true), from = copyOf(memory, out.data(), false);
  DRIVER(cuGraphAddMemcpyNode(&first, graph, nullptr, 0, &to, context));
  int size = n, factor = 3, amount = 5;
  void *arguments[] = {&memory, &size, &factor};
  CUDA_KERNEL_NODE_PARAMS kernel = kernelOf(functionOf((const void *)scale), 8, 128, arguments);
  DRIVER(cuGraphAddKernelNode(&second, graph, &first, 1, &kernel));
  CUDA_MEMSET_NODE_PARAMS fill = {};
  fill.dst = memory + 4, fill.value = 0x11223344, fill.elementSize = 4, fill.width = 2, fill.height = 1;
  DRIVER(cuGraphAddMemsetNode(&third, graph, &second, 1, &fill, context));
  DRIVER(cuGraphAddMemcpyNode(&fourth, graph, &third, 1, &from, context));
  CUDA_HOST_NODE_PARAMS call = {called, &amount};
  DRIVER(cuGraphAddHostNode(&host, graph, &fourth, 1, &call));
  DRIVER(cuGraphAddEmptyNode(&empty, graph, nullptr, 0));

  // What they show.
  CUDA_KERNEL_NODE_PARAMS shown = {};
  DRIVER(cuGraphKernelNodeGetParams(second, &shown));
  EXPECT(shown.gridDimX == 8 && shown.blockDimX == 128 && *(int *)shown.kernelParams[2] == 3);
  CUDA_MEMCPY3D copied = {};
  DRIVER(cuGraphMemcpyNodeGetParams(first, &copied));
  EXPECT(copied.srcMemoryType == CU_MEMORYTYPE_HOST && copied.srcHost == in.data());
  EXPECT(copied.dstMemoryType == CU_MEMORYTYPE_DEVICE && copied.dstDevice == memory && copied.WidthInBytes == n * 4);
  CUgraphNodeType type;
  DRIVER(cuGraphNodeGetType(third, &type));
  EXPECT(type == CU_GRAPH_NODE_TYPE_MEMSET);
  size_t amountOf = 0;
  DRIVER(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &amountOf));
  same("edges", 0, amountOf, size_t(4));
  CUgraphNode edgesFrom[4], edgesTo[4];
  CUgraphEdgeData data[4];
  memset(data, 1, sizeof data);
  DRIVER(cuGraphGetEdges(graph, edgesFrom, edgesTo, data, &amountOf));
  for (int i = 0; i < 4; i++) EXPECT(data[i].from_port == 0 && data[i].to_port == 0 && data[i].type == 0);
  DRIVER(cuGraphAddDependencies(graph, &empty, &first, nullptr, 1));
  DRIVER(cuGraphNodeGetDependencies(first, nullptr, nullptr, &amountOf));
  same("dependencies", 0, amountOf, size_t(1));
  DRIVER(cuGraphRemoveDependencies(graph, &empty, &first, nullptr, 1));
  EXPECT_DRIVER(cuGraphRemoveDependencies(graph, &empty, &first, nullptr, 1), CUDA_ERROR_INVALID_VALUE);

  CUgraphExec exec;
  DRIVER(cuGraphInstantiate(&exec, graph, 0));
  DRIVER(cuGraphUpload(exec, stream));
  DRIVER(cuGraphLaunch(exec, stream));
  DRIVER(cuStreamSynchronize(stream));
  for (int i = 0; i < n; i++) same("out", i, out[i], i == 1 || i == 2 ? 0x11223344 : 3 * i);
  same("host", 0, hostCalls, 5);

  // The executable's kernel gets another factor, as a buffer; its fill is left out.
  struct {
    CUdeviceptr memory;
    int size, factor;
  } buffer = {memory, n, 7};
  size_t bytes = sizeof buffer;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  CUDA_KERNEL_NODE_PARAMS other = kernelOf(nullptr, 8, 128, nullptr);
  cudaKernel_t handle;
  CHECK(cudaGetKernel(&handle, (const void *)scale));
  other.kern = handle;
  other.extra = extra;
  DRIVER(cuGraphExecKernelNodeSetParams(exec, second, &other));
  DRIVER(cuGraphNodeSetEnabled(exec, third, 0));
  unsigned enabled = 1;
  DRIVER(cuGraphNodeGetEnabled(exec, third, &enabled));
  same("enabled", 0, enabled, 0u);
  DRIVER(cuGraphLaunch(exec, stream));
  DRIVER(cuStreamSynchronize(stream));
  for (int i = 0; i < n; i++) same("seven", i, out[i], 7 * i);

  // The graph still has its own; a clone of it brings the executable back.
  CUgraph clone;
  DRIVER(cuGraphClone(&clone, graph));
  CUgraphNode inClone;
  DRIVER(cuGraphNodeFindInClone(&inClone, second, clone));
  factor = 2;
  DRIVER(cuGraphKernelNodeSetParams(inClone, &kernel));
  CUgraphExecUpdateResultInfo result;
  DRIVER(cuGraphExecUpdate(exec, clone, &result));
  EXPECT(result.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  DRIVER(cuGraphNodeSetEnabled(exec, third, 1));
  DRIVER(cuGraphLaunch(exec, stream));
  DRIVER(cuStreamSynchronize(stream));
  for (int i = 0; i < n; i++) same("two", i, out[i], i == 1 || i == 2 ? 0x11223344 : 2 * i);
  same("host", 1, hostCalls, 15);
  DRIVER(cuGraphExecDestroy(exec));
  DRIVER(cuGraphDestroy(clone));
  DRIVER(cuGraphDestroy(graph));
  DRIVER(cuMemFree(memory));
}

static void anyNodes(CUcontext context, CUstream stream) {
  CUdeviceptr memory;
  DRIVER(cuMemAlloc(&memory, sizeof(int)));
  CUgraph graph;
  DRIVER(cuGraphCreate(&graph, 0));
  CUgraphNode fill, add, loop, inner, test;
  CUgraphNodeParams node = {};
  node.type = CU_GRAPH_NODE_TYPE_MEMSET;
  node.memset.dst = memory, node.memset.elementSize = 4, node.memset.width = 1, node.memset.height = 1;
  node.memset.value = 10, node.memset.ctx = context;
  DRIVER(cuGraphAddNode(&fill, graph, nullptr, nullptr, 0, &node));
  int amount = 4, limit = 40;
  void *arguments[] = {&memory, &amount};
  CUgraphNodeParams kernel = {};
  kernel.type = CU_GRAPH_NODE_TYPE_KERNEL;
  kernel.kernel = kernelOf<CUDA_KERNEL_NODE_PARAMS_v3>(functionOf((const void *)count), 1, 1, arguments);
  DRIVER(cuGraphAddNode(&add, graph, &fill, nullptr, 1, &kernel));
  CUgraphConditionalHandle condition;
  DRIVER(cuGraphConditionalHandleCreate(&condition, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams repeat = {};
  repeat.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  repeat.conditional.handle = condition, repeat.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  repeat.conditional.size = 1, repeat.conditional.ctx = context;
  DRIVER(cuGraphAddNode(&loop, graph, &add, nullptr, 1, &repeat));
  CUgraph body = repeat.conditional.phGraph_out[0];
  amount = 7;
  DRIVER(cuGraphAddNode(&inner, body, nullptr, nullptr, 0, &kernel));
  void *decided[] = {&condition, &memory, &limit};
  CUgraphNodeParams deciding = {};
  deciding.type = CU_GRAPH_NODE_TYPE_KERNEL;
  deciding.kernel = kernelOf<CUDA_KERNEL_NODE_PARAMS_v3>(functionOf((const void *)decide), 1, 1, decided);
  DRIVER(cuGraphAddNode(&test, body, &inner, nullptr, 1, &deciding));
  int total = 0;
  CUgraphExec exec;
  DRIVER(cuGraphInstantiate(&exec, graph, 0));
  DRIVER(cuGraphLaunch(exec, stream));
  DRIVER(cuStreamSynchronize(stream));
  DRIVER(cuMemcpyDtoH(&total, memory, sizeof total));
  same("loop", 0, total, 42); // 14, and sevens until it is 40
  node.memset.value = 39;
  DRIVER(cuGraphExecNodeSetParams(exec, fill, &node));
  DRIVER(cuGraphLaunch(exec, stream));
  DRIVER(cuStreamSynchronize(stream));
  DRIVER(cuMemcpyDtoH(&total, memory, sizeof total));
  same("loop", 1, total, 50);
  CUgraphEdgeData programmatic = {};
  programmatic.type = CU_GRAPH_DEPENDENCY_TYPE_DEFAULT;
  DRIVER(cuGraphAddDependencies(graph, &fill, &loop, &programmatic, 1));
  DRIVER(cuGraphExecDestroy(exec));
  DRIVER(cuGraphDestroy(graph));
  DRIVER(cuMemFree(memory));
}

static void captured(CUstream stream) {
  int total = 0, amount = 6;
  CUdeviceptr memory;
  DRIVER(cuMemAlloc(&memory, sizeof(int)));
  CUstreamCaptureStatus status;
  DRIVER(cuStreamIsCapturing(stream, &status));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_NONE);
  DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DRIVER(cuMemsetD32Async(memory, 1, 1, stream));
  void *arguments[] = {&memory, &amount};
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  CUlaunchAttribute priority = {};
  priority.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  config.attrs = &priority, config.numAttrs = 1;
  DRIVER(cuLaunchKernelEx(&config, functionOf((const void *)count), arguments, nullptr));
  cuuint64_t id;
  CUgraph graph = nullptr, same_ = nullptr;
  const CUgraphNode *tails;
  const CUgraphEdgeData *edges;
  size_t amountOfTails;
  DRIVER(cuStreamGetCaptureInfo(stream, &status, &id, &graph, &tails, &edges, &amountOfTails));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && amountOfTails == 1);
  CUgraphNodeType type;
  DRIVER(cuGraphNodeGetType(tails[0], &type));
  EXPECT(type == CU_GRAPH_NODE_TYPE_KERNEL);
  CUgraphNode last;
  int calls = 100;
  CUDA_HOST_NODE_PARAMS call = {called, &calls};
  DRIVER(cuGraphAddHostNode(&last, graph, tails, 1, &call));
  DRIVER(cuStreamUpdateCaptureDependencies(stream, &last, nullptr, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  DRIVER(cuStreamEndCapture(stream, &same_));
  EXPECT(same_ == graph);
  CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
  CUgraphExec exec;
  DRIVER(cuGraphInstantiateWithParams(&exec, graph, &how));
  EXPECT(how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
  hostCalls = 0;
  for (int i = 0; i < 3; i++) DRIVER(cuGraphLaunch(exec, stream));
  DRIVER(cuStreamSynchronize(stream));
  DRIVER(cuMemcpyDtoH(&total, memory, sizeof total));
  same("captured", 0, total, 7);
  same("calls", 0, hostCalls, 300);
  EXPECT_DRIVER(cuStreamEndCapture(stream, &same_), CUDA_ERROR_ILLEGAL_STATE);
  DRIVER(cuGraphExecDestroy(exec));
  DRIVER(cuGraphDestroy(graph));
  DRIVER(cuMemFree(memory));
}

static void pools(CUdevice device, CUstream stream) {
  CUmemoryPool pool, usual, current;
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE, properties.location.id = device;
  DRIVER(cuMemPoolCreate(&pool, &properties));
  cuuint64_t threshold = 1 << 20, found = 0;
  DRIVER(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &found));
  EXPECT(found == threshold);
  CUdeviceptr memory;
  DRIVER(cuMemAllocFromPoolAsync(&memory, 1000, pool, stream));
  DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &found));
  EXPECT(found >= 1000);
  DRIVER(cuMemFreeAsync(memory, stream));
  DRIVER(cuStreamSynchronize(stream));
  DRIVER(cuDeviceGetDefaultMemPool(&usual, device));
  DRIVER(cuDeviceSetMemPool(device, pool));
  DRIVER(cuDeviceGetMemPool(&current, device));
  EXPECT(current == pool && usual != pool);
  CUmemLocation place = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  CUmemAccess_flags access;
  DRIVER(cuMemPoolGetAccess(&access, pool, &place));
  EXPECT(access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  DRIVER(cuMemPoolTrimTo(pool, 0));
  DRIVER(cuDeviceSetMemPool(device, usual));
  DRIVER(cuMemPoolDestroy(pool));
}

static void managed(CUdevice device, CUstream stream) {
  CUdeviceptr memory;
  const size_t bytes = 4 << 20;
  DRIVER(cuMemAllocManaged(&memory, bytes, CU_MEM_ATTACH_GLOBAL));
  CUmemLocation onDevice = {CU_MEM_LOCATION_TYPE_DEVICE, device}, onHost = {CU_MEM_LOCATION_TYPE_HOST, 0};
  DRIVER(cuMemAdvise(memory, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, onDevice));
  DRIVER(cuMemPrefetchAsync(memory, bytes, onDevice, 0, stream));
  DRIVER(cuStreamSynchronize(stream));
  int last = -5, preferred = -5;
  DRIVER(cuMemRangeGetAttribute(&last, sizeof last, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, bytes));
  DRIVER(cuMemRangeGetAttribute(&preferred, sizeof preferred, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, bytes));
  EXPECT(last == device && preferred == device);
  DRIVER(cuMemPrefetchAsync(memory, bytes, onHost, 0, stream));
  DRIVER(cuStreamSynchronize(stream));
  DRIVER(cuMemRangeGetAttribute(&last, sizeof last, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, bytes));
  same("on the host", 0, last, CU_DEVICE_CPU);
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  unsigned isManaged = 0;
  int ordinal = -1;
  void *targets[] = {&isManaged, &ordinal};
  DRIVER(cuPointerGetAttributes(2, wanted, targets, memory));
  EXPECT(isManaged == 1 && ordinal == device);
  DRIVER(cuMemFree(memory));
}

static int destroyed;
static void CUDA_CB destroy(void *data) { destroyed += *(int *)data; }

static void objects(CUstream stream) {
  static int amount = 9;
  CUuserObject object;
  DRIVER(cuUserObjectCreate(&object, &amount, destroy, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  CUgraph graph;
  DRIVER(cuGraphCreate(&graph, 0));
  DRIVER(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  DRIVER(cuGraphDestroy(graph));
  DRIVER(cuStreamSynchronize(stream));
  for (int i = 0; i < 1000 && destroyed == 0; i++) DRIVER(cuCtxSynchronize());
}

int main() {
  CUdevice device;
  CUcontext context;
  CUstream stream;
  DRIVER(cuInit(0));
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER(cuCtxSetCurrent(context));
  DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  nodes(context, stream);
  anyNodes(context, stream);
  captured(stream);
  pools(device, stream);
  managed(device, stream);
  objects(stream);
  DRIVER(cuStreamDestroy(stream));
  return finish();
}
