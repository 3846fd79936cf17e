// Whose stream 0 is: a source of C++ decides by CUDA_API_PER_THREAD_DEFAULT_STREAM before its includes; in a .cu file that comes too
// late, since nvcc includes cuda_runtime.h before the first line. Only a stream of the thread's own can be captured.
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1
#include "../../check.h"
#include <thread>
cudaError_t beginOwn();
size_t endOwn(int *x, int *host);
cudaError_t beginPlain();
void copyOwn(int *x, int *host);
__global__ void put(int *x, int v) { *x = v; }

int main() {
  Device<int> x(1);
  cudaGraph_t graph;
  EXPECT_ERROR(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  EXPECT_ERROR(beginPlain(), cudaErrorStreamCaptureUnsupported);
  for (int i = 0; i < 2; ++i) {
    const auto run = [&] {
      int host = 7;
      CHECK(beginOwn());
      cudaStreamCaptureStatus status;
      CHECK(cudaStreamIsCapturing(cudaStreamPerThread, &status));
      EXPECT(status == cudaStreamCaptureStatusActive);
      same("nodes", i, (int)endOwn(x, &host), 2);
      same("host", i, host, 7);
    };
    // In another thread, it is another stream.
    if (i == 0) run();
    else std::thread(run).join();
  }
  // The thread's own stream and the legacy one wait for each other all the same.
  int host = 0;
  put<<<1, 1>>>(x, 42);
  copyOwn(x, &host);
  same("copied", 0, host, 42);
  EXPECT_ERROR(cudaStreamEndCapture(cudaStreamPerThread, &graph), cudaErrorIllegalState);
  return finish();
}
