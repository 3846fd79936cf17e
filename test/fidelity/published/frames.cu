// A frame of 500 small kernels, 1.6 us each: how it is launched decides how long it takes.
//
//   frames launches|sync|graph|updated|captured|fused|fused-captured [frames]
//
// launches: one after the other, one wait per frame. sync: a wait after each. graph: one launch of a graph. updated: the same,
// with new parameters for every kernel. captured: a graph that each frame captures, instantiates, launches and destroys, as
// programs do whose data move. fused, fused-captured: the same with 50 groups of 6 kernels each as one kernel.
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
  const int kernels = 500, count = 512, rounds = 60, groups = 50, groupSize = 6;
  float *signal;
  CHECK(cudaMalloc(&signal, count * sizeof(float)));
  CHECK(cudaMemset(signal, 0, count * sizeof(float)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  const bool sync = !strcmp(pattern, "sync"), updated = !strcmp(pattern, "updated");
  const bool fused = !strncmp(pattern, "fused", 5);
  const bool captured = !strcmp(pattern, "captured") || !strcmp(pattern, "fused-captured");
  const bool graph = captured || updated || !strcmp(pattern, "fused") || !strcmp(pattern, "graph");
  if (!graph && !sync && strcmp(pattern, "launches")) return 2;

  const int fusedGroups = fused ? groups : 0;
  const int launches = kernels - fusedGroups * (groupSize - 1);
  auto roundsOf = [&](int launch) { return launch < fusedGroups ? rounds * groupSize : rounds; };
  auto launchAll = [&] {
    for (int i = 0; i < launches; i++) {
      filter<<<1, 256, 0, stream>>>(signal, count, roundsOf(i));
      if (sync) CHECK(cudaStreamSynchronize(stream));
    }
  };
  cudaGraph_t whole;
  cudaGraphExec_t executable;
  auto capture = [&] {
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launchAll();
    CHECK(cudaStreamEndCapture(stream, &whole));
    CHECK(cudaGraphInstantiate(&executable, whole, 0));
  };
  std::vector<cudaGraphNode_t> nodes(launches);
  if (graph && !captured) {
    capture();
    size_t found = nodes.size();
    CHECK(cudaGraphGetNodes(whole, nodes.data(), &found));
  }
  int all = count;
  auto update = [&] {
    for (int i = 0; i < launches; i++) {
      int length = roundsOf(i);
      void *arguments[] = {&signal, &all, &length};
      cudaKernelNodeParams kernel{};
      kernel.func = (void *)filter;
      kernel.gridDim = dim3(1);
      kernel.blockDim = dim3(256);
      kernel.kernelParams = arguments;
      CHECK(cudaGraphExecKernelNodeSetParams(executable, nodes[i], &kernel));
    }
  };
  double best = 1e30;
  for (int frame = 0; frame < frames; frame++) {
    CHECK(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    if (captured) capture();
    if (updated) update();
    if (graph) CHECK(cudaGraphLaunch(executable, stream));
    else launchAll();
    CHECK(cudaStreamSynchronize(stream));
    if (captured) {
      CHECK(cudaGraphExecDestroy(executable));
      CHECK(cudaGraphDestroy(whole));
    }
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (time.count() < best) best = time.count();
  }
  printf("%.6f\n", best);
}
