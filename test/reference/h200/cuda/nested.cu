// Kernels that kernels launch: how long until they start, and how many a second. Built with relocatable device code.
#include "common.cuh"

__device__ __forceinline__ unsigned long long gtime() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__device__ unsigned long long started[1 << 16], ended[1 << 16], asked[1 << 16], parent[2];
__global__ void k_child(int i, long long cycles) {
  unsigned long long t = gtime();
  long long c0 = clock64();
  while (clock64() - c0 < cycles) {}
  if (threadIdx.x == 0 && blockIdx.x == 0) { started[i] = t; ended[i] = gtime(); }
}
__global__ void k_parent(int n, long long cycles, bool own_streams) {
  if (threadIdx.x == 0 && blockIdx.x == 0) parent[0] = gtime();
  for (int i = 0; i < n; i++) {
    int id = (blockIdx.x * blockDim.x + threadIdx.x) * n + i;
    asked[id] = gtime();
    if (own_streams) {
      k_child<<<1, 32, 0, cudaStreamFireAndForget>>>(id, cycles);
    } else {
      k_child<<<1, 32>>>(id, cycles);
    }
  }
  if (threadIdx.x == 0 && blockIdx.x == 0) parent[1] = gtime();
}
__global__ void k_tail(int n) {
  int i = n;
  started[i] = gtime();
  if (n > 0) k_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(n - 1);
  ended[i] = gtime();
}
static std::vector<std::string> rows;
int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  // LAB_QUICK: two repetitions instead of five, and launches of 5000 kernels at most.
  const bool quick = getenv("LAB_QUICK") != nullptr;
  const int most = quick ? 5000 : 16384, repetitions = quick ? 2 : 6;
  double mhz = measured_sm_mhz();
  cudaStream_t s;
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaEvent_t ea, eb;
  CK(cudaEventCreate(&ea));
  CK(cudaEventCreate(&eb));
  CK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 32768));
  std::vector<unsigned long long> a(1 << 16), b(1 << 16), c(1 << 16);
  unsigned long long p[2];
  for (int blocks : {1, 132})
    for (int threads : {1, 32})
      for (int n : {1, 2, 10, 100})
        for (bool own : {false, true})
          for (double us : {0., 20.}) {
            if (blocks * threads * n > most) continue;
            std::vector<double> whole, first, last, gap, ask, parentUs;
            for (int r = 0; r < repetitions; r++) {
              CK(cudaDeviceSynchronize());
              CK(cudaEventRecord(ea, s));
              k_parent<<<blocks, threads, 0, s>>>(n, (long long)(us * mhz), own);
              CK(cudaEventRecord(eb, s));
              CK(cudaEventSynchronize(eb));
              float ms;
              CK(cudaEventElapsedTime(&ms, ea, eb));
              int all = blocks * threads * n;
              CK(cudaMemcpyFromSymbol(a.data(), started, all * 8));
              CK(cudaMemcpyFromSymbol(b.data(), ended, all * 8));
              CK(cudaMemcpyFromSymbol(c.data(), asked, all * 8));
              CK(cudaMemcpyFromSymbol(p, parent, 16));
              if (r == 0) continue;
              whole.push_back(ms * 1e3);
              parentUs.push_back((p[1] - p[0]) * 1e-3);
              unsigned long long lo = ~0ull, hi = 0;
              for (int i = 0; i < all; i++) { lo = std::min(lo, a[i]); hi = std::max(hi, b[i]); }
              first.push_back((double)(long long)(lo - p[0]) * 1e-3);
              last.push_back((hi - p[0]) * 1e-3);
              if (all > 1) gap.push_back((double)(long long)(a[1] - b[0]) * 1e-3);
              if (n > 1) ask.push_back((c[1] - c[0]) * 1e-3);
            }
            J j;
            j.num("blocks", blocks).num("threads", threads).num("each", n).boolean("fire_and_forget", own).num("child_us", us).raw("event_us", jstats(whole)).num("parent_us", quant(parentUs, .5)).num("first_child_start", quant(first, .5)).num("last_child_end", quant(last, .5)).num("gap_0_to_1", quant(gap, .5)).num("between_launches", quant(ask, .5));
            rows.push_back(j.done());
            fprintf(stderr, "%s\n", j.body.c_str());
          }
  for (int n : {0, 1, 10}) {
    std::vector<double> whole, gap;
    for (int r = 0; r < repetitions; r++) {
      CK(cudaEventRecord(ea, s));
      k_tail<<<1, 1, 0, s>>>(n);
      CK(cudaEventRecord(eb, s));
      CK(cudaEventSynchronize(eb));
      float ms;
      CK(cudaEventElapsedTime(&ms, ea, eb));
      CK(cudaMemcpyFromSymbol(a.data(), started, (n + 1) * 8));
      CK(cudaMemcpyFromSymbol(b.data(), ended, (n + 1) * 8));
      if (r == 0) continue;
      whole.push_back(ms * 1e3);
      for (int i = n; i > 0; i--) gap.push_back((double)(long long)(a[i - 1] - b[i]) * 1e-3);
    }
    J j;
    j.num("tail_launches", n).raw("event_us", jstats(whole)).num("end_to_start", quant(gap, .5));
    rows.push_back(j.done());
    fprintf(stderr, "%s\n", j.body.c_str());
  }
  FILE* f = fopen((dir + "/nested.json").c_str(), "w");
  fprintf(f, "{\"sm_clock_mhz\":%.1f,\"rows\":%s}\n", mhz, jarr(rows).c_str());
  fclose(f);
  return 0;
}
