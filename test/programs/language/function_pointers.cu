// Function pointers: a table in device memory, divergent calls, a pointer fetched by the host and passed back.
#include "../check.h"

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }
__device__ Operation table[4] = {add, subtract, multiply, larger};
__device__ Operation chosen = multiply;

__global__ void divergent(const int *a, const int *b, int *out) {
  const int i = threadIdx.x;
  out[i] = table[(i * 7 + 3) & 3](a[i], b[i]);
}
__global__ void passed(Operation f, const int *a, const int *b, int *out) {
  const int i = threadIdx.x;
  out[i] = f(a[i], b[i]);
}

int main() {
  std::vector<int> a, b;
  for (int i = 0; i < 64; ++i) a.push_back(i * i - 500), b.push_back(77 - 3 * i);
  Device<int> da(a), db(b), out(64);
  divergent<<<1, 64>>>(da, db, out);
  CHECK_KERNEL();
  auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    const int e[4] = {a[i] + b[i], a[i] - b[i], a[i] * b[i], a[i] > b[i] ? a[i] : b[i]};
    same("divergent", i, got[i], e[(i * 7 + 3) & 3]);
  }
  Operation f;
  CHECK(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
  passed<<<1, 64>>>(f, da, db, out);
  CHECK_KERNEL();
  got = out.host();
  for (int i = 0; i < 64; ++i) same("passed", i, got[i], a[i] * b[i]);
  return finish();
}
