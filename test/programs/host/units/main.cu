// Several translation units: two .cu files, a C++ file and a C file; same static names in both .cu files.
#include "../../check.h"
#include "shared.h"
static __device__ int factor = 2;
static __global__ void kernel(int *x) { *x *= factor; }
int main() {
  Device<int> x(std::vector<int>{21});
  kernel<<<1, 1>>>(x);
  CHECK_KERNEL();
  same("here", 0, x.host()[0], 42);
  runOther(x);
  CHECK_KERNEL();
  same("there", 0, x.host()[0], 420);
  same("c", 0, fromC(5), 25);
  same("c++", 0, fromCpp("abc"), 3);
  return finish();
}
