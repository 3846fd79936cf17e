// Static shared memory: a tiled transpose with padding, several arrays of different types, one per block.
#include "../check.h"

__global__ void transpose(const float *in, float *out, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < w && y + k < h) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < h && y + k < w) out[(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void mixed(long long *out) {
  __shared__ char bytes[100];
  __shared__ double doubles[100];
  __shared__ short shorts[3][100];
  __shared__ int last;
  const int i = threadIdx.x;
  bytes[i] = (char)(i + blockIdx.x), doubles[i] = i * 0.5, shorts[i % 3][i] = (short)(-i);
  if (i == 99) last = (int)blockIdx.x * 1000;
  __syncthreads();
  const int j = 99 - i;
  out[blockIdx.x * 100 + i] = bytes[j] * 1000000ll + (long long)(doubles[j] * 2) * 1000 + shorts[j % 3][j] + last;
}

int main() {
  const int w = 75, h = 50;
  std::vector<float> in(w * h);
  for (int i = 0; i < w * h; ++i) in[i] = (float)i;
  Device<float> d(in), out(w * h);
  transpose<<<dim3(3, 2), dim3(32, 8)>>>(d, out, w, h);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) close("transpose", y * w + x, got[x * h + y], in[y * w + x], 0);
  Device<long long> m(500);
  mixed<<<5, 100>>>(m);
  CHECK_KERNEL();
  const auto mm = m.host();
  for (int b = 0; b < 5; ++b)
    for (int i = 0; i < 100; ++i) {
      const int j = 99 - i;
      same("mixed", b * 100 + i, mm[b * 100 + i], (signed char)(j + b) * 1000000ll + j * 1000ll - j + b * 1000);
    }
  return finish();
}
