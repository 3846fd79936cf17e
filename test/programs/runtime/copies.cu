// cudaMemcpy in all directions, cudaMemcpyDefault, offsets, overlapping sizes, memset, zero bytes.
#include "../check.h"
int main() {
  const int n = 1000;
  std::vector<int> a(n), b(n, -1);
  for (int i = 0; i < n; ++i) a[i] = i * 3;
  int *d, *e, *pinned;
  CHECK(cudaMalloc(&d, n * 4)), CHECK(cudaMalloc(&e, n * 4)), CHECK(cudaMallocHost(&pinned, n * 4));
  CHECK(cudaMemcpy(d, a.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(e, d, n * 4, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(e + 10, a.data(), 20 * 4, cudaMemcpyDefault));
  CHECK(cudaMemcpy(pinned, e, n * 4, cudaMemcpyDefault));
  CHECK(cudaMemcpy(b.data(), pinned, n * 4, cudaMemcpyHostToHost));
  for (int i = 0; i < n; ++i) same("copy", i, b[i], i >= 10 && i < 30 ? (i - 10) * 3 : i * 3);
  CHECK(cudaMemset(d, 0xab, n * 4 - 2));
  CHECK(cudaMemcpy(d, d, 0, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpyAsync(pinned, d, n * 4, cudaMemcpyDeviceToHost, 0));
  CHECK(cudaMemsetAsync(d, 0, 8, 0));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n - 1; ++i) same("set", i, pinned[i], (int)0xabababab);
  same("end", 0, pinned[n - 1], (int)(((n - 1) * 3 & 0xffff0000) | 0xabab));
  CHECK(cudaMemcpy(b.data(), d, 12, cudaMemcpyDeviceToHost));
  EXPECT(b[0] == 0 && b[1] == 0 && b[2] == (int)0xabababab);
  CHECK(cudaFree(d)), CHECK(cudaFree(e)), CHECK(cudaFreeHost(pinned)), CHECK(cudaFree(nullptr));
  size_t free, total;
  CHECK(cudaMemGetInfo(&free, &total));
  EXPECT(free <= total && total > (1u << 30));
  return finish();
}
