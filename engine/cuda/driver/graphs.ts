/**
 * Graphs of the driver API, stream capture, and objects that graphs own. All are those of the runtime; kernels are functions of modules or
 * kernels of libraries, copies are between sides of a `CUDA_MEMCPY3D`, and edges have data.
 */
import { CUDA_KERNEL_NODE_PARAMS } from '../runtime/abi.ts';
import type { ApiFunction, CudaCall } from '../runtime/api.ts';
import { captureCalls } from '../runtime/capture.ts';
import type { CudaContext } from '../runtime/context.ts';
import { add, change, graphCalls, ofAnyNode, payloadOf, showKernel, type Maker } from '../runtime/graph-calls.ts';
import { nodeTypes } from '../runtime/graph.ts';
import { kernelFromParameters } from '../runtime/launch.ts';
import { userObjectCalls } from '../runtime/user-objects.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { driverCode, likeRuntime, unmeasured } from './codes.ts';
import { copyFromMemcpy3d, showMemcpy3d } from './copies.ts';

const { Success, InvalidValue, NotSupported } = cudaError;

/** Calls whose arguments are those of the runtime, but for a context behind them, which nobody reads. */
const alike = [
  ...['GraphCreate', 'GraphDestroy', 'GraphClone', 'GraphNodeFindInClone', 'GraphDebugDotPrint'],
  ...['GraphAddMemsetNode', 'GraphMemsetNodeGetParams', 'GraphMemsetNodeSetParams', 'GraphExecMemsetNodeSetParams'],
  ...['GraphAddHostNode', 'GraphHostNodeGetParams', 'GraphHostNodeSetParams', 'GraphExecHostNodeSetParams'],
  ...['GraphAddChildGraphNode', 'GraphChildGraphNodeGetGraph', 'GraphExecChildGraphNodeSetParams', 'GraphAddEmptyNode'],
  ...['GraphAddEventRecordNode', 'GraphEventRecordNodeGetEvent', 'GraphEventRecordNodeSetEvent'],
  ...['GraphAddEventWaitNode', 'GraphEventWaitNodeGetEvent', 'GraphEventWaitNodeSetEvent'],
  ...['GraphExecEventRecordNodeSetEvent', 'GraphExecEventWaitNodeSetEvent'],
  ...['GraphAddMemAllocNode', 'GraphMemAllocNodeGetParams', 'GraphAddMemFreeNode', 'GraphMemFreeNodeGetParams'],
  ...['GraphKernelNodeCopyAttributes', 'GraphKernelNodeGetAttribute', 'GraphKernelNodeSetAttribute'],
  ...['GraphNodeGetType', 'GraphGetNodes', 'GraphGetRootNodes', 'GraphDestroyNode'],
  ...['GraphNodeSetEnabled', 'GraphNodeGetEnabled', 'GraphInstantiateWithFlags', 'GraphInstantiateWithParams'],
  ...['GraphExecGetFlags', 'GraphUpload', 'GraphLaunch', 'GraphExecDestroy'],
  ...['StreamBeginCaptureToGraph', 'StreamEndCapture', 'StreamIsCapturing', 'ThreadExchangeStreamCaptureMode'],
  ...['UserObjectCreate', 'UserObjectRetain', 'UserObjectRelease'],
  ...['GraphRetainUserObject', 'GraphReleaseUserObject'],
];
const ofRuntime: Readonly<Record<string, CudaCall>> = { ...graphCalls, ...captureCalls, ...userObjectCalls };
const like = (name: string): CudaCall => likeRuntime(ofRuntime[name]!);

// ---- data of edges: only those that are all zero, as programmatic launches are none of their own here ----
const edgeBytes = 8;

const arePlain = ({ memory }: CudaContext, data: number, count: number): boolean =>
  data === 0 || memory.bytes(data, edgeBytes * count).every((byte) => byte === 0);

/** A call of the runtime with the data of its edges left out. `at`: argument of the data, behind which is that of their number. */
function withEdges(name: string, at: number): CudaCall {
  const row = ofRuntime[name]!;
  return likeRuntime(row, (context, call, ...args) =>
    arePlain(context, args[at]!, args[at + 1]!) ? row.run(context, call, ...args.toSpliced(at, 1)) : NotSupported,
  );
}

/** A call of the runtime that answers with edges, whose data are zeros. `at`: as of {@link withEdges}. */
function answersEdges(name: string, at: number): CudaCall {
  const row = ofRuntime[name]!;
  return likeRuntime(row, (context, call, ...args) => {
    const [data, count] = [args[at]!, args[at + 1]!];
    const code = row.run(context, call, ...args.toSpliced(at, 1));
    if (code === Success && data !== 0) context.memory.bytes(data, edgeBytes * context.memory.word(count)).fill(0);
    return code;
  });
}

// ---- nodes whose parameters are others ----
const kernelMaker: Maker = (context, at) => {
  if (at === 0) return InvalidValue;
  const field = (name: 'func' | 'kern'): number => context.memory.field(at, CUDA_KERNEL_NODE_PARAMS, name);
  return kernelFromParameters(context, at, field('func') || field('kern'));
};
const copyMaker: Maker = (context, at) => (at === 0 ? InvalidValue : copyFromMemcpy3d(context, at));

const showKernelNode: ApiFunction = (context, _call, handle, target) => {
  const found = payloadOf(context, handle!, 'kernel');
  if (!found || target === 0) return InvalidValue;
  showKernel(context, found.node, found.payload, target!);
  const ctx = context.primaryOf(context.current).handle;
  context.memory.setFields(target!, CUDA_KERNEL_NODE_PARAMS, { kern: 0, ctx });
  return Success;
};
const showCopyNode: ApiFunction = (context, _call, handle, target) => {
  const found = payloadOf(context, handle!, 'copy');
  if (!found || target === 0) return InvalidValue;
  showMemcpy3d(context, found.payload, target!);
  return Success;
};

/** Calls that add a node of a type, and that change one in a graph or in an executable. */
function nodeCalls(names: { add: string; set: string; setExec: string }, of: 'kernel' | 'copy', make: Maker) {
  const call = (name: string, run: ApiFunction): [string, CudaCall] => [
    name,
    likeRuntime(ofRuntime[name.replace('cu', 'cuda').replace('_v2', '')]!, run),
  ];
  return Object.fromEntries([
    call(names.add, (context, _call, ...args) => add(context, args, () => make(context, args[4]!))),
    call(names.set, (context, _call, node, at) => change(context, node!, of, make(context, at!))),
    call(names.setExec, (context, _call, exec, node, at) => change(context, node!, of, make(context, at!), exec!)),
  ]);
}

const ofNodes: Record<string, CudaCall> = {
  ...nodeCalls(
    {
      add: 'cuGraphAddKernelNode_v2',
      set: 'cuGraphKernelNodeSetParams_v2',
      setExec: 'cuGraphExecKernelNodeSetParams_v2',
    },
    'kernel',
    kernelMaker,
  ),
  ...nodeCalls(
    {
      add: 'cuGraphAddMemcpyNode',
      set: 'cuGraphMemcpyNodeSetParams',
      setExec: 'cuGraphExecMemcpyNodeSetParams',
    },
    'copy',
    copyMaker,
  ),
};

/** The driver's call for a type of node, by the name of the runtime's. */
function ownCall(name: string): CudaCall {
  const own = name.replace('cuda', 'cu');
  return driverGraphCalls[own] ?? driverGraphCalls[`${own}_v2`]!;
}

const addAny: ApiFunction = (context, call, target, graph, dependencies, data, count, at) => {
  if (!arePlain(context, data!, count!)) return NotSupported;
  const place = [target!, graph!, dependencies!, count!];
  if (at !== 0 && context.memory.u32(at!) === nodeTypes.conditional)
    return graphCalls.cudaGraphAddNode!.run(context, call, ...place, at!);
  const one = ofAnyNode(context, at!, 'add');
  return typeof one === 'number' ? one : ownCall(one.name).run(context, call, ...place, one.argument);
};
const setAny: ApiFunction = (context, call, node, at) => {
  const one = ofAnyNode(context, at!, 'set', node!);
  return typeof one === 'number' ? one : ownCall(one.name).run(context, call, node!, one.argument);
};
const setAnyOfExec: ApiFunction = (context, call, exec, node, at) => {
  const one = ofAnyNode(context, at!, 'setExec', node!);
  return typeof one === 'number' ? one : ownCall(one.name).run(context, call, exec!, node!, one.argument);
};

const captureInfo: ApiFunction = (context, call, stream, status, id, graph, dependencies, data, count) => {
  if (data !== 0) context.memory.setWord(data!, 0);
  const { run } = captureCalls.cudaStreamGetCaptureInfo!;
  return driverCode(run(context, call, stream!, status!, id!, graph!, dependencies!, count!));
};

export const driverGraphCalls: Record<string, CudaCall> = {
  ...Object.fromEntries(alike.map((name) => [`cu${name}`, like(`cuda${name}`)])),
  ...ofNodes,
  cuGraphKernelNodeGetParams_v2: unmeasured(showKernelNode),
  cuGraphMemcpyNodeGetParams: unmeasured(showCopyNode),
  cuGraphAddNode_v2: unmeasured(addAny),
  cuGraphNodeSetParams: unmeasured(setAny),
  cuGraphExecNodeSetParams: unmeasured(setAnyOfExec),
  // Graph, context, default, flags.
  cuGraphConditionalHandleCreate: likeRuntime(
    graphCalls.cudaGraphConditionalHandleCreate!,
    (context, call, target, graph, _context, value, flags) =>
      graphCalls.cudaGraphConditionalHandleCreate!.run(context, call, target!, graph!, value!, flags!),
  ),
  cuGraphGetEdges_v2: answersEdges('cudaGraphGetEdges', 3),
  cuGraphNodeGetDependencies_v2: answersEdges('cudaGraphNodeGetDependencies', 2),
  cuGraphNodeGetDependentNodes_v2: answersEdges('cudaGraphNodeGetDependentNodes', 2),
  cuGraphAddDependencies_v2: withEdges('cudaGraphAddDependencies', 3),
  cuGraphRemoveDependencies_v2: withEdges('cudaGraphRemoveDependencies', 3),
  cuGraphExecUpdate_v2: like('cudaGraphExecUpdate'),
  cuStreamBeginCapture_v2: like('cudaStreamBeginCapture'),
  cuStreamGetCaptureInfo_v3: { ...captureCalls.cudaStreamGetCaptureInfo!, run: captureInfo },
  cuStreamUpdateCaptureDependencies_v2: withEdges('cudaStreamUpdateCaptureDependencies', 2),
};
