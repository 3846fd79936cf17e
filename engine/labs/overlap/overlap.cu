// Copy/compute overlap: a chunked pipeline over one or more streams.
//
//   overlap [pageable|pinned] [streams] [chunks] [frames]
//
// Every chunk is copied to the GPU, worked on, and copied back. With pageable host memory the driver stages each copy
// and the host waits, so nothing overlaps. With pinned memory and several streams, the copy of one chunk runs while
// another chunk is being computed, and both copy directions run at once. Pinning costs once what several frames win back.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status));   \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

constexpr int iterations = 768;
constexpr int period = 1000;

inline float input(int i) { return static_cast<float>(i % period) / period; }

// Some arithmetic per element, so that computing takes about as long as copying. Rounding errors fade out, so host and
// device (which fuses the multiply-add) agree closely.
__host__ __device__ inline float work(float x) {
  for (int i = 0; i < iterations; ++i) x = 0.998f * x + 0.001f;
  return x;
}

__global__ void transform(float *data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = work(data[i]);
}

int main(int argc, char **argv) {
  const bool pinned = argc > 1 && strcmp(argv[1], "pinned") == 0;
  const int streamCount = argc > 2 ? atoi(argv[2]) : 1;
  const int chunks = argc > 3 ? atoi(argv[3]) : 8;
  const int frames = argc > 4 ? atoi(argv[4]) : 4;
  const int count = 1 << 20;
  if (streamCount < 1 || streamCount > 16 || chunks < 1 || count % chunks != 0 || frames < 1) {
    fprintf(stderr, "usage: overlap [pageable|pinned] [streams 1..16] [chunks, a divisor of %d] [frames]\n", count);
    return 2;
  }
  const int perChunk = count / chunks;
  const size_t bytes = count * sizeof(float);
  const size_t chunkBytes = perChunk * sizeof(float);

  float *host;
  if (pinned)
    CHECK(cudaMallocHost(&host, bytes));
  else
    host = static_cast<float *>(malloc(bytes));
  for (int i = 0; i < count; ++i) host[i] = input(i);

  float *device;
  CHECK(cudaMalloc(&device, bytes));
  std::vector<cudaStream_t> streams(streamCount);
  for (auto &stream : streams) CHECK(cudaStreamCreate(&stream));

  // The first launch of a kernel loads its code: keep that out of the measured part.
  transform<<<1, 256>>>(device, 0);
  CHECK(cudaDeviceSynchronize());

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  for (int step = 0; step < frames * chunks; ++step) {
    const int chunk = step % chunks;
    const cudaStream_t stream = streams[chunk % streamCount];
    float *const h = host + static_cast<size_t>(chunk) * perChunk;
    float *const d = device + static_cast<size_t>(chunk) * perChunk;
    CHECK(cudaMemcpyAsync(d, h, chunkBytes, cudaMemcpyHostToDevice, stream));
    transform<<<(perChunk + 255) / 256, 256, 0, stream>>>(d, perChunk);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(h, d, chunkBytes, cudaMemcpyDeviceToHost, stream));
  }
  CHECK(cudaEventRecord(stop));
  CHECK(cudaDeviceSynchronize());
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  milliseconds /= frames;

  int wrong = 0;
  std::vector<float> expected(period);
  for (int i = 0; i < period; ++i) {
    expected[i] = input(i);
    for (int frame = 0; frame < frames; ++frame) expected[i] = work(expected[i]);
  }
  for (int i = 0; i < count; ++i)
    if (!(std::fabs(host[i] - expected[i % period]) < 1e-5f)) ++wrong;
  printf("%s memory, %d stream%s, %d chunks: %.3f ms per frame, %s\n", pinned ? "pinned" : "pageable", streamCount,
         streamCount == 1 ? "" : "s", chunks, milliseconds, wrong == 0 ? "results correct" : "RESULTS WRONG");

  for (auto stream : streams) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(device));
  if (pinned)
    CHECK(cudaFreeHost(host));
  else
    free(host);
  return wrong == 0 ? 0 : 1;
}
