/*
 * What cuBLAS takes: reads calls from a file, one a line, and prints for each the kernels that the library launches, with grid,
 * block, registers, shared memory and median duration, by activity tracing. Buffers are random and stay where they are, so what
 * fits L2 is there. Usage: libraries CALLS OUT. Libraries are found by LD_LIBRARY_PATH.
 *
 * A line: id routine type ta tb m n k batch extra; extra: increments, beta or the epilogue of cuBLASLt.
 */
#include <cuda_runtime.h>
#include <cupti.h>
#include <cxxabi.h>
#include <dlfcn.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct Record { uint64_t start, end; std::string name; int gx, gy, gz, bx, by, bz, regs, smem, cluster; };
static std::vector<Record> records;
static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *most) {
  *size = 1 << 20; *buffer = (uint8_t *)aligned_alloc(64, *size); *most = 0;
}
static void CUPTIAPI take(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  CUpti_Activity *one = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &one) == CUPTI_SUCCESS) {
    if (one->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      auto *k = (CUpti_ActivityMemset4 *)one;
      records.push_back({k->start, k->end, "memset " + std::to_string(k->bytes), 0, 0, 0, 0, 0, 0, 0, 0, 0});
    } else if (one->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      auto *k = (CUpti_ActivityMemcpy6 *)one;
      records.push_back({k->start, k->end, "memcpy " + std::to_string(k->bytes), 0, 0, 0, 0, 0, 0, 0, 0, 0});
    } else if (one->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      auto *k = (CUpti_ActivityKernel10 *)one;
      records.push_back({k->start, k->end, k->name, k->gridX, k->gridY, k->gridZ, k->blockX, k->blockY, k->blockZ,
        k->registersPerThread, k->staticSharedMemory + k->dynamicSharedMemory, (int)(k->clusterX * k->clusterY * k->clusterZ)});
    }
  }
  free(buffer);
}

static uint32_t __host__ __device__ mix(uint64_t x) {
  x ^= x >> 33; x *= 0xff51afd7ed558ccdULL; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ULL; x ^= x >> 33; return (uint32_t)x;
}
enum Fill { F32, F64, F16, BF16, I8, E4M3 };
__global__ void fill(void *p, size_t n, int kind, uint64_t seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    const uint32_t r = mix(i + seed);
    const float v = (float)r * (2.0f / 4294967296.0f) - 1.0f;
    if (kind == F32) ((float *)p)[i] = v;
    else if (kind == F64) ((double *)p)[i] = (double)v;
    else if (kind == BF16) ((unsigned short *)p)[i] = (unsigned short)(__float_as_uint(v) >> 16);
    else if (kind == I8) ((signed char *)p)[i] = (signed char)r;
    else if (kind == E4M3) ((unsigned char *)p)[i] = r & 0xbf; // below 2, and no NaN
    else {
      unsigned short h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v)); ((unsigned short *)p)[i] = h;
    }
  }
}

static void *blas, *lt;
template <class F> static F *fn(const char *name) {
  void *at = dlsym(blas, name);
  if (!at && lt) at = dlsym(lt, name);
  if (!at) { fprintf(stderr, "no %s\n", name); }
  return (F *)at;
}
typedef void *H;
static H handle, ltHandle;
static char *A, *B, *C, *D, *workspace, *result;
static void **pa, **pb, **pc;
constexpr size_t bytesEach = (size_t)6 << 30;

/* `f8q` is `f8b` with sums as tensor cores have them (CUBLASLT_MATMUL_DESC_FAST_ACCUM). */
struct Type { const char *name; int in, out, scalar, compute; size_t inBytes, outBytes; Fill fill; int per; };
static const Type types[] = {
  {"s", 0, 0, 0, 68, 4, 4, F32, 1}, {"tf32", 0, 0, 0, 77, 4, 4, F32, 1}, {"d", 1, 1, 1, 70, 8, 8, F64, 1},
  {"h16", 2, 2, 2, 64, 2, 2, F16, 1}, {"h32", 2, 2, 0, 68, 2, 2, F16, 1}, {"hs", 2, 0, 0, 68, 2, 4, F16, 1},
  {"b32", 14, 14, 0, 68, 2, 2, BF16, 1}, {"bs", 14, 0, 0, 68, 2, 4, BF16, 1}, {"i8", 3, 10, 10, 72, 1, 4, I8, 1},
  {"f8b", 28, 14, 0, 68, 1, 2, E4M3, 1}, {"f8q", 28, 14, 0, 68, 1, 2, E4M3, 1}, {"f8s", 28, 0, 0, 68, 1, 4, E4M3, 1},
  {"f8f8", 28, 28, 0, 68, 1, 1, E4M3, 1},
  {"is", 3, 0, 0, 68, 1, 4, I8, 1}, {"c", 4, 4, 4, 68, 8, 8, F32, 2}, {"z", 5, 5, 5, 70, 16, 16, F64, 2},
};
static const Type *typeOf(const char *name) {
  for (auto &t : types) if (!strcmp(t.name, name)) return &t;
  return nullptr;
}
static double one[2], zero[2], small[2];
static void setScalars(int type) {
  memset(one, 0, 16); memset(zero, 0, 16); memset(small, 0, 16);
  if (type == 0 || type == 4) *(float *)one = 1, *(float *)small = 1e-3f;
  else if (type == 2) *(uint16_t *)one = 0x3c00;
  else if (type == 10) *(int *)one = 1;
  else *one = 1, *small = 1e-3;
}

struct Case { int id; char routine[24], type[8]; int ta, tb; long long m, n, k, batch, extra; };
typedef long long ll;
static int gemm(const Case &c, const Type &t) {
  const int m = c.m, n = c.n, k = c.k, lda = c.ta ? k : m, ldb = c.tb ? n : k, ldc = m, batch = c.batch;
  const void *beta = c.extra ? (void *)one : (void *)zero;
  const std::string r = c.routine, y = c.type;
  const char *X = y == "s" || y == "tf32" ? "S" : y == "d" ? "D" : y == "c" ? "C" : y == "z" ? "Z" : y == "h16" ? "H" : nullptr;
  static auto mode = fn<int(H, int)>("cublasSetMathMode");
  mode(handle, y == "tf32" ? 3 : 0);
  if (r == "gemm" && X) {
    std::string name = std::string("cublas") + X + "gemm" + (y == "h16" ? "" : "_v2");
    return fn<int(H, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int)>(name.c_str())(
      handle, c.ta, c.tb, m, n, k, one, A, lda, B, ldb, beta, C, ldc);
  }
  if (r == "gemm")
    return fn<int(H, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int, const void *, void *, int, int, int, int)>("cublasGemmEx")(
      handle, c.ta, c.tb, m, n, k, one, A, t.in, lda, B, t.in, ldb, beta, C, t.out, ldc, t.compute, -1);
  const ll sa = (ll)m * k, sb = (ll)k * n, sc = (ll)m * n;
  if (r == "gemmSB" && X) {
    std::string name = std::string("cublas") + X + "gemmStridedBatched";
    return fn<int(H, int, int, int, int, int, const void *, const void *, int, ll, const void *, int, ll, const void *, void *, int, ll, int)>(name.c_str())(
      handle, c.ta, c.tb, m, n, k, one, A, lda, sa, B, ldb, sb, beta, C, ldc, sc, batch);
  }
  if (r == "gemmSB")
    return fn<int(H, int, int, int, int, int, const void *, const void *, int, int, ll, const void *, int, int, ll, const void *, void *, int, int, ll, int, int, int)>("cublasGemmStridedBatchedEx")(
      handle, c.ta, c.tb, m, n, k, one, A, t.in, lda, sa, B, t.in, ldb, sb, beta, C, t.out, ldc, sc, batch, t.compute, -1);
  if (X) {
    std::string name = std::string("cublas") + X + "gemmBatched";
    return fn<int(H, int, int, int, int, int, const void *, void *, int, void *, int, const void *, void *, int, int)>(name.c_str())(
      handle, c.ta, c.tb, m, n, k, one, pa, lda, pb, ldb, beta, pc, ldc, batch);
  }
  return fn<int(H, int, int, int, int, int, const void *, void *, int, int, void *, int, int, const void *, void *, int, int, int, int, int)>("cublasGemmBatchedEx")(
    handle, c.ta, c.tb, m, n, k, one, pa, t.in, lda, pb, t.in, ldb, beta, pc, t.out, ldc, batch, t.compute, -1);
}

static struct { void *desc, *a, *b, *c, *d; char algo[96]; bool ready; } ltState;
static int ltPrepare(const Case &c, const Type &t) {
  const int m = c.m, n = c.n, k = c.k;
  if (fn<int(void **, int, int)>("cublasLtMatmulDescCreate")(&ltState.desc, t.compute, t.scalar)) return 100;
  auto set = fn<int(void *, int, const void *, size_t)>("cublasLtMatmulDescSetAttribute");
  int e = c.extra; int32_t ta = c.ta, tb = c.tb; ll ld = m;
  set(ltState.desc, 3, &ta, 4); set(ltState.desc, 4, &tb, 4); set(ltState.desc, 7, &e, 4);
  if (e & 4) set(ltState.desc, 8, &D, 8);
  if (t.out == 28) {
    /* Scales of A, B and D, and where the largest result goes. */
    static float *ones;
    if (!ones) {
      const float all[2] = {1, 0};
      cudaMalloc(&ones, 8);
      cudaMemcpy(ones, all, 8, cudaMemcpyHostToDevice);
    }
    float *largest = ones + 1;
    for (int attribute : {17, 18, 20}) set(ltState.desc, attribute, &ones, 8);
    set(ltState.desc, 21, &largest, 8);
  }
  if (!strcmp(c.type, "f8q") || t.out == 28) { int8_t fast = 1; set(ltState.desc, 25, &fast, 1); }
  if (e & 128) { set(ltState.desc, 11, &workspace, 8); set(ltState.desc, 12, &ld, 8); }
  auto layout = fn<int(void **, int, uint64_t, uint64_t, int64_t)>("cublasLtMatrixLayoutCreate");
  if (layout(&ltState.a, t.in, c.ta ? k : m, c.ta ? m : k, c.ta ? k : m)) return 101;
  if (layout(&ltState.b, t.in, c.tb ? n : k, c.tb ? k : n, c.tb ? n : k)) return 102;
  if (layout(&ltState.c, t.out == 28 ? 14 : t.out, m, n, m) || layout(&ltState.d, t.out, m, n, m)) return 103;
  void *preference; size_t most = 32 << 20;
  fn<int(void **)>("cublasLtMatmulPreferenceCreate")(&preference);
  fn<int(void *, int, const void *, size_t)>("cublasLtMatmulPreferenceSetAttribute")(preference, 1, &most, 8);
  int found = 0;
  int code = fn<int(H, void *, void *, void *, void *, void *, void *, int, void *, int *)>("cublasLtMatmulAlgoGetHeuristic")(
    ltHandle, ltState.desc, ltState.a, ltState.b, ltState.c, ltState.d, preference, 1, ltState.algo, &found);
  fn<int(void *)>("cublasLtMatmulPreferenceDestroy")(preference);
  return code ? code : found ? 0 : 104;
}
/* Where C and D have other types, they lie in other places. */
static int ltRun(const Case &c) {
  char *to = typeOf(c.type)->out == 28 ? B + bytesEach / 2 : C;
  static auto run = fn<int(H, void *, const void *, const void *, void *, const void *, void *, const void *, const void *, void *, void *, void *, const void *, void *, size_t, cudaStream_t)>("cublasLtMatmul");
  return run(ltHandle, ltState.desc, one, A, ltState.a, B, ltState.b, zero, C, ltState.c, to, ltState.d, ltState.algo, workspace + (512 << 20), 32 << 20, 0);
}
static void ltDone() {
  fn<int(void *)>("cublasLtMatmulDescDestroy")(ltState.desc);
  auto layout = fn<int(void *)>("cublasLtMatrixLayoutDestroy");
  layout(ltState.a); layout(ltState.b); layout(ltState.c); layout(ltState.d);
}

/* Levels 1 and 2. */
static int vectorCall(const Case &c, const Type &t) {
  const std::string r = c.routine;
  const char X = c.type[0] - 32;
  const int n = c.n, m = c.m, k = c.k, inc = c.extra ? c.extra : 1;
  std::string name = std::string("cublas") + X + r + "_v2";
  static auto pointerMode = fn<int(H, int)>("cublasSetPointerMode_v2");
  static auto mode = fn<int(H, int)>("cublasSetMathMode");
  mode(handle, 0);
  const bool reduces = r == "dot" || r == "nrm2" || r == "asum" || r == "amax" || r == "amin";
  pointerMode(handle, reduces && c.k != 1 ? 1 : 0);
  static double hostResult[4];
  void *to = c.k == 1 ? (void *)hostResult : (void *)result;
  if (r == "axpy") return fn<int(H, int, void *, void *, int, void *, int)>(name.c_str())(handle, n, small, A, inc, B, inc);
  if (r == "dot") {
    if (X == 'C' || X == 'Z') name = std::string("cublas") + X + "dotu_v2";
    return fn<int(H, int, void *, int, void *, int, void *)>(name.c_str())(handle, n, A, inc, B, inc, to);
  }
  if (r == "nrm2" || r == "asum") {
    if (X == 'C') name = "cublasSc" + r + "_v2";
    if (X == 'Z') name = "cublasDz" + r + "_v2";
    return fn<int(H, int, void *, int, void *)>(name.c_str())(handle, n, A, inc, to);
  }
  if (r == "amax" || r == "amin") {
    name = std::string("cublasI") + c.type[0] + r + "_v2";
    return fn<int(H, int, void *, int, void *)>(name.c_str())(handle, n, A, inc, to);
  }
  if (r == "scal") return fn<int(H, int, void *, void *, int)>(name.c_str())(handle, n, one, A, inc);
  if (r == "copy" || r == "swap") return fn<int(H, int, void *, int, void *, int)>(name.c_str())(handle, n, A, inc, B, inc);
  if (r == "rot") return fn<int(H, int, void *, int, void *, int, void *, void *)>(name.c_str())(handle, n, A, inc, B, inc, one, zero);
  if (r == "gemv") return fn<int(H, int, int, int, void *, void *, int, void *, int, void *, void *, int)>(name.c_str())(handle, c.ta, m, n, one, A, m, B, inc, zero, C, inc);
  if (r == "ger") {
    if (X == 'C' || X == 'Z') name = std::string("cublas") + X + "geru_v2";
    return fn<int(H, int, int, void *, void *, int, void *, int, void *, int)>(name.c_str())(handle, m, n, small, B, inc, C, inc, A, m);
  }
  if (r == "symv") return fn<int(H, int, int, void *, void *, int, void *, int, void *, void *, int)>(name.c_str())(handle, c.tb, n, one, A, n, B, inc, zero, C, inc);
  if (r == "trsv" || r == "trmv") return fn<int(H, int, int, int, int, void *, int, void *, int)>(name.c_str())(handle, c.tb, c.ta, 1, n, A, n, B, inc);
  if (r == "syrk") return fn<int(H, int, int, int, int, void *, void *, int, void *, void *, int)>(name.c_str())(handle, c.tb, c.ta, n, k, one, A, c.ta ? k : n, zero, C, n);
  if (r == "symm") return fn<int(H, int, int, int, int, void *, void *, int, void *, int, void *, void *, int)>(name.c_str())(handle, 0, c.tb, m, n, one, A, m, B, m, zero, C, m);
  if (r == "trsmL" || r == "trsmR") {
    name = std::string("cublas") + X + "trsm_v2";
    const int side = r == "trsmR";
    return fn<int(H, int, int, int, int, int, int, void *, void *, int, void *, int)>(name.c_str())(handle, side, c.tb, c.ta, 1, m, n, one, A, side ? n : m, B, m);
  }
  if (r == "geam") {
    name = std::string("cublas") + X + "geam";
    return fn<int(H, int, int, int, int, void *, void *, int, void *, void *, int, void *, int)>(name.c_str())(handle, c.ta, c.tb, m, n, one, A, c.ta ? n : m, c.extra ? one : zero, B, c.tb ? n : m, C, m);
  }
  if (r == "dgmm") {
    name = std::string("cublas") + X + "dgmm";
    return fn<int(H, int, int, int, void *, int, void *, int, void *, int)>(name.c_str())(handle, c.ta, m, n, A, m, B, 1, C, m);
  }
  if (r == "getrfB") {
    name = std::string("cublas") + X + "getrfBatched";
    return fn<int(H, int, void *, int, void *, void *, int)>(name.c_str())(handle, n, pa, n, workspace, workspace + (64 << 20), (int)c.batch);
  }
  if (r == "getriB") {
    name = std::string("cublas") + X + "getriBatched";
    return fn<int(H, int, void *, int, void *, void *, int, void *, int)>(name.c_str())(handle, n, pa, n, nullptr, pc, n, workspace + (64 << 20), (int)c.batch);
  }
  if (r == "getrsB") {
    int info;
    name = std::string("cublas") + X + "getrsBatched";
    return fn<int(H, int, int, int, void *, int, void *, void *, int, int *, int)>(name.c_str())(handle, c.ta, n, (int)c.k, pa, n, nullptr, pb, n, &info, (int)c.batch);
  }
  return 200;
}

static void pointersFor(const Case &c, const Type &t) {
  const bool lu = strncmp(c.routine, "getr", 4) == 0;
  if (strcmp(c.routine, "gemmB") && !lu) return;
  const size_t a = (lu ? c.n * c.n : c.m * c.k) * t.inBytes, b = (lu ? c.n * std::max(1ll, c.k) : c.k * c.n) * t.inBytes, o = (lu ? c.n * c.n : c.m * c.n) * t.outBytes;
  std::vector<void *> all(3 * c.batch);
  for (int i = 0; i < c.batch; i++) all[i] = A + i * a, all[c.batch + i] = B + i * b, all[2 * c.batch + i] = C + i * o;
  const size_t bytes = c.batch * 8;
  cudaMemcpy(pa, all.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(pb, all.data() + c.batch, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(pc, all.data() + 2 * c.batch, bytes, cudaMemcpyHostToDevice);
}

static std::string plain(const std::string &name) {
  int code = 0;
  char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &code);
  std::string all = code == 0 ? text : name;
  free(text);
  return all;
}

int main(int, char **argv) {
  blas = dlopen("libcublas.so.13", RTLD_NOW | RTLD_GLOBAL);
  if (!blas) blas = dlopen("libcublas.so.12", RTLD_NOW | RTLD_GLOBAL);
  if (!blas) { fprintf(stderr, "%s\n", dlerror()); return 1; }
  lt = dlopen("libcublasLt.so.13", RTLD_NOW | RTLD_GLOBAL);
  if (!lt) lt = dlopen("libcublasLt.so.12", RTLD_NOW | RTLD_GLOBAL);
  if (fn<int(H *)>("cublasCreate_v2")(&handle)) return 2;
  if (fn<int(H *)>("cublasLtCreate")(&ltHandle)) return 3;
  int version = 0;
  fn<int(H, int *)>("cublasGetVersion_v2")(handle, &version);
  printf("cublas %d\n", version);
  for (char **p : {&A, &B, &C}) if (cudaMalloc(p, bytesEach)) return 4;
  if (cudaMalloc(&D, 64 << 20) || cudaMalloc(&workspace, (size_t)1 << 30) || cudaMalloc(&result, 4096)) return 5;
  if (cudaMalloc(&pa, 1 << 20) || cudaMalloc(&pb, 1 << 20) || cudaMalloc(&pc, 1 << 20)) return 6;
  cudaMemset(D, 0, 64 << 20);
  cudaMemset(workspace, 0, (size_t)1 << 30);
  FILE *in = fopen(argv[1], "r"), *out = fopen(argv[2], "w");
  if (!in || !out) return 7;
  cuptiActivityRegisterCallbacks(give, take);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::string filled;
  char line[256];
  int failed = 0, done = 0;
  while (fgets(line, sizeof line, in)) {
    Case c{};
    if (sscanf(line, "%d %23s %7s %d %d %lld %lld %lld %lld %lld", &c.id, c.routine, c.type, &c.ta, &c.tb, &c.m, &c.n, &c.k, &c.batch, &c.extra) != 10) continue;
    const Type *t = typeOf(c.type);
    if (!t) continue;
    const std::string r = c.routine;
    setScalars(t->scalar);
    if (filled != std::to_string(t->fill)) {
      filled = std::to_string(t->fill);
      const size_t width = t->fill == F64 ? 8 : t->fill == F32 ? 4 : t->fill == I8 || t->fill == E4M3 ? 1 : 2;
      for (char *p : {A, B, C}) fill<<<1056, 512>>>(p, bytesEach / width, t->fill, (uint64_t)p);
    }
    pointersFor(c, *t);
    const bool isGemm = r.rfind("gemm", 0) == 0, isLt = r == "lt";
    if (isGemm) fn<int(H, int)>("cublasSetPointerMode_v2")(handle, 0);
    int code = isLt ? ltPrepare(c, *t) : 0;
    auto run = [&] { return isGemm ? gemm(c, *t) : isLt ? ltRun(c) : vectorCall(c, *t); };
    if (code == 0) code = run();
    cudaDeviceSynchronize();
    if (code == 0) code = cudaGetLastError();
    if (code) {
      failed++;
      fprintf(out, "{\"id\":%d,\"failed\":%d}\n", c.id, code);
      if (cudaDeviceSynchronize()) { fprintf(stderr, "lost at %s", line); break; }
      if (isLt && ltState.desc && code < 100) ltDone();
      continue;
    }
    cudaEventRecord(begin); run(); cudaEventRecord(end); cudaEventSynchronize(end);
    float ms = 0; cudaEventElapsedTime(&ms, begin, end);
    const int reps = std::max(3, std::min(11, (int)(25 / std::max(ms, 0.01f))));
    cudaEventRecord(begin);
    for (int i = 0; i < reps; i++) run();
    cudaEventRecord(end); cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
    run();
    cudaDeviceSynchronize();
    for (int i = 0; i < reps; i++) run();
    cudaDeviceSynchronize();
    cuptiActivityFlushAll(1);
    cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMSET);
    cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY);
    if (isLt) ltDone();
    std::sort(records.begin(), records.end(), [](const Record &a, const Record &b) { return a.start < b.start; });
    const int each = records.size() / (reps + 1);
    fprintf(out, "{\"id\":%d,\"event\":%.0f,\"reps\":%d,\"records\":%d,\"kernels\":[", c.id, ms * 1e6 / reps, reps, (int)records.size());
    for (int i = 0; i < each; i++) {
      std::vector<uint64_t> times;
      for (int j = 1; j <= reps; j++) times.push_back(records[j * each + i].end - records[j * each + i].start);
      std::sort(times.begin(), times.end());
      const Record &k = records[each + i];
      fprintf(out, "%s[\"%s\",%llu,%llu,[%d,%d,%d],[%d,%d,%d],%d,%d,%d]", i ? "," : "", plain(k.name).c_str(), (unsigned long long)times[reps / 2],
        (unsigned long long)times[0], k.gx, k.gy, k.gz, k.bx, k.by, k.bz, k.regs, k.smem, k.cluster);
    }
    fprintf(out, "]}\n");
    records.clear();
    done++;
    if (done % 500 == 0) { fflush(out); printf("%d\n", done); fflush(stdout); }
  }
  fclose(out);
  printf("%d measured, %d refused\n", done, failed);
  return 0;
}
