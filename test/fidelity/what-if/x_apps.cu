#define main its_own_main
#include "../../reference/h200/cuda/x_apps.cu"
#undef main
#include "cases.cuh"

int main(int argc, char **argv) {
  argumentCount = argc, arguments = argv;
  {
    const int w = 2048, h = 1024;
    float *in = zeros<float>(w * h * 9), *out = zeros<float>(w * h * 9);
    one("lattice_aos", [&] { lattice<false><<<dim3(w / 128, h), 128>>>(in, out, w, h, 1.2f); });
    one("lattice_soa", [&] { lattice<true><<<dim3(w / 128, h), 128>>>(in, out, w, h, 1.2f); });
    release(in, out);
  }
  const int n = 64, systems = 32768;
  double *memory[6];
  for (double *&each : memory) each = zeros<double>(n * systems);
  auto [a, b, c, r, scratch, x] = memory;
  one("tridiagonal_contiguous", [&] { tridiagonal<false><<<systems / 64, 64>>>(a, b, c, r, scratch, x, n, systems); });
  one("tridiagonal_interleaved", [&] { tridiagonal<true><<<systems / 64, 64>>>(a, b, c, r, scratch, x, n, systems); });
}
