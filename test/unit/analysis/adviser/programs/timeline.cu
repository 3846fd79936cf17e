// What a host does wrong, and the same done right. Argument: what to do.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

constexpr int count = 1 << 16, chunks = 8, block = 256;
constexpr size_t bytes = count * sizeof(float);

__global__ void work(float *data, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = data[i];
  for (int k = 0; k < rounds; ++k) x = 0.998f * x + 0.001f;
  data[i] = x;
}
__global__ void touch(float *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }

void chunked(float *host, float *device, int streamCount, bool blocking, int rounds) {
  std::vector<cudaStream_t> streams(streamCount);
  for (auto &stream : streams) cudaStreamCreate(&stream);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const cudaStream_t stream = streams[chunk % streamCount];
    float *const h = host + chunk * count, *const d = device + chunk * count;
    if (blocking)
      cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
    else
      cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, stream);
    work<<<count / block, block, 0, blocking ? 0 : stream>>>(d, rounds);
    if (blocking)
      cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
    else
      cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, stream);
  }
  cudaDeviceSynchronize();
}

// All as it should be, but that kernels are in the default stream: their order is that of the host.
void implicitly(float *host, float *device, int rounds) {
  cudaStream_t streams[4];
  for (auto &stream : streams) cudaStreamCreate(&stream);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const cudaStream_t stream = streams[chunk % 4];
    float *const h = host + chunk * count, *const d = device + chunk * count;
    cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, stream);
    work<<<count / block, block>>>(d, rounds);
    cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, stream);
  }
  cudaDeviceSynchronize();
}

int main(int argc, char **argv) {
  const auto is = [mode = argv[1]](const char *other) { return strcmp(mode, other) == 0; };
  constexpr int rounds = 1500;
  float *device, *pinned, *pageable = new float[chunks * count]();
  cudaMalloc(&device, chunks * bytes);
  cudaMallocHost(&pinned, chunks * bytes);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (is("pageable")) chunked(pageable, device, 1, false, rounds);
  if (is("blocking")) chunked(pinned, device, 1, true, rounds);
  if (is("turns")) chunked(pinned, device, 1, false, rounds);
  if (is("failing")) touch<<<chunks * count / block + 1, block>>>(device);
  if (is("implicit")) implicitly(pinned, device, rounds);
  if (is("overlapped")) chunked(pinned, device, 4, false, rounds);
  if (is("allocating") || is("reusing")) {
    for (int k = 0; k < 8; ++k) {
      float *own = device;
      if (is("allocating")) cudaMalloc(&own, bytes);
      work<<<count / block, block>>>(own, 200);
      if (is("allocating")) cudaFree(own);
    }
  }
  if (is("waiting") || is("reading") || is("launching")) {
    for (int k = 0; k < 40; ++k) {
      touch<<<64, block, 0, stream>>>(device);
      if (is("reading")) cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, stream);
      if (!is("launching")) cudaStreamSynchronize(stream);
    }
  }
  if (is("graph")) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int k = 0; k < 40; ++k) work<<<count / block, block, 0, stream>>>(device, rounds);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
    cudaGraphLaunch(executable, stream);
  }
  if (is("managed") || is("apart") || is("prefetched")) {
    float *managed;
    cudaMallocManaged(&managed, 16 * bytes);
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
      if (is("prefetched")) cudaMemPrefetchAsync(managed, 16 * bytes, 0, 0);
      work<<<16 * count / block, block>>>(managed, 8);
      if (is("prefetched")) cudaMemPrefetchAsync(managed, 16 * bytes, cudaCpuDeviceId, 0);
      if (!is("apart") || k == 3) {
        cudaDeviceSynchronize();
        for (int i = 0; i < 16 * count; i += 1024) sum += managed[i] += 1.0f;
      }
    }
    printf("%f\n", sum);
  }
  if (is("preparing") || is("prepared")) {
    for (int k = 0; k < 8; ++k) {
      if (is("preparing"))
        for (int i = 0; i < count; ++i) pageable[i] = pageable[i] * 0.5f + k;
      work<<<count / block, block, 0, stream>>>(device, 200);
      if (is("preparing")) cudaStreamSynchronize(stream);
    }
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
