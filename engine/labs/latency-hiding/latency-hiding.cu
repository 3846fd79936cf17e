// One array summed up by few or many warps per SM, each with one, two or four loads under way: bytes in flight are what fills DRAM.
#include "../lab.h"

// All loads of a round are under way before the first sum needs one. Rounds stay apart: the compiler would make one of several, with more
// loads under way.
template <int loads> __device__ void addUp(const int *in, int n, int *sums) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  int sum = 0;
#pragma unroll 1
  for (int i = thread; i < n; i += loads * all) {
    int word[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) word[k] = in[i + k * all];
#pragma unroll
    for (int k = 0; k < loads; ++k) sum += word[k];
  }
  sums[thread] = sum;
}
__global__ void oneLoad(const int *in, int n, int *sums) { addUp<1>(in, n, sums); }
__global__ void twoLoads(const int *in, int n, int *sums) { addUp<2>(in, n, sums); }
__global__ void fourLoads(const int *in, int n, int *sums) { addUp<4>(in, n, sums); }

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 24);
  int sms;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  // A whole number of rounds in all variants, so that no load depends on a condition: zeros follow the numbers.
  const int round = 4 * 32 * 32 * sms, n = (lab.size + round - 1) / round * round;
  std::vector<int> numbers(n);
  int expected = 0;
  for (int i = 0; i < lab.size; ++i) expected += numbers[i] = i % 101 - 30;
  Device<int> in(numbers), sums(size_t(sms) * 32 * 32);

  // What no thread wrote is as it was: all ones.
  const auto wrong = [&](int threads) {
    return [=](const std::vector<int> &result) -> size_t {
      int sum = 0;
      for (int i = 0; i < threads; ++i) sum += result[i];
      return sum != expected;
    };
  };
  const auto run = [&](const char *name, void (*kernel)(const int *, int, int *), int warps) {
    const int threads = std::min(warps * 32, 256), blocks = sms * warps * 32 / threads;
    lab.variant(name, sums, [=, &in, &sums] { kernel<<<blocks, threads>>>(in, n, sums); }, wrong(blocks * threads));
  };
  run("1-warp", oneLoad, 1);
  run("1-warp-2-loads", twoLoads, 1);
  run("1-warp-4-loads", fourLoads, 1);
  run("8-warps", oneLoad, 8);
  run("8-warps-4-loads", fourLoads, 8);
  run("32-warps", oneLoad, 32);
  run("32-warps-4-loads", fourLoads, 32);
  return lab.end();
}
