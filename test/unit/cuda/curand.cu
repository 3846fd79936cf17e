// Numbers of cuRAND's generators, of the device and of the host, as digests of their bits.
#include <cstdio>
#include <cstring>
#include <curand.h>
#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif
#include <vector>

static unsigned digest(const void *bytes, size_t n) {
  unsigned hash = 2166136261u;
  for (size_t i = 0; i < n; ++i) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 16777619u;
  return hash;
}

static int generate(curandGenerator_t g, char kind, void *out, size_t n) {
  switch (kind) {
  case 'u': return curandGenerate(g, (unsigned *)out, n);
  case 'q': return curandGenerateLongLong(g, (unsigned long long *)out, n);
  case 'f': return curandGenerateUniform(g, (float *)out, n);
  case 'd': return curandGenerateUniformDouble(g, (double *)out, n);
  case 'n': return curandGenerateNormal(g, (float *)out, n, 1, 2);
  case 'N': return curandGenerateNormalDouble(g, (double *)out, n, 1, 2);
  case 'l': return curandGenerateLogNormal(g, (float *)out, n, 0, 1);
  case 'L': return curandGenerateLogNormalDouble(g, (double *)out, n, 0, 1);
  default: return curandGeneratePoisson(g, (unsigned *)out, n, 40);
  }
}

static std::vector<char> numbers(curandGenerator_t g, bool host, char kind, size_t n) {
  const size_t bytes = n * (strchr("qdNL", kind) ? 8 : 4);
  std::vector<char> result(bytes);
  int status;
#ifdef __CUDACC__
  if (!host) {
    void *device;
    cudaMalloc(&device, bytes);
    status = generate(g, kind, device, n);
    cudaMemcpy(result.data(), device, bytes, cudaMemcpyDeviceToHost);
    cudaFree(device);
  } else
#endif
    status = generate(g, kind, result.data(), n);
  if (status != 0) printf(" (%d)", status);
  return result;
}

struct Setting {
  int type, order, dimensions;
  unsigned long long seed, offset;
  const char *kinds;
  size_t n;
};
static const Setting settings[] = {
    {101, 0, 1, 1234, 0, "uuf", 9001}, {101, 0, 1, 5 | 7ull << 33, 12345678901ull, "ud", 6000}, {101, 0, 1, 3, 5, "nNlLu", 6000},
    {121, 103, 1, 1234, 0, "uuf", 9001}, {121, 0, 1, 5 | 7ull << 33, 99, "ud", 3000}, {121, 103, 1, 3, 5, "nNlLu", 6000},
    {141, 0, 1, 1234, 0, "uuf", 30001}, {141, 103, 1, 5 | 7ull << 33, 0, "ud", 20000}, {141, 0, 1, 3, 0, "nNlLpu", 3000},
    {161, 0, 1, 1234, 0, "uuf", 9001}, {161, 0, 1, 5 | 7ull << 33, 12345678901ull, "ud", 6000}, {161, 0, 1, 3, 5, "nNlLu", 6001},
    {201, 0, 1, 0, 77, "ufdnNp", 2000}, {201, 0, 700, 0, 1, "ff", 7000}, {203, 0, 3, 0, 5, "qfdN", 999},
};

static void all(bool host) {
  for (const Setting &s : settings) {
    curandGenerator_t g;
    const curandRngType_t type = (curandRngType_t)s.type;
    int status = host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type);
    if (s.order) status |= curandSetGeneratorOrdering(g, (curandOrdering_t)s.order);
    if (s.type < 200) status |= curandSetPseudoRandomGeneratorSeed(g, s.seed);
    if (s.offset) status |= curandSetGeneratorOffset(g, s.offset);
    if (s.dimensions > 1) status |= curandSetQuasiRandomGeneratorDimensions(g, s.dimensions);
    printf("%d %d:", s.type, status);
    for (const char *kind = s.kinds; *kind; ++kind) {
      const std::vector<char> result = numbers(g, host, *kind, s.n);
      double sum = 0;
      if (strchr("nl", *kind)) for (size_t i = 0; i < s.n; ++i) sum += ((const float *)result.data())[i] * (1 + i % 7);
      if (strchr("NL", *kind)) for (size_t i = 0; i < s.n; ++i) sum += ((const double *)result.data())[i] * (1 + i % 7);
      if (sum != 0) printf(" %.0f", sum);
      else printf(" %08x", digest(result.data(), result.size()));
    }
    printf("\n");
    curandDestroyGenerator(g);
  }
}

int main() {
  all(true);
#ifdef __CUDACC__
  printf("device\n");
  all(false);
#endif
  curandGenerator_t g;
  unsigned out[9];
  printf("%d", curandCreateGeneratorHost(&g, (curandRngType_t)7));
  curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_DEFAULT);
  printf(" %d %d", curandGenerateNormal(g, (float *)out, 9, 0, 1), curandGenerateLongLong(g, (unsigned long long *)out, 1));
  printf(" %d %d", curandSetQuasiRandomGeneratorDimensions(g, 3), curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT));
  printf(" %d %d", curandGeneratePoisson(g, out, 9, 0), curandGenerate(g, out, 0));
  curandDestroyGenerator(g);
  curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_DEFAULT);
  printf(" %d %d", curandSetPseudoRandomGeneratorSeed(g, 1), curandSetQuasiRandomGeneratorDimensions(g, 3));
  printf(" %d", curandGenerate(g, out, 8));
  int version = 0;
  printf(" %d", curandGetVersion(&version));
  printf(" %d\n", version);
  return 0;
}
