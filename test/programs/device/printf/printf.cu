// printf on the device: conversions, widths, flags, strings, percent signs, 64-bit values, the returned count.
#include <cstdio>
#include <cuda_runtime.h>

__device__ const char name[] = "name";

__global__ void formats(int i, double d, long long big, unsigned char c) {
  const char *s = name;
  int n = printf("int %d %5d %-5d| %05d %+d %x %X %o %u\n", i, i, i, i, i, i, i, i, (unsigned)-i);
  printf("count %d\n", n);
  printf("float %f %.3f %10.2f %e %g %G\n", d, d, d, d, d, d * 1e10);
  printf("string %s|%8s|%-8s|%.2s|\n", s, s, s, s);
  printf("long %lld %llx %llu %ld %hd %c 100%%\n", big, big, (unsigned long long)big, 123456789L, (short)-7, c);
  printf("mixed %d %f %s %c %lld\n", 1, 2.5, "three", '4', 5ll);
  printf("no arguments\n");
}
__global__ void threads() {
  if (threadIdx.x % 2 == 0) printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}
int main() {
  setvbuf(stdout, nullptr, _IONBF, 0);
  formats<<<1, 1>>>(42, 3.14159, -1234567890123ll, 'z');
  cudaDeviceSynchronize();
  threads<<<1, 6>>>();
  cudaDeviceSynchronize();
  printf("host\n");
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
