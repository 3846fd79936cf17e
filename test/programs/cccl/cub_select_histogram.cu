// CUB's compaction: selection by predicate and by flags, unique elements, partition, run lengths; and histograms.
// Needs CCCL.
#include "../check.h"
#include <algorithm>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#define TWICE(call, ...)                                                                                               \
  do {                                                                                                                 \
    size_t bytes = 0;                                                                                                  \
    CHECK(call(nullptr, bytes, __VA_ARGS__));                                                                          \
    Device<char> memory(bytes);                                                                                        \
    CHECK(call(memory.data, bytes, __VA_ARGS__));                                                                      \
    CHECK(cudaDeviceSynchronize());                                                                                    \
  } while (0)

struct IsOdd {
  __host__ __device__ bool operator()(int value) const { return value & 1; }
};

int main() {
  Random random(3);
  for (int n : {1, 500, 30001}) {
    std::vector<int> numbers(n);
    std::vector<char> flags(n);
    for (int i = 0; i < n; i++) {
      numbers[i] = (int)(random.next() % 7);
      flags[i] = (char)(random.next() % 3 == 0);
    }
    Device<int> in(numbers), out(n), count(1), lengths(n);
    Device<char> flagsIn(flags);
    auto expect = [&](const char *what, const std::vector<int> &expected) {
      same(what, n, count.host()[0], (int)expected.size());
      std::vector<int> got = out.host();
      for (size_t i = 0; i < expected.size(); i++) same(what, (long long)i, got[i], expected[i]);
    };

    TWICE(cub::DeviceSelect::If, in.data, out.data, count.data, n, IsOdd());
    std::vector<int> kept;
    std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(kept), IsOdd());
    expect("select if", kept);

    TWICE(cub::DeviceSelect::Flagged, in.data, flagsIn.data, out.data, count.data, n);
    std::vector<int> flagged;
    for (int i = 0; i < n; i++)
      if (flags[i]) flagged.push_back(numbers[i]);
    expect("flagged", flagged);

    TWICE(cub::DeviceSelect::Unique, in.data, out.data, count.data, n);
    std::vector<int> unique = numbers;
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
    expect("unique", unique);

    // What is not selected comes last, in the opposite order.
    TWICE(cub::DevicePartition::If, in.data, out.data, count.data, n, IsOdd());
    same("partition", n, count.host()[0], (int)kept.size());
    std::vector<int> got = out.host(), parted = kept;
    for (int i = n - 1; i >= 0; i--)
      if (!IsOdd()(numbers[i])) parted.push_back(numbers[i]);
    for (int i = 0; i < n; i++) same("partition", i, got[i], parted[i]);

    TWICE(cub::DeviceRunLengthEncode::Encode, in.data, out.data, lengths.data, count.data, n);
    expect("runs", unique);
    std::vector<int> runs = lengths.host();
    for (int r = 0, i = 0; r < (int)unique.size(); r++) {
      int length = 0;
      while (i < n && numbers[i] == unique[r]) i++, length++;
      same("run", r, runs[r], length);
    }

    std::vector<float> samples(n);
    for (float &sample : samples) sample = (float)random.between(-1, 11);
    Device<float> samplesIn(samples);
    Device<int> bins(10);
    TWICE(cub::DeviceHistogram::HistogramEven, samplesIn.data, bins.data, 11, 0.0f, 10.0f, n);
    std::vector<int> counts(10), binsGot = bins.host();
    for (float sample : samples)
      if (sample >= 0 && sample < 10) counts[(int)sample]++;
    for (int b = 0; b < 10; b++) same("bin", b, binsGot[b], counts[b]);
  }
  return finish();
}
