// Needs 2 GPUs.
// Copies between devices: by name, by address alone, in rows, in streams of either side; with and without peer access.
#include "../check.h"
__global__ void fill(int *out, int n, int start) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = start + i;
}
__global__ void slow(int *out, int n, int start) {
  const long long begin = clock64();
  while (clock64() - begin < 200000) {}
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = start + i;
}
const int n = 100 * 64;
static int *buffer[2];
static void expect(const char *what, int device, int start, int from = 0, int to = n) {
  std::vector<int> host(n);
  CHECK(cudaMemcpy(host.data(), buffer[device], n * sizeof(int), cudaMemcpyDefault));
  for (int i = from; i < to; i++) same(what, i, host[i], start + i);
}
static void start(int device, int value) {
  CHECK(cudaSetDevice(device));
  fill<<<n / 64, 64>>>(buffer[device], n, value);
  CHECK_KERNEL();
}
int main() {
  const size_t bytes = n * sizeof(int);
  cudaStream_t stream[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMalloc(&buffer[d], bytes));
    CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
  }
  for (int enabled = 0; enabled < 2; enabled++) {
    if (enabled) {
      CHECK(cudaSetDevice(0));
      CHECK(cudaDeviceEnablePeerAccess(1, 0));
      CHECK(cudaSetDevice(1));
      CHECK(cudaDeviceEnablePeerAccess(0, 0));
    }
    start(0, 1000), start(1, 0);
    CHECK(cudaMemcpyPeer(buffer[1], 1, buffer[0], 0, bytes));
    expect("peer", 1, 1000);

    // In a stream of either device, whichever is the current one.
    for (int d = 0; d < 2; d++) {
      start(0, 2000 + d), start(1, 0);
      CHECK(cudaMemcpyPeerAsync(buffer[1], 1, buffer[0], 0, bytes, stream[d]));
      CHECK(cudaStreamSynchronize(stream[d]));
      expect("peer async", 1, 2000 + d);
    }

    // The addresses say whose memory it is.
    start(0, 0), start(1, 3000);
    CHECK(cudaMemcpy(buffer[0], buffer[1], bytes, cudaMemcpyDefault));
    expect("default", 0, 3000);
    start(0, 0), start(1, 4000);
    CHECK(cudaMemcpyAsync(buffer[0], buffer[1], bytes, cudaMemcpyDeviceToDevice, stream[0]));
    CHECK(cudaStreamSynchronize(stream[0]));
    expect("device to device", 0, 4000);

    start(0, 0), start(1, 5000);
    CHECK(cudaMemcpy2D(buffer[0], 64 * sizeof(int), buffer[1], 64 * sizeof(int), 64 * sizeof(int), 50, cudaMemcpyDefault));
    expect("rows", 0, 5000, 0, 50 * 64);
    expect("other rows", 0, 0, 50 * 64);

    start(0, 0), start(1, 5500);
    cudaMemcpy3DPeerParms box = {};
    box.srcPtr = make_cudaPitchedPtr(buffer[1], 64 * sizeof(int), 64 * sizeof(int), 10);
    box.srcDevice = 1;
    box.dstPtr = make_cudaPitchedPtr(buffer[0], 64 * sizeof(int), 64 * sizeof(int), 10);
    box.dstDevice = 0;
    box.extent = make_cudaExtent(64 * sizeof(int), 10, 7);
    CHECK(cudaMemcpy3DPeer(&box));
    expect("boxes", 0, 5500, 0, 70 * 64);

    // In the default stream a copy waits for both devices.
    start(0, 0), start(1, 0);
    CHECK(cudaSetDevice(1));
    slow<<<1, 64>>>(buffer[1], n, 6000);
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemcpyPeer(buffer[0], 0, buffer[1], 1, bytes));
    expect("in order", 0, 6000);

    // Within one device it is a copy like any other.
    CHECK(cudaMemcpyPeer(buffer[0] + n / 2, 0, buffer[0], 0, bytes / 2));
    expect("one device", 0, 6000 - n / 2, n / 2);
  }
  EXPECT_ERROR(cudaMemcpyPeer(buffer[1], 99, buffer[0], 0, bytes), cudaErrorInvalidDevice);
  return finish();
}
