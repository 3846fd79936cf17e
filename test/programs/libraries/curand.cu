// curand_kernel.h: XORWOW and Philox: known statistics, the same numbers for the same seed, others for other sequences.
#include "../check.h"
#include <curand_kernel.h>
template <class State> __global__ void kernel(unsigned long long seed, float *uniform, float *normal, unsigned *raw, int per) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  curand_init(seed, i, 0, &state);
  for (int k = 0; k < per; ++k) {
    raw[i * per + k] = curand(&state);
    uniform[i * per + k] = curand_uniform(&state);
    normal[i * per + k] = curand_normal(&state);
  }
}
__global__ void others(float4 *out, double *d) {
  curandStatePhilox4_32_10_t state;
  curand_init(7, threadIdx.x, 3, &state);
  out[threadIdx.x] = curand_uniform4(&state);
  d[threadIdx.x] = curand_uniform_double(&state) + curand_poisson(&state, 4.0) * 0;
}
template <class State> void test(const char *name) {
  const int threads = 256, per = 16, n = threads * per;
  Device<float> u(n), v(n);
  Device<unsigned> r(n), r2(n);
  kernel<State><<<2, 128>>>(1234, u, v, r, per);
  CHECK_KERNEL();
  const auto uniform = u.host(), normal = v.host();
  double mean = 0, square = 0, nm = 0, ns = 0;
  for (int i = 0; i < n; ++i) {
    if (!(uniform[i] > 0 && uniform[i] <= 1)) FAIL("%s: uniform %g", name, uniform[i]);
    mean += uniform[i] / n, square += (double)uniform[i] * uniform[i] / n, nm += normal[i] / n, ns += (double)normal[i] * normal[i] / n;
  }
  close(name, 0, mean, 0.5, 0.03), close(name, 1, square, 1.0 / 3, 0.03), close(name, 2, nm, 0, 0.1), close(name, 3, ns, 1, 0.15);
  kernel<State><<<2, 128>>>(1234, u, v, r2, per);
  CHECK_KERNEL();
  const auto first = r.host(), again = r2.host();
  int equal = 0, repeats = 0;
  for (int i = 0; i < n; ++i) equal += first[i] == again[i], repeats += i >= per && first[i] == first[i - per];
  same(name, 4, equal, n);
  EXPECT(repeats < 3);
  kernel<State><<<2, 128>>>(1235, u, v, r2, per);
  CHECK_KERNEL();
  const auto different = r2.host();
  equal = 0;
  for (int i = 0; i < n; ++i) equal += first[i] == different[i];
  EXPECT(equal < 3);
}
int main() {
  test<curandStateXORWOW_t>("XORWOW");
  test<curandStatePhilox4_32_10_t>("Philox");
  Device<float4> out(32);
  Device<double> d(32);
  others<<<1, 32>>>(out, d);
  CHECK_KERNEL();
  for (const float4 &f : out.host()) EXPECT(f.x > 0 && f.x <= 1 && f.w > 0 && f.w <= 1 && f.x != f.y);
  for (const double x : d.host()) EXPECT(x > 0 && x <= 1);
  return finish();
}
