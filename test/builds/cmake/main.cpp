#include <cuda_runtime.h>
#include <cstdio>
#include <thread>
#include <field.h>
int main() {
  int result = 0;
  std::thread worker([&] { result = sum(64); });
  worker.join();
  std::printf("sum %d\n", result);
  return cudaGetLastError();
}
