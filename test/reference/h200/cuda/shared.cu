// How shared memory answers: conflicts by sub-partition, loads without lanes behind conflicts, stores of whole warps.
#include <cstdio>
#include <cstdint>
#define CK(x) do { cudaError_t e = (x); if (e) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)
__device__ __forceinline__ uint32_t lds(uint32_t a) { uint32_t v; asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(a)); return v; }
// warps of `subs` sub-partitions, `per` each, load with n-way conflicts, 8 in flight
__global__ void __launch_bounds__(1024) conflicts(int subs, int per, int ways, int rounds, long long *out, uint32_t *sink) {
  __shared__ uint32_t s[8192];
  __shared__ long long first, last;
  int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 8192; i += 1024) s[i] = i;
  if (threadIdx.x == 0) { first = 1ll << 62; last = 0; }
  __syncthreads();
  if (w % 4 >= subs || w / 4 >= per) return;
  uint32_t base = (uint32_t)__cvta_generic_to_shared(s) + 4 * ((lane % ways) * 32 + lane / ways);
  uint32_t v[8], acc = 0;
  long long t0 = clock64();
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = lds(base + 4096 * k);
#pragma unroll
    for (int k = 0; k < 8; k++) acc += v[k];
  }
  long long t1 = clock64();
  atomicMin((unsigned long long *)&first, (unsigned long long)t0);
  atomicMax((unsigned long long *)&last, (unsigned long long)t1);
  __syncwarp();
  sink[threadIdx.x] = acc;
  __threadfence_block();
  // every active warp writes; the last one wins with the full span
  long long f = *(volatile long long *)&first, l = *(volatile long long *)&last;
  if (lane == 0) atomicMax((unsigned long long *)out, (unsigned long long)(l - f));
}
// One warp in sub-partition 0 chains loads (with lanes or without); `hammers` warps of sub-partition `sub` load with 32-way conflicts.
template <bool LANES> __global__ void __launch_bounds__(1024) behind(int sub, int hammers, int ways, int rounds, long long *out, uint32_t *sink, uint32_t zero) {
  __shared__ uint32_t s[8192];
  __shared__ volatile int stop;
  int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 8192; i += 1024) s[i] = 0;
  if (threadIdx.x == 0) stop = 0;
  __syncthreads();
  uint32_t base = (uint32_t)__cvta_generic_to_shared(s);
  if (w == 0) {
    uint32_t v = 0;
    for (int i = 0; i < 2000; i++) v = v * 3 + zero;  // let the others start
    v = 0;
    long long t0 = clock64();
    for (int r = 0; r < rounds; r++) {
      if (LANES) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(base + 4 * lane + v));
      else asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.volatile.shared.u32 %0, [%1];}" : "+r"(v) : "r"(base + 4 * lane + v), "r"(zero));
      v += zero;
    }
    long long t1 = clock64();
    stop = 1;
    sink[threadIdx.x] = v;
    if (lane == 0) *out = t1 - t0;
    return;
  }
  if (w % 4 != sub % 4 && sub < 4) return;
  if ((w / 4) > hammers || (w / 4) < 1) return;
  uint32_t a = base + 4 * ((lane % ways) * 32 + lane / ways), v[8], acc = 0;
  while (!stop) {
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = lds(a + 4096 * k);
#pragma unroll
    for (int k = 0; k < 8; k++) acc += v[k];
  }
  sink[threadIdx.x] = acc;
}
int main() {
  long long *out; uint32_t *sink;
  CK(cudaMallocManaged(&out, 8)); CK(cudaMalloc(&sink, 4096 * 4));
  printf("conflicts: subs per ways cycles_per_load_of_sm\n");
  for (int subs : {1, 2, 4}) for (int per : {1, 2, 4, 8}) for (int ways : {1, 2, 4, 8, 16, 32}) {
    long long best = 1ll << 60;
    for (int rep = 0; rep < 5; rep++) {
      *out = 0;
      conflicts<<<1, 1024>>>(subs, per, ways, 256, out, sink);
      CK(cudaDeviceSynchronize());
      if (*out < best) best = *out;
    }
    printf("C %d %d %d %.3f\n", subs, per, ways, best / (256.0 * 8 * subs * per));
  }
  printf("behind: lanes sub hammers ways latency\n");
  for (int lanes : {1, 0}) for (int sub : {0, 1, 4}) for (int hammers : {0, 1, 2, 4, 7}) for (int ways : {1, 8, 32}) {
    if (hammers == 0 && (sub || ways > 1)) continue;
    long long best = 1ll << 60;
    for (int rep = 0; rep < 5; rep++) {
      if (lanes) behind<true><<<1, 1024>>>(sub, hammers, ways, 256, out, sink, 0);
      else behind<false><<<1, 1024>>>(sub, hammers, ways, 256, out, sink, 0);
      CK(cudaDeviceSynchronize());
      if (*out < best) best = *out;
    }
    printf("B %d %d %d %d %.2f\n", lanes, sub, hammers, ways, best / 256.0);
  }
  return 0;
}
