// Kernels that wait until the host writes, which it does after it has launched them, and what is behind them in their streams.
// Needs compute capability 7.0.
#include "../check.h"
__global__ void waitFor(volatile unsigned *latch, unsigned value) {
  while (*latch < value) {}
}
__global__ void add(int *data, int n, int what) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += what;
}
constexpr int n = 1000;
static int calls = 0;
static void increase(void *counter) { ++*(int *)counter; }

/** Work of all kinds behind a kernel that waits. */
static void behindOne(volatile unsigned *latch, const char *kind) {
  *latch = 0;
  cudaStream_t stream, other;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaEvent_t before, after, done;
  for (cudaEvent_t *event : {&before, &after, &done}) CHECK(cudaEventCreate(event));
  Device<int> data(n), beside(n);
  CHECK(cudaMemset(beside, 0, n * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  std::vector<int> pageable(n, 5), back(n);
  int *pinned;
  CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
  for (int i = 0; i < n; ++i) pinned[i] = 100;
  calls = 0;

  CHECK(cudaEventRecord(before, stream));
  waitFor<<<1, 32, 0, stream>>>((unsigned *)latch, 1);
  CHECK(cudaEventRecord(after, stream));
  // Read when the call returns.
  CHECK(cudaMemcpyAsync(data, pageable.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
  for (int &each : pageable) each = -1;
  add<<<4, 256, 0, stream>>>(data, n, 2);
  waitFor<<<1, 32, 0, stream>>>((unsigned *)latch, 1);
  CHECK(cudaLaunchHostFunc(stream, increase, &calls));
  int *taken;
  CHECK(cudaMallocAsync((void **)&taken, n * sizeof(int), stream));
  CHECK(cudaMemcpyAsync(taken, data, n * sizeof(int), cudaMemcpyDeviceToDevice, stream));
  add<<<4, 256, 0, stream>>>(taken, n, 10);
  CHECK(cudaMemcpyAsync(pinned, taken, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(taken, stream));
  CHECK(cudaEventRecord(done, stream));

  // Another stream goes on, until it has to wait as well.
  add<<<4, 256, 0, other>>>(beside, n, 3);
  CHECK(cudaStreamSynchronize(other));
  CHECK(cudaMemcpyAsync(back.data(), beside, n * sizeof(int), cudaMemcpyDeviceToHost, other));
  CHECK(cudaStreamSynchronize(other));
  EXPECT(back[n - 1] == 3);
  CHECK(cudaStreamWaitEvent(other, done, 0));
  CHECK(cudaMemcpyAsync(beside, data, n * sizeof(int), cudaMemcpyDeviceToDevice, other));
  EXPECT(cudaStreamQuery(stream) == cudaErrorNotReady);
  EXPECT(cudaStreamQuery(other) == cudaErrorNotReady);
  EXPECT(cudaEventQuery(done) == cudaErrorNotReady);
  CHECK(cudaEventQuery(before));
  cudaGetLastError();
  EXPECT(calls == 0);
  EXPECT(pinned[0] == 100);

  *latch = 1;
  CHECK(cudaStreamSynchronize(other));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(calls == 1);
  CHECK(cudaMemcpy(back.data(), beside, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    if (pinned[i] != 17 || back[i] != 7) {
      FAIL("%s: [%d]: %d, not 17; %d, not 7", kind, i, pinned[i], back[i]);
      break;
    }
  float waited;
  CHECK(cudaEventElapsedTime(&waited, before, after));
  if (waited <= 0 || waited > 1000) FAIL("%s: waited %f ms", kind, waited);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(other));
  for (cudaEvent_t event : {before, after, done}) CHECK(cudaEventDestroy(event));
  CHECK(cudaFreeHost(pinned));
}

/** Two kernels that wait for one value after the other, a graph between them, in the legacy default stream. */
static void inDefaultStream(volatile unsigned *latch) {
  *latch = 0;
  Device<int> data(n);
  CHECK(cudaMemset(data, 0, n * sizeof(int)));
  cudaStream_t blocking;
  CHECK(cudaStreamCreate(&blocking));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
  add<<<4, 256, 0, blocking>>>(data, n, 1);
  CHECK(cudaStreamEndCapture(blocking, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphUpload(executable, blocking));
  CHECK(cudaDeviceSynchronize());
  waitFor<<<1, 32>>>((unsigned *)latch, 1);
  CHECK(cudaGraphLaunch(executable, blocking));
  waitFor<<<1, 32>>>((unsigned *)latch, 2);
  add<<<4, 256>>>(data, n, 10);
  *latch = 1;
  CHECK(cudaStreamSynchronize(blocking));
  *latch = 2;
  CHECK(cudaDeviceSynchronize());
  const auto got = data.host();
  EXPECT(got[0] == 11);
  EXPECT(got[n - 1] == 11);
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(blocking));
}

int main() {
  unsigned *pinned, *managed;
  CHECK(cudaMallocHost(&pinned, sizeof(unsigned)));
  behindOne(pinned, "pinned");
  inDefaultStream(pinned);
  int concurrent;
  CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
  CHECK(cudaMallocManaged(&managed, sizeof(unsigned)));
  if (concurrent) behindOne(managed, "managed");
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(managed));
  return finish();
}
