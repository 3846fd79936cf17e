#define main its_own_main
#include "../../reference/h200/cuda/v_apps.cu"
#undef main
#include "cases.cuh"

template <class In, class Out, class F> void between(size_t in, size_t out, F cases) {
  In *from = zeros<In>(in);
  Out *to = zeros<Out>(out);
  cases(from, to);
  release(from, to);
}

int main(int argc, char **argv) {
  argumentCount = argc, arguments = argv;
  between<float4, float4>(16384, 16384, [](const float4 *bodies, float4 *acc) {
    one("nbody_global", [&] { nbody_global<<<64, 256>>>(bodies, acc, 16384); }, false);
    one("nbody_tiled", [&] { nbody_tiled<<<64, 256>>>(bodies, acc, 16384); }, false);
  });
  between<float, float>(16 * M, 16 * M, [](const float *in, float *out) {
    one("layernorm_row_per_thread", [&] { layernorm_row_per_thread<<<128, 128>>>(in, out, 16384, 1024); });
    one("layernorm_row_per_block", [&] { layernorm_row_per_block<<<16384, 256>>>(in, out, 1024); });
    one("conv_global", [&] { conv_global<<<dim3(128, 512), dim3(32, 8)>>>(in, out, 4096); });
    one("conv_shared", [&] { conv_shared<<<dim3(128, 512), dim3(32, 8)>>>(in, out, 4096); });
    one("gelu_float", [&] { gelu_float<<<65536, 256>>>(in, out, 16 * M); });
    one("gelu_half2", [&] { gelu_half2<<<32768, 256>>>((const half2 *)in, (half2 *)out, 8 * M); });
  });
  between<float, float>(64 * M, 8192, [](const float *a, float *y) {
    float *x = zeros<float>(8192);
    one("matvec_row_per_thread", [&] { matvec_row_per_thread<<<128, 64>>>(a, x, y, 8192); });
    one("matvec_row_per_warp", [&] { matvec_row_per_warp<<<1024, 256>>>(a, x, y, 8192); });
    release(x);
  });
  between<float, float>(16 * M, 16 * M, [](const float *a, float *c) {
    float *b = zeros<float>(16 * M);
    one("small_aos", [&] { small_aos<<<8192, 128>>>(a, b, c, M); });
    one("small_soa", [&] { small_soa<<<8192, 128>>>(a, b, c, M); });
    release(b);
  });
  const int n = 384;
  between<float, float>(n * n * n, n * n * n, [](const float *in, float *out) {
    one("jacobi_naive", [&] { jacobi_naive<<<dim3(n / 32, n / 8, n), dim3(32, 8)>>>(in, out, n); });
    one("jacobi_marching", [&] { jacobi_marching<<<dim3(n / 32, n / 8, n / 32), dim3(32, 8)>>>(in, out, n); });
  });
}
