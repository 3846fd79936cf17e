// Graphs: attributes of kernel nodes, nodes of any type by one call, copies to symbols that are changed, edges with data, objects
// that graphs keep alive.
#include "../check.h"
__global__ void put(int *x, int v) { *x = v; }
__device__ int variable;

cudaGraphNode_t addPut(cudaGraph_t graph, int *x, int v) {
  void *arguments[] = {&x, &v};
  cudaKernelNodeParams p = {};
  p.func = (void *)put, p.gridDim = dim3(1), p.blockDim = dim3(1), p.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  return node;
}
int priorityOf(cudaGraphNode_t node) {
  cudaKernelNodeAttrValue value = {};
  CHECK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &value));
  return value.priority;
}

void attributes(int *x) {
  cudaGraph_t graph, captured;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t a = addPut(graph, x, 1), b = addPut(graph, x, 2), empty;
  CHECK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  cudaKernelNodeAttrValue value;
  memset(&value, 0x55, sizeof value);
  CHECK(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeCooperative, &value));
  EXPECT(value.cooperative == 0);
  same("priority", 0, priorityOf(a), 0);
  value.priority = -3;
  CHECK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &value));
  same("priority", 1, priorityOf(a), -3);
  value.priority = 5;
  CHECK(cudaGraphKernelNodeSetAttribute(b, cudaLaunchAttributePriority, &value));
  same("priority", 2, priorityOf(b), 0);
  value.cooperative = 1;
  CHECK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeCooperative, &value));
  CHECK(cudaGraphKernelNodeCopyAttributes(b, a));
  memset(&value, 0, sizeof value);
  CHECK(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributeCooperative, &value));
  EXPECT(value.cooperative == 1);
  same("priority", 3, priorityOf(b), -3);
  memset(&value, 0x55, sizeof value);
  CHECK(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeAccessPolicyWindow, &value));
  EXPECT(value.accessPolicyWindow.base_ptr == nullptr && value.accessPolicyWindow.num_bytes == 0);
  EXPECT_ERROR(cudaGraphKernelNodeGetAttribute(empty, cudaLaunchAttributePriority, &value), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaGraphKernelNodeSetAttribute(a, (cudaLaunchAttributeID)99, &value), cudaErrorInvalidValue);
  // What a stream has is what its kernels have.
  cudaStream_t s;
  CHECK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -4));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  put<<<1, 1, 0, s>>>(x, 3);
  CHECK(cudaStreamEndCapture(s, &captured));
  size_t one = 1;
  CHECK(cudaGraphGetNodes(captured, &a, &one));
  same("priority", 4, priorityOf(a), -4);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, captured, cudaGraphInstantiateFlagUseNodePriority));
  unsigned enabled = 7;
  CHECK(cudaGraphNodeGetEnabled(exec, a, &enabled));
  same("enabled", 0, (int)enabled, 1);
  CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaStreamSynchronize(s));
  CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph)), CHECK(cudaGraphDestroy(captured));
  CHECK(cudaStreamDestroy(s));
}

cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *behind, size_t n, cudaGraphNodeParams *p) {
#if CUDART_VERSION >= 13000
  return cudaGraphAddNode(node, graph, behind, nullptr, n, p);
#else
  return cudaGraphAddNode(node, graph, behind, n, p);
#endif
}
void CUDART_CB count(void *data) { ++*(int *)data; }

void anyType(int *x) {
  int calls = 0, host = 0, v = 20;
  cudaGraph_t graph, child;
  CHECK(cudaGraphCreate(&graph, 0)), CHECK(cudaGraphCreate(&child, 0));
  addPut(child, x, 8);
  cudaGraphNode_t kernel, last;
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));

  cudaGraphNodeParams fill = {};
  fill.type = cudaGraphNodeTypeMemset;
  fill.memset.dst = x, fill.memset.value = 5, fill.memset.elementSize = 4, fill.memset.width = fill.memset.height = 1;
  CHECK(add(&last, graph, nullptr, 0, &fill));
  void *arguments[] = {&x, &v};
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = (void *)put, p.kernel.gridDim = dim3(1), p.kernel.blockDim = dim3(1), p.kernel.kernelParams = arguments;
  CHECK(add(&kernel, graph, &last, 1, &p));
  cudaGraphNodeParams copy = {};
  copy.type = cudaGraphNodeTypeMemcpy;
  copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(x, 4, 4, 1);
  copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(&host, 4, 4, 1);
  copy.memcpy.copyParams.extent = make_cudaExtent(4, 1, 1), copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  CHECK(add(&last, graph, &kernel, 1, &copy));
  cudaGraphNodeParams function = {};
  function.type = cudaGraphNodeTypeHost, function.host.fn = count, function.host.userData = &calls;
  CHECK(add(&last, graph, &last, 1, &function));
  cudaGraphNodeParams nothing = {};
  nothing.type = cudaGraphNodeTypeEmpty;
  CHECK(add(&last, graph, &last, 1, &nothing));
  cudaGraphNodeParams record = {};
  record.type = cudaGraphNodeTypeEventRecord, record.eventRecord.event = event;
  CHECK(add(&last, graph, &last, 1, &record));
  cudaGraphNodeParams inner = {};
  inner.type = cudaGraphNodeTypeGraph, inner.graph.graph = child;
  CHECK(add(&last, graph, &last, 1, &inner));
  cudaGraphNodeParams bad = {};
  bad.type = (cudaGraphNodeType)50;
  EXPECT_ERROR(add(&last, graph, nullptr, 0, &bad), cudaErrorInvalidValue);
  bad.type = cudaGraphNodeTypeEmpty, bad.reserved0[0] = 1;
  EXPECT_ERROR(add(&last, graph, nullptr, 0, &bad), cudaErrorInvalidValue);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaEventSynchronize(event));
  CHECK(cudaDeviceSynchronize());
  same("host", 0, host, 20), same("calls", 0, calls, 1);
  v = 30;
  CHECK(cudaGraphExecNodeSetParams(exec, kernel, &p));
  EXPECT_ERROR(cudaGraphExecNodeSetParams(exec, kernel, &fill), cudaErrorInvalidValue);
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  same("host", 1, host, 30);
  v = 40;
  CHECK(cudaGraphNodeSetParams(kernel, &p));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  same("host", 2, host, 40), same("calls", 2, calls, 3);
  CHECK(cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost));
  same("child", 0, host, 8);
  CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph)), CHECK(cudaGraphDestroy(child));

  cudaGraphNodeParams allocate = {};
  allocate.type = cudaGraphNodeTypeMemAlloc, allocate.alloc.bytesize = 64;
  allocate.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  allocate.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(add(&last, graph, nullptr, 0, &allocate));
  EXPECT(allocate.alloc.dptr != nullptr);
  cudaGraphNodeParams release = {};
  release.type = cudaGraphNodeTypeMemFree, release.free.dptr = allocate.alloc.dptr;
  CHECK(add(&last, graph, &last, 1, &release));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_ERROR(cudaGraphExecNodeSetParams(exec, last, &release), cudaErrorNotSupported);
  EXPECT_ERROR(cudaGraphExecNodeSetParams(exec, last, &nothing), cudaErrorInvalidValue);
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph));
}

void symbols() {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  int one = 1, two = 2, got = 0;
  cudaGraphNode_t to, from;
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, variable, &one, 4, 0, cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, &got, variable, 4, 0, cudaMemcpyDeviceToHost));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  same("symbol", 0, got, 1);
  CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, variable, &two, 4, 0, cudaMemcpyHostToDevice));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  same("symbol", 1, got, 2);
  int other = 0;
  CHECK(cudaGraphMemcpyNodeSetParamsFromSymbol(from, &other, variable, 4, 0, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  same("symbol", 2, other, 1), same("symbol", 3, got, 2);
  CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph));
}

#if CUDART_VERSION >= 13000
#define EDGES(name) name
#else
#define EDGES(name) name##_v2
#endif
void edges(int *x) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t a = addPut(graph, x, 1), b = addPut(graph, x, 2), from, to;
  cudaGraphEdgeData data = {};
  CHECK(EDGES(cudaGraphAddDependencies)(graph, &a, &b, &data, 1));
  memset(&data, 0x55, sizeof data);
  size_t count = 1;
  CHECK(EDGES(cudaGraphGetEdges)(graph, &from, &to, &data, &count));
  EXPECT(count == 1 && from == a && to == b && data.type == 0 && data.from_port == 0 && data.to_port == 0);
  CHECK(EDGES(cudaGraphNodeGetDependencies)(b, &from, &data, &count));
  EXPECT(count == 1 && from == a);
  CHECK(EDGES(cudaGraphNodeGetDependentNodes)(a, &to, &data, &count));
  EXPECT(count == 1 && to == b);
  CHECK(EDGES(cudaGraphRemoveDependencies)(graph, &a, &b, &data, 1));
  CHECK(EDGES(cudaGraphGetEdges)(graph, nullptr, nullptr, nullptr, &count));
  same("edges", 0, (int)count, 0);
  CHECK(cudaGraphDestroy(graph));
}

void objects() {
  static int gone[2] = {};
  cudaUserObject_t object, released;
  cudaGraph_t graph, clone;
  CHECK(cudaGraphCreate(&graph, 0));
  EXPECT_ERROR(cudaUserObjectCreate(&object, gone, count, 1, 0), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaUserObjectCreate(&object, gone, count, 0, cudaUserObjectNoDestructorSync), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaUserObjectCreate(&object, gone, nullptr, 1, cudaUserObjectNoDestructorSync), cudaErrorInvalidValue);
  CHECK(cudaUserObjectCreate(&object, gone, count, 1, cudaUserObjectNoDestructorSync));
  EXPECT_ERROR(cudaGraphRetainUserObject(graph, object, 0, 0), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaGraphRetainUserObject(graph, object, 1, 7), cudaErrorInvalidValue);
  CHECK(cudaUserObjectRetain(object, 1));
  CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  CHECK(cudaUserObjectRelease(object, 1));
  CHECK(cudaGraphClone(&clone, graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphReleaseUserObject(graph, object, 1));
  CHECK(cudaGraphDestroy(graph)), CHECK(cudaGraphDestroy(clone));
  CHECK(cudaUserObjectCreate(&released, gone + 1, count, 2, cudaUserObjectNoDestructorSync));
  CHECK(cudaUserObjectRelease(released, 2));
  // Destructors are called by another thread, when it comes to it.
  const auto wait = [](int i) {
    for (long n = 0; n < 2000000000 && !*(volatile int *)&gone[i]; ++n) {}
    same("gone", i, gone[i], 1);
  };
  wait(1);
  same("kept", 0, gone[0], 0);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaDeviceSynchronize());
  wait(0);
}

int main() {
  Device<int> x(1);
  attributes(x);
  anyType(x);
  symbols();
  edges(x);
  objects();
  return finish();
}
