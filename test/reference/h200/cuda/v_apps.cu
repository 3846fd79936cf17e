// V: programs as they are written every day, to check the simulator with: nothing in it was fitted to them.
#include "apps.cuh"
#include <cuda_fp16.h>

__device__ inline float warp_sum(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
__device__ inline float warp_max(float v) {
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}

// ---------------------------------------------------------------- V1 histogram
__global__ void hist_global(const unsigned char* __restrict__ in, size_t n, unsigned* bins) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i]], 1u);
}
__global__ void hist_shared(const unsigned char* __restrict__ in, size_t n, unsigned* bins) {
  __shared__ unsigned part[256];
  part[threadIdx.x] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    atomicAdd(&part[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}
__global__ void hist_shared_vec(const uint4* __restrict__ in, size_t n, unsigned* bins) {
  __shared__ unsigned part[8][257];
  for (int i = threadIdx.x; i < 8 * 257; i += 256) part[0][i] = 0;
  __syncthreads();
  unsigned* mine = part[threadIdx.x / 32];
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    uint4 q = in[i];
    unsigned w[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
      atomicAdd(&mine[w[k] & 255], 1u);
      atomicAdd(&mine[w[k] >> 8 & 255], 1u);
      atomicAdd(&mine[w[k] >> 16 & 255], 1u);
      atomicAdd(&mine[w[k] >> 24], 1u);
    }
  }
  __syncthreads();
  unsigned s = 0;
  for (int k = 0; k < 8; k++) s += part[k][threadIdx.x];
  atomicAdd(&bins[threadIdx.x], s);
}

// ---------------------------------------------------------------- V2 prefix sums of 1024 per block
__global__ void scan_hillis_steele(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int a[2][1024];
  int t = threadIdx.x, from = 0;
  size_t i = blockIdx.x * (size_t)1024 + t;
  a[0][t] = in[i];
  __syncthreads();
  for (int d = 1; d < 1024; d <<= 1) {
    a[1 - from][t] = t >= d ? a[from][t] + a[from][t - d] : a[from][t];
    from = 1 - from;
    __syncthreads();
  }
  out[i] = a[from][t];
}
__global__ void scan_shuffle(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int sums[32];
  int t = threadIdx.x, lane = t & 31, w = t >> 5;
  size_t i = blockIdx.x * (size_t)1024 + t;
  int v = in[i];
  for (int d = 1; d < 32; d <<= 1) {
    int o = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += o;
  }
  if (lane == 31) sums[w] = v;
  __syncthreads();
  if (w == 0) {
    int s = sums[lane];
    for (int d = 1; d < 32; d <<= 1) {
      int o = __shfl_up_sync(~0u, s, d);
      if (lane >= d) s += o;
    }
    sums[lane] = s;
  }
  __syncthreads();
  out[i] = v + (w ? sums[w - 1] : 0);
}
__global__ void scan_shuffle_int4(const int4* __restrict__ in, int4* __restrict__ out) {
  __shared__ int sums[8];
  int t = threadIdx.x, lane = t & 31, w = t >> 5;
  size_t i = blockIdx.x * (size_t)256 + t;
  int4 q = in[i];
  q.y += q.x;
  q.z += q.y;
  q.w += q.z;
  int v = q.w;
  for (int d = 1; d < 32; d <<= 1) {
    int o = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += o;
  }
  if (lane == 31) sums[w] = v;
  __syncthreads();
  int before = v - q.w;
  for (int k = 0; k < w; k++) before += sums[k];
  out[i] = make_int4(q.x + before, q.y + before, q.z + before, q.w + before);
}

// ---------------------------------------------------------------- V3 sparse matrix times vector
__global__ void spmv_row_per_thread(const int* __restrict__ start, const int* __restrict__ col, const float* __restrict__ val,
                                    const float* __restrict__ x, float* y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = start[r]; k < start[r + 1]; k++) s += val[k] * x[col[k]];
  y[r] = s;
}
__global__ void spmv_row_per_warp(const int* __restrict__ start, const int* __restrict__ col, const float* __restrict__ val,
                                  const float* __restrict__ x, float* y, int rows) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (r >= rows) return;
  float s = 0;
  for (int k = start[r] + lane; k < start[r + 1]; k += 32) s += val[k] * x[col[k]];
  s = warp_sum(s);
  if (lane == 0) y[r] = s;
}

// ---------------------------------------------------------------- V4 n bodies
__device__ inline float3 pull(float3 a, float4 p, float4 q) {
  float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
  float d = dx * dx + dy * dy + dz * dz + 1e-4f;
  float r = rsqrtf(d), s = q.w * r * r * r;
  return make_float3(a.x + dx * s, a.y + dy * s, a.z + dz * s);
}
__global__ void nbody_global(const float4* __restrict__ body, float4* acc, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 p = body[i];
  float3 a = make_float3(0, 0, 0);
  for (int j = 0; j < n; j++) a = pull(a, p, body[j]);
  acc[i] = make_float4(a.x, a.y, a.z, 0);
}
__global__ void nbody_tiled(const float4* __restrict__ body, float4* acc, int n) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 p = body[i];
  float3 a = make_float3(0, 0, 0);
  for (int t = 0; t < n; t += 256) {
    tile[threadIdx.x] = body[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 256; j++) a = pull(a, p, tile[j]);
    __syncthreads();
  }
  acc[i] = make_float4(a.x, a.y, a.z, 0);
}

// ---------------------------------------------------------------- V5 softmax of rows of 1024
__global__ void softmax_three_passes(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float part[256];
  const float* row = in + blockIdx.x * (size_t)n;
  float m = -INFINITY, s = 0;
  for (int i = threadIdx.x; i < n; i += 256) m = fmaxf(m, row[i]);
  part[threadIdx.x] = m;
  __syncthreads();
  for (int d = 128; d; d >>= 1) {
    if (threadIdx.x < d) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + d]);
    __syncthreads();
  }
  m = part[0];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 256) s += expf(row[i] - m);
  part[threadIdx.x] = s;
  __syncthreads();
  for (int d = 128; d; d >>= 1) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  s = part[0];
  for (int i = threadIdx.x; i < n; i += 256) out[blockIdx.x * (size_t)n + i] = expf(row[i] - m) / s;
}
__global__ void softmax_warp(const float* __restrict__ in, float* __restrict__ out) {
  size_t row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x & 31;
  const float4* p = (const float4*)(in + row * 1024);
  float4 v[8];
  float m = -INFINITY, s = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    v[k] = p[k * 32 + lane];
    m = fmaxf(m, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  }
  m = warp_max(m);
#pragma unroll
  for (int k = 0; k < 8; k++) {
    v[k] = make_float4(__expf(v[k].x - m), __expf(v[k].y - m), __expf(v[k].z - m), __expf(v[k].w - m));
    s += v[k].x + v[k].y + v[k].z + v[k].w;
  }
  s = 1 / warp_sum(s);
#pragma unroll
  for (int k = 0; k < 8; k++)
    ((float4*)(out + row * 1024))[k * 32 + lane] = make_float4(v[k].x * s, v[k].y * s, v[k].z * s, v[k].w * s);
}

// ---------------------------------------------------------------- V6 layer norm of rows of 1024
__global__ void layernorm_row_per_thread(const float* __restrict__ in, float* __restrict__ out, int rows, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0, q = 0;
  for (int i = 0; i < n; i++) {
    float v = in[(size_t)r * n + i];
    s += v;
    q += v * v;
  }
  float mean = s / n, k = rsqrtf(q / n - mean * mean + 1e-5f);
  for (int i = 0; i < n; i++) out[(size_t)r * n + i] = (in[(size_t)r * n + i] - mean) * k;
}
__global__ void layernorm_row_per_block(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float parts[2][8];
  const float* row = in + blockIdx.x * (size_t)n;
  float s = 0, q = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    float v = row[i];
    s += v;
    q += v * v;
  }
  s = warp_sum(s);
  q = warp_sum(q);
  if ((threadIdx.x & 31) == 0) parts[0][threadIdx.x / 32] = s, parts[1][threadIdx.x / 32] = q;
  __syncthreads();
  s = q = 0;
  for (int k = 0; k < 8; k++) s += parts[0][k], q += parts[1][k];
  float mean = s / n, k = rsqrtf(q / n - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < n; i += 256) out[blockIdx.x * (size_t)n + i] = (row[i] - mean) * k;
}

// ---------------------------------------------------------------- V7 convolution 5 x 5, the filter in constant memory
__constant__ float filter5[25];
__global__ void conv_global(const float* __restrict__ in, float* __restrict__ out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++) {
      int u = x + i, v = y + j;
      if (u >= 0 && u < n && v >= 0 && v < n) s += in[v * n + u] * filter5[(j + 2) * 5 + i + 2];
    }
  out[y * n + x] = s;
}
__global__ void conv_shared(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float t[12][36];
  int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 8 - 2;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 12 * 36; k += 256) {
    int u = x0 + k % 36, v = y0 + k / 36;
    t[k / 36][k % 36] = u >= 0 && u < n && v >= 0 && v < n ? in[v * n + u] : 0;
  }
  __syncthreads();
  float s = 0;
#pragma unroll
  for (int j = 0; j < 5; j++)
#pragma unroll
    for (int i = 0; i < 5; i++) s += t[threadIdx.y + j][threadIdx.x + i] * filter5[j * 5 + i];
  out[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = s;
}

// ---------------------------------------------------------------- V8 bitonic sort of 2048 keys per block
__global__ void sort_bitonic(unsigned* keys) {
  __shared__ unsigned a[2048];
  unsigned* mine = keys + blockIdx.x * (size_t)2048;
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) a[i] = mine[i];
  for (int k = 2; k <= 2048; k <<= 1)
    for (int j = k >> 1; j; j >>= 1) {
      __syncthreads();
      for (int t = threadIdx.x; t < 1024; t += blockDim.x) {
        int i = 2 * t - (t & (j - 1)), l = i + j;
        bool up = (i & k) == 0;
        unsigned x = a[i], y = a[l];
        if ((x > y) == up) a[i] = y, a[l] = x;
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) mine[i] = a[i];
}

// ---------------------------------------------------------------- V9 Black-Scholes
__device__ inline float normal(float d) { return 0.5f * erfcf(-d * 0.70710678f); }
__device__ inline float normal_polynomial(float d) {
  float k = __fdividef(1, 1 + 0.2316419f * fabsf(d));
  float c = 0.39894228f * __expf(-0.5f * d * d) *
            (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1 - c : c;
}
template <bool fast>
__global__ void black_scholes(const float* __restrict__ spot, const float* __restrict__ strike, const float* __restrict__ years,
                              float* __restrict__ call, float* __restrict__ put, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = spot[i], x = strike[i], t = years[i], q = fast ? __fsqrt_rn(t) : sqrtf(t);
  float d1 = ((fast ? __logf(s / x) : logf(s / x)) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * q), d2 = d1 - 0.3f * q;
  float c1 = fast ? normal_polynomial(d1) : normal(d1), c2 = fast ? normal_polynomial(d2) : normal(d2);
  float e = fast ? __expf(-0.02f * t) : expf(-0.02f * t);
  call[i] = s * c1 - x * e * c2;
  put[i] = x * e * (1 - c2) - s * (1 - c1);
}

// ---------------------------------------------------------------- V10 Mandelbrot
__global__ void mandelbrot(int* out, int w, int h, int most) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float cx = -2.2f + 3.2f * x / w, cy = -1.2f + 2.4f * y / h, a = 0, b = 0;
  int k = 0;
  while (k < most && a * a + b * b < 4) {
    float t = a * a - b * b + cx;
    b = 2 * a * b + cy;
    a = t;
    k++;
  }
  out[y * w + x] = k;
}

// ---------------------------------------------------------------- V11 Monte Carlo
__global__ void monte_carlo(unsigned* hits, int rounds) {
  unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345, in = 0;
  for (int k = 0; k < rounds; k++) {
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    float x = (s >> 8) * (1.0f / 16777216.0f);
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    float y = (s >> 8) * (1.0f / 16777216.0f);
    in += x * x + y * y < 1;
  }
  for (int o = 16; o; o >>= 1) in += __shfl_down_sync(~0u, in, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(hits, in);
}

// ---------------------------------------------------------------- V12 matrix times vector
__global__ void matvec_row_per_thread(const float* __restrict__ a, const float* __restrict__ x, float* y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k++) s += a[(size_t)r * n + k] * x[k];
  y[r] = s;
}
__global__ void matvec_row_per_warp(const float* __restrict__ a, const float* __restrict__ x, float* y, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  float s = 0;
  for (int k = lane; k < n; k += 32) s += a[(size_t)r * n + k] * x[k];
  s = warp_sum(s);
  if (lane == 0) y[r] = s;
}
__global__ void matvec_row_per_warp_float4(const float4* __restrict__ a, const float4* __restrict__ x, float* y, int n4) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  float s = 0;
  for (int k = lane; k < n4; k += 32) {
    float4 p = a[(size_t)r * n4 + k], q = x[k];
    s += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  s = warp_sum(s);
  if (lane == 0) y[r] = s;
}

// ---------------------------------------------------------------- V13 many 4 x 4 products
__global__ void small_aos(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int r = 0; r < 4; r++)
    for (int s = 0; s < 4; s++) {
      float v = 0;
      for (int k = 0; k < 4; k++) v += a[i * 16 + r * 4 + k] * b[i * 16 + k * 4 + s];
      c[i * 16 + r * 4 + s] = v;
    }
}
__global__ void small_soa(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int r = 0; r < 4; r++)
    for (int s = 0; s < 4; s++) {
      float v = 0;
      for (int k = 0; k < 4; k++) v += a[(r * 4 + k) * n + i] * b[(k * 4 + s) * n + i];
      c[(r * 4 + s) * n + i] = v;
    }
}

// ---------------------------------------------------------------- V14 GELU
__device__ inline float gelu(float x) { return 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); }
__global__ void gelu_float(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = gelu(in[i]);
}
__global__ void gelu_half2(const half2* __restrict__ in, half2* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 v = __half22float2(in[i]);
  out[i] = __floats2half2_rn(gelu(v.x), gelu(v.y));
}

// ---------------------------------------------------------------- V15 double precision
__global__ void fp64_polynomial(const double* __restrict__ in, double* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = in[i], s = 0;
#pragma unroll
  for (int k = 32; k; k--) s = s * x + 1.0 / k;
  out[i] = s;
}
__global__ void fp64_exp_sqrt(const double* __restrict__ in, double* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = exp(-in[i] * in[i]) / sqrt(1 + in[i] * in[i]);
}

// ---------------------------------------------------------------- V16 rows of a table by index
__global__ void gather_thread_per_value(const float* __restrict__ table, const int* __restrict__ index, float* out, int n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < (size_t)n * 64) out[i] = table[(size_t)index[i / 64] * 64 + i % 64];
}
__global__ void gather_float4(const float4* __restrict__ table, const int* __restrict__ index, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * 16) out[i] = table[index[i / 16] * 16 + i % 16];
}

// ---------------------------------------------------------------- V17 values above a bound, packed
__global__ void filter_atomic(const float* __restrict__ in, float* out, unsigned* count, float bound, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > bound) out[atomicAdd(count, 1u)] = in[i];
}
__global__ void filter_ballot(const float* __restrict__ in, float* out, unsigned* count, float bound, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool take = i < n && in[i] > bound;
  unsigned who = __ballot_sync(~0u, take), at = 0;
  if (lane == 0 && who) at = atomicAdd(count, __popc(who));
  at = __shfl_sync(~0u, at, 0);
  if (take) out[at + __popc(who & ((1u << lane) - 1))] = in[i];
}
__global__ void filter_block(const float* __restrict__ in, float* out, unsigned* count, float bound, int n) {
  __shared__ unsigned many, base;
  if (threadIdx.x == 0) many = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool take = i < n && in[i] > bound;
  unsigned at = 0;
  if (take) at = atomicAdd(&many, 1u);
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(count, many);
  __syncthreads();
  if (take) out[base + at] = in[i];
}

// ---------------------------------------------------------------- V18 a table of 256 values
__constant__ float table256[256];
__global__ void lookup_constant(const unsigned char* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table256[in[i]];
}
__global__ void lookup_global(const unsigned char* __restrict__ in, const float* __restrict__ table, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __ldg(table + in[i]);
}
__global__ void lookup_shared(const unsigned char* __restrict__ in, const float* __restrict__ table, float* __restrict__ out, int n) {
  __shared__ float t[256];
  t[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = t[in[i]];
}

// ---------------------------------------------------------------- V19 seven points of 3D
__global__ void jacobi_naive(const float* __restrict__ in, float* __restrict__ out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  int i = (z * n + y) * n + x;
  out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n]);
}
__global__ void jacobi_marching(const float* __restrict__ in, float* __restrict__ out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z0 = blockIdx.z * 32;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int first = max(z0, 1), last = min(z0 + 32, n - 1), i = (first * n + y) * n + x;
  float below = in[i - n * n], here = in[i];
  for (int z = first; z < last; z++, i += n * n) {
    float above = in[i + n * n];
    out[i] = 0.4f * here + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + below + above);
    below = here;
    here = above;
  }
}

// ---------------------------------------------------------------- V20 attention, heads of 64, one query per thread
__global__ void attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* out, int n) {
  __shared__ float ks[32][64], vs[32][64];
  size_t head = blockIdx.y * (size_t)n * 64;
  int row = blockIdx.x * 128 + threadIdx.x;
  float mine[64], acc[64], m = -INFINITY, sum = 0;
#pragma unroll
  for (int d = 0; d < 64; d++) mine[d] = q[head + row * 64 + d], acc[d] = 0;
  for (int t = 0; t < n; t += 32) {
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * 64; i += 128) {
      ks[i / 64][i % 64] = k[head + t * 64 + i];
      vs[i / 64][i % 64] = v[head + t * 64 + i];
    }
    __syncthreads();
    for (int j = 0; j < 32; j++) {
      float s = 0;
#pragma unroll
      for (int d = 0; d < 64; d++) s += mine[d] * ks[j][d];
      s *= 0.125f;
      float top = fmaxf(m, s), old = __expf(m - top), p = __expf(s - top);
      sum = sum * old + p;
#pragma unroll
      for (int d = 0; d < 64; d++) acc[d] = acc[d] * old + p * vs[j][d];
      m = top;
    }
  }
#pragma unroll
  for (int d = 0; d < 64; d++) out[head + row * 64 + d] = acc[d] / sum;
}

// ---------------------------------------------------------------- V21 product of int8, four at a time
__global__ void gemm_int8(const int* __restrict__ a, const int* __restrict__ b, int* c, int n, int k4) {
  __shared__ int as[32][33], bs[32][33];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32;
  int s[4] = {0, 0, 0, 0};
  for (int t = 0; t < k4; t += 32) {
    for (int j = 0; j < 32; j += 8) {
      as[ty + j][tx] = a[(row + j) * k4 + t + tx];
      bs[ty + j][tx] = b[(col + ty + j) * k4 + t + tx];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k++)
      for (int j = 0; j < 4; j++) s[j] = __dp4a(as[ty + j * 8][k], bs[tx][k], s[j]);
    __syncthreads();
  }
  for (int j = 0; j < 4; j++) c[(row + j * 8) * n + col + tx] = s[j];
}

// ---------------------------------------------------------------- V22 letters to lower case, by byte and by word
__global__ void lower_byte(const char* __restrict__ in, char* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  char c = in[i];
  out[i] = c >= 'A' && c <= 'Z' ? c + 32 : c;
}
__global__ void lower_word(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned w = in[i], r = 0;
#pragma unroll
  for (int k = 0; k < 32; k += 8) {
    unsigned c = w >> k & 255;
    r |= (c >= 'A' && c <= 'Z' ? c + 32 : c) << k;
  }
  out[i] = r;
}

// ---------------------------------------------------------------- V23 Collatz
__global__ void collatz(unsigned* longest, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  unsigned long long v = i;
  unsigned k = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    k++;
  }
  if (i < n) longest[i] = k;
}

// ---------------------------------------------------------------- V24 colours to grey
__global__ void grey_rgb(const uchar3* __restrict__ in, unsigned char* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar3 p = in[i];
  out[i] = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
}
__global__ void grey_rgba(const uchar4* __restrict__ in, unsigned char* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 p = in[i];
  out[i] = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
}

// ---------------------------------------------------------------- V25 FFT of 1024 points per block
template <bool fast>
__global__ void fft1024(float2* data) {
  __shared__ float2 a[1024];
  int t = threadIdx.x;
  float2* mine = data + blockIdx.x * (size_t)1024;
  for (int i = t; i < 1024; i += 256) a[__brev(i) >> 22] = mine[i];
  for (int len = 2; len <= 1024; len <<= 1) {
    __syncthreads();
    for (int k = t; k < 512; k += 256) {
      int half = len / 2, j = k & (half - 1), i = (k - j) * 2 + j;
      float s, c, angle = -6.2831853f * j / len;
      if (fast) __sincosf(angle, &s, &c);
      else sincosf(angle, &s, &c);
      float2 u = a[i], v = a[i + half], w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
      a[i] = make_float2(u.x + w.x, u.y + w.y);
      a[i + half] = make_float2(u.x - w.x, u.y - w.y);
    }
  }
  __syncthreads();
  for (int i = t; i < 1024; i += 256) mine[i] = a[i];
}

// ---------------------------------------------------------------- V26 a step of breadth-first search
__global__ void bfs_step(const int* __restrict__ start, const int* __restrict__ edge, int* level, int now, int* more, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != now) return;
  for (int k = start[v]; k < start[v + 1]; k++)
    if (level[edge[k]] < 0) level[edge[k]] = now + 1, *more = 1;
}

// ---------------------------------------------------------------- V27 hash: 64 rounds of rotations
__global__ void hash_rounds(const uint4* __restrict__ in, uint4* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 h = in[i];
#pragma unroll 16
  for (int r = 0; r < 64; r++) {
    unsigned s = (h.x >> 6 | h.x << 26) ^ (h.x >> 11 | h.x << 21) ^ (h.x >> 25 | h.x << 7);
    unsigned f = (h.x & h.y) ^ (~h.x & h.z), t = h.w + s + f + 0x9e3779b9u * r;
    h = make_uint4(t + (h.y & h.z), h.x, h.y, h.z);
  }
  out[i] = h;
}

// ---------------------------------------------------------------- V28 closest of 64 centres
__global__ void kmeans_global(const float2* __restrict__ point, const float2* __restrict__ centre, int* __restrict__ nearest, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = point[i];
  float best = INFINITY;
  int which = 0;
  for (int k = 0; k < 64; k++) {
    float dx = p.x - centre[k].x, dy = p.y - centre[k].y, d = dx * dx + dy * dy;
    if (d < best) best = d, which = k;
  }
  nearest[i] = which;
}
__global__ void kmeans_shared(const float2* __restrict__ point, const float2* __restrict__ centre, int* __restrict__ nearest, int n) {
  __shared__ float2 c[64];
  if (threadIdx.x < 64) c[threadIdx.x] = centre[threadIdx.x];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float2 p = point[i];
    float best = INFINITY;
    int which = 0;
    for (int k = 0; k < 64; k++) {
      float dx = p.x - c[k].x, dy = p.y - c[k].y, d = dx * dx + dy * dy;
      if (d < best) best = d, which = k;
    }
    nearest[i] = which;
  }
}

int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  Suite S("v_apps");
  auto add = adder(S);
  J p;

  {  // V1
    size_t n = 64 * M;
    std::vector<unsigned char> in(n);
    std::vector<unsigned> want(256);
    Rng r(1);
    for (size_t i = 0; i < n; i += 4) {
      unsigned w = r.u32();
      for (int k = 0; k < 4; k++) { unsigned a = w >> 8 * k & 255; in[i + k] = (a * a) >> 8; }
    }
    for (auto v : in) want[v] += 1;
    unsigned char* d = upload(in);
    unsigned* bins = dmalloc<unsigned>(256);
    p = J().num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(bins, 0, 1024));
      add("V1", "histogram", variant, p, run, [&] {
        auto g = download(bins, 256);
        double bad = 0;
        for (int i = 0; i < 256; i++) bad += g[i] != want[i];
        return exact(bad);
      });
    };
    one("global_atomics", [&] { launch(hist_global, dim3(1056), dim3(256), 0, 0, d, n, bins); });
    one("shared_per_block", [&] { launch(hist_shared, dim3(1056), dim3(256), 0, 0, d, n, bins); });
    one("shared_per_warp_uint4", [&] { launch(hist_shared_vec, dim3(1056), dim3(256), 0, 0, (const uint4*)d, n / 16, bins); });
    CK(cudaFree(d)); CK(cudaFree(bins));
  }
  {  // V2
    size_t n = 16 * M;
    std::vector<int> in(n);
    Rng r(2);
    for (auto& v : in) v = r.u32() % 100;
    int *d = upload(in), *o = dmalloc<int>(n);
    p = J().num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(o, 0xff, n * 4));
      add("V2", "scan_1024", variant, p, run, [&] {
        auto g = download(o, n);
        double bad = 0;
        int s = 0;
        for (size_t i = 0; i < n; i++) { s = (i % 1024 ? s : 0) + in[i]; bad += g[i] != s; }
        return exact(bad);
      });
    };
    one("hillis_steele", [&] { launch(scan_hillis_steele, dim3(n / 1024), dim3(1024), 0, 0, d, o); });
    one("shuffle", [&] { launch(scan_shuffle, dim3(n / 1024), dim3(1024), 0, 0, d, o); });
    one("shuffle_int4", [&] { launch(scan_shuffle_int4, dim3(n / 1024), dim3(256), 0, 0, (const int4*)d, (int4*)o); });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  for (int per : {8, 64}) {  // V3, V26
    int rows = 8 * M / per;
    std::vector<int> start(rows + 1), col;
    Rng r(3);
    for (int i = 0; i < rows; i++) {
      start[i] = col.size();
      int many = per / 2 + r.u32() % (per + 1);
      for (int k = 0; k < many; k++) col.push_back(r.u32() % rows);
    }
    start[rows] = col.size();
    auto val = rand_floats(col.size(), 4), x = rand_floats(rows, 5);
    int *ds = upload(start), *dc = upload(col);
    float *dv = upload(val), *dx = upload(x), *dy = dmalloc<float>(rows);
    p = J().num("rows", rows).num("nonzeros", col.size());
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(dy, 0xff, rows * 4));
      add("V3", "spmv_csr", variant, p, run, [&] {
        auto g = download(dy, rows);
        double worst = 0;
        for (int i = 0; i < rows; i++) {
          double s = 0;
          for (int k = start[i]; k < start[i + 1]; k++) s += (double)val[k] * x[col[k]];
          worst = std::max(worst, std::fabs(s - g[i]));
        }
        return close(worst, 1e-3);
      });
    };
    one("row_per_thread", [&] { launch(spmv_row_per_thread, dim3((rows + 255) / 256), dim3(256), 0, 0, ds, dc, dv, dx, dy, rows); });
    one("row_per_warp", [&] { launch(spmv_row_per_warp, dim3((rows + 7) / 8), dim3(256), 0, 0, ds, dc, dv, dx, dy, rows); });
    if (per == 8) {
      std::vector<int> level(rows, -1), want;
      for (int i = 0; i < rows; i += 50) level[i] = 3;
      want = level;
      for (int i = 0; i < rows; i += 50)
        for (int k = start[i]; k < start[i + 1]; k++) if (want[col[k]] < 0) want[col[k]] = 4;
      int *dl = upload(level), *more = dmalloc<int>(1);
      add("V26", "bfs", "step", p, [&] { launch(bfs_step, dim3((rows + 255) / 256), dim3(256), 0, 0, ds, dc, dl, 3, more, rows); },
          [&] {
            auto g = download(dl, rows);
            double bad = 0;
            for (int i = 0; i < rows; i++) bad += g[i] != want[i];
            return exact(bad);
          },
          [&] { CK(cudaMemcpy(dl, level.data(), rows * 4, cudaMemcpyHostToDevice)); });
      CK(cudaFree(dl)); CK(cudaFree(more));
    }
    CK(cudaFree(ds)); CK(cudaFree(dc)); CK(cudaFree(dv)); CK(cudaFree(dx)); CK(cudaFree(dy));
  }
  {  // V4
    int n = 16384;
    auto b = rand_floats(n * 4, 6);
    float4 *d = (float4*)upload(b), *o = dmalloc<float4>(n);
    p = J().num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(o, 0xff, n * 16));
      add("V4", "nbody", variant, p, run, [&] {
        auto g = download(o, n);
        double worst = 0;
        for (int i = 0; i < n; i += 1111) {
          double s = 0, a = 0;
          for (int j = 0; j < n; j++) {
            double dx = b[4 * j] - b[4 * i], dy = b[4 * j + 1] - b[4 * i + 1], dz = b[4 * j + 2] - b[4 * i + 2];
            double q = dx * dx + dy * dy + dz * dz + 1e-4;
            s += dx * b[4 * j + 3] / (q * std::sqrt(q)), a += std::fabs(dx * b[4 * j + 3] / (q * std::sqrt(q)));
          }
          worst = std::max(worst, std::fabs(s - g[i].x) / a);
        }
        return close(worst, 1e-4);
      });
    };
    one("global", [&] { launch(nbody_global, dim3(n / 256), dim3(256), 0, 0, d, o, n); });
    one("tiled", [&] { launch(nbody_tiled, dim3(n / 256), dim3(256), 0, 0, d, o, n); });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  {  // V5, V6
    int rows = 16384, n = 1024;
    float *d = dfill((size_t)rows * n, 7), *o = dmalloc<float>((size_t)rows * n);
    p = J().num("rows", rows).num("columns", n);
    auto one = [&](const char* section, const char* name, const char* variant, bool norm, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(o, 0xff, (size_t)rows * n * 4));
      add(section, name, variant, p, run, [&, norm] {
        auto g = download(o, (size_t)rows * n);
        double worst = 0;
        for (size_t r = 0; r < (size_t)rows; r += 331) {
          double s = 0, q = 0;
          for (int i = 0; i < n; i++) { double v = hash_float(r * n + i, 7); s += norm ? v : std::exp(v); q += v * v; }
          for (int i = 0; i < n; i++) {
            double v = hash_float(r * n + i, 7);
            double want = norm ? (v - s / n) / std::sqrt(q / n - s / n * s / n + 1e-5) : std::exp(v) / s * 1000;
            worst = std::max(worst, std::fabs(want - g[r * n + i] * (norm ? 1 : 1000)));
          }
        }
        return close(worst, 1e-3);
      });
    };
    one("V5", "softmax", "three_passes", false, [&] { launch(softmax_three_passes, dim3(rows), dim3(256), 0, 0, d, o, n); });
    one("V5", "softmax", "warp_float4_fast_exp", false, [&] { launch(softmax_warp, dim3(rows / 8), dim3(256), 0, 0, d, o); });
    one("V6", "layernorm", "row_per_thread", true, [&] { launch(layernorm_row_per_thread, dim3(rows / 128), dim3(128), 0, 0, d, o, rows, n); });
    one("V6", "layernorm", "row_per_block", true, [&] { launch(layernorm_row_per_block, dim3(rows), dim3(256), 0, 0, d, o, n); });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  {  // V7
    int n = 4096;
    std::vector<float> f = rand_floats(25, 8);
    CK(cudaMemcpyToSymbol(filter5, f.data(), 100));
    float *d = dfill((size_t)n * n, 9), *o = dmalloc<float>((size_t)n * n);
    p = J().num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(o, 0xff, (size_t)n * n * 4));
      add("V7", "conv5x5", variant, p, run, [&] {
        auto g = download(o, (size_t)n * n);
        double worst = 0;
        for (int y = 0; y < n; y += 117)
          for (int x = 0; x < n; x++) {
            double s = 0;
            for (int j = -2; j <= 2; j++)
              for (int i = -2; i <= 2; i++) {
                int u = x + i, v = y + j;
                if (u >= 0 && u < n && v >= 0 && v < n) s += (double)hash_float((size_t)v * n + u, 9) * f[(j + 2) * 5 + i + 2];
              }
            worst = std::max(worst, std::fabs(s - g[(size_t)y * n + x]));
          }
        return close(worst, 1e-4);
      });
    };
    one("global", [&] { launch(conv_global, dim3(n / 32, n / 8), dim3(32, 8), 0, 0, d, o, n); });
    one("shared", [&] { launch(conv_shared, dim3(n / 32, n / 8), dim3(32, 8), 0, 0, d, o, n); });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  {  // V8
    size_t n = 4 * M;
    std::vector<unsigned> in(n);
    Rng r(10);
    for (auto& v : in) v = r.u32();
    unsigned* d = upload(in);
    p = J().num("n", n);
    for (int threads : {1024, 256})
      add("V8", "bitonic_2048", threads == 1024 ? "1024_threads" : "256_threads", p,
          [&, threads] { launch(sort_bitonic, dim3(n / 2048), dim3(threads), 0, 0, d); },
          [&] {
            auto g = download(d, n);
            double bad = 0;
            for (size_t i = 1; i < n; i++) bad += i % 2048 && g[i] < g[i - 1];
            return exact(bad);
          },
          [&] { CK(cudaMemcpy(d, in.data(), n * 4, cudaMemcpyHostToDevice)); });
    CK(cudaFree(d));
  }
  {  // V9
    int n = 4 * M;
    std::vector<float> s(n), x(n), t(n);
    Rng r(11);
    for (int i = 0; i < n; i++) s[i] = 5 + 25 * r.uni(), x[i] = 1 + 99 * r.uni(), t[i] = 0.25f + 9.75f * r.uni();
    float *ds = upload(s), *dx = upload(x), *dt = upload(t), *c = dmalloc<float>(n), *q = dmalloc<float>(n);
    p = J().num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(c, 0xff, (size_t)n * 4));
      add("V9", "black_scholes", variant, p, run, [&] {
        auto g = download(c, n);
        double worst = 0;
        for (int i = 0; i < n; i += 97) {
          double v = 0.3 * std::sqrt((double)t[i]), d1 = (std::log((double)s[i] / x[i]) + 0.065 * t[i]) / v;
          auto cdf = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
          worst = std::max(worst, std::fabs(s[i] * cdf(d1) - x[i] * std::exp(-0.02 * t[i]) * cdf(d1 - v) - g[i]));
        }
        return close(worst, 2e-3);
      });
    };
    one("exact", [&] { launch(black_scholes<false>, dim3(n / 128), dim3(128), 0, 0, ds, dx, dt, c, q, n); });
    one("intrinsics", [&] { launch(black_scholes<true>, dim3(n / 128), dim3(128), 0, 0, ds, dx, dt, c, q, n); });
    CK(cudaFree(ds)); CK(cudaFree(dx)); CK(cudaFree(dt)); CK(cudaFree(c)); CK(cudaFree(q));
  }
  {  // V10
    int w = 2048, h = 1024, most = 256;
    int* o = dmalloc<int>(w * h);
    p = J().num("width", w).num("most", most);
    auto one = [&](const char* variant, dim3 block) {
      if (!S.profile) CK(cudaMemset(o, 0xff, w * h * 4));
      add("V10", "mandelbrot", variant, p, [&, block] { launch(mandelbrot, dim3(w / block.x, h / block.y), block, 0, 0, o, w, h, most); },
          [&] {
            auto g = download(o, w * h);
            double bad = 0, all = 0;
            for (int y = 0; y < h; y += 31)
              for (int x = 0; x < w; x++) {
                float cx = -2.2f + 3.2f * x / w, cy = -1.2f + 2.4f * y / h, a = 0, b = 0;
                int k = 0;
                while (k < most && a * a + b * b < 4) { float t = a * a - b * b + cx; b = 2 * a * b + cy; a = t; k++; }
                bad += std::abs(g[y * w + x] - k) > 1, all++;
              }
            return Check{bad / all < 0.02, bad / all, "share of pixels off by more than one"};
          });
    };
    one("256x1", dim3(256, 1));
    one("16x16", dim3(16, 16));
    one("8x4", dim3(8, 4));
    CK(cudaFree(o));
  }
  {  // V11
    int rounds = 200;
    unsigned* hits = dmalloc<unsigned>(1);
    p = J().num("rounds", rounds);
    if (!S.profile) CK(cudaMemset(hits, 0, 4));
    add("V11", "monte_carlo", "xorshift", p, [&] { launch(monte_carlo, dim3(2112), dim3(256), 0, 0, hits, rounds); },
        [&] {
          double pi = 4.0 * download(hits, 1)[0] / (2112.0 * 256 * rounds);
          return close(std::fabs(pi - 3.14159265), 1e-2);
        });
    CK(cudaFree(hits));
  }
  {  // V12
    int n = 8192;
    float *a = dfill((size_t)n * n, 12), *x = dfill(n, 13), *y = dmalloc<float>(n);
    p = J().num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(y, 0xff, n * 4));
      add("V12", "matvec", variant, p, run, [&] {
        auto g = download(y, n);
        double worst = 0;
        for (size_t r = 0; r < (size_t)n; r += 111) {
          double s = 0;
          for (int k = 0; k < n; k++) s += (double)hash_float(r * n + k, 12) * hash_float(k, 13);
          worst = std::max(worst, std::fabs(s - g[r]));
        }
        return close(worst, 1e-2);
      });
    };
    one("row_per_thread", [&] { launch(matvec_row_per_thread, dim3(n / 64), dim3(64), 0, 0, a, x, y, n); });
    one("row_per_warp", [&] { launch(matvec_row_per_warp, dim3(n / 8), dim3(256), 0, 0, a, x, y, n); });
    one("row_per_warp_float4", [&] { launch(matvec_row_per_warp_float4, dim3(n / 8), dim3(256), 0, 0, (const float4*)a, (const float4*)x, y, n / 4); });
    CK(cudaFree(a)); CK(cudaFree(x)); CK(cudaFree(y));
  }
  {  // V13
    int n = 1 * M;
    float *a = dfill((size_t)n * 16, 14), *b = dfill((size_t)n * 16, 15), *c = dmalloc<float>((size_t)n * 16);
    p = J().num("n", n);
    auto one = [&](const char* variant, bool soa, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(c, 0xff, (size_t)n * 64));
      add("V13", "small_products", variant, p, run, [&, soa] {
        auto g = download(c, (size_t)n * 16);
        double worst = 0;
        for (size_t i = 0; i < (size_t)n; i += 997)
          for (size_t e = 0; e < 16; e++) {
            double s = 0;
            for (size_t k = 0; k < 4; k++) {
              size_t u = e / 4 * 4 + k, v = k * 4 + e % 4;
              s += (double)hash_float(soa ? u * n + i : i * 16 + u, 14) * hash_float(soa ? v * n + i : i * 16 + v, 15);
            }
            worst = std::max(worst, std::fabs(s - g[soa ? e * n + i : i * 16 + e]));
          }
        return close(worst, 1e-5);
      });
    };
    one("aos", false, [&] { launch(small_aos, dim3(n / 128), dim3(128), 0, 0, a, b, c, n); });
    one("soa", true, [&] { launch(small_soa, dim3(n / 128), dim3(128), 0, 0, a, b, c, n); });
    CK(cudaFree(a)); CK(cudaFree(b)); CK(cudaFree(c));
  }
  {  // V14
    int n = 16 * M;
    std::vector<half> h(n);
    for (int i = 0; i < n; i++) h[i] = __float2half(hash_float(i, 16));
    float *d = dfill(n, 16), *o = dmalloc<float>(n);
    half *dh = upload(h), *oh = dmalloc<half>(n);
    p = J().num("n", n);
    auto want = [](int i) { double x = hash_float(i, 16); return 0.5 * x * (1 + std::tanh(0.79788456 * (x + 0.044715 * x * x * x))); };
    add("V14", "gelu", "float", p, [&] { launch(gelu_float, dim3(n / 256), dim3(256), 0, 0, d, o, n); }, [&] {
      auto g = download(o, n);
      double worst = 0;
      for (int i = 0; i < n; i += 101) worst = std::max(worst, std::fabs(want(i) - g[i]));
      return close(worst, 1e-5);
    });
    add("V14", "gelu", "half2", p, [&] { launch(gelu_half2, dim3(n / 512), dim3(256), 0, 0, (const half2*)dh, (half2*)oh, n / 2); }, [&] {
      auto g = download(oh, n);
      double worst = 0;
      for (int i = 0; i < n; i += 101) worst = std::max(worst, std::fabs(want(i) - __half2float(g[i])));
      return close(worst, 2e-3);
    });
    CK(cudaFree(d)); CK(cudaFree(o)); CK(cudaFree(dh)); CK(cudaFree(oh));
  }
  {  // V15
    int n = 4 * M;
    std::vector<double> in(n);
    Rng r(17);
    for (auto& v : in) v = r.uni();
    double *d = upload(in), *o = dmalloc<double>(n);
    p = J().num("n", n);
    auto one = [&](const char* name, std::function<double(double)> want, std::function<void()> run) {
      add("V15", name, "double", p, run, [&, want] {
        auto g = download(o, n);
        double worst = 0;
        for (int i = 0; i < n; i += 101) worst = std::max(worst, std::fabs(want(in[i]) - g[i]));
        return close(worst, 1e-9);
      });
    };
    one("polynomial", [](double x) { double s = 0; for (int k = 32; k; k--) s = s * x + 1.0 / k; return s; },
        [&] { launch(fp64_polynomial, dim3(n / 256), dim3(256), 0, 0, d, o, n); });
    one("exp_sqrt", [](double x) { return std::exp(-x * x) / std::sqrt(1 + x * x); },
        [&] { launch(fp64_exp_sqrt, dim3(n / 256), dim3(256), 0, 0, d, o, n); });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  for (int rows : {(int)(64 * 1024), (int)(2 * M)}) {  // V16
    int n = 256 * 1024;
    std::vector<int> index(n);
    Rng r(18);
    for (auto& v : index) v = r.u32() % rows;
    float *t = dfill((size_t)rows * 64, 19), *o = dmalloc<float>((size_t)n * 64);
    int* d = upload(index);
    p = J().num("rows", rows).num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(o, 0xff, (size_t)n * 256));
      add("V16", "gather_rows", variant, p, run, [&] {
        auto g = download(o, (size_t)n * 64);
        double bad = 0;
        for (size_t i = 0; i < (size_t)n; i += 7)
          for (int k = 0; k < 64; k++) bad += g[i * 64 + k] != hash_float((size_t)index[i] * 64 + k, 19);
        return exact(bad);
      });
    };
    one("thread_per_value", [&] { launch(gather_thread_per_value, dim3(n / 4), dim3(256), 0, 0, t, d, o, n); });
    one("float4", [&] { launch(gather_float4, dim3(n / 16), dim3(256), 0, 0, (const float4*)t, d, (float4*)o, n); });
    CK(cudaFree(t)); CK(cudaFree(o)); CK(cudaFree(d));
  }
  {  // V17
    int n = 16 * M;
    float *d = dfill(n, 20), *o = dmalloc<float>(n);
    unsigned* count = dmalloc<unsigned>(1);
    unsigned want = 0;
    for (int i = 0; i < n; i++) want += hash_float(i, 20) > 0.5f;
    p = J().num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      add("V17", "filter", variant, p, run, [&] { return exact(download(count, 1)[0] != want); }, [&] { CK(cudaMemset(count, 0, 4)); });
    };
    one("atomic_per_value", [&] { launch(filter_atomic, dim3(n / 256), dim3(256), 0, 0, d, o, count, 0.5f, n); });
    one("ballot", [&] { launch(filter_ballot, dim3(n / 256), dim3(256), 0, 0, d, o, count, 0.5f, n); });
    one("shared_counter", [&] { launch(filter_block, dim3(n / 256), dim3(256), 0, 0, d, o, count, 0.5f, n); });
    CK(cudaFree(d)); CK(cudaFree(o)); CK(cudaFree(count));
  }
  {  // V18, V22
    int n = 32 * M;
    std::vector<unsigned char> in(n);
    Rng r(21);
    for (int i = 0; i < n; i += 4) { unsigned w = r.u32(); memcpy(&in[i], &w, 4); }
    auto table = rand_floats(256, 22);
    CK(cudaMemcpyToSymbol(table256, table.data(), 1024));
    unsigned char* d = upload(in);
    float *t = upload(table), *o = dmalloc<float>(n);
    p = J().num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(o, 0xff, (size_t)n * 4));
      add("V18", "lookup_256", variant, p, run, [&] {
        auto g = download(o, n);
        double bad = 0;
        for (int i = 0; i < n; i++) bad += g[i] != table[in[i]];
        return exact(bad);
      });
    };
    one("constant", [&] { launch(lookup_constant, dim3(n / 256), dim3(256), 0, 0, d, o, n); });
    one("global", [&] { launch(lookup_global, dim3(n / 256), dim3(256), 0, 0, d, t, o, n); });
    one("shared", [&] { launch(lookup_shared, dim3(1056), dim3(256), 0, 0, d, t, o, n); });
    char* oc = (char*)o;
    auto lower = [&](const char* variant, std::function<void()> run) {
      add("V22", "lower_case", variant, p, run, [&] {
        auto g = download(oc, n);
        double bad = 0;
        for (int i = 0; i < n; i++) { char c = in[i]; bad += g[i] != (char)(c >= 'A' && c <= 'Z' ? c + 32 : c); }
        return exact(bad);
      });
    };
    lower("byte", [&] { launch(lower_byte, dim3(n / 256), dim3(256), 0, 0, (const char*)d, oc, n); });
    lower("word", [&] { launch(lower_word, dim3(n / 1024), dim3(256), 0, 0, (const unsigned*)d, (unsigned*)oc, n / 4); });
    CK(cudaFree(d)); CK(cudaFree(t)); CK(cudaFree(o));
  }
  {  // V19
    int n = 384;
    size_t all = (size_t)n * n * n;
    float *d = dfill(all, 23), *o = dmalloc<float>(all);
    p = J().num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(o, 0xff, all * 4));
      add("V19", "jacobi7_3d", variant, p, run, [&] {
        auto g = download(o, all);
        double worst = 0;
        for (size_t z = 1; z + 1 < (size_t)n; z += 23)
          for (size_t y = 1; y + 1 < (size_t)n; y++)
            for (size_t x = 1; x + 1 < (size_t)n; x++) {
              size_t i = (z * n + y) * n + x, q = (size_t)n * n;
              auto v = [](size_t k) { return (double)hash_float(k, 23); };
              worst = std::max(worst, std::fabs(0.4 * v(i) + 0.1 * (v(i - 1) + v(i + 1) + v(i - n) + v(i + n) + v(i - q) + v(i + q)) - g[i]));
            }
        return close(worst, 1e-5);
      });
    };
    one("naive", [&] { launch(jacobi_naive, dim3(n / 32, n / 8, n), dim3(32, 8), 0, 0, d, o, n); });
    one("marching", [&] { launch(jacobi_marching, dim3(n / 32, n / 8, n / 32), dim3(32, 8), 0, 0, d, o, n); });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  {  // V20
    int n = 512, heads = 64;
    size_t all = (size_t)n * heads * 64;
    float *q = dfill(all, 24), *k = dfill(all, 25), *v = dfill(all, 26), *o = dmalloc<float>(all);
    if (!S.profile) CK(cudaMemset(o, 0xff, all * 4));
    p = J().num("n", n).num("heads", heads);
    add("V20", "attention_64", "query_per_thread", p, [&] { launch(attention, dim3(n / 128, heads), dim3(128), 0, 0, q, k, v, o, n); }, [&] {
      auto g = download(o, all);
      double worst = 0;
      for (size_t r = 0; r < (size_t)n * heads; r += 777) {
        size_t head = r / n * n;
        std::vector<double> s(n), acc(64);
        double sum = 0;
        for (int j = 0; j < n; j++) {
          double t = 0;
          for (int d = 0; d < 64; d++) t += (double)hash_float(r * 64 + d, 24) * hash_float((head + j) * 64 + d, 25);
          s[j] = std::exp(t / 8), sum += s[j];
        }
        for (int d = 0; d < 64; d++) {
          double t = 0;
          for (int j = 0; j < n; j++) t += s[j] * hash_float((head + j) * 64 + d, 26);
          worst = std::max(worst, std::fabs(t / sum - g[r * 64 + d]));
        }
      }
      return close(worst, 1e-4);
    });
    CK(cudaFree(q)); CK(cudaFree(k)); CK(cudaFree(v)); CK(cudaFree(o));
  }
  {  // V21
    int n = 1024, k4 = 256;
    std::vector<int> a(n * k4), b(n * k4);
    Rng r(27);
    for (auto& v : a) v = r.u32();
    for (auto& v : b) v = r.u32();
    int *da = upload(a), *db = upload(b), *c = dmalloc<int>(n * n);
    p = J().num("n", n);
    add("V21", "gemm_int8", "dp4a", p, [&] { launch(gemm_int8, dim3(n / 32, n / 32), dim3(32, 8), 0, 0, da, db, c, n, k4); }, [&] {
      auto g = download(c, n * n);
      double bad = 0;
      for (int e = 0; e < n * n; e += 4099) {
        int s = 0;
        for (int k = 0; k < k4; k++)
          for (int q = 0; q < 4; q++) s += (int)(signed char)(a[e / n * k4 + k] >> 8 * q) * (signed char)(b[e % n * k4 + k] >> 8 * q);
        bad += g[e] != s;
      }
      return exact(bad);
    });
    CK(cudaFree(da)); CK(cudaFree(db)); CK(cudaFree(c));
  }
  {  // V23
    int n = 1 * M;
    unsigned* o = dmalloc<unsigned>(n + 1);
    p = J().num("n", n);
    add("V23", "collatz", "64_bit", p, [&] { launch(collatz, dim3(n / 256), dim3(256), 0, 0, o, n); }, [&] {
      auto g = download(o, n);
      double bad = 0;
      for (int i = 1; i < n; i += 91) {
        unsigned long long v = i;
        unsigned k = 0;
        while (v != 1) v = v & 1 ? 3 * v + 1 : v / 2, k++;
        bad += g[i] != k;
      }
      return exact(bad);
    });
    CK(cudaFree(o));
  }
  {  // V24
    int n = 16 * M;
    std::vector<unsigned char> in((size_t)n * 4);
    Rng r(28);
    for (size_t i = 0; i < in.size(); i += 4) { unsigned w = r.u32(); memcpy(&in[i], &w, 4); }
    unsigned char *d = upload(in), *o = dmalloc<unsigned char>(n);
    p = J().num("n", n);
    auto one = [&](const char* variant, int bytes, std::function<void()> run) {
      add("V24", "grey", variant, p, run, [&, bytes] {
        auto g = download(o, n);
        double bad = 0;
        for (size_t i = 0; i < (size_t)n; i++) {
          float v = 0.299f * in[i * bytes] + 0.587f * in[i * bytes + 1] + 0.114f * in[i * bytes + 2];
          bad += std::abs((int)g[i] - (int)(unsigned char)v) > 1;
        }
        return exact(bad);
      });
    };
    one("uchar3", 3, [&] { launch(grey_rgb, dim3(n / 256), dim3(256), 0, 0, (const uchar3*)d, o, n); });
    one("uchar4", 4, [&] { launch(grey_rgba, dim3(n / 256), dim3(256), 0, 0, (const uchar4*)d, o, n); });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  {  // V25
    int many = 4096;
    auto in = rand_floats((size_t)many * 2048, 29);
    float2* d = (float2*)upload(in);
    p = J().num("transforms", many);
    auto one = [&](const char* variant, std::function<void()> run) {
      add("V25", "fft_1024", variant, p, run, [&] {
        auto g = download(d, (size_t)many * 1024);
        double worst = 0;
        for (int f = 0; f < 1024; f += 55) {
          double re = 0, im = 0;
          size_t base = 77 * 1024;
          for (int i = 0; i < 1024; i++) {
            double a = -2 * M_PI * ((long)f * i % 1024) / 1024, x = in[(base + i) * 2], y = in[(base + i) * 2 + 1];
            re += x * std::cos(a) - y * std::sin(a), im += x * std::sin(a) + y * std::cos(a);
          }
          worst = std::max({worst, std::fabs(re - g[base + f].x), std::fabs(im - g[base + f].y)});
        }
        return close(worst, 1e-2);
      }, [&] { CK(cudaMemcpy(d, in.data(), in.size() * 4, cudaMemcpyHostToDevice)); });
    };
    one("sincosf", [&] { launch(fft1024<false>, dim3(many), dim3(256), 0, 0, d); });
    one("fast_sincosf", [&] { launch(fft1024<true>, dim3(many), dim3(256), 0, 0, d); });
    CK(cudaFree(d));
  }
  {  // V27
    int n = 4 * M;
    std::vector<uint4> in(n);
    Rng r(30);
    for (auto& v : in) v = make_uint4(r.u32(), r.u32(), r.u32(), r.u32());
    uint4 *d = upload(in), *o = dmalloc<uint4>(n);
    p = J().num("n", n);
    add("V27", "hash", "64_rounds", p, [&] { launch(hash_rounds, dim3(n / 256), dim3(256), 0, 0, d, o, n); }, [&] {
      auto g = download(o, n);
      double bad = 0;
      for (int i = 0; i < n; i += 101) {
        uint4 h = in[i];
        for (unsigned q = 0; q < 64; q++) {
          unsigned s = (h.x >> 6 | h.x << 26) ^ (h.x >> 11 | h.x << 21) ^ (h.x >> 25 | h.x << 7);
          unsigned f = (h.x & h.y) ^ (~h.x & h.z), t = h.w + s + f + 0x9e3779b9u * q;
          h = make_uint4(t + (h.y & h.z), h.x, h.y, h.z);
        }
        bad += h.x != g[i].x || h.w != g[i].w;
      }
      return exact(bad);
    });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  {  // V28
    int n = 8 * M;
    auto pts = rand_floats((size_t)n * 2, 31), cs = rand_floats(128, 32);
    float2 *d = (float2*)upload(pts), *c = (float2*)upload(cs);
    int* o = dmalloc<int>(n);
    p = J().num("n", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      if (!S.profile) CK(cudaMemset(o, 0xff, (size_t)n * 4));
      add("V28", "kmeans_64", variant, p, run, [&] {
        auto g = download(o, n);
        double bad = 0;
        for (size_t i = 0; i < (size_t)n; i += 1009) {
          auto far = [&](int k) { double x = pts[2 * i] - cs[2 * k], y = pts[2 * i + 1] - cs[2 * k + 1]; return x * x + y * y; };
          double best = 1e9;
          for (int k = 0; k < 64; k++) best = std::min(best, far(k));
          bad += far(g[i]) > best + 1e-6;
        }
        return exact(bad);
      });
    };
    one("global", [&] { launch(kmeans_global, dim3(n / 256), dim3(256), 0, 0, d, c, o, n); });
    one("shared", [&] { launch(kmeans_shared, dim3(1056), dim3(256), 0, 0, d, c, o, n); });
    CK(cudaFree(d)); CK(cudaFree(c)); CK(cudaFree(o));
  }
  return S.finish(dir);
}
