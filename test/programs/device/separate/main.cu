// Device code in several files: functions, variables, constants, templates, function pointers and kernels of one used in the other.
#include "parts.h"

static __device__ int hidden = 3;
static __device__ int mine(int x) { return x + 1; }
static __global__ void same(int *out) {
  out[threadIdx.x] = mine(twice(threadIdx.x)) + hidden + factors[threadIdx.x % 4];
  atomicAdd(&counter, 1);
}
namespace {
__device__ int unnamed = 70;
__global__ void unnamed_kernel(int *out) { out[threadIdx.x] = unnamed + 2; }
} // namespace

struct Scaled : Meter {
  __device__ Scaled(int base) : Meter(base) {}
  __device__ int read(int x) const override { return 10 * Meter::read(x); }
};

__global__ void calls(int *out) {
  const int i = threadIdx.x;
  const Meter meter(1000);
  const Scaled scaled(2000);
  const Meter *const meters[] = {&meter, &scaled};
  out[i] = meters[i % 2]->read(i) + plain_name(i) + operations[i / 2 % 2](i);
  samples[i] = 0.5f * i;
  tally(i);
}
__global__ void together(int *out) { out[threadIdx.x] = across_the_block(threadIdx.x); }

int main() {
  int *out;
  CHECK(cudaMallocManaged(&out, 4 * n * sizeof(int)));
  const int factorsOfHost[] = {1, 2, 3, 4};

  same<<<1, n>>>(out);
  CHECK_KERNEL();
  for (int i = 0, power = 1; i < n; ++i, power = i % 4 ? 10 * power : 1)
    same("static", i, out[i], 2 * i + 4 + power);
  int value = 0;
  CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  same("counter", 0, value, 5 + n);
  CHECK(cudaMemcpyToSymbol(factors, factorsOfHost, sizeof factorsOfHost));
  same<<<1, n>>>(out);
  CHECK_KERNEL();
  for (int i = 0; i < n; ++i) same("factors", i, out[i], 2 * i + 4 + i % 4 + 1);

  value = -3;
  CHECK(cudaMemcpyToSymbol(hidden, &value, sizeof value));
  run_statics(out);
  CHECK_KERNEL();
  for (int i = 0; i < n; ++i) {
    same("the other's static", i, out[i], 2 * i + 130);
    same("the other's unnamed", i, out[n + i], 8);
    same("template kernel", i, out[2 * n + i], 3 + i * i);
    same("the other's static, set", i, out[3 * n + i], 2 * i + 140);
  }
  same("hidden there", 0, first_hidden(), 40);
  same<<<1, n>>>(out);
  unnamed_kernel<<<1, n>>>(out + n);
  fill<<<1, n>>>(out + 2 * n, 4);
  CHECK_KERNEL();
  for (int i = 0; i < n; ++i) {
    same("static, set", i, out[i], 2 * i + 1 - 3 + i % 4 + 1);
    same("unnamed", i, out[n + i], 72);
    same("template kernel here", i, out[2 * n + i], 4 + i * i);
  }

  calls<<<1, n>>>(out);
  CHECK_KERNEL();
  for (int i = 0; i < n; ++i) {
    const int read = i % 2 ? 10 * (2000 + i) : 1000 + i;
    same("calls", i, out[i], read + i - 1 + (i / 2 % 2 ? -i : 2 * i));
  }
  float samplesOfHost[n];
  CHECK(cudaMemcpyFromSymbol(samplesOfHost, samples, sizeof samplesOfHost));
  for (int i = 0; i < n; ++i) same("samples", i, (int)(2 * samplesOfHost[i]), i);

  elsewhere<<<1, n>>>(out, 5);
  CHECK_KERNEL();
  const int total = n * (n - 1) / 2;
  for (int i = 0; i < n; ++i) same("a kernel of the other file", i, out[i], 5 + total + i * i);
  CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  same("counter", 1, value, 5 + 3 * n + 1);
  same("managed", 0, visits, 3);

  together<<<1, n, n * sizeof(int)>>>(out);
  CHECK_KERNEL();
  for (int i = 0; i < n; ++i) same("shared", i, out[i], n - 1 - i + 3 * ((i + 1) % n));
  return finish();
}
