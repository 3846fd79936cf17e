// Host threads: two std::threads use a stream each; a mutex guards what both write.
#include "../check.h"
#include <mutex>
#include <thread>
__global__ void fill(int *p, int n, int v) { const int i = threadIdx.x; if (i < n) p[i] = i * v; }
int main() {
  std::mutex guard;
  int sum = 0;
  const auto work = [&](int v) {
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    int *p, host[32];
    CHECK(cudaMalloc(&p, sizeof host));
    fill<<<1, 32, 0, s>>>(p, 32, v);
    CHECK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    const std::lock_guard<std::mutex> lock(guard);
    for (int x : host) sum += x;
    CHECK(cudaFree(p));
  };
  std::thread a(work, 1), b(work, 10);
  a.join(), b.join();
  same("sum", 0, sum, 496 * 11);
  return finish();
}
