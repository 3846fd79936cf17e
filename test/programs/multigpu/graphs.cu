// Needs 2 GPUs.
// A capture that goes from one device to the other and back: each kernel runs on the device that it was captured on.
#include "../check.h"
__device__ int number;
__global__ void step(int *x) { *x = *x * 10 + number; }
int main() {
  int *x;
  cudaStream_t stream[2];
  cudaEvent_t event[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    const int own = d + 1;
    CHECK(cudaMemcpyToSymbol(number, &own, sizeof own));
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event[d], cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&x, sizeof(int)));
  CHECK(cudaMemset(x, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeGlobal));
  step<<<1, 1, 0, stream[0]>>>(x);
  CHECK(cudaEventRecord(event[0], stream[0]));
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamWaitEvent(stream[1], event[0], 0));
  step<<<1, 1, 0, stream[1]>>>(x);
  CHECK(cudaEventRecord(event[1], stream[1]));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamWaitEvent(stream[0], event[1], 0));
  step<<<1, 1, 0, stream[0]>>>(x);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamEndCapture(stream[0], &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, stream[0]));
  CHECK(cudaGraphLaunch(executable, stream[0]));
  CHECK(cudaStreamSynchronize(stream[0]));
  int value;
  CHECK(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost));
  same("x", 0, value, 121121);
  return finish();
}
