// What the labs' programs share: failing CUDA calls end the program, variants are timed, and results are checked.
//
//   PROGRAM [VARIANT|all] [SIZE] [RUNS]
//
// Each variant prints one line, `NAME: 0.01234 ms, results correct`. The time is that between two events, the median of
// RUNS runs. One is enough on the simulated GPU, where kernels are loaded before and all runs are alike; a real GPU has to
// warm up: give it 20 or more there.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status));   \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/** Device memory, freed with the variable; from a vector: with a copy of it. */
template <class T> struct Device {
  T *data = nullptr;
  size_t count;
  explicit Device(size_t count) : count(count) { CHECK(cudaMalloc(&data, bytes())); }
  explicit Device(const std::vector<T> &host) : Device(host.size()) {
    CHECK(cudaMemcpy(data, host.data(), bytes(), cudaMemcpyHostToDevice));
  }
  Device(const Device &) = delete;
  ~Device() { cudaFree(data); }
  operator T *() const { return data; }
  size_t bytes() const { return count * sizeof(T); }
  std::vector<T> host() const {
    std::vector<T> copy(count);
    CHECK(cudaMemcpy(copy.data(), data, bytes(), cudaMemcpyDeviceToHost));
    return copy;
  }
};

/** What `launch` launches into a stream, as a graph that is ready to be launched: its first launch would otherwise bring it to the GPU. */
template <class Launch> cudaGraphExec_t graphOf(cudaStream_t stream, Launch launch) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphUpload(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  return executable;
}

class Lab {
  const char *wanted;
  int runs, tried = 0, failed = 0;

public:
  const int size;

  Lab(int argc, char **argv, int defaultSize)
      : wanted(argc > 1 ? argv[1] : "all"), runs(argc > 3 ? atoi(argv[3]) : 1), size(argc > 2 ? atoi(argv[2]) : defaultSize) {
    if (size < 1 || runs < 1) {
      fprintf(stderr, "usage: %s [VARIANT|all] [SIZE] [RUNS]\n", argv[0]);
      exit(2);
    }
  }

  /** Whether a variant was asked for: what it needs, and others do not, is made only then. */
  bool wants(const char *name) const { return strcmp(wanted, "all") == 0 || strcmp(wanted, name) == 0; }

  /** Runs `work` if it was asked for. `output` is overwritten before, so that results are its own; `wrong` counts wrong ones. */
  template <class T, class Work, class Wrong> void variant(const char *name, Device<T> &output, Work work, Wrong wrong) {
    const auto forget = [&] { CHECK(cudaMemset(output, 0xff, output.bytes())); };
    variantElsewhere(name, forget, work, [&] { return wrong(output.host()); });
  }

  /** The same where results are not in one piece of device memory: `forget` overwrites them, `wrong` gets them itself. */
  template <class Forget, class Work, class Wrong>
  void variantElsewhere(const char *name, Forget forget, Work work, Wrong wrong) {
    if (!wants(name)) return;
    ++tried;
    forget();
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<float> milliseconds(runs);
    for (float &time : milliseconds) {
      CHECK(cudaDeviceSynchronize());
      CHECK(cudaEventRecord(start));
      work();
      CHECK(cudaGetLastError());
      CHECK(cudaEventRecord(stop));
      CHECK(cudaEventSynchronize(stop));
      CHECK(cudaEventElapsedTime(&time, start, stop));
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    std::sort(milliseconds.begin(), milliseconds.end());
    const size_t errors = wrong();
    if (errors > 0) ++failed;
    printf("%s: %.5f ms, %s\n", name, milliseconds[(runs - 1) / 2], errors == 0 ? "results correct" : "RESULTS WRONG");
  }

  /** The program's exit code. */
  int end() const {
    if (tried > 0) return failed == 0 ? 0 : 1;
    fprintf(stderr, "There is no variant \"%s\".\n", wanted);
    return 2;
  }
};
