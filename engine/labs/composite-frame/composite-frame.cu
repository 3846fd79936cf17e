// A frame of three parts, one after the other: 500 tiny filters of signals, sweeps of a five-point stencil, and a batch of matrix
// products. Each variant makes one part faster and keeps what those before it have gained. The size is the side of the stencil's grid; there
// is a product for each 16 of it.
#include "../lab.h"
#include "../tensor-cores/products.h"

// Filters: each takes its coefficient less the signal, each channel goes through 100 of them.
constexpr int samples = 256, channels = 5, filters = 100, group = 10;

__host__ __device__ inline float coefficient(int number) { return float(number % 8); }

__global__ void filter(const float *in, float *out, float coefficient) { out[threadIdx.x] = coefficient - in[threadIdx.x]; }

__global__ void filterGroup(const float *in, float *out, int first) {
  float x = in[threadIdx.x];
  for (int number = first; number < first + group; ++number) x = coefficient(number) - x;
  out[threadIdx.x] = x;
}

// The stencil; borders are copied.
constexpr int sweeps = 4; // more would round
__host__ __device__ inline float mix(float own, float west, float east, float north, float south) {
  return 0.5f * own + 0.125f * (west + east + north + south);
}

__global__ void stencil(const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
  const bool inner = x > 0 && y > 0 && x < n - 1 && y < n - 1;
  out[i] = inner ? mix(in[i], in[i - 1], in[i + 1], in[i - n], in[i + n]) : in[i];
}

/** How the parts of a frame are done. */
struct Frame {
  bool fused, wide;
  enum { onCores, onTensorCores, staged } products;
};

int main(int argc, char **argv) {
  Lab lab(argc, argv, 768);
  const int n = lab.size, products = n / 16;
  if (n % 32 != 0) return fprintf(stderr, "The size has to be a multiple of 32.\n"), 2;
  std::vector<float> signals(channels * samples), field(size_t(n) * n);
  const std::vector<half> hostA = halves(products, 7, 5), hostB = halves(products, 3, 7);
  // Small whole numbers, so that all sums are exact.
  for (size_t i = 0; i < signals.size(); ++i) signals[i] = float(i * 7 % 1021);
  for (size_t i = 0; i < field.size(); ++i) field[i] = float(i * 7 % 1021);
  Device<float> source(signals), grid(field), scratch(field.size());
  Device<half> a(hostA), b(hostB);
  // The results of all three, one behind the other.
  Device<float> out(field.size() + hostA.size() + signals.size());
  float *const swept = out, *const product = swept + field.size(), *const filtered = product + hostA.size();

  const auto run = [&](const Frame &frame, cudaStream_t stream) {
    const auto in = [&](int channel, int number) { return (number == 0 ? source.data : filtered) + channel * samples; };
    for (int number = 0; number < filters; number += frame.fused ? group : 1)
      for (int channel = 0; channel < channels; ++channel)
        if (frame.fused)
          filterGroup<<<1, samples, 0, stream>>>(in(channel, number), filtered + channel * samples, number);
        else
          filter<<<1, samples, 0, stream>>>(in(channel, number), filtered + channel * samples, coefficient(number));
    const dim3 block = frame.wide ? dim3(32, 8) : dim3(16, 16);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      const float *from = sweep == 0 ? grid : sweep % 2 == 0 ? swept : scratch;
      stencil<<<dim3(n / block.x, n / block.y), block, 0, stream>>>(from, sweep % 2 == 0 ? scratch.data : swept, n);
    }
    if (frame.products == Frame::onCores)
      productOnCores<<<dim3(side / tile, side / tile, products), dim3(tile, tile), 0, stream>>>(a, b, product);
    else if (frame.products == Frame::onTensorCores)
      productOnTensorCores<<<dim3(side / tile / 4, side / tile, products), 128, 0, stream>>>(a, b, product);
    else
      productAhead<<<dim3(side / part, side / part, products), 128, 0, stream>>>(a, b, product);
  };

  const auto wrong = [&](const std::vector<float> &result) {
    size_t errors = 0;
    std::vector<float> now = field, next = field;
    for (int sweep = 0; sweep < sweeps; ++sweep, now.swap(next))
      for (int y = 1; y < n - 1; ++y)
        for (int i = y * n + 1; i < y * n + n - 1; ++i) next[i] = mix(now[i], now[i - 1], now[i + 1], now[i - n], now[i + n]);
    for (size_t i = 0; i < now.size(); ++i) errors += result[i] != now[i];
    errors += wrongProducts(hostA, hostB, result.data() + field.size());
    // Of all filters signs and a constant are left.
    float constant = 0.0f, sign = 1.0f;
    for (int number = filters - 1; number >= 0; --number) constant += sign * coefficient(number), sign = -sign;
    for (size_t i = 0; i < signals.size(); ++i) errors += result[field.size() + hostA.size() + i] != constant + sign * signals[i];
    return errors;
  };

  const Frame plain = {false, false, Frame::onCores};
  lab.variant("baseline", out, [&] { run(plain, 0); }, wrong);
  const auto asGraph = [&](const char *name, const Frame &frame) {
    if (!lab.wants(name)) return;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    const cudaGraphExec_t executable = graphOf(stream, [&] { run(frame, stream); });
    lab.variant(name, out, [&] { CHECK(cudaGraphLaunch(executable, 0)); }, wrong);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaStreamDestroy(stream));
  };
  asGraph("graph", plain);
  asGraph("fused", {true, false, Frame::onCores});
  asGraph("stencil", {true, true, Frame::onCores});
  asGraph("tensor", {true, true, Frame::onTensorCores});
  asGraph("staged", {true, true, Frame::staged});
  return lab.end();
}
