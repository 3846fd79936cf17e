#include <cstdio>
#include <cuda_runtime.h>
// Cycles per dependent access, with its predicate on in all lanes, in one lane, and in none.
template <int KIND>
__global__ void chain(unsigned* out, unsigned* g, unsigned limit, int steps) {
  __shared__ unsigned s[64];
  unsigned t = threadIdx.x, v = 0;
  s[t] = 0; s[t + 32] = 0;
  __syncthreads();
  unsigned flag = t < limit;
  unsigned base = (unsigned)__cvta_generic_to_shared(s) + 4 * t;
  unsigned long long gb = (unsigned long long)(g + t);
  for (int warm = 0; warm < 2; warm++) {
    long long c0 = clock64();
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
#pragma unroll
      for (int k = 0; k < 16; k++) {
        if (KIND == 0) asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.volatile.shared.u32 %0, [%1]; }" : "+r"(v) : "r"(base + v), "r"(flag));
        if (KIND == 1) asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.ca.u32 %0, [%1]; }" : "+r"(v) : "l"(gb + v), "r"(flag) : "memory");
        if (KIND == 2) asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.volatile.shared.u32 [%1], %0; bar.sync 0; }" : "+r"(v) : "r"(base), "r"(flag) : "memory");
        if (KIND == 3) asm volatile("bar.sync 0;" : "+r"(v) :: "memory");
      }
    }
    long long c1 = clock64();
    if (t == 0) out[0] = (unsigned)(c1 - c0);
  }
  out[1 + t] = v;
}
template <int KIND> void run(const char* name) {
  unsigned *o, *g; cudaMalloc(&o, 4096); cudaMalloc(&g, 4096); cudaMemset(g, 0, 4096);
  unsigned lim[] = {32, 1, 0};
  for (unsigned l : lim) {
    chain<KIND><<<1, 32>>>(o, g, l, 64);
    unsigned c; cudaMemcpy(&c, o, 4, cudaMemcpyDeviceToHost);
    printf("%s lanes %u: %.2f cycles\n", name, l, c / 1024.0);
  }
}
int main() { run<0>("ld.shared"); run<1>("ld.global.ca"); run<2>("st.shared+bar"); run<3>("bar"); }
