// Managed memory of two GPUs: what faults, prefetches and advice do when the pages are on the other GPU.
#include "common.cuh"

__global__ void k_empty() {}
__global__ void k_write(float* x, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) x[i] = (float)i;
}
__global__ void k_sum(const float* x, float* out, size_t n) {
  float s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += x[i];
  if (s == 1.2345f) *out = s;
}
// One thread after another: each load waits for the one before.
__global__ void k_serial(volatile float* x, int count, size_t step, unsigned long long* ns) {
  float s = 0;
  unsigned long long t0, t1;
  for (int i = 0; i < count; i++) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
    s += x[(size_t)i * step + (size_t)(s == 1.2345f)];
    asm volatile("" :: "f"(s) : "memory");
    if (s == 1.2345f) ns[0] = 1;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
    ns[i] = t1 - t0;
  }
}
static std::vector<std::string> rows;
static void put(const std::string& name, const std::vector<double>& us, J d = J()) {
  rows.push_back(J().str("name", name).raw("us", jstats(us)).raw("more", d.done()).done());
  fprintf(stderr, "%-56s %11.3f us (iqr %.3f, %.3f to %.3f) %s\n", name.c_str(), quant(us, .5), quant(us, .75) - quant(us, .25), quant(us, 0), quant(us, 1), d.body.c_str());
}

int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  int reps = argc > 2 ? atoi(argv[2]) : 7;
  cudaStream_t s[2];
  cudaEvent_t ea[2], eb[2];
  float* out[2];
  for (int g = 0; g < 2; g++) {
    CK(cudaSetDevice(g));
    CK(cudaStreamCreateWithFlags(&s[g], cudaStreamNonBlocking));
    CK(cudaEventCreate(&ea[g]));
    CK(cudaEventCreate(&eb[g]));
    CK(cudaMalloc(&out[g], 1 << 20));
    k_empty<<<1, 1, 0, s[g]>>>();
    CK(cudaDeviceSynchronize());
  }
  auto device = [&](int g, const std::function<void()>& f) {
    CK(cudaSetDevice(g));
    CK(cudaEventRecord(ea[g], s[g]));
    f();
    CK(cudaEventRecord(eb[g], s[g]));
    CK(cudaEventSynchronize(eb[g]));
    float ms;
    CK(cudaEventElapsedTime(&ms, ea[g], eb[g]));
    return ms * 1e3;
  };
  auto host = [&](const std::function<void()>& f) { double t = now_us(); f(); return now_us() - t; };
  auto at = [](int g) { return cudaMemLocation{cudaMemLocationTypeDevice, g}; };
  volatile double sink = 0;
  for (int enabled = 0; enabled < 2; enabled++) {
    if (enabled) for (int g = 0; g < 2; g++) { CK(cudaSetDevice(g)); CK(cudaDeviceEnablePeerAccess(1 - g, 0)); }
    std::string prefix = enabled ? "peer_access " : "";
    for (size_t kb : {64ul, 1024ul, 4096ul, 16384ul, 65536ul}) {
      size_t b = kb << 10, n = b / 4;
      int grid = (int)std::min<size_t>((n + 255) / 256, 132 * 8);
      std::map<std::string, std::vector<double>> t;
      float* x;
      auto sum = [&](int g) { return device(g, [&] { k_sum<<<grid, 256, 0, s[g]>>>(x, out[g], n); }); };
      auto write = [&](int g) { return device(g, [&] { k_write<<<grid, 256, 0, s[g]>>>(x, n); }); };
      auto prefetch = [&](int g, int on) { return device(on, [&] { CK(cudaMemPrefetchAsync(x, b, at(g), 0, s[on])); }); };
      for (int r = 0; r < reps; r++) {
        CK(cudaMallocManaged(&x, b));
        write(0);
        t["gpu1_read_after_gpu0"].push_back(sum(1));
        t["gpu1_read_again"].push_back(sum(1));
        t["gpu0_write_after_gpu1"].push_back(write(0));
        t["gpu1_write_after_gpu0"].push_back(write(1));
        t["cpu_read_after_gpu1"].push_back(host([&] { double v = 0; for (size_t i = 0; i < n; i += 16) v += x[i]; sink = v; }));
        t["gpu1_read_after_cpu"].push_back(sum(1));
        t["prefetch_1_to_0"].push_back(prefetch(0, 0));
        t["gpu0_read_after_prefetch"].push_back(sum(0));
        t["prefetch_0_to_1"].push_back(prefetch(1, 1));
        t["prefetch_0_to_1_again"].push_back(prefetch(1, 1));
        t["gpu1_read_after_prefetch"].push_back(sum(1));
        CK(cudaFree(x));
        CK(cudaMallocManaged(&x, b));
        write(0);
        CK(cudaMemAdvise(x, b, cudaMemAdviseSetAccessedBy, at(1)));
        t["accessed_by_gpu1_read"].push_back(sum(1));
        t["accessed_by_gpu1_read_again"].push_back(sum(1));
        t["accessed_by_gpu1_write"].push_back(write(1));
        t["accessed_by_gpu0_read_after"].push_back(sum(0));
        CK(cudaFree(x));
        CK(cudaMallocManaged(&x, b));
        write(0);
        CK(cudaMemAdvise(x, b, cudaMemAdviseSetPreferredLocation, at(0)));
        t["prefers_gpu0_gpu1_read"].push_back(sum(1));
        t["prefers_gpu0_gpu1_read_again"].push_back(sum(1));
        t["prefers_gpu0_gpu0_read_after"].push_back(sum(0));
        CK(cudaFree(x));
        CK(cudaMallocManaged(&x, b));
        write(0);
        CK(cudaMemAdvise(x, b, cudaMemAdviseSetReadMostly, at(0)));
        t["read_mostly_gpu1_read"].push_back(sum(1));
        t["read_mostly_gpu0_read"].push_back(sum(0));
        t["read_mostly_gpu1_write"].push_back(write(1));
        t["read_mostly_gpu0_read_after"].push_back(sum(0));
        CK(cudaFree(x));
      }
      for (auto& [name, v] : t) put(prefix + name + " KB=" + std::to_string(kb), v);
    }
    unsigned long long* ns;
    CK(cudaMallocHost(&ns, 8 * 4096));
    for (size_t step : {(size_t)65536, (size_t)2 << 20}) {
      size_t b = (size_t)64 << 20;
      float* x;
      int count = (int)std::min<size_t>(b / step, 256);
      CK(cudaMallocManaged(&x, b));
      device(0, [&] { CK(cudaMemPrefetchAsync(x, b, at(0), 0, s[0])); });
      double whole = device(1, [&] { k_serial<<<1, 1, 0, s[1]>>>(x, count, step / 4, ns); });
      std::vector<double> t;
      std::vector<std::string> list;
      for (int i = 0; i < count; i++) { t.push_back(ns[i] * 1e-3); if (i < 64) list.push_back(jnum(ns[i] * 1e-3)); }
      put(prefix + "serial_from_gpu0 step=" + std::to_string(step), t, J().num("kernel", whole).raw("each", jarr(list)));
      CK(cudaFree(x));
    }
  }
  FILE* f = fopen((dir + "/managed_peers.json").c_str(), "w");
  fprintf(f, "{\"rows\":%s}\n", jarr(rows).c_str());
  fclose(f);
  return 0;
}
