// Needs 2 GPUs.
// Memory of pools that other GPUs may access: what was allocated before that was said and after it.
#include "../check.h"
__global__ void scale(const int *from, int *to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 3 * from[i];
}
int main() {
  constexpr int n = 1000;
  int can;
  CHECK(cudaDeviceCanAccessPeer(&can, 1, 0));
  if (!can) return finish();
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  cudaMemLocation other = {cudaMemLocationTypeDevice, 1};
  cudaMemAccessFlags flags;
  CHECK(cudaMemPoolGetAccess(&flags, pool, &other));
  EXPECT(flags == cudaMemAccessFlagsProtNone);
  CHECK(cudaSetDevice(0));
  std::vector<int> values(n), got(n);
  for (int i = 0; i < n; ++i) values[i] = i;
  int *before, *after, *target;
  CHECK(cudaMallocAsync(&before, n * sizeof(int), 0));
  cudaMemAccessDesc access = {other, cudaMemAccessFlagsProtReadWrite};
  CHECK(cudaMemPoolSetAccess(pool, &access, 1));
  CHECK(cudaMemPoolGetAccess(&flags, pool, &other));
  EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
  CHECK(cudaMallocAsync(&after, n * sizeof(int), 0));
  for (int *each : {before, after}) CHECK(cudaMemcpy(each, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&target, n * sizeof(int)));
  for (const int *each : {before, after}) {
    scale<<<4, 256>>>(each, target, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(got.data(), target, n * sizeof(int), cudaMemcpyDeviceToHost));
    same("scaled", n - 1, got[n - 1], 3 * (n - 1));
  }
  // It writes there as well, and the owner sees it.
  scale<<<4, 256>>>(target, before, n);
  CHECK_KERNEL();
  CHECK(cudaSetDevice(0));
  scale<<<4, 256>>>(before, after, n);
  CHECK_KERNEL();
  CHECK(cudaMemcpy(got.data(), after, n * sizeof(int), cudaMemcpyDeviceToHost));
  same("back", 7, got[7], 27 * 7);
  access.flags = cudaMemAccessFlagsProtNone;
  CHECK(cudaMemPoolSetAccess(pool, &access, 1));
  CHECK(cudaMemPoolGetAccess(&flags, pool, &other));
  EXPECT(flags == cudaMemAccessFlagsProtNone);
  CHECK(cudaFreeAsync(before, 0));
  CHECK(cudaFreeAsync(after, 0));
  CHECK(cudaDeviceSynchronize());
  return finish();
}
