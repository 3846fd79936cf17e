// Fills and copies inside the GPU in rows of all widths, by pitch and value; what page-locking, pools and records without timing
// take on the CPU, by size. Microseconds.
#include "common.cuh"

static void put(const char* section, const std::string& name, const std::vector<double>& us) {
  printf("%s\n", J().str("section", section).str("name", name).raw("us", jstats(us)).done().c_str());
  fflush(stdout);
}

int main() {
  CK(cudaSetDevice(0));
  double mhz = measured_sm_mhz();
  cudaStream_t s;
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaEvent_t a;
  CK(cudaEventCreate(&a));
  char *x, *y;
  CK(cudaMalloc(&x, (size_t)256 << 20));
  CK(cudaMalloc(&y, (size_t)256 << 20));
  auto events = [&](const std::function<void()>& f) { return between_events(10, (long long)(60 * mhz), f, s); };
  for (size_t w : {4, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536})
    for (size_t mb : {1, 4, 16}) {
      size_t rows = (mb << 20) / w;
      if (rows > (1 << 20)) continue;
      for (size_t pitch : {2 * w, w + 512}) {
        if (rows * pitch > ((size_t)256 << 20)) continue;
        std::string t = " MB=" + std::to_string(mb) + " width=" + std::to_string(w) + " pitch=" + std::to_string(pitch);
        put("F1", "memset2d" + t, events([&] { CK(cudaMemset2DAsync(x, pitch, 0, w, rows, s)); }));
        put("F1", "copy2d" + t, events([&] { CK(cudaMemcpy2DAsync(y, pitch, x, pitch, w, rows, cudaMemcpyDeviceToDevice, s)); }));
      }
      put("F1", "memset2d MB=" + std::to_string(mb) + " width=" + std::to_string(w) + " packed", events([&] { CK(cudaMemset2DAsync(x, w, 0, w, rows, s)); }));
    }
  for (size_t rows : {1, 2, 8, 64, 512})
    put("F1", "memset2d rows=" + std::to_string(rows) + " width=1024", events([&] { CK(cudaMemset2DAsync(x, 2048, 0, 1024, rows, s)); }));
  for (size_t kb : {1, 4, 8, 12, 16, 20, 24, 32, 48, 64, 128, 256})
    put("F1", "memset KB=" + std::to_string(kb), events([&] { CK(cudaMemsetAsync(x, 0, kb << 10, s)); }));
  // What calls take on the CPU.
  auto cpu = [&](const std::string& name, const std::function<void()>& f, const std::function<void()>& after) {
    std::vector<double> t;
    for (int i = 0; i < 25; i++) {
      double t0 = now_us();
      f();
      double t1 = now_us();
      after();
      if (i > 4) t.push_back(t1 - t0);
    }
    put("F2", name, t);
  };
  for (size_t kb : {1, 4, 8, 12, 16, 20, 32, 64, 256})
    cpu("cudaMemsetAsync KB=" + std::to_string(kb), [&] { CK(cudaMemsetAsync(x, 0, kb << 10, s)); }, [&] { CK(cudaDeviceSynchronize()); });
  cpu("cudaMemset2DAsync", [&] { CK(cudaMemset2DAsync(x, 2048, 0, 1024, 1024, s)); }, [&] { CK(cudaDeviceSynchronize()); });
  void* p;
  for (size_t kb : {4, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536}) {
    std::string t = " KB=" + std::to_string(kb);
    cpu("cudaMallocHost" + t, [&] { CK(cudaMallocHost(&p, kb << 10)); }, [&] { CK(cudaFreeHost(p)); });
    CK(cudaMallocHost(&p, kb << 10));
    cpu("cudaFreeHost" + t, [&] { CK(cudaFreeHost(p)); }, [&] { CK(cudaMallocHost(&p, kb << 10)); });
    CK(cudaFreeHost(p));
    std::vector<char> host((kb << 10) + 8192, 1);
    char* at = (char*)(((size_t)host.data() + 4095) / 4096 * 4096);
    cpu("cudaHostRegister" + t, [&] { CK(cudaHostRegister(at, kb << 10, 0)); }, [&] { CK(cudaHostUnregister(at)); });
    CK(cudaHostRegister(at, kb << 10, 0));
    cpu("cudaHostUnregister" + t, [&] { CK(cudaHostUnregister(at)); }, [&] { CK(cudaHostRegister(at, kb << 10, 0)); });
    CK(cudaHostUnregister(at));
    cudaMemPool_t pool;
    CK(cudaDeviceGetDefaultMemPool(&pool, 0));
    auto trim = [&] { CK(cudaFreeAsync(p, s)); CK(cudaDeviceSynchronize()); CK(cudaMemPoolTrimTo(pool, 0)); };
    cpu("cudaMallocAsync cold" + t, [&] { CK(cudaMallocAsync(&p, kb << 10, s)); }, trim);
    cpu("cudaMalloc" + t, [&] { CK(cudaMalloc(&p, kb << 10)); }, [&] { CK(cudaFree(p)); });
  }
  cudaEvent_t plain, sync;
  CK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  CK(cudaEventCreateWithFlags(&sync, cudaEventBlockingSync));
  auto idle = [&] { CK(cudaDeviceSynchronize()); };
  for (int busy : {0, 1}) {
    auto before = [&] { idle(); if (busy) spacer_spin<<<1, 1, 0, s>>>((long long)(60 * mhz)); };
    std::string t = busy ? " busy" : " idle";
    before();
    cpu("cudaEventRecord" + t, [&] { CK(cudaEventRecord(a, s)); }, before);
    cpu("cudaEventRecord no_timing" + t, [&] { CK(cudaEventRecord(plain, s)); }, before);
    cpu("cudaEventRecord blocking" + t, [&] { CK(cudaEventRecord(sync, s)); }, before);
    cpu("cudaStreamQuery" + t, [&] { cudaStreamQuery(s); }, before);
    cpu("cudaLaunchHostFunc" + t, [&] { CK(cudaLaunchHostFunc(s, [](void*) {}, nullptr)); }, before);
  }
  // Records without timing: what they take on the device.
  auto gap = [&](const char* name, cudaEvent_t* e, int n) {
    put("F3", name, events([&] { for (int i = 0; i < 10; i++) { spacer_spin<<<1, 1, 0, s>>>(100); for (int k = 0; k < n; k++) CK(cudaEventRecord(*e, s)); } }));
  };
  gap("ten_kernels", nullptr, 0);
  cudaEvent_t timing;
  CK(cudaEventCreate(&timing));
  gap("ten_kernels_and_records", &timing, 1), gap("ten_kernels_and_records_no_timing", &plain, 1);
  gap("ten_kernels_and_three_records", &timing, 3), gap("ten_kernels_and_three_records_no_timing", &plain, 3);
}
