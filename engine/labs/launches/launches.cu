// 500 small steps per frame: a launch and a wait for each, launches alone, or one kernel for all.
//
//   launches [sync|stream|fused] [steps] [frames]
//
// Every step is a kernel of a few microseconds or less. With a synchronization after each, the GPU idles while the host
// returns and launches again. Without, the host runs ahead and only the launch rate limits. Fused, one launch does it.
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

__host__ __device__ inline unsigned advance(unsigned x, unsigned step) { return x * 1664525u + 1013904223u + step; }

__global__ void step(unsigned *state, int count, unsigned number) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) state[i] = advance(state[i], number);
}

__global__ void allSteps(unsigned *state, int count, unsigned steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = state[i];
  for (unsigned number = 0; number < steps; ++number) x = advance(x, number);
  state[i] = x;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "sync";
  const bool sync = strcmp(mode, "sync") == 0, fused = strcmp(mode, "fused") == 0;
  const int steps = argc > 2 ? atoi(argv[2]) : 500;
  const int frames = argc > 3 ? atoi(argv[3]) : 2;
  if ((!sync && !fused && strcmp(mode, "stream") != 0) || steps < 1 || frames < 1) {
    fprintf(stderr, "usage: launches [sync|stream|fused] [steps] [frames]\n");
    return 2;
  }
  const int count = 16384, block = 256, grid = (count + block - 1) / block;
  std::vector<unsigned> host(count), result(count);
  for (int i = 0; i < count; ++i) host[i] = i;

  unsigned *state;
  CHECK(cudaMalloc(&state, count * sizeof(unsigned)));
  CHECK(cudaMemcpy(state, host.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));

  // The first launch of a kernel loads its code: keep that out of the measured part.
  if (fused)
    allSteps<<<1, block, 0, stream>>>(state, 0, 0);
  else
    step<<<1, block, 0, stream>>>(state, 0, 0);
  CHECK(cudaStreamSynchronize(stream));

  float total = 0.0f;
  for (int frame = 0; frame < frames; ++frame) {
    CHECK(cudaEventRecord(start, stream));
    if (fused) {
      allSteps<<<grid, block, 0, stream>>>(state, count, steps);
    } else {
      for (int number = 0; number < steps; ++number) {
        step<<<grid, block, 0, stream>>>(state, count, number);
        if (sync) CHECK(cudaStreamSynchronize(stream));
      }
    }
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaEventSynchronize(stop));
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    total += milliseconds;
  }
  CHECK(cudaMemcpy(result.data(), state, count * sizeof(unsigned), cudaMemcpyDeviceToHost));

  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    unsigned x = host[i];
    for (int frame = 0; frame < frames; ++frame)
      for (int number = 0; number < steps; ++number) x = advance(x, number);
    if (x != result[i]) ++wrong;
  }
  printf("%s, %d steps: %.3f ms per frame, %s\n", mode, steps, total / frames,
         wrong == 0 ? "results correct" : "RESULTS WRONG");

  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(state));
  return wrong == 0 ? 0 : 1;
}
