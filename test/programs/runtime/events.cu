// Events: elapsed times are positive, add up and agree with the host clock roughly; not-ready and reuse.
#include "../check.h"
#include <chrono>
__global__ void spin(float *x, int n) { float v = *x; for (int i = 0; i < n; ++i) v = v * 0.999f + 1; *x = v; }
int main() {
  cudaEvent_t e[3];
  for (auto &x : e) CHECK(cudaEventCreate(&x));
  Device<float> x(1);
  spin<<<1, 1>>>(x, 10);
  CHECK(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  CHECK(cudaEventRecord(e[0]));
  spin<<<1, 1>>>(x, 2000);
  CHECK(cudaEventRecord(e[1]));
  spin<<<1, 1>>>(x, 20000);
  CHECK(cudaEventRecord(e[2]));
  CHECK(cudaEventSynchronize(e[2]));
  const double host = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  float first, second, both;
  CHECK(cudaEventElapsedTime(&first, e[0], e[1])), CHECK(cudaEventElapsedTime(&second, e[1], e[2])), CHECK(cudaEventElapsedTime(&both, e[0], e[2]));
  if (!(first > 0 && second > 2 * first)) FAIL("%g ms, then ten times the work: %g ms", first, second);
  if (!(std::fabs(first + second - both) < 0.01f)) FAIL("%g + %g is not %g", first, second, both);
  if (!(host > both * 0.8)) FAIL("%g ms by the host's clock, %g ms by events", host, both);
  cudaEvent_t fresh;
  CHECK(cudaEventCreate(&fresh));
  EXPECT_ERROR(cudaEventElapsedTime(&first, e[0], fresh), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  CHECK(cudaEventDestroy(fresh));
  return finish();
}
