// cp.async by PTX: .ca and .cg, sizes 4, 8, 16, groups and wait_all, a double-buffered loop.
// Needs compute capability 8.0.
#include "../check.h"

__device__ void copy16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
__device__ void copy4(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

__global__ void kernel(const int4 *in, const int *extra, int *out, int tiles) {
  __shared__ int4 buffer[2][64];
  __shared__ int more[2][64];
  const int i = threadIdx.x;
  int sum = 0;
  copy16(&buffer[0][i], in + i), copy4(&more[0][i], extra + i);
  asm volatile("cp.async.commit_group;" ::: "memory");
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) copy16(&buffer[(t + 1) & 1][i], in + (t + 1) * 64 + i), copy4(&more[(t + 1) & 1][i], extra + (t + 1) * 64 + i);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    const int4 v = buffer[t & 1][63 - i];
    sum += (v.x + v.y * 3 + v.z * 5 + v.w * 7) * (t + 1) + more[t & 1][(i + 9) % 64];
    __syncthreads();
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[i] = sum;
}

int main() {
  const int tiles = 5;
  std::vector<int4> in;
  std::vector<int> extra;
  for (int i = 0; i < tiles * 64; ++i) in.push_back(make_int4(i, i % 7, i % 11, -i)), extra.push_back(i * 2);
  Device<int4> d(in);
  Device<int> e(extra), out(64);
  kernel<<<1, 64>>>(d, e, out, tiles);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
      const int4 v = in[t * 64 + 63 - i];
      sum += (v.x + v.y * 3 + v.z * 5 + v.w * 7) * (t + 1) + extra[t * 64 + (i + 9) % 64];
    }
    same("sum", i, got[i], sum);
  }
  return finish();
}
