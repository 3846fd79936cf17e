// C3 copies, C4 copy/compute overlap, C5 concurrent kernels and priorities.
#include "common.cuh"

__device__ __forceinline__ unsigned long long gtime() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
// Every block spins; slot i keeps the earliest start and the latest end over the grid.
__global__ void k_block_spin(unsigned long long* s, int i, long long cycles) {
  if (threadIdx.x == 0) atomicMin(s + 2 * i, gtime());
  long long c0 = clock64();
  while (clock64() - c0 < cycles) {}
  if (threadIdx.x == 0) atomicMax(s + 2 * i + 1, gtime());
}
__global__ void k_work(float* x, size_t n, int rounds) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.99f + 0.01f;
    x[i] = v;
  }
}
static bool quick = getenv("LAB_QUICK") != nullptr;
struct Rec {
  Suite& S;
  void put(const char* sec, const char* name, const std::string& var, J p, const std::vector<double>& us, J d = J(), Check ck = {true, 0, ""}, std::string extra = "") {
    J j;
    j.str("section", sec).str("name", name).str("variant", var).raw("params", p.done()).raw("time_us", jstats(us)).raw("derived", d.done());
    if (!ck.how.empty()) j.raw("check", J().boolean("ok", ck.ok).num("error", ck.err).str("method", ck.how).done());
    if (!extra.empty()) j.raw("extra", extra);
    if (!ck.ok) { S.nfail++; fprintf(stderr, "CHECK FAILED %s %s\n", name, var.c_str()); }
    S.add(j);
    fprintf(stderr, "%-3s %-22s %-34s %11.2f us (iqr %.2f) %s\n", sec, name, var.c_str(), quant(us, .5), quant(us, .75) - quant(us, .25), d.body.c_str());
  }
};

int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  Suite S("c_copy");
  if (S.profile) return S.finish(dir);
  Rec R{S};
  double mhz = S.mhz0;
  auto cyc = [&](double us) { return (long long)(us * mhz); };
  size_t cap = (size_t)256 << 20;
  char *d0, *d1, *pin0, *pin1, *page0 = (char*)malloc(cap), *page1 = (char*)malloc(cap);
  CK(cudaMalloc(&d0, cap)); CK(cudaMalloc(&d1, cap));
  CK(cudaMallocHost(&pin0, cap)); CK(cudaMallocHost(&pin1, cap));
  Rng rr(5);
  for (size_t i = 0; i < cap; i += 4) { uint32_t v = rr.u32(); memcpy(page0 + i, &v, 4); }
  memcpy(pin0, page0, cap);
  memset(page1, 1, cap); memset(pin1, 1, cap);
  CK(cudaMemcpy(d0, pin0, cap, cudaMemcpyHostToDevice));
  cudaStream_t s1, s2;
  CK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
  CK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
  cudaEvent_t ea, eb;
  CK(cudaEventCreate(&ea)); CK(cudaEventCreate(&eb));
  std::vector<size_t> sizes;
  for (size_t k = 4 << 10; k <= cap; k *= 4) sizes.push_back(k);
  struct Way { const char* n; char *dst, *src; cudaMemcpyKind k; };
  Way ways[] = {{"H2D_pinned", d1, pin0, cudaMemcpyHostToDevice}, {"D2H_pinned", pin1, d0, cudaMemcpyDeviceToHost},
                {"H2D_pageable", d1, page0, cudaMemcpyHostToDevice}, {"D2H_pageable", page1, d0, cudaMemcpyDeviceToHost},
                {"D2D", d1, d0, cudaMemcpyDeviceToDevice}};
  if (in_section("C3")) {
  for (auto& w : ways)
    for (size_t b : sizes) {
      int reps = quick ? 2 : 20;
      std::vector<double> sync, issue, total, ev;
      CK(cudaMemset(d1, 0, b));
      for (int r = 0; r < reps + 2; r++) {
        double t0 = now_us();
        CK(cudaMemcpy(w.dst, w.src, b, w.k));
        if (w.k == cudaMemcpyDeviceToDevice) CK(cudaDeviceSynchronize());
        double t1 = now_us();
        CK(cudaMemcpyAsync(w.dst, w.src, b, w.k, s1));
        double t2 = now_us();
        CK(cudaStreamSynchronize(s1));
        double t3 = now_us();
        spacer_spin<<<1, 1, 0, s1>>>(cyc(30));
        CK(cudaEventRecord(ea, s1));
        CK(cudaMemcpyAsync(w.dst, w.src, b, w.k, s1));
        CK(cudaEventRecord(eb, s1));
        CK(cudaEventSynchronize(eb));
        float ms;
        CK(cudaEventElapsedTime(&ms, ea, eb));
        if (r > 1) { sync.push_back(t1 - t0); issue.push_back(t2 - t1); total.push_back(t3 - t1); ev.push_back(ms * 1e3); }
      }
      bool same = true;
      std::vector<char> back(b);
      if (w.k == cudaMemcpyDeviceToHost) same = memcmp(w.dst, page0, b) == 0;
      else { CK(cudaMemcpy(back.data(), w.dst, b, cudaMemcpyDeviceToHost)); same = memcmp(back.data(), page0, b) == 0; }
      J p; p.num("bytes", b);
      double f = w.k == cudaMemcpyDeviceToDevice ? 2 : 1;
      R.put("C3", "memcpy", std::string(w.n) + "_" + std::to_string(b >> 10) + "KB", p.str("way", w.n), ev,
            J().num("gb_per_s_event", b * f / quant(ev, .5) * 1e-3).num("cudaMemcpy_wall_us", quant(sync, .5)).num("gb_per_s_sync_wall", b * f / quant(sync, .5) * 1e-3)
                .num("async_issue_cpu_us", quant(issue, .5)).num("async_plus_sync_wall_us", quant(total, .5)),
            {same, 0, "bytes compared on the host"}, J().raw("cudaMemcpy_wall_us", jstats(sync)).raw("async_issue_cpu_us", jstats(issue)).done());
    }
  for (size_t b : {(size_t)1 << 20, (size_t)16 << 20, cap}) {
    std::vector<double> up, both;
    for (int r = 0; r < (quick ? 2 : 20); r++) {
      double t0 = now_us();
      CK(cudaMemcpyAsync(d1, pin0, b, cudaMemcpyHostToDevice, s1));
      CK(cudaStreamSynchronize(s1));
      CK(cudaMemcpyAsync(pin1, d0, b, cudaMemcpyDeviceToHost, s1));
      CK(cudaStreamSynchronize(s1));
      double t1 = now_us();
      CK(cudaMemcpyAsync(d1, pin0, b, cudaMemcpyHostToDevice, s1));
      CK(cudaMemcpyAsync(pin1, d0, b, cudaMemcpyDeviceToHost, s2));
      CK(cudaStreamSynchronize(s1));
      CK(cudaStreamSynchronize(s2));
      up.push_back(t1 - t0);
      both.push_back(now_us() - t1);
    }
    J p; p.num("bytes_each_way", b);
    std::string k = std::to_string(b >> 10) + "KB";
    R.put("C3", "bidirectional", "serial_" + k, p, up, J().num("gb_per_s_total", 2.0 * b / quant(up, .5) * 1e-3));
    R.put("C3", "bidirectional", "two_streams_" + k, p, both, J().num("gb_per_s_total", 2.0 * b / quant(both, .5) * 1e-3));
    std::vector<double> two;
    for (int r = 0; r < (quick ? 2 : 20); r++) {
      double t1 = now_us();
      CK(cudaMemcpyAsync(d1, pin0, b / 2, cudaMemcpyHostToDevice, s1));
      CK(cudaMemcpyAsync(d1 + b / 2, pin0 + b / 2, b / 2, cudaMemcpyHostToDevice, s2));
      CK(cudaStreamSynchronize(s1));
      CK(cudaStreamSynchronize(s2));
      two.push_back(now_us() - t1);
    }
    R.put("C3", "same_direction", "two_H2D_streams_" + k, p, two, J().num("gb_per_s_total", (double)b / quant(two, .5) * 1e-3));
  }

  }
  // ---------------------------------------------------------------- C4
  if (in_section("C4")) {
    size_t total = (size_t)128 << 20, nf = total / 4;
    auto h0 = rand_floats(nf, 77);
    memcpy(pin0, h0.data(), total);
    memcpy(page0, h0.data(), total);
    for (int chunks : {16, 64}) {
      size_t cb = total / chunks, cn = cb / 4;
      int grid = sm_count() * 4;
      auto kt = [&](int rounds) {
        std::vector<double> t;
        for (int i = 0; i < 7; i++) {
          CK(cudaEventRecord(ea, s1));
          k_work<<<grid, 256, 0, s1>>>((float*)d1, cn, rounds);
          CK(cudaEventRecord(eb, s1));
          CK(cudaEventSynchronize(eb));
          float ms;
          CK(cudaEventElapsedTime(&ms, ea, eb));
          t.push_back(ms * 1e3);
        }
        return quant(t, .5);
      };
      CK(cudaMemcpy(d1, h0.data(), total, cudaMemcpyHostToDevice));
      double copy_us = cb / 50e3;  // target: about the time of one chunk copy at 50 GB/s
      double k1 = kt(1000), k2 = kt(2000);
      int rounds = std::max(1, (int)((copy_us - (2 * k1 - k2)) / std::max((k2 - k1) / 1000, 1e-6)));
      double kus = kt(rounds);
      for (int pinned : {1, 0})
        for (int ns : {1, 2, 3, 4, 8})
          for (int breadth : {0, 1}) {
            if (breadth && (ns == 1 || !pinned)) continue;
            cudaStream_t q[8];
            for (int i = 0; i < ns; i++) CK(cudaStreamCreateWithFlags(q + i, cudaStreamNonBlocking));
            char *src = pinned ? pin0 : page0, *dst = pinned ? pin1 : page1;
            auto go = [&] {
              auto up = [&](int c) { CK(cudaMemcpyAsync(d1 + c * cb, src + c * cb, cb, cudaMemcpyHostToDevice, q[c % ns])); };
              auto run = [&](int c) { k_work<<<grid, 256, 0, q[c % ns]>>>((float*)(d1 + c * cb), cn, rounds); CK(cudaGetLastError()); };
              auto dn = [&](int c) { CK(cudaMemcpyAsync(dst + c * cb, d1 + c * cb, cb, cudaMemcpyDeviceToHost, q[c % ns])); };
              if (!breadth) for (int c = 0; c < chunks; c++) { up(c); run(c); dn(c); }
              else
                for (int c0 = 0; c0 < chunks; c0 += ns) {
                  for (int c = c0; c < std::min(chunks, c0 + ns); c++) up(c);
                  for (int c = c0; c < std::min(chunks, c0 + ns); c++) run(c);
                  for (int c = c0; c < std::min(chunks, c0 + ns); c++) dn(c);
                }
              for (int i = 0; i < ns; i++) CK(cudaStreamSynchronize(q[i]));
            };
            memset(dst, 1, total);
            if (!quick || !pinned) go();
            double w = 0;
            const float* res = (const float*)dst;
            for (size_t i = 0; i < nf && !quick; i += 40993) {
              float v = h0[i];
              for (int r = 0; r < rounds; r++) v = std::fma(v, 0.99f, 0.01f);
              w = std::max(w, (double)std::fabs(v - res[i]));
            }
            std::vector<double> t;
            for (int r = 0; r < (quick ? 1 : 20); r++) {
              double t0 = now_us();
              go();
              t.push_back(now_us() - t0);
            }
            R.put("C4", "overlap_pipeline", std::string(pinned ? "pinned" : "pageable") + "_streams" + std::to_string(ns) + (breadth ? "_breadth_first" : "") + "_chunks" + std::to_string(chunks),
                  J().num("total_bytes_each_way", total).num("chunks", chunks).num("streams", ns).boolean("pinned", pinned).str("issue_order", breadth ? "breadth" : "depth").num("kernel_rounds", rounds).num("kernel_us_per_chunk", kus),
                  t, J().num("gb_per_s_each_way", total / quant(t, .5) * 1e-3), {w < 1e-4, w, "max abs error vs CPU, sampled"});
            for (int i = 0; i < ns; i++) CK(cudaStreamDestroy(q[i]));
          }
    }
  }

  // ---------------------------------------------------------------- C5
  if (in_section("C5")) {
    unsigned long long* st = dmalloc<unsigned long long>(256);
    std::vector<unsigned long long> init(256);
    for (int i = 0; i < 256; i += 2) { init[i] = ~0ull; init[i + 1] = 0; }
    cudaStream_t q[32];
    for (auto& s : q) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    auto go = [&](const std::string& v, int k, bool many, int blocks, int thr, double us) {
      std::vector<double> t, span;
      std::string spans;
      for (int r = 0; r < (quick ? 2 : 22); r++) {
        CK(cudaMemcpy(st, init.data(), 2048, cudaMemcpyHostToDevice));
        CK(cudaDeviceSynchronize());
        double t0 = now_us();
        for (int i = 0; i < k; i++) k_block_spin<<<blocks, thr, 0, q[many ? i : 0]>>>(st, i, cyc(us));
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
        double t1 = now_us();
        auto h = download(st, 2 * k);
        unsigned long long lo = ~0ull, hi = 0;
        for (int i = 0; i < k; i++) { lo = std::min(lo, h[2 * i]); hi = std::max(hi, h[2 * i + 1]); }
        if (r > 1 || quick) { t.push_back(t1 - t0); span.push_back((hi - lo) * 1e-3); }
        std::vector<std::string> e;
        for (int i = 0; i < k; i++) e.push_back("[" + jnum((h[2 * i] - lo) * 1e-3) + "," + jnum((h[2 * i + 1] - lo) * 1e-3) + "]");
        spans = jarr(e);
      }
      R.put("C5", "concurrent_kernels", v, J().num("kernels", k).num("streams", many ? k : 1).num("blocks", blocks).num("threads", thr).num("spin_us_per_block", us), t,
            J().num("device_span_us", quant(span, .5)), {true, 0, ""}, J().raw("kernel_start_end_us_last_run", spans).done());
    };
    for (int k : {1, 2, 4, 8, 16, 32}) {
      go("own_streams_k" + std::to_string(k), k, true, 8, 256, 1000);
      if (k <= 16) go("same_stream_k" + std::to_string(k), k, false, 8, 256, 1000);
    }
    int full = sm_count() * 8;
    go("gpu_filling_one_stream", 2, false, full * 2, 256, 250);
    go("gpu_filling_two_streams", 2, true, full * 2, 256, 250);
    go("half_gpu_two_streams", 2, true, full / 2, 256, 500);
    go("half_gpu_one_stream", 2, false, full / 2, 256, 500);
    go("wave_and_a_bit_one_stream", 2, false, full + 132, 256, 250);
    go("wave_and_a_bit_two_streams", 2, true, full + 132, 256, 250);
    int least, most;
    CK(cudaDeviceGetStreamPriorityRange(&least, &most));
    cudaStream_t lo, hi;
    CK(cudaStreamCreateWithPriority(&lo, cudaStreamNonBlocking, least));
    CK(cudaStreamCreateWithPriority(&hi, cudaStreamNonBlocking, most));
    for (int pr : {0, 1}) {
      std::vector<double> lat, begin;
      for (int r = 0; r < (quick ? 2 : 22); r++) {
        CK(cudaMemcpy(st, init.data(), 2048, cudaMemcpyHostToDevice));
        CK(cudaDeviceSynchronize());
        k_block_spin<<<full * 16, 256, 0, lo>>>(st, 0, cyc(100));
        double w = now_us();
        while (now_us() - w < 300) {}
        double t0 = now_us();
        k_block_spin<<<132, 256, 0, pr ? hi : q[0]>>>(st, 1, cyc(10));
        CK(cudaStreamSynchronize(pr ? hi : q[0]));
        double t1 = now_us();
        CK(cudaDeviceSynchronize());
        auto h = download(st, 4);
        if (r > 1 || quick) { lat.push_back(t1 - t0); begin.push_back(((double)(long long)(h[2] - h[0])) * 1e-3); }
      }
      R.put("C5", "stream_priority", pr ? "high_priority_small_kernel" : "default_priority_small_kernel",
            J().num("long_kernel_blocks", full * 16).num("long_block_us", 100).num("small_blocks", 132).num("priority_range_least", least).num("priority_range_greatest", most), lat,
            J().num("small_start_after_long_start_us", quant(begin, .5)));
    }
  }
  return S.finish(dir);
}
