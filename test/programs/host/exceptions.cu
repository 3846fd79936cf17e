// C++ exceptions of host code around CUDA calls: thrown, caught by base class, rethrown, destructors run.
#include "../check.h"
#include <stdexcept>
#include <string>
struct CudaError : std::runtime_error {
  cudaError_t code;
  explicit CudaError(cudaError_t c) : std::runtime_error(cudaGetErrorString(c)), code(c) {}
};
void checked(cudaError_t c) { if (c != cudaSuccess) throw CudaError(c); }
static int alive = 0;
struct Buffer { int *p = nullptr; explicit Buffer(size_t n) { checked(cudaMalloc(&p, n)); ++alive; } ~Buffer() { cudaFree(p); --alive; } };
__global__ void kernel(int *p) { *p = 5; }
int main() {
  int caught = 0;
  try {
    Buffer small(16);
    kernel<<<1, 2048>>>(small.p);
    checked(cudaGetLastError());
    ++caught;
  } catch (const std::exception &e) {
    EXPECT(std::string(e.what()) == cudaGetErrorString(badConfiguration));
    caught += 10;
  }
  same("alive", 0, alive, 0);
  try {
    try { throw 7; } catch (int x) { caught += x * 100; throw; }
  } catch (...) { caught += 1000; }
  try { std::vector<int>(3).at(5) = 1; } catch (const std::out_of_range &) { caught += 10000; }
  same("caught", 0, caught, 11710);
  return finish();
}
