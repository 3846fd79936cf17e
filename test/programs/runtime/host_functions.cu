// Host functions in streams: cudaLaunchHostFunc and cudaStreamAddCallback run in order, between copies and kernels.
#include "../check.h"
__global__ void add(int *x, int v) { *x += v; }
struct Log { int *pinned; std::vector<int> seen; };
void CUDART_CB note(void *data) { Log *log = (Log *)data; log->seen.push_back(*log->pinned); *log->pinned += 1000; }
void CUDART_CB callback(cudaStream_t, cudaError_t status, void *data) { ((Log *)data)->seen.push_back(status == cudaSuccess ? -1 : -2); }
int main() {
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  Log log;
  CHECK(cudaMallocHost(&log.pinned, 4));
  *log.pinned = 1;
  Device<int> x(1);
  for (int i = 0; i < 3; ++i) {
    CHECK(cudaMemcpyAsync(x, log.pinned, 4, cudaMemcpyHostToDevice, s));
    add<<<1, 1, 0, s>>>(x, 10);
    CHECK(cudaMemcpyAsync(log.pinned, x, 4, cudaMemcpyDeviceToHost, s));
    CHECK(cudaLaunchHostFunc(s, note, &log));
  }
  CHECK(cudaStreamAddCallback(s, callback, &log, 0));
  CHECK(cudaStreamSynchronize(s));
  const std::vector<int> e = {11, 1021, 2031, -1};
  EXPECT(log.seen == e);
  same("last", 0, *log.pinned, 3031);
  CHECK(cudaFreeHost(log.pinned));
  return finish();
}
