// Three ways for a kernel to get at an array of the host: copies from and to pageable memory, the same copies from and to pinned
// memory, and no copies at all: the kernel reads and writes the host's memory over the link.
#include "../lab.h"

constexpr int threads = 256, batches = 8;

__global__ void scaleCopied(const int *in, int *out, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < n) out[i] = 3 * in[i] + 1;
}
// The same, where both arrays are the host's: each element is used once, so nothing is won by having it nearer.
__global__ void scaleInPlace(const int *in, int *out, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < n) out[i] = 3 * in[i] + 1;
}

int inputOf(int i) { return i % 1000; }

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 21);
  const int n = lab.size, perBatch = n / batches;
  if (n % (batches * threads) != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", batches * threads), 2;
  const size_t bytes = n * sizeof(int), batchBytes = bytes / batches;
  Device<int> in(n), out(n);

  int *hostIn, *hostOut;
  const auto wrong = [&]() -> size_t {
    size_t count = 0;
    for (int i = 0; i < n; ++i) count += hostOut[i] != inputOf(i) * 3 + 1;
    return count;
  };
  // Batch by batch, as data arrive.
  const auto withCopies = [&] {
    for (int at = 0; at < n; at += perBatch) {
      CHECK(cudaMemcpyAsync(in + at, hostIn + at, batchBytes, cudaMemcpyHostToDevice));
      scaleCopied<<<perBatch / threads, threads>>>(in + at, out + at, perBatch);
      CHECK(cudaMemcpyAsync(hostOut + at, out + at, batchBytes, cudaMemcpyDeviceToHost));
    }
  };

  // All is done once before it is timed: that loads the kernels, and the first copy of a buffer is slower than those after it.
  const auto variant = [&](const char *name, auto work) {
    const auto setUp = [&] {
      for (int i = 0; i < n; ++i) hostIn[i] = inputOf(i);
      work();
      CHECK(cudaDeviceSynchronize());
      std::fill(hostOut, hostOut + n, -1);
    };
    lab.variantElsewhere(name, setUp, work, wrong);
  };

  if (lab.wants("pageable")) {
    std::vector<int> first(n), second(n);
    hostIn = first.data(), hostOut = second.data();
    variant("pageable", withCopies);
  }
  if (lab.wants("pinned")) {
    CHECK(cudaMallocHost(&hostIn, bytes));
    CHECK(cudaMallocHost(&hostOut, bytes));
    variant("pinned", withCopies);
    CHECK(cudaFreeHost(hostIn));
    CHECK(cudaFreeHost(hostOut));
  }
  if (lab.wants("zero-copy")) {
    CHECK(cudaHostAlloc(&hostIn, bytes, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&hostOut, bytes, cudaHostAllocMapped));
    int *mappedIn, *mappedOut;
    CHECK(cudaHostGetDevicePointer(&mappedIn, hostIn, 0));
    CHECK(cudaHostGetDevicePointer(&mappedOut, hostOut, 0));
    const auto withoutCopies = [&] {
      for (int at = 0; at < n; at += perBatch)
        scaleInPlace<<<perBatch / threads, threads>>>(mappedIn + at, mappedOut + at, perBatch);
    };
    variant("zero-copy", withoutCopies);
    CHECK(cudaFreeHost(hostIn));
    CHECK(cudaFreeHost(hostOut));
  }
  return lab.end();
}
