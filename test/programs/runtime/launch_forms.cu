// Ways to launch: <<<>>>, cudaLaunchKernel, cudaLaunchKernelEx, templates, many parameters of mixed types.
#include "../check.h"
struct Mixed { char c; double d; };
template <class T> __global__ void many(char a, T b, short c, long long d, float e, Mixed f, const T *g, bool h, double *out) {
  out[0] = a + b * 10.0 + c * 100.0 + d * 1000.0 + e, out[1] = f.c + f.d + g[threadIdx.x] + h;
}
int main() {
  Device<double> out(2);
  Device<double> g(std::vector<double>{0.25});
  many<double><<<1, 1>>>(1, 2, 3, 4, 0.5f, {5, 6.5}, g, true, out);
  CHECK_KERNEL();
  EXPECT(out.host()[0] == 4321.5 && out.host()[1] == 12.75);
  char a = 2;
  double b = 3;
  short c = -1;
  long long d = 1ll << 40;
  float e = 0.25f;
  Mixed f = {1, 2};
  bool h = false;
  const double *gp = g;
  double *op = out;
  void *arguments[] = {&a, &b, &c, &d, &e, &f, &gp, &h, &op};
  CHECK(cudaLaunchKernel((const void *)many<double>, dim3(1), dim3(1), arguments, 0, 0));
  CHECK_KERNEL();
  EXPECT(out.host()[0] == 2 + 30 - 100 + 1000.0 * d + 0.25 && out.host()[1] == 3.25);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1), config.blockDim = dim3(1);
  CHECK(cudaLaunchKernelEx(&config, many<double>, (char)1, 2.0, (short)3, 4ll, 0.5f, f, gp, true, op));
  CHECK_KERNEL();
  EXPECT(out.host()[0] == 4321.5 && out.host()[1] == 4.25);
  return finish();
}
