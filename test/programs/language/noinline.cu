// Calls that stay calls: values, references, structures, pointers to local and shared memory, barriers inside.
#include "../check.h"

struct Pair { double a; int b; };
__noinline__ __device__ Pair swapped(Pair p, float scale) { return {p.b * scale, (int)p.a}; }
__noinline__ __device__ void divide(int a, int b, int &quotient, int *rest) { quotient = a / b, *rest = a % b; }
__noinline__ __device__ int total(const int *v, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += v[i];
  return sum;
}
__noinline__ __device__ int neighbour(int *shared, int value) {
  __syncthreads();
  shared[threadIdx.x] = value;
  __syncthreads();
  return shared[(threadIdx.x + 1) % blockDim.x];
}

__global__ void kernel(double *out) {
  __shared__ int shared[96];
  const int i = threadIdx.x;
  const Pair p = swapped({i + 0.75, i * 2}, 1.5f);
  int quotient = 0, rest = 0, local[5];
  if (i % 3) divide(i * 100, i % 7 + 1, quotient, &rest);
  for (int k = 0; k < 5; ++k) local[k] = k * i;
  const int n = neighbour(shared, i * i);
  double *o = out + i * 6;
  o[0] = p.a, o[1] = p.b, o[2] = quotient, o[3] = rest, o[4] = total(local, i % 6), o[5] = n + total(shared, 4);
}

int main() {
  Device<double> out(96 * 6);
  kernel<<<1, 96>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 96; ++i) {
    int sum = 0;
    for (int k = 0; k < i % 6; ++k) sum += k * i;
    const int n = (i + 1) % 96;
    const double e[6] = {i * 2 * 1.5, (double)i, i % 3 ? i * 100 / (i % 7 + 1) : 0.0, i % 3 ? i * 100 % (i % 7 + 1) : 0.0, (double)sum, n * n + 14.0};
    for (int k = 0; k < 6; ++k) close("noinline", i * 6 + k, got[i * 6 + k], e[k], 0);
  }
  return finish();
}
