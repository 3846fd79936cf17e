// Host threads: what starting, waking and locking them costs, and what calls into CUDA cost when several threads make them.
// Compile with -Xcompiler -pthread; once more with --default-stream per-thread for the last part.
#include "common.cuh"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

__global__ void k_empty() {}
__global__ void k_spin(long long cycles) {
  long long t = clock64();
  while (clock64() - t < cycles) {}
}

static void put(const char* section, const std::string& name, const std::vector<double>& us, J more = {}) {
  printf("%s\n", J().str("section", section).str("name", name).raw("us", jstats(us)).raw("more", more.done()).done().c_str());
  fflush(stdout);
}
static cudaStream_t stream() {
  cudaStream_t s;
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  return s;
}
// All n threads run `body(index)` at once, each after `before`; what each of them took per call.
template <class Before, class Body>
static std::vector<double> together(int n, int calls, Before before, Body body) {
  std::vector<std::thread> all;
  std::vector<double> each(n);
  std::atomic<int> ready{0};
  for (int i = 0; i < n; i++)
    all.emplace_back([&, i] {
      CK(cudaSetDevice(0));
      before(i);
      ready++;
      while (ready < n) {}
      double t0 = now_us();
      for (int k = 0; k < calls; k++) body(i);
      each[i] = (now_us() - t0) / calls;
    });
  for (auto& t : all) t.join();
  CK(cudaDeviceSynchronize());
  return each;
}

int main() {
  CK(cudaSetDevice(0));
  CK(cudaFree(0));
  double mhz = measured_sm_mhz();
  k_empty<<<1, 32>>>();
  k_spin<<<1, 32>>>(1000);
  CK(cudaDeviceSynchronize());
#ifndef PER_THREAD
  {  // T1: starting threads.
    std::vector<double> create, start, join;
    for (int i = 0; i < 60; i++) {
      double began = 0, t0 = now_us();
      std::thread t([&] { began = now_us(); });
      double t1 = now_us();
      while (now_us() - t1 < 200) {}
      double t2 = now_us();
      t.join();
      double t3 = now_us();
      if (i >= 10) create.push_back(t1 - t0), start.push_back(began - t0), join.push_back(t3 - t2);
    }
    put("T1", "create", create), put("T1", "create_to_first_instruction", start), put("T1", "join_of_ended", join);
    std::vector<double> end;
    for (int i = 0; i < 60; i++) {
      double ended = 0;
      std::thread t([&] { double s = now_us(); while (now_us() - s < 300) {} ended = now_us(); });
      t.join();
      double t3 = now_us();
      if (i >= 10) end.push_back(t3 - ended);
    }
    put("T1", "end_to_join_return", end);
  }
  {  // T2: locks.
    std::mutex m;
    std::vector<double> un;
    for (int r = 0; r < 30; r++) {
      double t0 = now_us();
      for (int i = 0; i < 1000; i++) { m.lock(); m.unlock(); }
      un.push_back((now_us() - t0) / 1000);
    }
    put("T2", "mutex_uncontended_lock_unlock", un);
    for (int hold : {0, 2, 20, 100}) {  // Who waits for the lock while another holds it that long: from unlock to lock.
      std::vector<double> got;
      for (int r = 0; r < 40; r++) {
        double freed = 0, locked = 0;
        std::atomic<int> go{0};
        m.lock();
        std::thread t([&] { go = 1; m.lock(); locked = now_us(); m.unlock(); });
        while (!go) {}
        double s = now_us();
        while (now_us() - s < hold) {}
        freed = now_us();
        m.unlock();
        t.join();
        if (r >= 10) got.push_back(locked - freed);
      }
      put("T2", "mutex_unlock_to_lock hold=" + std::to_string(hold) + "us", got);
    }
    std::condition_variable c;
    int turn = 0;
    const int rounds = 500;
    std::vector<double> pong;
    for (int r = 0; r < 10; r++) {
      std::thread t([&] {
        for (int i = 0; i < rounds; i++) {
          std::unique_lock<std::mutex> l(m);
          c.wait(l, [&] { return turn == 1; });
          turn = 0;
          l.unlock();
          c.notify_one();
        }
      });
      double t0 = now_us();
      for (int i = 0; i < rounds; i++) {
        std::unique_lock<std::mutex> l(m);
        turn = 1;
        l.unlock();
        c.notify_one();
        l.lock();
        c.wait(l, [&] { return turn == 0; });
      }
      pong.push_back((now_us() - t0) / rounds / 2);
      t.join();
    }
    put("T2", "condition_variable_one_way", pong);
    for (int sleep : {0, 1, 10, 100, 1000}) {
      std::vector<double> t;
      for (int r = 0; r < 40; r++) {
        double t0 = now_us();
        std::this_thread::sleep_for(std::chrono::microseconds(sleep));
        t.push_back(now_us() - t0);
      }
      put("T2", "sleep_for " + std::to_string(sleep) + "us", t);
    }
    std::vector<double> y;
    for (int r = 0; r < 40; r++) {
      double t0 = now_us();
      for (int i = 0; i < 100; i++) std::this_thread::yield();
      y.push_back((now_us() - t0) / 100);
    }
    put("T2", "yield_alone", y);
  }
  // T3: calls of several threads at once.
  std::vector<cudaStream_t> streams;
  for (int i = 0; i < 16; i++) streams.push_back(stream());
  std::vector<cudaEvent_t> events(16);
  for (auto& e : events) CK(cudaEventCreate(&e));
  std::vector<char*> device(16), pinned(16);
  for (int i = 0; i < 16; i++) {
    CK(cudaMalloc(&device[i], 1 << 20));
    CK(cudaMallocHost(&pinned[i], 1 << 20));
  }
  for (int round = 0; round < 2; round++)  // the first is a warm-up
    for (int n : {1, 2, 3, 4, 6, 8, 12}) {
      auto none = [](int) {};
      auto show = [&](const std::string& name, std::vector<double> each) {
        if (round) put("T3", name + " n=" + std::to_string(n), each);
      };
      show("launch own_stream calls=400", together(n, 400, none, [&](int i) { k_empty<<<1, 32, 0, streams[i]>>>(); }));
      show("launch one_stream calls=80", together(n, 80, none, [&](int) { k_empty<<<1, 32, 0, streams[0]>>>(); }));
      // The GPU takes nothing up meanwhile.
      k_spin<<<1, 32>>>((long long)(100 * mhz));
      auto waits = [&](int i) { k_spin<<<1, 32, 0, streams[i]>>>((long long)(20000 * mhz)); };
      show("launch own_stream_waiting calls=400", together(n, 400, waits, [&](int i) { k_empty<<<1, 32, 0, streams[i]>>>(); }));
      show("record own_stream calls=400", together(n, 400, none, [&](int i) { CK(cudaEventRecord(events[i], streams[i])); }));
      show("query own_event calls=400", together(n, 400, none, [&](int i) { CK(cudaEventQuery(events[i])); }));
      show("upload_1MB own_stream calls=100", together(n, 100, none, [&](int i) { CK(cudaMemcpyAsync(device[i], pinned[i], 1 << 20, cudaMemcpyHostToDevice, streams[i])); }));
      show("launch_and_sync own_stream calls=200", together(n, 200, none, [&](int i) { k_empty<<<1, 32, 0, streams[i]>>>(); CK(cudaStreamSynchronize(streams[i])); }));
      show("malloc_free calls=100", together(n, 100, none, [&](int) { void* p; CK(cudaMalloc(&p, 4 << 20)); CK(cudaFree(p)); }));
    }
  {  // One waits for the GPU while another launches.
    for (int spinning : {1, 0}) {
      std::vector<double> cpu, late;
      cudaEvent_t done;
      CK(cudaEventCreateWithFlags(&done, spinning ? cudaEventDefault : cudaEventBlockingSync));
      for (int r = 0; r < 20; r++) {
        k_spin<<<1, 32, 0, streams[0]>>>((long long)(1500 * mhz));
        CK(cudaEventRecord(done, streams[0]));
        std::atomic<int> waiting{0};
        std::thread t([&] { CK(cudaSetDevice(0)); waiting = 1; CK(cudaEventSynchronize(done)); });
        while (!waiting) {}
        double s = now_us();
        while (now_us() - s < 100) {}
        double t0 = now_us();
        for (int i = 0; i < 200; i++) k_empty<<<1, 32, 0, streams[1]>>>();
        cpu.push_back((now_us() - t0) / 200);
        t.join();
        CK(cudaDeviceSynchronize());
      }
      put("T3", std::string("launch beside_") + (spinning ? "spinning" : "blocking") + "_wait", cpu);
    }
  }
  {  // Pageable uploads of two threads.
    for (int n : {1, 2, 4}) {
      std::vector<std::vector<char>> host(n, std::vector<char>(16 << 20, 1));
      std::vector<char*> to(n);
      for (auto& p : to) CK(cudaMalloc(&p, 16 << 20));
      auto none = [](int) {};
      for (int r = 0; r < 2; r++) {
        auto each = together(n, 10, none, [&](int i) { CK(cudaMemcpyAsync(to[i], host[i].data(), 16 << 20, cudaMemcpyHostToDevice, streams[i])); CK(cudaStreamSynchronize(streams[i])); });
        if (r) put("T3", "pageable_16MB own_stream n=" + std::to_string(n), each);
      }
      for (auto p : to) CK(cudaFree(p));
    }
  }
#endif
  // T4: default streams of threads: kernels of 100 us each, four per thread.
  for (int n : {1, 2, 4, 8}) {
    std::vector<double> t;
    for (int r = 0; r < 12; r++) {
      double t0 = now_us();
      together(n, 4, [](int) {}, [&](int) { k_spin<<<1, 32>>>((long long)(100 * mhz)); });
      t.push_back(now_us() - t0);
    }
    put("T4", std::string("default_stream_of_threads n=") + std::to_string(n), std::vector<double>(t.begin() + 2, t.end()));
  }
}
