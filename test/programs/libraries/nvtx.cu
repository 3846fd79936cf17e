// NVTX: ranges, nested and by handle, marks, names, attributes, domains; cudaProfilerStart and Stop.
#include "../check.h"
#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>
__global__ void kernel(int *x) { *x += 1; }
int main() {
  Device<int> x(1);
  CHECK(cudaProfilerStart());
  nvtxNameOsThreadA(1, "main");
  nvtxRangePushA("outer");
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION, attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.colorType = NVTX_COLOR_ARGB, attributes.color = 0xff00ff00;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII, attributes.message.ascii = "inner";
  nvtxRangePushEx(&attributes);
  kernel<<<1, 1>>>(x);
  nvtxMarkA("launched");
  const nvtxRangeId_t id = nvtxRangeStartA("across");
  kernel<<<1, 1>>>(x);
  CHECK_KERNEL();
  nvtxRangeEnd(id);
  nvtxRangePop();
  nvtxRangePop();
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxDomainRangePop(domain);
  nvtxDomainDestroy(domain);
  CHECK(cudaProfilerStop());
  same("x", 0, x.host()[0], 2);
  return finish();
}
