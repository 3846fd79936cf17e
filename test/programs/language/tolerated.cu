// What nvcc only warns of, in code of both sides: conversions that narrow between braces, `register`, literals that a macro follows
// without a space.
#include "../check.h"
#include <cinttypes>
#define UNIT "ms"

struct Sample {
  int a;
  float b;
  unsigned c;
};

__host__ __device__ int work(double d, int n) {
  register int sum = 0;
  Sample sample = {n, d, n};
  float pair[2] = {d, n * 2.0};
  for (register int i = 0; i < 2; ++i) sum += (int)pair[i];
  return sum + sample.a + (int)sample.b + (int)sample.c;
}

__global__ void kernel(int *out, double d) {
  register int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = {d, d * 2, i, 1};
  out[i] = work(d, i) + (int)v.y + (int)v.z;
}

int main() {
  size_t blocks = 2, threads = 64;
  dim3 grid = {blocks, 1, 1};
  int counts[2] = {blocks * threads, threads};
  int *out;
  CHECK(cudaMallocManaged(&out, counts[0] * sizeof(int)));
  kernel<<<grid, threads>>>(out, 2.5);
  CHECK_KERNEL();
  for (register int i = 0; i < counts[0]; i++) same("out", i, out[i], work(2.5, i) + 5 + i);
  char text[40];
  uint64_t value = 5;
  snprintf(text, sizeof text, "%"PRIu64" "UNIT" ", value);
  EXPECT(strcmp(text, "5 ms ") == 0);
  return finish();
}
