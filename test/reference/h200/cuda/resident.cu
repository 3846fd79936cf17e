// What copies and memsets leave in L2: how long it takes to read so many bytes right after.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void sum(const float4 *in, float *out, unsigned n) {
  float s = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = in[i];
    s += v.x + v.y + v.z + v.w;
  }
  if (s != 0) out[threadIdx.x] = s;
}

int main() {
  const unsigned MB = 1 << 20, flushed = 256 * MB, most = 64 * MB;
  char *data, *other, *flush, *pinned;
  float *out;
  cudaMalloc(&data, most), cudaMalloc(&other, most), cudaMalloc(&flush, flushed), cudaMalloc(&out, 4096);
  cudaMallocHost(&pinned, most);
  std::vector<char> pageable(most);
  std::fill(pinned, pinned + most, 0);
  cudaMemset(flush, 0, flushed), cudaMemset(other, 0, most);
  cudaEvent_t from, to;
  cudaEventCreate(&from), cudaEventCreate(&to);
  const char *names[] = {"nothing", "memset", "pinned", "pageable", "device", "read", "to host"};
  for (unsigned size : {4 * MB, 16 * MB, 32 * MB, 64 * MB})
    for (int how = 0; how < 7; how++) {
      std::vector<float> times;
      for (int i = 0; i < 5; i++) {
        cudaMemset(data, 0, size);
        sum<<<264, 1024>>>((const float4 *)flush, out, flushed / 16);
        if (how == 1) cudaMemset(data, 0, size);
        if (how == 2) cudaMemcpy(data, pinned, size, cudaMemcpyHostToDevice);
        if (how == 3) cudaMemcpy(data, pageable.data(), size, cudaMemcpyHostToDevice);
        if (how == 4) cudaMemcpy(data, other, size, cudaMemcpyDeviceToDevice);
        if (how == 5) sum<<<264, 1024>>>((const float4 *)data, out, size / 16);
        if (how == 6) cudaMemcpy(pinned, data, size, cudaMemcpyDeviceToHost);
        cudaDeviceSynchronize();
        cudaEventRecord(from);
        sum<<<264, 1024>>>((const float4 *)data, out, size / 16);
        cudaEventRecord(to);
        cudaEventSynchronize(to);
        float ms;
        cudaEventElapsedTime(&ms, from, to);
        times.push_back(ms);
      }
      std::sort(times.begin(), times.end());
      printf("%u MB after %s: %.1f us\n", size / MB, names[how], times[2] * 1e3);
    }
  if (const cudaError_t error = cudaGetLastError()) printf("%s\n", cudaGetErrorString(error));
}
