// A frame of many tiny kernels: channels of a signal go through one filter after the other, each of them a kernel of one block. They are
// launched one by one, as one graph, as a graph of kernels that do ten filters each, and as a graph with a branch for each channel.
#include "../lab.h"

constexpr int samples = 256, channels = 5, group = 10;

__host__ __device__ inline float coefficient(int number) { return float(number % 8); }

__global__ void filter(const float *in, float *out, float coefficient) { out[threadIdx.x] = coefficient - in[threadIdx.x]; }

// Filters from `first` on: values stay in registers between them.
__global__ void filterGroup(const float *in, float *out, int first) {
  float x = in[threadIdx.x];
  for (int number = first; number < first + group; ++number) x = coefficient(number) - x;
  out[threadIdx.x] = x;
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 500);
  const int filters = lab.size / channels;
  if (lab.size % (channels * group) != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", channels * group), 2;
  std::vector<float> input(channels * samples);
  for (size_t i = 0; i < input.size(); ++i) input[i] = float(i * 7 % 1021);
  Device<float> source(input), signals(input.size());

  // Each filter takes its coefficient less the signal: only signs and a constant are left of all of them.
  float constant = 0.0f, sign = 1.0f;
  for (int number = filters - 1; number >= 0; --number) constant += sign * coefficient(number), sign = -sign;
  const auto wrong = [&](const std::vector<float> &result) {
    size_t count = 0;
    for (size_t i = 0; i < result.size(); ++i) count += result[i] != constant + sign * input[i];
    return count;
  };

  cudaStream_t streams[channels];
  for (cudaStream_t &stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  // The first filter of each channel reads what came in, so that every frame does the same.
  const auto in = [&](int channel, int number) { return (number == 0 ? source : signals) + channel * samples; };
  const auto frame = [&](cudaStream_t stream) {
    for (int number = 0; number < filters; ++number)
      for (int channel = 0; channel < channels; ++channel)
        filter<<<1, samples, 0, stream>>>(in(channel, number), signals + channel * samples, coefficient(number));
  };
  const auto frameOfGroups = [&](cudaStream_t stream) {
    for (int number = 0; number < filters; number += group)
      for (int channel = 0; channel < channels; ++channel)
        filterGroup<<<1, samples, 0, stream>>>(in(channel, number), signals + channel * samples, number);
  };
  // Streams fork from the first one and join it again: that is what makes branches of a graph.
  const auto branches = [&] {
    cudaEvent_t fork, join;
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaEventRecord(fork, streams[0]));
    for (int channel = 0; channel < channels; ++channel) {
      cudaStream_t stream = streams[channel];
      if (channel > 0) CHECK(cudaStreamWaitEvent(stream, fork, 0));
      for (int number = 0; number < filters; ++number)
        filter<<<1, samples, 0, stream>>>(in(channel, number), signals + channel * samples, coefficient(number));
      if (channel == 0) continue;
      CHECK(cudaEventRecord(join, stream));
      CHECK(cudaStreamWaitEvent(streams[0], join, 0));
    }
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
  };

  lab.variant("launches", signals, [&] { frame(0); }, wrong);
  const auto graph = [&](const char *name, auto launch) {
    if (!lab.wants(name)) return;
    const cudaGraphExec_t executable = graphOf(streams[0], launch);
    lab.variant(name, signals, [&] { CHECK(cudaGraphLaunch(executable, 0)); }, wrong);
    CHECK(cudaGraphExecDestroy(executable));
  };
  graph("graph", [&] { frame(streams[0]); });
  graph("fused", [&] { frameOfGroups(streams[0]); });
  graph("branches", branches);
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  return lab.end();
}
