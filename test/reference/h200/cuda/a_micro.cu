// A1 latencies in SM cycles, A2 issue rates per SM per cycle. Numbers come from clock64 inside the kernels.
#include <cuda_fp16.h>
#include "common.cuh"

// Sizes for simulations, and MICRO_LATENCIES_ONLY for A1 alone, which compiles sooner; what was measured had the defaults.
#ifndef MICRO_REPETITIONS
#define MICRO_REPETITIONS 22
#endif
#ifndef MICRO_ITERATIONS
#define MICRO_ITERATIONS 128
#endif
#ifndef MICRO_LARGEST_MB
#define MICRO_LARGEST_MB 4096
#endif

// One dependent step per operation; asm volatile keeps every step in the instruction stream.
struct FAdd { using T = float; static __device__ void f(T& x, T a, T b) { asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a)); } };
struct FMul { using T = float; static __device__ void f(T& x, T a, T b) { asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a)); } };
struct FFma { using T = float; static __device__ void f(T& x, T a, T b) { asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b)); } };
struct HFma2 { using T = unsigned; static __device__ void f(T& x, T a, T b) { asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)); } };
// two PTX adds per step: ptxas turns each pair into one three-input IADD3
struct IAdd3 { using T = unsigned; static __device__ void f(T& x, T a, T b) { asm volatile("{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}" : "+r"(x) : "r"(a), "r"(b)); } };
struct IMad { using T = unsigned; static __device__ void f(T& x, T a, T b) { asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)); } };
struct Lop3 { using T = unsigned; static __device__ void f(T& x, T a, T b) { asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(x) : "r"(a), "r"(b)); } };
struct Shf { using T = unsigned; static __device__ void f(T& x, T a, T b) { asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)); } };
struct Popc { using T = unsigned; static __device__ void f(T& x, T a, T b) { asm volatile("popc.b32 %0, %0;" : "+r"(x)); } };
struct Rsq { using T = float; static __device__ void f(T& x, T a, T b) { asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x)); } };
struct Ex2 { using T = float; static __device__ void f(T& x, T a, T b) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)); } };
struct DFma { using T = double; static __device__ void f(T& x, T a, T b) { asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b)); } };
struct DAdd { using T = double; static __device__ void f(T& x, T a, T b) { asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(x) : "d"(a)); } };
struct Shfl { using T = unsigned; static __device__ void f(T& x, T a, T b) { asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(x)); } };
struct Lds { using T = unsigned; static __device__ void f(T& x, T a, T b) { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x)); } };
// volatile: otherwise ptxas narrows the load to the one word that is used
struct Lds128 { using T = unsigned; static __device__ void f(T& x, T a, T b) { asm volatile("{.reg .u32 p,q,r; ld.volatile.shared.v4.u32 {%0,p,q,r}, [%0];}" : "+r"(x)); } };
struct Vote { using T = unsigned; static __device__ void f(T& x, T a, T b) { asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, 0xffffffff;}" : "+r"(x)); } };

__shared__ unsigned sh_chain[4096];  // 16 KB; word at byte address p holds p itself (self pointers)
__device__ void init_chain() {
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) sh_chain[k] = (unsigned)__cvta_generic_to_shared(sh_chain + (k & ~3));
  __syncthreads();
}
template <class Op> __device__ typename Op::T seed(typename Op::T v, int i) { return v + (typename Op::T)(i + threadIdx.x); }  // differs per lane: nothing is warp-uniform
template <> __device__ unsigned seed<Lds>(unsigned, int i) { return (unsigned)__cvta_generic_to_shared(sh_chain) + ((threadIdx.x * 4 + i * 128) & 16383 & ~3u); }
template <> __device__ unsigned seed<Lds128>(unsigned, int i) { return (unsigned)__cvta_generic_to_shared(sh_chain) + ((threadIdx.x * 16 + i * 512) & 16383); }

template <class Op, int N>
__device__ __forceinline__ long long timed(typename Op::T& x, typename Op::T a, typename Op::T b) {
  long long t0 = clock64();
#pragma unroll
  for (int k = 0; k < N; k++) Op::f(x, a, b);
  // the final value is consumed before the second clock read
  if constexpr (sizeof(typename Op::T) == 8) asm volatile("" ::"d"((double)x));
  typename Op::T y = x;
  asm volatile("" : "+r"(*(unsigned*)&y));
  long long t1;
  if constexpr (sizeof(typename Op::T) == 8) {
    unsigned lo = __double2loint((double)y);
    asm volatile("{.reg .u32 z; xor.b32 z, %1, %1; .reg .u64 w; cvt.u64.u32 w, z; mov.u64 %0, %%clock64; add.u64 %0, %0, w;}" : "=l"(t1) : "r"(lo));
  } else {
    t1 = clock64();
  }
  return t1 - t0;
}
// Latency by difference: (cycles of 2N steps - cycles of N steps) / N, minimum over passes.
template <class Op>
__global__ void lat(typename Op::T v, typename Op::T a, typename Op::T b, long long* out, typename Op::T* sink) {
  init_chain();
  using T = typename Op::T;
  T x = seed<Op>(v, 0);
  long long m1 = 1 << 30, m2 = 1 << 30;
#pragma unroll 1
  for (int p = 0; p < 8; p++) {
    long long c1 = timed<Op, 128>(x, a, b);
    long long c2 = timed<Op, 256>(x, a, b);
    if (p > 1) { m1 = min(m1, c1); m2 = min(m2, c2); }
  }
  sink[threadIdx.x] = x;
  if (threadIdx.x == 0) { out[0] = m1; out[1] = m2; }
}
// Rate: each SM's first start and last end over all its warps.
template <class Op, int ILP, int UN>
__global__ void rate(typename Op::T v, typename Op::T a, typename Op::T b, int iters, unsigned long long* st, unsigned long long* en, unsigned* warps, typename Op::T* sink) {
  init_chain();
  using T = typename Op::T;
  T x[ILP];
#pragma unroll
  for (int i = 0; i < ILP; i++) x[i] = seed<Op>(v, i);
  __syncthreads();
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  long long t0 = clock64();
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int u = 0; u < UN / ILP; u++)
#pragma unroll
      for (int i = 0; i < ILP; i++) Op::f(x[i], a, b);
  }
  T s = x[0];
#pragma unroll
  for (int i = 1; i < ILP; i++) s += x[i];
  sink[blockIdx.x * blockDim.x + threadIdx.x] = s;
  long long t1 = clock64();
  if (threadIdx.x % 32 == 0) {
    atomicMin(st + sm, (unsigned long long)t0);
    atomicMax(en + sm, (unsigned long long)t1);
    atomicAdd(warps + sm, 1u);
  }
}
// Tensor-core m16n8k16 (half in, float accumulate).
template <int ILP>
__global__ void mma_rate(int iters, unsigned long long* st, unsigned long long* en, unsigned* warps, float* sink) {
  float c[ILP][4] = {};
  unsigned a[4], b[2];
  for (int i = 0; i < 4; i++) a[i] = 0x3c003c00u + threadIdx.x;
  for (int i = 0; i < 2; i++) b[i] = 0x2c002c00u + threadIdx.x;
  __syncthreads();
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  long long t0 = clock64();
#pragma unroll 1
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int u = 0; u < 32 / ILP; u++)
#pragma unroll
      for (int i = 0; i < ILP; i++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  float s = 0;
  for (int i = 0; i < ILP; i++) s += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  sink[blockIdx.x * blockDim.x + threadIdx.x] = s;
  long long t1 = clock64();
  if (threadIdx.x % 32 == 0) {
    atomicMin(st + sm, (unsigned long long)t0);
    atomicMax(en + sm, (unsigned long long)t1);
    atomicAdd(warps + sm, 1u);
  }
}

// ---------------------------------------------------------------- memory latencies
__global__ void build_chain(char* base, const unsigned long long* off, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    *(unsigned long long*)(base + off[i]) = (unsigned long long)(base + off[i + 1 == n ? 0 : i + 1]);
}
template <int KIND>  // 0 ld.ca (L1), 1 ld.cg (L2 and beyond)
__global__ void chase(unsigned long long p, int warm, int steps, long long* out, unsigned long long* sink) {
  for (int i = 0; i < warm; i++) {
    if (KIND == 0) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
    else asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
  }
  long long t0 = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; i++) {
    if (KIND == 0) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
    else asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
  }
  if (p == 1) *sink = p;
  long long t1 = clock64();
  out[0] = t1 - t0;
  *sink = p;
}
__global__ void touch(const uint4* p, size_t n, unsigned* sink) {
  unsigned a = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p + i));
    a += v.x ^ v.w;
  }
  if (a == 0x12345677u) *sink = a;
}
__constant__ unsigned c_chain[1024];
__global__ void const_lat(int words, long long* out, unsigned* sink) {
  unsigned o = 0;
  for (int i = 0; i < words * 2; i++) o = *(const unsigned*)((const char*)c_chain + o);
  long long t0 = clock64();
#pragma unroll 64
  for (int i = 0; i < 1024; i++) o = *(const unsigned*)((const char*)c_chain + o);
  *(volatile unsigned*)sink = o;
  long long t1 = clock64();
  out[0] = t1 - t0;
}
__global__ void barrier_cost(long long* out) {
  __syncthreads();
  long long t0 = clock64();
#pragma unroll 32
  for (int i = 0; i < 256; i++) asm volatile("bar.sync 0;" ::: "memory");
  long long t1 = clock64();
  if (threadIdx.x == 0) out[0] = t1 - t0;
}
__global__ void syncwarp_cost(long long* out) {
  long long t0 = clock64();
#pragma unroll 32
  for (int i = 0; i < 256; i++) asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  long long t1 = clock64();
  if (threadIdx.x == 0) out[0] = t1 - t0;
}
// One lane, one line at a time: L2 load and L2 atomic latency per line (spread over slices and partitions), from SM `want`.
__global__ void line_lat(char* base, int lines, int stride, unsigned want, float* ld, float* at) {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm != want) return;
  for (int i = 0; i < lines; i++) {
    unsigned long long a0 = (unsigned long long)(base + (size_t)i * stride), p = a0;
    *(volatile unsigned long long*)a0 = a0;
    __threadfence();
    for (int k = 0; k < 4; k++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
    long long t0 = clock64();
#pragma unroll
    for (int k = 0; k < 32; k++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
    if (p == 1) ld[0] = 0;
    long long t1 = clock64();
    unsigned v = 0;
    unsigned* g = (unsigned*)(p + 64);
    for (int k = 0; k < 4; k++) asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(g), "r"(v & 1) : "memory");
    long long t2 = clock64();
#pragma unroll
    for (int k = 0; k < 32; k++) asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(g), "r"(v & 1) : "memory");
    if (v == 12345) ld[0] = 0;
    long long t3 = clock64();
    ld[i] = (t1 - t0) / 32.f;
    at[i] = (t3 - t2) / 32.f;
  }
}
template <int SPACE, int RET>  // 0 shared, 1 global; every active lane hits one address
__global__ void atomic_lat(unsigned* g, long long* out, unsigned* sink, unsigned zero) {  // zero == 0, hides uniformity from ptxas
  __shared__ unsigned s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  unsigned v = 0, sa = (unsigned)__cvta_generic_to_shared(&s) + (threadIdx.x & zero);
  g += threadIdx.x & zero;
  long long t0 = clock64();
#pragma unroll 16
  for (int i = 0; i < 256; i++) {
    unsigned add = RET ? (v & 1) : 1;  // the result feeds the next operand
    if (SPACE == 0) asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(sa), "r"(add) : "memory");
    else asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(g), "r"(add) : "memory");
  }
  *(volatile unsigned*)(sink + threadIdx.x) = v;
  long long t1 = clock64();
  if (threadIdx.x == 0) out[0] = t1 - t0;
}

struct Bench {
  Suite& S;
  long long* out;
  unsigned long long *st, *en;
  unsigned* warps;
  void* sink;
  explicit Bench(Suite& s) : S(s) {
    out = dmalloc<long long>(16);
    st = dmalloc<unsigned long long>(256);
    en = dmalloc<unsigned long long>(256);
    warps = dmalloc<unsigned>(256);
    sink = dmalloc<double>(132 * 2048);
  }
  void lat_rec(const char* name, J p, std::vector<double> cyc, const char* unit = "cycles") {
    J j;
    j.str("section", "A1").str("name", "latency").str("variant", name).raw("params", p.done());
    j.raw(unit, jstats(cyc));
    S.add(j);
    fprintf(stderr, "A1 %-34s %9.2f %s  (iqr %.2f)\n", name, quant(cyc, .5), unit, quant(cyc, .75) - quant(cyc, .25));
  }
  template <class Op>
  void latency(const char* name, typename Op::T v, typename Op::T a, typename Op::T b) {
    std::vector<double> c;
    for (int r = 0; r < MICRO_REPETITIONS; r++) {
      lat<Op><<<1, 32>>>(v, a, b, out, (typename Op::T*)sink);
      CK(cudaGetLastError());
      auto h = download(out, 2);
      if (r > 1) c.push_back((h[1] - h[0]) / 128.0);
    }
    lat_rec(name, J().num("threads", 32).str("method", "(cycles of 256 dependent steps - cycles of 128) / 128"), c);
  }
  template <class F>
  double measure(F go, int blocks, double ops_per_warp, std::vector<double>* all = nullptr) {
    std::vector<double> med;
    for (int r = 0; r < MICRO_REPETITIONS; r++) {
      CK(cudaMemset(st, 0xff, 256 * 8)); CK(cudaMemset(en, 0, 256 * 8)); CK(cudaMemset(warps, 0, 256 * 4));
      go();
      CK(cudaGetLastError());
      CK(cudaDeviceSynchronize());
      auto s = download(st, 256), e = download(en, 256);
      auto w = download(warps, 256);
      std::vector<double> v;
      for (int k = 0; k < 256; k++) if (w[k]) v.push_back(w[k] * ops_per_warp / (double)(e[k] - s[k]));
      if (r > 1) med.push_back(quant(v, .5));
    }
    if (all) *all = med;
    return quant(med, .5);
  }
  void rate_rec(const char* name, int warps_sm, int ilp, const std::vector<double>& v, const char* unit) {
    J j;
    j.str("section", "A2").str("name", "throughput").str("variant", name);
    j.raw("params", J().num("warps_per_sm", warps_sm).num("ilp", ilp).done()).raw(unit, jstats(v));
    S.add(j);
  }
  template <class Op, int ILP>
  double throughput(const char* name, int wsm, typename Op::T v, typename Op::T a, typename Op::T b, int iters = MICRO_ITERATIONS) {
    int blocks = sm_count() * (wsm > 32 ? 2 : 1), thr = (wsm > 32 ? wsm / 2 : wsm) * 32;
    constexpr int UN = 128;
    std::vector<double> all;
    double r = measure([&] { rate<Op, ILP, UN><<<blocks, thr>>>(v, a, b, iters, st, en, warps, (typename Op::T*)sink); }, blocks, (double)iters * UN * 32, &all);
    rate_rec(name, wsm, ILP, all, "lane_ops_per_cycle_per_sm");
    return r;
  }
  template <class Op>
  void peak(const char* name, typename Op::T v, typename Op::T a, typename Op::T b) {
    double r1 = throughput<Op, 4>(name, 32, v, a, b), r2 = throughput<Op, 2>(name, 64, v, a, b), r3 = throughput<Op, 1>(name, 64, v, a, b);
    fprintf(stderr, "A2 %-14s lane-ops/cycle/SM: 32w x ILP4 %7.2f   64w x ILP2 %7.2f   64w x ILP1 %7.2f\n", name, r1, r2, r3);
  }
};

int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  Suite S("a_micro");
  if (S.profile) return S.finish(dir);
  Bench B(S);
  auto wants = [&](const char* section) { return S.only == nullptr || strcmp(S.only, section) == 0; };
  if (wants("A1")) {
  B.latency<FAdd>("fadd", 1.f, 1e-3f, 0.f);
  B.latency<FMul>("fmul", 1.f, 1.0001f, 0.f);
  B.latency<FFma>("ffma", 1.f, 0.999f, 1e-3f);
  B.latency<HFma2>("hfma2", 0x3c003c00u, 0x3bff3bffu, 0x10001000u);
  B.latency<IAdd3>("iadd3", 1u, 3u, 5u);
  B.latency<IMad>("imad", 1u, 3u, 5u);
  B.latency<Lop3>("lop3", 1u, 3u, 5u);
  B.latency<Shf>("shf", 1u, 3u, 5u);
  B.latency<Popc>("popc", 77u, 0u, 0u);
  B.latency<Rsq>("mufu_rsq", 1.7f, 0.f, 0.f);
  B.latency<Ex2>("mufu_ex2", 0.3f, 0.f, 0.f);
  B.latency<DFma>("dfma", 1.0, 0.999, 1e-3);
  B.latency<DAdd>("dadd", 1.0, 0.5, 0.0);
  B.latency<Shfl>("shfl_bfly", 1u, 0u, 0u);
  B.latency<Vote>("setp_plus_ballot", 1u, 0u, 0u);
  B.latency<Lds>("lds32", 0u, 0u, 0u);
  B.latency<Lds128>("lds128", 0u, 0u, 0u);
  {  // constant memory
    for (int words : {16, 64, 256, 512}) {
      std::vector<unsigned> h(1024);
      for (int i = 0; i < words; i++) h[i] = ((i * 5 + 1) % words) * 4;
      CK(cudaMemcpyToSymbol(c_chain, h.data(), 4096));
      std::vector<double> c;
      for (int r = 0; r < MICRO_REPETITIONS; r++) {
        const_lat<<<1, 32>>>(words, B.out, (unsigned*)B.sink);
        CK(cudaGetLastError());
        auto q = download(B.out, 1);
        if (r > 1) c.push_back(q[0] / 1024.0);
      }
      B.lat_rec(("constant_load_hit_" + std::to_string(words * 4) + "B").c_str(), J().num("footprint_bytes", words * 4).num("steps", 1024), c);
    }
  }
  for (int t : {32, 64, 128, 256, 512, 768, 1024}) {
    std::vector<double> c, d;
    for (int r = 0; r < MICRO_REPETITIONS; r++) {
      barrier_cost<<<1, t>>>(B.out);
      CK(cudaGetLastError());
      auto q = download(B.out, 1);
      if (r > 1) c.push_back(q[0] / 256.0);
    }
    B.lat_rec(("syncthreads_" + std::to_string(t)).c_str(), J().num("threads", t).num("barriers", 256), c);
  }
  {
    std::vector<double> c;
    for (int r = 0; r < MICRO_REPETITIONS; r++) {
      syncwarp_cost<<<1, 32>>>(B.out);
      CK(cudaGetLastError());
      auto q = download(B.out, 1);
      if (r > 1) c.push_back(q[0] / 256.0);
    }
    B.lat_rec("syncwarp", J().num("threads", 32), c);
  }
  {
    unsigned* g = dmalloc<unsigned>(32);
    CK(cudaMemset(g, 0, 128));
    for (int lanes : {1, 2, 4, 8, 16, 32}) {
      std::vector<double> s, q;
      for (int r = 0; r < MICRO_REPETITIONS; r++) {
        atomic_lat<0, 1><<<1, lanes>>>(g, B.out, (unsigned*)B.sink, 0u);
        CK(cudaGetLastError());
        double a = download(B.out, 1)[0] / 256.0;
        atomic_lat<1, 1><<<1, lanes>>>(g, B.out, (unsigned*)B.sink, 0u);
        CK(cudaGetLastError());
        double b = download(B.out, 1)[0] / 256.0;
        if (r > 1) { s.push_back(a); q.push_back(b); }
      }
      B.lat_rec(("atom_shared_same_address_" + std::to_string(lanes) + "lanes").c_str(), J().num("lanes", lanes), s);
      B.lat_rec(("atom_global_same_address_" + std::to_string(lanes) + "lanes").c_str(), J().num("lanes", lanes), q);
    }
    CK(cudaFree(g));
  }
  {  // L2 latency per line from three SMs
    char* buf;
    const int lines = 512, stride = 4096;
    CK(cudaMalloc(&buf, (size_t)lines * stride));
    CK(cudaMemset(buf, 0, (size_t)lines * stride));
    float *ld = dmalloc<float>(lines), *at = dmalloc<float>(lines);
    for (unsigned sm : {0u, 1u, 65u, 131u}) {
      line_lat<<<sm_count(), 1>>>(buf, lines, stride, sm, ld, at);
      CK(cudaGetLastError());
      line_lat<<<sm_count(), 1>>>(buf, lines, stride, sm, ld, at);
      auto a = download(ld, lines), b = download(at, lines);
      std::vector<double> va(a.begin(), a.end()), vb(b.begin(), b.end());
      auto hist = [](const std::vector<double>& v) {
        std::map<int, int> h;
        for (double x : v) h[(int)(x / 10) * 10]++;
        std::vector<std::string> e;
        for (auto& q : h) e.push_back("[" + std::to_string(q.first) + "," + std::to_string(q.second) + "]");
        return jarr(e);
      };
      auto rec = [&](const char* nm, const std::vector<double>& v) {
        J j;
        j.str("section", "A1").str("name", "latency").str("variant", std::string(nm) + "_from_sm" + std::to_string(sm));
        j.raw("params", J().num("lines", lines).num("line_stride_bytes", stride).num("smid", sm).done()).raw("cycles", jstats(v));
        j.raw("extra", J().raw("histogram_10_cycle_bins", hist(v)).done());
        S.add(j);
        fprintf(stderr, "A1 %s sm%u median %.1f min %.1f max %.1f hist %s\n", nm, sm, quant(v, .5), quant(v, 0), quant(v, 1), hist(v).c_str());
      };
      rec("l2_hit_per_line", va);
      rec("l2_atomic_per_line", vb);
    }
    CK(cudaFree(buf)); CK(cudaFree(ld)); CK(cudaFree(at));
  }
  {  // pointer chases
    size_t cap = (size_t)MICRO_LARGEST_MB << 20;
    char* buf;
    CK(cudaMalloc(&buf, cap));
    size_t flush_n = (size_t)256 << 20;
    char* flush;
    CK(cudaMalloc(&flush, flush_n));
    unsigned long long *off = dmalloc<unsigned long long>(1 << 17), *snk = dmalloc<unsigned long long>(4);
    auto go = [&](const char* name, size_t ws, size_t line, int steps, int kind, bool warm) {
      size_t lines = ws / line;
      int n = (int)std::min<size_t>(lines, 16384);
      std::vector<unsigned long long> o(n);
      Rng r(7);
      if (lines <= 131072) {
        std::vector<unsigned> idx(lines);
        for (size_t i = 0; i < lines; i++) idx[i] = i;
        for (size_t i = lines - 1; i > 0; i--) std::swap(idx[i], idx[((uint64_t)r.u32() * (i + 1)) >> 32]);
        for (int i = 0; i < n; i++) o[i] = (unsigned long long)idx[i] * line;
      } else {  // distinct by construction: one random line in each of n equal slices, slices shuffled
        size_t per = lines / n;
        for (int i = 0; i < n; i++) o[i] = (i * per + (((uint64_t)r.u32() * per) >> 32)) * line;
        for (int i = n - 1; i > 0; i--) std::swap(o[i], o[((uint64_t)r.u32() * (i + 1)) >> 32]);
      }
      CK(cudaMemcpy(off, o.data(), n * 8, cudaMemcpyHostToDevice));
      build_chain<<<64, 256>>>(buf, off, n);
      CK(cudaDeviceSynchronize());
      steps = std::min(steps, kind == 0 ? steps : n);
      std::vector<double> c;
      for (int rep = 0; rep < MICRO_REPETITIONS; rep++) {
        if (warm) touch<<<1056, 256>>>((const uint4*)buf, ws / 16, (unsigned*)snk);
        else CK(cudaMemset(flush, rep, flush_n));
        unsigned long long p0 = (unsigned long long)buf + o[0];
        if (kind == 0) chase<0><<<1, 1>>>(p0, n, steps, B.out, snk);
        else chase<1><<<1, 1>>>(p0, 0, steps, B.out, snk);
        CK(cudaGetLastError());
        auto q = download(B.out, 1);
        if (rep > 1) c.push_back(q[0] / (double)steps);
      }
      B.lat_rec(name, J().num("working_set_bytes", ws).num("line_bytes", line).num("steps", steps).str("load", kind ? "ld.global.cg.u64" : "ld.global.ca.u64")
                          .boolean("l2_warm", warm), c);
    };
    go("l1_hit_4KB", 4 << 10, 128, 2048, 0, true);
    go("l1_hit_32KB", 32 << 10, 128, 2048, 0, true);
    go("l1_hit_128KB", 128 << 10, 128, 2048, 0, true);
    go("l1_miss_l2_hit_512KB_ca", 512 << 10, 128, 4096, 0, true);
    for (size_t kb : {64, 512, 2048, 8192, 16384, 24576, 32768, 40960, 49152, 61440, 98304})
      if (kb <= MICRO_LARGEST_MB * 1024)
        go(("l2_cg_" + std::to_string(kb) + "KB").c_str(), kb << 10, 128, 8192, 1, true);
    for (size_t mb : {16, 64, 256, 1024, 2048, 4096})
      if (mb <= MICRO_LARGEST_MB)
        go(("dram_cold_" + std::to_string(mb) + "MB").c_str(), mb << 20, 256, 8192, 1, false);
    CK(cudaFree(buf)); CK(cudaFree(flush)); CK(cudaFree(off)); CK(cudaFree(snk));
  }
  }
#ifndef MICRO_LATENCIES_ONLY
  if (!wants("A2")) return S.finish(dir);
  B.peak<FFma>("ffma", 1.f, 0.999f, 1e-3f);
  B.peak<FAdd>("fadd", 1.f, 1e-3f, 0.f);
  B.peak<FMul>("fmul", 1.f, 1.0001f, 0.f);
  B.peak<HFma2>("hfma2", 0x3c003c00u, 0x3bff3bffu, 0x10001000u);
  B.peak<IAdd3>("iadd3", 1u, 3u, 5u);
  B.peak<IMad>("imad", 1u, 3u, 5u);
  B.peak<Lop3>("lop3", 1u, 3u, 5u);
  B.peak<Shf>("shf", 1u, 3u, 5u);
  B.peak<Popc>("popc", 77u, 0u, 0u);
  B.peak<Rsq>("mufu_rsq", 1.7f, 0.f, 0.f);
  B.peak<Ex2>("mufu_ex2", 0.3f, 0.f, 0.f);
  B.peak<DFma>("dfma", 1.0, 0.999, 1e-3);
  B.peak<Shfl>("shfl_bfly", 1u, 0u, 0u);
  B.peak<Lds>("lds32", 0u, 0u, 0u);
  B.peak<Lds128>("lds128", 0u, 0u, 0u);
  for (int w : {4, 8, 16, 32}) {
    std::vector<double> v1, v4;
    int it = MICRO_ITERATIONS;
    double m1 = B.measure([&] { mma_rate<1><<<sm_count(), w * 32>>>(it, B.st, B.en, B.warps, (float*)B.sink); }, 0, it * 32.0, &v1);
    double m4 = B.measure([&] { mma_rate<4><<<sm_count(), w * 32>>>(it, B.st, B.en, B.warps, (float*)B.sink); }, 0, it * 32.0, &v4);
    B.rate_rec("mma_m16n8k16_f16_f32acc", w, 1, v1, "instructions_per_cycle_per_sm");
    B.rate_rec("mma_m16n8k16_f16_f32acc", w, 4, v4, "instructions_per_cycle_per_sm");
    fprintf(stderr, "A2 mma.sync m16n8k16 warps %d: ILP1 %.4f/cyc (%.1f cyc each per warp)  ILP4 %.4f/cyc\n", w, m1, w / m1, m4);
  }
  fprintf(stderr, "A2 FFMA surface (lane-ops/cycle/SM; rows warps, columns ILP 1 2 4)\n");
  for (int w : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64}) {
    double a = B.throughput<FFma, 1>("ffma_surface", w, 1.f, 0.999f, 1e-3f, MICRO_ITERATIONS / 2);
    double b = B.throughput<FFma, 2>("ffma_surface", w, 1.f, 0.999f, 1e-3f, MICRO_ITERATIONS / 2);
    double c = B.throughput<FFma, 4>("ffma_surface", w, 1.f, 0.999f, 1e-3f, MICRO_ITERATIONS / 2);
    fprintf(stderr, "  %2d  %7.2f %7.2f %7.2f\n", w, a, b, c);
  }
#endif
  return S.finish(dir);
}
