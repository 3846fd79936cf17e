#define main its_own_main
#include "../../reference/h200/cuda/b_reduce_pipeline.cu"
#undef main
#include "cases.cuh"

int main(int argc, char **argv) {
  argumentCount = argc, arguments = argv;
  {
    const size_t n = 1 << 24;
    float *in = zeros<float>(n), *part = zeros<float>(n / 256), *out = zeros<float>(1);
    auto tree = [&](const char *name, void (*kernel)(const float *, float *)) {
      one(name, [&] {
        kernel<<<n / 256, 256>>>(in, part);
        red_final<<<1, 1024>>>(part, n / 256, out);
      });
    };
    tree("tree_modulo_divergent", red_modulo);
    tree("tree_strided_bank_conflicts", red_strided_index);
    tree("tree_sequential", red_sequential);
    release(in, part, out);
  }
  const size_t n = 1 << 25;
  float *in = zeros<float>(n), *out = zeros<float>(n);
  const int tiles = n / TILE;
  one("synchronous", [&] { pipe_sync<8><<<132, 256>>>(in, out, tiles); });
  one("cp_async_3stage", [&] { pipe_async<8, 3><<<132, 256>>>(in, out, tiles); });
}
