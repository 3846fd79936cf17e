// Graphs of explicit nodes: memset, kernels, copies, host functions, empty nodes, dependencies, changed parameters.
#include "../check.h"
__global__ void scale(int *x, int n, int by) { const int i = threadIdx.x; if (i < n) x[i] = (x[i] + i) * by; }
void CUDART_CB count(void *data) { ++*(int *)data; }
int main() {
  const int n = 32;
  Device<int> x(n);
  int *host, calls = 0, by = 3, size = n;
  CHECK(cudaMallocHost(&host, n * 4));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t set, kernel, copy, function, empty;
  cudaMemsetParams memset = {};
  memset.dst = x.data, memset.elementSize = 4, memset.width = n, memset.height = 1, memset.value = 5;
  CHECK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &memset));
  CHECK(cudaGraphAddEmptyNode(&empty, graph, &set, 1));
  void *arguments[] = {&x.data, &size, &by};
  cudaKernelNodeParams parameters = {};
  parameters.func = (void *)scale, parameters.gridDim = dim3(1), parameters.blockDim = dim3(n), parameters.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &empty, 1, &parameters));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, x.data, n * 4, cudaMemcpyDeviceToHost));
  cudaHostNodeParams hostParameters = {};
  hostParameters.fn = count, hostParameters.userData = &calls;
  CHECK(cudaGraphAddHostNode(&function, graph, &copy, 1, &hostParameters));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  by = 100; // parameters were copied when the node was made
  CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaStreamSynchronize(s));
  for (int i = 0; i < n; ++i) same("first", i, host[i], (5 + i) * 3);
  CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &parameters));
  CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaStreamSynchronize(s));
  for (int i = 0; i < n; ++i) same("second", i, host[i], (5 + i) * 100);
  same("calls", 0, calls, 2);
  CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph)), CHECK(cudaFreeHost(host));
  return finish();
}
