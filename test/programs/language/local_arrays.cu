// Local arrays: indices known at run time, large ones, two dimensions, pointers into them, sorting in place.
#include "../check.h"

__host__ __device__ int work(int seed, int *histogram) {
  int stack[32], top = 0, big[300], grid[5][7];
  unsigned state = seed * 2654435761u + 1;
  for (int k = 0; k < 300; ++k) state = state * 1664525u + 1013904223u, big[k] = state >> 20;
  for (int gap = 150; gap > 0; gap /= 2)
    for (int k = gap; k < 300; ++k)
      for (int j = k - gap; j >= 0 && big[j] > big[j + gap]; j -= gap) {
        const int t = big[j];
        big[j] = big[j + gap], big[j + gap] = t;
      }
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 7; ++c) grid[r][c] = big[r * 60 + c] % 10;
  stack[top++] = seed % 5;
  int sum = 0;
  while (top > 0) {
    const int r = stack[--top];
    int *row = grid[r];
    for (int *p = row; p != row + 7; ++p) sum += *p, histogram[*p]++;
    if (r > 0 && top < 30) stack[top++] = r - 1;
    if (r > 2) stack[top++] = r - 3;
  }
  for (int k = 1; k < 300; ++k) sum += big[k] < big[k - 1] ? 1000000 : 0;
  return sum + big[seed % 300];
}

__global__ void kernel(int *out) {
  const int i = threadIdx.x;
  int histogram[10] = {};
  out[i * 2] = work(i, histogram);
  out[i * 2 + 1] = histogram[i % 10] + 100 * histogram[(i + 3) % 10];
}

int main() {
  Device<int> out(128);
  kernel<<<1, 64>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    int histogram[10] = {};
    same("work", i, got[i * 2], work(i, histogram));
    same("histogram", i, got[i * 2 + 1], histogram[i % 10] + 100 * histogram[(i + 3) % 10]);
  }
  return finish();
}
