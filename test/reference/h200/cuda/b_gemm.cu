// B1: SGEMM ladder.  B9: batched half GEMM ladder (CUDA cores -> WMMA -> staged -> double buffered).
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
#include <mma.h>
#include "blas.h"
#include "common.cuh"
using namespace nvcuda;

// C[M,N] = A[M,K] * B[K,N], all row-major.
__global__ void sgemm_naive(int n, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; k++) s += A[row * n + k] * B[k * n + col];
  C[row * n + col] = s;
}
// Same work, but neighbouring threads own neighbouring rows: B and C accesses are strided.
__global__ void sgemm_naive_rowmapped(int n, const float* __restrict__ A, const float* __restrict__ B,
                                      float* __restrict__ C) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; k++) s += A[row * n + k] * B[k * n + col];
  C[row * n + col] = s;
}
template <int T>
__global__ void sgemm_tile(int n, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  __shared__ float a[T][T], b[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float s = 0;
  for (int k0 = 0; k0 < n; k0 += T) {
    a[ty][tx] = A[row * n + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; k++) s += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * n + col] = s;
}
// Register-blocked: BM x BN tile per block, TM x TN outputs per thread, 256 threads.
template <int BM, int BN, int BK, int TM, int TN, int MINB>
__global__ void __launch_bounds__(256, MINB) sgemm_reg(int n, const float* __restrict__ A, const float* __restrict__ B,
                                                 float* __restrict__ C) {
  static_assert((BM / TM) * (BN / TN) == 256, "256 threads");
  __shared__ __align__(16) float as[BK][BM], bs[BK][BN];  // A is stored transposed
  int t = threadIdx.x, tn = t % (BN / TN), tm = t / (BN / TN);
  const float* Ab = A + (size_t)blockIdx.y * BM * n;
  const float* Bb = B + (size_t)blockIdx.x * BN;
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < n; k0 += BK) {
#pragma unroll
    for (int i = t; i < BM * BK / 4; i += 256) {
      int r = i / (BK / 4), c = (i % (BK / 4)) * 4;
      float4 v = *(const float4*)(Ab + (size_t)r * n + k0 + c);
      as[c][r] = v.x; as[c + 1][r] = v.y; as[c + 2][r] = v.z; as[c + 3][r] = v.w;
    }
#pragma unroll
    for (int i = t; i < BK * BN / 4; i += 256) {
      int r = i / (BN / 4), c = (i % (BN / 4)) * 4;
      *(float4*)&bs[r][c] = *(const float4*)(Bb + (size_t)(k0 + r) * n + c);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; k++) {
      float ra[TM], rb[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4) *(float4*)&ra[i] = *(const float4*)&as[k][tm * TM + i];
      // Columns are taken in groups of four spaced across the tile, to spread the banks.
#pragma unroll
      for (int j = 0; j < TN; j += 4) *(float4*)&rb[j] = *(const float4*)&bs[k][tn * 4 + (j / 4) * (BN / (TN / 4))];
#pragma unroll
      for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; i++)
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      size_t row = (size_t)blockIdx.y * BM + tm * TM + i, col = (size_t)blockIdx.x * BN + tn * 4 + (j / 4) * (BN / (TN / 4));
      *(float4*)(C + row * n + col) = make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
    }
}
__global__ void gemm_ref64(int n, const float* A, const float* B, double* C) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  double s = 0;
  for (int k = 0; k < n; k++) s += (double)A[(size_t)row * n + k] * B[(size_t)k * n + col];
  C[(size_t)row * n + col] = s;
}

// ---------------------------------------------------------------- B9: batch of 128^3, half in, float out
constexpr int D = 128;
__global__ void hgemm_cuda_tile16(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ C) {
  __shared__ half a[16][16], b[16][16];
  size_t off = (size_t)blockIdx.z * D * D;
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float s = 0;
  for (int k0 = 0; k0 < D; k0 += 16) {
    a[ty][tx] = A[off + row * D + k0 + tx];
    b[ty][tx] = B[off + (k0 + ty) * D + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) s += __half2float(a[ty][k]) * __half2float(b[k][tx]);
    __syncthreads();
  }
  C[off + row * D + col] = s;
}
// One 16x16 output tile per warp, fragments straight from global memory.
__global__ void hgemm_wmma_global(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ C) {
  size_t off = (size_t)blockIdx.z * D * D;
  int w = threadIdx.x / 32, tile = blockIdx.x * (blockDim.x / 32) + w, tr = tile / (D / 16), tc = tile % (D / 16);
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.f);
  for (int k = 0; k < D; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::load_matrix_sync(a, A + off + tr * 16 * D + k, D);
    wmma::load_matrix_sync(b, B + off + k * D + tc * 16, D);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + off + tr * 16 * D + tc * 16, c, D, wmma::mem_row_major);
}
// 64x64 tile per block of 4 warps (each 32x32), K in steps of 32, staged in padded shared memory.
constexpr int HK = 32, LDA = HK + 8, LDB = 64 + 8;
struct Stage {
  half a[64 * LDA];
  half b[HK * LDB];
};
__device__ __forceinline__ void warp_mma(const Stage& s, int wr, int wc,
                                         wmma::fragment<wmma::accumulator, 16, 16, 16, float> (&c)[2][2]) {
#pragma unroll
  for (int k = 0; k < HK; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
      wmma::load_matrix_sync(a[i], s.a + (wr * 32 + i * 16) * LDA + k, LDA);
      wmma::load_matrix_sync(b[i], s.b + k * LDB + wc * 32 + i * 16, LDB);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 2; j++) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
  }
}
template <bool ASYNC>
__global__ void __launch_bounds__(128) hgemm_wmma_staged(const half* __restrict__ A, const half* __restrict__ B,
                                                         float* __restrict__ C) {
  __shared__ __align__(16) Stage st[ASYNC ? 2 : 1];
  size_t off = (size_t)blockIdx.z * D * D;
  const half* Ab = A + off + blockIdx.y * 64 * D;
  const half* Bb = B + off + blockIdx.x * 64;
  int t = threadIdx.x, w = t / 32, wr = w / 2, wc = w % 2;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) wmma::fill_fragment(c[i][j], 0.f);
  auto load = [&](Stage& s, int k0) {
#pragma unroll
    for (int i = t; i < 64 * HK / 8; i += 128) {
      int r = i / (HK / 8), q = (i % (HK / 8)) * 8;
      if (ASYNC) __pipeline_memcpy_async(&s.a[r * LDA + q], Ab + r * D + k0 + q, 16);
      else *(uint4*)&s.a[r * LDA + q] = *(const uint4*)(Ab + r * D + k0 + q);
    }
#pragma unroll
    for (int i = t; i < HK * 64 / 8; i += 128) {
      int r = i / 8, q = (i % 8) * 8;
      if (ASYNC) __pipeline_memcpy_async(&s.b[r * LDB + q], Bb + (size_t)(k0 + r) * D + q, 16);
      else *(uint4*)&s.b[r * LDB + q] = *(const uint4*)(Bb + (size_t)(k0 + r) * D + q);
    }
    if (ASYNC) __pipeline_commit();
  };
  if (ASYNC) {
    load(st[0], 0);
#pragma unroll
    for (int s = 0; s < D / HK; s++) {
      if (s + 1 < D / HK) { load(st[(s + 1) & 1], (s + 1) * HK); __pipeline_wait_prior(1); }
      else __pipeline_wait_prior(0);
      __syncthreads();
      warp_mma(st[s & 1], wr, wc, c);
      __syncthreads();
    }
  } else {
#pragma unroll 1
    for (int k0 = 0; k0 < D; k0 += HK) {
      load(st[0], k0);
      __syncthreads();
      warp_mma(st[0], wr, wc, c);
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(C + off + (size_t)(blockIdx.y * 64 + wr * 32 + i * 16) * D + blockIdx.x * 64 + wc * 32 + j * 16,
                              c[i][j], D, wmma::mem_row_major);
}
__global__ void hgemm_ref(const half* A, const half* B, double* C) {
  size_t off = (size_t)blockIdx.x * D * D;
  for (int e = threadIdx.x; e < D * D; e += blockDim.x) {
    int r = e / D, c = e % D;
    double s = 0;
    for (int k = 0; k < D; k++) s += (double)__half2float(A[off + r * D + k]) * (double)__half2float(B[off + k * D + c]);
    C[off + e] = s;
  }
}
__global__ void fill_half(half* p, size_t n, uint32_t seed) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    p[i] = __float2half(hash_float(i, seed));
}

#ifndef SGEMM_SIZES
#define SGEMM_SIZES 1024, 2048, 4096
#endif
int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  Suite S("b_gemm");
  Blas bl;
  bool have = bl.open();
  for (int n : {SGEMM_SIZES}) {
    size_t nn = (size_t)n * n;
    float *A = dfill(nn, 11 + n), *B = dfill(nn, 12 + n), *C = dmalloc<float>(nn);
    std::vector<double> ref;
    if (!S.profile) {
      double* R = dmalloc<double>(nn);
      gemm_ref64<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, A, B, R);
      CK(cudaDeviceSynchronize());
      ref = download(R, nn);
      CK(cudaFree(R));
      auto ha = download(A, nn), hb = download(B, nn);  // spot check of the GPU reference on the CPU
      Rng r(n);
      for (int i = 0; i < 64; i++) {
        int y = r.u32() % n, x = r.u32() % n;
        double s = 0;
        for (int k = 0; k < n; k++) s += (double)ha[(size_t)y * n + k] * hb[(size_t)k * n + x];
        if (std::fabs(s - ref[(size_t)y * n + x]) > 1e-9 * n) { fprintf(stderr, "reference mismatch\n"); return 5; }
      }
    }
    J p; p.num("M", n).num("N", n).num("K", n);
    auto add = [&](const char* v, std::function<void()> run, const char* note = "") {
      Case c;
      c.section = "B1"; c.name = "sgemm"; c.variant = v; c.params = p.done(); c.run = run; c.note = note;
      c.flops = 2.0 * n * n * n; c.bytes = 0;
      c.check = [&] { auto g = download(C, nn); return rel_norm(g, ref, 1e-5, "relative L2 norm vs float64 GPU reference (CPU spot-checked)"); };
      if (!S.profile) CK(cudaMemset(C, 0xff, nn * 4));
      S.run(c);
    };
    if (n < 4096) add("naive_rowmapped_16x16", [&] { launch(sgemm_naive_rowmapped, dim3(n / 16, n / 16), dim3(16, 16), 0, 0, n, A, B, C); });
    add("naive_16x16", [&] { launch(sgemm_naive, dim3(n / 16, n / 16), dim3(16, 16), 0, 0, n, A, B, C); });
    add("naive_32x8", [&] { launch(sgemm_naive, dim3(n / 32, n / 8), dim3(32, 8), 0, 0, n, A, B, C); });
    add("tile16", [&] { launch(sgemm_tile<16>, dim3(n / 16, n / 16), dim3(16, 16), 0, 0, n, A, B, C); });
    add("tile32", [&] { launch(sgemm_tile<32>, dim3(n / 32, n / 32), dim3(32, 32), 0, 0, n, A, B, C); });
    add("reg64x64_4x4", [&] { launch(sgemm_reg<64, 64, 16, 4, 4, 1>, dim3(n / 64, n / 64), dim3(256), 0, 0, n, A, B, C); });
    add("reg64x64_4x4_3blocks_per_sm", [&] { launch(sgemm_reg<64, 64, 16, 4, 4, 3>, dim3(n / 64, n / 64), dim3(256), 0, 0, n, A, B, C); });
    add("reg128x128_8x8", [&] { launch(sgemm_reg<128, 128, 8, 8, 8, 1>, dim3(n / 128, n / 128), dim3(256), 0, 0, n, A, B, C); });
    add("reg128x128_8x8_2blocks_per_sm", [&] { launch(sgemm_reg<128, 128, 8, 8, 8, 2>, dim3(n / 128, n / 128), dim3(256), 0, 0, n, A, B, C); });
    if (have) {
      float one = 1, zero = 0;
      add("cublas_fp32", [&] {
        // row-major product = column-major product with swapped operands
        if (bl.sgemm(bl.h, 0, 0, n, n, n, &one, B, n, A, n, &zero, C, n) != 0) { fprintf(stderr, "cublasSgemm failed\n"); exit(6); }
      }, "cublasSgemm, CUBLAS_PEDANTIC_MATH (no TF32)");
    }
    CK(cudaFree(A)); CK(cudaFree(B)); CK(cudaFree(C));
  }
  for (int batch : {256, 2048}) {
    size_t n = (size_t)batch * D * D;
    half *A = dmalloc<half>(n), *B = dmalloc<half>(n);
    float* C = dmalloc<float>(n);
    fill_half<<<1056, 256>>>(A, n, 21);
    fill_half<<<1056, 256>>>(B, n, 22);
    CK(cudaDeviceSynchronize());
    std::vector<double> ref;
    size_t nc = 256 * (size_t)D * D;  // compare the first and last 256 batches
    size_t tail = n - nc;
    std::vector<double> ref2;
    if (!S.profile) {
      double* R = dmalloc<double>(n);
      hgemm_ref<<<batch, 256>>>(A, B, R);
      CK(cudaDeviceSynchronize());
      ref = download(R, nc);
      ref2 = download(R + tail, nc);
      CK(cudaFree(R));
    }
    J p; p.num("batch", batch).num("M", D).num("N", D).num("K", D);
    auto add = [&](const char* v, std::function<void()> run, const char* note = "") {
      Case c;
      c.section = "B9"; c.name = "batched_hgemm"; c.variant = v; c.params = p.done(); c.run = run; c.note = note;
      c.flops = 2.0 * batch * D * D * D; c.bytes = n * 8.0;
      c.check = [&] {
        Check k = rel_norm(download(C, nc), ref, 1e-5, "relative L2 norm vs float64 GPU reference, first and last 256 batches");
        Check k2 = rel_norm(download(C + tail, nc), ref2, 1e-5, "");
        k.ok = k.ok && k2.ok; k.err = std::max(k.err, k2.err);
        return k;
      };
      if (!S.profile) CK(cudaMemset(C, 0xff, n * 4));
      S.run(c);
    };
    add("cuda_core_tile16", [&] { launch(hgemm_cuda_tile16, dim3(8, 8, batch), dim3(16, 16), 0, 0, A, B, C); });
    add("wmma_global", [&] { launch(hgemm_wmma_global, dim3(16, 1, batch), dim3(128), 0, 0, A, B, C); });
    add("wmma_shared", [&] { launch(hgemm_wmma_staged<false>, dim3(2, 2, batch), dim3(128), 0, 0, A, B, C); });
    add("wmma_shared_cpasync2", [&] { launch(hgemm_wmma_staged<true>, dim3(2, 2, batch), dim3(128), 0, 0, A, B, C); });
    if (have) {
      float one = 1, zero = 0;
      add("cublas", [&] {
        if (bl.gemmSB(bl.h, 0, 0, D, D, D, &one, B, 2 /*R_16F*/, D, D * D, A, 2, D, D * D, &zero, C, 0 /*R_32F*/, D, D * D, batch,
                      68 /*COMPUTE_32F*/, -1) != 0) { fprintf(stderr, "cublasGemmStridedBatchedEx failed\n"); exit(6); }
      });
    }
    CK(cudaFree(A)); CK(cudaFree(B)); CK(cudaFree(C));
  }
  return S.finish(dir);
}
