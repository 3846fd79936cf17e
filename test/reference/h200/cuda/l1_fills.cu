// What L1's pipe takes for what is not there, and for stores, beside loads that hit: cycles of one SM per round of a warp, in which 16 loads
// hit and one or two do something else.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int rounds = 128, hitLoads = 16, lineWords = 32;

enum How { nothing, again, missing, oneSector, twoHalves, together, wide, pastL1, storing, storingWide, storingSector, storingHalves, storingScattered, copying, copyingHit, ways };
const char *names[] = {"nothing", "another hit", "a line", "a sector", "halves of two lines", "one line for all warps", "four lines, 128 bits",
                       "a line past L1", "stores a line", "stores four lines, 128 bits", "stores a sector", "stores halves of two lines", "stores a sector of eight lines",
                       "copies a line to shared memory", "copies a line that hits"};

template <int how, int times> __global__ void work(const unsigned *hits, unsigned *far, unsigned *out, long long *cycles) {
  __shared__ unsigned buffer[32 * lineWords * 4];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const unsigned shared = __cvta_generic_to_shared(buffer + warp * lineWords * 4 + lane);
  unsigned sum = 0;
  const unsigned *const near = hits + lane;
#pragma unroll 1
  for (int four = -2; four < rounds / 4; four++) { // the first ones bring what is hit
    if (four == 0) {
      __syncthreads();
      if (threadIdx.x == 0) cycles[0] = clock64();
    }
#pragma unroll
    for (int one = 0; one < 4; one++) {
      const int round = 4 * four + one;
      unsigned values[hitLoads + times * 4];
#pragma unroll
      for (int i = 0; i < hitLoads; i++) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(values[i]) : "l"(near + (one * hitLoads + i) * lineWords));
#pragma unroll
      for (int i = 0; i < times; i++) {
        // Each warp its own line, and others each time.
        const size_t line = (size_t(round + 8) * times + i) * warps + warp;
        unsigned *const own = far + line * lineWords;
        unsigned &value = values[hitLoads + 4 * i];
        value = 0;
        if (how == again) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(near + ((one + 4) * hitLoads + i) * lineWords));
        if (how == missing) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(own + lane));
        if (how == oneSector) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(own + lane % 8));
        if (how == twoHalves) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(own + 16 + (lane < 16 ? lane : lane + warps * times * lineWords * rounds)));
        if (how == together) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(far + (size_t(round + 8) * times + i) * lineWords + lane));
        if (how == wide)
          asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                       : "=r"(values[hitLoads + 4 * i]), "=r"(values[hitLoads + 4 * i + 1]), "=r"(values[hitLoads + 4 * i + 2]), "=r"(values[hitLoads + 4 * i + 3])
                       : "l"(far + line * lineWords * 4 + 4 * lane));
        if (how == pastL1) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(own + lane));
        if (how == storing) asm volatile("st.global.u32 [%0], %1;" ::"l"(own + lane), "r"(sum) : "memory");
        if (how == storingWide) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(far + line * lineWords * 4 + 4 * lane), "r"(sum) : "memory");
        if (how == storingSector) asm volatile("st.global.u32 [%0], %1;" ::"l"(own + lane % 8), "r"(sum) : "memory");
        if (how == storingHalves) asm volatile("st.global.u32 [%0], %1;" ::"l"(own + 16 + (lane < 16 ? lane : lane + warps * times * lineWords * rounds)), "r"(sum) : "memory");
        if (how == storingScattered) asm volatile("st.global.u32 [%0], %1;" ::"l"(far + line * lineWords * 8 + lane / 4 * lineWords + lane), "r"(sum) : "memory");
        if (how == copyingHit) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(near + ((one + 4) * hitLoads + i) * lineWords) : "memory");
        if (how == copying) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(own + lane) : "memory");
      }
#pragma unroll
      for (int i = 0; i < hitLoads; i++) sum += values[i];
#pragma unroll
      for (int i = 0; i < times; i++) sum += values[hitLoads + 4 * i];
      if (how == wide)
        for (int i = 0; i < times; i++) sum += values[hitLoads + 4 * i + 1] + values[hitLoads + 4 * i + 2] + values[hitLoads + 4 * i + 3];
    }
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) cycles[1] = clock64();
  if (sum == 1) *out = sum + buffer[lane];
}

unsigned *hits, *far, *out;
long long *cycles;

template <int how, int times> void measure() {
  printf("{\"what\":\"%s\",\"times\":%d", names[how], times);
#ifdef FOR_NCU
  for (int warps : {32}) {
    work<how, times><<<1, warps * 32>>>(hits, far, out, cycles);
#else
  for (int warps : {4, 8, 16, 32}) {
    long long best = 1ll << 40, at[2];
    for (int run = 0; run < 4; run++) {
      work<how, times><<<1, warps * 32>>>(hits, far, out, cycles);
      cudaMemcpy(at, cycles, sizeof at, cudaMemcpyDeviceToHost);
      if (at[1] - at[0] < best) best = at[1] - at[0];
    }
    printf(",\"%d\":%.3f", warps, double(best) / (double(warps) * rounds));
#endif
  }
  printf("},\n");
}
template <int how> void both() { measure<how, 1>(), measure<how, 2>(); }

int main() {
  cudaMalloc(&hits, 64 << 10), cudaMalloc(&far, 64 << 20), cudaMalloc(&out, 4), cudaMalloc(&cycles, 16);
  cudaMemset(hits, 0, 64 << 10), cudaMemset(far, 0, 64 << 20);
  measure<nothing, 1>(), both<again>(), both<missing>(), both<oneSector>(), both<twoHalves>(), both<together>(), both<wide>(), both<pastL1>();
  both<storing>(), both<storingWide>(), both<storingSector>(), both<storingHalves>(), both<storingScattered>();
  both<copying>(), both<copyingHit>();
  if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorString(error));
}
