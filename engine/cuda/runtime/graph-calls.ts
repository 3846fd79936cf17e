/** The graph calls of the runtime API. */
import { noticeWindow } from './access-windows.ts';
import { wordBytes } from '../host-exports.ts';
import { callCost } from '../../system/call-costs.ts';
import {
  cudaExtent,
  cudaGraphExecUpdateResultInfo,
  cudaGraphInstantiateParams,
  cudaHostNodeParams,
  cudaKernelNodeParams,
  cudaMemAllocNodeParams,
  cudaMemPoolProps,
  cudaMemcpy3DParms,
  cudaMemsetParams,
  cudaPitchedPtr,
  dim3,
} from './abi.ts';
import type { Field } from './structs.ts';
import type { ApiFunction, CudaCall } from './api.ts';
import { conditionalFromParameters, makeCondition, type ConditionalPayload } from './conditions.ts';
import type { CudaContext } from './context.ts';
import { copyFromParameters, copyWork, fillFromParameters, symbolAddress, symbolKind } from './memory.ts';
import { refuseCaptured } from './capture.ts';
import { enqueue, inTurn } from './enqueue.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import {
  addNode,
  copyAttributes,
  Executable,
  makeClone,
  makeGraph,
  nodeList,
  nodeTypes,
  Graph,
  type GraphNode,
  type Payload,
} from './graph.ts';
import { checkCluster, kernelFromParameters, launchAttribute } from './launch.ts';
import { allocation, enterLaunch, hasMemoryNodes, hold, release, takeBlocks, unhold } from './graph-memory.ts';
import { greatestPriority } from './streams.ts';
import type { CopyWork, FillWork, HostWork, KernelWork, Place } from './work.ts';

const { Success, InvalidValue, InvalidResourceHandle, NotSupported } = cudaError;

/** A payload, or the error code that its parameters give. */
type Made = Payload | number;
export type Maker = (context: CudaContext, parameters: number) => Made;

/** `make` is asked for the payload once the place in the graph is known to be right. */
export function add(context: CudaContext, args: number[], make: (graph: Graph, behind: GraphNode[]) => Made): number {
  const [target, handle, dependencies, count] = args as [number, number, number, number];
  const graph = context.graphs.get(handle);
  const nodes = nodeList(context, dependencies, count);
  if (target === 0 || !graph || !nodes || nodes.some((node) => node.graph !== graph)) return InvalidValue;
  if (new Set(nodes).size !== nodes.length) return InvalidValue;
  const payload = make(graph, nodes);
  if (typeof payload === 'number') return payload;
  context.memory.setWord(target, addNode(context, graph, payload, nodes).handle);
  return Success;
}

/** `cudaMemAllocationTypePinned`, `cudaMemLocationTypeDevice` */
const pinned = 1;
const onDevice = 1;

/** Errors as an H200 gives them: test/programs/runtime/graph_memory.cu. */
function addAllocation(context: CudaContext, args: number[]): number {
  const at = args[4]!;
  if (at === 0) return InvalidValue;
  const ofPool = (field: Field<typeof cudaMemPoolProps>): number =>
    context.memory.u32(at + cudaMemAllocNodeParams.poolProps + cudaMemPoolProps[field]);
  const device = ofPool('locationId');
  if (ofPool('allocType') !== pinned || ofPool('locationType') !== onDevice || !context.devices[device])
    return InvalidValue;
  // Graphs' memory cannot be shared with other processes.
  if (ofPool('handleTypes') !== 0) return NotSupported;
  const bytes = context.memory.word(at + cudaMemAllocNodeParams.bytesize);
  return add(context, args, (graph, behind) => {
    const payload = allocation(context, graph, { bytes, device }, behind);
    if (typeof payload !== 'number') context.memory.setWord(at + cudaMemAllocNodeParams.dptr, payload.address);
    return payload;
  });
}

const kernelMaker: Maker = (context, at) => (at === 0 ? InvalidValue : kernelFromParameters(context, at));
const copyMaker: Maker = (context, at) => (at === 0 ? InvalidValue : copyFromParameters(context, at));
const fillMaker: Maker = (context, at) => (at === 0 ? InvalidValue : fillFromParameters(context, at));
const hostMaker: Maker = (context, at) => {
  const callback = at === 0 ? 0 : context.memory.word(at + cudaHostNodeParams.fn);
  if (callback === 0) return InvalidValue;
  const userData = context.memory.word(at + cudaHostNodeParams.userData);
  return { type: 'host', function: callback, userData, stream: null };
};
const childMaker: Maker = (context, handle) => {
  const graph = context.graphs.get(handle);
  if (!graph) return InvalidValue;
  const isSimple = !hasMemoryNodes(graph) && graph.nodes.every(({ payload }) => payload.type !== 'conditional');
  return isSimple ? { type: 'child', graph: graph.clone() } : NotSupported;
};
const eventMaker =
  (type: 'event-record' | 'event-wait'): Maker =>
  (context, event) =>
    context.events.has(event) ? { type, event } : InvalidResourceHandle;

function linearCopy(context: CudaContext, target: number, source: number, size: number, kind: number): Made {
  const place = (address: number): Place => ({ address, pitch: size, slice: size });
  return copyWork(
    context,
    { target: place(target), source: place(source), width: size, height: 1, depth: 1 },
    kind,
    true,
  );
}

/** Symbol, source, size, offset, kind. */
function copyToSymbol(context: CudaContext, args: number[]): Made {
  const [symbol, source, size, offset, kind] = args as [number, number, number, number, number];
  const target = symbolAddress(context, symbol, offset, size);
  if (target < 0) return -target;
  return linearCopy(context, target, source, size, symbolKind(context, kind, source, true));
}

/** Target, symbol, size, offset, kind. */
function copyFromSymbol(context: CudaContext, args: number[]): Made {
  const [target, symbol, size, offset, kind] = args as [number, number, number, number, number];
  const source = symbolAddress(context, symbol, offset, size);
  if (source < 0) return -source;
  return linearCopy(context, target, source, size, symbolKind(context, kind, target, false));
}

/** Changes a node of a graph, or of an executable when there is one. */
export function change(
  context: CudaContext,
  handle: number,
  type: Payload['type'],
  payload: Made,
  exec: number | null = null,
): number {
  const original = context.graphNodes.get(handle);
  const executable = exec === null ? null : context.executables.get(exec);
  if (!original || executable === undefined) return InvalidValue;
  const node = executable ? executable.nodeOf(original) : original;
  if (!node || node.payload.type !== type) return InvalidValue;
  if (typeof payload === 'number') return payload;
  if (type === 'child') {
    const replaced = node.payload as Extract<Payload, { type: 'child' }>;
    const changed = payload as Extract<Payload, { type: 'child' }>;
    if (executable && differenceBetween(replaced.graph, changed.graph)) return cudaError.GraphExecUpdateFailure;
    executable?.invalidate();
  }
  // An attribute, which stays.
  const cooperative = node.payload.type === 'kernel' && node.payload.cooperative;
  if (executable && type === 'copy' && (payload as CopyWork).direction !== (node.payload as CopyWork).direction) {
    return InvalidValue;
  }
  node.payload = payload;
  if (payload.type === 'kernel') payload.cooperative = cooperative;
  return Success;
}

/** The node's payload for a call that asks for it. */
export function payloadOf<Type extends Payload['type']>(
  context: CudaContext,
  handle: number,
  type: Type,
): { node: GraphNode; payload: Extract<Payload, { type: Type }> } | null {
  const node = context.graphNodes.get(handle);
  return node?.payload.type === type ? { node, payload: node.payload as Extract<Payload, { type: Type }> } : null;
}

/** The program gets pointers to copies of the parameters, which live as long as the node. */
export function showKernel(context: CudaContext, node: GraphNode, work: KernelWork, target: number): void {
  const { memory } = context;
  const { parameters } = context.device.kernel(work.kernel)!;
  if (!node.shown) node.shown = context.malloc(wordBytes * parameters.length + work.parameters.length + 16);
  const data = Math.ceil((node.shown + wordBytes * parameters.length) / 8) * 8;
  memory.bytes(data, work.parameters.length).set(work.parameters);
  parameters.forEach(({ offset }, index) => memory.setWord(node.shown + wordBytes * index, data + offset));
  memory.setFields(target + cudaKernelNodeParams.gridDim, dim3, work.grid);
  memory.setFields(target + cudaKernelNodeParams.blockDim, dim3, work.block);
  memory.setFields(target, cudaKernelNodeParams, {
    func: work.stub,
    sharedMemBytes: work.dynamicSharedBytes,
    kernelParams: node.shown,
    extra: 0,
  });
}

/** Writes a copy as `cudaMemcpy3DParms`, with arrays shown as the memory behind them. */
function showCopy(context: CudaContext, { source, target, width, height, depth, kind }: CopyWork, at: number): void {
  const { memory } = context;
  memory.bytes(at, cudaMemcpy3DParms.bytes).fill(0);
  const show = (offset: number, { address, pitch, slice }: Place): void =>
    memory.setFields(at + offset, cudaPitchedPtr, {
      ptr: address,
      pitch,
      xsize: width,
      ysize: Math.round(slice / pitch) || 1,
    });
  show(cudaMemcpy3DParms.srcPtr, source);
  show(cudaMemcpy3DParms.dstPtr, target);
  memory.setFields(at + cudaMemcpy3DParms.extent, cudaExtent, { width, height, depth });
  memory.setU32(at + cudaMemcpy3DParms.kind, kind);
}

function showFill(context: CudaContext, work: FillWork, at: number): void {
  const { target, value, elementBytes, width, height } = work;
  context.memory.setFields(at, cudaMemsetParams, {
    dst: target.address,
    pitch: target.pitch,
    value,
    elementSize: elementBytes,
    width: width / elementBytes,
    height,
  });
}

/** Writes handles the way that CUDA's list calls do: without an array, only their number. */
function list(context: CudaContext, handles: number[], target: number, count: number): number {
  if (count === 0) return InvalidValue;
  if (target !== 0) {
    const room = context.memory.word(count);
    for (let i = 0; i < room; i++) context.memory.setWord(target + wordBytes * i, handles[i] ?? 0);
    context.memory.setWord(count, Math.min(room, handles.length));
  } else context.memory.setWord(count, handles.length);
  return Success;
}

const updateResult = { success: 0, topology: 2, type: 3, parameters: 5 };

/** Finds the first difference in the structure of two graphs, node by node in the order in which they were added; null: none. */
function differenceBetween(a: Graph, b: Graph): { result: number; node: GraphNode | null } | null {
  if (a.nodes.length !== b.nodes.length) return { result: updateResult.topology, node: null };
  const index = (graph: Graph) => new Map(graph.nodes.map((node, i) => [node, i]));
  const [inA, inB] = [index(a), index(b)];
  for (const [i, node] of b.nodes.entries()) {
    const other = a.nodes[i]!;
    if (node.payload.type !== other.payload.type) return { result: updateResult.type, node };
    const places = (graph: Map<GraphNode, number>, from: GraphNode) =>
      [...from.dependencies].map((dependency) => graph.get(dependency)!).sort((x, y) => x - y);
    if (places(inA, other).join() !== places(inB, node).join()) return { result: updateResult.topology, node };
    if (node.payload.type === 'conditional') {
      const before = other.payload as ConditionalPayload;
      const { kind, address, bodies } = node.payload;
      if (before.kind !== kind || before.address !== address || before.bodies.length !== bodies.length)
        return { result: updateResult.parameters, node };
      for (const [i, body] of bodies.entries()) {
        const inner = differenceBetween(before.bodies[i]!, body);
        if (inner) return inner;
      }
    } else if (node.payload.type === 'child') {
      const inner = differenceBetween((other.payload as { graph: Graph }).graph, node.payload.graph);
      if (inner) return inner;
    } else if (node.payload.type === 'copy') {
      const before = other.payload as CopyWork;
      if (before.direction !== node.payload.direction) return { result: updateResult.parameters, node };
    }
  }
  return null;
}

/** Takes the parameters over, and lets the executable's nodes answer to those of the new graph as well. */
function takeOver(context: CudaContext, executable: Executable, from: Graph, to: Graph): void {
  from.nodes.forEach((node, i) => {
    const own = to.nodes[i]!;
    executable.graph.origins.set(node, own);
    if (node.payload.type === 'child')
      takeOver(context, executable, node.payload.graph, (own.payload as { graph: Graph }).graph);
    else if (node.payload.type === 'conditional')
      node.payload.bodies.forEach((body, i) =>
        takeOver(context, executable, body, (own.payload as ConditionalPayload).bodies[i]!),
      );
    else {
      // Addresses of memory nodes are those of the new graph from now on (graph_memory.cu, like).
      hold(context, node.payload);
      unhold(context, own.payload);
      own.payload = node.payload;
      copyAttributes(node, own);
    }
  });
}

const update: ApiFunction = (context, call, exec, handle, target) => {
  const executable = context.executables.get(exec!);
  const graph = context.graphs.get(handle!);
  if (!executable || !graph) return InvalidValue;
  const difference = differenceBetween(executable.graph, graph);
  context.system.graphCall(call, 'update', graph.shape());
  if (!difference) takeOver(context, executable, graph, executable.graph);
  if (target) {
    context.memory.setFields(target, cudaGraphExecUpdateResultInfo, {
      result: difference?.result ?? updateResult.success,
      errorNode: difference?.node?.handle ?? 0,
      errorFromNode: 0,
    });
  }
  return difference ? cudaError.GraphExecUpdateFailure : Success;
};

/** CUDA runtime API, `cudaConditionalNodeParams`: what bodies may have. */
const inBodies = new Set<Payload['type']>(['kernel', 'empty', 'child', 'memset', 'copy', 'conditional']);

function bodiesAreOfDevices(graph: Graph, isBody = false): boolean {
  return graph.nodes.every(({ payload }) => {
    if (isBody && !inBodies.has(payload.type)) return false;
    if (payload.type === 'child') return bodiesAreOfDevices(payload.graph, isBody);
    return payload.type !== 'conditional' || payload.bodies.every((body) => bodiesAreOfDevices(body, true));
  });
}

const instantiate: ApiFunction = (context, call, target, handle, flags) => {
  const graph = context.graphs.get(handle!);
  if (!target || !graph) return InvalidValue;
  context.system.graphCall(call, 'instantiate', graph.shape());
  // A cycle cannot run; conditions decide about work of GPUs alone.
  if (!graph.ordered() || !bodiesAreOfDevices(graph)) return InvalidValue;
  const others = [...context.executables.values()].filter(({ source }) => source === graph);
  if (others.length > 0 && hasMemoryNodes(graph)) return NotSupported;
  const executable = new Executable(context, call, graph, BigInt(flags ?? 0));
  if ((flags! & 2) !== 0) upload(context, call, executable);
  context.memory.setWord(target, executable.handle);
  return Success;
};

function upload(context: CudaContext, call: Parameters<ApiFunction>[1], executable: Executable): void {
  context.system.graphCall(call, executable.uploaded ? 'upload-again' : 'upload', executable.graph.shape());
  executable.uploaded = true;
}

const launch: ApiFunction = (context, call, exec, handle) => {
  const executable = context.executables.get(exec!);
  const stream = context.streamOf(handle!);
  if (!executable) return InvalidValue;
  if (stream === null) return InvalidResourceHandle;
  const capture = context.captureOf(handle!);
  if (capture) {
    if (capture.invalid) return cudaError.StreamCaptureInvalidated;
    // It cannot be a child.
    if (hasMemoryNodes(executable.graph)) return refuseCaptured(capture, cudaError.StreamCaptureUnsupported);
    const payload: Payload = { type: 'child', graph: executable.graph.clone() };
    capture.tails.set(stream, [addNode(context, capture.graph, payload, capture.tails.get(stream)!)]);
    return Success;
  }
  const refused = enterLaunch(context, executable, stream);
  if (refused) return refused;
  if (!executable.uploaded) upload(context, call, executable);
  inTurn(context, handle!, () => {
    const nodes = executable.run(context, stream);
    const memory = hasMemoryNodes(executable.graph) ? { hasMemoryNodes: true } : {};
    if (nodes) context.system.launchGraph(call, { stream, graphId: executable.graph.id, nodes, ...memory });
  });
  return Success;
};

function connect(context: CudaContext, args: number[], adding: boolean): number {
  const [handle, fromList, toList, count] = args as [number, number, number, number];
  const graph = context.graphs.get(handle);
  if (graph && !adding && hasMemoryNodes(graph)) return NotSupported;
  const from = nodeList(context, fromList, count);
  const to = nodeList(context, toList, count);
  if (!graph || !from || !to || [...from, ...to].some((node) => node.graph !== graph)) return InvalidValue;
  // An edge is there once at most.
  if (to.some((node, i) => node === from[i] || node.dependencies.has(from[i]!) === adding)) return InvalidValue;
  to.forEach((node, i) => (adding ? node.dependencies.add(from[i]!) : node.dependencies.delete(from[i]!)));
  return Success;
}

/** Attributes of kernel nodes, by `cudaLaunchAttributeID`: bytes, and the value where none was set (graph_attributes.cu). */
const attributes = new Map<number, { bytes: number; value?: number }>([
  [launchAttribute.accessPolicyWindow, { bytes: 32 }],
  [launchAttribute.cooperative, { bytes: 4 }],
  [launchAttribute.clusterDimension, { bytes: 12 }],
  [5, { bytes: 4 }], // clusterSchedulingPolicyPreference
  [launchAttribute.priority, { bytes: 4 }],
  [9, { bytes: 2, value: 0x0100 }], // memSyncDomainMap
  [10, { bytes: 4 }], // memSyncDomain
  [14, { bytes: 4 }], // sharedMemCarveout
]);

function setAttribute(context: CudaContext, handle: number, id: number, at: number): number {
  const found = payloadOf(context, handle, 'kernel');
  const known = attributes.get(id);
  if (!found || !known || at === 0) return InvalidValue;
  const { node, payload } = found;
  const value = context.memory.u32(at);
  if (id === launchAttribute.clusterDimension) checkCluster(context, at);
  if (id === launchAttribute.accessPolicyWindow) noticeWindow(context, at);
  if (id === launchAttribute.priority) node.priority = Math.max(greatestPriority, Math.min(0, value | 0));
  else if (id === launchAttribute.cooperative) node.payload = { ...payload, cooperative: value !== 0 };
  else node.attributes.set(id, context.memory.bytes(at, known.bytes).slice());
  return Success;
}

function getAttribute(context: CudaContext, handle: number, id: number, at: number): number {
  const found = payloadOf(context, handle, 'kernel');
  const known = attributes.get(id);
  if (!found || !known || at === 0) return InvalidValue;
  const { node, payload } = found;
  const stored = node.attributes.get(id);
  const target = context.memory.bytes(at, known.bytes);
  if (id === launchAttribute.priority) context.memory.setU32(at, node.priority);
  else if (id === launchAttribute.cooperative) context.memory.setU32(at, Number(payload.cooperative));
  else if (stored) target.set(stored);
  else for (let i = 0; i < known.bytes; i++) target[i] = ((known.value ?? 0) >> (8 * i)) & 0xff;
  return Success;
}

/** `cudaGraphNodeParams`: type, three words of zero, and what the type of node has. */
const nodeParameters = { own: 16, copy: 32 };

/** A type of node for the calls that take any: whether its own calls want the word at its parameters, and what they are. */
interface AnyNode {
  add: string;
  /** Without: such nodes have nothing that could be set. */
  set?: string;
  setExec?: string;
  /** The word there, rather than its address. */
  byValue?: boolean;
  at?: number;
}

/** Functions for nodes, by `cudaGraphNodeType`. */
const anyNode: Record<number, AnyNode> = {
  0: {
    add: 'cudaGraphAddKernelNode',
    set: 'cudaGraphKernelNodeSetParams',
    setExec: 'cudaGraphExecKernelNodeSetParams',
  },
  1: {
    add: 'cudaGraphAddMemcpyNode',
    set: 'cudaGraphMemcpyNodeSetParams',
    setExec: 'cudaGraphExecMemcpyNodeSetParams',
    at: nodeParameters.copy,
  },
  2: {
    add: 'cudaGraphAddMemsetNode',
    set: 'cudaGraphMemsetNodeSetParams',
    setExec: 'cudaGraphExecMemsetNodeSetParams',
  },
  3: { add: 'cudaGraphAddHostNode', set: 'cudaGraphHostNodeSetParams', setExec: 'cudaGraphExecHostNodeSetParams' },
  4: { add: 'cudaGraphAddChildGraphNode', setExec: 'cudaGraphExecChildGraphNodeSetParams', byValue: true },
  5: { add: 'cudaGraphAddEmptyNode', byValue: true },
  6: {
    add: 'cudaGraphAddEventWaitNode',
    set: 'cudaGraphEventWaitNodeSetEvent',
    setExec: 'cudaGraphExecEventWaitNodeSetEvent',
    byValue: true,
  },
  7: {
    add: 'cudaGraphAddEventRecordNode',
    set: 'cudaGraphEventRecordNodeSetEvent',
    setExec: 'cudaGraphExecEventRecordNodeSetEvent',
    byValue: true,
  },
  10: { add: 'cudaGraphAddMemAllocNode' },
  11: { add: 'cudaGraphAddMemFreeNode', byValue: true },
};

/** Semaphores of other APIs. */
const otherNodes = new Set([8, 9]);

/** The call for one type of node in place of one for any, and its last argument; an error code where there is none. */
export function ofAnyNode(
  context: CudaContext,
  at: number,
  which: 'add' | 'set' | 'setExec',
  handle?: number,
): { name: string; argument: number } | number {
  if (at === 0) return InvalidValue;
  const word = (offset: number): number => context.memory.u32(at + offset);
  const type = word(0);
  if (otherNodes.has(type)) return NotSupported;
  const node = anyNode[type];
  if (!node || [4, 8, 12].some((offset) => word(offset) !== 0)) return InvalidValue;
  if (handle !== undefined) {
    const found = context.graphNodes.get(handle);
    if (!found || nodeTypes[found.payload.type] !== type) return InvalidValue;
  }
  const name = node[which];
  if (name === undefined) return NotSupported;
  const own = node.at ?? nodeParameters.own;
  return { name, argument: node.byValue ? context.memory.word(at + own) : at + own };
}

const canBeDisabled = ({ payload }: GraphNode): boolean => ['kernel', 'memset', 'copy'].includes(payload.type);

export const graphCalls: Record<string, CudaCall> = {
  cudaGraphCreate: {
    cost: callCost.unmeasured,
    run: (context, call, target) => {
      if (target === 0) return InvalidValue;
      context.memory.setWord(target!, makeGraph(context, call).handle);
      return Success;
    },
  },
  cudaGraphDestroy: {
    cost: 700, // least api_duration under tracing, c_launch
    run: (context, call, handle) => {
      const graph = context.graphs.get(handle!);
      if (!graph) return InvalidValue;
      context.system.graphCall(call, 'destroy-graph', graph.shape());
      graph.destroy();
      return Success;
    },
  },
  cudaGraphClone: {
    cost: 0,
    run: (context, call, target, handle) => {
      const graph = context.graphs.get(handle!);
      if (target === 0 || !graph) return InvalidValue;
      if (hasMemoryNodes(graph)) return NotSupported;
      context.system.graphCall(call, 'clone', graph.shape());
      context.memory.setWord(target!, makeClone(context, call, graph).handle);
      return Success;
    },
  },
  cudaGraphNodeFindInClone: {
    cost: callCost.unmeasured,
    run: (context, _call, target, handle, clone) => {
      const original = context.graphNodes.get(handle!);
      const found = original && context.graphs.get(clone!)?.origins.get(original);
      if (!found) return InvalidValue;
      context.memory.setWord(target!, found.handle);
      return Success;
    },
  },
  cudaGraphDebugDotPrint: {
    cost: callCost.unmeasured,
    run: (context, _call, graph) => (context.graphs.has(graph!) ? Success : InvalidValue),
  },

  cudaGraphAddKernelNode: {
    cost: 300, // system.cu, S8 and S9, build per node in the rows that count; so those below
    run: (context, _call, ...args) => add(context, args, () => kernelMaker(context, args[4]!)),
  },
  cudaGraphAddMemcpyNode: {
    cost: 650,
    run: (context, _call, ...args) => add(context, args, () => copyMaker(context, args[4]!)),
  },
  cudaGraphAddMemcpyNode1D: {
    cost: 650,
    run: (context, _call, ...args) =>
      add(context, args, () => linearCopy(context, args[4]!, args[5]!, args[6]!, args[7]!)),
  },
  cudaGraphAddMemcpyNodeToSymbol: {
    cost: 650,
    run: (context, _call, ...args) => add(context, args, () => copyToSymbol(context, args.slice(4))),
  },
  cudaGraphAddMemcpyNodeFromSymbol: {
    cost: 650,
    run: (context, _call, ...args) => add(context, args, () => copyFromSymbol(context, args.slice(4))),
  },
  cudaGraphAddMemsetNode: {
    cost: 430,
    run: (context, _call, ...args) => add(context, args, () => fillMaker(context, args[4]!)),
  },
  cudaGraphAddHostNode: {
    cost: 1000,
    run: (context, _call, ...args) => add(context, args, () => hostMaker(context, args[4]!)),
  },
  cudaGraphAddChildGraphNode: {
    cost: callCost.unmeasured,
    run: (context, call, ...args) => {
      const child = context.graphs.get(args[4]!);
      if (child) context.system.graphCall(call, 'clone', child.shape());
      return add(context, args, () => childMaker(context, args[4]!));
    },
  },
  cudaGraphAddEmptyNode: { cost: 140, run: (context, _call, ...args) => add(context, args, () => ({ type: 'empty' })) },
  cudaGraphAddEventRecordNode: {
    cost: 160,
    run: (context, _call, ...args) => add(context, args, () => eventMaker('event-record')(context, args[4]!)),
  },
  cudaGraphAddEventWaitNode: {
    cost: 160,
    run: (context, _call, ...args) => add(context, args, () => eventMaker('event-wait')(context, args[4]!)),
  },
  cudaGraphAddMemAllocNode: {
    cost: 580, // mem_nodes.json, M3
    run: (context, _call, ...args) => addAllocation(context, args),
  },
  cudaGraphAddMemFreeNode: {
    cost: 620,
    run: (context, _call, ...args) => add(context, args, (graph) => release(context, graph, args[4]!)),
  },
  cudaGraphMemAllocNodeGetParams: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target) => {
      const found = payloadOf(context, handle!, 'alloc');
      if (!found) return InvalidValue;
      const { bytes, address, device } = found.payload;
      context.memory.bytes(target!, cudaMemAllocNodeParams.bytes).fill(0);
      const properties = { allocType: pinned, locationType: onDevice, locationId: device };
      context.memory.setFields(target! + cudaMemAllocNodeParams.poolProps, cudaMemPoolProps, properties);
      context.memory.setFields(target!, cudaMemAllocNodeParams, { bytesize: bytes, dptr: address });
      return Success;
    },
  },
  cudaGraphMemFreeNodeGetParams: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target) => {
      const found = payloadOf(context, handle!, 'free');
      if (!found) return InvalidValue;
      context.memory.setWord(target!, found.payload.address);
      return Success;
    },
  },

  cudaGraphConditionalHandleCreate: {
    cost: callCost.unmeasured,
    run: (context, _call, ...args) => makeCondition(context, args),
  },
  cudaGraphAddNode: {
    cost: callCost.unmeasured,
    run: (context, call, target, graph, dependencies, count, at) => {
      if (at !== 0 && context.memory.u32(at!) === nodeTypes.conditional)
        return add(context, [target!, graph!, dependencies!, count!], () =>
          conditionalFromParameters(context, at! + nodeParameters.own, () => new Graph(context)),
        );
      const one = ofAnyNode(context, at!, 'add');
      if (typeof one === 'number') return one;
      return graphCalls[one.name]!.run(context, call, target!, graph!, dependencies!, count!, one.argument);
    },
  },
  cudaGraphNodeSetParams: {
    cost: callCost.unmeasured,
    run: (context, call, node, at) => {
      const one = ofAnyNode(context, at!, 'set', node!);
      return typeof one === 'number' ? one : graphCalls[one.name]!.run(context, call, node!, one.argument);
    },
  },
  cudaGraphExecNodeSetParams: {
    cost: callCost.unmeasured,
    run: (context, call, exec, node, at) => {
      const one = ofAnyNode(context, at!, 'setExec', node!);
      return typeof one === 'number' ? one : graphCalls[one.name]!.run(context, call, exec!, node!, one.argument);
    },
  },

  cudaGraphKernelNodeGetParams: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target) => {
      const found = payloadOf(context, handle!, 'kernel');
      if (!found) return InvalidValue;
      showKernel(context, found.node, found.payload, target!);
      return Success;
    },
  },
  cudaGraphMemcpyNodeGetParams: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target) => {
      const found = payloadOf(context, handle!, 'copy');
      if (!found) return InvalidValue;
      showCopy(context, found.payload, target!);
      return Success;
    },
  },
  cudaGraphMemsetNodeGetParams: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target) => {
      const found = payloadOf(context, handle!, 'memset');
      if (!found) return InvalidValue;
      showFill(context, found.payload, target!);
      return Success;
    },
  },
  cudaGraphHostNodeGetParams: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target) => {
      const found = payloadOf(context, handle!, 'host');
      if (!found) return InvalidValue;
      const { function: callback, userData } = found.payload satisfies HostWork;
      context.memory.setFields(target!, cudaHostNodeParams, { fn: callback, userData });
      return Success;
    },
  },
  cudaGraphChildGraphNodeGetGraph: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target) => {
      const found = payloadOf(context, handle!, 'child');
      if (!found) return InvalidValue;
      context.memory.setWord(target!, found.payload.graph.handle);
      return Success;
    },
  },
  cudaGraphEventRecordNodeGetEvent: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target) => {
      const found = payloadOf(context, handle!, 'event-record');
      if (!found) return InvalidValue;
      context.memory.setWord(target!, found.payload.event);
      return Success;
    },
  },
  cudaGraphEventWaitNodeGetEvent: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target) => {
      const found = payloadOf(context, handle!, 'event-wait');
      if (!found) return InvalidValue;
      context.memory.setWord(target!, found.payload.event);
      return Success;
    },
  },

  cudaGraphKernelNodeSetParams: {
    cost: 430,
    run: (context, _call, node, at) => change(context, node!, 'kernel', kernelMaker(context, at!)),
  },
  cudaGraphMemcpyNodeSetParams: {
    cost: callCost.unmeasured,
    run: (context, _call, node, at) => change(context, node!, 'copy', copyMaker(context, at!)),
  },
  cudaGraphMemcpyNodeSetParams1D: {
    cost: callCost.unmeasured,
    run: (context, _call, node, target, source, size, kind) =>
      change(context, node!, 'copy', linearCopy(context, target!, source!, size!, kind!)),
  },
  cudaGraphMemcpyNodeSetParamsToSymbol: {
    cost: callCost.unmeasured,
    run: (context, _call, node, ...args) => change(context, node!, 'copy', copyToSymbol(context, args)),
  },
  cudaGraphMemcpyNodeSetParamsFromSymbol: {
    cost: callCost.unmeasured,
    run: (context, _call, node, ...args) => change(context, node!, 'copy', copyFromSymbol(context, args)),
  },
  cudaGraphMemsetNodeSetParams: {
    cost: callCost.unmeasured,
    run: (context, _call, node, at) => change(context, node!, 'memset', fillMaker(context, at!)),
  },
  cudaGraphHostNodeSetParams: {
    cost: callCost.unmeasured,
    run: (context, _call, node, at) => change(context, node!, 'host', hostMaker(context, at!)),
  },
  cudaGraphEventRecordNodeSetEvent: {
    cost: callCost.unmeasured,
    run: (context, _call, node, event) =>
      change(context, node!, 'event-record', eventMaker('event-record')(context, event!)),
  },
  cudaGraphEventWaitNodeSetEvent: {
    cost: callCost.unmeasured,
    run: (context, _call, node, event) =>
      change(context, node!, 'event-wait', eventMaker('event-wait')(context, event!)),
  },
  cudaGraphKernelNodeSetAttribute: {
    cost: callCost.unmeasured,
    run: (context, _call, node, id, value) => setAttribute(context, node!, id!, value!),
  },
  cudaGraphKernelNodeGetAttribute: {
    cost: callCost.unmeasured,
    run: (context, _call, node, id, value) => getAttribute(context, node!, id!, value!),
  },
  cudaGraphKernelNodeCopyAttributes: {
    cost: callCost.unmeasured,
    run: (context, _call, target, source) => {
      const [to, from] = [target!, source!].map((node) => payloadOf(context, node, 'kernel'));
      if (!to || !from) return InvalidValue;
      copyAttributes(from.node, to.node);
      to.node.payload = { ...to.payload, cooperative: from.payload.cooperative };
      return Success;
    },
  },

  cudaGraphExecKernelNodeSetParams: {
    cost: 410, // frames.json, updated less graph: 0.41 us for each node of a chain; S9 1.06 for the root of a fork of 100
    run: (context, _call, exec, node, at) => change(context, node!, 'kernel', kernelMaker(context, at!), exec!),
  },
  cudaGraphExecMemcpyNodeSetParams: {
    cost: 410,
    run: (context, _call, exec, node, at) => change(context, node!, 'copy', copyMaker(context, at!), exec!),
  },
  cudaGraphExecMemcpyNodeSetParams1D: {
    cost: 410,
    run: (context, _call, exec, node, target, source, size, kind) =>
      change(context, node!, 'copy', linearCopy(context, target!, source!, size!, kind!), exec!),
  },
  cudaGraphExecMemcpyNodeSetParamsToSymbol: {
    cost: callCost.unmeasured,
    run: (context, _call, exec, node, ...args) => change(context, node!, 'copy', copyToSymbol(context, args), exec!),
  },
  cudaGraphExecMemcpyNodeSetParamsFromSymbol: {
    cost: callCost.unmeasured,
    run: (context, _call, exec, node, ...args) => change(context, node!, 'copy', copyFromSymbol(context, args), exec!),
  },
  cudaGraphExecMemsetNodeSetParams: {
    cost: 410,
    run: (context, _call, exec, node, at) => change(context, node!, 'memset', fillMaker(context, at!), exec!),
  },
  cudaGraphExecHostNodeSetParams: {
    cost: 410,
    run: (context, _call, exec, node, at) => change(context, node!, 'host', hostMaker(context, at!), exec!),
  },
  cudaGraphExecChildGraphNodeSetParams: {
    cost: callCost.unmeasured,
    run: (context, _call, exec, node, graph) => change(context, node!, 'child', childMaker(context, graph!), exec!),
  },
  cudaGraphExecEventRecordNodeSetEvent: {
    cost: callCost.unmeasured,
    run: (context, _call, exec, node, event) =>
      change(context, node!, 'event-record', eventMaker('event-record')(context, event!), exec!),
  },
  cudaGraphExecEventWaitNodeSetEvent: {
    cost: callCost.unmeasured,
    run: (context, _call, exec, node, event) =>
      change(context, node!, 'event-wait', eventMaker('event-wait')(context, event!), exec!),
  },
  cudaGraphNodeSetEnabled: {
    cost: callCost.unmeasured,
    run: (context, _call, exec, handle, enabled) => {
      const original = context.graphNodes.get(handle!);
      const node = original && context.executables.get(exec!)?.nodeOf(original);
      if (!node || !canBeDisabled(node)) return InvalidValue;
      node.enabled = enabled !== 0;
      return Success;
    },
  },
  cudaGraphNodeGetEnabled: {
    cost: callCost.unmeasured,
    run: (context, _call, exec, handle, target) => {
      const original = context.graphNodes.get(handle!);
      const node = original && context.executables.get(exec!)?.nodeOf(original);
      if (!node || !canBeDisabled(node)) return InvalidValue;
      context.memory.setU32(target!, Number(node.enabled));
      return Success;
    },
  },

  cudaGraphNodeGetType: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target) => {
      const node = context.graphNodes.get(handle!);
      if (!node) return InvalidValue;
      context.memory.setU32(target!, nodeTypes[node.payload.type]);
      return Success;
    },
  },
  cudaGraphGetNodes: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target, count) => {
      const graph = context.graphs.get(handle!);
      if (!graph) return InvalidValue;
      return list(
        context,
        graph.nodes.map((node) => node.handle),
        target!,
        count!,
      );
    },
  },
  cudaGraphGetRootNodes: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target, count) => {
      const roots = context.graphs.get(handle!)?.nodes.filter(({ dependencies }) => dependencies.size === 0);
      if (!roots) return InvalidValue;
      return list(
        context,
        roots.map((node) => node.handle),
        target!,
        count!,
      );
    },
  },
  cudaGraphGetEdges: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, from, to, count) => {
      const edges = context.graphs.get(handle!)?.edges();
      if (!edges || count === 0) return InvalidValue;
      const room = context.memory.word(count!);
      const starts = edges.map(([node]) => node.handle);
      const ends = edges.map(([, node]) => node.handle);
      if (from === 0 || to === 0) return list(context, starts, 0, count!);
      list(context, starts, from!, count!);
      context.memory.setWord(count!, room);
      return list(context, ends, to!, count!);
    },
  },
  cudaGraphNodeGetDependencies: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target, count) => {
      const node = context.graphNodes.get(handle!);
      if (!node) return InvalidValue;
      const handles = [...node.dependencies].map((dependency) => dependency.handle);
      return list(context, handles, target!, count!);
    },
  },
  cudaGraphNodeGetDependentNodes: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, target, count) => {
      const node = context.graphNodes.get(handle!);
      if (!node) return InvalidValue;
      const dependents = node.graph.nodes.filter(({ dependencies }) => dependencies.has(node));
      return list(
        context,
        dependents.map((dependent) => dependent.handle),
        target!,
        count!,
      );
    },
  },
  cudaGraphAddDependencies: {
    cost: callCost.unmeasured,
    run: (context, _call, ...args) => connect(context, args, true),
  },
  cudaGraphRemoveDependencies: {
    cost: callCost.unmeasured,
    run: (context, _call, ...args) => connect(context, args, false),
  },
  cudaGraphDestroyNode: {
    cost: callCost.unmeasured,
    run: (context, _call, handle) => {
      const node = context.graphNodes.get(handle!);
      if (!node) return InvalidValue;
      if (hasMemoryNodes(node.graph)) return NotSupported;
      node.graph.remove(node);
      return Success;
    },
  },

  cudaGraphInstantiate: { cost: 0, run: instantiate },
  cudaGraphInstantiateWithFlags: { cost: 0, run: instantiate },
  cudaGraphInstantiateWithParams: {
    cost: 0,
    run: (context, call, target, graph, parameters) => {
      const flags = context.memory.u32(parameters! + cudaGraphInstantiateParams.flags);
      const code = instantiate(context, call, target!, graph!, flags);
      const results: Record<number, number> = { [Success]: 0, [NotSupported]: 1 };
      context.memory.setFields(parameters!, cudaGraphInstantiateParams, { errorNode: 0, result: results[code] ?? 2 });
      return code;
    },
  },
  cudaGraphExecGetFlags: {
    cost: callCost.unmeasured,
    run: (context, _call, exec, target) => {
      const executable = context.executables.get(exec!);
      if (!executable) return InvalidValue;
      context.memory.setU64(target!, executable.flags);
      return Success;
    },
  },
  cudaGraphExecUpdate: { cost: 0, run: update },
  cudaGraphUpload: {
    cost: 0,
    run: (context, call, exec, stream) => {
      const executable = context.executables.get(exec!);
      if (!executable) return InvalidValue;
      if (context.streamOf(stream!) === null) return InvalidResourceHandle;
      const refused = refuseCaptured(context.captureOf(stream!), cudaError.StreamCaptureUnsupported);
      if (refused) return refused;
      const code = takeBlocks(context, executable, context.streamOf(stream!)!);
      if (code === Success) upload(context, call, executable);
      return code;
    },
  },
  cudaGraphLaunch: {
    cost: 250, // S8 ten_empty_chain launch_cpu: 0.23; what else it costs is in `graphs`
    stream: 1,
    launches: true,
    run: launch,
  },
  cudaGraphExecDestroy: {
    cost: 7000, // least api_duration under tracing, c_launch
    run: (context, call, exec) => {
      const executable = context.executables.get(exec!);
      if (!executable) return InvalidValue;
      context.system.graphCall(call, 'destroy-exec', executable.graph.shape());
      executable.graph.destroy();
      context.executables.delete(exec!);
      return Success;
    },
  },
};

export const hostFunctionCalls: Record<string, CudaCall> = {
  cudaLaunchHostFunc: {
    cost: 2200, // S5 host_function_cpu 3.1, fills.cu F2 cudaLaunchHostFunc 1.84 on a slower host
    stream: 0,
    run: (context, call, stream, callback, userData) => {
      if (callback === 0) return InvalidValue;
      return enqueue(context, call, stream!, { type: 'host', function: callback!, userData: userData!, stream: null });
    },
  },
  cudaStreamAddCallback: {
    cost: 2200,
    run: (context, call, stream, callback, userData, flags) => {
      if (callback === 0 || flags !== 0) return InvalidValue;
      const capture = context.captureOf(stream!);
      if (capture) return refuseCaptured(capture, cudaError.StreamCaptureUnsupported);
      return enqueue(context, call, stream!, {
        type: 'host',
        function: callback!,
        userData: userData!,
        stream: stream!,
      });
    },
  },
};
