// __pipeline_memcpy_async, __pipeline_commit, __pipeline_wait_prior: 4, 8 and 16 bytes, zero fill.
#include "../check.h"
#include <cuda_pipeline.h>

__global__ void kernel(const int4 *in, int *out) {
  __shared__ int4 shared[3][64];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&shared[0][i], &in[i], 16);
  __pipeline_commit();
  __pipeline_memcpy_async(&shared[1][i].z, &in[64 + i].x, 8);
  __pipeline_memcpy_async(&shared[1][i].x, &in[64 + i].w, 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&shared[2][i], &in[128 + i], 16, 8); // the last 8 bytes become zero
  __pipeline_commit();
  __pipeline_wait_prior(2);
  __syncthreads();
  int4 v = shared[0][63 - i];
  int sum = v.x + v.y + v.z + v.w;
  __pipeline_wait_prior(0);
  __syncthreads();
  v = shared[1][63 - i];
  sum += v.z * 3 + v.w * 5 + v.x * 7;
  v = shared[2][63 - i];
  out[i] = sum + v.x + v.y * 11 + (v.z | v.w) * 1000;
}

int main() {
  std::vector<int4> in;
  for (int i = 0; i < 192; ++i) in.push_back(make_int4(i, i * 3 % 100, i * 7 % 50, 200 - i));
  Device<int4> d(in);
  Device<int> out(64);
  kernel<<<1, 64>>>(d, out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    const int4 a = in[63 - i], b = in[127 - i], c = in[191 - i];
    same("out", i, got[i], a.x + a.y + a.z + a.w + b.x * 3 + b.y * 5 + b.w * 7 + c.x + c.y * 11);
  }
  return finish();
}
