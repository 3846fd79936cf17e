// Needs 2 GPUs.
// Several devices: their number, the current one of each host thread, properties and bus ids, errors for others.
#include "../check.h"
#include <string>
#include <thread>
int main() {
  int count, device;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count >= 2);
  CHECK(cudaGetDevice(&device));
  same("first", 0, device, 0);
  std::string ids[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaGetDevice(&device));
    same("current", d, device, d);
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, d));
    int value;
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, d));
    same("multiProcessorCount", d, value, properties.multiProcessorCount);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, d));
    same("pciBusID", d, value, properties.pciBusID);
    same("unifiedAddressing", d, properties.unifiedAddressing, 1);
    char text[32];
    CHECK(cudaDeviceGetPCIBusId(text, sizeof text, d));
    ids[d] = text;
    CHECK(cudaDeviceGetByPCIBusId(&device, text));
    same("by bus id", d, device, d);
  }
  EXPECT(ids[0] != ids[1]);
  // A thread begins with device 0, and what it sets is its own.
  int inThread = -1, after = -1;
  std::thread other([&] {
    cudaGetDevice(&inThread);
    cudaSetDevice(0);
    cudaGetDevice(&after);
  });
  other.join();
  same("in a thread", 0, inThread, 0);
  same("set in a thread", 0, after, 0);
  CHECK(cudaGetDevice(&device));
  same("still current", 0, device, 1);
  EXPECT_ERROR(cudaSetDevice(count), cudaErrorInvalidDevice);
  EXPECT_ERROR(cudaSetDevice(-1), cudaErrorInvalidDevice);
  cudaDeviceProp properties;
  EXPECT_ERROR(cudaGetDeviceProperties(&properties, count), cudaErrorInvalidDevice);
  int value;
  EXPECT_ERROR(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count), cudaErrorInvalidDevice);
  (void)cudaGetLastError();
  CHECK(cudaGetDevice(&device));
  same("unchanged", 0, device, 1);
  return finish();
}
