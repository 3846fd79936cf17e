// What a launch by a kernel may carry: structs, dynamic shared memory, templates, streams; and the order that streams give.
// Compile with relocatable device code.
#include "../check.h"
struct Range {
  char tag;
  double scale;
  int first, count;
};
template <class T> __global__ void fill(T *out, Range range) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int i = scratch[blockDim.x - 1 - threadIdx.x];
  if (i < range.count) out[range.first + i] = (T)(range.scale * i + range.tag);
}
// Many children: one for each thread of several blocks.
__global__ void many(int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  fill<<<1, 32, 32 * sizeof(int)>>>(out, Range{1, 2.0, i * 8, 8});
}
// One thread of the block launches, with a grid that it computes.
__global__ void one(float *out, int n) {
  out[threadIdx.x] = -1;
  __syncthreads();
  if (threadIdx.x == 7) {
    const dim3 grid(1, 1, 1), block(n, 1, 1);
    fill<<<grid, block, n * sizeof(int), cudaStreamFireAndForget>>>(out, Range{2, 0.5, 0, n});
  }
}
// Kernels of the block's default stream run in order; the tail launch when all else has ended.
__global__ void append(int *list, int value) { list[++list[0]] = value; }
__global__ void sum(int *list) {
  for (int i = 1; i <= list[0]; ++i) list[20] = list[20] * 2 + list[i];
}
__global__ void ordered(int *list) {
  sum<<<1, 1, 0, cudaStreamTailLaunch>>>(list);
  for (int i = 0; i < 5; ++i) append<<<1, 1>>>(list, i);
}
__global__ void outer(int *list) { ordered<<<1, 1>>>(list); }
// A kernel that follows itself.
__global__ void loop(int *counter, int times) {
  ++*counter;
  if (times > 1) loop<<<1, 1, 0, cudaStreamTailLaunch>>>(counter, times - 1);
}
int main() {
  Device<int> out(4 * 64 * 8);
  many<<<4, 64>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 4 * 64 * 8; ++i) same("many", i, got[i], 2 * (i % 8) + 1);
  Device<float> floats(48);
  one<<<1, 48>>>(floats, 40);
  CHECK_KERNEL();
  const auto values = floats.host();
  for (int i = 0; i < 48; ++i) close("one", i, values[i], i < 40 ? 2 + 0.5 * i : -1, 0);
  Device<int> list(std::vector<int>(24, 0));
  outer<<<1, 1>>>(list);
  CHECK_KERNEL();
  const auto steps = list.host();
  EXPECT(steps[0] == 5);
  for (int i = 0; i < 5; ++i) same("order", i, steps[1 + i], i);
  same("after all", 0, steps[20], 26);
  Device<int> counter(std::vector<int>(1, 0));
  loop<<<1, 1>>>(counter, 40);
  CHECK_KERNEL();
  same("loop", 0, counter.host()[0], 40);
  return finish();
}
