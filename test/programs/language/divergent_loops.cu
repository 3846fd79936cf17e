// Nested loops with lane-dependent bounds, break, continue and return; short-circuit conditions; do-while.
#include "../check.h"

__host__ __device__ int work(int i, const int *data, int n) {
  int sum = 0;
  for (int a = 0; a < i % 9 + 1; ++a) {
    if (a == i % 5) continue;
    int b = a;
    do {
      sum += a * b + 1;
      if (sum % 17 == 3) break;
      for (int c = 0; c < 6; ++c) {
        if (c > i % 4) break;
        if ((c ^ b) & 1) continue;
        sum += data[(sum + c) % n];
        if (sum > 5000) return -sum;
      }
    } while (++b < i % 7 + 2);
    while (sum & 1) {
      if (a > 3 && (sum += 2, b < 5) && data[a] > 10) { sum += 4; break; }
      sum += a % 2 ? 5 : 7;
    }
  }
  return sum;
}

__global__ void kernel(const int *data, int n, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 13 == 7) {
    out[i] = -1;
    return;
  }
  out[i] = work(i, data, n);
}

int main() {
  Random random;
  std::vector<int> data;
  for (int i = 0; i < 97; ++i) data.push_back((int)(random.next() % 200));
  Device<int> d(data), out(1024);
  kernel<<<8, 128>>>(d, 97, out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 1024; ++i) same("loops", i, got[i], i % 13 == 7 ? -1 : work(i, data.data(), 97));
  return finish();
}
