// Kernels that access page-locked memory of the host over the link: how long one load takes, what blocks get together, what is
// kept, by which side and pattern. Microseconds unless said otherwise.
#include "common.cuh"

static void put(const std::string& name, const std::vector<double>& us) {
  printf("%s\n", J().str("name", name).raw("us", jstats(us)).done().c_str());
}
__global__ void k_chase(const unsigned* p, int n, unsigned* out, long long* cycles) {
  unsigned at = 0;
  long long t = clock64();
  for (int i = 0; i < n; i++) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(p + at));
  *cycles = clock64() - t;
  *out = at;
}
__global__ void k_read(const float4* in, float* out, size_t n) {
  float s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { float4 v = __ldcg(in + i); s += v.x + v.y + v.z + v.w; }
  if (s == 1.2345f) *out = s;
}
__global__ void k_write(float4* out, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i] = make_float4(1, 2, 3, 4);
}
__global__ void k_copy(const float4* in, float4* out, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i] = in[i];
}
__global__ void k_strided(const float* in, float* out, size_t n, int stride) {
  float s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += in[i * stride];
  if (s == 1.2345f) *out = s;
}
__global__ void k_strided_write(float* out, size_t n, int stride) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i * stride] = 1;
}
int main() {
  CK(cudaSetDevice(0));
  double mhz = measured_sm_mhz();
  char *pin, *dev, *pin2;
  float* out;
  size_t mb = 1 << 20;
  CK(cudaMallocHost(&pin, 256 * mb));
  CK(cudaMallocHost(&pin2, 256 * mb));
  CK(cudaMalloc(&dev, 256 * mb));
  CK(cudaMalloc(&out, 4096));
  memset(pin, 0, 256 * mb);
  memset(pin2, 0, 256 * mb);
  cudaStream_t s, s2;
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
  auto events = [&](const std::function<void()>& f) { return between_events(7, (long long)(60 * mhz), f, s, s2); };
  // A chain of loads, each in a line of its own, in random order within a window.
  for (size_t kb : {4, 256, 4096, 65536}) {
    size_t n = kb * 1024 / 128;
    std::vector<unsigned> order(n);
    for (size_t i = 0; i < n; i++) order[i] = i;
    std::mt19937 g(1);
    for (size_t i = n - 1; i > 0; i--) std::swap(order[i], order[g() % i]);
    unsigned* p = (unsigned*)pin;
    for (size_t i = 0; i < n; i++) p[order[i] * 32] = order[(i + 1) % n] * 32;
    std::vector<double> ns;
    for (int r = 0; r < 6; r++) {
      k_chase<<<1, 1, 0, s>>>(p, 512, (unsigned*)out, (long long*)(out + 16));
      CK(cudaStreamSynchronize(s));
      long long cyc;
      CK(cudaMemcpy(&cyc, out + 16, 8, cudaMemcpyDeviceToHost));
      if (r > 0) ns.push_back(cyc / 512.0 / mhz * 1e3);
    }
    put("chain_of_loads_ns KB=" + std::to_string(kb), ns);
  }
  memset(pin, 0, 256 * mb);
  for (int blocks : {1, 2, 4, 8, 16, 33, 66, 132, 1056})
    for (size_t m : {1, 16, 64}) {
      if (blocks < 8 && m > 1) continue;
      std::string t = " MB=" + std::to_string(m) + " blocks=" + std::to_string(blocks);
      size_t n = m * mb / 16;
      put("read" + t, events([&] { k_read<<<blocks, 256, 0, s>>>((float4*)pin, out, n); }));
      put("write" + t, events([&] { k_write<<<blocks, 256, 0, s>>>((float4*)pin, n); }));
      put("copy_down" + t, events([&] { k_copy<<<blocks, 256, 0, s>>>((float4*)dev, (float4*)pin, n); }));
      put("copy_host_to_host" + t, events([&] { k_copy<<<blocks, 256, 0, s>>>((float4*)pin2, (float4*)pin, n); }));
    }
  for (int stride : {1, 2, 4, 8, 16, 32, 64}) {
    size_t n = 1 << 20;
    std::string t = " stride=" + std::to_string(stride);
    put("read_4B" + t, events([&] { k_strided<<<1056, 256, 0, s>>>((float*)pin, out, n, stride); }));
    put("write_4B" + t, events([&] { k_strided_write<<<1056, 256, 0, s>>>((float*)pin, n, stride); }));
  }
  // The same 4 MB again and again.
  put("read MB=4 eight_times", events([&] { for (int i = 0; i < 8; i++) k_read<<<1056, 256, 0, s>>>((float4*)pin, out, 4 * mb / 16); }));
  put("read MB=4", events([&] { k_read<<<1056, 256, 0, s>>>((float4*)pin, out, 4 * mb / 16); }));
  // Beside copies over the link.
  size_t n = 64 * mb / 16;
  auto up = [&] { CK(cudaMemcpyAsync(dev, pin2, 64 * mb, cudaMemcpyHostToDevice, s2)); };
  auto down = [&] { CK(cudaMemcpyAsync(pin2, dev, 64 * mb, cudaMemcpyDeviceToHost, s2)); };
  put("upload alone", events(up));
  put("download alone", events(down));
  put("read MB=64 beside upload", events([&] { k_read<<<1056, 256, 0, s>>>((float4*)pin, out, n); up(); }));
  put("read MB=64 beside download", events([&] { k_read<<<1056, 256, 0, s>>>((float4*)pin, out, n); down(); }));
  put("write MB=64 beside upload", events([&] { k_write<<<1056, 256, 0, s>>>((float4*)pin, n); up(); }));
  put("write MB=64 beside download", events([&] { k_write<<<1056, 256, 0, s>>>((float4*)pin, n); down(); }));
  put("read beside read MB=64", events([&] { k_read<<<528, 256, 0, s>>>((float4*)pin, out, n); k_read<<<528, 256, 0, s2>>>((float4*)pin2, out, n); }));
}
