#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include <cstdlib>
#include <cuda_runtime.h>

cudaError_t beginOwn() { return cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed); }

// The nodes of what was captured.
size_t endOwn(int *x, int *host) {
  if (cudaMemsetAsync(x, 1, 4, 0) != cudaSuccess) abort();
  if (cudaMemcpyAsync(host, x, 4, cudaMemcpyDeviceToHost) != cudaSuccess) abort();
  cudaGraph_t graph;
  if (cudaStreamEndCapture(0, &graph) != cudaSuccess) abort();
  size_t count = 0;
  if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess) abort();
  if (cudaGraphDestroy(graph) != cudaSuccess) abort();
  return count;
}

void copyOwn(int *x, int *host) {
  if (cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost) != cudaSuccess) abort();
}
