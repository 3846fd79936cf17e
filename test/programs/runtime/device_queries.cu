// Device properties and attributes agree; limits; versions; one device; peer access to itself is not possible.
#include "../check.h"
int main() {
  int count, device = -1, driver, runtime, value;
  CHECK(cudaGetDeviceCount(&count)), CHECK(cudaSetDevice(0)), CHECK(cudaGetDevice(&device));
  EXPECT(count >= 1 && device == 0);
  CHECK(cudaDriverGetVersion(&driver)), CHECK(cudaRuntimeGetVersion(&runtime));
  EXPECT(runtime >= 12000 && driver >= runtime / 1000 * 1000);
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  EXPECT(strlen(p.name) > 3);
#define AGREE(attribute, field) CHECK(cudaDeviceGetAttribute(&value, attribute, 0)); same(#field, 0, (long long)value, (long long)(field))
  AGREE(cudaDevAttrMultiProcessorCount, p.multiProcessorCount);
  AGREE(cudaDevAttrWarpSize, p.warpSize);
  AGREE(cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock);
  AGREE(cudaDevAttrMaxSharedMemoryPerBlock, p.sharedMemPerBlock);
  AGREE(cudaDevAttrMaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin);
  AGREE(cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock);
  AGREE(cudaDevAttrComputeCapabilityMajor, p.major);
  AGREE(cudaDevAttrComputeCapabilityMinor, p.minor);
  AGREE(cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor);
  AGREE(cudaDevAttrL2CacheSize, p.l2CacheSize);
  AGREE(cudaDevAttrMaxGridDimX, p.maxGridSize[0]);
  AGREE(cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]);
  AGREE(cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth);
  AGREE(cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor);
  AGREE(cudaDevAttrUnifiedAddressing, p.unifiedAddressing);
  AGREE(cudaDevAttrConcurrentKernels, p.concurrentKernels);
  AGREE(cudaDevAttrEccEnabled, p.ECCEnabled);
  // Fields that are arrays of two and three, one after the other.
  AGREE(cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]);
  AGREE(cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]);
  AGREE(cudaDevAttrMaxTexture2DGatherHeight, p.maxTexture2DGather[1]);
  AGREE(cudaDevAttrMaxTexture1DLayeredLayers, p.maxTexture1DLayered[1]);
  AGREE(cudaDevAttrMaxTexture2DLayeredLayers, p.maxTexture2DLayered[2]);
  AGREE(cudaDevAttrMaxTextureCubemapLayeredWidth, p.maxTextureCubemapLayered[0]);
  AGREE(cudaDevAttrMaxTextureCubemapLayeredLayers, p.maxTextureCubemapLayered[1]);
  AGREE(cudaDevAttrMaxSurface2DHeight, p.maxSurface2D[1]);
  AGREE(cudaDevAttrMaxSurface1DLayeredLayers, p.maxSurface1DLayered[1]);
  AGREE(cudaDevAttrMaxSurface2DLayeredLayers, p.maxSurface2DLayered[2]);
  AGREE(cudaDevAttrMaxSurfaceCubemapWidth, p.maxSurfaceCubemap);
  AGREE(cudaDevAttrMaxSurfaceCubemapLayeredLayers, p.maxSurfaceCubemapLayered[1]);
  EXPECT(p.maxTexture2D[1] >= 32768 && p.maxTexture1DLayered[1] == 2048 && p.maxTextureCubemapLayered[1] == 2046 && p.maxSurface2DLayered[2] == 2048);
  EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[0] == 1024 && p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535);
  EXPECT(p.totalConstMem == 65536 && p.sharedMemPerBlock == 49152 && p.totalGlobalMem > (1ull << 30));
  EXPECT_ERROR(cudaSetDevice(count), cudaErrorInvalidDevice);
  EXPECT_ERROR(cudaGetDeviceProperties(&p, -1), cudaErrorInvalidDevice);
  CHECK(cudaDeviceCanAccessPeer(&value, 0, 0));
  same("peer", 0, value, 0);
  char bus[32];
  CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  EXPECT(strlen(bus) >= 12 && bus[4] == ':');
  size_t limit;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  EXPECT(limit == 8 << 20);
  if (p.major >= 9) {
    EXPECT_ERROR(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth), cudaErrorUnsupportedLimit);
    EXPECT_ERROR(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 3), cudaErrorUnsupportedLimit);
  }
  CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20)), CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
  EXPECT(limit >= 2 << 20);
  cudaGetLastError();
  return finish();
}
