// Transforms of every type, by each way of making plans, beside sums of the definition in double; and errors.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cufft.h>
#include <cufftXt.h>
#include <vector>

typedef std::complex<double> Z;
static const double pi = 3.14159265358979323846;
static unsigned state = 1;
static double draw() { return (state = state * 1664525u + 1013904223u) / 4294967296.0 - 0.5; }

// A transform of up to three dimensions at one index.
static Z definition(const std::vector<Z> &x, const int *n, const int *k, int sign) {
  std::vector<Z> w[3];
  for (int d = 0; d < 3; ++d)
    for (int i = 0; i < n[d]; ++i) w[d].push_back(std::polar(1.0, sign * 2 * pi * ((long long)i * k[d] % n[d]) / n[d]));
  Z sum = 0;
  for (int a = 0; a < n[0]; ++a)
    for (int b = 0; b < n[1]; ++b)
      for (int c = 0; c < n[2]; ++c) sum += x[((size_t)a * n[1] + b) * n[2] + c] * w[0][a] * w[1][b] * w[2][c];
  return sum;
}

template <class C> struct Types;
template <> struct Types<float2> {
  typedef float Real;
  static const cufftType c2c = CUFFT_C2C, r2c = CUFFT_R2C, c2r = CUFFT_C2R;
  static constexpr double bound = 2e-6;
  static cufftResult run(cufftHandle p, float2 *a, float2 *b, int d) { return cufftExecC2C(p, a, b, d); }
  static cufftResult run(cufftHandle p, float *a, float2 *b, int) { return cufftExecR2C(p, a, b); }
  static cufftResult run(cufftHandle p, float2 *a, float *b, int) { return cufftExecC2R(p, a, b); }
};
template <> struct Types<double2> {
  typedef double Real;
  static const cufftType c2c = CUFFT_Z2Z, r2c = CUFFT_D2Z, c2r = CUFFT_Z2D;
  static constexpr double bound = 1e-14;
  static cufftResult run(cufftHandle p, double2 *a, double2 *b, int d) { return cufftExecZ2Z(p, a, b, d); }
  static cufftResult run(cufftHandle p, double *a, double2 *b, int) { return cufftExecD2Z(p, a, b); }
  static cufftResult run(cufftHandle p, double2 *a, double *b, int) { return cufftExecZ2D(p, a, b); }
};
static bool allRight = true;
static void tell(const char *what, double error, double bound) {
  if (error <= bound) return;
  allRight = false;
  printf("%s: off by %g\n", what, error);
}

// Complex numbers both ways, real ones there and back, of one size; `batch` for one dimension.
template <class C> static void all(int rank, int n0, int n1, int n2, int batch, bool inPlace) {
  typedef Types<C> T;
  typedef typename T::Real R;
  int n[3] = {n0, n1, n2};
  const size_t cells = (size_t)n0 * n1 * n2, all = cells * batch;
  const int half = n2 / 2 + 1, line = inPlace ? 2 * half : n2;
  const size_t rows = (size_t)n0 * n1 * batch;
  char what[100];
  snprintf(what, sizeof what, "%d x %d x %d, %d of %d bytes%s", n0, n1, n2, batch, (int)sizeof(R), inPlace ? ", in place" : "");
  std::vector<Z> x(all), real(all);
  for (Z &v : x) v = Z((R)draw(), (R)draw());
  for (Z &v : real) v = (R)draw();
  C *a, *b;
  cudaMalloc(&a, (rows * half * 2 + all) * sizeof(C));
  cudaMalloc(&b, (rows * half * 2 + all) * sizeof(C));
  C *const to = inPlace ? a : b;
  auto plan = [&](cufftType type) {
    cufftHandle p = -1;
    cufftResult code = rank == 1   ? cufftPlan1d(&p, n2, type, batch)
                       : rank == 2 ? cufftPlan2d(&p, n1, n2, type)
                                   : cufftPlan3d(&p, n0, n1, n2, type);
    if (code != CUFFT_SUCCESS) tell(what, code, 0);
    return p;
  };
  auto error = [&](const std::vector<Z> &in, int each, auto valueAt, int limit, int sign) {
    double worst = 0;
    for (int check = 0; check < each; ++check) {
      const int item = check % batch;
      int k[3] = {(int)((draw() + 0.5) * n0), (int)((draw() + 0.5) * n1), (int)((draw() + 0.5) * limit)};
      if (check == 0) k[2] = limit - 1;
      if (check == 1) k[2] = 0;
      const std::vector<Z> own(in.begin() + item * cells, in.begin() + (item + 1) * cells);
      const Z right = definition(own, n, k, sign);
      worst = std::fmax(worst, std::abs(valueAt(item, k) - right) / std::sqrt((double)cells));
    }
    return worst;
  };
  const int checks = cells < 300 ? 40 : 6;
  const cufftHandle c2c = plan(T::c2c);
  std::vector<C> host(all);
  for (int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
    for (size_t i = 0; i < all; ++i) host[i] = {(R)x[i].real(), (R)x[i].imag()};
    cudaMemcpy(a, host.data(), all * sizeof(C), cudaMemcpyHostToDevice);
    tell(what, T::run(c2c, a, to, sign), 0);
    cudaMemcpy(host.data(), to, all * sizeof(C), cudaMemcpyDeviceToHost);
    tell(what, error(x, checks, [&](int item, int *k) {
      const C v = host[((item * (size_t)n0 + k[0]) * n1 + k[1]) * n2 + k[2]];
      return Z(v.x, v.y);
    }, n2, sign), T::bound);
  }
  cufftDestroy(c2c);
  const cufftHandle r2c = plan(T::r2c), c2r = plan(T::c2r);
  std::vector<R> lines(rows * line);
  for (size_t r = 0; r < rows; ++r)
    for (int c = 0; c < n2; ++c) lines[r * line + c] = (R)real[r * n2 + c].real();
  cudaMemcpy(a, lines.data(), lines.size() * sizeof(R), cudaMemcpyHostToDevice);
  tell(what, T::run(r2c, (R *)a, to, 0), 0);
  host.resize(rows * half);
  cudaMemcpy(host.data(), to, host.size() * sizeof(C), cudaMemcpyDeviceToHost);
  tell(what, error(real, checks, [&](int item, int *k) {
    const C v = host[((item * (size_t)n0 + k[0]) * n1 + k[1]) * half + k[2]];
    return Z(v.x, v.y);
  }, half, -1), T::bound);
  tell(what, T::run(c2r, to, (R *)a, 0), 0);
  cudaMemcpy(lines.data(), a, lines.size() * sizeof(R), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (size_t r = 0; r < rows; ++r)
    for (int c = 0; c < n2; ++c)
      worst = std::fmax(worst, std::fabs(lines[r * line + c] / (double)cells - real[r * n2 + c].real()));
  tell(what, worst, T::bound);
  cufftDestroy(r2c);
  cufftDestroy(c2r);
  cudaFree(a);
  cudaFree(b);
}

// Columns of a matrix within a larger one, to rows of another, by 32-bit and 64-bit sizes.
static void embedded() {
  const int n = 12, batch = 5, width = 7;
  std::vector<float2> in(16 * width), out(batch * 20);
  for (float2 &v : in) v = {(float)draw(), (float)draw()};
  float2 *a, *b;
  cudaMalloc(&a, in.size() * sizeof(float2));
  cudaMalloc(&b, out.size() * sizeof(float2));
  cudaMemcpy(a, in.data(), in.size() * sizeof(float2), cudaMemcpyHostToDevice);
  for (int way = 0; way < 3; ++way) {
    cufftHandle p;
    int sizes[1] = {n}, inEmbed[1] = {16}, outEmbed[1] = {20};
    long long wide[1] = {n}, inWide[1] = {16}, outWide[1] = {20};
    size_t size = 0;
    cufftCreate(&p);
    if (way == 0) tell("many", cufftMakePlanMany(p, 1, sizes, inEmbed, width, 1, outEmbed, 1, 20, CUFFT_C2C, batch, &size), 0);
    if (way == 1)
      tell("many64", cufftMakePlanMany64(p, 1, wide, inWide, width, 1, outWide, 1, 20, CUFFT_C2C, batch, &size), 0);
    if (way == 2)
      tell("of data", cufftXtMakePlanMany(p, 1, wide, inWide, width, 1, CUDA_C_32F, outWide, 1, 20, CUDA_C_32F, batch, &size, CUDA_C_32F), 0);
    cudaMemset(b, 0, out.size() * sizeof(float2));
    tell("many", way == 2 ? cufftXtExec(p, a, b, CUFFT_FORWARD) : cufftExecC2C(p, a, b, CUFFT_FORWARD), 0);
    cudaMemcpy(out.data(), b, out.size() * sizeof(float2), cudaMemcpyDeviceToHost);
    const int dimensions[3] = {1, 1, n};
    for (int item = 0; item < batch; ++item) {
      std::vector<Z> x;
      for (int i = 0; i < n; ++i) x.push_back(Z(in[i * width + item].x, in[i * width + item].y));
      for (int i = 0; i < n; ++i) {
        const int k[3] = {0, 0, i};
        tell("many", std::abs(Z(out[item * 20 + i].x, out[item * 20 + i].y) - definition(x, dimensions, k, -1)), 1e-5);
      }
      tell("between", out[item * 20 + n].x, 0);
    }
    cufftDestroy(p);
  }
  cudaFree(a);
  cudaFree(b);
}

// A stream, and a work area of the program's own.
static void ownArea() {
  cufftHandle p;
  cudaStream_t stream;
  size_t size = 0, same = 1;
  void *area;
  float2 *a, value;
  const int n = 1 << 14;
  cudaStreamCreate(&stream);
  cudaMalloc(&a, n * sizeof(float2));
  cudaMemset(a, 0, n * sizeof(float2));
  const float2 one = {1, 0};
  cudaMemcpy(a + 1, &one, sizeof one, cudaMemcpyHostToDevice);
  cufftCreate(&p);
  cufftSetAutoAllocation(p, 0);
  tell("made", cufftMakePlan1d(p, n, CUFFT_C2C, 1, &size), 0);
  cufftGetSize(p, &same);
  tell("size", size == same && size > 0 ? 0 : 1, 0);
  tell("no area", cufftExecC2C(p, a, a, CUFFT_FORWARD) == CUFFT_NO_WORKSPACE ? 0 : 1, 0);
  cudaMalloc(&area, size);
  tell("area", cufftSetWorkArea(p, area), 0);
  tell("stream", cufftSetStream(p, stream), 0);
  tell("own area", cufftExecC2C(p, a, a, CUFFT_FORWARD), 0);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&value, a + n / 4, sizeof value, cudaMemcpyDeviceToHost);
  tell("a quarter turn", std::abs(Z(value.x, value.y) - Z(0, -1)), 1e-6);
  cufftDestroy(p);
}

int main() {
  for (int n : {1, 2, 3, 8, 35, 64, 100, 210, 1000}) all<float2>(1, 1, 1, n, 3, false);
  all<float2>(1, 1, 1, 252, 3, true);
  all<double2>(1, 1, 1, 180, 2, true);
  all<double2>(1, 1, 1, 2401, 1, false);
  printf("a line: %s\n", allRight ? "right" : "wrong");
  allRight = true;
  for (int n : {11, 13, 97, 1009}) all<float2>(1, 1, 1, n, 2, n == 97);
  all<double2>(1, 1, 1, 1009, 1, false);
  printf("other primes: %s\n", allRight ? "right" : "wrong");
  allRight = true;
  all<float2>(1, 1, 1, 1 << 14, 2, false);
  all<float2>(1, 1, 1, 5 * 7 * 9 * 27, 1, true);
  all<double2>(1, 1, 1, 1 << 13, 1, true);
  printf("long lines: %s\n", allRight ? "right" : "wrong");
  allRight = true;
  all<float2>(2, 1, 12, 20, 1, false);
  all<float2>(2, 1, 16, 15, 1, true);
  all<double2>(2, 1, 11, 9, 1, false);
  all<double2>(3, 4, 6, 10, 1, false);
  all<float2>(3, 5, 3, 8, 1, true);
  printf("planes and boxes: %s\n", allRight ? "right" : "wrong");
  allRight = true;
  embedded();
  ownArea();
  printf("embedded, own area: %s\n", allRight ? "right" : "wrong");

  cufftHandle p;
  float2 *a;
  cudaMalloc(&a, 1024);
  printf("errors: %d %d %d", cufftPlan1d(&p, 0, CUFFT_C2C, 1), cufftPlan1d(&p, 8, (cufftType)7, 1), cufftPlan1d(nullptr, 8, CUFFT_C2C, 1));
  printf(" %d", cufftExecC2C(99, a, a, CUFFT_FORWARD));
  cufftCreate(&p);
  printf(" %d", cufftExecC2C(p, a, a, CUFFT_FORWARD));
  cufftMakePlan1d(p, 8, CUFFT_C2C, 1, nullptr);
  printf(" %d %d", cufftMakePlan1d(p, 8, CUFFT_C2C, 1, nullptr), cufftExecC2C(p, a, a, 0));
  printf(" %d %d\n", cufftDestroy(p), cufftDestroy(p));
  return 0;
}
