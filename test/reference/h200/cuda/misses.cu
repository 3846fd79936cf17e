// A chain of texture fetches that miss, and fetches from linear memory that are not the same: see textures.cu.
#include <cstdio>
#include <cuda_runtime.h>
__device__ long long cycles_of;
__device__ float sink[4096];
__global__ void chain(cudaTextureObject_t t, int step, int n) {
  int x = 0;
  const long long from = clock64();
#pragma unroll 1
  for (int i = 0; i < n; i++) x = (i + 1) * step + tex1Dfetch<int>(t, x);
  cycles_of = clock64() - from;
  sink[0] = x;
}
template <class T> __device__ float sum(T v);
template <> __device__ float sum(int v) { return v; }
template <> __device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }
template <class T> __global__ void flow(cudaTextureObject_t t, int apart) {
  float s[4] = {0, 0, 0, 0};
  for (int pass = 0; pass < 2; pass++) {
    __syncthreads();
    const long long from = clock64();
#pragma unroll 1
    for (int i = 0; i < 64; i += 4)
#pragma unroll
      for (int k = 0; k < 4; k++) s[k] += sum<T>(tex1Dfetch<T>(t, (threadIdx.x & 31) * apart + 32 * k + (i & 12)));
    __syncthreads();
    if (threadIdx.x == 0) cycles_of = clock64() - from;
  }
  sink[threadIdx.x] = s[0] + s[1] + s[2] + s[3];
}
template <class T> cudaTextureObject_t linear(size_t n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  cudaMemset(p, 0, n * sizeof(T));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = p;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = n * sizeof(T);
  cudaTextureDesc description{};
  cudaTextureObject_t t = 0;
  cudaCreateTextureObject(&t, &resource, &description, nullptr);
  return t;
}
double cycles() {
  long long value;
  cudaDeviceSynchronize();
  cudaMemcpyFromSymbol(&value, cycles_of, sizeof value);
  return (double)value;
}
int main() {
  const auto words = linear<int>(16 << 20), quads = linear<float4>(1 << 20);
  chain<<<1, 1>>>(words, 0, 64);
  chain<<<1, 1>>>(words, 0, 64);
  printf("chain of hits: %.1f\n", cycles() / 64);
  chain<<<1, 1>>>(words, 1024, 4096);
  chain<<<1, 1>>>(words, 1024, 4096);
  printf("chain within L2: %.1f\n", cycles() / 4096);
  for (int warps = 1; warps <= 32; warps *= 4)
    for (int apart = 1; apart <= 64; apart *= 8) {
      flow<int><<<1, 32 * warps>>>(words, apart);
      printf("int, %d apart, %d warps: %.2f lanes per cycle\n", apart, warps, 32 * warps * 64 / cycles());
    }
  for (int warps = 1; warps <= 32; warps *= 4) {
    flow<float4><<<1, 32 * warps>>>(quads, 1);
    printf("float4, %d warps: %.2f lanes per cycle\n", warps, 32 * warps * 64 / cycles());
  }
  if (const cudaError_t error = cudaGetLastError()) printf("%s\n", cudaGetErrorString(error));
}
