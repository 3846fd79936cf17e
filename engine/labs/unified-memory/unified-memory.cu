// Managed memory that host and GPU use in turn, frame by frame: pages that move when somebody touches them, advice that leaves copies
// of what nobody writes on both sides, and prefetches that move the rest before it is touched.
//
// A table never changes, and both sides read it. The host writes new values into a second array, the GPU works on them in several
// passes, the host reads the results.
#include "../lab.h"

constexpr int threads = 256, frames = 3, passes = 4;
/** The host looks at one value in so many: it touches every page, and its own work does not count. */
constexpr int stride = 4096 / sizeof(unsigned);

__global__ void pass(const unsigned *table, unsigned *values, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < n) values[i] = values[i] * 3 + table[i];
}

unsigned tableAt(int i) { return i % 101; }
unsigned valueAt(int i, int frame) { return i % 17 + frame; }

#if CUDART_VERSION >= 13000
cudaMemLocation placeOf(int device) {
  cudaMemLocation place = {};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  if (device != cudaCpuDeviceId) place.id = device;
  return place;
}
void prefetch(const unsigned *data, size_t bytes, int device) { CHECK(cudaMemPrefetchAsync(data, bytes, placeOf(device), 0, 0)); }
void readMostly(const unsigned *data, size_t bytes, int device) {
  CHECK(cudaMemAdvise(data, bytes, cudaMemAdviseSetReadMostly, placeOf(device)));
}
#else
void prefetch(const unsigned *data, size_t bytes, int device) { CHECK(cudaMemPrefetchAsync(data, bytes, device, 0)); }
void readMostly(const unsigned *data, size_t bytes, int device) {
  CHECK(cudaMemAdvise(data, bytes, cudaMemAdviseSetReadMostly, device));
}
#endif

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 20);
  const int n = lab.size, gpu = 0;
  if (n % stride != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", stride), 2;
  const size_t bytes = n * sizeof(unsigned);

  const auto variant = [&](const char *name, bool advises, bool prefetches) {
    if (!lab.wants(name)) return;
    unsigned *table, *values;
    CHECK(cudaMallocManaged(&table, bytes));
    CHECK(cudaMallocManaged(&values, bytes));
    size_t errors = 0;
    const auto frame = [&](int number) {
      for (int i = 0; i < n; i += stride) values[i] = valueAt(i, number);
      if (prefetches) prefetch(values, bytes, gpu);
      for (int i = 0; i < passes; ++i) pass<<<(n + threads - 1) / threads, threads>>>(table, values, n);
      if (prefetches) prefetch(values, bytes, cudaCpuDeviceId);
      CHECK(cudaDeviceSynchronize());
      for (int i = 0; i < n; i += stride) {
        unsigned expected = valueAt(i, number);
        for (int k = 0; k < passes; ++k) expected = expected * 3 + table[i];
        errors += values[i] != expected;
      }
    };
    // What is done once, and a first frame, so that all that are timed are alike.
    const auto setUp = [&] {
      for (int i = 0; i < n; ++i) table[i] = tableAt(i), values[i] = 0;
      if (advises) readMostly(table, bytes, gpu);
      if (prefetches) prefetch(table, bytes, gpu);
      frame(0);
    };
    const auto work = [&] {
      for (int number = 1; number <= frames; ++number) frame(number);
    };
    lab.variantElsewhere(name, setUp, work, [&] { return errors; });
    CHECK(cudaFree(table));
    CHECK(cudaFree(values));
  };
  variant("on-demand", false, false);
  variant("advice", true, false);
  variant("prefetch", true, true);
  return lab.end();
}
