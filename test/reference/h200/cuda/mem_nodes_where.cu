// Memory nodes of graphs: where on the GPU a launch takes longer (before the first kernel, between two, behind the last), and in
// which blocks the driver gives graphs memory.
#include <cstdio>
#include <vector>
#include <algorithm>
#include <string>
#include <functional>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("L%d %s %s\n", __LINE__, #x, cudaGetErrorName(e_)); exit(1);} } while (0)
static double med(std::vector<double> v) { std::sort(v.begin(), v.end()); return v[v.size() / 2]; }
__device__ unsigned long long g_now() { unsigned long long t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }
__global__ void spin(long long c, unsigned long long* at) { long long a = clock64(); while (clock64() - a < c); *at = g_now(); }
__global__ void stamp(unsigned long long* at) { at[0] = g_now(); long long a = clock64(); while (clock64() - a < 20000); at[1] = g_now(); }
static cudaStream_t s; static cudaEvent_t ea, eb; static unsigned long long* st;
static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t* d, int n, int slot) { cudaKernelNodeParams p = {}; p.func = (void*)stamp; p.gridDim = p.blockDim = dim3(1); auto q = st + slot; void* a[] = {&q}; p.kernelParams = a; cudaGraphNode_t r; CK(cudaGraphAddKernelNode(&r, g, d, n, &p)); return r; }
static cudaMemAllocNodeParams ap(size_t b) { cudaMemAllocNodeParams p = {}; p.poolProps.allocType = cudaMemAllocationTypePinned; p.poolProps.location.type = cudaMemLocationTypeDevice; p.bytesize = b; return p; }
int main() {
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); cudaEventCreate(&ea); cudaEventCreate(&eb); CK(cudaMallocManaged(&st, 4096)); memset(st, 0, 4096);
  const char* names[] = {"plain", "alloc k free", "alloc-free first, then k", "k, then alloc-free", "alloc only, k (auto free)", "kernel in front, alloc k free"};
  for (int rep = 0; rep < 2; rep++) for (int c = 0; c < 6; c++) {
    cudaGraph_t g; cudaGraphExec_t e; CK(cudaGraphCreate(&g, 0)); cudaGraphNode_t l, f; auto p = ap(1 << 20);
    if (c == 0) l = kernel(g, 0, 0, 2), l = kernel(g, &l, 1, 4);
    if (c == 1) { CK(cudaGraphAddMemAllocNode(&l, g, 0, 0, &p)); l = kernel(g, &l, 1, 2); l = kernel(g, &l, 1, 4); CK(cudaGraphAddMemFreeNode(&l, g, &l, 1, p.dptr)); }
    if (c == 2) { CK(cudaGraphAddMemAllocNode(&l, g, 0, 0, &p)); CK(cudaGraphAddMemFreeNode(&l, g, &l, 1, p.dptr)); l = kernel(g, &l, 1, 2); l = kernel(g, &l, 1, 4); }
    if (c == 3) { l = kernel(g, 0, 0, 2); l = kernel(g, &l, 1, 4); CK(cudaGraphAddMemAllocNode(&l, g, &l, 1, &p)); CK(cudaGraphAddMemFreeNode(&l, g, &l, 1, p.dptr)); }
    if (c == 4) { CK(cudaGraphAddMemAllocNode(&l, g, 0, 0, &p)); l = kernel(g, &l, 1, 2); l = kernel(g, &l, 1, 4); }
    if (c == 5) { l = kernel(g, 0, 0, 2); CK(cudaGraphAddMemAllocNode(&f, g, &l, 1, &p)); l = kernel(g, &f, 1, 4); CK(cudaGraphAddMemFreeNode(&l, g, &l, 1, p.dptr)); }
    CK(cudaGraphInstantiate(&e, g, 1)); CK(cudaGraphLaunch(e, s)); CK(cudaStreamSynchronize(s));
    std::vector<double> before, between, behind, ev;
    for (int i = 0; i < 15; i++) { spin<<<1, 1, 0, s>>>(300000, st); CK(cudaGraphLaunch(e, s)); spin<<<1, 1, 0, s>>>(0, st + 6); CK(cudaStreamSynchronize(s)); before.push_back((double)(st[2] - st[0])); between.push_back((double)(st[4] - st[3])); behind.push_back((double)(st[6] - st[5])); }
    for (int i = 0; i < 15; i++) { CK(cudaEventRecord(ea, s)); CK(cudaGraphLaunch(e, s)); CK(cudaEventRecord(eb, s)); CK(cudaStreamSynchronize(s)); }
    printf("{\"name\":\"%s\",\"before_ns\":%.0f,\"between_ns\":%.0f,\"behind_ns\":%.0f}\n", names[c], med(before), med(between), med(behind)); fflush(stdout);
  }
  // one stream and reserved memory by size
  auto attrs = [&](const char* w) { unsigned long long v[4]; for (int i = 0; i < 4; i++) cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)i, v + i); size_t fr, to; cudaMemGetInfo(&fr, &to); printf("  %s used %lluM reserved %lluM free %zuM\n", w, v[0] >> 20, v[2] >> 20, fr >> 20); };
  cudaDeviceGraphMemTrim(0); attrs("start");
  for (size_t mb : {1, 31, 32, 33, 40, 64, 100}) { cudaGraph_t g; cudaGraphExec_t e; cudaGraphCreate(&g, 0); cudaGraphNode_t l; auto p = ap(mb << 20); CK(cudaGraphAddMemAllocNode(&l, g, 0, 0, &p)); CK(cudaGraphAddMemFreeNode(&l, g, &l, 1, p.dptr)); CK(cudaGraphInstantiate(&e, g, 0)); printf("%zu MB at %p\n", mb, p.dptr); CK(cudaGraphLaunch(e, s)); cudaStreamSynchronize(s); attrs("launched"); cudaDeviceGraphMemTrim(0); attrs("trim, exec idle"); CK(cudaGraphLaunch(e, s)); cudaStreamSynchronize(s); attrs("again"); cudaGraphExecDestroy(e); cudaGraphDestroy(g); cudaDeviceGraphMemTrim(0); attrs("destroyed, trim"); }
  { printf("two small graphs, both alive\n"); cudaGraph_t g[3]; cudaGraphExec_t e[3]; for (int i = 0; i < 3; i++) { cudaGraphCreate(&g[i], 0); cudaGraphNode_t l; auto p = ap((i + 1) << 20); CK(cudaGraphAddMemAllocNode(&l, g[i], 0, 0, &p)); if (i < 2) CK(cudaGraphAddMemFreeNode(&l, g[i], &l, 1, p.dptr)); CK(cudaGraphInstantiate(&e[i], g[i], 1)); printf("  %p\n", p.dptr); CK(cudaGraphLaunch(e[i], s)); attrs("launched"); } cudaDeviceSynchronize(); attrs("all"); for (int i = 0; i < 3; i++) CK(cudaGraphLaunch(e[i], s)); attrs("all again"); cudaDeviceGraphMemTrim(0); attrs("trim"); }
  { int a, b; cudaGraph_t g; int *p, *q; CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); CK(cudaMallocAsync(&p, 1 << 20, s)); spin<<<1, 1, 0, s>>>(0, (unsigned long long*)p); CK(cudaFreeAsync(p, s)); CK(cudaMallocAsync(&q, 1 << 20, s)); printf("%p %p\n", p, q); CK(cudaFreeAsync(q, s)); CK(cudaMallocAsync(&q, 1 << 10, s)); printf("smaller %p\n", q); CK(cudaMallocAsync(&q, 1 << 10, s)); printf("smaller %p\n", q); CK(cudaMallocAsync(&q, 3 << 20, s)); printf("bigger %p\n", q); CK(cudaStreamEndCapture(s, &g)); }
}
