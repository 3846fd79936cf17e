// Memory nodes of graphs: what building, launching and destroying such a graph costs beside one without, and what single calls cost.
// Microseconds; the whole of M1 twice, since what the driver has done before shows in the host's times.
#include <cstdio>
#include <vector>
#include <algorithm>
#include <chrono>
#include <string>
#include <functional>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("L%d %s %s\n", __LINE__, #x, cudaGetErrorName(e_)); exit(1);} } while (0)
static double now() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static double med(std::vector<double> v) { if (v.empty()) return -1; std::sort(v.begin(), v.end()); return v[v.size() / 2]; }
__global__ void spin(long long c) { long long a = clock64(); while (clock64() - a < c); }
__global__ void k() {}
static cudaStream_t s; static cudaEvent_t ea, eb;
static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t* d, int n) { cudaKernelNodeParams p = {}; p.func = (void*)k; p.gridDim = p.blockDim = dim3(1); void* a[1]; p.kernelParams = a; cudaGraphNode_t r; CK(cudaGraphAddKernelNode(&r, g, d, n, &p)); return r; }
static cudaMemAllocNodeParams ap(size_t b) { cudaMemAllocNodeParams p = {}; p.poolProps.allocType = cudaMemAllocationTypePinned; p.poolProps.location.type = cudaMemLocationTypeDevice; p.bytesize = b; return p; }
static void one(const std::string& name, std::function<void(cudaGraph_t)> build, bool trim = false) {
  std::vector<double> mk, in, up, first, cpu, total, dev, des;
  for (int r = 0; r < 7; r++) {
    if (trim) cudaDeviceGraphMemTrim(0);
    cudaGraph_t g; cudaGraphExec_t e; CK(cudaGraphCreate(&g, 0)); double a = now(); build(g); double b = now(); CK(cudaGraphInstantiate(&e, g, 0)); double c = now(); mk.push_back(b - a); in.push_back(c - b);
    if (r & 1) { double u = now(); CK(cudaGraphUpload(e, s)); up.push_back(now() - u); CK(cudaStreamSynchronize(s)); }
    for (int i = 0; i < 12; i++) { double a = now(); CK(cudaGraphLaunch(e, s)); double b = now(); CK(cudaStreamSynchronize(s)); double c = now(); if (i == 0) { if (!(r & 1)) first.push_back(b - a); } else { cpu.push_back(b - a); total.push_back(c - a); } }
    for (int i = 0; i < 6; i++) { spin<<<1, 1, 0, s>>>(1000000); CK(cudaEventRecord(ea, s)); CK(cudaGraphLaunch(e, s)); CK(cudaEventRecord(eb, s)); CK(cudaEventSynchronize(eb)); float ms; CK(cudaEventElapsedTime(&ms, ea, eb)); dev.push_back(ms * 1e3); }
    double d = now(); CK(cudaGraphExecDestroy(e)); des.push_back(now() - d); CK(cudaGraphDestroy(g));
  }
  printf("{\"name\":\"%s\",\"build\":%.2f,\"instantiate\":%.2f,\"upload\":%.2f,\"first_launch\":%.2f,\"launch_cpu\":%.2f,\"launch_plus_sync\":%.2f,\"device\":%.2f,\"destroy_exec\":%.2f}\n", name.c_str(), med(mk), med(in), med(up), med(first), med(cpu), med(total), med(dev), med(des)); fflush(stdout);
}
int main() {
  CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); cudaEventCreate(&ea); cudaEventCreate(&eb);
  for (int rep = 0; rep < 2; rep++) for (int n : {1, 4, 16, 64}) {
    std::string N = " n=" + std::to_string(n);
    one("kernels" + N, [=](cudaGraph_t g) { cudaGraphNode_t l; int d = 0; for (int i = 0; i < n; i++, d = 1) l = kernel(g, &l, d); });
    one("kernel_empty" + N, [=](cudaGraph_t g) { cudaGraphNode_t l; int d = 0; for (int i = 0; i < n; i++, d = 1) { l = kernel(g, &l, d); cudaGraphAddEmptyNode(&l, g, &l, 1); } });
    one("alloc_kernel_free" + N, [=](cudaGraph_t g) { cudaGraphNode_t l; int d = 0; for (int i = 0; i < n; i++, d = 1) { auto p = ap(1 << 20); CK(cudaGraphAddMemAllocNode(&l, g, &l, d, &p)); l = kernel(g, &l, 1); CK(cudaGraphAddMemFreeNode(&l, g, &l, 1, p.dptr)); } });
    one("allocs_then_kernels_then_frees" + N, [=](cudaGraph_t g) { cudaGraphNode_t l; std::vector<void*> ps; int d = 0; for (int i = 0; i < n; i++, d = 1) { auto p = ap(1 << 20); CK(cudaGraphAddMemAllocNode(&l, g, &l, d, &p)); ps.push_back(p.dptr); } for (int i = 0; i < n; i++) l = kernel(g, &l, 1); for (auto p : ps) CK(cudaGraphAddMemFreeNode(&l, g, &l, 1, p)); });
    one("allocs_beside_kernels" + N, [=](cudaGraph_t g) { cudaGraphNode_t l; int d = 0; for (int i = 0; i < n; i++, d = 1) l = kernel(g, &l, d); cudaGraphNode_t m; d = 0; for (int i = 0; i < n; i++, d = 1) { auto p = ap(1 << 20); CK(cudaGraphAddMemAllocNode(&m, g, &m, d, &p)); CK(cudaGraphAddMemFreeNode(&m, g, &m, 1, p.dptr)); } });
  }
  for (int mb : {1, 16, 64, 256, 1024}) for (bool trim : {false, true}) one(std::string("alloc_kernel_free MB=") + std::to_string(mb) + (trim ? " trimmed" : ""), [=](cudaGraph_t g) { cudaGraphNode_t l; auto p = ap((size_t)mb << 20); CK(cudaGraphAddMemAllocNode(&l, g, 0, 0, &p)); l = kernel(g, &l, 1); CK(cudaGraphAddMemFreeNode(&l, g, &l, 1, p.dptr)); }, trim);
  // Single calls.
  std::vector<double> al, fr, mal, fre, trimt, aut, live;
  for (int r = 0; r < 40; r++) { cudaGraph_t g; cudaGraphCreate(&g, 0); for (int i = 0; i < 8; i++) { auto p = ap(1 << 20); cudaGraphNode_t a, f; double t0 = now(); CK(cudaGraphAddMemAllocNode(&a, g, 0, 0, &p)); double t1 = now(); CK(cudaGraphAddMemFreeNode(&f, g, &a, 1, p.dptr)); double t2 = now(); al.push_back(t1 - t0); fr.push_back(t2 - t1); } cudaGraphDestroy(g);
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); for (int i = 0; i < 8; i++) { void* p; double t0 = now(); CK(cudaMallocAsync(&p, 1 << 20, s)); double t1 = now(); CK(cudaFreeAsync(p, s)); double t2 = now(); mal.push_back(t1 - t0); fre.push_back(t2 - t1); } CK(cudaStreamEndCapture(s, &g)); cudaGraphDestroy(g); double t0 = now(); cudaDeviceGraphMemTrim(0); trimt.push_back(now() - t0); }
  printf("{\"add_alloc\":%.2f,\"add_free\":%.2f,\"captured_malloc\":%.2f,\"captured_free\":%.2f,\"trim\":%.2f}\n", med(al), med(fr), med(mal), med(fre), med(trimt));
  { cudaGraph_t g; cudaGraphCreate(&g, 0); auto p = ap(1 << 20); cudaGraphNode_t a; CK(cudaGraphAddMemAllocNode(&a, g, 0, 0, &p)); kernel(g, &a, 1); cudaGraphExec_t x; CK(cudaGraphInstantiate(&x, g, 1)); std::vector<double> cpu, dev; for (int i = 0; i < 40; i++) { double t0 = now(); CK(cudaGraphLaunch(x, s)); cpu.push_back(now() - t0); CK(cudaStreamSynchronize(s)); } for (int i = 0; i < 12; i++) { spin<<<1, 1, 0, s>>>(1000000); CK(cudaEventRecord(ea, s)); CK(cudaGraphLaunch(x, s)); CK(cudaEventRecord(eb, s)); CK(cudaEventSynchronize(eb)); float ms; cudaEventElapsedTime(&ms, ea, eb); dev.push_back(ms * 1e3); } printf("{\"auto_free_launch_cpu\":%.2f,\"device\":%.2f}\n", med(cpu), med(dev)); CK(cudaFree(p.dptr)); std::vector<double> fa; for (int i = 0; i < 20; i++) { CK(cudaGraphLaunch(x, s)); CK(cudaStreamSynchronize(s)); double t0 = now(); CK(cudaFreeAsync(p.dptr, s)); fa.push_back(now() - t0); } printf("{\"freeAsync_of_graph_memory\":%.2f}\n", med(fa)); }
}
