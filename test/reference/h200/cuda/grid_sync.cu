// Barriers of the grid: alone, and after each of the steps of a stencil; as C7 of c_launch, with fewer launches. Without an argument,
// only the smallest stencil.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void k_persistent(float *a, float *b, int n, int steps) {
  auto g = cg::this_grid();
  for (int s = 0; s < steps; s++) {
    const float *src = s & 1 ? b : a;
    float *dst = s & 1 ? a : b;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      dst[i] = 0.5f * src[i] + 0.25f * (src[i ? i - 1 : n - 1] + src[i + 1 < n ? i + 1 : 0]);
    g.sync();
  }
}
__global__ void k_gridsync_only(int steps) {
  auto g = cg::this_grid();
  for (int s = 0; s < steps; s++) g.sync();
}

// Microseconds of the last of a few launches.
static float timed(const void *kernel, int blocks, void **arguments) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  float ms = 0;
  for (int r = 0; r < 2; r++) {
    cudaEventRecord(a);
    cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(256), arguments, 0, 0);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
  }
  return ms * 1e3f;
}

int main(int count, char **) {
  int processors, steps = 1000;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  for (int each : {1, 2, 4, 8}) {
    void *arguments[] = {&steps};
    printf("sync, %d blocks per SM: %.3f\n", each, timed((void *)k_gridsync_only, processors * each, arguments) / steps);
  }
  steps = 100;
  for (int n = 1 << 16; n <= (count > 1 ? 1 << 22 : 1 << 16); n *= n == 1 << 16 ? 16 : 4) {
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemset(a, 0, n * sizeof(float));
    for (int each : {1, 2, 4, 8}) {
      void *arguments[] = {&a, &b, &n, &steps};
      printf("hundred steps of %d, %d blocks per SM: %.1f\n", n, each, timed((void *)k_persistent, processors * each, arguments));
    }
    cudaFree(a);
    cudaFree(b);
  }
  return cudaGetLastError() != cudaSuccess;
}
