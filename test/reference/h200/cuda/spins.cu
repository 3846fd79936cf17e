// Warps that spin on the clock: how often each goes around, alone and with others on its scheduler, and when it first came to
// run. Then streams that share connections, and pageable copies in pieces.
#include "common.cuh"

__global__ void k_count(long long* out, long long cycles) {
  long long first = clock64(), now;
  int n = 0;
  do {
    now = clock64();
    n++;
  } while (now - first < cycles);
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x % 32 == 0) {
    long long* o = out + 4 * ((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    o[0] = first; o[1] = now; o[2] = n; o[3] = sm;
  }
}
__global__ void k_stamp(unsigned long long* s, int i, long long cycles) {
  unsigned long long t, e;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  long long c0 = clock64();
  while (clock64() - c0 < cycles) {}
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(e));
  if (blockIdx.x == 0 && threadIdx.x == 0) { s[2 * i] = t; s[2 * i + 1] = e; }
}
__global__ void k_work(float* x, size_t n, int rounds) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.99f + 0.01f;
    x[i] = v;
  }
}
int main() {
  CK(cudaSetDevice(0));
  double mhz = measured_sm_mhz();
  long long* out;
  CK(cudaMalloc(&out, 8 << 20));
  std::vector<long long> h(1 << 20);
  for (int threads : {32, 128, 256, 512})
    for (int per : {1, 2, 4, 5, 6, 7, 8, 16}) {
      if (per * threads > 2048) continue;
      for (int r = 0; r < 2; r++) k_count<<<132 * per, threads>>>(out, (long long)(50 * mhz));
      CK(cudaDeviceSynchronize());
      int warps = 132 * per * threads / 32;
      CK(cudaMemcpy(h.data(), out, warps * 32, cudaMemcpyDeviceToHost));
      std::vector<std::vector<long long>> of;
      long long sm0 = h[3], lo = 1ll << 62;
      for (int w = 0; w < warps; w++) if (h[4 * w + 3] == sm0) { of.push_back({w, h[4 * w], h[4 * w + 1], h[4 * w + 2]}); lo = std::min(lo, h[4 * w]); }
      printf("threads %d blocks/SM %d: ", threads, per);
      for (auto& o : of) printf("%lld:%lld-%lld n=%lld ", o[0] / (threads / 32), o[1] - lo, o[2] - lo, o[3]);
      printf("\n");
    }
  // Streams over connections: two kernels of 1 ms in each of k streams, depth first.
  unsigned long long* st;
  CK(cudaMalloc(&st, 1 << 16));
  for (int k : {1, 2, 4, 7, 8, 9, 10, 12, 16, 17, 24, 32, 33, 64}) {
    std::vector<cudaStream_t> q(k);
    for (auto& s : q) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (int order = 0; order < 2; order++) {
      double best = 1e30;
      for (int r = 0; r < 3; r++) {
        CK(cudaDeviceSynchronize());
        double t0 = now_us();
        if (order == 0) for (int i = 0; i < k; i++) for (int j = 0; j < 2; j++) k_stamp<<<1, 32, 0, q[i]>>>(st, 2 * i + j, (long long)(1000 * mhz));
        else for (int j = 0; j < 2; j++) for (int i = 0; i < k; i++) k_stamp<<<1, 32, 0, q[i]>>>(st, 2 * i + j, (long long)(1000 * mhz));
        CK(cudaDeviceSynchronize());
        best = std::min(best, now_us() - t0);
      }
      printf("streams %d two kernels each %s: %.0f us\n", k, order ? "breadth" : "depth", best);
    }
    for (auto& s : q) CK(cudaStreamDestroy(s));
  }
  // Pageable copies of pieces of a larger array, alone and with a kernel between, call by call.
  size_t total = (size_t)128 << 20;
  char *host0 = (char*)malloc(total), *host1 = (char*)malloc(total), *d;
  memset(host0, 1, total); memset(host1, 1, total);
  CK(cudaMalloc(&d, total));
  for (size_t mb : {1ul, 2ul, 8ul, 32ul, 128ul}) {
    size_t b = mb << 20;
    for (int mode = 0; mode < 4; mode++)
      for (int ns : {1, 4}) {
        cudaStream_t q[4];
        for (auto& s : q) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        std::vector<double> up, launch, down, all;
        for (int r = 0; r < 6; r++) {
          double a0 = now_us();
          for (size_t at = 0, c = 0; at < total; at += b, c++) {
            double t0 = now_us();
            if (mode != 1) CK(cudaMemcpyAsync(d + at, host0 + at, b, cudaMemcpyHostToDevice, q[c % ns]));
            double t1 = now_us();
            if (mode == 3) k_work<<<132 * 4, 256, 0, q[c % ns]>>>((float*)(d + at), b / 4, 800);
            double t2 = now_us();
            if (mode != 0) CK(cudaMemcpyAsync(host1 + at, d + at, b, cudaMemcpyDeviceToHost, q[c % ns]));
            double t3 = now_us();
            if (r > 0) { up.push_back(t1 - t0); launch.push_back(t2 - t1); down.push_back(t3 - t2); }
          }
          CK(cudaDeviceSynchronize());
          if (r > 0) all.push_back(now_us() - a0);
        }
        const char* modes[] = {"up", "down", "up_down", "up_kernel_down"};
        printf("pageable %zu MB %s streams %d: all %.0f us (%.0f to %.0f), up %.1f (iqr %.1f), launch %.1f, down %.1f (iqr %.1f): %.1f and %.1f GB/s\n", mb, modes[mode], ns, quant(all, .5), quant(all, 0), quant(all, 1), quant(up, .5), quant(up, .75) - quant(up, .25), quant(launch, .5), quant(down, .5), quant(down, .75) - quant(down, .25), b / quant(up, .5) * 1e-3, b / quant(down, .5) * 1e-3);
        for (auto& s : q) CK(cudaStreamDestroy(s));
      }
  }
  // memcpy by one host thread, for comparison.
  for (size_t mb : {1ul, 8ul, 32ul, 64ul, 128ul}) {
    std::vector<double> t;
    for (int r = 0; r < 8; r++) { double t0 = now_us(); memcpy(host1, host0, mb << 20); t.push_back(now_us() - t0); }
    printf("memcpy %zu MB: %.1f GB/s\n", mb, (mb << 20) / quant(t, .5) * 1e-3);
  }
  return 0;
}
