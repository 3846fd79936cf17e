#define main its_own_main
#include "../../reference/h200/cuda/b_gemm.cu"
#undef main
#include "cases.cuh"

int main(int argc, char **argv) {
  argumentCount = argc, arguments = argv;
  const int n = 1024;
  float *a = zeros<float>(n * n), *b = zeros<float>(n * n), *c = zeros<float>(n * n);
  dim3 grid(n / 16, n / 16), block(16, 16);
  one("naive_rowmapped_16x16", [&] { sgemm_naive_rowmapped<<<grid, block>>>(n, a, b, c); }, false);
  one("naive_16x16", [&] { sgemm_naive<<<grid, block>>>(n, a, b, c); }, false);
}
