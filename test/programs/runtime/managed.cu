// Managed memory: cudaMallocManaged and __managed__ variables seen by both sides; prefetch and advice.
#include "../check.h"
__managed__ int shared = 3;
__managed__ float table[64];
struct Node { int value; Node *next; };
__global__ void kernel(int *p, int n, const Node *list) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += i * shared;
  if (i < 64) table[i] = i * 0.5f;
  __syncthreads();
  if (i == 0 && list) {
    int sum = 0;
    for (; list; list = list->next) sum += list->value;
    shared = sum;
  }
}
int main() {
  const int n = 3000;
  int *p;
  CHECK(cudaMallocManaged(&p, n * 4));
  for (int i = 0; i < n; ++i) p[i] = 1000;
  Node *nodes;
  CHECK(cudaMallocManaged(&nodes, 10 * sizeof(Node)));
  for (int i = 0; i < 10; ++i) nodes[i] = {i * i, i < 9 ? &nodes[i + 1] : nullptr};
  int concurrent;
  CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
  if (concurrent) {
#if CUDART_VERSION >= 13000
    cudaMemLocation device = {}, cpu = {};
    device.type = cudaMemLocationTypeDevice, device.id = 0, cpu.type = cudaMemLocationTypeHost;
    CHECK(cudaMemAdvise(p, n * 4, cudaMemAdviseSetPreferredLocation, device));
    CHECK(cudaMemPrefetchAsync(p, n * 4, device, 0, 0));
#else
    CHECK(cudaMemAdvise(p, n * 4, cudaMemAdviseSetPreferredLocation, 0));
    CHECK(cudaMemPrefetchAsync(p, n * 4, 0, 0));
#endif
  }
  kernel<<<1, 64>>>(p, 64, nodes);
  CHECK_KERNEL();
  same("list", 0, shared, 285);
  shared = 2;
  kernel<<<24, 128>>>(p, n, nullptr);
  CHECK_KERNEL();
  for (int i = 0; i < n; ++i) same("value", i, p[i], 1000 + i * 2 + (i < 64 ? i * 3 : 0));
  for (int i = 0; i < 64; ++i) close("table", i, table[i], i * 0.5, 0);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, p));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  CHECK(cudaFree(p)), CHECK(cudaFree(nodes));
  return finish();
}
