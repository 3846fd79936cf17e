// A3 bytes in flight, A4 access patterns, A5 bank conflicts, A6 atomics, A7 divergence, A8 occupancy and spills.
#include "common.cuh"

// ---------------------------------------------------------------- A3: out = in + 1, EPT independent vector loads per thread
template <class V> __device__ __forceinline__ V plus1(V v);
template <> __device__ __forceinline__ float plus1(float v) { return v + 1.f; }
template <> __device__ __forceinline__ float2 plus1(float2 v) { return make_float2(v.x + 1.f, v.y + 1.f); }
template <> __device__ __forceinline__ float4 plus1(float4 v) { return make_float4(v.x + 1.f, v.y + 1.f, v.z + 1.f, v.w + 1.f); }
template <class V, int EPT>
__global__ void __launch_bounds__(256) inc(const V* __restrict__ in, V* __restrict__ out) {
  size_t b = (size_t)blockIdx.x * 256 * EPT + threadIdx.x;
  V v[EPT];
#pragma unroll
  for (int k = 0; k < EPT; k++) v[k] = in[b + k * 256];
#pragma unroll
  for (int k = 0; k < EPT; k++) out[b + k * 256] = plus1(v[k]);
}

// ---------------------------------------------------------------- A4
__global__ void acc_load_offset(const float* __restrict__ in, float* __restrict__ out, int k) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  out[i] = in[i + k];
}
__global__ void acc_store_offset(const float* __restrict__ in, float* __restrict__ out, int k) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  out[i + k] = in[i];
}
__global__ void acc_load_stride(const float* __restrict__ in, float* __restrict__ out, int s) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  out[i] = in[i * s];
}
__global__ void acc_store_stride(const float* __restrict__ in, float* __restrict__ out, int s) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  out[i * s] = in[i];
}
__global__ void acc_same_address(const float* __restrict__ in, float* __restrict__ out, unsigned mask) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  out[i] = in[(unsigned)i & mask] + 1.f;  // mask 0: every lane of every warp reads in[0]
}
__global__ void acc_warp_broadcast(const float* __restrict__ in, float* __restrict__ out) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
  out[i] = in[i >> 5];
}
__host__ __device__ inline unsigned mix32(unsigned h) {
  h ^= h >> 16; h *= 0x7FEB352Du; h ^= h >> 15; h *= 0x846CA68Bu; h ^= h >> 16;
  return h;
}
__host__ __device__ inline unsigned perm_lane(unsigned i) {  // a bijection of the 32 lanes that differs per warp
  unsigned l = i & 31, h = mix32(i >> 5);
  l = (l * (h << 1 | 1) + (h >> 8)) & 31;
  return (i & ~31u) | (l ^ (h >> 16 & 31));
}
__global__ void acc_warp_permuted(const float* __restrict__ in, float* __restrict__ out) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[perm_lane(i)];
}
__global__ void acc_random(const float* __restrict__ in, float* __restrict__ out, unsigned mask) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[mix32(i) & mask];
}

// ---------------------------------------------------------------- A5
// Volatile accesses: plain ones are merged by ptxas across loop iterations.
// Every thread reads shared[(lane*stride + k) mod 1024] `iters` times; conflict degree = gcd(stride, 32).
__global__ void __launch_bounds__(1024) bank_stride(int stride, int iters, unsigned* out, long long* cyc) {
  __shared__ unsigned s[2048];
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = k * 2654435761u;
  __syncthreads();
  unsigned a = 0;
  const unsigned* p = s + ((threadIdx.x & 31) * stride & 1023);
  long long t0 = clock64();
  for (int i = 0; i < iters; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) {
      unsigned v;
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"((unsigned)__cvta_generic_to_shared(p + k)));
      a += v;
    }
  }
  long long t1 = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = a;
  __syncthreads();
  if (threadIdx.x == 0) cyc[blockIdx.x] = t1 - t0;
}
// Same, but stores.
__global__ void __launch_bounds__(1024) bank_stride_store(int stride, int iters, unsigned* out, long long* cyc) {
  __shared__ unsigned s[2048];
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = 0;
  __syncthreads();
  unsigned base = (unsigned)__cvta_generic_to_shared(s + ((threadIdx.x & 31) * stride & 1023));
  long long t0 = clock64();
  for (int i = 0; i < iters; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(base + k * 4), "r"(i + k) : "memory");
  }
  long long t1 = clock64();
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[((threadIdx.x & 31) * stride & 1023) + 15];
  if (threadIdx.x == 0) cyc[blockIdx.x] = t1 - t0;
}
// Column reads of a 32-row tile: MODE 0 plain [32][32], 1 padded [32][33], 2 XOR swizzle.
template <int MODE>
__global__ void __launch_bounds__(1024) bank_column(int iters, unsigned* out, long long* cyc) {
  constexpr int W = MODE == 1 ? 33 : 32;
  __shared__ unsigned s[32 * 33];
  int l = threadIdx.x & 31, w = threadIdx.x / 32;
  for (int r = w; r < 32; r += blockDim.x / 32) s[r * W + (MODE == 2 ? l ^ r : l)] = (r * 32 + l) * 2654435761u;
  __syncthreads();
  unsigned a = 0;
  long long t0 = clock64();
  for (int i = 0; i < iters; i++) {
#pragma unroll
    for (int c = 0; c < 32; c++) {  // lane = row, c = column
      unsigned v;
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"((unsigned)__cvta_generic_to_shared(s + l * W + (MODE == 2 ? c ^ l : c))));
      a += v * (c + 1);
    }
  }
  long long t1 = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = a;
  __syncthreads();
  if (threadIdx.x == 0) cyc[blockIdx.x] = t1 - t0;
}

// ---------------------------------------------------------------- A6: every thread adds 1
__global__ void at_plain(unsigned* p) { atomicAdd(p, 1u); }
__global__ void at_plain_opaque(unsigned* p, unsigned zero) { atomicAdd(p + (threadIdx.x & zero), 1u); }
__device__ __forceinline__ void red1(unsigned* p, unsigned v = 1u) {
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
// `zero` is always 0 at run time: the address is then not provably uniform and nothing gets aggregated.
__global__ void at_same(unsigned* p, unsigned zero) { red1(p + (threadIdx.x & zero)); }
__global__ void at_per_warp(unsigned* p, unsigned zero) { red1(p + (blockIdx.x * 256 + threadIdx.x) / 32 + (threadIdx.x & zero)); }
__global__ void at_per_warp_line(unsigned* p, unsigned zero) { red1(p + (size_t)(blockIdx.x * 256 + threadIdx.x) / 32 * 32 + (threadIdx.x & zero)); }
__global__ void at_per_block(unsigned* p, unsigned zero) { red1(p + blockIdx.x + (threadIdx.x & zero)); }
__global__ void at_distinct(unsigned* p) { red1(p + blockIdx.x * 256 + threadIdx.x); }
__global__ void at_random(unsigned* p, unsigned mask) { red1(p + (mix32(blockIdx.x * 256 + threadIdx.x) & mask)); }
__global__ void at_warp_aggregated(unsigned* p) {
  unsigned m = __activemask();
  if ((threadIdx.x & 31) == (unsigned)__ffs(m) - 1) red1(p, __popc(m));
}
__global__ void at_shared_then_global(unsigned* p, unsigned zero) {
  __shared__ unsigned s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  asm volatile("red.shared.add.u32 [%0], 1;" ::"r"((unsigned)__cvta_generic_to_shared(&s) + (threadIdx.x & zero)) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) red1(p, s);
}
__global__ void at_returning(unsigned* p, unsigned* sink, unsigned zero) {  // atom with the old value used
  unsigned v;
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(p + (threadIdx.x & zero)) : "memory");
  if (v == 0xffffffffu) *sink = v;
}

// ---------------------------------------------------------------- A7
template <int P>
__device__ __noinline__ unsigned path(unsigned x, int iters) {
  for (int i = 0; i < iters; i++) {
#pragma unroll
    for (int k = 0; k < 8; k++) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "n"(2 * P + 3), "n"(P * 7 + 1));
  }
  return x;
}
__global__ void diverge(int paths, int iters, unsigned* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i;
  switch ((threadIdx.x & 31) % paths) {
#define P1(n) case n: x = path<n>(x, iters); break;
#define P8(n) P1(n) P1(n + 1) P1(n + 2) P1(n + 3) P1(n + 4) P1(n + 5) P1(n + 6) P1(n + 7)
    P8(0) P8(8) P8(16) P8(24)
  }
  out[i] = x;
}

// ---------------------------------------------------------------- A8
__global__ void __launch_bounds__(64) gather_chain(const unsigned* __restrict__ next, unsigned* out, int hops) {
  unsigned i = mix32(blockIdx.x * 64 + threadIdx.x) & ((1u << 28) - 1);
  for (int h = 0; h < hops; h++) i = next[i];
  out[blockIdx.x * 64 + threadIdx.x] = i;
}
// The 32 lanes of a warp hop together from line to line (one coalesced 128-byte request per hop).
__global__ void __launch_bounds__(64) line_chain(const unsigned* __restrict__ next, unsigned* out, int hops, unsigned mask) {
  unsigned t = blockIdx.x * 64 + threadIdx.x, line = mix32(t / 32) & mask;
  for (int h = 0; h < hops; h++) line = next[(size_t)line * 32 + (threadIdx.x & 31)];
  out[t] = line;
}
__global__ void fill_lines(unsigned* p, unsigned mask) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < ((size_t)mask + 1) * 32; i += (size_t)gridDim.x * blockDim.x)
    p[i] = mix32((unsigned)(i / 32) ^ 0x5bd1e995u) & mask;
}
__global__ void fill_next(unsigned* p, unsigned mask) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i <= mask; i += gridDim.x * blockDim.x) p[i] = mix32(i ^ 0x5bd1e995u) & mask;
}
// 48 live values per thread, mixed for several rounds: lower register caps spill.
template <int MINB>
__global__ void __launch_bounds__(256, MINB) spilly(const float* __restrict__ in, float* __restrict__ out, int rounds) {
  size_t i = blockIdx.x * (size_t)256 + threadIdx.x, n = (size_t)gridDim.x * 256;
  float v[48];
#pragma unroll
  for (int k = 0; k < 48; k++) v[k] = in[i + k * n];
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < 48; k++) v[k] = v[k] * 0.5f + v[(k * 7 + 5) % 48] * 0.25f;
  }
#pragma unroll
  for (int k = 0; k < 48; k++) out[i + k * n] = v[k];
}

// ---------------------------------------------------------------- A9 bandwidth ceilings
__global__ void bw_read(const float4* __restrict__ in, size_t n4, int rounds, float* out) {
  float a = 0;
  for (int r = 0; r < rounds; r++)
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n4; i += (size_t)gridDim.x * blockDim.x) {
      float4 v;
      asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(in + i) : "memory");
      a += (v.x + v.y) + (v.z + v.w);
    }
  out[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = a;
}
__global__ void bw_l1(const float4* __restrict__ in, int n4, int rounds, float* out) {  // every block re-reads the same n4 vectors
  float a = 0;
  for (int r = 0; r < rounds; r++)
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
      float4 v;
      asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(in + i) : "memory");
      a += (v.x + v.y) + (v.z + v.w);
    }
  out[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = a;
}
__global__ void bw_write(float4* __restrict__ out, size_t n4, float f) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n4; i += (size_t)gridDim.x * blockDim.x) out[i] = make_float4(f, f, f, f);
}
__global__ void bw_copy(const float4* __restrict__ in, float4* __restrict__ out, size_t n4) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n4; i += (size_t)gridDim.x * blockDim.x) out[i] = in[i];
}
void a9(Suite& S) {
  size_t cap = (size_t)1 << 28;
  float *in = dfill(cap, 8), *out = dmalloc<float>(cap);
  auto add = [&](const std::string& v, J p, double bytes, std::function<void()> run, std::function<Check()> chk = {}) {
    Case c;
    c.section = "A9"; c.name = "bandwidth_ceiling"; c.variant = v; c.params = p.done(); c.bytes = bytes; c.run = run; c.check = chk;
    if (!S.profile) CK(cudaMemset(out, 0xff, cap * 4));
    S.run(c);
  };
  int threads = sm_count() * 8 * 256;
  for (size_t mb : {1, 2, 4, 8, 16, 24, 32, 40, 48, 64, 128, 1024}) {
    size_t n4 = (mb << 20) / 16;
    int rounds = (int)std::max<size_t>(1, 256 / mb);
    add("read_cg_" + std::to_string(mb) + "MB", J().num("footprint_bytes", mb << 20).num("rounds", rounds), (double)(mb << 20) * rounds,
        [=] { launch(bw_read, dim3(sm_count() * 8), dim3(256), 0, 0, (const float4*)in, n4, rounds, out); },
        [=] {
          auto g = download(out, threads);
          double s = 0, t = 0, m = 0;
          for (float x : g) s += x;
          for (size_t i = 0; i < n4 * 4; i++) { double v = hash_float(i, 8); t += v; m += std::fabs(v); }
          double e = std::fabs(s - t * rounds) / (m * rounds);
          return Check{e < 1e-5, e, "sum over threads vs CPU double, relative to sum of magnitudes"};
        });
  }
  for (int kb : {16, 64, 128})
    add("read_l1_" + std::to_string(kb) + "KB_per_block", J().num("footprint_bytes", kb << 10).num("rounds", 256).num("threads", 1024), (double)(kb << 10) * 256 * sm_count(),
        [=] { launch(bw_l1, dim3(sm_count()), dim3(1024), 0, 0, (const float4*)in, kb * 64, 256, out); },
        [=] {
          auto g = download(out, 1024);
          double s = 0, t = 0, m = 0;
          for (float x : g) s += x;
          for (int i = 0; i < kb * 256; i++) { double v = hash_float(i, 8); t += v; m += std::fabs(v); }
          double e = std::fabs(s - t * 256) / (m * 256);
          return Check{e < 1e-5, e, "sum over block 0 vs CPU double, relative to sum of magnitudes"};
        });
  for (size_t mb : {16, 64, 1024}) {
    size_t n4 = (mb << 20) / 16;
    add("write_" + std::to_string(mb) + "MB", J().num("footprint_bytes", mb << 20), (double)(mb << 20), [=] { launch(bw_write, dim3(sm_count() * 8), dim3(256), 0, 0, (float4*)out, n4, 3.5f); },
        [=] { auto g = download(out, n4 * 4); size_t bad = 0; for (float x : g) bad += x != 3.5f; return Check{bad == 0, (double)bad, "exact, every element"}; });
    add("copy_" + std::to_string(mb) + "MB", J().num("footprint_bytes_each", mb << 20), 2.0 * (mb << 20), [=] { launch(bw_copy, dim3(sm_count() * 8), dim3(256), 0, 0, (const float4*)in, (float4*)out, n4); },
        [=] { auto g = download(out, n4 * 4); size_t bad = 0; for (size_t i = 0; i < n4 * 4; i++) bad += g[i] != hash_float(i, 8); return Check{bad == 0, (double)bad, "exact, every element"}; });
  }
  CK(cudaFree(in)); CK(cudaFree(out));
}

template <class V, int EPT>
void a3(Suite& S, const float* in, float* out, size_t n, const char* vn) {
  auto* k = inc<V, EPT>;
  for (int occ : {8, 4, 2, 1}) {
    long sm = smem_for_blocks(k, 256, occ);
    if (sm < 0) continue;
    int per = sizeof(V) / 4;
    J p; p.num("n", n).str("vector", vn).num("vectors_per_thread", EPT).num("blocks_per_sm", occ)
          .num("bytes_in_flight_per_sm", occ * 256.0 * EPT * sizeof(V));
    Case c;
    c.section = "A3"; c.name = "bytes_in_flight"; c.params = p.done(); c.bytes = n * 8.0;
    c.variant = std::string(vn) + "_x" + std::to_string(EPT) + "_occ" + std::to_string(occ);
    c.run = [=] { launch(k, dim3(n / per / EPT / 256), dim3(256), sm, 0, (const V*)in, (V*)out); };
    c.check = [=] {
      auto g = download(out, n);
      double w = 0;
      for (size_t i = 0; i < n; i += 7) { double d = std::fabs(g[i] - (hash_float(i, 5) + 1.f)); if (!(d <= w)) w = std::isnan(d) ? 1e30 : d; }
      return Check{w == 0, w, "exact, every 7th element"};
    };
    if (!S.profile) CK(cudaMemset(out, 0xff, n * 4));
    S.run(c);
  }
}
template <class V>
void a3all(Suite& S, const float* in, float* out, size_t n, const char* vn) {
  a3<V, 1>(S, in, out, n, vn); a3<V, 2>(S, in, out, n, vn); a3<V, 4>(S, in, out, n, vn); a3<V, 8>(S, in, out, n, vn);
}
template <int MINB>
void spill_case(Suite& S, const float* in, float* out) {
  int blocks = sm_count() * 8;
  size_t n = (size_t)blocks * 256;
  J p; p.num("threads", n).num("values_per_thread", 48).num("rounds", 16).num("launch_bounds_min_blocks", MINB);
  Case c;
  c.section = "A8"; c.name = "launch_bounds_spill"; c.variant = "min_blocks_" + std::to_string(MINB); c.params = p.done();
  c.bytes = n * 48 * 8.0; c.flops = n * 48.0 * 16 * 3;
  c.run = [=] { launch(spilly<MINB>, dim3(blocks), dim3(256), 0, 0, in, out, 16); };
  c.check = [=] {
    auto g = download(out, n * 48);
    double w = 0;
    for (size_t i = 0; i < n; i += 997) {
      double v[48];
      for (int k = 0; k < 48; k++) v[k] = hash_float(i + k * n, 5);
      for (int r = 0; r < 16; r++) for (int k = 0; k < 48; k++) v[k] = v[k] * 0.5 + v[(k * 7 + 5) % 48] * 0.25;
      for (int k = 0; k < 48; k++) { double d = std::fabs(g[i + k * n] - v[k]); if (!(d <= w)) w = std::isnan(d) ? 1e30 : d; }
    }
    return Check{w < 1e-5, w, "max abs error vs CPU double, every 997th thread"};
  };
  if (!S.profile) CK(cudaMemset(out, 0xff, n * 48 * 4));
  S.run(c);
}

int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  Suite S("a_mem");
  a9(S);
  {
    size_t n = (size_t)1 << 26;
    float *in = dfill(n, 5), *out = dmalloc<float>(n);
    a3all<float>(S, in, out, n, "float");
    a3all<float2>(S, in, out, n, "float2");
    a3all<float4>(S, in, out, n, "float4");
    spill_case<1>(S, in, out); spill_case<2>(S, in, out); spill_case<3>(S, in, out); spill_case<4>(S, in, out);
    spill_case<5>(S, in, out); spill_case<6>(S, in, out); spill_case<8>(S, in, out);
    CK(cudaFree(in)); CK(cudaFree(out));
  }
  {
    size_t n = (size_t)1 << 24, big = n * 32 + 64;
    // 32 bits of address are enough for one that is read or written in strides.
#ifdef ONE_AT_A_TIME
    float *in = dfill(big, 6), *out = dmalloc<float>(n + 64);
#else
    float *in = dfill(big, 6), *out = dmalloc<float>(big);
#endif
    auto add = [&](const char* var, J p, double bytes, std::function<void()> run, std::function<size_t(size_t)> src, std::function<size_t(size_t)> dst, float plus = 0) {
      Case c;
      c.section = "A4"; c.name = "access_pattern"; c.variant = var; c.params = p.num("n", n).done(); c.bytes = bytes; c.run = run;
      c.check = [&] {
        double w = 0;
        size_t top = dst(n - 1) + 1;
        auto g = download(out, top);
        for (size_t i = 0; i < n; i += 3) { double d = std::fabs(g[dst(i)] - (hash_float(src(i), 6) + plus)); if (!(d <= w)) w = std::isnan(d) ? 1e30 : d; }
        return Check{w == 0, w, "exact, every 3rd element"};
      };
      if (!S.profile) CK(cudaMemset(out, 0xff, big * 4));
      S.run(c);
    };
    auto id = [](size_t i) { return i; };
    dim3 g(n / 256), b(256);
    for (int k : {0, 1, 2, 4, 8, 16, 24, 31, 32})
      add(("load_offset_" + std::to_string(k)).c_str(), J().num("offset_floats", k), n * 8.0,
          [&, k] { launch(acc_load_offset, g, b, 0, 0, in, out, k); }, [k](size_t i) { return i + k; }, id);
    for (int k : {1, 8, 16})
      add(("store_offset_" + std::to_string(k)).c_str(), J().num("offset_floats", k), n * 8.0,
          [&, k] { launch(acc_store_offset, g, b, 0, 0, in, out, k); }, id, [k](size_t i) { return i + k; });
    for (int s : {1, 2, 4, 8, 16, 32})
      add(("load_stride_" + std::to_string(s)).c_str(), J().num("stride_floats", s), n * 8.0,
          [&, s] { launch(acc_load_stride, g, b, 0, 0, in, out, s); }, [s](size_t i) { return i * s; }, id);
    add("same_address_all", J(), n * 4.0, [&] { launch(acc_same_address, g, b, 0, 0, in, out, 0u); }, [](size_t) { return (size_t)0; }, id, 1.f);
    add("warp_broadcast", J(), n * 4.125, [&] { launch(acc_warp_broadcast, g, b, 0, 0, in, out); }, [](size_t i) { return i >> 5; }, id);
    add("warp_permuted", J(), n * 8.0, [&] { launch(acc_warp_permuted, g, b, 0, 0, in, out); }, [](size_t i) { return (size_t)perm_lane((unsigned)i); }, id);
    for (int lg : {20, 22, 24, 26, 28}) {
      unsigned m = (1u << lg) - 1;
      add(("random_gather_2pow" + std::to_string(lg)).c_str(), J().num("window_bytes", 4.0 * (m + 1.0)), n * 8.0,
          [&, m] { launch(acc_random, g, b, 0, 0, in, out, m); }, [m](size_t i) { return (size_t)(mix32((unsigned)i) & m); }, id);
    }
#ifdef ONE_AT_A_TIME
    CK(cudaFree(in)); CK(cudaFree(out));
    in = dfill(n, 6); out = dmalloc<float>(big);
#endif
    for (int s : {2, 8, 32})
      add(("store_stride_" + std::to_string(s)).c_str(), J().num("stride_floats", s), n * 8.0,
          [&, s] { launch(acc_store_stride, g, b, 0, 0, in, out, s); }, id, [s](size_t i) { return i * s; });
    CK(cudaFree(in)); CK(cudaFree(out));
  }
  {
    unsigned* out = dmalloc<unsigned>(132 * 1024);
    long long* cyc = dmalloc<long long>(1024);
    for (int threads : {32, 256, 1024}) {
      auto addc = [&](std::string var, J p, int per_iter, std::function<void(int)> run, std::function<unsigned(int, int)> want, unsigned slack = 0) {
        Case c;
        int iters = 256, blocks = sm_count();
        double acc = (double)iters * per_iter * (threads / 32);  // warp-level accesses per SM
        c.section = "A5"; c.name = "shared_bank_conflict"; c.variant = var + "_t" + std::to_string(threads);
        c.params = p.num("threads_per_block", threads).num("iters", iters).num("warp_accesses_per_sm", acc).done();
        c.run = [=] { run(iters); };
        c.ops = acc * 32 * blocks;
        c.check = [=] {
          auto g = download(out, (size_t)blocks * threads);
          double bad = 0;
          for (size_t i = 0; i < g.size(); i++) bad += g[i] - want((int)(i % threads) & 31, iters) > slack;
          return Check{bad == 0, bad, slack ? "every thread: one of the last round's values" : "exact, every thread vs CPU"};
        };
        c.extra = [=] {
          auto q = download(cyc, blocks);
          std::vector<double> v(q.begin(), q.end());
          J j; j.num("cycles_per_warp_access_one_warp_view", quant(v, .5) / (iters * (double)per_iter));
          j.num("cycles_per_warp_access_sm_throughput", quant(v, .5) / acc);
          return j.done();
        };
        S.run(c);
      };
      for (int s : {0, 1, 2, 4, 8, 16, 32}) {
        addc((s ? "load_" + std::to_string(s) + "way" : std::string("load_broadcast")), J().num("stride_words", s).num("conflict_degree", s ? s : 1), 16,
             [=](int it) { launch(bank_stride, dim3(sm_count()), dim3(threads), 0, 0, s, it, out, cyc); },
             [=](int l, int it) { unsigned a = 0; for (int k = 0; k < 16; k++) a += (unsigned)(((l * s) & 1023) + k) * 2654435761u; return a * (unsigned)it; });
        if (s > 0)
          addc("store_" + std::to_string(s) + "way", J().num("stride_words", s).num("conflict_degree", s), 16,
               [=](int it) { launch(bank_stride_store, dim3(sm_count()), dim3(threads), 0, 0, s, it, out, cyc); },
               [=](int, int it) { return (unsigned)(it - 1); }, 15u);
      }
      auto col = [](int l, int it) { unsigned a = 0; for (int c = 0; c < 32; c++) a += (unsigned)(l * 32 + c) * 2654435761u * (c + 1); return a * (unsigned)it; };
      addc("column_32x32", J(), 32, [=](int it) { launch(bank_column<0>, dim3(sm_count()), dim3(threads), 0, 0, it, out, cyc); }, col);
      addc("column_32x33_padded", J(), 32, [=](int it) { launch(bank_column<1>, dim3(sm_count()), dim3(threads), 0, 0, it, out, cyc); }, col);
      addc("column_xor_swizzle", J(), 32, [=](int it) { launch(bank_column<2>, dim3(sm_count()), dim3(threads), 0, 0, it, out, cyc); }, col);
    }
    CK(cudaFree(out)); CK(cudaFree(cyc));
  }
  {
    size_t n = 1 << 22;
    unsigned *p = dmalloc<unsigned>(n), *sink = dmalloc<unsigned>(1);
    dim3 g(n / 256), b(256);
    auto add = [&](const char* var, size_t slots, std::function<void()> run) {
      Case c;
      c.section = "A6"; c.name = "global_atomics"; c.variant = var; c.params = J().num("threads", n).num("distinct_addresses", slots).done();
      c.ops = n; c.run = run;
      c.prep = [&] { CK(cudaMemsetAsync(p, 0, n * 4)); };
      c.check = [&] {
        auto h = download(p, n);
        double s = 0;
        for (auto v : h) s += v;
        return Check{s == (double)n, std::fabs(s - n), "sum of all counters equals thread count"};
      };
      S.run(c);
    };
    add("same_address_plain_atomicAdd", 1, [&] { launch(at_plain, g, b, 0, 0, p); });
    add("same_address_atomicAdd_opaque_address", 1, [&] { launch(at_plain_opaque, g, b, 0, 0, p, 0u); });
    add("same_address_per_lane_red", 1, [&] { launch(at_same, g, b, 0, 0, p, 0u); });
    add("same_address_returning_atom", 1, [&] { launch(at_returning, g, b, 0, 0, p, sink, 0u); });
    add("per_warp_address", n / 32, [&] { launch(at_per_warp, g, b, 0, 0, p, 0u); });
    add("per_warp_own_line", n / 32, [&] { launch(at_per_warp_line, g, b, 0, 0, p, 0u); });
    add("per_block_address", n / 256, [&] { launch(at_per_block, g, b, 0, 0, p, 0u); });
    add("distinct_addresses", n, [&] { launch(at_distinct, g, b, 0, 0, p); });
    for (int lg : {4, 8, 12, 16, 20})
      add(("random_2pow" + std::to_string(lg) + "_addresses").c_str(), (size_t)1 << lg, [&, lg] { launch(at_random, g, b, 0, 0, p, (1u << lg) - 1); });
    add("warp_aggregated", 1, [&] { launch(at_warp_aggregated, g, b, 0, 0, p); });
    add("shared_then_one_global", 1, [&] { launch(at_shared_then_global, g, b, 0, 0, p, 0u); });
    CK(cudaFree(p)); CK(cudaFree(sink));
  }
  {
    size_t n = (size_t)sm_count() * 4 * 256;
    unsigned* out = dmalloc<unsigned>(n);
    for (int paths : {1, 2, 4, 8, 16, 32}) {
      int iters = 64;
      Case c;
      c.section = "A7"; c.name = "divergence"; c.variant = "paths_" + std::to_string(paths);
      c.params = J().num("paths", paths).num("threads", n).num("mad_per_path", iters * 8).done();
      c.ops = (double)n * iters * 8;
      c.run = [=] { launch(diverge, dim3(n / 256), dim3(256), 0, 0, paths, iters, out); };
      c.check = [=] {
        auto g = download(out, n);
        double bad = 0;
        for (size_t i = 0; i < n; i++) {
          unsigned P = (i & 31) % paths, x = (unsigned)i;
          for (int k = 0; k < iters * 8; k++) x = x * (2 * P + 3) + (P * 7 + 1);
          bad += g[i] != x;
        }
        return Check{bad == 0, bad, "exact, every thread vs CPU"};
      };
      S.run(c);
    }
    CK(cudaFree(out));
  }
  {
    unsigned mask = (1u << 28) - 1;  // 1 GiB table
    unsigned* tab = dmalloc<unsigned>((size_t)mask + 1);
    fill_next<<<1056, 256>>>(tab, mask);
    CK(cudaDeviceSynchronize());
    size_t blocks = (size_t)sm_count() * 32 * 2, n = blocks * 64;
    unsigned* out = dmalloc<unsigned>(n);
    for (int k : {1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32}) {
      long sm = smem_for_blocks(gather_chain, 64, k);
      if (sm < 0) continue;
      int hops = 16;
      Case c;
      c.section = "A8"; c.name = "occupancy_gather_chain"; c.variant = "blocks_per_sm_" + std::to_string(k);
      c.params = J().num("blocks_per_sm", k).num("hops", hops).num("threads", n).num("table_bytes", (mask + 1.0) * 4).done();
      c.bytes = (double)n * hops * 4; c.ops = (double)n * hops;
      c.run = [=] { launch(gather_chain, dim3(blocks), dim3(64), sm, 0, tab, out, hops); };
      c.check = [=] {
        auto g = download(out, n);
        double bad = 0;
        for (size_t i = 0; i < n; i++) {
          unsigned x = mix32((unsigned)i) & mask;
          for (int h = 0; h < hops; h++) x = mix32(x ^ 0x5bd1e995u) & mask;
          bad += g[i] != x;
        }
        return Check{bad == 0, bad, "exact, every thread vs CPU"};
      };
      S.run(c);
    }
    char* flush = dmalloc<char>((size_t)256 << 20);
    for (int lg : {16, 23}) {  // 8 MiB (L2) and 1 GiB (DRAM, L2 flushed before every repetition) of lines
      unsigned lm = (1u << lg) - 1;
      fill_lines<<<1056, 256>>>(tab, lm);
      CK(cudaDeviceSynchronize());
      for (int k : {1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32}) {
        long sm = smem_for_blocks(line_chain, 64, k);
        if (sm < 0) continue;
        int hops = 16;
        Case c;
        c.section = "A8"; c.name = lg == 16 ? "occupancy_line_chain_l2" : "occupancy_line_chain_dram"; c.variant = "blocks_per_sm_" + std::to_string(k);
        c.params = J().num("blocks_per_sm", k).num("warps_per_sm", 2 * k).num("hops", hops).num("threads", n).num("table_bytes", (lm + 1.0) * 128).done();
        c.bytes = (double)n * hops * 4; c.ops = (double)n / 32 * hops;
        if (lg == 23) { c.prep = [=] { CK(cudaMemsetAsync(flush, 1, (size_t)256 << 20)); }; c.batch = false; }
        c.run = [=] { launch(line_chain, dim3(blocks), dim3(64), sm, 0, tab, out, hops, lm); };
        c.check = [=] {
          auto g = download(out, n);
          double bad = 0;
          for (size_t i = 0; i < n; i++) {
            unsigned x = mix32((unsigned)(i / 32)) & lm;
            for (int h = 0; h < hops; h++) x = mix32(x ^ 0x5bd1e995u) & lm;
            bad += g[i] != x;
          }
          return Check{bad == 0, bad, "exact, every thread vs CPU"};
        };
        S.run(c);
      }
    }
    CK(cudaFree(flush)); CK(cudaFree(tab)); CK(cudaFree(out));
  }
  return S.finish(dir);
}
