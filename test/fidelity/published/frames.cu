// A frame of 500 small kernels, 1.6 us each: how it is launched decides how long it takes.
//
//   frames launches|sync|graph|updated|fused [frames]
//
// launches: one after the other, one wait per frame. sync: a wait after each. graph: one launch of a graph. updated: the same,
// with new parameters for every kernel. fused: a graph in which 50 groups of 6 kernels each are one kernel.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    const cudaError_t status = (call);                                                                                 \
    if (status != cudaSuccess) {                                                                                       \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));                                  \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

__global__ void filter(float *signal, int count, int rounds) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    float x = signal[i];
    for (int r = 0; r < rounds; r++) x = 0.999f * x + 0.001f;
    signal[i] = x;
  }
}

int main(int argc, char **argv) {
  const char *pattern = argc > 1 ? argv[1] : "launches";
  const int frames = argc > 2 ? atoi(argv[2]) : 3;
  const int kernels = 500, count = 512, rounds = 20, groups = 50, groupSize = 6;
  float *signal;
  CHECK(cudaMalloc(&signal, count * sizeof(float)));
  CHECK(cudaMemset(signal, 0, count * sizeof(float)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  const bool sync = !strcmp(pattern, "sync"), fused = !strcmp(pattern, "fused"), updated = !strcmp(pattern, "updated");
  const bool graph = fused || updated || !strcmp(pattern, "graph");
  if (!graph && !sync && strcmp(pattern, "launches")) return 2;

  cudaGraph_t whole;
  cudaGraphExec_t executable;
  std::vector<cudaGraphNode_t> nodes;
  int all = count, length = rounds;
  void *arguments[] = {&signal, &all, &length};
  if (graph) {
    CHECK(cudaGraphCreate(&whole, 0));
    auto add = [&](int times) {
      length = rounds * times;
      cudaKernelNodeParams kernel{};
      kernel.func = (void *)filter;
      kernel.gridDim = dim3(1);
      kernel.blockDim = dim3(256);
      kernel.kernelParams = arguments;
      cudaGraphNode_t node;
      CHECK(cudaGraphAddKernelNode(&node, whole, nodes.empty() ? nullptr : &nodes.back(), nodes.empty() ? 0 : 1, &kernel));
      nodes.push_back(node);
    };
    for (int group = 0; fused && group < groups; group++) add(groupSize);
    for (int i = fused ? groups * groupSize : 0; i < kernels; i++) add(1);
    CHECK(cudaGraphInstantiate(&executable, whole, 0));
    length = rounds;
  }
  double best = 1e30;
  for (int frame = 0; frame < frames; frame++) {
    CHECK(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    if (graph) {
      for (size_t i = 0; updated && i < nodes.size(); i++) {
        cudaKernelNodeParams kernel{};
        kernel.func = (void *)filter;
        kernel.gridDim = dim3(1);
        kernel.blockDim = dim3(256);
        kernel.kernelParams = arguments;
        CHECK(cudaGraphExecKernelNodeSetParams(executable, nodes[i], &kernel));
      }
      CHECK(cudaGraphLaunch(executable, stream));
    } else {
      for (int i = 0; i < kernels; i++) {
        filter<<<1, 256, 0, stream>>>(signal, count, rounds);
        if (sync) CHECK(cudaStreamSynchronize(stream));
      }
    }
    CHECK(cudaStreamSynchronize(stream));
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (time.count() < best) best = time.count();
  }
  printf("%.6f\n", best);
}
