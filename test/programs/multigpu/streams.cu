// Needs 2 GPUs.
// Streams and events belong to devices: default streams of their own, waits across devices, errors where they are mixed.
#include "../check.h"
__global__ void step(int *x, int add) { *x = *x * 3 + add; }
__global__ void late(int *x, int value) {
  const long long begin = clock64();
  while (clock64() - begin < 300000) {}
  *x = value;
}
__global__ void copy(int *to, const volatile int *from) { *to = *from; }
int main() {
  int *x[2];
  cudaStream_t stream[2];
  cudaEvent_t event[2], timed[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    CHECK(cudaMalloc(&x[d], sizeof(int)));
    CHECK(cudaMemset(x[d], 0, sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event[d], cudaEventDisableTiming));
    CHECK(cudaEventCreate(&timed[d]));
    CHECK(cudaDeviceSynchronize());
  }
  // Device 1 waits for an event of device 0 and copies what its kernel wrote.
  CHECK(cudaSetDevice(0));
  late<<<1, 1, 0, stream[0]>>>(x[0], 17);
  CHECK(cudaEventRecord(event[0], stream[0]));
  const cudaError_t busy = cudaEventQuery(event[0]);
  EXPECT(busy == cudaSuccess || busy == cudaErrorNotReady);
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamWaitEvent(stream[1], event[0], 0));
  copy<<<1, 1, 0, stream[1]>>>(x[1], x[0]);
  // Waiting works whichever device is the current one.
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamSynchronize(stream[1]));
  CHECK(cudaEventSynchronize(event[0]));
  CHECK(cudaEventQuery(event[0])), CHECK(cudaStreamQuery(stream[1]));
  int value;
  CHECK(cudaMemcpy(&value, x[1], sizeof value, cudaMemcpyDefault));
  same("across", 0, value, 17);

  // Each device has a default stream.
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 2; d++) {
      CHECK(cudaSetDevice(d));
      step<<<1, 1>>>(x[d], i + d);
    }
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&value, x[d], sizeof value, cudaMemcpyDeviceToHost));
    same("default stream", d, value, ((17 * 3 + d) * 3 + 1 + d) * 3 + 2 + d);
  }

  // An event is recorded in streams of its own device, and compared with events of it.
  CHECK(cudaSetDevice(0));
  EXPECT_ERROR(cudaEventRecord(event[1], stream[0]), cudaErrorInvalidResourceHandle);
  EXPECT_ERROR(cudaEventRecord(event[0], stream[1]), cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(timed[0], stream[0]));
  CHECK(cudaSetDevice(1));
  CHECK(cudaEventRecord(timed[1], stream[1]));
  CHECK(cudaEventSynchronize(timed[0])), CHECK(cudaEventSynchronize(timed[1]));
  float ms;
  EXPECT_ERROR(cudaEventElapsedTime(&ms, timed[0], timed[1]), cudaErrorInvalidResourceHandle);
  (void)cudaGetLastError();
  return finish();
}
