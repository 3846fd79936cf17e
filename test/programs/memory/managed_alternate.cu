// Managed memory that host and kernels touch in turn: pages read and written by both, at page borders, by every width, by atomics.
#include "../check.h"

struct Mixed { unsigned char a; short b; int c; long long d; float e; double f; };

__global__ void every(int *x, size_t n, size_t step) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i * step < n; i += gridDim.x * blockDim.x) x[i * step] += 1;
}
__global__ void mixed(Mixed *m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  m[i].a += 1, m[i].b -= 2, m[i].c *= 3, m[i].d += m[i].c, m[i].e += 0.5f, m[i].f -= m[i].e;
}
__global__ void count(unsigned *histogram, const unsigned char *bytes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&histogram[bytes[i]], 1u);
}

int main() {
  const size_t n = (5 << 20) / 4 + 7;
  int *x;
  CHECK(cudaMallocManaged(&x, n * 4));
  for (size_t i = 0; i < n; ++i) x[i] = (int)i;
  // All of it, every page, every 64 KB; the host reads and changes some of it in between.
  const size_t steps[] = {1, 1024, 16384};
  for (size_t step : steps) {
    every<<<64, 128>>>(x, n, step);
    CHECK_KERNEL();
    x[1023] -= 5, x[1024] -= 5, x[n - 1] -= 5;
  }
  for (size_t i = 0; i < n; ++i) {
    int expected = (int)i;
    for (size_t step : steps) expected += i % step == 0;
    if (i == 1023 || i == 1024 || i == n - 1) expected -= 15;
    same("x", i, x[i], expected);
  }
  // Copies of the host library, over several pages and not at their borders.
  std::vector<int> kept(x + 1000, x + 5000);
  memmove(x + 3, x + 1000, 4000 * sizeof(int));
  every<<<1, 32>>>(x, 32, 1);
  CHECK_KERNEL();
  for (int i = 0; i < 4000; ++i) same("moved", i, x[3 + i], kept[i] + (3 + i < 32));

  Mixed *m;
  CHECK(cudaMallocManaged(&m, 300 * sizeof(Mixed)));
  for (int i = 0; i < 300; ++i) m[i] = {(unsigned char)(250 + i), (short)(i - 150), i, 1ll << 40, i * 0.25f, i * 0.125};
  for (int round = 0; round < 2; ++round) {
    mixed<<<3, 128>>>(m, 300);
    CHECK_KERNEL();
    m[7].c = 1;
  }
  for (int i = 0; i < 300; ++i) {
    const int first = 3 * i, second = i == 7 ? 3 : 9 * i;
    same<int>("a", i, m[i].a, (unsigned char)(252 + i));
    same<int>("b", i, m[i].b, i - 154);
    same("c", i, m[i].c, i == 7 ? 1 : second);
    same("d", i, m[i].d, (1ll << 40) + first + second);
    close("e", i, m[i].e, i * 0.25 + 1, 0);
    close("f", i, m[i].f, i * 0.125 - (i * 0.25 + 0.5) - (i * 0.25 + 1), 0);
  }

  unsigned *histogram;
  unsigned char *bytes;
  CHECK(cudaMallocManaged(&histogram, 256 * sizeof(unsigned)));
  CHECK(cudaMallocManaged(&bytes, 20000));
  memset(bytes, 200, 10000);
  for (int i = 10000; i < 20000; ++i) bytes[i] = (unsigned char)i;
  count<<<79, 256>>>(histogram, bytes, 20000);
  CHECK_KERNEL();
  for (int i = 0; i < 256; ++i) {
    unsigned expected = i == 200 ? 10000 : 0;
    for (int k = 10000; k < 20000; ++k) expected += (unsigned char)k == i;
    same("histogram", i, histogram[i], expected);
  }
  CHECK(cudaFree(x)), CHECK(cudaFree(m)), CHECK(cudaFree(histogram)), CHECK(cudaFree(bytes));
  return finish();
}
