// Which lines L1 looks up at once: a launch for each pair of lines, run by `ncu --metrics l1tex__t_set_conflicts_pipe_lsu_mem_global_op_ld.sum`,
// which is 1 for two lines of one set. Prints the pairs, relative to memory that begins at 2 MiB.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void pair(const unsigned *zeros, size_t a, size_t b, unsigned *out) {
  const unsigned lane = threadIdx.x;
  if (const unsigned loaded = zeros[(lane < 16 ? a : b) * 32 + lane]) *out = loaded;
}

int main() {
  char *memory;
  unsigned *out;
  constexpr size_t lines = 1 << 21, aligned = 1 << 21;
  cudaMalloc(&memory, lines * 128 + aligned), cudaMalloc(&out, 4);
  const unsigned *const zeros = (const unsigned *)((size_t(memory) + aligned - 1) / aligned * aligned);
  cudaMemset(memory, 0, lines * 128 + aligned);
  const auto ask = [&](size_t a, size_t b) {
    pair<<<1, 32>>>(zeros, a, b, out);
    printf("%zu %zu\n", a, b);
  };
  printf("%p\n", zeros);
  for (size_t bit = 4; bit < lines; bit *= 2)
    for (size_t to = 0; to < 4; to++) ask(to, bit);
  srand(1);
  for (int i = 0; i < 200; i++) ask(rand() % lines, rand() % lines);
  if (const cudaError_t error = cudaDeviceSynchronize()) printf("%s\n", cudaGetErrorString(error));
}
