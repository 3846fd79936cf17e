// Functions of CUDA's own in host code: rsqrt, sinpi, erfcinv and their like are those of the device, but for a few last places.
#include "../check.h"

enum { RSQRT, RCBRT, SINPI, COSPI, ERFINV, ERFCINV, NORMCDF, NORMCDFINV, ERFCX, FUNCTIONS };
static const char *const names[] = {"rsqrt", "rcbrt", "sinpi", "cospi", "erfinv", "erfcinv", "normcdf", "normcdfinv", "erfcx"};

template <class T> __host__ __device__ T call(int function, T x) {
  switch (function) {
    case RSQRT: return rsqrt(x);
    case RCBRT: return rcbrt(x);
    case SINPI: return sinpi(x);
    case COSPI: return cospi(x);
    case ERFINV: return erfinv(x);
    case ERFCINV: return erfcinv(x);
    case NORMCDF: return normcdf(x);
    case NORMCDFINV: return normcdfinv(x);
    default: return erfcx(x);
  }
}

template <class T> __global__ void all(const T *in, T *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int f = 0; f < FUNCTIONS; f++) out[f * n + i] = call(f, in[i]);
}

template <class T> void compare(double limit) {
  std::vector<T> in = {0, -0.0, 1, -1, 2, 0.5, 0.25, 1.5, -1.5, 7, INFINITY, -INFINITY, NAN, (T)1e-30, (T)1e-5, (T)0.999999, (T)1.999999, 25, 26.5, 30, -20, 1e5};
  for (int i = 1; i < 500; i++) in.push_back((T)(i * 0.0041)), in.push_back((T)((i - 250) * 0.0777));
  const int n = in.size();
  T *from, *to;
  CHECK(cudaMallocManaged(&from, n * sizeof(T)));
  CHECK(cudaMallocManaged(&to, FUNCTIONS * n * sizeof(T)));
  memcpy(from, in.data(), n * sizeof(T));
  all<<<(n + 127) / 128, 128>>>(from, to, n);
  CHECK_KERNEL();
  for (int f = 0; f < FUNCTIONS; f++)
    for (int i = 0; i < n; i++) within(names[f], in[i], call(f, in[i]), to[f * n + i], limit);
}

int main() {
  compare<double>(16);
  compare<float>(8);
  float s, c;
  sincospif(0.25f, &s, &c);
  EXPECT(fabsf(s - 0.70710678f) < 1e-7f && fabsf(c - 0.70710678f) < 1e-7f);
  EXPECT(rsqrtf(4) == 0.5f && rcbrtf(8) == 0.5f && normcdff(0) == 0.5f && sinpif(1.5f) == -1 && cospi(0.5) == 0);
  return finish();
}
