// Needs 2 GPUs.
// Peer access: who can, enabling and disabling with their errors, kernels that read, write and add to the other's memory.
#include "../check.h"
__global__ void add(const int *in, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += in[i];
}
__global__ void count(int *sum, const int *values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, values[i]);
}
int main() {
  const int n = 10000;
  int can, value;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
  same("0 to 1", 0, can, 1);
  CHECK(cudaDeviceCanAccessPeer(&can, 1, 0));
  same("1 to 0", 0, can, 1);
  CHECK(cudaDeviceCanAccessPeer(&can, 1, 1));
  same("itself", 0, can, 0);
  EXPECT_ERROR(cudaDeviceCanAccessPeer(&can, 0, 99), cudaErrorInvalidDevice);
  CHECK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
  same("access", 0, value, 1);
  EXPECT_ERROR(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0), cudaErrorInvalidDevice);

  EXPECT_ERROR(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  EXPECT_ERROR(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_ERROR(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  (void)cudaGetLastError();

  std::vector<int> ones(n, 1), numbers(n);
  for (int i = 0; i < n; i++) numbers[i] = i;
  int *here, *there, *sum;
  CHECK(cudaMalloc(&here, n * sizeof(int)));
  CHECK(cudaMemcpy(here, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&there, n * sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemset(sum, 0, sizeof(int)));
  CHECK(cudaMemcpy(there, ones.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaSetDevice(0));
  add<<<(n + 255) / 256, 256>>>(there, here, n); // reads the other's memory
  add<<<(n + 255) / 256, 256>>>(here, there, n); // writes it
  count<<<(n + 255) / 256, 256>>>(sum, there, n);
  CHECK_KERNEL();
  std::vector<int> result(n);
  CHECK(cudaMemcpy(result.data(), here, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) same("here", i, result[i], i + 1);
  CHECK(cudaSetDevice(1));
  CHECK(cudaMemcpy(result.data(), there, n * sizeof(int), cudaMemcpyDeviceToHost));
  int total;
  CHECK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) same("there", i, result[i], i + 2);
  same("sum", 0, total, n * (n - 1) / 2 + 2 * n);

  // Access has a direction.
  EXPECT_ERROR(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  (void)cudaGetLastError();
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceDisablePeerAccess(1));
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  return finish();
}
