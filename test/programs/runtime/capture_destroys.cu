// A stream that takes part in a capture is destroyed: what it did counts if it was joined (904 otherwise, as on an H200).
#include "../check.h"

__global__ void nothing() {}

int main() {
  for (int joined = 0; joined < 2; joined++)
    for (int late = 0; late < 2; late++) {
      cudaStream_t a, b;
      cudaEvent_t forked, done;
      cudaGraph_t graph = nullptr;
      CHECK(cudaStreamCreate(&a)), CHECK(cudaStreamCreate(&b));
      CHECK(cudaEventCreate(&forked)), CHECK(cudaEventCreate(&done));
      CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
      nothing<<<1, 1, 0, a>>>();
      CHECK(cudaEventRecord(forked, a)), CHECK(cudaStreamWaitEvent(b, forked, 0));
      nothing<<<1, 1, 0, b>>>();
      CHECK(cudaEventRecord(done, b));
      if (!late) CHECK(cudaStreamDestroy(b));
      if (joined) CHECK(cudaStreamWaitEvent(a, done, 0));
      if (late) CHECK(cudaStreamDestroy(b));
      nothing<<<1, 1, 0, a>>>();
      CHECK(cudaGetLastError());
      EXPECT(cudaStreamEndCapture(a, &graph) == (joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
      size_t nodes = 0;
      if (graph) CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
      EXPECT(nodes == (joined ? 3 : 0));
      cudaGetLastError();
    }
  puts("ok");
}
