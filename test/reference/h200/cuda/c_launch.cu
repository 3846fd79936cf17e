// C1 launch costs, C2 many tiny kernels per frame, C6 events and allocation, C7 persistent kernel against launches.
#include <cooperative_groups.h>
#include "common.cuh"
namespace cg = cooperative_groups;

__device__ __forceinline__ unsigned long long gtime() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__global__ void k_empty() {}
__global__ void k_args8(int a, int b, float c, float d, void* e, void* f, long g, long h) {}
struct Big { char b[4000]; };
__global__ void k_args4k(Big b) {}
__global__ void k_stamp(unsigned long long* s, int i, long long cycles) {  // start, end of block 0
  unsigned long long t = gtime();
  long long c0 = clock64();
  while (clock64() - c0 < cycles) {}
  if (blockIdx.x == 0 && threadIdx.x == 0) { s[2 * i] = t; s[2 * i + 1] = gtime(); }
}
__global__ void k_bigsmem(unsigned long long* s, int i) {
  extern __shared__ char sm[];
  sm[threadIdx.x] = 1;
  unsigned long long t = gtime();
  if (threadIdx.x == 0) { s[2 * i] = t; s[2 * i + 1] = gtime(); }
}
__global__ void k_tick(unsigned long long* out, int n) {
  for (int i = 0; i < n; i++) out[i] = gtime();
}
__global__ void k_tiny(float* x, int n, float a, float b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n; i += blockDim.x) x[i] = x[i] * a + b;
}
__global__ void k_tiny_fused(float* x, int n, float a, float b, int steps) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float v = x[i];
    for (int s = 0; s < steps; s++) v = v * a + b;
    x[i] = v;
  }
}
__global__ void k_step(float* __restrict__ dst, const float* __restrict__ src, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    dst[i] = 0.5f * src[i] + 0.25f * (src[i ? i - 1 : n - 1] + src[i + 1 < n ? i + 1 : 0]);
}
__global__ void k_persistent(float* a, float* b, int n, int steps) {
  auto g = cg::this_grid();
  for (int s = 0; s < steps; s++) {
    const float* src = s & 1 ? b : a;
    float* dst = s & 1 ? a : b;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      dst[i] = 0.5f * src[i] + 0.25f * (src[i ? i - 1 : n - 1] + src[i + 1 < n ? i + 1 : 0]);
    g.sync();
  }
}
__global__ void k_gridsync_only(int steps) {
  auto g = cg::this_grid();
  for (int s = 0; s < steps; s++) g.sync();
}

static bool quick = getenv("LAB_QUICK") != nullptr;
struct Rec {
  Suite& S;
  void put(const char* sec, const char* name, const std::string& var, J p, const std::vector<double>& us, J d = J(), Check ck = {true, 0, ""}) {
    J j;
    j.str("section", sec).str("name", name).str("variant", var).raw("params", p.done()).raw("time_us", jstats(us)).raw("derived", d.done());
    if (!ck.how.empty()) j.raw("check", J().boolean("ok", ck.ok).num("error", ck.err).str("method", ck.how).done());
    if (!ck.ok) { S.nfail++; fprintf(stderr, "CHECK FAILED %s %s\n", name, var.c_str()); }
    S.add(j);
    fprintf(stderr, "%-3s %-26s %-38s %10.3f us (iqr %.3f) %s\n", sec, name, var.c_str(), quant(us, .5), quant(us, .75) - quant(us, .25), d.body.c_str());
  }
};

int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  Suite S("c_launch");
  if (S.profile) return S.finish(dir);
  Rec R{S};
  double mhz = S.mhz0;
  auto cyc = [&](double us) { return (long long)(us * mhz); };
  unsigned long long* st = dmalloc<unsigned long long>(8192);
  cudaStream_t s1, s2;
  CK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
  CK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
  cudaEvent_t ea, eb;
  CK(cudaEventCreate(&ea));
  CK(cudaEventCreate(&eb));
  auto stamps = [&](int n) { return download(st, 2 * n); };

  if (in_section("C1")) {
  {  // timer granularity
    k_tick<<<1, 1>>>(st, 4096);
    CK(cudaDeviceSynchronize());
    auto h = download(st, 4096);
    std::vector<double> d;
    for (int i = 1; i < 4096; i++) if (h[i] != h[i - 1]) d.push_back((h[i] - h[i - 1]) * 1e-3);
    R.put("C1", "globaltimer_step", "distinct_steps", J().num("reads", 4096), d);
  }
  int NB = quick ? 3 : 20, NL = 200;
  auto launch_cost = [&](const char* v, std::function<void(int)> f) {
    std::vector<double> each, avg, drain;
    for (int i = 0; i < 50; i++) f(i);
    CK(cudaDeviceSynchronize());
    for (int b = 0; b < NB; b++) {
      double t00 = now_us();
      for (int i = 0; i < NL; i++) {
        double t0 = now_us();
        f(i);
        each.push_back(now_us() - t0);
      }
      double t1 = now_us();
      CK(cudaDeviceSynchronize());
      avg.push_back((t1 - t00) / NL);
      drain.push_back((now_us() - t00) / NL);
    }
    R.put("C1", "launch_cpu_time", v, J().num("launches_per_batch", NL).num("batches", NB), each,
          J().num("mean_cpu_us_per_launch", quant(avg, .5)).num("wall_us_per_kernel_including_drain", quant(drain, .5)).num("p10_us", quant(each, .1)).num("p90_us", quant(each, .9)).num("p99_us", quant(each, .99)));
  };
  launch_cost("empty_1x1", [&](int) { k_empty<<<1, 1, 0, s1>>>(); });
  launch_cost("empty_1x256", [&](int) { k_empty<<<1, 256, 0, s1>>>(); });
  launch_cost("empty_132x256", [&](int) { k_empty<<<132, 256, 0, s1>>>(); });
  launch_cost("empty_legacy_default_stream", [&](int) { k_empty<<<1, 1>>>(); });
  launch_cost("args_8", [&](int) { k_args8<<<1, 1, 0, s1>>>(1, 2, 3.f, 4.f, nullptr, nullptr, 5, 6); });
  Big big{};
  launch_cost("args_4000B", [&](int) { k_args4k<<<1, 1, 0, s1>>>(big); });
  launch_cost("alternating_two_streams", [&](int i) { k_empty<<<1, 1, 0, i & 1 ? s1 : s2>>>(); });
  CK(cudaGetLastError());

  // start-to-start of queued kernels: the queue is held by a long spinner while the host enqueues
  auto gaps = [&](const std::string& v, int n, J p, std::function<void(int)> f, bool hold) {
    std::vector<double> ss, gap, dur, mean;
    for (int r = 0; r < (quick ? 1 : 5); r++) {
      if (hold) spacer_spin<<<1, 1, 0, s1>>>(cyc(3000));
      for (int i = 0; i < n; i++) f(i);
      CK(cudaGetLastError());
      CK(cudaDeviceSynchronize());
      auto h = stamps(n);
      mean.push_back((double)(h[2 * n - 2] - h[0]) * 1e-3 / (n - 1));
      for (int i = 1; i < n; i++) {
        ss.push_back((double)(h[2 * i] - h[2 * i - 2]) * 1e-3);
        gap.push_back(((double)(long long)(h[2 * i] - h[2 * i - 1])) * 1e-3);
        dur.push_back((double)(h[2 * i + 1] - h[2 * i]) * 1e-3);
      }
    }
    R.put("C1", hold ? "start_to_start_queue_full" : "start_to_start_host_bound", v, p.num("kernels", n), ss,
          J().num("mean_start_to_start_us", quant(mean, .5)).num("median_end_to_next_start_us", quant(gap, .5)).num("median_in_kernel_us", quant(dur, .5)).num("kernels_per_second", 1e6 / quant(mean, .5)));
  };
  for (bool hold : {true, false}) {
    for (int b : {1, 132, 1056})
      gaps("empty_" + std::to_string(b) + "x256", 400, J().num("blocks", b), [&, b](int i) { k_stamp<<<b, 256, 0, s1>>>(st, i, 0); }, hold);
    for (double us : {1., 2., 3., 4., 5., 7., 10., 20., 50.})
      gaps("spin_" + std::to_string((int)us) + "us_1x32", 200, J().num("spin_us", us), [&, us](int i) { k_stamp<<<1, 32, 0, s1>>>(st, i, cyc(us)); }, hold);
  }
  CK(cudaFuncSetAttribute(k_bigsmem, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  gaps("alternate_0KB_200KB_smem", 400, J(), [&](int i) { if (i & 1) k_bigsmem<<<1, 256, 200 * 1024, s1>>>(st, i); else k_stamp<<<1, 256, 0, s1>>>(st, i, 0); }, true);
  gaps("all_200KB_smem", 400, J(), [&](int i) { k_bigsmem<<<1, 256, 200 * 1024, s1>>>(st, i); }, true);

  auto roundtrip = [&](const char* v, std::function<void()> f) {
    std::vector<double> t;
    for (int i = 0; i < (quick ? 20 : 500); i++) {
      double t0 = now_us();
      f();
      t.push_back(now_us() - t0);
    }
    R.put("C1", "launch_plus_sync", v, J(), t, J().num("p90_us", quant(t, .9)));
  };
  roundtrip("empty_streamSynchronize", [&] { k_empty<<<1, 1, 0, s1>>>(); CK(cudaStreamSynchronize(s1)); });
  roundtrip("empty_deviceSynchronize", [&] { k_empty<<<1, 1, 0, s1>>>(); CK(cudaDeviceSynchronize()); });
  roundtrip("empty_event_record_and_sync", [&] { k_empty<<<1, 1, 0, s1>>>(); CK(cudaEventRecord(ea, s1)); CK(cudaEventSynchronize(ea)); });
  for (double us : {2., 5., 10., 20., 50.})
    roundtrip(("spin_" + std::to_string((int)us) + "us_streamSynchronize").c_str(), [&, us] { k_stamp<<<1, 32, 0, s1>>>(st, 0, cyc(us)); CK(cudaStreamSynchronize(s1)); });
  roundtrip("two_spin_10us_streamSynchronize", [&] { k_stamp<<<1, 32, 0, s1>>>(st, 0, cyc(10)); k_stamp<<<1, 32, 0, s1>>>(st, 1, cyc(10)); CK(cudaStreamSynchronize(s1)); });

  // grid size sweep of an empty kernel: block dispatch rate
  for (int thr : {32, 128, 256, 1024})
    for (int b : {1, 132, 1056, 4224, 16896, 67584, 270336, 1081344}) {
      std::vector<double> t;
      for (int r = 0; r < (quick ? 2 : 22); r++) {
        spacer_spin<<<1, 1, 0, s1>>>(cyc(30));
        CK(cudaEventRecord(ea, s1));
        k_empty<<<b, thr, 0, s1>>>();
        CK(cudaEventRecord(eb, s1));
        CK(cudaEventSynchronize(eb));
        float ms;
        CK(cudaEventElapsedTime(&ms, ea, eb));
        if (r > 1 || quick) t.push_back(ms * 1e3);
      }
      R.put("C1", "empty_grid_sweep", std::to_string(b) + "x" + std::to_string(thr), J().num("blocks", b).num("threads", thr), t,
            J().num("blocks_per_us", b / quant(t, .5)));
    }

  }
  // ---------------------------------------------------------------- C2
  if (in_section("C2")) {
  for (int n : {256, 1024}) {
    const int K = 500;
    float* x = dmalloc<float>(8 * 1024);
    std::vector<float> h0 = rand_floats(8 * 1024, 3);
    int frames = quick ? 2 : 30;
    auto expect = [&](float v, int k) { for (int i = 0; i < k; i++) v = std::fma(v, 0.999f, 0.001f); return v; };
    auto frame = [&](const char* v, std::function<void()> f, int per_chain, int chains, J d = J()) {
      CK(cudaMemcpy(x, h0.data(), h0.size() * 4, cudaMemcpyHostToDevice));
      CK(cudaDeviceSynchronize());  // a pageable upload may return before its DMA ends, and s1 does not wait for it
      f();
      CK(cudaDeviceSynchronize());
      auto g = download(x, h0.size());
      double w = 0;
      for (int c = 0; c < chains; c++) for (int i = 0; i < n; i++) w = std::max(w, (double)std::fabs(g[c * 1024 + i] - expect(h0[c * 1024 + i], per_chain)));
      for (int i = 0; i < 3; i++) f();
      std::vector<double> t;
      for (int i = 0; i < frames; i++) {
        double t0 = now_us();
        f();
        t.push_back(now_us() - t0);
      }
      R.put("C2", "frame_500_tiny_kernels", v, J().num("elements", n).num("kernels_per_frame", K), t, d.num("us_per_small_kernel", quant(t, .5) / K),
            {w < 1e-5, w, "max abs error vs CPU, all elements"});
    };
    frame("stream_launches_sync_per_frame", [&] {
      for (int i = 0; i < K; i++) k_tiny<<<1, 256, 0, s1>>>(x, n, 0.999f, 0.001f);
      CK(cudaStreamSynchronize(s1));
    }, K, 1);
    frame("sync_per_kernel", [&] {
      for (int i = 0; i < K; i++) { k_tiny<<<1, 256, 0, s1>>>(x, n, 0.999f, 0.001f); CK(cudaStreamSynchronize(s1)); }
    }, K, 1);
    frame("fused_groups_of_10", [&] {
      for (int i = 0; i < K / 10; i++) k_tiny_fused<<<1, 256, 0, s1>>>(x, n, 0.999f, 0.001f, 10);
      CK(cudaStreamSynchronize(s1));
    }, K, 1);
    // graph of 500 nodes in `chains` parallel branches
    for (int chains : {1, 2, 4, 8}) {
      int per = K / chains;
      cudaStream_t br[8];
      for (auto& b : br) CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
      cudaGraph_t g;
      cudaGraphExec_t ge;
      CK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeThreadLocal));
      CK(cudaEventRecord(ea, s1));
      for (int c = 0; c < chains; c++) {
        cudaStream_t q = c ? br[c] : s1;
        if (c) CK(cudaStreamWaitEvent(q, ea, 0));
        for (int i = 0; i < per; i++) k_tiny<<<1, 256, 0, q>>>(x + c * 1024, n, 0.999f, 0.001f);
        if (c) { CK(cudaEventRecord(eb, q)); CK(cudaStreamWaitEvent(s1, eb, 0)); }
      }
      CK(cudaStreamEndCapture(s1, &g));
      CK(cudaGraphInstantiate(&ge, g, 0));
      frame(("graph_" + std::to_string(chains) + "_branches").c_str(), [&] { CK(cudaGraphLaunch(ge, s1)); CK(cudaStreamSynchronize(s1)); }, per, chains, J().num("nodes", per * chains));
      if (chains > 1)
        frame(("streams_" + std::to_string(chains) + "_round_robin").c_str(), [&] {
          for (int i = 0; i < per; i++) for (int c = 0; c < chains; c++) k_tiny<<<1, 256, 0, c ? br[c] : s1>>>(x + c * 1024, n, 0.999f, 0.001f);
          CK(cudaStreamSynchronize(s1));
          for (int c = 1; c < chains; c++) CK(cudaStreamSynchronize(br[c]));
        }, per, chains);
      CK(cudaGraphExecDestroy(ge));
      CK(cudaGraphDestroy(g));
      for (auto& b : br) CK(cudaStreamDestroy(b));
    }
    CK(cudaFree(x));
  }
  for (int nodes : {1, 2, 5, 10, 50, 100, 500, 1000, 2000}) {
    float* x = dmalloc<float>(1024);
    CK(cudaMemset(x, 0, 4096));
    std::vector<double> cap, inst, first, lc, tot, dev;
    for (int r = 0; r < (quick ? 2 : 10); r++) {
      cudaGraph_t g;
      cudaGraphExec_t ge;
      double t0 = now_us();
      CK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeThreadLocal));
      for (int i = 0; i < nodes; i++) k_tiny<<<1, 256, 0, s1>>>(x, 256, 0.999f, 0.001f);
      CK(cudaStreamEndCapture(s1, &g));
      double t1 = now_us();
      CK(cudaGraphInstantiate(&ge, g, 0));
      double t2 = now_us();
      cap.push_back(t1 - t0);
      inst.push_back(t2 - t1);
      for (int k = 0; k < 6; k++) {
        double a = now_us();
        CK(cudaGraphLaunch(ge, s1));
        double b = now_us();
        CK(cudaStreamSynchronize(s1));
        double c = now_us();
        if (k == 0) first.push_back(b - a);
        else { lc.push_back(b - a); tot.push_back(c - a); }
      }
      for (int k = 0; k < 3; k++) {
        spacer_spin<<<1, 1, 0, s1>>>(cyc(3000));
        CK(cudaEventRecord(ea, s1));
        CK(cudaGraphLaunch(ge, s1));
        CK(cudaEventRecord(eb, s1));
        CK(cudaEventSynchronize(eb));
        float ms;
        CK(cudaEventElapsedTime(&ms, ea, eb));
        dev.push_back(ms * 1e3);
      }
      CK(cudaGraphExecDestroy(ge));
      CK(cudaGraphDestroy(g));
    }
    J p; p.num("nodes", nodes);
    R.put("C2", "graph_capture", std::to_string(nodes), p, cap);
    R.put("C2", "graph_instantiate", std::to_string(nodes), p, inst);
    R.put("C2", "graph_first_launch_cpu", std::to_string(nodes), p, first);
    R.put("C2", "graph_launch_cpu", std::to_string(nodes), p, lc);
    R.put("C2", "graph_launch_plus_sync", std::to_string(nodes), p, tot);
    R.put("C2", "graph_device_time", std::to_string(nodes), p, dev, J().num("us_per_node", quant(dev, .5) / nodes));
    CK(cudaFree(x));
  }

  }
  // ---------------------------------------------------------------- C6
  if (in_section("C6")) {
  auto cost = [&](const char* name, const char* v, int n, std::function<void(int)> f, std::function<void()> after = {}) {
    std::vector<double> t;
    n = quick ? std::min(n, 5) : n;
    for (int i = 0; i < n + 3; i++) {
      double t0 = now_us();
      f(i);
      double t1 = now_us();
      if (i > 2) t.push_back(t1 - t0);
      if (after) after();
    }
    CK(cudaDeviceSynchronize());
    R.put("C6", name, v, J(), t);
  };
  cost("event_record_cpu", "idle_stream", 200, [&](int) { CK(cudaEventRecord(ea, s1)); });
  cost("event_synchronize_cpu", "already_complete", 200, [&](int) { CK(cudaEventSynchronize(ea)); });
  cost("event_query_cpu", "already_complete", 200, [&](int) { CK(cudaEventQuery(ea)); });
  cost("stream_wait_event_cpu", "already_complete", 200, [&](int) { CK(cudaStreamWaitEvent(s2, ea, 0)); });
  cost("stream_synchronize_cpu", "idle_stream", 200, [&](int) { CK(cudaStreamSynchronize(s1)); });
  cost("device_synchronize_cpu", "idle", 200, [&](int) { CK(cudaDeviceSynchronize()); });
  cost("memset_async_cpu", "4KB", 200, [&](int) { CK(cudaMemsetAsync(st, 0, 4096, s1)); });
  cost("event_create_destroy_cpu", "default", 100, [&](int) { cudaEvent_t e; CK(cudaEventCreate(&e)); CK(cudaEventDestroy(e)); });
  cost("stream_create_destroy_cpu", "nonblocking", 50, [&](int) { cudaStream_t q; CK(cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking)); CK(cudaStreamDestroy(q)); });
  {
    std::vector<double> same, cross, crossBusy, evk;
    for (int r = 0; r < (quick ? 5 : 60); r++) {
      spacer_spin<<<1, 1, 0, s1>>>(cyc(100));
      k_stamp<<<1, 32, 0, s1>>>(st, 0, cyc(5));
      k_stamp<<<1, 32, 0, s1>>>(st, 1, 0);
      CK(cudaDeviceSynchronize());
      auto h = stamps(2);
      same.push_back(((double)(long long)(h[2] - h[1])) * 1e-3);
      spacer_spin<<<1, 1, 0, s1>>>(cyc(100));
      k_stamp<<<1, 32, 0, s1>>>(st, 0, cyc(5));
      CK(cudaEventRecord(ea, s1));
      CK(cudaStreamWaitEvent(s2, ea, 0));
      k_stamp<<<1, 32, 0, s2>>>(st, 1, 0);
      CK(cudaDeviceSynchronize());
      h = stamps(2);
      cross.push_back(((double)(long long)(h[2] - h[1])) * 1e-3);
      spacer_spin<<<1, 1, 0, s1>>>(cyc(100));
      k_stamp<<<1, 32, 0, s1>>>(st, 0, cyc(5));
      CK(cudaEventRecord(ea, s1));
      k_stamp<<<1, 32, 0, s1>>>(st, 1, 0);
      CK(cudaDeviceSynchronize());
      h = stamps(2);
      evk.push_back(((double)(long long)(h[2] - h[1])) * 1e-3);
    }
    R.put("C6", "dependency_latency", "same_stream_kernel_to_kernel", J(), same);
    R.put("C6", "dependency_latency", "same_stream_with_event_between", J(), evk);
    R.put("C6", "dependency_latency", "cross_stream_event_wait", J(), cross);
    std::vector<double> pair;
    for (int r = 0; r < (quick ? 5 : 60); r++) {
      spacer_spin<<<1, 1, 0, s1>>>(cyc(30));
      CK(cudaEventRecord(ea, s1));
      CK(cudaEventRecord(eb, s1));
      CK(cudaEventSynchronize(eb));
      float ms;
      CK(cudaEventElapsedTime(&ms, ea, eb));
      pair.push_back(ms * 1e3);
    }
    R.put("C6", "event_pair_device_time", "two_records_back_to_back", J(), pair);
  }
  for (size_t kb : {1ul, 64ul, 1024ul, 16384ul, 262144ul, 1048576ul}) {
    size_t b = kb << 10;
    std::vector<double> m, f, ma, fa;
    for (int r = 0; r < (quick ? 3 : 23); r++) {
      void* p;
      double t0 = now_us();
      CK(cudaMalloc(&p, b));
      double t1 = now_us();
      CK(cudaFree(p));
      double t2 = now_us();
      if (r > 2 || quick) { m.push_back(t1 - t0); f.push_back(t2 - t1); }
    }
    cudaMemPool_t pool;
    CK(cudaDeviceGetDefaultMemPool(&pool, 0));
    uint64_t keep = ~0ull;
    CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    for (int r = 0; r < (quick ? 3 : 53); r++) {
      void* p;
      double t0 = now_us();
      CK(cudaMallocAsync(&p, b, s1));
      double t1 = now_us();
      CK(cudaFreeAsync(p, s1));
      double t2 = now_us();
      if (r > 2 || quick) { ma.push_back(t1 - t0); fa.push_back(t2 - t1); }
    }
    CK(cudaDeviceSynchronize());
    CK(cudaMemPoolTrimTo(pool, 0));
    std::string v = std::to_string(kb) + "KB";
    J p; p.num("bytes", b);
    R.put("C6", "cudaMalloc_cpu", v, p, m);
    R.put("C6", "cudaFree_cpu", v, p, f);
    R.put("C6", "cudaMallocAsync_cpu_warm_pool", v, p, ma);
    R.put("C6", "cudaFreeAsync_cpu_warm_pool", v, p, fa);
  }
  for (size_t mb : {1ul, 64ul}) {
    std::vector<double> m, f;
    for (int r = 0; r < (quick ? 2 : 12); r++) {
      void* p;
      double t0 = now_us();
      CK(cudaMallocHost(&p, mb << 20));
      double t1 = now_us();
      CK(cudaFreeHost(p));
      double t2 = now_us();
      if (r > 1 || quick) { m.push_back(t1 - t0); f.push_back(t2 - t1); }
    }
    R.put("C6", "cudaMallocHost_cpu", std::to_string(mb) + "MB", J().num("bytes", mb << 20), m);
    R.put("C6", "cudaFreeHost_cpu", std::to_string(mb) + "MB", J().num("bytes", mb << 20), f);
  }

  }
  // ---------------------------------------------------------------- C7
  if (in_section("C7")) {
  for (int n : {1 << 16, 1 << 20, 1 << 22}) {
    const int K = 100;
    auto h0 = rand_floats(n, 9);
    std::vector<double> ra(h0.begin(), h0.end()), rb(n);
    for (int s = 0; s < K; s++) {
      for (int i = 0; i < n; i++) rb[i] = 0.5 * ra[i] + 0.25 * (ra[i ? i - 1 : n - 1] + ra[i + 1 < n ? i + 1 : 0]);
      std::swap(ra, rb);
    }
    float *a = dmalloc<float>(n), *b = dmalloc<float>(n);
    int occ = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ, k_persistent, 256, 0));
    auto go = [&](const char* v, int blocks, std::function<void()> f) {
      CK(cudaMemcpy(a, h0.data(), n * 4ull, cudaMemcpyHostToDevice));
      CK(cudaDeviceSynchronize());
      f();
      CK(cudaDeviceSynchronize());
      auto g = download(a, n);
      double w = 0;
      for (int i = 0; i < n; i++) w = std::max(w, std::fabs(g[i] - ra[i]));
      std::vector<double> t, wall;
      for (int r = 0; r < (quick ? 2 : 23); r++) {
        double t0 = now_us();
        CK(cudaEventRecord(ea, s1));
        f();
        CK(cudaEventRecord(eb, s1));
        CK(cudaEventSynchronize(eb));
        double t1 = now_us();
        float ms;
        CK(cudaEventElapsedTime(&ms, ea, eb));
        if (r > 2 || quick) { t.push_back(ms * 1e3); wall.push_back(t1 - t0); }
      }
      R.put("C7", "hundred_steps", v, J().num("n", n).num("steps", K).num("blocks", blocks).num("threads", 256), t,
            J().num("us_per_step", quant(t, .5) / K).num("host_wall_us", quant(wall, .5)), {w < 1e-5, w, "max abs error vs CPU double, all elements"});
    };
    int gl = std::min(n / 256, sm_count() * 8);
    go("launches", gl, [&] { for (int s = 0; s < K; s++) k_step<<<gl, 256, 0, s1>>>(s & 1 ? a : b, s & 1 ? b : a, n); });
    cudaGraph_t g;
    cudaGraphExec_t ge;
    CK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeThreadLocal));
    for (int s = 0; s < K; s++) k_step<<<gl, 256, 0, s1>>>(s & 1 ? a : b, s & 1 ? b : a, n);
    CK(cudaStreamEndCapture(s1, &g));
    CK(cudaGraphInstantiate(&ge, g, 0));
    go("graph", gl, [&] { CK(cudaGraphLaunch(ge, s1)); });
    CK(cudaGraphExecDestroy(ge));
    CK(cudaGraphDestroy(g));
    for (int bps : {1, 2, 4, 8}) {
      if (bps > occ) continue;
      int nb = sm_count() * bps;
      int steps = K, nn = n;
      go(("persistent_cooperative_" + std::to_string(bps) + "_blocks_per_sm").c_str(), nb, [&] {
        void* args[] = {&a, &b, &nn, &steps};
        CK(cudaLaunchCooperativeKernel((const void*)k_persistent, dim3(nb), dim3(256), args, 0, s1));
      });
    }
    CK(cudaFree(a));
    CK(cudaFree(b));
  }
  for (int bps : {1, 2, 4, 8}) {
    std::vector<double> t;
    int steps = 1000;
    for (int r = 0; r < (quick ? 2 : 23); r++) {
      void* args[] = {&steps};
      CK(cudaEventRecord(ea, s1));
      CK(cudaLaunchCooperativeKernel((const void*)k_gridsync_only, dim3(sm_count() * bps), dim3(256), args, 0, s1));
      CK(cudaEventRecord(eb, s1));
      CK(cudaEventSynchronize(eb));
      float ms;
      CK(cudaEventElapsedTime(&ms, ea, eb));
      if (r > 2 || quick) t.push_back(ms * 1e3 / steps);
    }
    R.put("C7", "grid_sync_cost", std::to_string(bps) + "_blocks_per_sm", J().num("blocks", sm_count() * bps).num("threads", 256), t);
  }
  }
  return S.finish(dir);
}
