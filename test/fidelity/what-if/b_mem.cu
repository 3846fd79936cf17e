#define main its_own_main
#include "../../reference/h200/cuda/b_mem.cu"
#undef main
#include "cases.cuh"

int main(int argc, char **argv) {
  argumentCount = argc, arguments = argv;
  {
    const int n = 2048;
    float *in = zeros<float>(n * n), *out = zeros<float>(n * n);
    dim3 grid(n / 32, n / 32), block(32, 8);
    one("naive", [&] { tr_naive<<<grid, block>>>(in, out, n); });
    one("tile32x32_conflicts", [&] { tr_tile<32><<<grid, block>>>(in, out, n); });
    one("tile32x33_padded", [&] { tr_tile<33><<<grid, block>>>(in, out, n); });
    release(in, out);
  }
  {
    const size_t n = 1 << 22;
    Rec *records = zeros<Rec>(n);
    float *field = zeros<float>(n);
    one("aos", [&] { aos_one<<<n / 256, 256>>>(records, n, 1.5f); });
    one("soa", [&] { soa_one<<<n / 256, 256>>>(field, n, 1.5f); });
    release(records, field);
  }
  {
    const size_t n = 1 << 24;
    float *x = zeros<float>(n), *y = zeros<float>(n), *t = zeros<float>(n), *o = zeros<float>(n);
    one("unfused_2_kernels", [&] {
      k_scale<<<n / 256, 256>>>(x, t, n, 2.f);
      k_add<<<n / 256, 256>>>(t, y, o, n);
    });
    one("fused", [&] { k_saxpy<<<n / 256, 256>>>(x, y, o, n, 2.f); });
  }
}
