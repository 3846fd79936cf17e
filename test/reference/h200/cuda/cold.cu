// What a kernel's first instructions take: reads of the clock one after the other, by what ran on the SM before.
#include "common.cuh"
template <int reads>
__global__ void k_reads(unsigned* out) {
  unsigned t[reads];
#pragma unroll
  for (int i = 0; i < reads; i++) asm volatile("mov.u32 %0, %%clock;" : "=r"(t[i]));
  if (threadIdx.x == 0 && blockIdx.x == 0)
#pragma unroll
    for (int i = 0; i < reads; i++) out[i] = t[i];
}
__global__ void k_timer(unsigned long long* out) {
  unsigned long long a, b;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(a));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(b));
  if (threadIdx.x == 0 && blockIdx.x == 0) { out[0] = a; out[1] = b; }
}
// 64 KB of code.
__global__ void k_long(float* out, float a, float b) {
  float x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;
#pragma unroll
  for (int i = 0; i < 1024; i++)
    asm volatile("fma.rn.f32 %0, %0, %4, %5;\n fma.rn.f32 %1, %1, %4, %5;\n fma.rn.f32 %2, %2, %4, %5;\n fma.rn.f32 %3, %3, %4, %5;"
                 : "+f"(x), "+f"(y), "+f"(z), "+f"(w) : "f"(a), "f"(b));
  if (x + y + z + w == 1.2345f) *out = x;
}
__global__ void k_empty() {}

template <int reads>
void show(const char* name, unsigned* out, float* f, int before, int blocks) {
  std::vector<std::vector<double>> of(reads);
  for (int r = 0; r < 25; r++) {
    if (before == 1) k_empty<<<132, 32>>>();
    if (before == 2) k_long<<<132, 32>>>(f, 0.5f, 1);
    k_reads<reads><<<blocks, 32>>>(out);
    unsigned got[reads];
    CK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    if (r >= 5) for (int i = 1; i < reads; i++) of[i].push_back(got[i] - got[i - 1]);
  }
  printf("{\"name\":\"%s\",\"reads\":%d,\"blocks\":%d,\"cycles\":[", name, reads, blocks);
  for (int i = 1; i < reads; i++) printf("%s%.0f", i > 1 ? "," : "", quant(of[i], .5));
  printf("]}\n");
}
int main() {
  unsigned* out; float* f; unsigned long long* t;
  CK(cudaMalloc(&out, 4096)); CK(cudaMalloc(&f, 4096)); CK(cudaMalloc(&t, 64));
  for (int blocks : {1, 132, 1320}) {
    show<64>("alone", out, f, 0, blocks);
    show<64>("after_empty", out, f, 1, blocks);
    show<64>("after_long", out, f, 2, blocks);
  }
  show<192>("alone", out, f, 0, 1);
  show<192>("after_long", out, f, 2, 1);
  std::vector<double> d;
  for (int r = 0; r < 200; r++) {
    k_timer<<<1, 32>>>(t);
    unsigned long long got[2];
    CK(cudaMemcpy(got, t, 16, cudaMemcpyDeviceToHost));
    d.push_back(double(got[1] - got[0]));
  }
  printf("{\"name\":\"two_timer_reads\",\"ns\":%s}\n", jstats(d).c_str());
}
