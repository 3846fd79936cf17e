// Conditional nodes of graphs: if with and without else, while, switch, nested ones, conditions with and without a value to begin
// with, bodies that are captured, and executables that are updated.
// Needs compute capability 7.0.
#include "../check.h"
__global__ void setTo(cudaGraphConditionalHandle condition, const unsigned *value) {
  cudaGraphSetConditional(condition, *value);
}
__global__ void add(int *counter, int what) { *counter += what; }
__global__ void countDown(unsigned *left, int *counter, cudaGraphConditionalHandle condition) {
  ++*counter;
  if (--*left == 0) cudaGraphSetConditional(condition, 0);
}

template <class... Args> static cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t behind, void *function, Args... args) {
  void *list[] = {&args...};
  cudaGraphNodeParams node = {cudaGraphNodeTypeKernel};
  node.kernel.func = function;
  node.kernel.gridDim = node.kernel.blockDim = dim3(1, 1, 1);
  node.kernel.kernelParams = list;
  cudaGraphNode_t made;
  CHECK(cudaGraphAddNode(&made, graph, behind ? &behind : nullptr, nullptr, behind ? 1 : 0, &node));
  return made;
}
static cudaGraphNode_t condition(cudaGraph_t graph, cudaGraphNode_t behind, cudaGraphConditionalHandle handle,
                                 cudaGraphConditionalNodeType type, unsigned size, std::vector<cudaGraph_t> &bodies) {
  cudaGraphNodeParams node = {cudaGraphNodeTypeConditional};
  node.conditional.handle = handle;
  node.conditional.type = type;
  node.conditional.size = size;
  cudaGraphNode_t made;
  CHECK(cudaGraphAddNode(&made, graph, behind ? &behind : nullptr, nullptr, behind ? 1 : 0, &node));
  bodies.assign(node.conditional.phGraph_out, node.conditional.phGraph_out + size);
  return made;
}
static int launched(cudaGraphExec_t executable, int *counter) {
  int got;
  CHECK(cudaMemset(counter, 0, sizeof(int)));
  CHECK(cudaGraphLaunch(executable, 0));
  CHECK(cudaMemcpy(&got, counter, sizeof(int), cudaMemcpyDeviceToHost));
  return got;
}
static void setValue(unsigned *value, unsigned to) { CHECK(cudaMemcpy(value, &to, sizeof to, cudaMemcpyHostToDevice)); }

int main() {
  int *counter;
  unsigned *value;
  CHECK(cudaMalloc(&counter, sizeof(int)));
  CHECK(cudaMalloc(&value, sizeof(unsigned)));
  std::vector<cudaGraph_t> bodies;

  // If, with an else and without: what it decides is what a kernel in front of it says.
  for (const unsigned size : {1u, 2u}) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    const auto first = kernel(graph, nullptr, (void *)setTo, handle, (const unsigned *)value);
    const auto node = condition(graph, first, handle, cudaGraphCondTypeIf, size, bodies);
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(node, &type));
    EXPECT(type == cudaGraphNodeTypeConditional);
    kernel(bodies[0], nullptr, (void *)add, counter, 1);
    if (size == 2) kernel(bodies[1], kernel(bodies[1], nullptr, (void *)add, counter, 10), (void *)add, counter, 20);
    kernel(graph, node, (void *)add, counter, 100);
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    // The executable has what the graph had.
    CHECK(cudaGraphDestroy(graph));
    for (const unsigned each : {1u, 0u, 7u}) {
      setValue(value, each);
      const int expected = 100 + (each != 0 ? 1 : size == 2 ? 30 : 0);
      same("if", each, launched(executable, counter), expected);
    }
    CHECK(cudaGraphExecDestroy(executable));
  }

  // While, from a value that each launch begins with; within it an if of its own.
  {
    cudaGraph_t graph, captured;
    cudaGraphExec_t executable;
    cudaGraphConditionalHandle whileHandle, ifHandle;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&whileHandle, graph, 1, cudaGraphCondAssignDefault));
    CHECK(cudaGraphConditionalHandleCreate(&ifHandle, graph, 0, cudaGraphCondAssignDefault));
    condition(graph, nullptr, whileHandle, cudaGraphCondTypeWhile, 1, bodies);
    const cudaGraph_t body = bodies[0];
    const auto last = kernel(body, nullptr, (void *)setTo, ifHandle, (const unsigned *)counter);
    const auto inner = condition(body, last, ifHandle, cudaGraphCondTypeIf, 1, bodies);
    // From the second time on.
    kernel(bodies[0], nullptr, (void *)add, counter, 1000);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCaptureToGraph(stream, body, &inner, nullptr, 1, cudaStreamCaptureModeGlobal));
    countDown<<<1, 1, 0, stream>>>(value, counter, whileHandle);
    CHECK(cudaStreamEndCapture(stream, &captured));
    EXPECT(captured == body);
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (const unsigned times : {1u, 5u, 50u}) {
      setValue(value, times);
      same("while", times, launched(executable, counter), (int)(times + 1000 * (times - 1)));
    }
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
  }

  // Switch: no body where there is none of that number.
  {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
    const auto first = kernel(graph, nullptr, (void *)setTo, handle, (const unsigned *)value);
    condition(graph, first, handle, cudaGraphCondTypeSwitch, 3, bodies);
    for (int i = 0; i < 3; ++i) kernel(bodies[i], nullptr, (void *)add, counter, 1 << i);
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (unsigned each = 0; each < 5; ++each) {
      setValue(value, each);
      same("switch", each, launched(executable, counter), each < 3 ? 1 << each : 0);
    }
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
  }

  // What cannot be.
  {
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphCreate(&graph, 0));
    EXPECT_ERROR(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0), cudaErrorInvalidValue);
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNodeParams node = {cudaGraphNodeTypeConditional};
    node.conditional.handle = handle;
    node.conditional.type = cudaGraphCondTypeWhile;
    node.conditional.size = 2;
    cudaGraphNode_t made;
    EXPECT_ERROR(cudaGraphAddNode(&made, graph, nullptr, nullptr, 0, &node), cudaErrorInvalidValue);
    CHECK(cudaGraphDestroy(graph));
  }
  cudaGetLastError();
  CHECK(cudaFree(counter));
  CHECK(cudaFree(value));
  return finish();
}
