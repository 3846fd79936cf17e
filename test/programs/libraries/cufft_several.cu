// cuFFT on several GPUs, or one that is named twice: how data is spread before and after, copies, and results as on one GPU.
#include "../check.h"
#include <complex>
#include <cufftXt.h>
#define FFT(call)                                                                                                      \
  do {                                                                                                                 \
    const cufftResult status_ = (call);                                                                                \
    if (status_ != CUFFT_SUCCESS) FAIL("%s: %d", #call, status_);                                                      \
  } while (0)
typedef std::complex<float> C;
typedef std::complex<double> Z;
static int gpus[2];

template <class T> std::vector<T> numbers(size_t n) {
  Random random(n);
  std::vector<T> all(n);
  for (T &x : all) x = T(random.between(-1, 1), random.between(-1, 1));
  return all;
}
template <class T> void near(const char *what, const std::vector<T> &got, const std::vector<T> &expected, double tolerance) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::abs(got[i] - expected[i]) <= tolerance)) FAIL("%s[%zu]: %g, expected %g", what, i, (double)got[i].real(), (double)expected[i].real());
}
static std::vector<C> onOne(std::vector<C> values, int rank, int *sizes, int batch, int direction) {
  Device<C> device(values);
  cufftHandle plan;
  FFT(cufftPlanMany(&plan, rank, sizes, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, batch));
  FFT(cufftExecC2C(plan, (cufftComplex *)(C *)device, (cufftComplex *)(C *)device, direction));
  FFT(cufftDestroy(plan));
  return device.host();
}
static cufftHandle planned(int rank, int *sizes, cufftType type, int batch) {
  cufftHandle plan;
  size_t work[2];
  long long distance = 1;
  for (int i = 0; i < rank; ++i) distance *= sizes[i];
  FFT(cufftCreate(&plan));
  FFT(cufftXtSetGPUs(plan, 2, gpus));
  FFT(cufftMakePlanMany(plan, rank, sizes, nullptr, 1, distance, nullptr, 1, distance, type, batch, work));
  return plan;
}
template <class T> std::vector<T> part(cudaLibXtDesc *d, int gpu, size_t count) {
  std::vector<T> values(count);
  EXPECT(d->descriptor->size[gpu] >= count * sizeof(T));
  CHECK(cudaMemcpy(values.data(), d->descriptor->data[gpu], count * sizeof(T), cudaMemcpyDefault));
  return values;
}

static void line(int n) {
  cufftHandle plan = planned(1, &n, CUFFT_C2C, 1);
  cudaLibXtDesc *d, *natural;
  FFT(cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE));
  FFT(cufftXtMalloc(plan, &natural, CUFFT_XT_FORMAT_INPLACE));
  same("nGPUs", 0, d->descriptor->nGPUs, 2);
  same("size", 0, d->descriptor->size[1], n / 2 * sizeof(C));
  auto values = numbers<C>(n), expected = onOne(values, 1, &n, 1, CUFFT_FORWARD);
  FFT(cufftXtMemcpy(plan, d, values.data(), CUFFT_COPY_HOST_TO_DEVICE));
  near("natural", part<C>(d, 1, n / 2), std::vector<C>(values.begin() + n / 2, values.end()), 0);
  FFT(cufftXtExecDescriptorC2C(plan, d, d, CUFFT_FORWARD));
  same("subFormat", 0, d->subFormat, (int)CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
  EXPECT(cufftXtExecDescriptorC2C(plan, d, d, CUFFT_INVERSE) == CUFFT_INVALID_TYPE);
  cufftXt1dFactors f;
  FFT(cufftXtQueryPlan(plan, &f, CUFFT_QUERY_1D_FACTORS));
  same("size", n, f.size, (long long)n);
  same("string", n, f.stringCount * f.stringLength, f.size);
  same("factors", n, f.factor1 * f.factor2, f.size);
  same("substrings", n, f.stringCount * f.substringLength, f.factor1);
  same("shift", n, 1ll << f.substringShift, f.substringMask + 1);
  for (int g = 0; g < 2; ++g) {
    const auto got = part<C>(d, g, n / 2);
    std::vector<C> ordered(n / 2);
    for (int i = 0; i < n / 2; ++i) {
      const long long string = (g * (n / 2) + i) / f.stringLength, at = i % f.stringLength;
      ordered[i] = expected[at / f.substringLength * f.factor1 + string * f.substringLength + at % f.substringLength];
    }
    near("shuffled", got, ordered, 1e-3);
  }
  std::vector<C> back(n);
  FFT(cufftXtMemcpy(plan, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST));
  near("to host", back, expected, 1e-3);
  FFT(cufftXtMemcpy(plan, natural, d, CUFFT_COPY_DEVICE_TO_DEVICE));
  same("subFormat", 1, natural->subFormat, (int)CUFFT_XT_FORMAT_INPLACE);
  near("natural results", part<C>(natural, 1, n / 2), std::vector<C>(expected.begin() + n / 2, expected.end()), 1e-3);
  FFT(cufftXtExecDescriptorC2C(plan, natural, natural, CUFFT_INVERSE));
  FFT(cufftXtMemcpy(plan, back.data(), natural, CUFFT_COPY_DEVICE_TO_HOST));
  for (C &x : back) x /= n;
  near("there and back", back, values, 1e-5);
  FFT(cufftXtFree(d));
  FFT(cufftXtFree(natural));
  FFT(cufftDestroy(plan));
}

static void plane(int nx, int ny) {
  int sizes[] = {nx, ny};
  cufftHandle plan = planned(2, sizes, CUFFT_C2C, 1);
  cudaLibXtDesc *d;
  FFT(cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE));
  auto values = numbers<C>(nx * ny), expected = onOne(values, 2, sizes, 1, CUFFT_FORWARD);
  FFT(cufftXtMemcpy(plan, d, values.data(), CUFFT_COPY_HOST_TO_DEVICE));
  FFT(cufftXtExecDescriptorC2C(plan, d, d, CUFFT_FORWARD));
  same("subFormat", 2, d->subFormat, (int)CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
  for (int g = 0, first = 0; g < 2; ++g) {
    const int columns = g == 0 ? (ny + 1) / 2 : ny / 2;
    std::vector<C> own;
    for (int x = 0; x < nx; ++x)
      for (int y = 0; y < columns; ++y) own.push_back(expected[x * ny + first + y]);
    near("columns", part<C>(d, g, own.size()), own, 1e-3);
    first += columns;
  }
  std::vector<C> back(nx * ny);
  FFT(cufftXtMemcpy(plan, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST));
  near("plane", back, expected, 1e-3);
  FFT(cufftXtExecDescriptor(plan, d, d, CUFFT_INVERSE));
  same("subFormat", 3, d->subFormat, (int)CUFFT_XT_FORMAT_INPLACE);
  FFT(cufftXtMemcpy(plan, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST));
  for (C &x : back) x /= nx * ny;
  near("plane and back", back, values, 1e-5);
  FFT(cufftXtFree(d));
  FFT(cufftDestroy(plan));
}

// Real numbers: rows on the host are padded as those on the devices are.
static void real(int rank, int *sizes) {
  int last = sizes[rank - 1], half = last / 2 + 1, rows = 1;
  for (int i = 0; i < rank - 1; ++i) rows *= sizes[i];
  std::vector<double> values(rows * 2 * half), padded = values;
  Random random(3);
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < last; ++i) padded[r * 2 * half + i] = values[r * last + i] = random.between(-1, 1);
  Device<double> in(values);
  Device<Z> out(rows * half);
  cufftHandle one;
  FFT(cufftPlanMany(&one, rank, sizes, nullptr, 1, 0, nullptr, 1, 0, CUFFT_D2Z, 1));
  FFT(cufftExecD2Z(one, in, (cufftDoubleComplex *)(Z *)out));
  FFT(cufftDestroy(one));
  cufftHandle forward = planned(rank, sizes, CUFFT_D2Z, 1), inverse = planned(rank, sizes, CUFFT_Z2D, 1);
  cudaLibXtDesc *d;
  FFT(cufftXtMalloc(forward, &d, CUFFT_XT_FORMAT_INPLACE));
  FFT(cufftXtMemcpy(forward, d, padded.data(), CUFFT_COPY_HOST_TO_DEVICE));
  FFT(cufftXtExecDescriptorD2Z(forward, d, d));
  std::vector<Z> got(rows * half);
  FFT(cufftXtMemcpy(forward, got.data(), d, CUFFT_COPY_DEVICE_TO_HOST));
  near("real", got, out.host(), 1e-9);
  FFT(cufftXtExecDescriptorZ2D(inverse, d, d));
  std::vector<double> back(rows * 2 * half);
  FFT(cufftXtMemcpy(inverse, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST));
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < last; ++i) close("real and back", r * last + i, back[r * 2 * half + i] / (rows * last), values[r * last + i], 1e-12);
  FFT(cufftXtFree(d));
  FFT(cufftDestroy(forward));
  FFT(cufftDestroy(inverse));
}

static void batch(int n, int count) {
  cufftHandle plan = planned(1, &n, CUFFT_C2C, count);
  cudaLibXtDesc *d;
  FFT(cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE));
  same("size", 1, d->descriptor->size[0], (count + 1) / 2 * n * sizeof(C));
  auto values = numbers<C>(n * count), back = values;
  FFT(cufftXtMemcpy(plan, d, values.data(), CUFFT_COPY_HOST_TO_DEVICE));
  FFT(cufftXtExecDescriptorC2C(plan, d, d, CUFFT_FORWARD));
  same("subFormat", 4, d->subFormat, (int)CUFFT_XT_FORMAT_INPLACE);
  FFT(cufftXtMemcpy(plan, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST));
  near("batch", back, onOne(values, 1, &n, count, CUFFT_FORWARD), 1e-3);
  FFT(cufftXtFree(d));
  FFT(cufftDestroy(plan));
}

int main() {
  int count;
  CHECK(cudaGetDeviceCount(&count));
  gpus[1] = count > 1 ? 1 : 0;
  cufftHandle plan;
  FFT(cufftCreate(&plan));
  EXPECT(cufftXtSetGPUs(plan, 1, gpus) == CUFFT_INVALID_VALUE);
  int none[] = {0, count};
  EXPECT(cufftXtSetGPUs(plan, 2, none) == CUFFT_INVALID_DEVICE);
  const cufftResult chosen = cufftXtSetGPUs(plan, 2, gpus);
  // Not all versions take a GPU twice.
  if (chosen == CUFFT_INVALID_DEVICE && count == 1) return finish();
  FFT(chosen);
  size_t work[2];
  EXPECT(cufftMakePlan1d(plan, 3072, CUFFT_C2C, 1, work) == CUFFT_INVALID_SIZE);
  FFT(cufftDestroy(plan));
  line(64), line(1024), line(8192);
  plane(64, 64), plane(33, 35);
  int flat[] = {64, 48}, deep[] = {32, 34, 36};
  real(2, flat), real(3, deep);
  batch(1000, 3);
  return finish();
}
