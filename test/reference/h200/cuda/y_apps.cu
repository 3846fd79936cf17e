// Y: programs of Hopper's kind: bulk copies, warps that load and warps that compute, barriers of their own, and textures.
// Written without a look at what a simulation makes of them.
#include "apps.cuh"
#include "bulk.cuh"
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern __shared__ __align__(128) unsigned char pool[];

// ---------------------------------------------------------------- Y1 sums of tiles that one thread has copied in bulk
__global__ void bulk_sum(const float4* __restrict__ in, float* __restrict__ out, int bytes, int stages, int tiles) {
  __shared__ uint64_t full[8], empty[8];
  float4* buffer = (float4*)pool;
  int t = threadIdx.x, each = bytes / 16;
  if (t == 0) {
    for (int s = 0; s < stages; s++) mbarrier_init(&full[s], 1), mbarrier_init(&empty[s], 128);
    fence_init();
  }
  __syncthreads();
  if (t >= 128) {  // the warp that loads
    if (t > 128) return;
    for (int i = blockIdx.x, n = 0; i < tiles; i += gridDim.x, n++) {
      int s = n % stages;
      if (n >= stages) mbarrier_wait(&empty[s], (n / stages + 1) & 1);
      mbarrier_arrive_expect(&full[s], bytes);
      bulk_load(buffer + s * each, in + (size_t)i * each, bytes, &full[s]);
    }
    return;
  }
  float sum = 0;
  for (int i = blockIdx.x, n = 0; i < tiles; i += gridDim.x, n++) {
    int s = n % stages;
    mbarrier_wait(&full[s], n / stages & 1);
    for (int k = t; k < each; k += 128) {
      float4 v = buffer[s * each + k];
      sum += v.x + v.y + v.z + v.w;
    }
    mbarrier_arrive(&empty[s]);
  }
  atomicAdd(out, sum);
}

// ---------------------------------------------------------------- Y2 in by bulk, changed, out by bulk
__global__ void bulk_scale(const float4* __restrict__ in, float4* __restrict__ out, float k, int bytes) {
  __shared__ uint64_t full;
  float4* buffer = (float4*)pool;
  int t = threadIdx.x, each = bytes / 16;
  size_t at = (size_t)blockIdx.x * each;
  if (t == 0) {
    mbarrier_init(&full, 1);
    fence_init();
    mbarrier_arrive_expect(&full, bytes);
    bulk_load(buffer, in + at, bytes, &full);
  }
  __syncthreads();
  mbarrier_wait(&full, 0);
  for (int i = t; i < each; i += blockDim.x) {
    float4 v = buffer[i];
    buffer[i] = make_float4(k * v.x, k * v.y, k * v.z, k * v.w);
  }
  fence_async();
  __syncthreads();
  if (t == 0) {
    bulk_store(out + at, buffer, bytes);
    bulk_commit();
    bulk_wait_read<0>();
  }
}

// ---------------------------------------------------------------- Y3 a product of matrices: one warp copies rows in bulk, eight compute
__global__ void __launch_bounds__(288) bulk_product(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int n) {
  constexpr int T = 64, K = 32, stages = 3;
  __shared__ uint64_t full[stages], empty[stages];
  float(*a)[T][K] = (float(*)[T][K])pool;
  float(*b)[K][T] = (float(*)[K][T])(pool + stages * T * K * 4);
  int t = threadIdx.x, row = blockIdx.y * T, column = blockIdx.x * T;
  if (t == 0) {
    for (int s = 0; s < stages; s++) mbarrier_init(&full[s], 1), mbarrier_init(&empty[s], 256);
    fence_init();
  }
  __syncthreads();
  if (t >= 256) {
    int lane = t - 256;
    for (int i = 0; i < n / K; i++) {
      int s = i % stages;
      if (i >= stages) mbarrier_wait(&empty[s], (i / stages + 1) & 1);
      if (lane == 0) mbarrier_arrive_expect(&full[s], 2 * T * K * 4);
      __syncwarp();
      for (int r = lane; r < T; r += 32) bulk_load(a[s][r], A + (size_t)(row + r) * n + i * K, K * 4, &full[s]);
      bulk_load(b[s][lane], B + (size_t)(i * K + lane) * n + column, T * 4, &full[s]);
    }
    return;
  }
  int x = t % 16 * 4, y = t / 16 * 4;
  float sum[4][4] = {};
  for (int i = 0; i < n / K; i++) {
    int s = i % stages;
    mbarrier_wait(&full[s], i / stages & 1);
#pragma unroll 8
    for (int k = 0; k < K; k++) {
      float4 v = *(float4*)&b[s][k][x];
#pragma unroll
      for (int r = 0; r < 4; r++) {
        float f = a[s][y + r][k];
        sum[r][0] += f * v.x, sum[r][1] += f * v.y, sum[r][2] += f * v.z, sum[r][3] += f * v.w;
      }
    }
    mbarrier_arrive(&empty[s]);
  }
  for (int r = 0; r < 4; r++) *(float4*)&C[(size_t)(row + y + r) * n + column + x] = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// ---------------------------------------------------------------- Y4 warps that load and warps that compute meet at barriers with numbers
__device__ inline void bar_sync(int id, int count) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }
__device__ inline void bar_arrive(int id, int count) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory"); }
__global__ void special_warps(const float* __restrict__ in, float* __restrict__ out, int tiles) {
  __shared__ float tile[2][1024];
  int t = threadIdx.x;
  if (t < 128) {  // loads
    for (int i = 0; i < tiles; i++) {
      int s = i & 1;
      const float* p = in + ((size_t)i * gridDim.x + blockIdx.x) * 1024;
      float v[8];
      for (int k = 0; k < 8; k++) v[k] = p[t + 128 * k];
      if (i >= 2) bar_sync(3 + s, 256);
      for (int k = 0; k < 8; k++) tile[s][t + 128 * k] = v[k];
      bar_arrive(1 + s, 256);
    }
  } else {
    t -= 128;
    for (int i = 0; i < tiles; i++) {
      int s = i & 1;
      bar_sync(1 + s, 256);
      float sum = 0;
      for (int k = 0; k < 8; k++) {
        float v = tile[s][(t * 8 + k * 129) & 1023];
        for (int j = 0; j < 6; j++) v = v * 0.75f + 0.5f;
        sum += v;
      }
      out[((size_t)i * gridDim.x + blockIdx.x) * 128 + t] = sum;
      if (i + 2 < tiles) bar_arrive(3 + s, 256);
    }
  }
}

// ---------------------------------------------------------------- Y5 cuda::barrier, cuda::pipeline
__global__ void barrier_steps(const float* __restrict__ in, float* __restrict__ out, int steps) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ float v[256];
  __shared__ barrier bar;
  int t = threadIdx.x;
  if (t == 0) init(&bar, 256);
  v[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int i = 0; i < steps; i++) {
    float next = 0.5f * v[t] + 0.25f * (v[(t + 1) & 255] + v[(t + 255) & 255]);
    barrier::arrival_token token = bar.arrive();
    float more = next * 1.0001f;
    bar.wait(std::move(token));
    v[t] = more;
    bar.arrive_and_wait();
  }
  out[blockIdx.x * 256 + t] = v[t];
}
__global__ void pipeline_sums(const float* __restrict__ in, float* __restrict__ out, int tiles) {
  constexpr int stages = 4, size = 512;
  __shared__ float buffer[stages][size];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state, block.thread_rank() < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int t = threadIdx.x;
  const float* p = in + (size_t)blockIdx.x * tiles * size;
  if (t < 64) {
    for (int i = 0; i < tiles; i++) {
      pipe.producer_acquire();
      for (int k = 0; k < 2; k++)
        cuda::memcpy_async((float4*)buffer[i % stages] + t + 64 * k, (const float4*)(p + i * size) + t + 64 * k, cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    }
  } else {
    float sum = 0;
    for (int i = 0; i < tiles; i++) {
      pipe.consumer_wait();
      for (int k = t - 64; k < size; k += 128) sum += buffer[i % stages][k];
      pipe.consumer_release();
    }
    out[blockIdx.x * 128 + t - 64] = sum;
  }
}

// ---------------------------------------------------------------- Y6 images through textures
__global__ void rotate_image(cudaTextureObject_t t, float* __restrict__ out, int w, int h, float c, float s) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= w || y >= h) return;
  float u = x - w * 0.5f, v = y - h * 0.5f;
  out[(size_t)y * w + x] = tex2D<float>(t, c * u - s * v + w * 0.5f + 0.5f, s * u + c * v + h * 0.5f + 0.5f);
}
__global__ void resize_image(cudaTextureObject_t t, uchar4* __restrict__ out, int w, int h, float k) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  float4 v = tex2D<float4>(t, (x + 0.5f) * k, (y + 0.5f) * k);
  out[(size_t)y * w + x] = make_uchar4(v.x * 255 + 0.5f, v.y * 255 + 0.5f, v.z * 255 + 0.5f, v.w * 255 + 0.5f);
}
__constant__ float weights[25];
__global__ void blur_image(cudaTextureObject_t t, float* __restrict__ out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
#pragma unroll
  for (int j = -2; j <= 2; j++)
#pragma unroll
    for (int i = -2; i <= 2; i++) sum += weights[(j + 2) * 5 + i + 2] * tex2D<float>(t, x + i + 0.5f, y + j + 0.5f);
  out[(size_t)y * w + x] = sum;
}
__global__ void invert_surface(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  float v;
  surf2Dread(&v, in, x * 4, y);
  surf2Dwrite(1 - v, out, x * 4, y);
}

// ---------------------------------------------------------------- Y7 tables and volumes through textures
__global__ void gather_texture(cudaTextureObject_t t, const int* __restrict__ index, float* __restrict__ out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(t, index[i]);
}
__global__ void table_texture(cudaTextureObject_t t, const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = tex1D<float>(t, in[i]);
}
__global__ void march_volume(cudaTextureObject_t t, float* __restrict__ out, int w, int n, float tilt) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0, px = x * (float)n / w, py = y * (float)n / w;
  for (int z = 0; z < n; z += 2) sum = fmaf(tex3D<float>(t, px + tilt * z, py, z + 0.5f), 0.01f, sum * 0.99f);
  out[y * w + x] = sum;
}

// A float texture of a w x h x d array; h and d 0 where there is no such dimension.
template <class T>
static cudaTextureObject_t texture(const std::vector<T>& data, int w, int h, int d, cudaTextureFilterMode filter, cudaTextureReadMode read, cudaTextureAddressMode mode = cudaAddressModeClamp, bool normalized = false) {
  cudaArray_t array;
  auto format = cudaCreateChannelDesc<T>();
  CK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), 0));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr((void*)data.data(), w * sizeof(T), w, h ? h : 1);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
  copy.kind = cudaMemcpyHostToDevice;
  CK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalized;
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
  cudaTextureObject_t t;
  CK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
  return t;
}
static unsigned mix(unsigned x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
  return x;
}
static float unit(unsigned x) { return (mix(x) >> 8) * (1.0f / 16777216); }

int main(int argc, char** argv) {
  std::string dir = argc > 1 ? argv[1] : ".";
  Suite S("y_apps");
  auto add = adder(S);
  J p;
  {  // Y1
    int n = 16 * M;
    std::vector<float> in(n);
    double sum = 0;
    for (int i = 0; i < n; i++) in[i] = unit(i), sum += in[i];
    float *d = upload(in), *o = dmalloc<float>(1);
    CK(cudaFuncSetAttribute(bulk_sum, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 << 10));
    auto one = [&](const char* variant, int bytes, int stages, int blocks) {
      add("Y1", "bulk_sum", variant, J().num("bytes", bytes).num("stages", stages).num("blocks", blocks),
          [=] { launch(bulk_sum, dim3(blocks), dim3(160), bytes * stages, 0, (const float4*)d, o, bytes, stages, n / (bytes / 4)); },
          [=] { return close(std::fabs(download(o, 1)[0] / sum - 1), 1e-3); }, [=] { CK(cudaMemset(o, 0, 4)); });
    };
    one("4KB_x1", 4096, 1, 132);
    one("4KB_x4", 4096, 4, 132);
    one("16KB_x4", 16384, 4, 132);
    one("2KB_x4_4_blocks", 2048, 4, 528);
    // Y2
    float* r = dmalloc<float>(n);
    auto check = [=] {
      auto g = download(r, n);
      double bad = 0;
      for (int i = 0; i < n; i += 77) bad += g[i] != 2.5f * in[i];
      return exact(bad);
    };
    for (int bytes : {2048, 16384})
      add("Y2", "bulk_scale", bytes == 2048 ? "2KB" : "16KB", J().num("bytes", bytes), [=] { launch(bulk_scale, dim3(n / (bytes / 4)), dim3(128), bytes, 0, (const float4*)d, (float4*)r, 2.5f, bytes); }, check);
    CK(cudaFree(r));
    // Y4
    float* q = dmalloc<float>(n / 8);
    int blocks = 512, tiles = n / 1024 / blocks;
    add("Y4", "special_warps", "load_and_compute", J().num("blocks", blocks), [=] { launch(special_warps, dim3(blocks), dim3(256), 0, 0, (const float*)d, q, tiles); }, [=] {
      auto g = download(q, n / 8);
      double bad = 0;
      for (int i = 0; i < n / 8; i += 131) {
        float s = 0;
        for (int k = 0; k < 8; k++) {
          float v = in[(size_t)(i / 128) * 1024 + ((i % 128 * 8 + k * 129) & 1023)];
          for (int j = 0; j < 6; j++) v = std::fma(v, 0.75f, 0.5f);
          s += v;
        }
        bad = std::max(bad, (double)std::fabs(g[i] - s));
      }
      return close(bad, 1e-4);
    });
    // Y5
    add("Y5", "pipeline_sums", "producers_and_consumers", J().num("tiles", 64), [=] { launch(pipeline_sums, dim3(512), dim3(192), 0, 0, (const float*)d, q, 64); }, [=] {
      auto g = download(q, 512 * 128);
      double bad = 0;
      for (int i = 0; i < 512 * 128; i += 61) {
        double s = 0;
        for (int k = i % 128; k < 64 * 512; k += 128) s += in[(size_t)(i / 128) * 64 * 512 + k];
        bad = std::max(bad, std::fabs(g[i] - s) / s);
      }
      return close(bad, 1e-4);
    });
    add("Y5", "barrier_steps", "arrive_then_wait", J().num("steps", 64), [=] { launch(barrier_steps, dim3(1056), dim3(256), 0, 0, (const float*)d, q, 64); }, [=] {
      auto g = download(q, 256);
      double mean = 0, now = 0;
      for (int i = 0; i < 256; i++) mean += in[i] * std::pow(1.0001, 64), now += g[i];
      return close(std::fabs(now / mean - 1), 1e-3);
    });
    CK(cudaFree(d)); CK(cudaFree(o)); CK(cudaFree(q));
  }
  {  // Y3
    int n = 1024;
    std::vector<float> a(n * n), b(n * n);
    for (int i = 0; i < n * n; i++) a[i] = unit(i), b[i] = unit(i + 12345);
    float *da = upload(a), *db = upload(b), *dc = dmalloc<float>(n * n);
    CK(cudaFuncSetAttribute(bulk_product, cudaFuncAttributeMaxDynamicSharedMemorySize, 3 * 2 * 64 * 32 * 4));
    add("Y3", "bulk_product", "one_warp_loads", J().num("n", n), [=] { launch(bulk_product, dim3(n / 64, n / 64), dim3(288), 3 * 2 * 64 * 32 * 4, 0, (const float*)da, (const float*)db, dc, n); }, [=] {
      auto g = download(dc, n * n);
      double bad = 0;
      for (int i = 0; i < n * n; i += 4099) {
        double s = 0;
        for (int k = 0; k < n; k++) s += (double)a[i / n * n + k] * b[k * n + i % n];
        bad = std::max(bad, std::fabs(g[i] - s) / s);
      }
      return close(bad, 1e-4);
    });
    CK(cudaFree(da)); CK(cudaFree(db)); CK(cudaFree(dc));
  }
  {  // Y6
    int w = 2048, h = 1536;
    std::vector<float> in(w * h);
    for (int i = 0; i < w * h; i++) in[i] = unit(i);
    std::vector<uchar4> rgba(w * h);
    for (int i = 0; i < w * h; i++) rgba[i] = make_uchar4(mix(i), mix(i) >> 8, mix(i) >> 16, 255);
    auto smooth = texture(in, w, h, 0, cudaFilterModeLinear, cudaReadModeElementType), plain = texture(in, w, h, 0, cudaFilterModePoint, cudaReadModeElementType);
    auto colour = texture(rgba, w, h, 0, cudaFilterModeLinear, cudaReadModeNormalizedFloat);
    float* o = dmalloc<float>(w * h);
    for (int degrees : {0, 30, 90})
      add("Y6", "rotate_image", degrees == 0 ? "by_0" : degrees == 30 ? "by_30" : "by_90", J().num("w", w).num("h", h), [=] {
        float a = degrees * 3.14159265f / 180;
        launch(rotate_image, dim3(w / 16, h / 16), dim3(16, 16), 0, 0, smooth, o, w, h, std::cos(a), std::sin(a));
      }, [=] {
        auto g = download(o, w * h);
        double bad = 0;
        for (int i = 0; i < w * h; i += 977) bad += degrees == 0 ? g[i] != in[i] : !(g[i] >= 0 && g[i] <= 1);
        return exact(bad);
      });
    uchar4* c = dmalloc<uchar4>(w * h);
    add("Y6", "resize_image", "by_half", J().num("w", w), [=] { launch(resize_image, dim3(w / 2 / 32, h / 2 / 8), dim3(32, 8), 0, 0, colour, c, w / 2, h / 2, 2.0f); }, [=] {
      auto g = download(c, w * h / 4);
      double bad = 0;
      for (int i = 0; i < w * h / 4; i += 97) {
        int at = i / (w / 2) * 2 * w + i % (w / 2) * 2;
        float mean = (rgba[at].x + rgba[at + 1].x + rgba[at + w].x + rgba[at + w + 1].x) * 0.25f;
        bad = std::max(bad, (double)std::fabs(g[i].x - mean));
      }
      return close(bad, 1.01);
    });
    std::vector<float> k(25, 0.04f);
    CK(cudaMemcpyToSymbol(weights, k.data(), 100));
    add("Y6", "blur_image", "5x5", J().num("w", w), [=] { launch(blur_image, dim3(w / 32, h / 8), dim3(32, 8), 0, 0, plain, o, w, h); }, [=] {
      auto g = download(o, w * h);
      double bad = 0;
      for (int y = 2; y < h - 2; y += 13)
        for (int x = 2; x < w - 2; x += 31) {
          double s = 0;
          for (int j = -2; j <= 2; j++)
            for (int i = -2; i <= 2; i++) s += 0.04 * in[(y + j) * w + x + i];
          bad = std::max(bad, std::fabs(g[y * w + x] - s));
        }
      return close(bad, 1e-5);
    });
    cudaArray_t arrays[2];
    cudaSurfaceObject_t surfaces[2];
    auto format = cudaCreateChannelDesc<float>();
    for (int i = 0; i < 2; i++) {
      CK(cudaMallocArray(&arrays[i], &format, w, h, cudaArraySurfaceLoadStore));
      cudaResourceDesc resource{};
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = arrays[i];
      CK(cudaCreateSurfaceObject(&surfaces[i], &resource));
    }
    CK(cudaMemcpy2DToArray(arrays[0], 0, 0, in.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    auto s0 = surfaces[0], s1 = surfaces[1];
    auto a1 = arrays[1];
    add("Y6", "invert_surface", "float", J().num("w", w), [=] { launch(invert_surface, dim3(w / 32, h / 8), dim3(32, 8), 0, 0, s0, s1, w, h); }, [=] {
      std::vector<float> g(w * h);
      CK(cudaMemcpy2DFromArray(g.data(), w * 4, a1, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
      double bad = 0;
      for (int i = 0; i < w * h; i += 97) bad += g[i] != 1 - in[i];
      return exact(bad);
    });
    CK(cudaFree(o)); CK(cudaFree(c));
  }
  {  // Y7
    int n = 4 * M, size = M;
    std::vector<float> table(size), values(n);
    std::vector<int> index(n);
    for (int i = 0; i < size; i++) table[i] = unit(i);
    for (int i = 0; i < n; i++) index[i] = mix(i) % size, values[i] = unit(i + 7) * 1024;
    float *dt = upload(table), *dv = upload(values), *o = dmalloc<float>(n);
    int* di = upload(index);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = dt;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = size * 4;
    cudaTextureDesc how{};
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    add("Y7", "gather_texture", "4MB", J().num("n", n), [=] { launch(gather_texture, dim3(n / 256), dim3(256), 0, 0, t, (const int*)di, o, n); }, [=] {
      auto g = download(o, n);
      double bad = 0;
      for (int i = 0; i < n; i += 31) bad += g[i] != table[index[i]];
      return exact(bad);
    });
    std::vector<float> curve(1024);
    for (int i = 0; i < 1024; i++) curve[i] = (float)i;
    auto c = texture(curve, 1024, 0, 0, cudaFilterModeLinear, cudaReadModeElementType);
    add("Y7", "table_texture", "1024", J().num("n", n), [=] { launch(table_texture, dim3(n / 256), dim3(256), 0, 0, c, (const float*)dv, o, n); }, [=] {
      auto g = download(o, n);
      double bad = 0;
      for (int i = 0; i < n; i += 31) bad = std::max(bad, (double)std::fabs(g[i] - std::min(std::max(values[i] - 0.5f, 0.0f), 1023.0f)));
      return close(bad, 0.01);
    });
    int side = 128, image = 512;
    std::vector<float> volume((size_t)side * side * side);
    for (size_t i = 0; i < volume.size(); i++) volume[i] = unit((unsigned)i);
    auto v = texture(volume, side, side, side, cudaFilterModeLinear, cudaReadModeElementType);
    add("Y7", "march_volume", "128", J().num("image", image), [=] { launch(march_volume, dim3(image / 16, image / 16), dim3(16, 16), 0, 0, v, o, image, side, 0.1f); }, [=] {
      auto g = download(o, image * image);
      double bad = 0;
      for (int i = 0; i < image * image; i += 31) bad += !(g[i] > 0 && g[i] < 1);
      return exact(bad);
    });
  }
  return S.finish(dir);
}
