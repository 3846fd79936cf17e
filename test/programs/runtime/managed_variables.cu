// __managed__ variables: initial values, addresses that both sides share, the runtime's calls on them.
#include "../check.h"

struct Pair { int first; double second; };
__managed__ int count = 41;
__device__ __managed__ Pair pairs[3] = {{1, 1.5}, {2, 2.5}, {3, 3.5}};
static __managed__ char bytes[300];
__managed__ int onlyHost = 7;
__managed__ int *link;
__device__ int plain = 5;

__global__ void change(int *p, Pair *list) {
  const int i = threadIdx.x;
  if (i == 0) {
    *p += plain;
    link = &count;
  }
  if (i < 3) list[i].second += list[i].first;
  if (i < 300) bytes[i] += (char)i;
}
__global__ void follow(int *out) { *out = *link + (int)pairs[2].second; }

int main() {
  EXPECT(count == 41 && onlyHost == 7 && pairs[1].first == 2 && pairs[2].second == 3.5);
  // The host's address of a variable is the device's.
  void *address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, count));
  EXPECT(address == &count);
  for (int i = 0; i < 300; ++i) bytes[i] = 1;
  change<<<1, 320>>>(&count, pairs);
  CHECK_KERNEL();
  EXPECT(count == 46 && link == &count);
  for (int i = 0; i < 3; ++i) EXPECT(pairs[i].second == i + 1.5 + i + 1);
  for (int i = 0; i < 300; ++i) same("bytes", i, bytes[i], (char)(1 + i));
  *link = 100;
  Device<int> out(1);
  follow<<<1, 1>>>(out);
  CHECK_KERNEL();
  EXPECT(out.host()[0] == 106);

  int value = 8;
  CHECK(cudaMemcpyToSymbol(count, &value, sizeof value));
  EXPECT(count == 8);
  count = 9;
  CHECK(cudaMemcpyFromSymbol(&value, count, sizeof value));
  EXPECT(value == 9);
  CHECK(cudaMemcpy(&count, out, sizeof value, cudaMemcpyDefault));
  EXPECT(count == 106);
  CHECK(cudaMemcpy(out, &pairs[1].first, sizeof value, cudaMemcpyDefault));
  EXPECT(out.host()[0] == 2);
  CHECK(cudaMemset(bytes, 3, sizeof bytes));
  CHECK(cudaDeviceSynchronize());
  EXPECT(bytes[0] == 3 && bytes[299] == 3);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, &pairs[1]));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  EXPECT(attributes.devicePointer == &pairs[1] && attributes.hostPointer == &pairs[1]);
#if CUDART_VERSION < 13000
  int concurrent;
  CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
  if (concurrent) CHECK(cudaMemPrefetchAsync(pairs, sizeof pairs, 0, 0));
#endif
  size_t size = 0;
  CHECK(cudaGetSymbolSize(&size, bytes));
  EXPECT(size == 300);
  return finish();
}
