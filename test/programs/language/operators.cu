// Classes on the device: constructors, destructors in scope order, overloaded operators, references, inheritance.
#include "../check.h"

struct Complex {
  float re, im;
  __host__ __device__ Complex(float re = 0, float im = 0) : re(re), im(im) {}
  __host__ __device__ Complex operator*(const Complex &o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  __host__ __device__ Complex &operator+=(const Complex &o) { re += o.re, im += o.im; return *this; }
  __host__ __device__ float &operator[](int k) { return k ? im : re; }
  __host__ __device__ explicit operator bool() const { return re != 0 || im != 0; }
};
__host__ __device__ bool operator<(const Complex &a, const Complex &b) { return a.re < b.re; }

struct Scope {
  int &log, id;
  __host__ __device__ Scope(int &log, int id) : log(log), id(id) { log = log * 7 + id; }
  __host__ __device__ ~Scope() { log = log * 5 - id; }
};

__host__ __device__ int work(int i) {
  int log = i;
  {
    Scope a(log, 1);
    for (int k = 0; k < i % 3; ++k) {
      Scope b(log, k + 2);
      if (k == 1) break;
      Scope c(log, 9);
    }
    if (i % 4 == 0) return log;
  }
  Complex z(0, 0), c(0.25f * (i % 5), 0.5f);
  int n = 0;
  while (n < 20 && z < Complex(2)) z = z * z, z += c, ++n;
  z[1] = 8;
  return log * 100 + n + (z ? 50 : 0) + (int)z.im;
}

__global__ void kernel(int *out) { out[threadIdx.x] = work(threadIdx.x); }

int main() {
  Device<int> out(96);
  kernel<<<1, 96>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 96; ++i) same("work", i, got[i], work(i));
  return finish();
}
