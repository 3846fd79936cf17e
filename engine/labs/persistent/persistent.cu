// A hundred steps on a ring of n numbers, each from the two neighbours of the step before: a launch per step, a graph of the launches, or
// one kernel that stays on the GPU and waits for all its blocks after each step.
#include "../lab.h"
#include <cooperative_groups.h>

constexpr int threads = 256, steps = 100;

__device__ void advance(const unsigned *from, unsigned *to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int left = i > 0 ? i - 1 : n - 1, right = i + 1 < n ? i + 1 : 0;
    to[i] = 2 * from[i] + from[left] + from[right];
  }
}

// The end of a kernel is a barrier of all its blocks: the next one sees all that they wrote.
__global__ void step(const unsigned *from, unsigned *to, int n) { advance(from, to, n); }

// The same barrier within a kernel. All blocks have to fit on the GPU at once, since each waits for all others.
__global__ void allSteps(const unsigned *start, unsigned *odd, unsigned *even, int n) {
  for (int i = 0; i < steps; ++i) {
    advance(i == 0 ? start : i % 2 == 0 ? even : odd, i % 2 == 0 ? odd : even, n);
    cooperative_groups::this_grid().sync();
  }
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 65536);
  int n = lab.size;
  if (n % threads != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", threads), 2;
  std::vector<unsigned> ring(n);
  for (int i = 0; i < n; ++i) ring[i] = unsigned(i) * 2654435761u;
  // After the first step numbers are in `odd`, after the second in `even`, and so on.
  Device<unsigned> start(ring), odd(n), even(n);

  const auto launchAll = [&](cudaStream_t stream) {
    for (int i = 0; i < steps; ++i)
      step<<<n / threads, threads, 0, stream>>>(i == 0 ? start : i % 2 == 0 ? even : odd, i % 2 == 0 ? odd : even, n);
  };

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  const cudaGraphExec_t launches = graphOf(stream, [&] { launchAll(stream); });

  int sms, perSm;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, allSteps, threads, 0));
  const dim3 fitting(std::min(n / threads, sms * perSm));
  void *arguments[] = {&start.data, &odd.data, &even.data, &n};

  const auto wrong = [&](const std::vector<unsigned> &result) {
    std::vector<unsigned> now = ring, next(n);
    for (int i = 0; i < steps; ++i) {
      for (int at = 0; at < n; ++at) next[at] = now[(at + n - 1) % n] + 2 * now[at] + now[(at + 1) % n];
      now.swap(next);
    }
    size_t count = 0;
    for (int at = 0; at < n; ++at) count += now[at] != result[at];
    return count;
  };
  lab.variant("launches", even, [&] { launchAll(nullptr); }, wrong);
  lab.variant("graph", even, [&] { CHECK(cudaGraphLaunch(launches, nullptr)); }, wrong);
  const auto persistent = [&] { CHECK(cudaLaunchCooperativeKernel((const void *)allSteps, fitting, dim3(threads), arguments, 0, nullptr)); };
  lab.variant("persistent", even, persistent, wrong);

  CHECK(cudaGraphExecDestroy(launches));
  CHECK(cudaStreamDestroy(stream));
  return lab.end();
}
