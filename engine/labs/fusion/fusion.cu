// Element-wise kernels one after the other, and as one: what one stores for the next to load goes through memory and back.
#include "../lab.h"

constexpr int threads = 256;

__global__ void scale(const float *x, float a, float *scaled) {
  const int i = blockIdx.x * threads + threadIdx.x;
  scaled[i] = a * x[i];
}
__global__ void add(const float *scaled, const float *y, float *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = scaled[i] + y[i];
}
__global__ void saxpy(const float *x, float a, const float *y, float *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = a * x[i] + y[i];
}
__global__ void saxpyVectors(const float4 *x, float a, const float4 *y, float4 *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float4 p = x[i], q = y[i];
  out[i] = make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 24);
  const int n = lab.size, blocks = n / threads;
  if (n % (4 * threads) != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", 4 * threads), 2;
  const float a = 1.75f;
  // Whole numbers: products with 1.75 are exact, fused or not.
  std::vector<float> hostX(n), hostY(n);
  for (int i = 0; i < n; ++i) hostX[i] = float(i % 4093), hostY[i] = float(i % 509);
  Device<float> x(hostX), y(hostY), scaled(n), out(n);

  const auto wrong = [&](const std::vector<float> &result) {
    size_t count = 0;
    for (int i = 0; i < n; ++i) count += result[i] * 4.0f != 7.0f * hostX[i] + 4.0f * hostY[i];
    return count;
  };
  const auto quads = [](const Device<float> &words) { return reinterpret_cast<float4 *>(words.data); };
  lab.variant("separate", out, [&] { scale<<<blocks, threads>>>(x, a, scaled), add<<<blocks, threads>>>(scaled, y, out); }, wrong);
  lab.variant("fused", out, [&] { saxpy<<<blocks, threads>>>(x, a, y, out); }, wrong);
  lab.variant("vectors", out, [&] { saxpyVectors<<<blocks / 4, threads>>>(quads(x), a, quads(y), quads(out)); }, wrong);
  return lab.end();
}
