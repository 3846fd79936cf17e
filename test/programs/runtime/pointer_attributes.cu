// cudaPointerGetAttributes for device, pinned, managed and ordinary memory; interior pointers.
#include "../check.h"
__device__ int variable;
int main() {
  int *device, *pinned, *managed, ordinary;
  void *symbol;
  CHECK(cudaMalloc(&device, 400)), CHECK(cudaMallocHost(&pinned, 400)), CHECK(cudaMallocManaged(&managed, 400)), CHECK(cudaGetSymbolAddress(&symbol, variable));
  cudaPointerAttributes a;
  CHECK(cudaPointerGetAttributes(&a, device + 50));
  EXPECT(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == device + 50);
  CHECK(cudaPointerGetAttributes(&a, pinned));
  EXPECT(a.type == cudaMemoryTypeHost && a.hostPointer == pinned && a.devicePointer != nullptr);
  CHECK(cudaPointerGetAttributes(&a, managed + 3));
  EXPECT(a.type == cudaMemoryTypeManaged && a.hostPointer == managed + 3);
  CHECK(cudaPointerGetAttributes(&a, &ordinary));
  EXPECT(a.type == cudaMemoryTypeUnregistered);
  CHECK(cudaPointerGetAttributes(&a, symbol));
  EXPECT(a.type == cudaMemoryTypeDevice);
  CHECK(cudaFree(device)), CHECK(cudaFreeHost(pinned)), CHECK(cudaFree(managed));
  return finish();
}
