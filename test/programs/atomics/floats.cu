// Atomics on floats and doubles: addition (exact sums), maximum and product by compare-and-swap loops.
#include "../check.h"

__device__ float atomicMaxFloat(float *address, float value) {
  int *const bits = (int *)address;
  int old = *bits, seen;
  do {
    seen = old;
    if (__int_as_float(seen) >= value) break;
    old = atomicCAS(bits, seen, __float_as_int(value));
  } while (seen != old);
  return __int_as_float(old);
}
__device__ double atomicMulDouble(double *address, double value) {
  unsigned long long *const bits = (unsigned long long *)address;
  unsigned long long old = *bits, seen;
  do {
    seen = old;
    old = atomicCAS(bits, seen, __double_as_longlong(value * __longlong_as_double(seen)));
  } while (seen != old);
  return __longlong_as_double(old);
}

__global__ void kernel(const float *in, float *f, double *d, int n) {
  __shared__ float sf;
  __shared__ double sd;
  if (threadIdx.x == 0) sf = 0, sd = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&f[0], in[i]), atomicAdd(&d[0], (double)in[i]), atomicAdd(&sf, in[i]), atomicAdd(&sd, (double)in[i]);
    atomicMaxFloat(&f[2], in[i]);
    if (i % 50 == 0) atomicMulDouble(&d[2], 1.5);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&f[1], sf), atomicAdd(&d[1], sd);
}

int main() {
  const int n = 1000;
  std::vector<float> in(n);
  float sum = 0, most = -1e9f;
  for (int i = 0; i < n; ++i) in[i] = (float)((i * 37) % 200 - 60) * 0.5f, sum += in[i], most = std::fmax(most, in[i]);
  Device<float> d(in), f(std::vector<float>{0, 0, -1e9f});
  Device<double> dd(std::vector<double>{0, 0, 1});
  kernel<<<8, 128>>>(d, f, dd, n);
  CHECK_KERNEL();
  const auto gf = f.host();
  const auto gd = dd.host();
  close("float", 0, gf[0], sum, 0), close("float", 1, gf[1], sum, 0), close("float", 2, gf[2], most, 0);
  close("double", 0, gd[0], sum, 0), close("double", 1, gd[1], sum, 0), close("double", 2, gd[2], std::pow(1.5, 20), 0);
  return finish();
}
