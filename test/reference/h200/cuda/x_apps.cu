// X: a third set of everyday programs, as v_apps.cu and w_apps.cu, written without a look at what a simulation makes of them.
#include "apps.cuh"
#include <cuda_fp16.h>

// ---------------------------------------------------------------- X1 batch norm of images by planes: sums of each channel, then what they make of it
__global__ void bn_statistics(const float* __restrict__ in, float2* __restrict__ stat, int images, int channels, int plane) {
  __shared__ float part[2][8];
  int t = threadIdx.x;
  float s = 0, q = 0;
  for (int n = 0; n < images; n++) {
    const float* p = in + ((size_t)n * channels + blockIdx.x) * plane;
    for (int i = t; i < plane; i += 256) {
      float v = p[i];
      s += v;
      q += v * v;
    }
  }
  for (int d = 16; d; d >>= 1) {
    s += __shfl_down_sync(~0u, s, d);
    q += __shfl_down_sync(~0u, q, d);
  }
  if ((t & 31) == 0) part[0][t / 32] = s, part[1][t / 32] = q;
  __syncthreads();
  if (t == 0) {
    s = q = 0;
    for (int k = 0; k < 8; k++) s += part[0][k], q += part[1][k];
    float mean = s / (images * plane);
    stat[blockIdx.x] = make_float2(mean, rsqrtf(q / (images * plane) - mean * mean + 1e-5f));
  }
}
__global__ void bn_apply(const float4* __restrict__ in, const float2* __restrict__ stat, const float2* __restrict__ weight, float4* __restrict__ out, int channels, int plane4) {
  int c = blockIdx.x % channels;
  float2 s = stat[c], w = weight[c];
  float k = s.y * w.x, b = w.y - s.x * k;
  for (int i = threadIdx.x; i < plane4; i += blockDim.x) {
    float4 v = in[(size_t)blockIdx.x * plane4 + i];
    out[(size_t)blockIdx.x * plane4 + i] = make_float4(fmaxf(v.x * k + b, 0), fmaxf(v.y * k + b, 0), fmaxf(v.z * k + b, 0), fmaxf(v.w * k + b, 0));
  }
}

// ---------------------------------------------------------------- X2 images: another size, and smoothing that keeps edges
__global__ void resize_rgb(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int w, int h, int ow, int oh) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float fx = fmaxf((x + 0.5f) * w / ow - 0.5f, 0), fy = fmaxf((y + 0.5f) * h / oh - 0.5f, 0);
  int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
  fx -= x0, fy -= y0;
  for (int c = 0; c < 3; c++) {
    float top = in[(y0 * w + x0) * 3 + c] * (1 - fx) + in[(y0 * w + x1) * 3 + c] * fx;
    float bottom = in[(y1 * w + x0) * 3 + c] * (1 - fx) + in[(y1 * w + x1) * 3 + c] * fx;
    out[(y * ow + x) * 3 + c] = (unsigned char)(top * (1 - fy) + bottom * fy + 0.5f);
  }
}
__device__ inline float blend(float a, float b, float c, float d, float fx, float fy) {
  float top = a + (b - a) * fx, bottom = c + (d - c) * fx;
  return top + (bottom - top) * fy + 0.5f;
}
__global__ void resize_uchar4(const uchar4* __restrict__ in, uchar4* __restrict__ out, int w, int h, int ow, int oh) {
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float fx = fmaxf((x + 0.5f) * w / ow - 0.5f, 0), fy = fmaxf((y + 0.5f) * h / oh - 0.5f, 0);
  int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
  fx -= x0, fy -= y0;
  uchar4 a = in[y0 * w + x0], b = in[y0 * w + x1], c = in[y1 * w + x0], d = in[y1 * w + x1];
  out[y * ow + x] = make_uchar4((unsigned char)blend(a.x, b.x, c.x, d.x, fx, fy), (unsigned char)blend(a.y, b.y, c.y, d.y, fx, fy),
                                (unsigned char)blend(a.z, b.z, c.z, d.z, fx, fy), (unsigned char)blend(a.w, b.w, c.w, d.w, fx, fy));
}
__global__ void bilateral(const float* __restrict__ in, float* __restrict__ out, int w, int h, float near, float like) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float c = in[y * w + x], s = 0, all = 0;
  for (int j = -3; j <= 3; j++)
    for (int i = -3; i <= 3; i++) {
      float v = in[min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)], d = v - c;
      float k = __expf(-(i * i + j * j) * near - d * d * like);
      s += k * v;
      all += k;
    }
  out[y * w + x] = s / all;
}

// ---------------------------------------------------------------- X3 several arrays, element by element
__global__ void swiglu(const half2* __restrict__ in, const half2* __restrict__ bias, half2* __restrict__ out, int n2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n2) return;
  const half2* row = in + (size_t)blockIdx.y * 2 * n2;
  float2 g = __half22float2(__hadd2(row[i], bias[i])), u = __half22float2(__hadd2(row[n2 + i], bias[n2 + i]));
  out[(size_t)blockIdx.y * n2 + i] = __floats2half2_rn(g.x / (1 + __expf(-g.x)) * u.x, g.y / (1 + __expf(-g.y)) * u.y);
}
__global__ void adam(float* __restrict__ weight, half* __restrict__ copy, float* __restrict__ m, float* __restrict__ v, const float* __restrict__ grad, int n, float rate, float c1, float c2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float g = grad[i], a = 0.9f * m[i] + 0.1f * g, b = 0.999f * v[i] + 0.001f * g * g;
  float w = weight[i] * (1 - rate * 0.01f) - rate * (a * c1) / (sqrtf(b * c2) + 1e-8f);
  m[i] = a;
  v[i] = b;
  weight[i] = w;
  copy[i] = __float2half(w);
}

// ---------------------------------------------------------------- X4 decision trees; a node is feature (below 0: leaf), bound or value, left, right
__global__ void forest(const int4* __restrict__ node, const int* __restrict__ root, int trees, const float* __restrict__ sample, float* __restrict__ out, int features, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* x = sample + (size_t)i * features;
  float s = 0;
  for (int t = 0; t < trees; t++) {
    int4 q = node[root[t]];
    while (q.x >= 0) q = node[x[q.x] < __int_as_float(q.y) ? q.z : q.w];
    s += __int_as_float(q.y);
  }
  out[i] = s / trees;
}

// ---------------------------------------------------------------- X5 sums of rows of a table, one warp per sum
__global__ void embedding_bag(const float4* __restrict__ table, const int* __restrict__ start, const int* __restrict__ index, float4* __restrict__ out, int bags) {
  int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (bag >= bags) return;
  float4 s = make_float4(0, 0, 0, 0);
  int end = start[bag + 1];
  for (int k = start[bag]; k < end; k++) {
    float4 v = table[(size_t)index[k] * 32 + lane];
    s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
  }
  out[(size_t)bag * 32 + lane] = s;
}

// ---------------------------------------------------------------- X6 convolution 3 x 3 of each channel for itself
template <int w>
__global__ void __launch_bounds__(224) depthwise_nchw(const float* __restrict__ in, const float* __restrict__ filter, float* __restrict__ out, int channels) {
  extern __shared__ float t[];
  const float *p = in + (size_t)blockIdx.x * w * w, *f = filter + blockIdx.x % channels * 9;
  for (int k = threadIdx.x; k < (w + 2) * (w + 2); k += 224) {
    int x = k % (w + 2) - 1, y = k / (w + 2) - 1;
    t[k] = x >= 0 && y >= 0 && x < w && y < w ? p[y * w + x] : 0;
  }
  float c[9];
#pragma unroll
  for (int k = 0; k < 9; k++) c[k] = f[k];
  __syncthreads();
  for (int k = threadIdx.x; k < w * w; k += 224) {
    const float* q = t + k / w * (w + 2) + k % w;
    float s = 0;
#pragma unroll
    for (int j = 0; j < 3; j++)
#pragma unroll
      for (int i = 0; i < 3; i++) s += q[j * (w + 2) + i] * c[j * 3 + i];
    out[(size_t)blockIdx.x * w * w + k] = s;
  }
}
__global__ void depthwise_nhwc(const half2* __restrict__ in, const half2* __restrict__ filter, half2* __restrict__ out, int w, int h) {
  int x = blockIdx.x, y = blockIdx.y, c = threadIdx.x, c2 = blockDim.x;
  size_t image = (size_t)blockIdx.z * h * w * c2;
  half2 s = __float2half2_rn(0);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      int u = x + i - 1, v = y + j - 1;
      if (u >= 0 && v >= 0 && u < w && v < h) s = __hfma2(in[image + (v * w + u) * c2 + c], filter[(j * 3 + i) * c2 + c], s);
    }
  out[image + (y * w + x) * c2 + c] = s;
}

// ---------------------------------------------------------------- X7 flow by a lattice of nine velocities, streaming and collision at once
template <bool soa>
__global__ void __launch_bounds__(128) lattice(const float* __restrict__ in, float* __restrict__ out, int w, int h, float omega) {
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float weight[9] = {4 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 9.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    int u = (x - cx[k]) & (w - 1), v = (y - cy[k]) & (h - 1);
    f[k] = in[soa ? (k * h + v) * w + u : (v * w + u) * 9 + k];
    rho += f[k];
    ux += cx[k] * f[k];
    uy += cy[k] * f[k];
  }
  ux /= rho;
  uy /= rho;
  float uu = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < 9; k++) {
    float cu = 3 * (cx[k] * ux + cy[k] * uy), rest = weight[k] * rho * (1 + cu + 0.5f * cu * cu - uu);
    out[soa ? (k * h + y) * w + x : (y * w + x) * 9 + k] = f[k] + omega * (rest - f[k]);
  }
}

// ---------------------------------------------------------------- X8 LU of many 16 x 16, without pivoting
__global__ void lu_block(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float a[16][17];
  int x = threadIdx.x, y = threadIdx.y;
  size_t at = (size_t)blockIdx.x * 256 + y * 16 + x;
  a[y][x] = in[at];
  __syncthreads();
  for (int k = 0; k < 15; k++) {
    if (x == k && y > k) a[y][k] /= a[k][k];
    __syncthreads();
    if (x > k && y > k) a[y][x] -= a[y][k] * a[k][x];
    __syncthreads();
  }
  out[at] = a[y][x];
}
__global__ void __launch_bounds__(64) lu_shuffle(const float4* __restrict__ in, float4* __restrict__ out) {
  size_t row = blockIdx.x * (size_t)64 + threadIdx.x;
  int r = threadIdx.x & 15;
  float a[16];
#pragma unroll
  for (int j = 0; j < 4; j++) {
    float4 v = in[row * 4 + j];
    a[4 * j] = v.x, a[4 * j + 1] = v.y, a[4 * j + 2] = v.z, a[4 * j + 3] = v.w;
  }
#pragma unroll
  for (int k = 0; k < 15; k++) {
    float f = a[k] / __shfl_sync(~0u, a[k], k, 16);
    if (r > k) a[k] = f;
#pragma unroll
    for (int j = k + 1; j < 16; j++) {
      float u = __shfl_sync(~0u, a[j], k, 16);
      if (r > k) a[j] -= f * u;
    }
  }
#pragma unroll
  for (int j = 0; j < 4; j++) out[row * 4 + j] = make_float4(a[4 * j], a[4 * j + 1], a[4 * j + 2], a[4 * j + 3]);
}

// ---------------------------------------------------------------- X9 tridiagonal systems in double precision, one per thread
template <bool interleaved>
__global__ void tridiagonal(const double* __restrict__ lower, const double* __restrict__ middle, const double* __restrict__ upper, const double* __restrict__ right,
                            double* __restrict__ scratch, double* __restrict__ x, int n, int systems) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= systems) return;
  int i = interleaved ? t : t * n, step = interleaved ? systems : 1;
  double c = upper[i] / middle[i], d = right[i] / middle[i];
  scratch[i] = c;
  x[i] = d;
  for (int k = 1; k < n; k++) {
    i += step;
    double m = 1 / (middle[i] - lower[i] * c);
    c = upper[i] * m;
    d = (right[i] - lower[i] * d) * m;
    scratch[i] = c;
    x[i] = d;
  }
  for (int k = 1; k < n; k++) {
    i -= step;
    d = x[i] - scratch[i] * d;
    x[i] = d;
  }
}

// ---------------------------------------------------------------- X10 matrix of bytes with a scale per row, times vector
__global__ void matvec_int8(const int4* __restrict__ weight, const float* __restrict__ scale, const float4* __restrict__ x, float* __restrict__ y, int n16) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  float s = 0;
  for (int k = lane; k < n16; k += 32) {
    int4 q = weight[(size_t)r * n16 + k];
    int w[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float4 v = x[4 * k + j];
      s += v.x * (signed char)w[j] + v.y * (signed char)(w[j] >> 8) + v.z * (signed char)(w[j] >> 16) + v.w * (signed char)(w[j] >> 24);
    }
  }
  for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
  if (lane == 0) y[r] = s * scale[r];
}

// ---------------------------------------------------------------- X11 game of life on a torus: a byte per cell, or a bit
__global__ void life_bytes(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, last = n - 1;
  int l = (x - 1) & last, r = (x + 1) & last, u = ((y - 1) & last) * n, d = ((y + 1) & last) * n, c = y * n;
  int s = in[u + l] + in[u + x] + in[u + r] + in[c + l] + in[c + r] + in[d + l] + in[d + x] + in[d + r];
  out[c + x] = s == 3 || (s == 2 && in[c + x]);
}
__global__ void life_bits(const unsigned* __restrict__ in, unsigned* __restrict__ out, int words, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, l = (x - 1) & (words - 1), r = (x + 1) & (words - 1);
  unsigned one[3], two[3], here = 0;
#pragma unroll
  for (int k = 0; k < 3; k++) {
    int row = ((y + k - 1) & (rows - 1)) * words;
    unsigned c = in[row + x], a = c << 1 | in[row + l] >> 31, b = c >> 1 | in[row + r] << 31;
    if (k == 1) here = c, one[k] = a ^ b, two[k] = a & b;
    else one[k] = a ^ b ^ c, two[k] = (a & b) | (a & c) | (b & c);
  }
  unsigned odd = one[0] ^ one[1] ^ one[2], carry = (one[0] & one[1]) | (one[0] & one[2]) | (one[1] & one[2]);
  unsigned single = (two[0] ^ two[1] ^ two[2] ^ carry) & ~((two[0] & two[1]) | (two[2] & carry));
  out[y * words + x] = single & (odd | here);
}

// ---------------------------------------------------------------- X12 edit distance of two words of 256 per block, by diagonals
__global__ void edit_distance(const char* __restrict__ a, const char* __restrict__ b, int* __restrict__ out) {
  __shared__ int line[3][257];
  __shared__ char other[256];
  int i = threadIdx.x + 1, *now = line[0], *last = line[1], *before = line[2];
  char mine = a[blockIdx.x * 256 + threadIdx.x];
  other[threadIdx.x] = b[blockIdx.x * 256 + threadIdx.x];
  for (int s = 0; s <= 512; s++) {
    int j = s - i;
    if (i == 1) now[0] = s;
    if (j == 0) now[i] = s;
    else if (j > 0 && j <= 256) now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (mine != other[j - 1]));
    __syncthreads();
    int* t = before;
    before = last;
    last = now;
    now = t;
  }
  if (i == 256) out[blockIdx.x] = last[256];
}

// ---------------------------------------------------------------- X13 shortest paths: by way of one vertex, or of a tile of 32
__global__ void floyd_step(int* d, int n, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < n) d[y * n + x] = min(d[y * n + x], d[y * n + k] + d[k * n + x]);
}
__global__ void __launch_bounds__(1024) floyd_tiles(int* d, int n, int tile) {
  __shared__ int down[32][32], across[32][32];
  if (blockIdx.x == tile || blockIdx.y == tile) return;
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  down[ty][tx] = d[y * n + tile * 32 + tx];
  across[ty][tx] = d[(tile * 32 + ty) * n + x];
  int best = d[y * n + x];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; k++) best = min(best, down[ty][k] + across[k][tx]);
  d[y * n + x] = best;
}

// ---------------------------------------------------------------- X14 hash table with linear probing
__host__ __device__ inline unsigned mix(unsigned h) {
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ h >> 16;
}
static const unsigned none = 0xffffffffu;
__global__ void hash_insert(const unsigned* __restrict__ key, unsigned* keys, unsigned* values, int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = key[i], at = mix(k) & mask;
  while (true) {
    unsigned old = atomicCAS(&keys[at], none, k);
    if (old == none || old == k) break;
    at = (at + 1) & mask;
  }
  values[at] = i;
}
__global__ void hash_find(const unsigned* __restrict__ query, const unsigned* __restrict__ keys, const unsigned* __restrict__ values, unsigned* __restrict__ out, int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = query[i], at = mix(k) & mask, found = keys[at];
  while (found != k && found != none) {
    at = (at + 1) & mask;
    found = keys[at];
  }
  out[i] = found == k ? values[at] : none;
}

int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  Suite S("x_apps");
  auto add = adder(S);
  J p;
  {  // X1
    int images = 32, channels = 256, plane = 28 * 28;
    size_t n = (size_t)images * channels * plane;
    std::vector<float2> stat(channels), weight(channels);
    for (int c = 0; c < channels; c++) {
      double s = 0, q = 0;
      for (int i = 0; i < images; i++)
        for (int k = 0; k < plane; k++) {
          double v = hash_float(((size_t)i * channels + c) * plane + k, 1);
          s += v, q += v * v;
        }
      s /= images * plane, q /= images * plane;
      stat[c] = make_float2((float)s, (float)(1 / std::sqrt(q - s * s + 1e-5)));
      weight[c] = make_float2(1 + 0.01f * c, 0.001f * c);
    }
    float *d = dfill(n, 1), *o = dmalloc<float>(n);
    float2 *ds = upload(stat), *dw = upload(weight), *os = dmalloc<float2>(channels);
    p = J().num("images", images).num("channels", channels).num("plane", plane);
    add("X1", "batch_norm", "statistics", p, [&] { launch(bn_statistics, dim3(channels), dim3(256), 0, 0, d, os, images, channels, plane); }, [&] {
      auto g = download(os, channels);
      double worst = 0;
      for (int c = 0; c < channels; c++) worst = std::max(worst, (double)std::max(std::fabs(g[c].x - stat[c].x), std::fabs(g[c].y - stat[c].y)));
      return close(worst, 1e-4);
    });
    add("X1", "batch_norm", "apply_relu", p, [&] { launch(bn_apply, dim3(images * channels), dim3(128), 0, 0, (const float4*)d, ds, dw, (float4*)o, channels, plane / 4); }, [&] {
      auto g = download(o, n);
      double worst = 0;
      for (size_t i = 0; i < n; i += 997) {
        int c = i / plane % channels;
        worst = std::max(worst, std::fabs(std::max(((double)hash_float(i, 1) - stat[c].x) * stat[c].y * weight[c].x + weight[c].y, 0.0) - g[i]));
      }
      return close(worst, 1e-3);
    });
    CK(cudaFree(d)); CK(cudaFree(o)); CK(cudaFree(ds)); CK(cudaFree(dw)); CK(cudaFree(os));
  }
  {  // X2
    int w = 1600, h = 900, ow = 3840, oh = 2160;
    std::vector<unsigned char> in((size_t)w * h * 4);
    for (size_t i = 0; i < in.size(); i++) in[i] = (unsigned char)(mix((unsigned)i) >> 24);
    unsigned char *d = upload(in), *o = dmalloc<unsigned char>((size_t)ow * oh * 4);
    p = J().num("from", w).num("to", ow);
    auto one = [&](const char* variant, int bytes, std::function<void()> run) {
      add("X2", "bilinear_resize", variant, p, run, [&, bytes] {
        auto g = download(o, (size_t)ow * oh * bytes);
        double bad = 0;
        for (int y = 0; y < oh; y += 97)
          for (int x = 0; x < ow; x += 7)
            for (int c = 0; c < bytes; c++) {
              double fx = std::max((x + 0.5) * w / ow - 0.5, 0.0), fy = std::max((y + 0.5) * h / oh - 0.5, 0.0);
              int x0 = (int)fx, y0 = (int)fy, x1 = std::min(x0 + 1, w - 1), y1 = std::min(y0 + 1, h - 1);
              auto v = [&](int i, int j) { return (double)in[((size_t)j * w + i) * bytes + c]; };
              fx -= x0, fy -= y0;
              double want = (v(x0, y0) * (1 - fx) + v(x1, y0) * fx) * (1 - fy) + (v(x0, y1) * (1 - fx) + v(x1, y1) * fx) * fy;
              bad += std::fabs(want - g[((size_t)y * ow + x) * bytes + c]) > 0.6;
            }
        return exact(bad);
      });
    };
    one("rgb_bytes", 3, [&] { launch(resize_rgb, dim3(ow / 32, oh / 8), dim3(32, 8), 0, 0, d, o, w, h, ow, oh); });
    one("uchar4", 4, [&] { launch(resize_uchar4, dim3(ow / 64, oh / 4), dim3(64, 4), 0, 0, (const uchar4*)d, (uchar4*)o, w, h, ow, oh); });
    CK(cudaFree(d)); CK(cudaFree(o));
    int n = 1024;
    float *q = dfill((size_t)n * n, 2), *r = dmalloc<float>((size_t)n * n);
    p = J().num("n", n);
    add("X2", "bilateral", "7x7", p, [&] { launch(bilateral, dim3(n / 16, n / 16), dim3(16, 16), 0, 0, q, r, n, n, 0.1f, 2.0f); }, [&] {
      auto g = download(r, (size_t)n * n);
      double worst = 0;
      for (int y = 0; y < n; y += 93)
        for (int x = 0; x < n; x += 3) {
          double c = hash_float((size_t)y * n + x, 2), s = 0, all = 0;
          for (int j = -3; j <= 3; j++)
            for (int i = -3; i <= 3; i++) {
              double v = hash_float((size_t)std::min(std::max(y + j, 0), n - 1) * n + std::min(std::max(x + i, 0), n - 1), 2);
              double k = std::exp(-(i * i + j * j) * 0.1 - (v - c) * (v - c) * 2);
              s += k * v, all += k;
            }
          worst = std::max(worst, std::fabs(s / all - g[(size_t)y * n + x]));
        }
      return close(worst, 1e-4);
    });
    CK(cudaFree(q)); CK(cudaFree(r));
  }
  {  // X3
    int rows = 2048, n = 5504;
    std::vector<half> in((size_t)rows * 2 * n), bias(2 * n);
    for (size_t i = 0; i < in.size(); i++) in[i] = __float2half(2 * hash_float(i, 3));
    for (int i = 0; i < 2 * n; i++) bias[i] = __float2half(hash_float(i, 4));
    half *d = upload(in), *db = upload(bias), *o = dmalloc<half>((size_t)rows * n);
    p = J().num("rows", rows).num("columns", n);
    add("X3", "swiglu", "half2_bias", p, [&] { launch(swiglu, dim3((n / 2 + 255) / 256, rows), dim3(256), 0, 0, (const half2*)d, (const half2*)db, (half2*)o, n / 2); }, [&] {
      auto g = download(o, (size_t)rows * n);
      double worst = 0;
      for (size_t i = 0; i < g.size(); i += 331) {
        size_t r = i / n, c = i % n;
        auto v = [&](size_t k) { return (double)__half2float(in[r * 2 * n + k]) + __half2float(bias[k]); };
        worst = std::max(worst, std::fabs(v(c) / (1 + std::exp(-v(c))) * v(n + c) - __half2float(g[i])));
      }
      return close(worst, 2e-2);
    });
    CK(cudaFree(d)); CK(cudaFree(db)); CK(cudaFree(o));
    int many = 12 * M;
    float *w = dfill(many, 5), *m = dfill(many, 6), *v = dmalloc<float>(many), *g = dfill(many, 7);
    half* copy = dmalloc<half>(many);
    CK(cudaMemset(v, 0, (size_t)many * 4));
    p = J().num("n", many);
    add("X3", "adam", "float_and_half", p, [&] { launch(adam, dim3(many / 512), dim3(512), 0, 0, w, copy, m, v, g, many, 0.001f, 1.5f, 3.0f); }, [&] {
      auto q = download(w, many);
      auto h = download(copy, many);
      double worst = 0;
      for (int i = 0; i < many; i += 997) {
        double x = hash_float(i, 7), a = 0.9 * hash_float(i, 6) + 0.1 * x, b = 0.001 * x * x;
        double want = hash_float(i, 5) * (1 - 1e-5) - 0.001 * a * 1.5 / (std::sqrt(b * 3) + 1e-8);
        worst = std::max(worst, std::max(std::fabs(want - q[i]) * 10, std::fabs(want - __half2float(h[i]))) / std::max(1.0, std::fabs(want)));
      }
      return close(worst, 1e-3);
    });
    CK(cudaFree(w)); CK(cudaFree(m)); CK(cudaFree(v)); CK(cudaFree(g)); CK(cudaFree(copy));
  }
  {  // X4
    int trees = 48, features = 32, n = 64 * 1024;
    std::vector<int4> node;
    std::vector<int> root(trees);
    Rng r(8);
    auto bits = [](float v) { int b; memcpy(&b, &v, 4); return b; };
    auto number = [](int b) { float v; memcpy(&v, &b, 4); return v; };
    std::function<int(int)> grow = [&](int depth) {
      int at = (int)node.size();
      bool leaf = depth == 10 || (depth > 3 && r.u32() % 8 == 0);
      node.push_back(make_int4(leaf ? -1 : (int)(r.u32() % features), bits(r.sym() * (leaf ? 1.0f : 0.5f)), 0, 0));
      if (!leaf) {
        int left = grow(depth + 1), right = grow(depth + 1);
        node[at].z = left, node[at].w = right;
      }
      return at;
    };
    for (auto& t : root) t = grow(0);
    auto in = rand_floats((size_t)n * features, 9);
    int4* dn = upload(node);
    int* dr = upload(root);
    float *d = upload(in), *o = dmalloc<float>(n);
    p = J().num("trees", trees).num("nodes", node.size()).num("samples", n);
    add("X4", "forest", "sample_per_thread", p, [&] { launch(forest, dim3(n / 128), dim3(128), 0, 0, dn, dr, trees, d, o, features, n); }, [&] {
      auto g = download(o, n);
      double worst = 0;
      for (int i = 0; i < n; i += 37) {
        double s = 0;
        for (int t : root) {
          while (node[t].x >= 0) t = in[(size_t)i * features + node[t].x] < number(node[t].y) ? node[t].z : node[t].w;
          s += number(node[t].y);
        }
        worst = std::max(worst, std::fabs(s / trees - g[i]));
      }
      return close(worst, 1e-5);
    });
    CK(cudaFree(dn)); CK(cudaFree(dr)); CK(cudaFree(d)); CK(cudaFree(o));
  }
  for (bool large : {false, true}) {  // X5
    int rows = large ? 512 * 1024 : 40000, bags = 16384;
    std::vector<int> start(bags + 1), index;
    Rng r(10);
    for (int b = 0; b < bags; b++) {
      for (int k = r.u32() % 63 + 1; k; k--) index.push_back(r.u32() % rows);
      start[b + 1] = (int)index.size();
    }
    float *d = dfill((size_t)rows * 128, 11), *o = dmalloc<float>((size_t)bags * 128);
    int *ds = upload(start), *di = upload(index);
    p = J().num("rows", rows).num("bags", bags);
    add("X5", "embedding_bag", large ? "table_268MB" : "table_20MB", p, [&] { launch(embedding_bag, dim3((bags + 5) / 6), dim3(192), 0, 0, (const float4*)d, ds, di, (float4*)o, bags); }, [&] {
      auto g = download(o, (size_t)bags * 128);
      double worst = 0;
      for (int b = 0; b < bags; b += 111)
        for (int c = 0; c < 128; c++) {
          double s = 0;
          for (int k = start[b]; k < start[b + 1]; k++) s += hash_float((size_t)index[k] * 128 + c, 11);
          worst = std::max(worst, std::fabs(s - g[(size_t)b * 128 + c]));
        }
      return close(worst, 1e-4);
    });
    CK(cudaFree(d)); CK(cudaFree(o)); CK(cudaFree(ds)); CK(cudaFree(di));
  }
  {  // X6
    const int w = 56;
    int images = 16, channels = 256;
    size_t n = (size_t)images * channels * w * w;
    auto f = rand_floats(channels * 9, 12);
    std::vector<half> hf(9 * channels), hin(n);
    for (int k = 0; k < 9 * channels; k++) hf[k] = __float2half(f[k]);
    for (size_t i = 0; i < n; i++) hin[i] = __float2half(hash_float(i, 13));
    float *d = dfill(n, 13), *df = upload(f), *o = dmalloc<float>(n);
    half *hd = upload(hin), *hdf = upload(hf), *ho = dmalloc<half>(n);
    p = J().num("images", images).num("channels", channels).num("side", w);
    // What comes out at (x, y), by the place of a value in memory and of a weight in the filter.
    auto want = [&](int x, int y, auto&& value, auto&& weight) {
      double s = 0;
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
          int u = x + i - 1, v = y + j - 1;
          if (u >= 0 && v >= 0 && u < w && v < w) s += (double)value(u, v) * weight(j * 3 + i);
        }
      return s;
    };
    add("X6", "depthwise3x3", "nchw_shared", p, [&] { launch(depthwise_nchw<56>, dim3(images * channels), dim3(224), 58 * 58 * 4, 0, d, df, o, channels); }, [&] {
      auto g = download(o, n);
      double worst = 0;
      for (size_t i = 0; i < n; i += 1009) {
        size_t plane = i / (w * w);
        double s = want(i % w, i / w % w, [&](int u, int v) { return hash_float((plane * w + v) * w + u, 13); }, [&](int k) { return f[plane % channels * 9 + k]; });
        worst = std::max(worst, std::fabs(s - g[i]));
      }
      return close(worst, 1e-4);
    });
    add("X6", "depthwise3x3", "nhwc_half2", p, [&] { launch(depthwise_nhwc, dim3(w, w, images), dim3(channels / 2), 0, 0, (const half2*)hd, (const half2*)hdf, (half2*)ho, w, w); }, [&] {
      auto g = download(ho, n);
      double worst = 0;
      for (size_t i = 0; i < n; i += 1009) {
        size_t c = i % channels, pixel = i / channels, image = pixel / (w * w);
        double s = want(pixel % w, pixel / w % w, [&](int u, int v) { return __half2float(hin[((image * w + v) * w + u) * channels + c]); }, [&](int k) { return __half2float(hf[k * channels + c]); });
        worst = std::max(worst, std::fabs(s - __half2float(g[i])));
      }
      return close(worst, 2e-2);
    });
    CK(cudaFree(d)); CK(cudaFree(df)); CK(cudaFree(o)); CK(cudaFree(hd)); CK(cudaFree(hdf)); CK(cudaFree(ho));
  }
  {  // X7
    int w = 2048, h = 1024;
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const double weight[9] = {4 / 9.0, 1 / 9.0, 1 / 9.0, 1 / 9.0, 1 / 9.0, 1 / 36.0, 1 / 36.0, 1 / 36.0, 1 / 36.0};
    auto first = [&](int x, int y, int k) { return (float)weight[k] * (1 + 0.1f * hash_float(((size_t)y * w + x) * 9 + k, 14)); };
    p = J().num("width", w).num("height", h);
    for (bool soa : {true, false}) {
      auto place = [&, soa](int x, int y, int k) { return soa ? ((size_t)k * h + y) * w + x : ((size_t)y * w + x) * 9 + k; };
      std::vector<float> in((size_t)w * h * 9);
      for (int k = 0; k < 9; k++)
        for (int y = 0; y < h; y++)
          for (int x = 0; x < w; x++) in[place(x, y, k)] = first(x, y, k);
      float *d = upload(in), *o = dmalloc<float>(in.size());
      add("X7", "lattice_boltzmann", soa ? "soa" : "aos", p, [&, soa] { launch(soa ? lattice<true> : lattice<false>, dim3(w / 128, h), dim3(128), 0, 0, d, o, w, h, 1.2f); }, [&] {
        auto g = download(o, in.size());
        double worst = 0;
        for (int y = 0; y < h; y += 31)
          for (int x = 0; x < w; x += 13) {
            double f[9], rho = 0, ux = 0, uy = 0;
            for (int k = 0; k < 9; k++) {
              f[k] = first((x - cx[k]) & (w - 1), (y - cy[k]) & (h - 1), k);
              rho += f[k], ux += cx[k] * f[k], uy += cy[k] * f[k];
            }
            ux /= rho, uy /= rho;
            for (int k = 0; k < 9; k++) {
              double cu = 3 * (cx[k] * ux + cy[k] * uy), rest = weight[k] * rho * (1 + cu + cu * cu / 2 - 1.5 * (ux * ux + uy * uy));
              worst = std::max(worst, std::fabs(f[k] + 1.2 * (rest - f[k]) - g[place(x, y, k)]));
            }
          }
        return close(worst, 1e-5);
      });
      CK(cudaFree(d)); CK(cudaFree(o));
    }
  }
  {  // X8
    auto one = [&](const char* variant, int many, std::function<void(const float*, float*)> run) {
      std::vector<float> in((size_t)many * 256);
      for (size_t i = 0; i < in.size(); i++) in[i] = hash_float(i, 15) + (i % 256 % 17 == 0 ? 16 : 0);
      float *d = upload(in), *o = dmalloc<float>(in.size());
      add("X8", "lu_16x16", variant, J().num("matrices", many), [&] { run(d, o); }, [&] {
        auto g = download(o, in.size());
        double worst = 0;
        for (int m = 0; m < many; m += 97)
          for (int y = 0; y < 16; y++)
            for (int x = 0; x < 16; x++) {
              const float* a = &g[(size_t)m * 256];
              double s = 0;
              for (int k = 0; k <= std::min(x, y); k++) s += (k == y ? 1.0 : (double)a[y * 16 + k]) * a[k * 16 + x];
              worst = std::max(worst, std::fabs(s - in[(size_t)m * 256 + y * 16 + x]));
            }
        return close(worst, 1e-4);
      });
      CK(cudaFree(d)); CK(cudaFree(o));
    };
    one("block_shared", 8192, [](const float* d, float* o) { launch(lu_block, dim3(8192), dim3(16, 16), 0, 0, d, o); });
    one("half_warp_shuffle", 65536, [](const float* d, float* o) { launch(lu_shuffle, dim3(65536 / 4), dim3(64), 0, 0, (const float4*)d, (float4*)o); });
  }
  {  // X9
    int n = 64, systems = 32768;
    size_t all = (size_t)n * systems;
    std::vector<double> a(all), b(all), c(all), r(all);
    for (size_t i = 0; i < all; i++) a[i] = hash_float(i, 16), b[i] = 4 + hash_float(i, 17), c[i] = hash_float(i, 18), r[i] = hash_float(i, 19);
    double *da = upload(a), *db = upload(b), *dc = upload(c), *dr = upload(r), *scratch = dmalloc<double>(all), *x = dmalloc<double>(all);
    p = J().num("unknowns", n).num("systems", systems);
    for (bool interleaved : {true, false})
      add("X9", "tridiagonal", interleaved ? "interleaved" : "contiguous", p, [&, interleaved] {
        launch(interleaved ? tridiagonal<true> : tridiagonal<false>, dim3(systems / 64), dim3(64), 0, 0, da, db, dc, dr, scratch, x, n, systems);
      }, [&, interleaved] {
        auto g = download(x, all);
        double worst = 0;
        for (int s = 0; s < systems; s += 61)
          for (int k = 0; k < n; k++) {
            size_t step = interleaved ? systems : 1, i = interleaved ? k * step + s : (size_t)s * n + k;
            double v = b[i] * g[i];
            if (k > 0) v += a[i] * g[i - step];
            if (k < n - 1) v += c[i] * g[i + step];
            worst = std::max(worst, std::fabs(v - r[i]));
          }
        return close(worst, 1e-12);
      });
    CK(cudaFree(da)); CK(cudaFree(db)); CK(cudaFree(dc)); CK(cudaFree(dr)); CK(cudaFree(scratch)); CK(cudaFree(x));
  }
  {  // X10
    int rows = 11008, n = 8192;
    std::vector<unsigned> w((size_t)rows * n / 4);
    for (size_t i = 0; i < w.size(); i++) w[i] = mix((unsigned)i);
    auto scale = rand_floats(rows, 20), v = rand_floats(n, 21);
    unsigned* d = upload(w);
    float *ds = upload(scale), *dv = upload(v), *o = dmalloc<float>(rows);
    p = J().num("rows", rows).num("columns", n);
    add("X10", "matvec_int8", "row_per_warp", p, [&] { launch(matvec_int8, dim3(rows / 8), dim3(256), 0, 0, (const int4*)d, ds, (const float4*)dv, o, n / 16); }, [&] {
      auto g = download(o, rows);
      double worst = 0;
      for (int r = 0; r < rows; r += 29) {
        double s = 0;
        for (int k = 0; k < n; k++) s += (double)v[k] * (signed char)(w[((size_t)r * n + k) / 4] >> 8 * (k % 4));
        worst = std::max(worst, std::fabs(s * scale[r] - g[r]));
      }
      return close(worst, 0.1);
    });
    CK(cudaFree(d)); CK(cudaFree(ds)); CK(cudaFree(dv)); CK(cudaFree(o));
  }
  {  // X11
    int n = 4096;
    std::vector<unsigned char> in((size_t)n * n);
    for (size_t i = 0; i < in.size(); i++) in[i] = mix((unsigned)i) % 3 == 0;
    unsigned char *d = upload(in), *o = dmalloc<unsigned char>(in.size());
    auto rule = [](int x, int y, int n, auto&& alive) {
      int s = 0;
      for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) s += (i || j) && alive((x + i) & (n - 1), (y + j) & (n - 1));
      return s == 3 || (s == 2 && alive(x, y));
    };
    p = J().num("n", n);
    add("X11", "life", "bytes", p, [&] { launch(life_bytes, dim3(n / 32, n / 4), dim3(32, 4), 0, 0, d, o, n); }, [&] {
      auto g = download(o, in.size());
      double bad = 0;
      for (int y = 0; y < n; y += 105)
        for (int x = 0; x < n; x++) bad += g[(size_t)y * n + x] != rule(x, y, n, [&](int i, int j) { return in[(size_t)j * n + i] != 0; });
      return exact(bad);
    });
    CK(cudaFree(d)); CK(cudaFree(o));
    int m = 16384, words = m / 32;
    std::vector<unsigned> cells((size_t)m * words);
    for (size_t i = 0; i < cells.size(); i++) cells[i] = mix((unsigned)i) & mix((unsigned)i + 77777777u);
    unsigned *dc = upload(cells), *oc = dmalloc<unsigned>(cells.size());
    p = J().num("n", m);
    add("X11", "life", "bits", p, [&] { launch(life_bits, dim3(words / 128, m), dim3(128), 0, 0, dc, oc, words, m); }, [&] {
      auto g = download(oc, cells.size());
      double bad = 0;
      auto bit = [&](const std::vector<unsigned>& v, int x, int y) { return (v[(size_t)y * words + x / 32] >> x % 32 & 1) != 0; };
      for (int y = 0; y < m; y += 1365)
        for (int x = 0; x < m; x++) bad += bit(g, x, y) != rule(x, y, m, [&](int i, int j) { return bit(cells, i, j); });
      return exact(bad);
    });
    CK(cudaFree(dc)); CK(cudaFree(oc));
  }
  {  // X12
    int pairs = 528;
    std::vector<char> a(pairs * 256), b(pairs * 256);
    Rng r(22);
    for (size_t i = 0; i < a.size(); i++) a[i] = "acgt"[r.u32() % 4], b[i] = r.u32() % 3 && i > 2 ? a[i - 2] : "acgt"[r.u32() % 4];
    char *da = upload(a), *db = upload(b);
    int* o = dmalloc<int>(pairs);
    p = J().num("pairs", pairs).num("length", 256);
    add("X12", "edit_distance", "diagonals", p, [&] { launch(edit_distance, dim3(pairs), dim3(256), 0, 0, da, db, o); }, [&] {
      auto g = download(o, pairs);
      double bad = 0;
      for (int q = 0; q < pairs; q += 7) {
        std::vector<int> row(257), next(257);
        for (int j = 0; j <= 256; j++) row[j] = j;
        for (int i = 1; i <= 256; i++) {
          next[0] = i;
          for (int j = 1; j <= 256; j++) next[j] = std::min(std::min(row[j], next[j - 1]) + 1, row[j - 1] + (a[q * 256 + i - 1] != b[q * 256 + j - 1]));
          row.swap(next);
        }
        bad += g[q] != row[256];
      }
      return exact(bad);
    });
    CK(cudaFree(da)); CK(cudaFree(db)); CK(cudaFree(o));
  }
  {  // X13
    auto one = [&](const char* variant, int n, int from, int to, std::function<void(int*)> run) {
      std::vector<int> in((size_t)n * n);
      for (size_t i = 0; i < in.size(); i++) in[i] = i % (n + 1) == 0 ? 0 : 1 + mix((unsigned)i) % 1000;
      int* d = upload(in);
      add("X13", "floyd_warshall", variant, J().num("n", n), [&] { run(d); }, [&, n, from, to] {
        auto g = download(d, in.size());
        double bad = 0;
        for (int y = 0; y < n; y += 43) {
          if (y >= from && y < to) continue;
          for (int x = 0; x < n; x++) {
            if (x >= from && x < to) continue;
            int best = in[(size_t)y * n + x];
            for (int k = from; k < to; k++) best = std::min(best, in[(size_t)y * n + k] + in[(size_t)k * n + x]);
            bad += g[(size_t)y * n + x] != best;
          }
        }
        return exact(bad);
      });
      CK(cudaFree(d));
    };
    one("one_step", 3000, 123, 124, [](int* d) { launch(floyd_step, dim3((3000 + 255) / 256, 3000), dim3(256), 0, 0, d, 3000, 123); });
    one("tile_of_32", 2048, 160, 192, [](int* d) { launch(floyd_tiles, dim3(64, 64), dim3(32, 32), 0, 0, d, 2048, 5); });
  }
  {  // X14
    int n = 4 * M, slots = 8 * M;
    unsigned mask = slots - 1;
    std::vector<unsigned> key(n), query(n), keys(slots, none), values(slots, none);
    for (int i = 0; i < n; i++) {
      key[i] = (unsigned)i * 2654435761u;  // all different, and none of them `none`
      query[i] = mix((unsigned)i) % (2 * n) * 2654435761u;  // half of them are there
      unsigned at = mix(key[i]) & mask;
      while (keys[at] != none) at = (at + 1) & mask;
      keys[at] = key[i], values[at] = i;
    }
    unsigned *dk = upload(key), *dq = upload(query), *tk = upload(keys), *tv = upload(values), *o = dmalloc<unsigned>(n), *nk = dmalloc<unsigned>(slots), *nv = dmalloc<unsigned>(slots);
    p = J().num("slots", slots).num("keys", n);
    add("X14", "hash_table", "insert", p, [&] { launch(hash_insert, dim3(n / 256), dim3(256), 0, 0, dk, nk, nv, n, mask); }, [&] {
      auto k = download(nk, slots), v = download(nv, slots);
      double bad = 0, many = 0;
      for (auto x : k) many += x != none;
      for (int i = 0; i < n; i += 7) {
        unsigned at = mix(key[i]) & mask;
        while (k[at] != key[i] && k[at] != none) at = (at + 1) & mask;
        bad += k[at] != key[i] || v[at] != (unsigned)i;
      }
      return exact(bad + std::fabs(many - n));
    }, [&] { CK(cudaMemset(nk, 0xff, (size_t)slots * 4)); });
    add("X14", "hash_table", "find", p, [&] { launch(hash_find, dim3(n / 384 + 1), dim3(384), 0, 0, dq, tk, tv, o, n, mask); }, [&] {
      auto g = download(o, n);
      double bad = 0;
      for (int i = 0; i < n; i++) {
        unsigned which = mix((unsigned)i) % (2 * n);
        bad += g[i] != (which < (unsigned)n ? which : none);
      }
      return exact(bad);
    });
    CK(cudaFree(dk)); CK(cudaFree(dq)); CK(cudaFree(tk)); CK(cudaFree(tv)); CK(cudaFree(o)); CK(cudaFree(nk)); CK(cudaFree(nv));
  }
  return S.finish(dir);
}
