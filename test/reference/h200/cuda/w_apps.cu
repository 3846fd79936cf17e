// W: a second set of everyday programs, as v_apps.cu, written after what that one showed had been mended.
#include "apps.cuh"
#include <cuda_fp16.h>


// ---------------------------------------------------------------- W1 separable convolution, 17 taps
__constant__ float taps[17];
__global__ void rows17(const float* __restrict__ in, float* __restrict__ out, int w) {
  __shared__ float t[4][128 + 16];
  int x0 = blockIdx.x * 128, y = blockIdx.y * 4 + threadIdx.y;
  for (int i = threadIdx.x; i < 144; i += 32) {
    int x = x0 + i - 8;
    t[threadIdx.y][i] = x >= 0 && x < w ? in[y * w + x] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float s = 0;
#pragma unroll
    for (int j = 0; j < 17; j++) s += taps[j] * t[threadIdx.y][threadIdx.x + 32 * k + j];
    out[y * w + x0 + threadIdx.x + 32 * k] = s;
  }
}
__global__ void columns17(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float s = 0;
  for (int j = -8; j <= 8; j++) {
    int v = min(max(y + j, 0), h - 1);
    s += taps[j + 8] * in[v * w + x];
  }
  out[y * w + x] = s;
}

// ---------------------------------------------------------------- W2 the largest of each row, and where
__global__ void argmax_shared(const float* __restrict__ in, int* __restrict__ out, int n) {
  __shared__ float value[256];
  __shared__ int index[256];
  const float* row = in + (size_t)blockIdx.x * n;
  int t = threadIdx.x, at = t;
  float best = -1e30f;
  for (int i = t; i < n; i += 256)
    if (row[i] > best) best = row[i], at = i;
  value[t] = best;
  index[t] = at;
  __syncthreads();
  for (int d = 128; d; d >>= 1) {
    if (t < d && (value[t + d] > value[t] || (value[t + d] == value[t] && index[t + d] < index[t])))
      value[t] = value[t + d], index[t] = index[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = index[0];
}
__global__ void argmax_shuffle(const float* __restrict__ in, int* __restrict__ out, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, at = lane;
  const float* p = in + (size_t)row * n;
  float best = -1e30f;
  for (int i = lane; i < n; i += 32)
    if (p[i] > best) best = p[i], at = i;
  for (int d = 16; d; d >>= 1) {
    float v = __shfl_down_sync(~0u, best, d);
    int a = __shfl_down_sync(~0u, at, d);
    if (v > best || (v == best && a < at)) best = v, at = a;
  }
  if (lane == 0) out[row] = at;
}

// ---------------------------------------------------------------- W3 a path through a grid, several steps per launch
__global__ void pathfinder(const int* __restrict__ wall, const int* __restrict__ from, int* __restrict__ to, int n, int start, int steps) {
  __shared__ int a[2][256];
  int t = threadIdx.x, x = blockIdx.x * (256 - 2 * steps) + t - steps, now = 0;
  bool in = x >= 0 && x < n;
  a[0][t] = in ? from[x] : 1 << 30;
  __syncthreads();
  for (int s = 0; s < steps; s++) {
    int v = a[now][t];
    if (t > 0) v = min(v, a[now][t - 1]);
    if (t < 255) v = min(v, a[now][t + 1]);
    a[1 - now][t] = in ? v + wall[(size_t)(start + s) * n + x] : 1 << 30;
    now = 1 - now;
    __syncthreads();
  }
  if (in && t >= steps && t < 256 - steps) to[x] = a[now][t];
}

// ---------------------------------------------------------------- W4 heat, with a temperature and a power map
__global__ void hotspot(const float* __restrict__ temp, const float* __restrict__ power, float* __restrict__ out, int n, float rx, float ry, float rz, float cap) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= n || y >= n) return;
  int i = y * n + x;
  float c = temp[i];
  float l = x > 0 ? temp[i - 1] : c, r = x < n - 1 ? temp[i + 1] : c, u = y > 0 ? temp[i - n] : c, d = y < n - 1 ? temp[i + n] : c;
  out[i] = c + cap * (power[i] + (l + r - 2 * c) / rx + (u + d - 2 * c) / ry + (80 - c) / rz);
}

// ---------------------------------------------------------------- W5 binary search of many keys in a sorted table
__global__ void lower_bounds(const int* __restrict__ table, int n, const int* __restrict__ keys, int* __restrict__ out, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int key = keys[i], low = 0, high = n;
  while (low < high) {
    int middle = (low + high) >> 1;
    if (table[middle] < key) low = middle + 1;
    else high = middle;
  }
  out[i] = low;
}

// ---------------------------------------------------------------- W6 Walsh-Hadamard of 2048 per block
__global__ void walsh(float* data) {
  __shared__ float s[2048];
  float* mine = data + (size_t)blockIdx.x * 2048;
  for (int i = threadIdx.x; i < 2048; i += 512) s[i] = mine[i];
  for (int h = 1; h < 2048; h <<= 1) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 2; k++) {
      int t = threadIdx.x + k * 512, i = 2 * t - (t & (h - 1));
      float a = s[i], b = s[i + h];
      s[i] = a + b;
      s[i + h] = a - b;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += 512) mine[i] = s[i] * (1.0f / 2048);
}

// ---------------------------------------------------------------- W7 cosine transform of 8 x 8
__global__ void dct8x8(const float* __restrict__ in, float* __restrict__ out, int w) {
  __shared__ float t[4][8][9];
  int b = threadIdx.z, x = threadIdx.x, y = threadIdx.y, gx = (blockIdx.x * 4 + b) * 8 + x, gy = blockIdx.y * 8 + y;
  t[b][y][x] = in[gy * w + gx];
  __syncthreads();
  float s = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) s += t[b][y][k] * __cosf((2 * k + 1) * x * 0.19634954f);
  __syncthreads();
  t[b][y][x] = s;
  __syncthreads();
  s = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) s += t[b][k][x] * __cosf((2 * k + 1) * y * 0.19634954f);
  out[gy * w + gx] = s * 0.25f;
}

// ---------------------------------------------------------------- W8 loss of rows of logits in half precision
__global__ void cross_entropy(const half* __restrict__ logits, const int* __restrict__ label, float* __restrict__ loss, int n) {
  __shared__ float part[8];
  const half* row = logits + (size_t)blockIdx.x * n;
  float m = -1e30f, s = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    float v = __half2float(row[i]), old = m;
    m = fmaxf(m, v);
    s = s * __expf(old - m) + __expf(v - m);
  }
  float top = m;
  for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
  s *= __expf(m - top);
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = top + __logf(s);
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0, most = -1e30f;
    for (int k = 0; k < 8; k++) most = fmaxf(most, part[k]);
    for (int k = 0; k < 8; k++) all += __expf(part[k] - most);
    loss[blockIdx.x] = most + __logf(all) - __half2float(row[label[blockIdx.x]]);
  }
}

// ---------------------------------------------------------------- W9 pooling 2 x 2
__global__ void pool_scalar(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w / 2) return;
  const float* p = in + (size_t)2 * y * w + 2 * x;
  out[(size_t)y * (w / 2) + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[w], p[w + 1]));
}
__global__ void pool_float4(const float4* __restrict__ in, float2* __restrict__ out, int w4, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w4) return;
  float4 a = in[(size_t)2 * y * w4 + x], b = in[(size_t)(2 * y + 1) * w4 + x];
  out[(size_t)y * w4 + x] = make_float2(fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y)), fmaxf(fmaxf(a.z, a.w), fmaxf(b.z, b.w)));
}

// ---------------------------------------------------------------- W10 forces between particles of neighbouring cells
__global__ void cell_forces(const float4* __restrict__ atom, float4* __restrict__ force, int side) {
  __shared__ float4 other[64];
  int c = blockIdx.x, cx = c % side, cy = c / side % side, cz = c / side / side, t = threadIdx.x;
  float4 p = atom[c * 64 + t];
  float fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < 27; k++) {
    int x = cx + k % 3 - 1, y = cy + k / 3 % 3 - 1, z = cz + k / 9 - 1;
    if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) continue;
    __syncthreads();
    other[t] = atom[((z * side + y) * side + x) * 64 + t];
    __syncthreads();
    for (int j = 0; j < 64; j++) {
      float dx = p.x - other[j].x, dy = p.y - other[j].y, dz = p.z - other[j].z, r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < 1.0f && r2 > 0) {
        float i2 = 1 / r2, i6 = i2 * i2 * i2, f = i2 * i6 * (i6 - 0.5f);
        fx += f * dx, fy += f * dy, fz += f * dz;
      }
    }
  }
  force[c * 64 + t] = make_float4(fx, fy, fz, 0);
}

// ---------------------------------------------------------------- W11 matrix product in double precision, tiles of 16
__global__ void dgemm16(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c, int n) {
  __shared__ double as[16][16], bs[16][16];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  double s = 0;
  for (int t = 0; t < n; t += 16) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; k++) s += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + col] = s;
}

// ---------------------------------------------------------------- W12 random numbers by rounds of multiplications
__global__ void philox(uint4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = i, b = 0, c = 7, d = 11, k = 0x12345, l = 0x6789;
#pragma unroll
  for (int r = 0; r < 10; r++) {
    unsigned h0 = __umulhi(0xD2511F53u, a), l0 = 0xD2511F53u * a, h1 = __umulhi(0xCD9E8D57u, c), l1 = 0xCD9E8D57u * c;
    a = h1 ^ b ^ k;
    b = l1;
    c = h0 ^ d ^ l;
    d = l0;
    k += 0x9E3779B9u;
    l += 0xBB67AE85u;
  }
  out[i] = make_uint4(a, b, c, d);
}

// ---------------------------------------------------------------- W13 edges of an image
__global__ void sobel(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  auto p = [&](int dx, int dy) { return (int)in[(y + dy) * w + x + dx]; };
  int gx = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
  int gy = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
  out[y * w + x] = min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}

// ---------------------------------------------------------------- W14 sums of segments of different lengths
__global__ void segments_atomic(const float* __restrict__ in, const int* __restrict__ segment, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[segment[i]], in[i]);
}
__global__ void segments_block(const float* __restrict__ in, const int* __restrict__ start, float* __restrict__ out) {
  __shared__ float part[4];
  float s = 0;
  for (int i = start[blockIdx.x] + threadIdx.x; i < start[blockIdx.x + 1]; i += 128) s += in[i];
  for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

// ---------------------------------------------------------------- W15 rotation of pairs in half precision
__global__ void rotate_pairs(half2* __restrict__ q, const float2* __restrict__ table, int heads, int half_dim) {
  int pos = blockIdx.x, i = threadIdx.x;
  float2 cs = table[pos * half_dim + i];
  for (int h = 0; h < heads; h++) {
    half2* p = q + ((size_t)pos * heads + h) * half_dim + i;
    float2 v = __half22float2(*p);
    *p = __floats2half2_rn(v.x * cs.x - v.y * cs.y, v.x * cs.y + v.y * cs.x);
  }
}

int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  Suite S("w_apps");
  auto add = adder(S);
  J p;
  {
    int w = 4096;
    auto f = rand_floats(17, 1);
    CK(cudaMemcpyToSymbol(taps, f.data(), 68));
    float *d = dfill((size_t)w * w, 2), *o = dmalloc<float>((size_t)w * w);
    p = J().num("n", w);
    auto one = [&](const char* variant, bool rows, std::function<void()> run) {
      add("W1", "convolution17", variant, p, run, [&, rows] {
        auto g = download(o, (size_t)w * w);
        double worst = 0;
        for (int y = 3; y < w; y += 211)
          for (int x = 0; x < w; x++) {
            double s = 0;
            for (int j = -8; j <= 8; j++) {
              int u = rows ? x + j : x, v = rows ? y : std::min(std::max(y + j, 0), w - 1);
              if (u >= 0 && u < w) s += (double)f[j + 8] * hash_float((size_t)v * w + u, 2);
            }
            worst = std::max(worst, std::fabs(s - g[(size_t)y * w + x]));
          }
        return close(worst, 1e-4);
      });
    };
    one("rows_shared", true, [&] { launch(rows17, dim3(w / 128, w / 4), dim3(32, 4), 0, 0, d, o, w); });
    one("columns_global", false, [&] { launch(columns17, dim3(w / 32, w / 8), dim3(32, 8), 0, 0, d, o, w, w); });
    float* q = d;
    p = J().num("width", w);
    auto pool = [&](const char* variant, std::function<void()> run) {
      add("W9", "max_pool", variant, p, run, [&] {
        auto g = download(o, (size_t)w * w / 4);
        double bad = 0;
        for (int y = 0; y < w / 2; y += 77)
          for (int x = 0; x < w / 2; x++) {
            auto v = [&](int i, int j) { return hash_float((size_t)(2 * y + j) * w + 2 * x + i, 2); };
            bad += g[(size_t)y * (w / 2) + x] != std::max(std::max(v(0, 0), v(1, 0)), std::max(v(0, 1), v(1, 1)));
          }
        return exact(bad);
      });
    };
    pool("scalar", [&] { launch(pool_scalar, dim3(w / 512, w / 2), dim3(256), 0, 0, q, o, w, w); });
    pool("float4", [&] { launch(pool_float4, dim3(w / 1024, w / 2), dim3(256), 0, 0, (const float4*)q, (float2*)o, w / 4, w); });
    add("W4", "hotspot", "16x16", p, [&] { launch(hotspot, dim3(w / 16, w / 16), dim3(16, 16), 0, 0, d, d, o, w, 0.3f, 0.4f, 5.0f, 0.01f); }, [&] {
      auto g = download(o, (size_t)w * w);
      double worst = 0;
      auto v = [&](int x, int y) { return (double)hash_float((size_t)y * w + x, 2); };
      for (int y = 1; y < w - 1; y += 99)
        for (int x = 1; x < w - 1; x++) {
          double c = v(x, y), want = c + 0.01 * (c + (v(x - 1, y) + v(x + 1, y) - 2 * c) / 0.3 + (v(x, y - 1) + v(x, y + 1) - 2 * c) / 0.4 + (80 - c) / 5);
          worst = std::max(worst, std::fabs(want - g[(size_t)y * w + x]));
        }
      return close(worst, 1e-4);
    });
    add("W7", "dct8x8", "cosf", p, [&] { launch(dct8x8, dim3(w / 32, w / 8), dim3(8, 8, 4), 0, 0, d, o, w); }, [&] {
      auto g = download(o, (size_t)w * w);
      double worst = 0;
      for (int b = 0; b < w / 8; b += 37)
        for (int y = 0; y < 8; y++)
          for (int x = 0; x < 8; x++) {
            double s = 0;
            for (int j = 0; j < 8; j++)
              for (int i = 0; i < 8; i++) s += hash_float((size_t)(b * 8 + j) * w + b * 8 + i, 2) * std::cos((2 * i + 1) * x * M_PI / 16) * std::cos((2 * j + 1) * y * M_PI / 16);
            worst = std::max(worst, std::fabs(s / 4 - g[(size_t)(b * 8 + y) * w + b * 8 + x]));
          }
      return close(worst, 1e-3);
    });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  {
    int rows = 16384, n = 1000;
    float* d = dfill((size_t)rows * n, 3);
    int* o = dmalloc<int>(rows);
    p = J().num("rows", rows).num("columns", n);
    auto one = [&](const char* variant, std::function<void()> run) {
      add("W2", "argmax", variant, p, run, [&] {
        auto g = download(o, rows);
        double bad = 0;
        for (int r = 0; r < rows; r += 41) {
          int at = 0;
          for (int i = 1; i < n; i++) if (hash_float((size_t)r * n + i, 3) > hash_float((size_t)r * n + at, 3)) at = i;
          bad += g[r] != at;
        }
        return exact(bad);
      });
    };
    one("block_shared", [&] { launch(argmax_shared, dim3(rows), dim3(256), 0, 0, d, o, n); });
    one("warp_shuffle", [&] { launch(argmax_shuffle, dim3(rows / 8), dim3(256), 0, 0, d, o, n); });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  {
    int n = 1 * M, steps = 20;
    std::vector<int> wall((size_t)n * steps), first(n);
    Rng r(4);
    for (auto& v : wall) v = r.u32() % 10;
    for (auto& v : first) v = r.u32() % 10;
    int *dw = upload(wall), *a = upload(first), *b = dmalloc<int>(n);
    p = J().num("n", n).num("steps", steps);
    add("W3", "pathfinder", "20_steps", p, [&] { launch(pathfinder, dim3((n + 215) / 216), dim3(256), 0, 0, dw, a, b, n, 0, steps); }, [&] {
      auto g = download(b, n);
      std::vector<int> now = first, next(n);
      for (int s = 0; s < steps; s++) {
        for (int x = 0; x < n; x++) {
          int v = now[x];
          if (x > 0) v = std::min(v, now[x - 1]);
          if (x < n - 1) v = std::min(v, now[x + 1]);
          next[x] = v + wall[(size_t)s * n + x];
        }
        now = next;
      }
      double bad = 0;
      for (int x = 0; x < n; x++) bad += g[x] != now[x];
      return exact(bad);
    });
    CK(cudaFree(dw)); CK(cudaFree(a)); CK(cudaFree(b));
  }
  for (int n : {(int)(64 * 1024), (int)(16 * M)}) {
    int m = 4 * M;
    std::vector<int> table(n), keys(m);
    for (int i = 0; i < n; i++) table[i] = 3 * i;
    Rng r(5);
    for (auto& v : keys) v = r.u32() % (3 * n);
    int *dt = upload(table), *dk = upload(keys), *o = dmalloc<int>(m);
    p = J().num("table", n).num("keys", m);
    add("W5", "lower_bound", "per_thread", p, [&] { launch(lower_bounds, dim3(m / 256), dim3(256), 0, 0, dt, n, dk, o, m); }, [&] {
      auto g = download(o, m);
      double bad = 0;
      for (int i = 0; i < m; i++) bad += g[i] != (keys[i] + 2) / 3;
      return exact(bad);
    });
    CK(cudaFree(dt)); CK(cudaFree(dk)); CK(cudaFree(o));
  }
  {
    int many = 8192;
    auto in = rand_floats((size_t)many * 2048, 6);
    float* d = upload(in);
    p = J().num("transforms", many);
    add("W6", "walsh_2048", "shared", p, [&] { launch(walsh, dim3(many), dim3(512), 0, 0, d); }, [&] {
      auto g = download(d, (size_t)many * 2048);
      double worst = 0;
      for (int f = 0; f < 2048; f += 111) {
        double s = 0;
        for (int i = 0; i < 2048; i++) s += __builtin_parity(i & f) ? -in[5 * 2048 + i] : in[5 * 2048 + i];
        worst = std::max(worst, std::fabs(s / 2048 - g[5 * 2048 + f]));
      }
      return close(worst, 1e-4);
    }, [&] { CK(cudaMemcpy(d, in.data(), in.size() * 4, cudaMemcpyHostToDevice)); });
    CK(cudaFree(d));
  }
  {
    int rows = 8192, n = 4000;
    std::vector<half> h((size_t)rows * n);
    std::vector<int> label(rows);
    for (size_t i = 0; i < h.size(); i++) h[i] = __float2half(4 * hash_float(i, 7));
    for (int i = 0; i < rows; i++) label[i] = i % n;
    half* d = upload(h);
    int* l = upload(label);
    float* o = dmalloc<float>(rows);
    p = J().num("rows", rows).num("columns", n);
    add("W8", "cross_entropy", "half", p, [&] { launch(cross_entropy, dim3(rows), dim3(256), 0, 0, d, l, o, n); }, [&] {
      auto g = download(o, rows);
      double worst = 0;
      for (int r = 0; r < rows; r += 101) {
        double s = 0;
        for (int i = 0; i < n; i++) s += std::exp((double)__half2float(h[(size_t)r * n + i]));
        worst = std::max(worst, std::fabs(std::log(s) - __half2float(h[(size_t)r * n + label[r]]) - g[r]));
      }
      return close(worst, 1e-3);
    });
    CK(cudaFree(d)); CK(cudaFree(l)); CK(cudaFree(o));
  }
  {
    int side = 12, cells = side * side * side;
    std::vector<float4> a(cells * 64);
    Rng r(8);
    for (int c = 0; c < cells; c++)
      for (int i = 0; i < 64; i++) a[c * 64 + i] = make_float4(c % side + r.uni(), c / side % side + r.uni(), c / side / side + r.uni(), 0);
    float4 *d = upload(a), *o = dmalloc<float4>(a.size());
    p = J().num("cells", cells);
    add("W10", "cell_forces", "shared", p, [&] { launch(cell_forces, dim3(cells), dim3(64), 0, 0, d, o, side); }, [&] {
      auto g = download(o, a.size());
      double worst = 0;
      for (int i = 0; i < cells * 64; i += 4999) {
        double f = 0, all = 1e-9;
        for (size_t j = 0; j < a.size(); j++) {
          double dx = (double)a[i].x - a[j].x, dy = (double)a[i].y - a[j].y, dz = (double)a[i].z - a[j].z, q = dx * dx + dy * dy + dz * dz;
          if (q < 1 && q > 0) { double i6 = 1 / (q * q * q); f += i6 * (i6 - 0.5) / q * dx, all += std::fabs(i6 * (i6 - 0.5) / q * dx); }
        }
        worst = std::max(worst, std::fabs(f - g[i].x) / all);
      }
      return close(worst, 1e-3);
    });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  {
    int n = 512;
    std::vector<double> a(n * n), b(n * n);
    Rng r(9);
    for (auto& v : a) v = r.uni();
    for (auto& v : b) v = r.uni();
    double *da = upload(a), *db = upload(b), *c = dmalloc<double>(n * n);
    p = J().num("n", n);
    add("W11", "dgemm", "tile16", p, [&] { launch(dgemm16, dim3(n / 16, n / 16), dim3(16, 16), 0, 0, da, db, c, n); }, [&] {
      auto g = download(c, n * n);
      double worst = 0;
      for (int e = 0; e < n * n; e += 1111) {
        double s = 0;
        for (int k = 0; k < n; k++) s += a[e / n * n + k] * b[k * n + e % n];
        worst = std::max(worst, std::fabs(s - g[e]));
      }
      return close(worst, 1e-9);
    });
    CK(cudaFree(da)); CK(cudaFree(db)); CK(cudaFree(c));
  }
  {
    int n = 8 * M;
    uint4* o = dmalloc<uint4>(n);
    p = J().num("n", n);
    add("W12", "philox", "10_rounds", p, [&] { launch(philox, dim3(n / 256), dim3(256), 0, 0, o, n); }, [&] {
      auto g = download(o, n);
      double s = 0;
      for (auto& v : g) s += v.x / 4294967296.0;
      return close(std::fabs(s / n - 0.5), 1e-3);
    });
    CK(cudaFree(o));
  }
  {
    int w = 8192;
    std::vector<unsigned char> in((size_t)w * w);
    Rng r(10);
    for (size_t i = 0; i < in.size(); i += 4) { unsigned v = r.u32(); memcpy(&in[i], &v, 4); }
    unsigned char *d = upload(in), *o = dmalloc<unsigned char>(in.size());
    p = J().num("n", w);
    add("W13", "sobel", "bytes", p, [&] { launch(sobel, dim3(w / 32, w / 8), dim3(32, 8), 0, 0, d, o, w, w); }, [&] {
      auto g = download(o, in.size());
      double bad = 0;
      for (int y = 1; y < w - 1; y += 301)
        for (int x = 1; x < w - 1; x++) {
          auto q = [&](int dx, int dy) { return (int)in[(size_t)(y + dy) * w + x + dx]; };
          int gx = q(1, -1) + 2 * q(1, 0) + q(1, 1) - q(-1, -1) - 2 * q(-1, 0) - q(-1, 1), gy = q(-1, 1) + 2 * q(0, 1) + q(1, 1) - q(-1, -1) - 2 * q(0, -1) - q(1, -1);
          bad += std::abs((int)g[(size_t)y * w + x] - std::min(255, (int)std::sqrt((float)(gx * gx + gy * gy)))) > 1;
        }
      return exact(bad);
    });
    CK(cudaFree(d)); CK(cudaFree(o));
  }
  {
    int n = 8 * M, many = 16384;
    std::vector<int> start(many + 1), segment(n);
    Rng r(11);
    for (int i = 1; i < many; i++) start[i] = (int)((long long)i * n / many) + r.u32() % 200;
    start[many] = n;
    for (int s = 0; s < many; s++) for (int i = start[s]; i < start[s + 1]; i++) segment[i] = s;
    float *d = dfill(n, 12), *o = dmalloc<float>(many);
    int *ds = upload(start), *dg = upload(segment);
    p = J().num("n", n).num("segments", many);
    auto one = [&](const char* variant, std::function<void()> run) {
      add("W14", "segment_sum", variant, p, run, [&] {
        auto g = download(o, many);
        double worst = 0;
        for (int s = 0; s < many; s += 33) {
          double t = 0;
          for (int i = start[s]; i < start[s + 1]; i++) t += hash_float(i, 12);
          worst = std::max(worst, std::fabs(t - g[s]));
        }
        return close(worst, 1e-2);
      }, [&] { CK(cudaMemset(o, 0, many * 4)); });
    };
    one("atomic", [&] { launch(segments_atomic, dim3(n / 256), dim3(256), 0, 0, d, dg, o, n); });
    one("block_per_segment", [&] { launch(segments_block, dim3(many), dim3(128), 0, 0, d, ds, o); });
    CK(cudaFree(d)); CK(cudaFree(o)); CK(cudaFree(ds)); CK(cudaFree(dg));
  }
  {
    int positions = 4096, heads = 32, dim = 64;
    size_t n = (size_t)positions * heads * dim;
    std::vector<half2> q(n);
    std::vector<float2> t(positions * dim);
    for (size_t i = 0; i < n; i++) q[i] = __floats2half2_rn(hash_float(2 * i, 13), hash_float(2 * i + 1, 13));
    for (int i = 0; i < positions * dim; i++) t[i] = make_float2(std::cos(0.001f * i), std::sin(0.001f * i));
    half2* d = upload(q);
    float2* dt = upload(t);
    p = J().num("positions", positions).num("heads", heads);
    add("W15", "rotary", "half2", p, [&] { launch(rotate_pairs, dim3(positions), dim3(dim), 0, 0, d, dt, heads, dim); }, [&] {
      auto g = download(d, n);
      double worst = 0;
      for (size_t i = 0; i < n; i += 997) {
        float2 v = __half22float2(q[i]), c = t[i / (heads * dim) * dim + i % dim], w = __half22float2(g[i]);
        worst = std::max(worst, (double)std::max(std::fabs(v.x * c.x - v.y * c.y - w.x), std::fabs(v.x * c.y + v.y * c.x - w.y)));
      }
      return close(worst, 4e-3);
    }, [&] { CK(cudaMemcpy(d, q.data(), n * 4, cudaMemcpyHostToDevice)); });
    CK(cudaFree(d)); CK(cudaFree(dt));
  }
  return S.finish(dir);
}
