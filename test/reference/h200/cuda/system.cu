// What the system around the kernels does: depth of queues, kernels side by side block by block, host functions, blocking
// waits, calls of several host threads, copies in rows, graphs of all kinds, and what calls cost. Sections S1 to S9.
#include <pthread.h>
#include <atomic>
#include <thread>
#include "common.cuh"

__device__ __forceinline__ unsigned long long gtime() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__device__ __forceinline__ unsigned smid() {
  unsigned s;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
  return s;
}
__global__ void k_empty() {}
__global__ void k_hold(volatile int* flag) {
  while (*flag == 0) {}
}
// Start and end of each block, and where it ran.
struct Stamp { unsigned long long start, end; unsigned sm, pad; };
__global__ void k_blocks(Stamp* s, long long cycles) {
  unsigned long long t = gtime();
  long long c0 = clock64();
  while (clock64() - c0 < cycles) {}
  if (threadIdx.x == 0) s[blockIdx.x] = {t, gtime(), smid(), 0};
}
__global__ void k_fma(float* x, int rounds) {
  float a = x[threadIdx.x], b = a + 1, c = a + 2, d = a + 3;
  for (int r = 0; r < rounds; r++) {
    a = a * 0.99f + 0.01f; b = b * 0.99f + 0.01f; c = c * 0.99f + 0.01f; d = d * 0.99f + 0.01f;
  }
  x[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}
__global__ void k_stream(const float4* in, float4* out, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i] = in[i];
}
__global__ void k_read(const float4* in, float* out, size_t n) {
  float s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    float4 v = in[i];
    s += v.x + v.y + v.z + v.w;
  }
  if (s == 12345.f) *out = s;
}

static __device__ int symbol_[64];
// LAB_SECTION=S8 runs one section; LAB_QUICK repeats the cases of S8 less often.
static bool quick = getenv("LAB_QUICK") != nullptr, wanted = true;
static bool part(const char* section) { return wanted = in_section(section); }
static std::vector<std::string> rows;
static void put(const char* sec, const std::string& name, const std::vector<double>& us, J d = J()) {
  if (!wanted) return;
  rows.push_back(J().str("section", sec).str("name", name).raw("us", jstats(us)).raw("more", d.done()).done());
  fprintf(stderr, "%-3s %-52s %11.3f us (iqr %.3f, %.3f to %.3f) %s\n", sec, name.c_str(), quant(us, .5), quant(us, .75) - quant(us, .25), quant(us, 0), quant(us, 1), d.body.c_str());
}
static double mhz;
static long long cyc(double us) { return (long long)(us * mhz); }
static std::vector<double> times(int n, const std::function<void()>& f, const std::function<void()>& after = {}) {
  std::vector<double> t;
  for (int i = 0; wanted && i < n + 3; i++) {
    double t0 = now_us();
    f();
    double t1 = now_us();
    if (i > 2) t.push_back(t1 - t0);
    if (after) after();
  }
  return t;
}
static void callback(void* p) { *(double*)p = now_us(); }
static void CUDART_CB stream_callback(cudaStream_t, cudaError_t, void* p) { *(double*)p = now_us(); }

int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  CK(cudaSetDevice(0));
  mhz = measured_sm_mhz();
  cudaStream_t s1, s2, blocking1, blocking2;
  CK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
  CK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
  CK(cudaStreamCreate(&blocking1));
  CK(cudaStreamCreate(&blocking2));
  cudaEvent_t ea, eb;
  CK(cudaEventCreate(&ea));
  CK(cudaEventCreate(&eb));
  Stamp* st;
  const int most = 1 << 16;
  CK(cudaMalloc(&st, most * sizeof(Stamp)));
  std::vector<Stamp> h(most);
  auto get = [&](int n) { CK(cudaMemcpy(h.data(), st, n * sizeof(Stamp), cudaMemcpyDeviceToHost)); };
  float* x;
  size_t cap = (size_t)512 << 20;
  CK(cudaMalloc(&x, cap));
  CK(cudaMemset(x, 0, cap));
  int* flag;
  CK(cudaMallocHost(&flag, 64));

  // S1: how far the host runs ahead. A kernel holds the stream while launches are timed one by one.
  if (part("S1")) for (int streams : {1, 2, 4})
    for (const char* what : {"launch", "event", "copy", "big_arguments"}) {
      if (streams != 1 && strcmp(what, "launch")) continue;
      cudaStream_t q[4];
      for (auto& s : q) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
      *flag = 0;
      for (int i = 0; i < streams; i++) k_hold<<<1, 1, 0, q[i]>>>(flag);
      std::vector<double> at(20000, 0);
      std::atomic<int> done{0};
      std::thread issue([&] {
        for (int i = 0; i < 12000; i++) {
          double t0 = now_us();
          if (!strcmp(what, "launch")) k_empty<<<1, 1, 0, q[i % streams]>>>();
          else if (!strcmp(what, "event")) CK(cudaEventRecord(ea, q[0]));
          else if (!strcmp(what, "copy")) CK(cudaMemcpyAsync(x, flag + 4, 16 + (1 << 5), cudaMemcpyHostToDevice, q[0]));
          else k_fma<<<1, 32, 0, q[0]>>>(x, 1);
          at[i] = now_us() - t0;
          done = i + 1;
        }
      });
      int last = -1;
      double since = now_us();
      while (done < 12000 && now_us() - since < 100000) {
        if (done != last) { last = done; since = now_us(); }
      }
      int stuck = done;
      *flag = 1;
      issue.join();
      CK(cudaDeviceSynchronize());
      std::vector<double> cost(at.begin() + 100, at.begin() + std::max(101, std::min(stuck, 900)));
      put("S1", std::string("queue_depth ") + what + " streams=" + std::to_string(streams), cost, J().num("calls_before_blocking", stuck));
      for (auto& s : q) CK(cudaStreamDestroy(s));
    }

  // S2: kernels side by side, block by block.
  part("S2");
  auto summary = [&](int from, int n, unsigned long long zero) {
    double lo = 1e30, hi = 0, lastStart = 0, firstEnd = 1e30;
    std::map<unsigned, int> per;
    for (int i = from; i < from + n; i++) {
      double a = (double)(h[i].start - zero) * 1e-3, b = (double)(h[i].end - zero) * 1e-3;
      lo = std::min(lo, a); hi = std::max(hi, b); lastStart = std::max(lastStart, a); firstEnd = std::min(firstEnd, b);
      per[h[i].sm]++;
    }
    int least = 1 << 30, largest = 0;
    for (auto& p : per) { least = std::min(least, p.second); largest = std::max(largest, p.second); }
    return J().num("first_start", lo).num("last_start", lastStart).num("first_end", firstEnd).num("last_end", hi).num("sms", per.size()).num("least_per_sm", least).num("most_per_sm", largest);
  };
  if (wanted) for (int n : {1, 4, 66, 132, 133, 264, 396, 1056})
    for (int thr : {256, 1024}) {
      k_blocks<<<n, thr, 0, s1>>>(st, cyc(100));
      CK(cudaDeviceSynchronize());
      get(n);
      unsigned long long zero = ~0ull;
      for (int i = 0; i < n; i++) zero = std::min(zero, h[i].start);
      std::vector<std::string> sms;
      for (int i = 0; i < std::min(n, 300); i++) sms.push_back(std::to_string(h[i].sm));
      std::vector<double> starts;
      for (int i = 0; i < n; i++) starts.push_back((h[i].start - zero) * 1e-3);
      put("S2", "placement blocks=" + std::to_string(n) + " threads=" + std::to_string(thr), starts, summary(0, n, zero).raw("sm_of_block", jarr(sms)));
    }
  struct Part { int blocks, threads; double us; size_t smem; };
  CK(cudaFuncSetAttribute(k_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
  auto pair = [&](const char* name, Part a, Part b, double wait_us, cudaStream_t qa, cudaStream_t qb) {
    for (int r = 0; wanted && r < 3; r++) {
      CK(cudaDeviceSynchronize());
      k_blocks<<<a.blocks, a.threads, a.smem, qa>>>(st, cyc(a.us));
      double w = now_us();
      while (now_us() - w < wait_us) {}
      double t0 = now_us();
      k_blocks<<<b.blocks, b.threads, b.smem, qb>>>(st + a.blocks, cyc(b.us));
      CK(cudaStreamSynchronize(qb));
      double t1 = now_us();
      CK(cudaDeviceSynchronize());
      if (r < 2) continue;
      get(a.blocks + b.blocks);
      unsigned long long zero = ~0ull;
      for (int i = 0; i < a.blocks; i++) zero = std::min(zero, h[i].start);
      std::vector<double> starts;
      for (int i = 0; i < b.blocks; i++) starts.push_back((double)(long long)(h[a.blocks + i].start - zero) * 1e-3);
      put("S2", name, starts, J().raw("first", summary(0, a.blocks, zero).done()).raw("second", summary(a.blocks, b.blocks, zero).done()).num("second_wall", t1 - t0));
    }
  };
  int least, greatest;
  CK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t lo, hi;
  CK(cudaStreamCreateWithPriority(&lo, cudaStreamNonBlocking, least));
  CK(cudaStreamCreateWithPriority(&hi, cudaStreamNonBlocking, greatest));
  for (double us : {10., 100., 1000.}) {
    std::string t = std::to_string((int)us) + "us";
    pair(("priority_high blocks_of_" + t).c_str(), {1056 * 8, 256, us, 0}, {132, 256, 10, 0}, us * 2.3, lo, hi);
    pair(("priority_same blocks_of_" + t).c_str(), {1056 * 8, 256, us, 0}, {132, 256, 10, 0}, us * 2.3, s1, s2);
  }
  pair("priority_high half_full", {528, 256, 300, 0}, {132, 256, 10, 0}, 100, lo, hi);
  pair("priority_same half_full", {528, 256, 300, 0}, {132, 256, 10, 0}, 100, s1, s2);
  pair("priority_high after_tail", {1056 + 200, 256, 100, 0}, {1056, 256, 50, 0}, 30, lo, hi);
  pair("few_long_then_many_short", {66, 1024, 500, 0}, {4096, 256, 10, 0}, 0, s1, s2);
  pair("shared_memory_and_none", {264, 128, 300, 100 * 1024}, {1056, 256, 100, 0}, 0, s1, s2);
  pair("one_block_each_sm_then_big", {132, 256, 300, 0}, {264, 1024, 100, 0}, 0, s1, s2);
  pair("wave_and_a_bit", {1056 + 132, 256, 250, 0}, {1056 + 132, 256, 250, 0}, 0, s1, s2);
  pair("blocking_streams", {8, 256, 50, 0}, {8, 256, 50, 0}, 0, blocking1, blocking2);
  pair("blocking_then_default", {8, 256, 50, 0}, {8, 256, 50, 0}, 0, blocking1, 0);
  pair("default_then_blocking", {8, 256, 50, 0}, {8, 256, 50, 0}, 0, 0, blocking1);
  pair("default_then_nonblocking", {8, 256, 50, 0}, {8, 256, 50, 0}, 0, 0, s1);

  // S3: kernels and copies that share what they need.
  part("S3");
  auto events = [&](int n, const std::function<void()>& f) { return wanted ? between_events(n + 2, cyc(60), f, s1, s2) : std::vector<double>(); };
  char* pin;
  size_t half = cap / 2;
  CK(cudaMallocHost(&pin, (size_t)256 << 20));
  memset(pin, 1, (size_t)256 << 20);
  size_t n4 = ((size_t)64 << 20) / 16;
  auto dram = [&](cudaStream_t s, int blocks, size_t at) { k_stream<<<blocks, 256, 0, s>>>((float4*)((char*)x + at), (float4*)((char*)x + at + (64u << 20)), n4); };
  auto fma = [&](cudaStream_t s, int blocks, int rounds) { k_fma<<<blocks, 256, 0, s>>>(x + (half / 4), rounds); };
  for (int b : {132, 264, 528, 1056}) {
    std::string t = " blocks=" + std::to_string(b);
    put("S3", "dram_alone" + t, events(10, [&] { dram(s1, b, 0); }));
    put("S3", "dram_two_streams" + t, events(10, [&] { dram(s1, b, 0); dram(s2, b, (size_t)128 << 20); }));
    put("S3", "dram_one_stream" + t, events(10, [&] { dram(s1, b, 0); dram(s1, b, (size_t)128 << 20); }));
    put("S3", "fma_alone" + t, events(10, [&] { fma(s1, b, 2000); }));
    put("S3", "fma_two_streams" + t, events(10, [&] { fma(s1, b, 2000); fma(s2, b, 2000); }));
    put("S3", "fma_and_dram" + t, events(10, [&] { fma(s1, b, 2000); dram(s2, b, 0); dram(s2, b, 0); }));
  }
  size_t mb64 = (size_t)64 << 20;
  put("S3", "upload_64MB_alone", events(10, [&] { CK(cudaMemcpyAsync((char*)x + 3 * mb64, pin, mb64, cudaMemcpyHostToDevice, s1)); }));
  put("S3", "download_64MB_alone", events(10, [&] { CK(cudaMemcpyAsync(pin, (char*)x + 3 * mb64, mb64, cudaMemcpyDeviceToHost, s1)); }));
  for (int k : {20, 40}) {
    std::string t = " kernels=" + std::to_string(k);
    put("S3", "dram_kernels" + t, events(8, [&] { for (int i = 0; i < k; i++) dram(s2, 1056, 0); }));
    put("S3", "dram_kernels_beside_upload" + t, events(8, [&] { CK(cudaMemcpyAsync((char*)x + 3 * mb64, pin, mb64, cudaMemcpyHostToDevice, s1)); for (int i = 0; i < k; i++) dram(s2, 1056, 0); }));
    put("S3", "dram_kernels_beside_download" + t, events(8, [&] { CK(cudaMemcpyAsync(pin, (char*)x + 3 * mb64, mb64, cudaMemcpyDeviceToHost, s1)); for (int i = 0; i < k; i++) dram(s2, 1056, 0); }));
  }
  put("S3", "zero_copy_read_64MB", events(6, [&] { k_read<<<1056, 256, 0, s1>>>((float4*)pin, x, n4); }));
  put("S3", "zero_copy_write_64MB", events(6, [&] { k_stream<<<1056, 256, 0, s1>>>((float4*)x, (float4*)(pin + mb64), n4); }));
  put("S3", "zero_copy_read_beside_upload", events(6, [&] { k_read<<<1056, 256, 0, s1>>>((float4*)pin, x, n4); CK(cudaMemcpyAsync((char*)x + 3 * mb64, pin + mb64, mb64, cudaMemcpyHostToDevice, s2)); }));
  put("S3", "d2d_64MB_alone", events(8, [&] { CK(cudaMemcpyAsync((char*)x + mb64, x, mb64, cudaMemcpyDeviceToDevice, s1)); }));
  put("S3", "d2d_two_streams", events(8, [&] { CK(cudaMemcpyAsync((char*)x + mb64, x, mb64, cudaMemcpyDeviceToDevice, s1)); CK(cudaMemcpyAsync((char*)x + 3 * mb64, (char*)x + 2 * mb64, mb64, cudaMemcpyDeviceToDevice, s2)); }));
  put("S3", "d2d_beside_fma_132", events(8, [&] { fma(s1, 132, 4000); CK(cudaMemcpyAsync((char*)x + mb64, x, mb64, cudaMemcpyDeviceToDevice, s2)); }));
  put("S3", "d2d_beside_fma_1056", events(8, [&] { fma(s1, 1056, 4000); CK(cudaMemcpyAsync((char*)x + mb64, x, mb64, cudaMemcpyDeviceToDevice, s2)); }));
  put("S3", "fma_132_4000", events(8, [&] { fma(s1, 132, 4000); }));
  put("S3", "fma_1056_4000", events(8, [&] { fma(s1, 1056, 4000); }));

  // S4: copies in rows, fills.
  part("S4");
  for (size_t w : {64ul, 256ul, 1024ul, 4096ul, 16384ul}) {
    size_t rowsN = ((size_t)16 << 20) / w;
    std::string t = " width=" + std::to_string(w);
    put("S4", "memcpy2d_h2d 16MB" + t, events(6, [&] { CK(cudaMemcpy2DAsync(x, w * 2, pin, w * 2, w, rowsN, cudaMemcpyHostToDevice, s1)); }));
    put("S4", "memcpy2d_h2d 16MB packed_host" + t, events(6, [&] { CK(cudaMemcpy2DAsync(x, w * 2, pin, w, w, rowsN, cudaMemcpyHostToDevice, s1)); }));
    put("S4", "memcpy2d_d2h 16MB" + t, events(6, [&] { CK(cudaMemcpy2DAsync(pin, w * 2, x, w * 2, w, rowsN, cudaMemcpyDeviceToHost, s1)); }));
    put("S4", "memcpy2d_d2d 16MB" + t, events(6, [&] { CK(cudaMemcpy2DAsync((char*)x + half, w * 2, x, w * 2, w, rowsN, cudaMemcpyDeviceToDevice, s1)); }));
  }
  for (size_t kb : {4ul, 64ul, 1024ul, 16384ul, 65536ul, 262144ul}) {
    put("S4", "memset KB=" + std::to_string(kb), events(8, [&] { CK(cudaMemsetAsync(x, 0, kb << 10, s1)); }));
    put("S4", "memset_cpu KB=" + std::to_string(kb), times(20, [&] { CK(cudaMemsetAsync(x, 0, kb << 10, s1)); }, [&] { CK(cudaDeviceSynchronize()); }));
    put("S4", "memset_blocking_wall KB=" + std::to_string(kb), times(20, [&] { CK(cudaMemset(x, 0, kb << 10)); }, [&] { CK(cudaDeviceSynchronize()); }));
  }
  put("S4", "memset2d width=256", events(8, [&] { CK(cudaMemset2DAsync(x, 512, 0, 256, 65536, s1)); }));
  put("S4", "memset_value1_64MB", events(8, [&] { CK(cudaMemsetAsync(x, 1, mb64, s1)); }));

  // S5: functions of the host in stream order.
  if (part("S5")) {
    double when = 0;
    std::vector<double> gap, wall, gapCallback, sinceEnd;
    for (int i = 0; i < 40; i++) {
      k_blocks<<<1, 32, 0, s1>>>(st, cyc(30));
      CK(cudaLaunchHostFunc(s1, callback, &when));
      k_blocks<<<1, 32, 0, s1>>>(st + 1, cyc(1));
      double t0 = now_us();
      CK(cudaStreamSynchronize(s1));
      wall.push_back(now_us() - t0);
      sinceEnd.push_back(now_us() - when);
      get(2);
      gap.push_back((double)(h[1].start - h[0].end) * 1e-3);
      k_blocks<<<1, 32, 0, s1>>>(st, cyc(30));
      CK(cudaStreamAddCallback(s1, stream_callback, &when, 0));
      k_blocks<<<1, 32, 0, s1>>>(st + 1, cyc(1));
      CK(cudaStreamSynchronize(s1));
      get(2);
      gapCallback.push_back((double)(h[1].start - h[0].end) * 1e-3);
    }
    put("S5", "host_function kernel_to_kernel", gap);
    put("S5", "host_function run_to_sync_return", sinceEnd);
    put("S5", "stream_callback kernel_to_kernel", gapCallback);
    put("S5", "host_function_cpu", times(40, [&] { CK(cudaLaunchHostFunc(s1, callback, &when)); }, [&] { CK(cudaDeviceSynchronize()); }));
    put("S5", "host_function_alone_plus_sync", times(40, [&] { CK(cudaLaunchHostFunc(s1, callback, &when)); CK(cudaStreamSynchronize(s1)); }));
    put("S5", "ten_host_functions_plus_sync", times(40, [&] { for (int i = 0; i < 10; i++) CK(cudaLaunchHostFunc(s1, callback, &when)); CK(cudaStreamSynchronize(s1)); }));
  }

  // S6: several host threads.
  if (part("S6")) for (int n : {1, 2, 4, 8}) {
    std::vector<std::thread> all;
    std::vector<double> each(n);
    std::atomic<int> ready{0};
    for (int i = 0; i < n; i++)
      all.emplace_back([&, i] {
        cudaStream_t s;
        CK(cudaSetDevice(0));
        CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        for (int k = 0; k < 200; k++) k_empty<<<1, 32, 0, s>>>();
        CK(cudaStreamSynchronize(s));
        ready++;
        while (ready < n) {}
        double t0 = now_us();
        for (int k = 0; k < 2000; k++) k_empty<<<1, 32, 0, s>>>();
        each[i] = (now_us() - t0) / 2000;
        CK(cudaStreamSynchronize(s));
        CK(cudaStreamDestroy(s));
      });
    for (auto& t : all) t.join();
    put("S6", "launches_of_threads n=" + std::to_string(n), each);
  }
  if (wanted) {
    std::vector<double> t;
    for (int i = 0; i < 20; i++) {
      double t0 = now_us();
      std::thread([] {}).join();
      t.push_back(now_us() - t0);
    }
    put("S6", "thread_create_and_join", t);
  }

  // S7: waits that block instead of spinning.
  if (part("S7")) {
    cudaEvent_t bl;
    CK(cudaEventCreateWithFlags(&bl, cudaEventBlockingSync | cudaEventDisableTiming));
    for (double us : {0., 10., 100., 1000.}) {
      std::string t = " kernel=" + std::to_string((int)us) + "us";
      put("S7", "event_spinning" + t, times(30, [&] { k_blocks<<<1, 32, 0, s1>>>(st, cyc(us)); CK(cudaEventRecord(ea, s1)); CK(cudaEventSynchronize(ea)); }));
      put("S7", "event_blocking" + t, times(30, [&] { k_blocks<<<1, 32, 0, s1>>>(st, cyc(us)); CK(cudaEventRecord(bl, s1)); CK(cudaEventSynchronize(bl)); }));
      put("S7", "event_polled" + t, times(30, [&] { k_blocks<<<1, 32, 0, s1>>>(st, cyc(us)); CK(cudaEventRecord(ea, s1)); while (cudaEventQuery(ea) == cudaErrorNotReady) {} }));
      put("S7", "stream_polled" + t, times(30, [&] { k_blocks<<<1, 32, 0, s1>>>(st, cyc(us)); while (cudaStreamQuery(s1) == cudaErrorNotReady) {} }));
    }
    k_blocks<<<1, 32, 0, s1>>>(st, cyc(3000));
    CK(cudaEventRecord(ea, s1));
    put("S7", "event_query_pending", times(60, [&] { cudaEventQuery(ea); }));
    put("S7", "stream_query_pending", times(60, [&] { cudaStreamQuery(s1); }));
    CK(cudaDeviceSynchronize());
    cudaGetLastError();
  }

  // S8: graphs.
  part("S8");
  auto graph_case = [&](const std::string& name, int nodes, const std::function<void(cudaGraph_t)>& build) {
    std::vector<double> make, inst, first, cpu, total, device, update;
    for (int r = 0; wanted && r < (quick ? 2 : 6); r++) {
      cudaGraph_t g;
      cudaGraphExec_t e;
      CK(cudaGraphCreate(&g, 0));
      double t0 = now_us();
      build(g);
      double t1 = now_us();
      CK(cudaGraphInstantiate(&e, g, 0));
      double t2 = now_us();
      make.push_back(t1 - t0);
      inst.push_back(t2 - t1);
      for (int k = 0; k < 6; k++) {
        double a = now_us();
        CK(cudaGraphLaunch(e, s1));
        double b = now_us();
        CK(cudaStreamSynchronize(s1));
        double c = now_us();
        if (k == 0) first.push_back(b - a);
        else { cpu.push_back(b - a); total.push_back(c - a); }
      }
      for (int k = 0; k < 3; k++) {
        spacer_spin<<<1, 1, 0, s1>>>(cyc(500));
        CK(cudaEventRecord(ea, s1));
        CK(cudaGraphLaunch(e, s1));
        CK(cudaEventRecord(eb, s1));
        CK(cudaEventSynchronize(eb));
        float ms;
        CK(cudaEventElapsedTime(&ms, ea, eb));
        device.push_back(ms * 1e3);
      }
      cudaGraphExecUpdateResultInfo info;
      double u0 = now_us();
      CK(cudaGraphExecUpdate(e, g, &info));
      update.push_back(now_us() - u0);
      CK(cudaGraphExecDestroy(e));
      CK(cudaGraphDestroy(g));
    }
    put("S8", name, device, J().num("nodes", nodes).num("build", quant(make, .5)).num("instantiate", quant(inst, .5)).num("first_launch", quant(first, .5)).num("launch_cpu", quant(cpu, .5)).num("launch_plus_sync", quant(total, .5)).num("update", quant(update, .5)));
  };
  long long ten = cyc(10), zero = 0;
  Stamp* at = st;
  auto kernel = [&](cudaGraph_t g, std::vector<cudaGraphNode_t> deps, long long* cycles, int blocks = 1) {
    void* args[] = {&at, cycles};
    cudaKernelNodeParams p{};
    p.func = (void*)k_blocks; p.gridDim = dim3(blocks); p.blockDim = dim3(256); p.kernelParams = args;
    cudaGraphNode_t node;
    CK(cudaGraphAddKernelNode(&node, g, deps.data(), deps.size(), &p));
    return node;
  };
  for (int n : {1, 10, 100}) graph_case("chain_of_kernels n=" + std::to_string(n), n, [&](cudaGraph_t g) {
    std::vector<cudaGraphNode_t> last;
    for (int i = 0; i < n; i++) last = {kernel(g, last, &zero)};
  });
  for (int n : {2, 4, 8, 16, 32, 64, 128}) graph_case("fork_and_join_10us n=" + std::to_string(n), n + 2, [&](cudaGraph_t g) {
    cudaGraphNode_t root = kernel(g, {}, &zero);
    std::vector<cudaGraphNode_t> all;
    for (int i = 0; i < n; i++) all.push_back(kernel(g, {root}, &ten));
    kernel(g, all, &zero);
  });
  for (int n : {4, 32}) graph_case("independent_10us n=" + std::to_string(n), n, [&](cudaGraph_t g) { for (int i = 0; i < n; i++) kernel(g, {}, &ten); });
  auto memcpy_node = [&](cudaGraph_t g, std::vector<cudaGraphNode_t> deps, void* to, void* from, size_t bytes, cudaMemcpyKind kind) {
    cudaGraphNode_t node;
    CK(cudaGraphAddMemcpyNode1D(&node, g, deps.data(), deps.size(), to, from, bytes, kind));
    return node;
  };
  for (size_t kb : {4ul, 64ul, 1024ul}) {
    std::string t = " KB=" + std::to_string(kb);
    graph_case("upload_kernel_download" + t, 3, [&](cudaGraph_t g) {
      auto up = memcpy_node(g, {}, x, pin, kb << 10, cudaMemcpyHostToDevice);
      auto k = kernel(g, {up}, &ten);
      memcpy_node(g, {k}, pin, x, kb << 10, cudaMemcpyDeviceToHost);
    });
    graph_case("ten_d2d_chain" + t, 10, [&](cudaGraph_t g) {
      std::vector<cudaGraphNode_t> last;
      for (int i = 0; i < 10; i++) last = {memcpy_node(g, last, x, (char*)x + half, kb << 10, cudaMemcpyDeviceToDevice)};
    });
    graph_case("ten_memset_chain" + t, 10, [&](cudaGraph_t g) {
      std::vector<cudaGraphNode_t> last;
      for (int i = 0; i < 10; i++) {
        cudaMemsetParams p{x, 0, 0, 1, kb << 10, 1};
        cudaGraphNode_t node;
        CK(cudaGraphAddMemsetNode(&node, g, last.data(), last.size(), &p));
        last = {node};
      }
    });
  }
  graph_case("kernel_host_kernel", 3, [&](cudaGraph_t g) {
    static double when;
    cudaGraphNode_t a = kernel(g, {}, &zero), hn;
    cudaHostNodeParams p{callback, &when};
    CK(cudaGraphAddHostNode(&hn, g, &a, 1, &p));
    kernel(g, {hn}, &zero);
  });
  graph_case("ten_empty_chain", 10, [&](cudaGraph_t g) {
    std::vector<cudaGraphNode_t> last;
    for (int i = 0; i < 10; i++) {
      cudaGraphNode_t node;
      CK(cudaGraphAddEmptyNode(&node, g, last.data(), last.size()));
      last = {node};
    }
  });
  graph_case("ten_event_records", 10, [&](cudaGraph_t g) {
    std::vector<cudaGraphNode_t> last;
    for (int i = 0; i < 10; i++) {
      cudaGraphNode_t node;
      CK(cudaGraphAddEventRecordNode(&node, g, last.data(), last.size(), ea));
      last = {node};
    }
  });
  graph_case("child_of_10_kernels", 11, [&](cudaGraph_t g) {
    cudaGraph_t c;
    CK(cudaGraphCreate(&c, 0));
    std::vector<cudaGraphNode_t> last;
    for (int i = 0; i < 10; i++) last = {kernel(c, last, &zero)};
    cudaGraphNode_t node, k = kernel(g, {}, &zero);
    CK(cudaGraphAddChildGraphNode(&node, g, &k, 1, c));
    CK(cudaGraphDestroy(c));
  });

  // S9: what calls cost.
  part("S9");
  auto cost = [&](const char* name, const std::function<void()>& f, const std::function<void()>& after = {}) { put("S9", name, times(60, f, after)); };
  auto idle = [&] { CK(cudaDeviceSynchronize()); };
  int iv; size_t a1, a2; void* p; cudaDeviceProp prop; cudaFuncAttributes fa; cudaPointerAttributes pa; cudaStream_t cs; cudaEvent_t ev; float fms; cudaStreamCaptureStatus cap_status;
  cost("cudaGetDevice", [&] { cudaGetDevice(&iv); });
  cost("cudaSetDevice", [&] { cudaSetDevice(0); });
  cost("cudaGetDeviceCount", [&] { cudaGetDeviceCount(&iv); });
  cost("cudaGetDeviceProperties", [&] { cudaGetDeviceProperties(&prop, 0); });
  cost("cudaDeviceGetAttribute", [&] { cudaDeviceGetAttribute(&iv, cudaDevAttrMultiProcessorCount, 0); });
  cost("cudaMemGetInfo", [&] { cudaMemGetInfo(&a1, &a2); });
  cost("cudaFuncGetAttributes", [&] { cudaFuncGetAttributes(&fa, k_blocks); });
  cost("cudaFuncSetAttribute", [&] { cudaFuncSetAttribute(k_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024); });
  cost("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&] { cudaOccupancyMaxActiveBlocksPerMultiprocessor(&iv, k_blocks, 256, 0); });
  cost("cudaPointerGetAttributes", [&] { cudaPointerGetAttributes(&pa, x); });
  cost("cudaGetLastError", [&] { cudaGetLastError(); });
  cost("cudaPeekAtLastError", [&] { cudaPeekAtLastError(); });
  cost("cudaGetSymbolAddress", [&] { cudaGetSymbolAddress(&p, symbol_); });
  cost("cudaMemcpyToSymbol_64B", [&] { cudaMemcpyToSymbol(symbol_, pin, 64); }, idle);
  cost("cudaMemcpyToSymbolAsync_64B", [&] { cudaMemcpyToSymbolAsync(symbol_, pin, 64, 0, cudaMemcpyHostToDevice, s1); }, idle);
  cost("cudaMemcpyFromSymbol_64B", [&] { cudaMemcpyFromSymbol(pin, symbol_, 64); }, idle);
  cost("cudaStreamCreate+Destroy", [&] { cudaStreamCreate(&cs); cudaStreamDestroy(cs); });
  cost("cudaStreamCreateWithPriority+Destroy", [&] { cudaStreamCreateWithPriority(&cs, cudaStreamNonBlocking, greatest); cudaStreamDestroy(cs); });
  cost("cudaEventCreate", [&] { cudaEventCreate(&ev); }, [&] { cudaEventDestroy(ev); });
  cost("cudaEventCreateWithFlags", [&] { cudaEventCreateWithFlags(&ev, cudaEventDisableTiming); }, [&] { cudaEventDestroy(ev); });
  CK(cudaEventRecord(ea, s1)); CK(cudaEventRecord(eb, s1)); idle();
  cost("cudaEventElapsedTime", [&] { cudaEventElapsedTime(&fms, ea, eb); });
  CK(cudaEventCreateWithFlags(&ev, cudaEventDisableTiming));
  cost("cudaEventRecord_no_timing", [&] { cudaEventRecord(ev, s1); }, {});
  cost("cudaStreamQuery_idle", [&] { cudaStreamQuery(s1); });
  cost("cudaStreamIsCapturing", [&] { cudaStreamIsCapturing(s1, &cap_status); });
  cost("cudaStreamWaitEvent_pending", [&] { k_blocks<<<1, 32, 0, s1>>>(st, cyc(20)); cudaEventRecord(ea, s1); double t = now_us(); (void)t; cudaStreamWaitEvent(s2, ea, 0); }, idle);
  cost("launch+record", [&] { k_blocks<<<1, 32, 0, s1>>>(st, cyc(20)); cudaEventRecord(ea, s1); }, idle);
  cost("cudaHostRegister_16MB", [&] { cudaHostRegister(h.data(), most * sizeof(Stamp), 0); }, [&] { cudaHostUnregister(h.data()); });
  cost("cudaMallocManaged_1MB", [&] { cudaMallocManaged(&p, 1 << 20); }, [&] { cudaFree(p); });
  cost("cudaMallocManaged_64MB", [&] { cudaMallocManaged(&p, 64 << 20); }, [&] { cudaFree(p); });
  cost("cudaMallocPitch_1MB", [&] { cudaMallocPitch(&p, &a1, 1024, 1024); }, [&] { cudaFree(p); });
  cost("cudaMalloc_4MB", [&] { cudaMalloc(&p, 4 << 20); }, [&] { cudaFree(p); });
  cost("cudaMalloc+Free_64KB", [&] { cudaMalloc(&p, 64 << 10); cudaFree(p); });
  cost("cudaMalloc_3MB", [&] { cudaMalloc(&p, 3 << 20); }, [&] { cudaFree(p); });
  cost("cudaFree_busy", [&] { cudaMalloc(&p, 4 << 20); k_blocks<<<1, 32, 0, s1>>>(st, cyc(200)); cudaFree(p); }, idle);
  cost("cudaMallocHost_4KB", [&] { cudaMallocHost(&p, 4096); }, [&] { cudaFreeHost(p); });
  cost("cudaMallocHost_64KB", [&] { cudaMallocHost(&p, 65536); }, [&] { cudaFreeHost(p); });
  cost("cudaMallocHost_16MB", [&] { cudaMallocHost(&p, 16 << 20); }, [&] { cudaFreeHost(p); });
  cost("cudaMallocAsync_cold+Free", [&] { cudaMallocAsync(&p, 8 << 20, s1); cudaFreeAsync(p, s1); }, [&] { idle(); cudaMemPool_t pool; cudaDeviceGetDefaultMemPool(&pool, 0); cudaMemPoolTrimTo(pool, 0); });
  {
    cudaGraph_t g; cudaGraphExec_t e; cudaGraphNode_t k1;
    CK(cudaGraphCreate(&g, 0));
    k1 = kernel(g, {}, &zero);
    for (int i = 0; i < 99; i++) kernel(g, {k1}, &zero);
    CK(cudaGraphInstantiate(&e, g, 0));
    void* args[] = {&at, &zero};
    cudaKernelNodeParams kp{};
    kp.func = (void*)k_blocks; kp.gridDim = dim3(2); kp.blockDim = dim3(256); kp.kernelParams = args;
    cost("cudaGraphKernelNodeSetParams", [&] { cudaGraphKernelNodeSetParams(k1, &kp); });
    cost("cudaGraphExecKernelNodeSetParams", [&] { cudaGraphExecKernelNodeSetParams(e, k1, &kp); });
    cost("cudaGraphUpload_100", [&] { cudaGraphUpload(e, s1); }, idle);
    cudaGraph_t c;
    cost("cudaGraphClone_100", [&] { cudaGraphClone(&c, g); }, [&] { cudaGraphDestroy(c); });
    cost("cudaGraphCreate", [&] { cudaGraphCreate(&c, 0); }, [&] { cudaGraphDestroy(c); });
    cost("cudaGraphDestroy_100", [&] { cudaGraphDestroy(c); }, [&] { cudaGraphClone(&c, g); });
    cudaGraphExec_t e2;
    cost("cudaGraphInstantiate_fork_100", [&] { cudaGraphInstantiate(&e2, g, 0); }, [&] { cudaGraphExecDestroy(e2); });
    cost("cudaGraphExecDestroy_fork_100", [&] { cudaGraphExecDestroy(e2); }, [&] { cudaGraphInstantiate(&e2, g, 0); });
    cost("begin_and_end_capture", [&] { cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal); cudaStreamEndCapture(s1, &c); }, [&] { cudaGraphDestroy(c); });
  }
  cudaGetLastError();
  FILE* f = fopen((dir + "/system.json").c_str(), "w");
  fprintf(f, "{\"sm_clock_mhz\":%.1f,\"rows\":%s}\n", mhz, jarr(rows).c_str());
  fclose(f);
  return 0;
}
