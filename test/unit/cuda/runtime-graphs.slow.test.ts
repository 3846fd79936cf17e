/** The runtime with the real device, system and model behind it: programs that check themselves, and their timelines. */
import { describe, expect, test } from 'vitest';
import { compileIrToWasm } from '../../../engine/compile/index.ts';
import { runHostProgram } from '../../../engine/cuda/index.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { kernelModel } from '../../../engine/sm/kernel-model.ts';
import { createSystemSimulator, defaultHost } from '../../../engine/system/index.ts';
import type { TraceEvent } from '../../../engine/model/events.ts';
import { buildDeviceModule } from '../../../engine/kernels/module.ts';
import { Device } from '../../../engine/warp/device.ts';
import { cacheFolder, compileText } from './program.ts';

async function run(text: string) {
  const program = await compileText(text);
  const modules = await Promise.all(
    program.device.map(({ source, ir }) =>
      buildDeviceModule(ir, {
        sourceName: source,
        toWasm: (unit) => compileIrToWasm(unit, { cacheFolder }),
      }),
    ),
  );
  const gpu = gpuById('a100-80gb');
  const events: TraceEvent[] = [];
  const system = createSystemSimulator({
    gpu,
    host: defaultHost,
    contextCreation: false,
    lazyLoading: false,
    sink: (event) => events.push(event),
  });
  const { exitCode } = await runHostProgram({
    host: program.host,
    programName: 'app',
    arguments: [],
    environment: [],
    folder: null,
    writable: null,
    gpu,
    device: Device.create(modules, { memoryBytes: gpu.memory.capacityBytes }),
    system,
    model: kernelModel(gpu),
  });
  system.finish();
  const stdout = events.flatMap((event) => (event.type === 'console' ? [event.text] : [])).join('');
  return { exitCode, stdout, events };
}

const head = `#include <cstdio>
#include <cstring>
#include <vector>
static int failed = 0;
#define EXPECT(a, b) do { long long x_ = (long long)(a), y_ = (long long)(b); \\
  if (x_ != y_) { failed++; printf("line %d: %s is %lld, not %lld\\n", __LINE__, #a, x_, y_); } } while (0)
#define OK(a) EXPECT(a, cudaSuccess)
`;

const graphs = `${head}
__global__ void addTo(int *p, int v) { atomicAdd(p + threadIdx.x, v); }
__global__ void doubled(int *p) { p[threadIdx.x] *= 2; }
static int called = 0;
static void callback(void *data) { called += *(int *)data; }
int main() {
  int *d, host[32], one = 1; cudaStream_t s, t; cudaEvent_t e, f; cudaGraph_t g, h; cudaGraphExec_t x;
  cudaStreamCaptureStatus status; unsigned long long id; size_t n;
  OK(cudaMalloc(&d, 128)); OK(cudaMemset(d, 0, 128));
  OK(cudaStreamCreate(&s)); OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  OK(cudaEventCreate(&e)); OK(cudaEventCreate(&f));

  // Capture, over two streams.
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  addTo<<<1, 32, 0, s>>>(d, 1);
  OK(cudaEventRecord(e, s)); OK(cudaStreamWaitEvent(t, e, 0));
  doubled<<<1, 32, 0, t>>>(d);
  OK(cudaStreamGetCaptureInfo(t, &status, &id, &g, nullptr, &n));
  EXPECT(status, cudaStreamCaptureStatusActive); EXPECT(n, 1);
  OK(cudaLaunchHostFunc(s, callback, &one));
  OK(cudaEventRecord(f, t)); OK(cudaStreamWaitEvent(s, f, 0));
  OK(cudaMemcpyAsync(host, d, 128, cudaMemcpyDeviceToHost, s));
  OK(cudaStreamEndCapture(s, &g));
  EXPECT(called, 0);
  OK(cudaGraphGetNodes(g, nullptr, &n)); EXPECT(n, 4);
  OK(cudaGraphGetEdges(g, nullptr, nullptr, &n)); EXPECT(n, 4);
  OK(cudaGraphGetRootNodes(g, nullptr, &n)); EXPECT(n, 1);
  OK(cudaGraphInstantiate(&x, g, nullptr, nullptr, 0));
  for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(x, s));
  OK(cudaStreamSynchronize(s));
  EXPECT(host[7], 14); EXPECT(called, 3);

  // Nodes of a captured graph, and new parameters for the executable.
  std::vector<cudaGraphNode_t> nodes(4); n = 4;
  OK(cudaGraphGetNodes(g, nodes.data(), &n));
  cudaGraphNodeType type; OK(cudaGraphNodeGetType(nodes[0], &type)); EXPECT(type, cudaGraphNodeTypeKernel);
  cudaKernelNodeParams kp; OK(cudaGraphKernelNodeGetParams(nodes[0], &kp));
  EXPECT(kp.blockDim.x, 32); EXPECT(*(int *)kp.kernelParams[1], 1);
  int ten = 10; void *args[] = {&d, &ten}; kp.kernelParams = args;
  OK(cudaGraphExecKernelNodeSetParams(x, nodes[0], &kp));
  ten = 1000; // parameters were copied
  OK(cudaGraphLaunch(x, s)); OK(cudaStreamSynchronize(s)); EXPECT(host[0], 48);
  OK(cudaGraphKernelNodeGetParams(nodes[0], &kp)); EXPECT(*(int *)kp.kernelParams[1], 1);

  // Update with another graph of the same structure, and with one of another.
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  OK(cudaStreamEndCapture(s, &h));
  cudaGraphExecUpdateResultInfo info;
  EXPECT(cudaGraphExecUpdate(x, h, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  OK(cudaGraphDestroy(h));
  OK(cudaGraphClone(&h, g));
  cudaGraphNode_t found; OK(cudaGraphNodeFindInClone(&found, nodes[0], h));
  int five = 5; args[1] = &five; kp.kernelParams = args;
  OK(cudaGraphKernelNodeSetParams(found, &kp));
  OK(cudaGraphExecUpdate(x, h, &info)); EXPECT(info.result, cudaGraphExecUpdateSuccess);
  OK(cudaGraphLaunch(x, s)); OK(cudaStreamSynchronize(s)); EXPECT(host[0], 106);
  OK(cudaGraphExecDestroy(x)); OK(cudaGraphDestroy(h)); OK(cudaGraphDestroy(g));
  EXPECT(cudaGraphDestroy(g), cudaErrorInvalidValue);

  // Explicit nodes: fill, kernel, child, copy, host, event.
  cudaGraphNode_t a, b, c, k, last, w; cudaGraph_t child;
  OK(cudaGraphCreate(&g, 0)); OK(cudaGraphCreate(&child, 0));
  cudaMemsetParams mp = {d, 0, 3, 4, 32, 1};
  OK(cudaGraphAddMemsetNode(&a, g, nullptr, 0, &mp));
  args[1] = &five; cudaKernelNodeParams up = {(void *)addTo, dim3(1), dim3(32), 0, args, nullptr};
  OK(cudaGraphAddKernelNode(&b, g, &a, 1, &up));
  cudaKernelNodeParams dp = {(void *)doubled, dim3(1), dim3(32), 0, args, nullptr};
  OK(cudaGraphAddKernelNode(&k, child, nullptr, 0, &dp));
  OK(cudaGraphAddChildGraphNode(&c, g, &b, 1, child));
  OK(cudaGraphAddMemcpyNode1D(&last, g, nullptr, 0, host, d, 128, cudaMemcpyDeviceToHost));
  OK(cudaGraphAddDependencies(g, &c, &last, 1));
  EXPECT(cudaGraphAddDependencies(g, &c, &last, 1), cudaErrorInvalidValue);
  cudaHostNodeParams hp = {callback, &five}; OK(cudaGraphAddHostNode(&w, g, &last, 1, &hp));
  OK(cudaGraphAddEventRecordNode(&w, g, &last, 1, f));
  OK(cudaGraphAddEmptyNode(&w, g, &w, 1));
  OK(cudaGraphInstantiateWithFlags(&x, g, 0)); OK(cudaGraphUpload(x, s));
  called = 0; OK(cudaGraphLaunch(x, s)); OK(cudaEventSynchronize(f)); OK(cudaStreamSynchronize(s));
  EXPECT(host[31], 16); EXPECT(called, 5);
  OK(cudaGraphNodeSetEnabled(x, b, 0)); OK(cudaGraphLaunch(x, t)); OK(cudaStreamSynchronize(t)); EXPECT(host[31], 6);
  mp.value = 4; OK(cudaGraphExecMemsetNodeSetParams(x, a, &mp));
  OK(cudaGraphLaunch(x, t)); OK(cudaStreamSynchronize(t)); EXPECT(host[0], 8);
  OK(cudaGraphAddDependencies(g, &last, &a, 1)); // a cycle
  cudaGraphExec_t y; EXPECT(cudaGraphInstantiate(&y, g, 0), cudaErrorInvalidValue);
  OK(cudaGraphDebugDotPrint(g, "graph.dot", 0));

  // Misuse of captures.
  EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(s, &h), cudaErrorIllegalState);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  int *q; EXPECT(cudaMalloc(&q, 4), cudaErrorStreamCaptureUnsupported);
  OK(cudaStreamIsCapturing(s, &status)); EXPECT(status, cudaStreamCaptureStatusInvalidated);
  EXPECT(cudaMemsetAsync(d, 0, 4, s), cudaErrorStreamCaptureInvalidated);
  EXPECT(cudaStreamEndCapture(s, &h), cudaErrorStreamCaptureInvalidated); EXPECT(h == nullptr, 1);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  OK(cudaMalloc(&q, 4)); OK(cudaFree(q));
  EXPECT(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(s, &h), cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  doubled<<<1, 32>>>(d); EXPECT(cudaGetLastError(), cudaErrorStreamCaptureImplicit);
  EXPECT(cudaStreamEndCapture(s, &h), cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(e, s)); OK(cudaStreamWaitEvent(t, e, 0)); doubled<<<1, 32, 0, t>>>(d);
  EXPECT(cudaStreamEndCapture(s, &h), cudaErrorStreamCaptureUnjoined);
  OK(cudaEventRecord(e, t)); OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaStreamWaitEvent(s, e, 0), cudaErrorStreamCaptureIsolation);
  EXPECT(cudaStreamEndCapture(s, &h), cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(e, s)); EXPECT(cudaStreamWaitEvent(t, e, 0), cudaErrorStreamCaptureMerge);
  cudaStreamEndCapture(s, &h); cudaStreamEndCapture(t, &h);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  OK(cudaThreadExchangeStreamCaptureMode(&mode)); EXPECT(mode, cudaStreamCaptureModeGlobal);
  cudaGetLastError();
  OK(cudaDeviceSynchronize());
  puts(failed ? "FAILED" : "passed");
  return failed;
}
`;

const memory = `${head}
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
__global__ void increment(int *p, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i]++; }
struct Node { int value; Node *next; };
__global__ void sum(Node *n, int *out) { int s = 0; for (; n; n = n->next) s += n->value; *out = s; }
__global__ void indirect(int **p) { p[0][0] = 77; }
__global__ void nothing() {}
static int seen = 0;
static void streamCallback(cudaStream_t s, cudaError_t e, void *data) { seen += *(int *)data + e; int *p; EXPECT(cudaMalloc(&p, 4), cudaErrorNotPermitted); }
int main() {
  // Managed memory, both ways, with pointers inside.
  int *m, *out; Node *list = nullptr;
  OK(cudaMallocManaged(&m, 4000)); OK(cudaMallocManaged(&out, 4));
  for (int i = 0; i < 1000; i++) m[i] = i;
  increment<<<1, 64>>>(m, 1000); OK(cudaDeviceSynchronize());
  for (int i = 0; i < 1000; i++) if (m[i] != i + 1) { failed++; break; }
  m[3] = 100; increment<<<1, 64>>>(m, 1000); OK(cudaDeviceSynchronize()); EXPECT(m[3], 101); EXPECT(m[4], 6);
  for (int i = 1; i <= 10; i++) { Node *n; OK(cudaMallocManaged(&n, sizeof *n)); n->value = i; n->next = list; list = n; }
  sum<<<1, 1>>>(list, out); OK(cudaDeviceSynchronize()); EXPECT(*out, 55);
  OK(cudaMemset(m, 0, 4000)); EXPECT(m[999], 0);
  OK(cudaMemPrefetchAsync(m, 4000, 0)); OK(cudaMemAdvise(m, 4000, cudaMemAdviseSetReadMostly, 0));
  int attribute; OK(cudaMemRangeGetAttribute(&attribute, 4, cudaMemRangeAttributeReadMostly, m, 4000)); EXPECT(attribute, 1);
  OK(cudaMemRangeGetAttribute(&attribute, 4, cudaMemRangeAttributeLastPrefetchLocation, m, 4000)); EXPECT(attribute, 0);
  { int mostly = 0, last = 7; void *into[] = {&mostly, &last}; size_t sizes[] = {4, 4};
    cudaMemRangeAttribute both[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributeLastPrefetchLocation};
    OK(cudaMemRangeGetAttributes(into, sizes, both, 2, m, 4000)); EXPECT(mostly, 1); EXPECT(last, 0);
    EXPECT(cudaMemRangeGetAttributes(into, sizes, both, 0, m, 4000), cudaErrorInvalidValue); }
  cudaPointerAttributes pa; OK(cudaPointerGetAttributes(&pa, m)); EXPECT(pa.type, cudaMemoryTypeManaged);
  OK(cudaFree(m)); EXPECT(cudaFree(m), cudaErrorInvalidValue);

  // The program's own heap goes on after memory was added to it.
  std::vector<std::vector<int>> heap; for (int i = 0; i < 200; i++) heap.emplace_back(10000, i);
  for (int i = 0; i < 200; i++) EXPECT(heap[i][9999], i);

  // Zero-copy: mapped, by unified addressing, by registration, by a pointer in device memory.
  int *mapped, *devicePointer, *pinned, *plain = (int *)malloc(400);
  OK(cudaHostAlloc(&mapped, 400, cudaHostAllocMapped)); OK(cudaMallocHost(&pinned, 400));
  memset(mapped, 0, 400); memset(pinned, 0, 400); memset(plain, 0, 400);
  OK(cudaHostGetDevicePointer(&devicePointer, mapped, 0));
  increment<<<1, 32>>>(devicePointer, 100); increment<<<1, 32>>>(pinned, 100);
  OK(cudaHostRegister(plain, 400, cudaHostRegisterMapped)); OK(cudaHostGetDevicePointer(&devicePointer, plain, 0));
  increment<<<1, 32>>>(devicePointer + 1, 99);
  OK(cudaDeviceSynchronize()); EXPECT(mapped[99], 1); EXPECT(pinned[99], 1); EXPECT(plain[99], 1); EXPECT(plain[0], 0);
  int *other, **pointers; OK(cudaMallocHost(&other, 4)); *other = 0; OK(cudaMalloc(&pointers, sizeof other));
  OK(cudaMemcpy(pointers, &other, sizeof other, cudaMemcpyHostToDevice)); indirect<<<1, 1>>>(pointers);
  OK(cudaDeviceSynchronize()); EXPECT(*other, 77);
  OK(cudaHostUnregister(plain)); OK(cudaFreeHost(mapped)); OK(cudaFreeHost(pinned));

  // Boxes, arrays, memset.
  cudaPitchedPtr box; int volume[3][4][8], back[3][4][8]; memset(back, 0, sizeof back);
  for (int i = 0; i < 96; i++) (&volume[0][0][0])[i] = i;
  OK(cudaMalloc3D(&box, make_cudaExtent(32, 4, 3))); EXPECT(box.pitch, 512);
  cudaMemcpy3DParms p = {}; p.srcPtr = make_cudaPitchedPtr(volume, 32, 32, 4); p.dstPtr = box;
  p.extent = make_cudaExtent(32, 4, 3); p.kind = cudaMemcpyHostToDevice; OK(cudaMemcpy3D(&p));
  cudaMemcpy3DParms r = {}; r.srcPtr = box; r.dstPtr = make_cudaPitchedPtr(back, 32, 32, 4);
  r.extent = p.extent; r.kind = cudaMemcpyDeviceToHost; OK(cudaMemcpy3D(&r)); EXPECT(memcmp(volume, back, sizeof back), 0);
  OK(cudaMemset3D(box, 0, make_cudaExtent(16, 2, 1))); OK(cudaMemcpy3D(&r));
  EXPECT(back[0][1][3], 0); EXPECT(back[0][1][4], 12); EXPECT(back[1][0][0], 32);
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>(), got; EXPECT(desc.x, 32); EXPECT(desc.f, cudaChannelFormatKindSigned);
  cudaArray_t array; OK(cudaMallocArray(&array, &desc, 8, 4)); cudaExtent extent; unsigned flags;
  OK(cudaMemcpy2DToArray(array, 0, 0, volume, 32, 32, 4, cudaMemcpyHostToDevice));
  OK(cudaArrayGetInfo(&got, &extent, &flags, array)); EXPECT(extent.width, 8); EXPECT(extent.height, 4);
  memset(back, 0, sizeof back); OK(cudaMemcpy2DFromArray(back, 32, array, 4, 1, 8, 3, cudaMemcpyDeviceToHost));
  EXPECT(back[0][0][0], 9); EXPECT(back[0][2][1], 26);
  OK(cudaMemcpyFromArray(back, array, 0, 0, 128, cudaMemcpyDeviceToHost)); EXPECT(back[0][3][7], 31);
  EXPECT(cudaMemcpy2DToArray(array, 0, 2, volume, 32, 32, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  cudaArray_t cube; OK(cudaMalloc3DArray(&cube, &desc, make_cudaExtent(8, 4, 3)));
  cudaMemcpy3DParms q = {}; q.srcPtr = make_cudaPitchedPtr(volume, 32, 32, 4); q.dstArray = cube;
  q.extent = make_cudaExtent(8, 4, 3); q.kind = cudaMemcpyHostToDevice; OK(cudaMemcpy3D(&q));
  OK(cudaFreeArray(cube)); OK(cudaFreeArray(array));

  // Pools.
  cudaMemPool_t pool; int *async; unsigned long long value = ~0ull; cudaStream_t s; OK(cudaStreamCreate(&s));
  OK(cudaDeviceGetDefaultMemPool(&pool, 0)); OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
  OK(cudaMallocAsync(&async, 4096, s)); OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value)); EXPECT(value, 4096);
  increment<<<1, 32, 0, s>>>(async, 1024); OK(cudaFreeAsync(async, s));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value)); EXPECT(value, 4096);
  cudaMemPoolProps props = {}; props.allocType = cudaMemAllocationTypePinned; props.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t own; OK(cudaMemPoolCreate(&own, &props)); OK(cudaMallocAsync(&async, 64, own, s)); OK(cudaFreeAsync(async, s));
  OK(cudaMemPoolDestroy(own));

  // Callbacks and streams.
  int two = 2; OK(cudaStreamAddCallback(s, streamCallback, &two, 0)); OK(cudaStreamSynchronize(s)); EXPECT(seen, 2);
  nothing<<<1, 1, 0, cudaStreamPerThread>>>(); OK(cudaStreamSynchronize(cudaStreamPerThread)); OK(cudaStreamSynchronize(cudaStreamLegacy));
  cudaStreamAttrValue sv; OK(cudaStreamGetAttribute(s, cudaStreamAttributePriority, &sv)); OK(cudaStreamCopyAttributes(s, s));

  // Launches.
  void *none[1] = {}; EXPECT(cudaLaunchCooperativeKernel(nothing, dim3(1000000), dim3(1024), none), cudaErrorCooperativeLaunchTooLarge);
  OK(cudaLaunchCooperativeKernel(nothing, dim3(8), dim3(64), none));
  cudaLaunchConfig_t config = {}; config.gridDim = dim3(1); config.blockDim = dim3(32); config.stream = s;
  OK(cudaLaunchKernelEx(&config, increment, pointers ? other : other, 1)); OK(cudaDeviceSynchronize()); EXPECT(*other, 78);
  EXPECT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice); cudaIpcMemHandle_t ipc;
  EXPECT(cudaIpcGetMemHandle(&ipc, pointers), cudaErrorNotSupported); cudaGetLastError();
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 25)); size_t limit; OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize)); EXPECT(limit, 1 << 25);
  CUdevice device; char name[64]; OK(cuInit(0)); OK(cuDeviceGet(&device, 0)); OK(cuDeviceGetName(name, 64, device)); EXPECT(strncmp(name, "NVIDIA", 6), 0);

  // NVTX.
  nvtxDomainHandle_t domain = nvtxDomainCreateA("solver"); nvtxEventAttributes_t at = {};
  at.version = NVTX_VERSION; at.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE; at.colorType = NVTX_COLOR_ARGB; at.color = 0xff00ff00;
  at.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE; at.payload.dValue = 2.5; at.messageType = NVTX_MESSAGE_TYPE_ASCII; at.message.ascii = "step";
  nvtxNameOsThreadA(1, "solver thread"); EXPECT(nvtxRangePushA("outer"), 0); EXPECT(nvtxDomainRangePushEx(domain, &at), 0);
  nvtxMarkA("here"); nvtxDomainRangePop(domain); nvtxRangeId_t id = nvtxRangeStartA("loose"); EXPECT(nvtxRangePop(), 0); nvtxRangeEnd(id);
  EXPECT(nvtxRangePop() < 0, 1);
  puts(failed ? "FAILED" : "passed");
  return failed;
}
`;

describe('graphs', () => {
  test('capture, nodes, executables and their errors', async () => {
    const { stdout, exitCode, events } = await run(graphs);
    expect(stdout).toBe('passed\n');
    expect(exitCode).toBe(0);
    const launch = events.find((event) => event.type === 'api' && event.name === 'cudaGraphLaunch');
    const nodes = events.filter(
      (event) => event.type === 'kernel' && 'correlationId' in launch! && event.correlationId === launch.correlationId,
    );
    expect(nodes.map((node) => node.type === 'kernel' && node.graphNodeId! % 2 ** 32)).toEqual([0, 1]);

    // Nodes name the executable, which names the graph that it was instantiated from; those of child graphs as well.
    const made = events.flatMap((event) => (event.type === 'graph-creation' ? [event.made] : []));
    const executables = new Map(
      made.flatMap((each) => (each.kind === 'executable' ? [[each.graphExecId, each.graphId]] : [])),
    );
    const known = new Set(made.flatMap((each) => (each.kind === 'executable' ? [] : [each.graphId])));
    expect(executables.size).toBe(2);
    for (const graph of executables.values()) expect(known).toContain(graph);
    const ofGraphs = events.flatMap((event) => (event.type === 'kernel' && event.graphId ? [event] : []));
    expect(ofGraphs.length).toBeGreaterThan(10);
    for (const { graphId, graphNodeId } of ofGraphs) {
      expect(executables.has(graphId!)).toBe(true);
      expect(Math.floor(graphNodeId! / 2 ** 32)).toBe(graphId);
    }
  });
});

describe('memory and the rest', () => {
  test('managed, mapped, boxes, arrays, pools, callbacks, launches, NVTX', async () => {
    const { stdout, exitCode, events } = await run(memory);
    expect(stdout).toBe('passed\n');
    expect(exitCode).toBe(0);
    const nvtx = events.flatMap((event) => (event.type === 'nvtx' ? [event] : []));
    expect(nvtx.map(({ kind, text, domainId }) => [kind, text, domainId])).toEqual([
      ['domain-create', 'solver', 1],
      ['mark', 'here', 0],
      ['push-pop', 'step', 1],
      ['push-pop', 'outer', 0],
      ['start-end', 'loose', 0],
    ]);
    expect(nvtx[2]).toMatchObject({ color: 0xff00ff00, payload: { kind: 'double', value: 2.5 } });
  });
});
