// What the programs here share: checked calls, comparisons that say what differed, arrays on the device.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

inline void checked(cudaError_t status, const char *call, int line) {
  if (status == cudaSuccess) return;
  printf("line %d: %s: %s\n", line, call, cudaGetErrorString(status));
  exit(1);
}
#define CHECK(call) checked((call), #call, __LINE__)

// What a launch gives whose grid or block is not possible: CUDA 13 changed it.
#if CUDART_VERSION >= 13000
constexpr cudaError_t badConfiguration = cudaErrorInvalidValue;
#else
constexpr cudaError_t badConfiguration = cudaErrorInvalidConfiguration;
#endif

// A launch that has to work, and its execution.
#define CHECK_KERNEL()                                                                                                 \
  do {                                                                                                                 \
    CHECK(cudaGetLastError());                                                                                         \
    CHECK(cudaDeviceSynchronize());                                                                                    \
  } while (0)

static int wrong = 0;

// Says what differed, the first ten times.
#define FAIL(...)                                                                                                      \
  do {                                                                                                                 \
    if (++wrong <= 10) {                                                                                               \
      printf("line %d: ", __LINE__);                                                                                   \
      printf(__VA_ARGS__);                                                                                             \
      printf("\n");                                                                                                    \
    }                                                                                                                  \
  } while (0)

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) FAIL("%s", #condition);                                                                          \
  } while (0)

#define EXPECT_ERROR(call, expected)                                                                                   \
  do {                                                                                                                 \
    const cudaError_t status_ = (call);                                                                                \
    if (status_ != (expected))                                                                                         \
      FAIL("%s: %s, not %s", #call, cudaGetErrorName(status_), cudaGetErrorName(expected));                            \
  } while (0)

// Exact comparison of whole numbers: `what` and `index` find the place.
template <class T> void same(const char *what, long long index, T got, T expected) {
  if (!(got == expected))
    FAIL("%s[%lld]: %lld (0x%llx), expected %lld (0x%llx)", what, index, (long long)got, (unsigned long long)got,
         (long long)expected, (unsigned long long)expected);
}

// Distance between a result and the exact value in units of the last place of the result's type. NaN equals NaN.
template <class T> double ulps(T got, double exact) {
  if (std::isnan(exact)) return std::isnan((double)got) ? 0 : INFINITY;
  const T nearest = (T)exact;
  if (got == nearest) return 0;
  if (!std::isfinite((double)got) || !std::isfinite((double)nearest)) return INFINITY;
  const T size = std::fabs(nearest);
  T unit = std::nextafter(size, (T)INFINITY) - size;
  if (!std::isfinite((double)unit)) unit = size - std::nextafter(size, (T)0);
  return std::fabs((double)got - exact) / (double)unit;
}

template <class T> void within(const char *what, double input, T got, double exact, double limit) {
  const double distance = ulps(got, exact);
  if (!(distance <= limit))
    FAIL("%s(%.9g): %.17g, expected %.17g (%.3g ulp, at most %g)", what, input, (double)got, exact, distance, limit);
}

inline void close(const char *what, long long index, double got, double expected, double tolerance) {
  if (!(std::fabs(got - expected) <= tolerance)) FAIL("%s[%lld]: %.9g, expected %.9g", what, index, got, expected);
}

// An array on the device.
template <class T> struct Device {
  T *data = nullptr;
  size_t count;
  explicit Device(size_t n) : count(n) {
    CHECK(cudaMalloc(&data, n * sizeof(T)));
    CHECK(cudaMemset(data, 0, n * sizeof(T)));
  }
  explicit Device(const std::vector<T> &from) : count(from.size()) {
    CHECK(cudaMalloc(&data, count * sizeof(T)));
    CHECK(cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  Device(const Device &) = delete;
  ~Device() { cudaFree(data); }
  operator T *() const { return data; }
  std::vector<T> host() const {
    std::vector<T> to(count);
    CHECK(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }
};

// The same numbers everywhere: a small generator of 64 bits.
struct Random {
  uint64_t state;
  explicit Random(uint64_t seed = 1) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  double unit() { return (double)(next() >> 11) / 9007199254740992.0; }
  double between(double low, double high) { return low + (high - low) * unit(); }
};

inline int finish() {
  if (wrong) {
    printf("%d wrong\n", wrong);
    return 1;
  }
  printf("ok\n");
  return 0;
}
