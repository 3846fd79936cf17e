// Kernels that launch themselves: a quicksort, with a stream for each part, and a simple sort at the bottom.
// Compile with relocatable device code.
#include "../check.h"
#include <algorithm>
static __device__ int launches;
static __global__ void quicksort(int *data, int left, int right, int depth) {
  atomicAdd(&launches, 1);
  if (depth >= 12 || right - left <= 16) {
    for (int i = left; i <= right; ++i)
      for (int k = i; k > left && data[k - 1] > data[k]; --k) {
        const int t = data[k];
        data[k] = data[k - 1], data[k - 1] = t;
      }
    return;
  }
  const int pivot = data[(left + right) / 2];
  int low = left, high = right;
  while (low <= high) {
    while (data[low] < pivot) ++low;
    while (data[high] > pivot) --high;
    if (low > high) break;
    const int t = data[low];
    data[low++] = data[high], data[high--] = t;
  }
  if (left < high) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, stream>>>(data, left, high, depth + 1);
    cudaStreamDestroy(stream);
  }
  if (low < right) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, stream>>>(data, low, right, depth + 1);
    cudaStreamDestroy(stream);
  }
}
int main() {
  const int n = 1000;
  Random random;
  std::vector<int> in;
  for (int i = 0; i < n; ++i) in.push_back((int)(random.next() % 10000));
  Device<int> d(in);
  quicksort<<<1, 1>>>(d, 0, n - 1, 0);
  CHECK_KERNEL();
  std::sort(in.begin(), in.end());
  const auto got = d.host();
  for (int i = 0; i < n; ++i) same("sorted", i, got[i], in[i]);
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, launches, sizeof count));
  EXPECT(count > n / 16);
  return finish();
}
