// Thrust's sorts, searches, merges and sets; exceptions of a vector that is too large.
// Needs CCCL.
#include "../check.h"
#include <algorithm>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>

struct Point {
  int x, y;
};
struct ByX {
  __host__ __device__ bool operator()(const Point &a, const Point &b) const { return a.x < b.x; }
};

template <class T> void equal(const char *what, const thrust::device_vector<T> &got, const std::vector<T> &expected) {
  thrust::host_vector<T> host = got;
  same(what, -1, host.size(), expected.size());
  for (size_t i = 0; i < host.size() && i < expected.size(); i++) same(what, (long long)i, host[i], expected[i]);
}

int main() {
  const int n = 10000;
  Random random(6);
  std::vector<int> numbers(n);
  std::vector<Point> points(n);
  for (int i = 0; i < n; i++) {
    numbers[i] = (int)(random.next() % 5000);
    points[i] = {(int)(random.next() % 50), i};
  }
  thrust::device_vector<int> keys = numbers, indices(n);
  for (int i = 0; i < n; i++) numbers[i] = numbers[i];
  std::vector<int> order(n);
  for (int i = 0; i < n; i++) order[i] = i;
  indices = order;
  thrust::stable_sort_by_key(keys.begin(), keys.end(), indices.begin(), thrust::greater<int>());
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return numbers[a] > numbers[b]; });
  equal("by key", indices, order);

  // A type and an order of the program's own: a merge sort.
  thrust::device_vector<Point> sorted = points;
  thrust::stable_sort(sorted.begin(), sorted.end(), ByX());
  std::stable_sort(points.begin(), points.end(), ByX());
  thrust::host_vector<Point> got = sorted;
  for (int i = 0; i < n; i++) same("point", i, got[i].y, points[i].y);

  thrust::sort(keys.begin(), keys.end());
  std::sort(numbers.begin(), numbers.end());
  equal("sorted", keys, numbers);
  thrust::device_vector<int> wanted(100), found(100);
  std::vector<int> foundHere(100);
  for (int i = 0; i < 100; i++) {
    wanted[i] = i * 53;
    foundHere[i] = (int)(std::lower_bound(numbers.begin(), numbers.end(), i * 53) - numbers.begin());
  }
  thrust::lower_bound(keys.begin(), keys.end(), wanted.begin(), wanted.end(), found.begin());
  equal("lower bound", found, foundHere);

  std::vector<int> others, merged, common;
  for (int i = 0; i < 3000; i++) others.push_back(2 * i);
  thrust::device_vector<int> second = others, both(n + 3000);
  thrust::merge(keys.begin(), keys.end(), second.begin(), second.end(), both.begin());
  std::merge(numbers.begin(), numbers.end(), others.begin(), others.end(), std::back_inserter(merged));
  equal("merged", both, merged);
  both.erase(thrust::set_intersection(keys.begin(), keys.end(), second.begin(), second.end(), both.begin()), both.end());
  std::set_intersection(numbers.begin(), numbers.end(), others.begin(), others.end(), std::back_inserter(common));
  equal("in both", both, common);

  bool isRefused = false;
  try {
    thrust::device_vector<char> large(1ull << 45);
  } catch (const std::bad_alloc &) {
    isRefused = true;
  }
  EXPECT(isRefused);
  CHECK(cudaGetLastError());
  return finish();
}
