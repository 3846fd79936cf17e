// Managed memory: what faults, migrations and prefetches cost, by size and order of access. Never more than the GPU holds.
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
// One word per `step` words, in the order of a permutation.
__global__ void k_touch(float* x, size_t count, size_t step, size_t odd, bool write) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
    size_t at = (i * odd) % count * step;
    if (write) x[at] = 1; else if (x[at] == 1.2345f) x[at] = 2;
  }
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
  CK(cudaSetDevice(0));
  cudaStream_t s;
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaEvent_t ea, eb;
  CK(cudaEventCreate(&ea));
  CK(cudaEventCreate(&eb));
  float* out;
  CK(cudaMalloc(&out, 1 << 20));
  k_empty<<<1, 1, 0, s>>>();
  CK(cudaDeviceSynchronize());
  cudaMemLocation gpu{cudaMemLocationTypeDevice, 0}, cpu{cudaMemLocationTypeHost, 0};
  auto device = [&](const std::function<void()>& f) {
    CK(cudaEventRecord(ea, s));
    f();
    CK(cudaEventRecord(eb, s));
    CK(cudaEventSynchronize(eb));
    float ms;
    CK(cudaEventElapsedTime(&ms, ea, eb));
    return ms * 1e3;
  };
  auto host = [&](const std::function<void()>& f) { double t = now_us(); f(); return now_us() - t; };
  int reps = argc > 2 ? atoi(argv[2]) : 5;
  volatile double sink = 0;
  for (size_t kb : {4ul, 64ul, 256ul, 1024ul, 2048ul, 4096ul, 16384ul, 65536ul, 262144ul}) {
    size_t b = kb << 10, n = b / 4;
    int grid = (int)std::min<size_t>((n + 255) / 256, 132 * 8);
    std::map<std::string, std::vector<double>> t;
    for (int r = 0; r < reps; r++) {
      float* x;
      t["malloc"].push_back(host([&] { CK(cudaMallocManaged(&x, b)); }));
      t["gpu_first_write"].push_back(device([&] { k_write<<<grid, 256, 0, s>>>(x, n); }));
      t["gpu_again"].push_back(device([&] { k_write<<<grid, 256, 0, s>>>(x, n); }));
      t["cpu_read_after_gpu"].push_back(host([&] { double v = 0; for (size_t i = 0; i < n; i += 16) v += x[i]; sink = v; }));
      t["cpu_read_again"].push_back(host([&] { double v = 0; for (size_t i = 0; i < n; i += 16) v += x[i]; sink = v; }));
      t["gpu_read_after_cpu_read"].push_back(device([&] { k_sum<<<grid, 256, 0, s>>>(x, out, n); }));
      t["cpu_write_after_gpu"].push_back(host([&] { for (size_t i = 0; i < n; i++) x[i] = 1; }));
      t["cpu_write_again"].push_back(host([&] { for (size_t i = 0; i < n; i++) x[i] = 1; }));
      t["gpu_write_after_cpu"].push_back(device([&] { k_write<<<grid, 256, 0, s>>>(x, n); }));
      t["prefetch_to_cpu_event"].push_back(device([&] { CK(cudaMemPrefetchAsync(x, b, cpu, 0, s)); }));
      CK(cudaDeviceSynchronize());
      double call = 0;
      t["prefetch_to_gpu_event"].push_back(device([&] { call = host([&] { CK(cudaMemPrefetchAsync(x, b, gpu, 0, s)); }); }));
      t["prefetch_to_gpu_call"].push_back(call);
      t["prefetch_to_gpu_again"].push_back(device([&] { CK(cudaMemPrefetchAsync(x, b, gpu, 0, s)); }));
      t["gpu_write_after_prefetch"].push_back(device([&] { k_write<<<grid, 256, 0, s>>>(x, n); }));
      t["prefetch_to_cpu_wall"].push_back(host([&] { CK(cudaMemPrefetchAsync(x, b, cpu, 0, s)); CK(cudaStreamSynchronize(s)); }));
      t["memset_on_gpu"].push_back(device([&] { CK(cudaMemsetAsync(x, 0, b, s)); }));
      t["free"].push_back(host([&] { CK(cudaFree(x)); }));
      CK(cudaMallocManaged(&x, b));
      t["cpu_first_write"].push_back(host([&] { for (size_t i = 0; i < n; i++) x[i] = 1; }));
      t["gpu_read_after_cpu_first"].push_back(device([&] { k_sum<<<grid, 256, 0, s>>>(x, out, n); }));
      CK(cudaFree(x));
      CK(cudaMallocManaged(&x, b));
      for (size_t i = 0; i < n; i++) x[i] = 1;
      t["advise_read_mostly"].push_back(host([&] { CK(cudaMemAdvise(x, b, cudaMemAdviseSetReadMostly, gpu)); }));
      t["read_mostly_gpu_read"].push_back(device([&] { k_sum<<<grid, 256, 0, s>>>(x, out, n); }));
      t["read_mostly_cpu_read"].push_back(host([&] { double v = 0; for (size_t i = 0; i < n; i += 16) v += x[i]; sink = v; }));
      t["read_mostly_gpu_read_again"].push_back(device([&] { k_sum<<<grid, 256, 0, s>>>(x, out, n); }));
      t["read_mostly_cpu_write"].push_back(host([&] { for (size_t i = 0; i < n; i++) x[i] = 2; }));
      CK(cudaFree(x));
      CK(cudaMallocManaged(&x, b));
      for (size_t i = 0; i < n; i++) x[i] = 1;
      CK(cudaMemAdvise(x, b, cudaMemAdviseSetPreferredLocation, cpu));
      CK(cudaMemAdvise(x, b, cudaMemAdviseSetAccessedBy, gpu));
      t["mapped_gpu_read"].push_back(device([&] { k_sum<<<grid, 256, 0, s>>>(x, out, n); }));
      t["mapped_gpu_read_again"].push_back(device([&] { k_sum<<<grid, 256, 0, s>>>(x, out, n); }));
      t["mapped_gpu_write"].push_back(device([&] { k_write<<<grid, 256, 0, s>>>(x, n); }));
      CK(cudaFree(x));
    }
    for (auto& [name, v] : t) put(name + " KB=" + std::to_string(kb), v, J().num("gb_per_s", b / quant(v, .5) * 1e-3));
  }
  // Orders of access, 64 MB written by the CPU before.
  size_t b = (size_t)64 << 20;
  for (size_t step : {(size_t)4096, (size_t)65536, (size_t)2 << 20})
    for (bool shuffled : {false, true})
      for (bool write : {false, true}) {
        std::vector<double> t, back;
        for (int r = 0; r < reps; r++) {
          float* x;
          CK(cudaMallocManaged(&x, b));
          memset(x, 1, b);
          size_t count = b / step;
          t.push_back(device([&] { k_touch<<<(count + 63) / 64, 64, 0, s>>>(x, count, step / 4, shuffled ? 7919 : 1, write); }));
          back.push_back(host([&] { double v = 0; for (size_t i = 0; i < b / 4; i += 1024) v += x[i]; sink = v; }));
          CK(cudaFree(x));
        }
        std::string name = "touch_each_" + std::to_string(step) + (shuffled ? "_shuffled" : "") + (write ? "_write" : "_read");
        put(name, t);
        put(name + " cpu_reads_all_after", back);
      }
  // One fault after the other.
  unsigned long long* ns;
  CK(cudaMallocHost(&ns, 8 * 4096));
  for (size_t step : {(size_t)4096, (size_t)65536, (size_t)2 << 20})
    for (int populated : {0, 1}) {
      float* x;
      int count = (int)std::min<size_t>(b / step, 256);
      CK(cudaMallocManaged(&x, b));
      if (populated) memset(x, 0, b);
      double whole = device([&] { k_serial<<<1, 1, 0, s>>>(x, count, step / 4, ns); });
      std::vector<double> t;
      std::vector<std::string> list;
      for (int i = 0; i < count; i++) { t.push_back(ns[i] * 1e-3); if (i < 64) list.push_back(jnum(ns[i] * 1e-3)); }
      put(std::string("serial_") + (populated ? "from_cpu" : "unpopulated") + " step=" + std::to_string(step), t, J().num("kernel", whole).raw("each", jarr(list)));
      std::vector<double> c;
      std::vector<std::string> listc;
      for (int i = 0; i < count; i++) { double v = host([&] { sink = x[(size_t)i * step / 4]; }); c.push_back(v); if (i < 64) listc.push_back(jnum(v)); }
      put(std::string("serial_back_to_cpu") + (populated ? "" : " unpopulated") + " step=" + std::to_string(step), c, J().raw("each", jarr(listc)));
      CK(cudaFree(x));
    }
  // Back and forth.
  for (size_t kb : {4ul, 1024ul, 16384ul}) {
    float* x;
    size_t n = (kb << 10) / 4;
    CK(cudaMallocManaged(&x, n * 4));
    for (size_t i = 0; i < n; i++) x[i] = 0;
    std::vector<double> t;
    for (int r = 0; r < 12; r++) t.push_back(host([&] {
      k_write<<<(int)std::min<size_t>((n + 255) / 256, 1056), 256, 0, s>>>(x, n);
      CK(cudaStreamSynchronize(s));
      for (size_t i = 0; i < n; i += 16) x[i] += 1;
    }));
    put("ping_pong KB=" + std::to_string(kb), t);
    CK(cudaFree(x));
  }
  FILE* f = fopen((dir + "/managed.json").c_str(), "w");
  fprintf(f, "{\"rows\":%s}\n", jarr(rows).c_str());
  fclose(f);
  return 0;
}
