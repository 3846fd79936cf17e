// Texture fetches: latency of one lane's and one warp's, lanes per cycle of one SM, by format and filter.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int rounds = 64;
__device__ long long cycles_of[2];
__device__ float sink[4096];

__device__ float first(float v) { return v; }
__device__ float first(float2 v) { return v.x + v.y; }
__device__ float first(float4 v) { return v.x + v.y + v.z + v.w; }
__device__ float first(int v) { return __int_as_float(v); }

// A chain: where the next fetch is depends on what the last found, which is zero.
template <class T, int how> __global__ void chain(cudaTextureObject_t t, float step) {
  float x = threadIdx.x + 0.5f, y = 0.5f;
  for (int pass = 0; pass < 2; pass++) {
    const long long from = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
      if (how == 0) x = step * i + __int_as_float(tex1Dfetch<int>(t, (int)x));
      else x = threadIdx.x + 0.5f + step * i + first(tex2D<T>(t, x, y));
    }
    const long long to = clock64();
    if (threadIdx.x == 0) cycles_of[0] = to - from;
  }
  sink[threadIdx.x] = x + y;
}

// Four fetches at a time of a few lines.
template <class T, int how> __global__ void flow(cudaTextureObject_t t, float wide) {
  float s[4] = {0, 0, 0, 0}, x = (threadIdx.x & 31) * wide + 0.5f, y = threadIdx.x / 32 % 4 + 0.5f;
  for (int pass = 0; pass < 2; pass++) {
    __syncthreads();
    const long long from = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; i += 4)
#pragma unroll
      for (int k = 0; k < 4; k++) {
        if (how == 0) s[k] += first(tex1Dfetch<T>(t, (int)x + 32 * k));
        else s[k] += first(tex2D<T>(t, x, y + 4 * k + (i & 12)));
      }
    __syncthreads();
    const long long to = clock64();
    if (threadIdx.x == 0) cycles_of[0] = to - from;
  }
  sink[threadIdx.x] = s[0] + s[1] + s[2] + s[3];
}

long long cycles() {
  long long value;
  cudaDeviceSynchronize();
  cudaMemcpyFromSymbol(&value, cycles_of, sizeof value);
  return value;
}

template <class T> cudaTextureObject_t image(int w, int h, cudaTextureFilterMode filter, cudaTextureReadMode read) {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaMallocArray(&array, &format, w, h);
  std::vector<T> zeros((size_t)w * h, T{});
  cudaMemcpy2DToArray(array, 0, 0, zeros.data(), w * sizeof(T), w * sizeof(T), h, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  description.filterMode = filter;
  description.readMode = read;
  cudaTextureObject_t t = 0;
  cudaCreateTextureObject(&t, &resource, &description, nullptr);
  return t;
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
template <class F> void report(const char *name, int warps, F launch) {
  launch();
  const double time = (double)cycles();
  if (warps) printf("%s, %d warps: %.2f lanes per cycle\n", name, warps, 32.0 * warps * rounds / time);
  else printf("%s: %.1f cycles\n", name, time / rounds);
}
template <class T, int how> void all(const char *name, cudaTextureObject_t t) {
  for (int warps = 1; warps <= 32; warps *= 4) report(name, warps, [=] { flow<T, how><<<1, 32 * warps>>>(t, 1); });
  report(name, 32, [=] { flow<T, how><<<1, 1024>>>(t, 0.25f); });
  report(name, 32, [=] { flow<T, how><<<1, 1024>>>(t, 2); });
}

int main() {
  const auto point = cudaFilterModePoint, blend = cudaFilterModeLinear;
  const auto element = cudaReadModeElementType, normalized = cudaReadModeNormalizedFloat;
  const auto words = linear<int>(64 << 20 >> 2);
  report("chain of tex1Dfetch, hits", 0, [=] { chain<int, 0><<<1, 1>>>(words, 0); });
  report("chain of tex1Dfetch, 32 lanes", 0, [=] { chain<int, 0><<<1, 32>>>(words, 0); });
  report("chain of tex1Dfetch, L2", 0, [=] { chain<int, 0><<<1, 1>>>(words, 65536); });
  const auto plain = image<float>(4096, 2048, point, element), blended = image<float>(4096, 2048, blend, element);
  report("chain of tex2D, point", 0, [=] { chain<float, 1><<<1, 1>>>(plain, 0); });
  report("chain of tex2D, point, 32 lanes", 0, [=] { chain<float, 1><<<1, 32>>>(plain, 0); });
  report("chain of tex2D, linear", 0, [=] { chain<float, 1><<<1, 1>>>(blended, 0); });
  report("chain of tex2D, linear, 32 lanes", 0, [=] { chain<float, 1><<<1, 32>>>(blended, 0); });
  report("chain of tex2D, point, misses", 0, [=] { chain<float, 1><<<1, 1>>>(plain, 64); });
  all<int, 0>("tex1Dfetch of int", words);
  all<float4, 0>("tex1Dfetch of float4", linear<float4>(1 << 20));
  all<float, 1>("tex2D of float, point", plain);
  all<float, 1>("tex2D of float, linear", blended);
  all<float2, 1>("tex2D of float2, linear", image<float2>(2048, 1024, blend, element));
  all<float4, 1>("tex2D of float4, point", image<float4>(1024, 1024, point, element));
  all<float4, 1>("tex2D of float4, linear", image<float4>(1024, 1024, blend, element));
  all<float4, 1>("tex2D of uchar4, linear", image<uchar4>(1024, 1024, blend, normalized));
  all<float, 1>("tex2D of uchar, linear", image<unsigned char>(1024, 1024, blend, normalized));
  if (const cudaError_t error = cudaGetLastError()) printf("%s\n", cudaGetErrorString(error));
}
