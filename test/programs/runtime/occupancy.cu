// Occupancy: limits by threads, shared memory and blocks; potential block size; function attributes; launch bounds.
#include "../check.h"
__global__ void light(float *x) { x[threadIdx.x] += 1; }
__global__ void __launch_bounds__(256, 2) bounded(float *x) { x[threadIdx.x] *= 2; }
__global__ void heavy(float *x) { __shared__ float s[8192]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[(threadIdx.x * 7) % 1024]; }
int main() {
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  int blocks;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 256, 0));
  same("light", 256, blocks, p.maxThreadsPerMultiProcessor / 256);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 32, 0));
  same("light", 32, blocks, p.maxBlocksPerMultiProcessor);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 32, 40 * 1024));
  same("dynamic", 0, blocks, (int)(p.sharedMemPerMultiprocessor / (40 * 1024 + p.reservedSharedMemPerBlock)));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heavy, 64, 0));
  same("static", 0, blocks, (int)(p.sharedMemPerMultiprocessor / (32 * 1024 + p.reservedSharedMemPerBlock)));
  int grid, size;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, light, 0, 0));
  EXPECT(size % 32 == 0 && size >= 128 && grid >= p.multiProcessorCount);
  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, heavy));
  same("shared", 0, (long long)a.sharedSizeBytes, 32768ll);
  EXPECT(a.maxThreadsPerBlock == 1024 && a.numRegs > 0 && a.numRegs <= 255);
  CHECK(cudaFuncGetAttributes(&a, bounded));
  same("bounds", 0, a.maxThreadsPerBlock, 256);
  EXPECT(a.binaryVersion == p.major * 10 + p.minor || a.ptxVersion > 0);
  CHECK(cudaFuncSetAttribute(light, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  CHECK(cudaFuncSetCacheConfig(light, cudaFuncCachePreferL1));
  size_t dynamic;
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, light, 2, 128));
  EXPECT(dynamic > 8192);
  // A preference for L1 bounds the blocks, however it is said; one block always gets what it needs.
  int most, fewest, configured, device;
  CHECK(cudaFuncSetAttribute(light, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, light, 64, 6000));
  CHECK(cudaFuncSetAttribute(light, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewest, light, 64, 6000));
  CHECK(cudaFuncSetAttribute(light, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutDefault));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&configured, light, 64, 6000));
  same("prefer L1", 0, configured, fewest);
  CHECK(cudaFuncSetCacheConfig(light, cudaFuncCachePreferNone));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 64, 6000));
  same("no preference", 0, blocks, most);
  CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&device, light, 64, 6000));
  same("device prefers L1", 0, device, fewest);
  cudaFuncCache cache;
  CHECK(cudaDeviceGetCacheConfig(&cache));
  EXPECT(cache == cudaFuncCachePreferL1);
  const bool chooses = p.major == 2 || p.major >= 7;
  EXPECT(chooses ? fewest >= 1 && fewest < most : fewest == most);
  return finish();
}
