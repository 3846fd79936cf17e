// CUB's device-wide reductions and scans, over lengths around and beyond a tile, with operators and iterators of the program's own.
// Needs CCCL.
#include "../check.h"
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <numeric>

// Calls an algorithm twice, as CUB wants it: for the size of its memory, then for the work.
#define TWICE(call, ...)                                                                                               \
  do {                                                                                                                 \
    size_t bytes = 0;                                                                                                  \
    CHECK(call(nullptr, bytes, __VA_ARGS__));                                                                          \
    Device<char> memory(bytes);                                                                                        \
    CHECK(call(memory.data, bytes, __VA_ARGS__));                                                                      \
    CHECK(cudaDeviceSynchronize());                                                                                    \
  } while (0)

struct Larger {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};

int main() {
  Random random;
  for (int n : {1, 31, 1000, 4097, 100003}) {
    std::vector<int> numbers(n);
    std::vector<float> reals(n);
    for (int i = 0; i < n; i++) {
      numbers[i] = (int)(random.next() % 2001) - 1000;
      reals[i] = (float)(random.next() % 1000) / 8;
    }
    Device<int> in(numbers), out(n);
    Device<float> realsIn(reals), realOut(1);

    TWICE(cub::DeviceReduce::Sum, in.data, out.data, n);
    same("sum", n, out.host()[0], std::accumulate(numbers.begin(), numbers.end(), 0));
    TWICE(cub::DeviceReduce::Max, in.data, out.data, n);
    same("max", n, out.host()[0], *std::max_element(numbers.begin(), numbers.end()));
    TWICE(cub::DeviceReduce::Reduce, in.data, out.data, n, Larger(), -5000);
    same("reduce", n, out.host()[0], *std::max_element(numbers.begin(), numbers.end()));
    TWICE(cub::DeviceReduce::Sum, realsIn.data, realOut.data, n);
    // Multiples of an eighth, so that every order gives the same.
    close("real sum", n, realOut.host()[0], std::accumulate(reals.begin(), reals.end(), 0.0), n > 100000 ? 1 : 0);

    TWICE(cub::DeviceScan::ExclusiveSum, in.data, out.data, n);
    int sum = 0;
    std::vector<int> scanned = out.host();
    for (int i = 0; i < n; sum += numbers[i++]) same("exclusive sum", i, scanned[i], sum);
    TWICE(cub::DeviceScan::InclusiveScan, in.data, out.data, Larger(), n);
    scanned = out.host();
    int most = numbers[0];
    for (int i = 0; i < n; i++) {
      most = std::max(most, numbers[i]);
      same("inclusive maximum", i, scanned[i], most);
    }

    // Segments of 0, 1, 2, … elements.
    std::vector<int> starts{0};
    for (int length = 0; starts.back() + length <= n && starts.size() < 200 && (int)starts.size() <= n; length++) starts.push_back(starts.back() + length);
    Device<int> offsets(starts);
    const int segments = (int)starts.size() - 1;
    TWICE(cub::DeviceSegmentedReduce::Sum, in.data, out.data, segments, offsets.data, offsets.data + 1);
    std::vector<int> sums = out.host();
    for (int s = 0; s < segments && s < n; s++)
      same("segment", s, sums[s], std::accumulate(numbers.begin() + starts[s], numbers.begin() + starts[s + 1], 0));
  }
  return finish();
}
