#define main its_own_main
#include "../../reference/h200/cuda/a_mem.cu"
#undef main
#include "cases.cuh"

template <int EPT> void bytesInFlight(const char *name, int blocksPerSm, const float *in, float *out) {
  int bytes = smem_for_blocks(inc<float, EPT>, 256, blocksPerSm);
  one(name, [&] { inc<float, EPT><<<(1 << 26) / EPT / 256, 256, bytes>>>(in, out); });
}

int main(int argc, char **argv) {
  argumentCount = argc, arguments = argv;
  {
    float *in = zeros<float>(1 << 26), *out = zeros<float>(1 << 26);
    bytesInFlight<1>("float_x1_occ1", 1, in, out);
    bytesInFlight<1>("float_x1_occ8", 8, in, out);
    bytesInFlight<8>("float_x8_occ1", 1, in, out);
    release(in, out);
  }
  {
    const size_t n = 1 << 24;
    float *in = zeros<float>(8 * n), *out = zeros<float>(8 * n);
    one("load_stride_1", [&] { acc_load_stride<<<n / 256, 256>>>(in, out, 1); });
    one("load_stride_8", [&] { acc_load_stride<<<n / 256, 256>>>(in, out, 8); });
    one("store_stride_8", [&] { acc_store_stride<<<n / 256, 256>>>(in, out, 8); });
    release(in, out);
  }
  unsigned *out = zeros<unsigned>(1 << 20);
  long long *cycles = zeros<long long>(1024);
  one("column_32x32_t256", [&] { bank_column<0><<<132, 256>>>(256, out, cycles); }, false);
  one("column_32x33_padded_t256", [&] { bank_column<1><<<132, 256>>>(256, out, cycles); }, false);
  one("paths_1", [&] { diverge<<<528, 256>>>(1, 64, out); });
  one("paths_4", [&] { diverge<<<528, 256>>>(4, 64, out); });
  one("paths_32", [&] { diverge<<<528, 256>>>(32, 64, out); });
  if (isWanted("line_chain_l2_1") || isWanted("line_chain_l2_32")) {
    const unsigned mask = (1 << 16) - 1;
    unsigned *table = zeros<unsigned>((mask + 1ull) * 32);
    fill_lines<<<1056, 256>>>(table, mask);
    int bytes = smem_for_blocks(line_chain, 64, 1);
    one("line_chain_l2_1", [&] { line_chain<<<8448, 64, bytes>>>(table, out, 16, mask); });
    bytes = smem_for_blocks(line_chain, 64, 32);
    one("line_chain_l2_32", [&] { line_chain<<<8448, 64, bytes>>>(table, out, 16, mask); });
  }
}
