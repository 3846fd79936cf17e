// One million words, copied: what a warp reads at once lies side by side, a word off, apart, anywhere, or all in one place.
#include "../lab.h"

constexpr int threads = 256;

__global__ void aligned(const float *in, float *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = in[i];
}

// A word off: the 128 bytes of a warp touch five sectors and two lines in place of four and one.
__global__ void misaligned(const float *in, float *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = in[i + 1];
}

// Lanes are `stride` words apart, as in a column of a matrix. Every word is read once, as before.
template <int stride> __device__ void copyStrided(const float *in, float *out, int n) {
  const int i = blockIdx.x * threads + threadIdx.x, rows = n / stride;
  out[i] = in[i % rows * stride + i / rows];
}
__global__ void strided2(const float *in, float *out, int n) { copyStrided<2>(in, out, n); }
__global__ void strided8(const float *in, float *out, int n) { copyStrided<8>(in, out, n); }
__global__ void strided32(const float *in, float *out, int n) { copyStrided<32>(in, out, n); }

// Where each word comes from is read as well.
__global__ void gathered(const float *in, const int *from, float *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = in[from[i]];
}

// All lanes of a warp want the same word: one sector for all.
__global__ void broadcast(const float *in, float *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = in[i / 32];
}

// Four words with each load and store.
__global__ void vectors(const float4 *in, float4 *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = in[i];
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 22);
  const int n = lab.size, blocks = n / threads;
  if ((n & (n - 1)) != 0 || n < 4 * threads) return fprintf(stderr, "The size has to be a power of two, %d or more.\n", 4 * threads), 2;
  std::vector<float> words(n + 1);
  for (int i = 0; i <= n; ++i) words[i] = float(i % 65521);
  // An odd factor makes a permutation of the numbers below a power of two.
  std::vector<int> anywhere(n);
  for (int i = 0; i < n; ++i) anywhere[i] = int((unsigned(i) * 2654435761u ^ unsigned(i) >> 7) % unsigned(n));
  Device<float> in(words), out(n);
  Device<int> from(anywhere);

  const auto wrongUnless = [&](auto source) {
    return [&, source](const std::vector<float> &result) {
      size_t count = 0;
      for (int i = 0; i < n; ++i) count += result[i] != words[source(i)];
      return count;
    };
  };
  const auto strided = [&](int stride) { return wrongUnless([=](int i) { return i % (n / stride) * stride + i / (n / stride); }); };
  const auto same = wrongUnless([](int i) { return i; });
  lab.variant("random", out, [&] { gathered<<<blocks, threads>>>(in, from, out); }, wrongUnless([&](int i) { return anywhere[i]; }));
  lab.variant("stride-32", out, [&] { strided32<<<blocks, threads>>>(in, out, n); }, strided(32));
  lab.variant("stride-8", out, [&] { strided8<<<blocks, threads>>>(in, out, n); }, strided(8));
  lab.variant("stride-2", out, [&] { strided2<<<blocks, threads>>>(in, out, n); }, strided(2));
  lab.variant("misaligned", out, [&] { misaligned<<<blocks, threads>>>(in, out); }, wrongUnless([](int i) { return i + 1; }));
  lab.variant("broadcast", out, [&] { broadcast<<<blocks, threads>>>(in, out); }, wrongUnless([](int i) { return i / 32; }));
  lab.variant("aligned", out, [&] { aligned<<<blocks, threads>>>(in, out); }, same);
  const auto *in4 = reinterpret_cast<const float4 *>(in.data);
  auto *out4 = reinterpret_cast<float4 *>(out.data);
  lab.variant("float4", out, [&] { vectors<<<blocks / 4, threads>>>(in4, out4); }, same);
  return lab.end();
}
