// goto: jumps out of nested loops, backward jumps, and a loop with two entries (irreducible control flow).
#include "../check.h"

__host__ __device__ int irreducible(int n, int start) {
  int sum = 0, steps = 0;
  if (start & 1) goto middle;
top:
  sum += n;
  if (++steps > 50) goto done;
middle:
  sum ^= n * 3;
  n = n & 1 ? 3 * n + 1 : n / 2;
  if (n > 1) goto top;
  if (steps < (start & 7)) goto middle;
done:
  return sum * 100 + steps;
}

__host__ __device__ int nested(int limit) {
  int found = -1;
  for (int a = 1; a < 20; ++a)
    for (int b = a; b < 20; ++b)
      for (int c = b; c < 20; ++c)
        if (a * b * c > limit && (a + b + c) % 7 == limit % 7) {
          found = a * 10000 + b * 100 + c;
          goto out;
        }
out:
  return found;
}

// A jump into the middle of a loop, by a switch.
__host__ __device__ int unrolled(int n) {
  int sum = 0, rounds = (n + 3) / 4;
  if (n == 0) return 0;
  switch (n % 4) {
  case 0: do { sum += 1;
  case 3: sum += 10;
  case 2: sum += 100;
  case 1: sum += 1000;
    } while (--rounds > 0);
  }
  return sum;
}

__global__ void kernel(int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i * 3] = irreducible(i + 1, i), out[i * 3 + 1] = nested(i * 11), out[i * 3 + 2] = unrolled(i % 23);
}

int main() {
  Device<int> out(256 * 3);
  kernel<<<4, 64>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 256; ++i) {
    same("irreducible", i, got[i * 3], irreducible(i + 1, i));
    same("nested", i, got[i * 3 + 1], nested(i * 11));
    same("unrolled", i, got[i * 3 + 2], unrolled(i % 23));
  }
  return finish();
}
