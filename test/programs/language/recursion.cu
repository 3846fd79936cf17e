// Recursion with a different depth in every thread: Ackermann, a tree walk, mutual recursion.
#include "../check.h"

__host__ __device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__host__ __device__ bool isOdd(int n);
__host__ __device__ bool isEven(int n) { return n == 0 ? true : isOdd(n - 1); }
__host__ __device__ bool isOdd(int n) { return n == 0 ? false : isEven(n - 1); }
__host__ __device__ int walk(const int *tree, int node, int n) {
  if (node >= n) return 0;
  const int left = walk(tree, 2 * node + 1, n), right = walk(tree, 2 * node + 2, n);
  return tree[node] + (left > right ? left : right);
}

__global__ void kernel(const int *tree, int n, int *out) {
  const int i = threadIdx.x;
  out[i * 3] = ackermann(i & 1, i & 3) + ackermann(2, i % 5);
  out[i * 3 + 1] = isEven(i);
  out[i * 3 + 2] = walk(tree, i, n);
}

int main() {
  std::vector<int> tree;
  Random random;
  for (int i = 0; i < 200; ++i) tree.push_back((int)(random.next() % 100));
  Device<int> d(tree), out(64 * 3);
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  kernel<<<1, 64>>>(d, 200, out);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    same("ackermann", i, got[i * 3], ackermann(i & 1, i & 3) + ackermann(2, i % 5));
    same("even", i, got[i * 3 + 1], (int)(i % 2 == 0));
    same("walk", i, got[i * 3 + 2], walk(tree.data(), i, 200));
  }
  return finish();
}
