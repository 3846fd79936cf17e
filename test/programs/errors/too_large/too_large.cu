// 5 GB more than the device has free: no size is cut to 32 bits on the way.
#include <cstdio>
#include <cstdlib>
int main() {
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  const unsigned long long bytes = 5ull << 30, tooMany = free + bytes;
  void *p = nullptr;
  size_t pitch = 0;
  const cudaError_t codes[] = {
      cudaMalloc(&p, tooMany), cudaMallocManaged(&p, tooMany << 10), cudaMallocAsync(&p, tooMany, 0),
      cudaMallocPitch(&p, &pitch, bytes, 1 << 16), cudaMallocHost(&p, tooMany << 10),
      cudaMemset(nullptr, 0, bytes)};
  for (const cudaError_t code : codes) printf("%s: %s\n", cudaGetErrorName(code), cudaGetErrorString(code));
  int *good = nullptr;
  printf("%s\n", cudaGetErrorString(cudaMalloc(&good, 4)));
  volatile unsigned long long most = 1ull << 60;
  void *volatile more = malloc(most);
  printf("%s\n", more ? "memory" : "no memory");
  return 3;
}
