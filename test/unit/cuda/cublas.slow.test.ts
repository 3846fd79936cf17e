/** cuBLAS: one program that holds every call against loops of the host, and what the trace shows of the calls. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { record } from '../../../engine/recording/record.ts';
import { cacheFolder, programFolder } from '../../setup/kept.ts';

const program = `#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cublas_v2.h>
#include <cuda_fp16.h>
static int wrong = 0;
#define OK(c) do { int s_ = (int)(c); if (s_) { ++wrong; printf("line %d: status %d\\n", __LINE__, s_); } } while (0)
#define IS(c, e) do { long long g_ = (long long)(c), w_ = (long long)(e); if (g_ != w_) { ++wrong; printf("line %d: %lld, not %lld\\n", __LINE__, g_, w_); } } while (0)
void near(int line, int i, double g, double e, double t = 0) { if (!(std::fabs(g - e) <= t) && ++wrong < 20) printf("line %d[%d]: %g, not %g\\n", line, i, g, e); }
#define NEAR(i, ...) near(__LINE__, i, __VA_ARGS__)
template <class T> struct Dev {
  T *p; size_t n;
  Dev(const std::vector<T> &v) : n(v.size()) { cudaMalloc(&p, n * sizeof(T)); cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice); }
  std::vector<T> host() { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }
};
template <class T> std::vector<T> numbers(size_t n, int a, int b) { std::vector<T> v(n); for (size_t i = 0; i < n; ++i) v[i] = (T)(float)((int)(i * a % b) - b / 2); return v; }
cublasStatus_t gemm(cublasHandle_t h, int a, int b, int m, int n, int k, const float *al, const float *A, int lda, const float *B, int ldb, const float *be, float *C, int ldc) { return cublasSgemm(h, (cublasOperation_t)a, (cublasOperation_t)b, m, n, k, al, A, lda, B, ldb, be, C, ldc); }
cublasStatus_t gemm(cublasHandle_t h, int a, int b, int m, int n, int k, const double *al, const double *A, int lda, const double *B, int ldb, const double *be, double *C, int ldc) { return cublasDgemm(h, (cublasOperation_t)a, (cublasOperation_t)b, m, n, k, al, A, lda, B, ldb, be, C, ldc); }
template <class T> void square(cublasHandle_t h, int m, int n, int k, int ta, int tb, T beta) {
  const int lda = (ta ? k : m) + 3, ldb = (tb ? n : k) + 1, ldc = m + 2;
  auto a = numbers<T>(lda * (ta ? m : k), 7, 11), b = numbers<T>(ldb * (tb ? k : n), 5, 13), c = numbers<T>(ldc * n, 3, 5);
  if (beta == 0) for (auto &x : c) x = NAN;
  Dev<T> da(a), db(b), dc(c);
  const T alpha = 2;
  OK(gemm(h, ta, tb, m, n, k, &alpha, da.p, lda, db.p, ldb, &beta, dc.p, ldc));
  auto got = dc.host();
  for (int j = 0; j < n; ++j) for (int i = 0; i < ldc; ++i) {
    if (i >= m) { IS(memcmp(&got[j * ldc + i], &c[j * ldc + i], sizeof(T)), 0); continue; }
    double sum = 0;
    for (int l = 0; l < k; ++l) sum += (double)a[ta ? i * lda + l : l * lda + i] * b[tb ? l * ldb + j : j * ldb + l];
    NEAR(j * ldc + i, got[j * ldc + i], 2 * sum + (beta == 0 ? 0 : beta * c[j * ldc + i]));
  }
}
template <class T> void all(cublasHandle_t h) {
  for (int t = 0; t < 4; ++t) { square<T>(h, 67, 35, 21, t & 1, t >> 1, (T)-1); square<T>(h, 13, 7, 9, t & 1, t >> 1, (T)0); }
  square<T>(h, 5, 3, 0, 0, 0, (T)3);
}
int main() {
  cublasHandle_t h; cudaStream_t s, got; int v; float zero = 0, one = 1, two = 2, f;
  IS(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, 0, 1, 0, 1, &one, 0, 1), 1);
  OK(cublasCreate(&h)); cudaStreamCreate(&s); OK(cublasSetStream(h, s)); OK(cublasGetStream(h, &got)); IS(got == s, 1);
  OK(cublasGetVersion(h, &v)); IS(v, CUBLAS_VERSION); IS(strcmp(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE"), 0);
  OK(cublasSetMathMode(h, CUBLAS_TF32_TENSOR_OP_MATH)); cublasMath_t math; OK(cublasGetMathMode(h, &math)); IS(math, 3);
  all<float>(h); all<double>(h);
  { // larger tiles, and a lda that is too small
    square<float>(h, 1290, 1300, 3, 0, 1, 1.f);
    Dev<float> c(std::vector<float>(16));
    IS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, c.p, 3, c.p, 4, &zero, c.p, 4), 7);
    IS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, -1, 4, 4, &one, c.p, 4, c.p, 4, &zero, c.p, 4), 7);
    IS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, nullptr, c.p, 4, c.p, 4, &zero, c.p, 4), 7);
  }
  const int n = 5003;
  auto x = numbers<float>(n, 7, 9), y = numbers<float>(n, 3, 5); x[4000] = -50; x[4500] = 50;
  Dev<float> dx(x), dy(y);
  OK(cublasSaxpy(h, n, &two, dx.p, 1, dy.p, 1)); for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
  auto gy = dy.host(); for (int i = 0; i < n; ++i) NEAR(i, gy[i], y[i]);
  double dot = 0, norm = 0, sum = 0; for (int i = 0; i < n; ++i) dot += x[i] * y[i], norm += x[i] * x[i], sum += std::fabs(x[i]);
  OK(cublasSdot(h, n, dx.p, 1, dy.p, 1, &f)); NEAR(0, f, dot);
  OK(cublasSnrm2(h, n, dx.p, 1, &f)); NEAR(0, f, std::sqrt(norm), 1e-3);
  OK(cublasSasum(h, n, dx.p, 1, &f)); NEAR(0, f, sum);
  OK(cublasIsamax(h, n, dx.p, 1, &v)); IS(v, 4001); OK(cublasIsamin(h, n, dx.p, 1, &v));
  int least = 0; while (x[least] != 0) ++least; IS(v, least + 1);
  OK(cublasIsamax(h, 0, dx.p, 1, &v)); IS(v, 0);
  OK(cublasSdot(h, 10, dx.p, 2, dy.p, -1, &f)); dot = 0; for (int i = 0; i < 10; ++i) dot += x[2 * i] * y[9 - i]; NEAR(0, f, dot);
  { // scalars and results on the device; norms that overflow when squared
    Dev<float> large(std::vector<float>{3e30f, 4e30f, 0, 0}), r(std::vector<float>{0, 3});
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE)); cublasPointerMode_t mode; OK(cublasGetPointerMode(h, &mode)); IS(mode, 1);
    OK(cublasSnrm2(h, 4, large.p, 1, r.p)); OK(cublasSscal(h, n, r.p + 1, dx.p, 1));
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    NEAR(0, r.host()[0] / 1e30, 5, 1e-5);
    auto g = dx.host(); for (int i = 0; i < n; ++i) NEAR(i, g[i], 3 * x[i]);
  }
  OK(cublasScopy(h, n, dx.p, 1, dy.p, 1)); NEAR(0, dy.host()[77], 3 * x[77]);
  { Dev<float> a(std::vector<float>{1, 2, 3}), b(std::vector<float>{4, 5, 6}); OK(cublasSswap(h, 3, a.p, 1, b.p, -1));
    auto ga = a.host(), gb = b.host(); for (int i = 0; i < 3; ++i) NEAR(i, ga[i], 6 - i), NEAR(i, gb[i], 3 - i); }
  { // gemv, ger, geam, syrk, trsm
    const int m = 70, c = 41; double al = 2, be = -1, dz = 0, d1 = 1;
    auto a = numbers<double>(m * c, 7, 11), p = numbers<double>(m, 3, 7), q = numbers<double>(c, 5, 9);
    Dev<double> da(a), dp(p), dq(q), dg(std::vector<double>(m * c)), ds(std::vector<double>(c * c, 7.0));
    OK(cublasDgemv(h, CUBLAS_OP_N, m, c, &al, da.p, m, dq.p, 1, &be, dp.p, 1));
    auto r = dp.host(); for (int i = 0; i < m; ++i) { double t = 0; for (int j = 0; j < c; ++j) t += a[j * m + i] * q[j]; NEAR(i, r[i], 2 * t - p[i]); }
    OK(cublasDgemv(h, CUBLAS_OP_T, m, c, &al, da.p, m, dp.p, 1, &dz, dq.p, -1));
    auto w = dq.host(); for (int j = 0; j < c; ++j) { double t = 0; for (int i = 0; i < m; ++i) t += a[j * m + i] * r[i]; NEAR(j, w[c - 1 - j], 2 * t); }
    OK(cublasDgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, c, m, &al, da.p, m, &dz, nullptr, c, dg.p, c));
    auto g = dg.host(); for (int j = 0; j < m; ++j) for (int i = 0; i < c; ++i) NEAR(i, g[j * c + i], 2 * a[i * m + j]);
    OK(cublasDsyrk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, c, m, &d1, da.p, m, &dz, ds.p, c));
    auto k = ds.host(); for (int j = 0; j < c; ++j) for (int i = 0; i < c; ++i) { double t = 0; for (int l = 0; l < m; ++l) t += a[i * m + l] * a[j * m + l]; NEAR(i, k[j * c + i], i >= j ? t : 7); }
    OK(cublasDger(h, m, c, &d1, dp.p, 1, dq.p, 1, da.p, m)); NEAR(0, da.host()[2 * m + 5], a[2 * m + 5] + r[5] * w[2]);
    for (int t = 0; t < 8; ++t) {
      const int side = t & 1, upper = t >> 1 & 1, tr = t >> 2, z = 6, u = 4, rows = side ? u : z, cols = side ? z : u;
      std::vector<double> tri(z * z, NAN), b = numbers<double>(z * u, 3, 7), back(z * u);
      for (int j = 0; j < z; ++j) for (int i = 0; i < z; ++i) if (upper ? i <= j : i >= j) tri[j * z + i] = i == j ? 2 : (i + j) % 3;
      auto op = [&](int i, int j) { if (tr) { int o = i; i = j; j = o; } return (upper ? i <= j : i >= j) ? tri[j * z + i] : 0.0; };
      Dev<double> dt(tri), db(b);
      OK(cublasDtrsm(h, (cublasSideMode_t)side, (cublasFillMode_t)upper, (cublasOperation_t)tr, CUBLAS_DIAG_NON_UNIT, rows, cols, &al, dt.p, z, db.p, rows));
      auto xs = db.host();
      for (int j = 0; j < cols; ++j) for (int i = 0; i < rows; ++i) { double e = 0; for (int l = 0; l < z; ++l) e += side ? xs[l * rows + i] * op(l, j) : op(i, l) * xs[j * rows + l]; NEAR(t * 100 + i, e, 2 * b[j * rows + i], 1e-9); }
    }
  }
  { // batches, by stride and by pointers
    auto a = numbers<float>(5 * 20, 7, 11), b = numbers<float>(5 * 30, 5, 13); Dev<float> da(a), db(b), dc(std::vector<float>(5 * 24)), de(std::vector<float>(5 * 24));
    OK(cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 6, 5, &one, da.p, 4, 20, db.p, 5, 30, &zero, dc.p, 4, 24, 5));
    std::vector<float *> pa, pb, pc; for (int i = 0; i < 5; ++i) pa.push_back(da.p + 20 * i), pb.push_back(db.p + 30 * i), pc.push_back(de.p + 24 * i);
    Dev<float *> qa(pa), qb(pb), qc(pc);
    OK(cublasSgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 6, 5, &one, qa.p, 4, qb.p, 5, &zero, qc.p, 4, 5));
    auto c = dc.host(), e = de.host();
    for (int z = 0; z < 5; ++z) for (int j = 0; j < 6; ++j) for (int i = 0; i < 4; ++i) { float t = 0; for (int l = 0; l < 5; ++l) t += a[z * 20 + l * 4 + i] * b[z * 30 + j * 5 + l]; NEAR(i, c[z * 24 + j * 4 + i], t); NEAR(i, e[z * 24 + j * 4 + i], t); }
  }
  { // halves, bfloat16 as bits, bytes
    const int m = 9, c = 10, k = 11; auto a = numbers<__half>(m * k, 7, 5), b = numbers<__half>(k * c, 5, 7); Dev<__half> da(a), db(b), dh(std::vector<__half>(m * c)); Dev<float> df(std::vector<float>(m * c));
    std::vector<unsigned short> ba(m * k), bb(k * c); std::vector<signed char> ia(m * k), ib(k * c);
    auto top = [](float x) { unsigned u; memcpy(&u, &x, 4); return (unsigned short)(u >> 16); };
    for (int i = 0; i < m * k; ++i) ba[i] = top(__half2float(a[i])), ia[i] = (signed char)__half2float(a[i]);
    for (int i = 0; i < k * c; ++i) bb[i] = top(__half2float(b[i])), ib[i] = (signed char)__half2float(b[i]);
    Dev<unsigned short> dba(ba), dbb(bb), dbc(std::vector<unsigned short>(m * c)); Dev<signed char> dia(ia), dib(ib); Dev<int> dic(std::vector<int>(m * c));
    __half h1 = __float2half(1), h0 = __float2half(0); int i1 = 1, i0 = 0;
    OK(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, m, c, k, &h1, da.p, m, db.p, k, &h0, dh.p, m));
    OK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, c, k, &one, da.p, CUDA_R_16F, m, db.p, CUDA_R_16F, k, &zero, df.p, CUDA_R_32F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    OK(cublasGemmStridedBatchedEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, c, k, &one, dba.p, CUDA_R_16BF, m, 0, dbb.p, CUDA_R_16BF, k, 0, &zero, dbc.p, CUDA_R_16BF, m, 0, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    OK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, c, k, &i1, dia.p, CUDA_R_8I, m, dib.p, CUDA_R_8I, k, &i0, dic.p, CUDA_R_32I, m, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    IS(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, c, k, &one, da.p, CUDA_R_16F, m, db.p, CUDA_R_32F, k, &zero, df.p, CUDA_R_32F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT), 15);
    auto gh = dh.host(); auto gf = df.host(); auto gb = dbc.host(); auto gi = dic.host();
    for (int j = 0; j < c; ++j) for (int i = 0; i < m; ++i) { float t = 0; for (int l = 0; l < k; ++l) t += __half2float(a[l * m + i]) * __half2float(b[j * k + l]); const int at = j * m + i; NEAR(at, __half2float(gh[at]), t); NEAR(at, gf[at], t); NEAR(at, gb[at], top(t)); NEAR(at, gi[at], t); }
  }
  { // between host and device
    std::vector<float> m(12), back(12); for (int i = 0; i < 12; ++i) m[i] = i; Dev<float> d(std::vector<float>(12));
    OK(cublasSetMatrix(2, 3, 4, m.data(), 4, d.p, 3)); OK(cublasGetVector(4, 4, d.p, 3, back.data(), 1)); NEAR(0, back[1], 4); NEAR(0, back[2], 8);
    OK(cublasSetVector(12, 4, m.data(), 1, d.p, 1)); OK(cublasGetMatrix(4, 3, 4, d.p, 4, back.data(), 4)); NEAR(0, back[11], 11);
    IS(cublasSetVector(1, 4, m.data(), 0, d.p, 1), 7); IS(cublasSetVector(-1, 4, m.data(), 1, d.p, 1), 11);
    IS(cublasSetMatrix(4, 3, 0, m.data(), 4, d.p, 4), 7); IS(cublasSetMatrix(4, 3, 4, m.data(), 3, d.p, 4), 11); IS(cublasGetMatrix(0, 3, 4, d.p, 1, back.data(), 1), 0);
    cudaStream_t s; cudaStreamCreate(&s); for (auto &x : back) x = -1;
    OK(cublasSetMatrixAsync(2, 3, 4, m.data(), 4, d.p, 3, s)); OK(cublasGetVectorAsync(4, 4, d.p, 3, back.data(), 1, s)); cudaStreamSynchronize(s); NEAR(0, back[1], 4); NEAR(0, back[2], 8);
    OK(cublasSetVectorAsync(12, 4, m.data(), 1, d.p, 1, s)); OK(cublasGetMatrixAsync(4, 3, 4, d.p, 4, back.data(), 4, s)); cudaStreamSynchronize(s); NEAR(0, back[11], 11); cudaStreamDestroy(s);
  }
  OK(cublasDestroy(h)); IS(cublasDestroy(h), 1); IS(cudaDeviceSynchronize(), 0);
  printf(wrong ? "wrong\\n" : "right\\n");
  return wrong != 0;
}
`;

const folder = programFolder('cublas');
const output = join(folder, 'app.simsight');
let console = '';
let exitCode = -1;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  const source = join(folder, 'app.cu');
  writeFileSync(source, program);
  const result = await record({
    sources: [source],
    gpu: 'a100',
    includeFolders: [],
    defines: [],
    environment: [],
    arguments: [],
    cacheFolder,
    recordingsFolder: folder,
    output,
    keepTrace: true,
    onProgress: ({ console: lines }) => (console += lines.map(({ text }) => text).join('')),
  });
  exitCode = result.exitCode;
});

test('every call gives what the host computes', () => {
  expect(console).toBe('right\n');
  expect(exitCode).toBe(0);
});

test('a kernel of the library lies in a launch, and that in the call', () => {
  const trace = new Database(output, { readonly: true });
  const rows = trace
    .prepare(
      `select call.value as call, name.value as kernel from CUPTI_ACTIVITY_KIND_KERNEL k
       join CUPTI_ACTIVITY_KIND_RUNTIME launch on launch.correlationId = k.correlationId
       join CUPTI_ACTIVITY_KIND_RUNTIME around on around.start < launch.start and around.end >= launch.end
       join StringIds call on call.id = around.nameId join StringIds name on name.id = k.shortName
       order by k.start limit 1`,
    )
    .all();
  trace.close();
  expect(rows).toEqual([{ call: 'cublasSgemm_v2', kernel: 'cublas_sgemm_tiles_64x64' }]);
});
