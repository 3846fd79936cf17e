// Graphs by capture: fork and join over events, launched several times; nothing runs while it is captured; update.
#include "../check.h"
__global__ void add(int *x, int v) { atomicAdd(x, v); }
__global__ void join(int *x, const int *a, const int *b) { *x = *a * 100 + *b; }
cudaGraph_t capture(cudaStream_t s, cudaStream_t t, int *a, int *b, int *x, int va) {
  cudaEvent_t fork, done;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming)), CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(fork, s));
  CHECK(cudaStreamWaitEvent(t, fork, 0));
  add<<<1, 4, 0, s>>>(a, va);
  add<<<1, 2, 0, t>>>(b, 3);
  CHECK(cudaEventRecord(done, t));
  CHECK(cudaStreamWaitEvent(s, done, 0));
  join<<<1, 1, 0, s>>>(x, a, b);
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(s, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  CHECK(cudaStreamEndCapture(s, &graph));
  CHECK(cudaEventDestroy(fork)), CHECK(cudaEventDestroy(done));
  return graph;
}
int main() {
  cudaStream_t s, t;
  CHECK(cudaStreamCreate(&s)), CHECK(cudaStreamCreate(&t));
  Device<int> a(1), b(1), x(1);
  cudaGraph_t graph = capture(s, t, a, b, x, 1);
  CHECK(cudaDeviceSynchronize());
  same("before", 0, a.host()[0], 0);
  size_t nodes;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  same("nodes", 0, (int)nodes, 3);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaStreamSynchronize(s));
  same("x", 0, x.host()[0], 12 * 100 + 18);
  cudaGraph_t changed = capture(s, t, a, b, x, 10);
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(exec, changed, &info));
  CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaStreamSynchronize(s));
  same("x", 1, x.host()[0], 52 * 100 + 24);
  CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph)), CHECK(cudaGraphDestroy(changed));
  return finish();
}
