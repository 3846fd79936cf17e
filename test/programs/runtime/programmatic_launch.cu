// A kernel that may begin before the one before it has ended, and waits for it.
// Needs compute capability 9.0.
#include "../check.h"

__global__ void first(int *numbers) {
  numbers[threadIdx.x] = threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void second(int *numbers, int *sums) {
  cudaGridDependencySynchronize();
  sums[threadIdx.x] = numbers[threadIdx.x] + numbers[(threadIdx.x + 1) % blockDim.x];
}

int main() {
  Device<int> numbers(64), sums(64);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  first<<<1, 64, 0, stream>>>(numbers);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 64;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, second, numbers.data, sums.data));
  CHECK_KERNEL();
  std::vector<int> got = sums.host();
  for (int i = 0; i < 64; i++) same("sum", i, got[i], i + (i + 1) % 64);
  return finish();
}
