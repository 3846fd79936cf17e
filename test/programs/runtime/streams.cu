// Streams: flags, priorities, queries, events between streams, legacy default stream order, per-thread default stream.
#include "../check.h"
__global__ void step(int *x, int add) { *x = *x * 3 + add; }
int main() {
  int least, greatest, priority;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(least >= greatest);
  cudaStream_t a, b, c;
  CHECK(cudaStreamCreate(&a)), CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking)), CHECK(cudaStreamCreateWithPriority(&c, cudaStreamNonBlocking, greatest));
  unsigned flags;
  CHECK(cudaStreamGetFlags(b, &flags));
  same("flags", 0, flags, (unsigned)cudaStreamNonBlocking);
  CHECK(cudaStreamGetPriority(c, &priority));
  same("priority", 0, priority, greatest);
  Device<int> x(1);
  cudaEvent_t first, second;
  CHECK(cudaEventCreate(&first)), CHECK(cudaEventCreateWithFlags(&second, cudaEventDisableTiming));
  CHECK(cudaEventQuery(first)); // never recorded: complete
  step<<<1, 1, 0, a>>>(x, 1);
  CHECK(cudaEventRecord(first, a));
  CHECK(cudaStreamWaitEvent(b, first, 0));
  step<<<1, 1, 0, b>>>(x, 2);
  CHECK(cudaEventRecord(second, b));
  CHECK(cudaStreamWaitEvent(c, second, 0));
  step<<<1, 1, 0, c>>>(x, 3);
  const cudaError_t busy = cudaStreamQuery(c);
  EXPECT(busy == cudaSuccess || busy == cudaErrorNotReady);
  CHECK(cudaStreamSynchronize(c));
  CHECK(cudaStreamQuery(c)), CHECK(cudaEventQuery(second));
  same("x", 0, x.host()[0], (1 * 3 + 2) * 3 + 3);
  step<<<1, 1, 0, a>>>(x, 0);
  step<<<1, 1>>>(x, 4); // the legacy stream waits for a
  step<<<1, 1, 0, a>>>(x, 5);
  CHECK(cudaStreamSynchronize(a));
  step<<<1, 1, 0, cudaStreamPerThread>>>(x, 6);
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  step<<<1, 1, 0, cudaStreamLegacy>>>(x, 7);
  CHECK(cudaDeviceSynchronize());
  same("x", 1, x.host()[0], (((18 * 3 * 3 + 4) * 3 + 5) * 3 + 6) * 3 + 7);
  float ms;
  EXPECT_ERROR(cudaEventElapsedTime(&ms, first, second), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  CHECK(cudaEventDestroy(first)), CHECK(cudaEventDestroy(second)), CHECK(cudaStreamDestroy(a)), CHECK(cudaStreamDestroy(b)), CHECK(cudaStreamDestroy(c));
  return finish();
}
