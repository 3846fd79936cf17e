// CUB in kernels: loads and stores of blocks, reduction, scan, sort, histogram, discontinuities; reductions and scans of warps.
// Needs CCCL.
#include "../check.h"
#include <algorithm>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <numeric>

constexpr int threads = 128, items = 4, tile = threads * items;

template <cub::BlockScanAlgorithm Algorithm> __global__ void scan(const int *in, int *out, int *total) {
  using Load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, threads, items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, threads, Algorithm>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } shared;
  int values[items], sum;
  Load(shared.load).Load(in + blockIdx.x * tile, values);
  __syncthreads();
  Scan(shared.scan).ExclusiveSum(values, values, sum);
  __syncthreads();
  Store(shared.store).Store(out + blockIdx.x * tile, values);
  if (threadIdx.x == 0) total[blockIdx.x] = sum;
}

template <cub::BlockReduceAlgorithm Algorithm> __global__ void reduce(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, threads, Algorithm>;
  __shared__ typename Reduce::TempStorage shared;
  const int sum = Reduce(shared).Sum(in[blockIdx.x * threads + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void sort(int *keys, int *values) {
  using Sort = cub::BlockRadixSort<int, threads, items, int>;
  __shared__ typename Sort::TempStorage shared;
  int key[items], value[items];
  for (int i = 0; i < items; i++) key[i] = keys[threadIdx.x * items + i], value[i] = threadIdx.x * items + i;
  Sort(shared).Sort(key, value);
  for (int i = 0; i < items; i++) keys[threadIdx.x * items + i] = key[i], values[threadIdx.x * items + i] = value[i];
}

__global__ void heads(const int *in, int *out, unsigned *bins) {
  using Heads = cub::BlockDiscontinuity<int, threads>;
  using Histogram = cub::BlockHistogram<unsigned char, threads, 1, 16>;
  __shared__ union {
    typename Heads::TempStorage heads;
    typename Histogram::TempStorage histogram;
  } shared;
  __shared__ unsigned counts[16];
  int flag[1], value[1] = {in[threadIdx.x] & 3};
  Heads(shared.heads).FlagHeads(flag, value, [](int a, int b) { return a != b; });
  out[threadIdx.x] = flag[0];
  __syncthreads();
  unsigned char sample[1] = {(unsigned char)(in[threadIdx.x] & 15)};
  Histogram(shared.histogram).Histogram(sample, counts);
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = counts[threadIdx.x];
}

// Eight warps of 16 lanes in a block.
__global__ void warps(const int *in, int *sums, int *scans, int *sorted) {
  using Reduce = cub::WarpReduce<int, 16>;
  using Scan = cub::WarpScan<int>;
  using Sort = cub::WarpMergeSort<int, 2>;
  __shared__ typename Reduce::TempStorage reduceStorage[threads / 16];
  __shared__ typename Scan::TempStorage scanStorage[threads / 32];
  __shared__ typename Sort::TempStorage sortStorage[threads / 32];
  const int value = in[threadIdx.x], half = threadIdx.x / 16, warp = threadIdx.x / 32;
  const int sum = Reduce(reduceStorage[half]).Sum(value);
  if (threadIdx.x % 16 == 0) sums[half] = sum;
  Scan(scanStorage[warp]).InclusiveSum(value, scans[threadIdx.x]);
  int keys[2] = {value, in[threadIdx.x + threads]};
  Sort(sortStorage[warp]).Sort(keys, [](int a, int b) { return a < b; });
  sorted[2 * threadIdx.x] = keys[0], sorted[2 * threadIdx.x + 1] = keys[1];
}

int main() {
  Random random(4);
  const int blocks = 3;
  std::vector<int> numbers(blocks * tile);
  for (int &number : numbers) number = (int)(random.next() % 1000);
  Device<int> in(numbers), out(numbers.size()), totals(blocks);
  auto checkScan = [&](const char *what) {
    CHECK_KERNEL();
    std::vector<int> got = out.host(), sums = totals.host();
    for (int b = 0; b < blocks; b++) {
      int sum = 0;
      for (int i = b * tile; i < (b + 1) * tile; sum += numbers[i++]) same(what, i, got[i], sum);
      same(what, b, sums[b], sum);
    }
  };
  scan<cub::BLOCK_SCAN_RAKING><<<blocks, threads>>>(in, out, totals);
  checkScan("raking scan");
  scan<cub::BLOCK_SCAN_WARP_SCANS><<<blocks, threads>>>(in, out, totals);
  checkScan("scan by warps");

  auto checkReduce = [&](const char *what) {
    CHECK_KERNEL();
    std::vector<int> got = out.host();
    for (int b = 0; b < blocks; b++)
      same(what, b, got[b], std::accumulate(numbers.begin() + b * threads, numbers.begin() + (b + 1) * threads, 0));
  };
  reduce<cub::BLOCK_REDUCE_RAKING><<<blocks, threads>>>(in, out);
  checkReduce("raking reduction");
  reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<blocks, threads>>>(in, out);
  checkReduce("reduction by warps");

  Device<int> keys(std::vector<int>(numbers.begin(), numbers.begin() + tile)), values(tile);
  sort<<<1, threads>>>(keys, values);
  CHECK_KERNEL();
  std::vector<int> order(tile), got = values.host();
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return numbers[a] < numbers[b]; });
  for (int i = 0; i < tile; i++) same("sorted", i, got[i], order[i]);

  Device<unsigned> bins(16);
  heads<<<1, threads>>>(in, out, bins);
  CHECK_KERNEL();
  got = out.host();
  std::vector<unsigned> counts(16), binsGot = bins.host();
  for (int i = 0; i < threads; i++) {
    same("head", i, got[i], (int)(i == 0 || (numbers[i] & 3) != (numbers[i - 1] & 3)));
    counts[numbers[i] & 15]++;
  }
  for (int b = 0; b < 16; b++) same("bin", b, binsGot[b], counts[b]);

  Device<int> sums(threads / 16), scans(threads), sorted(2 * threads);
  warps<<<1, threads>>>(in, sums, scans, sorted);
  CHECK_KERNEL();
  std::vector<int> sumsGot = sums.host(), scansGot = scans.host(), sortedGot = sorted.host();
  for (int h = 0; h < threads / 16; h++)
    same("half warp", h, sumsGot[h], std::accumulate(numbers.begin() + h * 16, numbers.begin() + (h + 1) * 16, 0));
  for (int w = 0; w < threads / 32; w++) {
    std::vector<int> own;
    for (int i = w * 32, sum = 0; i < (w + 1) * 32; i++) {
      same("warp scan", i, scansGot[i], sum += numbers[i]);
      own.push_back(numbers[i]), own.push_back(numbers[i + threads]);
    }
    std::sort(own.begin(), own.end());
    for (int i = 0; i < 64; i++) same("warp sort", w * 64 + i, sortedGot[w * 64 + i], own[i]);
  }
  return finish();
}
