// Thrust on the device: vectors, transformations, reductions, scans, compaction, fancy iterators, lambdas.
// Needs CCCL.
#include "../check.h"
#include <algorithm>
#include <numeric>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

struct Square {
  __host__ __device__ long long operator()(int value) const { return (long long)value * value; }
};

template <class T> void equal(const char *what, const thrust::device_vector<T> &got, const std::vector<T> &expected) {
  thrust::host_vector<T> host = got;
  same(what, -1, host.size(), expected.size());
  for (size_t i = 0; i < host.size() && i < expected.size(); i++) same(what, (long long)i, host[i], expected[i]);
}

int main() {
  const int n = 20000;
  Random random(5);
  std::vector<int> numbers(n);
  for (int &number : numbers) number = (int)(random.next() % 100) - 20;
  thrust::host_vector<int> host(numbers.begin(), numbers.end());
  thrust::device_vector<int> device = host, out(n);

  same("reduce", 0, thrust::reduce(device.begin(), device.end()), std::accumulate(numbers.begin(), numbers.end(), 0));
  same("maximum", 0, thrust::reduce(thrust::device, device.begin(), device.end(), -1000, thrust::maximum<int>()),
       *std::max_element(numbers.begin(), numbers.end()));
  long long squares = 0;
  for (int number : numbers) squares += Square()(number);
  same("squares", 0, thrust::transform_reduce(device.begin(), device.end(), Square(), 0ll, thrust::plus<long long>()), squares);
  same("inner product", 0, thrust::inner_product(device.begin(), device.end(), device.begin(), 0ll), squares);
  same("count", 0, (long long)thrust::count(device.begin(), device.end(), 7), (long long)std::count(numbers.begin(), numbers.end(), 7));
  same("min element", 0, (long long)(thrust::min_element(device.begin(), device.end()) - device.begin()),
       (long long)(std::min_element(numbers.begin(), numbers.end()) - numbers.begin()));

  thrust::transform(device.begin(), device.end(), thrust::make_counting_iterator(0), out.begin(),
                    [] __device__(int value, int i) { return value * 3 + i; });
  std::vector<int> expected(n);
  for (int i = 0; i < n; i++) expected[i] = numbers[i] * 3 + i;
  equal("transform", out, expected);

  thrust::inclusive_scan(device.begin(), device.end(), out.begin());
  std::partial_sum(numbers.begin(), numbers.end(), expected.begin());
  equal("scan", out, expected);

  auto end = thrust::copy_if(device.begin(), device.end(), out.begin(), [] __device__(int value) { return value > 50; });
  std::vector<int> kept;
  for (int number : numbers)
    if (number > 50) kept.push_back(number);
  equal("copy_if", thrust::device_vector<int>(out.begin(), end), kept);

  thrust::device_vector<int> again = device;
  again.erase(thrust::unique(again.begin(), again.end()), again.end());
  std::vector<int> unique = numbers;
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  equal("unique", again, unique);

  thrust::device_vector<int> keys(n), sums(n);
  auto ends = thrust::reduce_by_key(device.begin(), device.end(), thrust::make_constant_iterator(1), keys.begin(), sums.begin());
  std::vector<int> lengths;
  for (int i = 0, start = 0; i < n; i++)
    if (i == n - 1 || numbers[i] != numbers[i + 1]) lengths.push_back(i + 1 - start), start = i + 1;
  equal("reduce_by_key", thrust::device_vector<int>(keys.begin(), ends.first), unique);
  equal("lengths", thrust::device_vector<int>(sums.begin(), ends.second), lengths);

  // Several vectors as one.
  thrust::sequence(out.begin(), out.end(), 10, 2);
  auto both = thrust::make_zip_iterator(thrust::make_tuple(device.begin(), out.begin()));
  thrust::for_each(both, both + n, [] __device__(thrust::tuple<int &, int &> pair) { thrust::get<1>(pair) -= thrust::get<0>(pair); });
  for (int i = 0; i < n; i++) expected[i] = 10 + 2 * i - numbers[i];
  equal("zip", out, expected);

  thrust::device_vector<int> reversed(n);
  auto back = thrust::make_transform_iterator(thrust::make_counting_iterator(0), [=] __host__ __device__(int i) { return n - 1 - i; });
  thrust::gather(back, back + n, device.begin(), reversed.begin());
  std::reverse_copy(numbers.begin(), numbers.end(), expected.begin());
  equal("gather", reversed, expected);
  auto permuted = thrust::make_permutation_iterator(device.begin(), back);
  same("permutation", 0, thrust::reduce(permuted, permuted + 100), std::accumulate(expected.begin(), expected.begin() + 100, 0));

  // On the host, and elements one by one.
  thrust::transform(thrust::host, host.begin(), host.end(), host.begin(), thrust::negate<int>());
  same("host", 0, thrust::reduce(host.begin(), host.end()), -std::accumulate(numbers.begin(), numbers.end(), 0));
  device[5] = 1234;
  same("element", 5, (int)device[5], 1234);
  device.resize(n + 3, 9);
  same("resized", n + 2, (int)device.back(), 9);

  // Plain pointers, in a stream.
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *raw = thrust::raw_pointer_cast(out.data());
  thrust::exclusive_scan(thrust::cuda::par.on(stream), raw, raw + n, raw);
  CHECK(cudaStreamSynchronize(stream));
  std::vector<int> plain = Device<int>(1).host();
  CHECK(cudaMemcpy(plain.data(), raw + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
  int last = 0;
  for (int i = 0; i < n - 1; i++) last += 10 + 2 * i - numbers[i];
  same("in a stream", n - 1, plain[0], last);
  return finish();
}
