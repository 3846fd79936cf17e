// What some SMs get out of L2 (and L1): bytes per cycle and SM, by the number of SMs that read.
#include <cstdio>
#include <cstdint>
#define CK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)
template <int V> struct Vec; template <> struct Vec<1> { typedef float T; }; template <> struct Vec<4> { typedef float4 T; };
__device__ float s1(float v) { return v; } __device__ float s1(float4 v) { return v.x + v.y + v.z + v.w; }
template <int V, bool CG> __global__ void __launch_bounds__(1024) reader(const typename Vec<V>::T *a, int n, int rounds, long long *out, float *sink) {
  typedef typename Vec<V>::T T;
  float acc = 0;
  __syncthreads();
  long long t0 = clock64();
  for (int r = 0; r < rounds; r++)
    for (int i = threadIdx.x; i < n; i += 4 * 1024) {
      T v[4];
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const T *p = a + i + k * 1024;
        if (V == 1) { if (CG) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(*(float *)&v[k]) : "l"(p) : "memory"); else asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(*(float *)&v[k]) : "l"(p) : "memory"); }
        else { float4 *q = (float4 *)&v[k]; if (CG) asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(q->x), "=f"(q->y), "=f"(q->z), "=f"(q->w) : "l"(p) : "memory"); else asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(q->x), "=f"(q->y), "=f"(q->z), "=f"(q->w) : "l"(p) : "memory"); }
      }
#pragma unroll
      for (int k = 0; k < 4; k++) acc += s1(v[k]);
    }
  __syncthreads();
  long long t1 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
  sink[blockIdx.x * 1024 + threadIdx.x] = acc;
}
template <int V, bool CG> int go(const char *name, float *a, long long *out, float *sink, size_t bytes) {
  int n = bytes / (4 * V), rounds = (int)((4ull << 20) / bytes) + 2;
  for (int blocks : {1, 2, 4, 16, 66, 132}) {
    double best = 0;
    for (int rep = 0; rep < 5; rep++) {
      reader<V, CG><<<blocks, 1024>>>((const typename Vec<V>::T *)a, n, rounds, out, sink);
      CK(cudaDeviceSynchronize());
      long long worst = 0;
      for (int b = 0; b < blocks; b++) if (out[b] > worst) worst = out[b];
      double v = (double)bytes * rounds / worst;
      if (v > best) best = v;
    }
    printf("%s %zu KB blocks %d: %.1f bytes per cycle and SM\n", name, bytes >> 10, blocks, best);
  }
  return 0;
}
int main() {
  float *a, *sink; long long *out;
  CK(cudaMalloc(&a, 64 << 20)); CK(cudaMemset(a, 0, 64 << 20)); CK(cudaMalloc(&sink, 132 * 4096)); CK(cudaMallocManaged(&out, 8 * 132));
  go<1, true>("cg float", a, out, sink, 1 << 20); go<4, true>("cg float4", a, out, sink, 1 << 20);
  go<1, false>("ca float", a, out, sink, 1 << 20); go<4, false>("ca float4", a, out, sink, 1 << 20);
  go<1, false>("ca float", a, out, sink, 64 << 10); go<4, false>("ca float4", a, out, sink, 64 << 10);
  return 0;
}
