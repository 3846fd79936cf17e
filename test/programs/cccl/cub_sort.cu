// CUB's sorts: radix sort of keys, of pairs and of a range of bits, a stable merge sort, sorts of segments.
// Needs CCCL.
#include "../check.h"
#include <algorithm>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <numeric>

#define TWICE(call, ...)                                                                                               \
  do {                                                                                                                 \
    size_t bytes = 0;                                                                                                  \
    CHECK(call(nullptr, bytes, __VA_ARGS__));                                                                          \
    Device<char> memory(bytes);                                                                                        \
    CHECK(call(memory.data, bytes, __VA_ARGS__));                                                                      \
    CHECK(cudaDeviceSynchronize());                                                                                    \
  } while (0)

struct ByLastDigit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

int main() {
  Random random(2);
  for (int n : {1, 100, 3000, 40000}) {
    std::vector<unsigned> keys(n);
    std::vector<float> reals(n);
    std::vector<int> values(n);
    for (int i = 0; i < n; i++) {
      keys[i] = (unsigned)random.next();
      reals[i] = (float)random.between(-1e6, 1e6);
      values[i] = i;
    }
    Device<unsigned> keysIn(keys), keysOut(n);
    Device<float> realsIn(reals), realsOut(n);
    Device<int> valuesIn(values), valuesOut(n);

    TWICE(cub::DeviceRadixSort::SortKeysDescending, realsIn.data, realsOut.data, n);
    std::vector<float> descending = reals;
    std::sort(descending.rbegin(), descending.rend());
    std::vector<float> realsGot = realsOut.host();
    for (int i = 0; i < n; i++) close("descending", i, realsGot[i], descending[i], 0);

    TWICE(cub::DeviceRadixSort::SortPairs, keysIn.data, keysOut.data, valuesIn.data, valuesOut.data, n, 4, 20);
    std::vector<int> order = values;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return (keys[a] >> 4 & 0xffff) < (keys[b] >> 4 & 0xffff); });
    std::vector<int> got = valuesOut.host();
    std::vector<unsigned> keysGot = keysOut.host();
    for (int i = 0; i < n; i++) {
      same("value", i, got[i], order[i]);
      same("key", i, keysGot[i], keys[order[i]]);
    }

    TWICE(cub::DeviceMergeSort::StableSortKeys, valuesIn.data, n, ByLastDigit());
    std::vector<int> merged = values;
    std::stable_sort(merged.begin(), merged.end(), ByLastDigit());
    got = valuesIn.host();
    for (int i = 0; i < n; i++) same("merged", i, got[i], merged[i]);
  }

  // Segments of all sizes for which there are different kernels.
  std::vector<int> starts{0}, numbers;
  for (int length : {0, 1, 5, 33, 200, 0, 700, 5000}) starts.push_back(starts.back() + length);
  for (int i = 0; i < starts.back(); i++) numbers.push_back((int)(random.next() % 100000));
  Device<int> in(numbers), out(numbers.size()), offsets(starts);
  const int segments = (int)starts.size() - 1;
  TWICE(cub::DeviceSegmentedSort::SortKeys, in.data, out.data, (int)numbers.size(), segments, offsets.data, offsets.data + 1);
  for (int s = 0; s < segments; s++) std::sort(numbers.begin() + starts[s], numbers.begin() + starts[s + 1]);
  std::vector<int> got = out.host();
  for (size_t i = 0; i < numbers.size(); i++) same("segmented", (long long)i, got[i], numbers[i]);
  return finish();
}
