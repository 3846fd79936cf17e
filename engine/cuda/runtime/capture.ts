/**
 * Stream capture: while a stream is captured, what is put into it becomes nodes of a graph. Other streams join by waiting
 * for an event of the capture. CUDA programming guide, "Creating a Graph Using Stream Capture".
 */
import { wordBytes } from '../host-exports.ts';
import { callCost } from '../../system/call-costs.ts';
import { isLegacyStream, type ApiCall, type StreamId } from '../../system/types.ts';
import type { ApiFunction, CudaCall } from './api.ts';
import type { CudaContext, EventState } from './context.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { addNode, makeGraph, nodeList, type Graph, type GraphNode, type Payload } from './graph.ts';

export interface Capture {
  readonly id: number;
  readonly graph: Graph;
  readonly origin: StreamId;
  readonly mode: number;
  /** Given by the program rather than made here. */
  readonly ownGraph: boolean;
  invalid: boolean;
  /** Per stream that takes part: the nodes that its next one depends on. */
  readonly tails: Map<StreamId, GraphNode[]>;
  /** The array of them that the program was shown last. */
  shown: number;
}

const { Success, InvalidValue, InvalidResourceHandle, IllegalState } = cudaError;
const relaxed = 2;
const status = { none: 0, active: 1, invalidated: 2 };

export function addCaptured(
  context: CudaContext,
  capture: Capture,
  stream: StreamId,
  payload: Payload,
  device: number,
): number {
  if (capture.invalid) return cudaError.StreamCaptureInvalidated;
  const node = addNode(context, capture.graph, payload, capture.tails.get(stream)!, device);
  if (payload.type === 'kernel') node.priority = context.priorityOf(stream);
  capture.tails.set(stream, [node]);
  return Success;
}

/** Captures that calls outside of graphs would break, unless the thread or all captures are relaxed. */
export function refuseUnsafe(context: CudaContext, synchronous: boolean): number {
  if (context.captures.size === 0 || context.thread.captureMode === relaxed) return Success;
  const strict = [...context.captures].filter(({ mode }) => mode !== relaxed);
  if (strict.length === 0) return Success;
  const blocking = strict.some(({ tails }) => [...tails.keys()].some((stream) => context.isBlocking(stream)));
  for (const capture of strict) capture.invalid = true;
  return synchronous && blocking ? cudaError.StreamCaptureImplicit : cudaError.StreamCaptureUnsupported;
}

/** The legacy default stream waits for blocking streams, which a capture cannot express. */
export function refuseLegacy(context: CudaContext): number {
  let code: number = Success;
  for (const capture of context.captures) {
    if (![...capture.tails.keys()].some((stream) => context.isBlocking(stream))) continue;
    capture.invalid = true;
    code = cudaError.StreamCaptureImplicit;
  }
  return code;
}

/** Calls that ask a captured stream or event for something that only running work has. */
export function refuseCaptured(capture: Capture | null, code: number): number {
  if (!capture) return Success;
  capture.invalid = true;
  return code;
}

export function recordCaptured(context: CudaContext, capture: Capture, event: EventState, stream: StreamId): number {
  if (capture.invalid) return cudaError.StreamCaptureInvalidated;
  event.captured = { capture, nodes: [...capture.tails.get(stream)!] };
  return Success;
}

/** `cudaStreamWaitEvent` where the event or the stream belongs to a capture. */
export function waitCaptured(context: CudaContext, event: EventState, stream: StreamId, own: Capture | null): number {
  const from = event.captured && context.captures.has(event.captured.capture) ? event.captured : null;
  if (!from) return refuseCaptured(own, cudaError.StreamCaptureIsolation);
  if (from.capture.invalid) return cudaError.StreamCaptureInvalidated;
  if (own && own !== from.capture) {
    own.invalid = from.capture.invalid = true;
    return cudaError.StreamCaptureMerge;
  }
  if (isLegacyStream(stream)) return refuseCaptured(from.capture, cudaError.StreamCaptureImplicit);
  const tails = from.capture.tails.get(stream) ?? [];
  from.capture.tails.set(stream, [...new Set([...tails, ...from.nodes])]);
  return Success;
}

function begin(
  context: CudaContext,
  call: ApiCall,
  handle: number,
  mode: number,
  graph: Graph | null,
  tails: GraphNode[],
): number {
  const stream = context.streamOf(handle);
  if (stream === null) return InvalidResourceHandle;
  if (isLegacyStream(stream)) return cudaError.StreamCaptureUnsupported;
  if (mode > relaxed) return InvalidValue;
  if (context.captureOf(handle)) return IllegalState;
  const made = graph ?? makeGraph(context, call);
  const capture: Capture = {
    id: context.newHandle(),
    graph: made,
    origin: stream,
    mode,
    ownGraph: graph === null,
    invalid: false,
    tails: new Map([[stream, tails]]),
    shown: 0,
  };
  context.captures.add(capture);
  return Success;
}

function end(context: CudaContext, handle: number, target: number): number {
  const stream = context.streamOf(handle);
  if (stream === null) return InvalidResourceHandle;
  const capture = context.captureOf(handle);
  if (!capture) return IllegalState;
  if (capture.origin !== stream) {
    capture.invalid = true;
    return cudaError.StreamCaptureUnmatched;
  }
  context.captures.delete(capture);
  const joined = new Set<GraphNode>();
  const visit = (node: GraphNode): void => {
    if (joined.has(node)) return;
    joined.add(node);
    node.dependencies.forEach(visit);
  };
  capture.tails.get(stream)!.forEach(visit);
  const unjoined = [...capture.tails.values()].some((nodes) => nodes.some((node) => !joined.has(node)));
  if (capture.invalid || unjoined) {
    if (capture.ownGraph) capture.graph.destroy();
    if (target !== 0) context.memory.setWord(target, 0);
    return capture.invalid ? cudaError.StreamCaptureInvalidated : cudaError.StreamCaptureUnjoined;
  }
  if (target !== 0) context.memory.setWord(target, capture.graph.handle);
  return Success;
}

const statusOf = (capture: Capture | null): number =>
  !capture ? status.none : capture.invalid ? status.invalidated : status.active;

const captureInfo: ApiFunction = (context, _call, handle, statusTarget, id, graph, dependencies, count) => {
  const stream = context.streamOf(handle!);
  if (stream === null) return InvalidResourceHandle;
  const capture = context.captureOf(handle!);
  context.memory.setU32(statusTarget!, statusOf(capture));
  if (!capture || capture.invalid) return Success;
  const tails = capture.tails.get(stream)!;
  if (id) context.memory.setU64(id, BigInt(capture.id));
  if (graph) context.memory.setWord(graph, capture.graph.handle);
  if (dependencies) {
    if (capture.shown) context.free(capture.shown);
    capture.shown = context.malloc(wordBytes * Math.max(1, tails.length));
    tails.forEach((node, index) => context.memory.setWord(capture.shown + wordBytes * index, node.handle));
    context.memory.setWord(dependencies, capture.shown);
  }
  if (count) context.memory.setWord(count, tails.length);
  return Success;
};

export const captureCalls: Record<string, CudaCall> = {
  cudaStreamBeginCapture: {
    cost: 830, // C2 graph_capture 1 to 1000: 1.35 for the pair, 0.41 for each kernel
    run: (context, call, stream, mode) => begin(context, call, stream!, mode!, null, []),
  },
  cudaStreamBeginCaptureToGraph: {
    cost: callCost.unmeasured,
    run: (context, call, stream, handle, dependencies, _data, count, mode) => {
      const graph = context.graphs.get(handle!);
      const tails = nodeList(context, dependencies!, count!);
      return graph && tails ? begin(context, call, stream!, mode!, graph, tails) : InvalidValue;
    },
  },
  cudaStreamEndCapture: { cost: 520, run: (context, _call, stream, graph) => end(context, stream!, graph!) },
  cudaStreamIsCapturing: {
    cost: 48,
    run: (context, _call, stream, target) => {
      const id = context.streamOf(stream!);
      if (id === null) return InvalidResourceHandle;
      if (isLegacyStream(id) && refuseLegacy(context)) return cudaError.StreamCaptureImplicit;
      context.memory.setU32(target!, statusOf(context.captureOf(stream!)));
      return Success;
    },
  },
  cudaStreamGetCaptureInfo: { cost: callCost.unmeasured, run: captureInfo },
  cudaStreamUpdateCaptureDependencies: {
    cost: callCost.unmeasured,
    run: (context, _call, handle, dependencies, count, flags) => {
      const capture = context.captureOf(handle!);
      const nodes = nodeList(context, dependencies!, count!);
      if (!capture) return IllegalState;
      if (!nodes || flags! > 1) return InvalidValue;
      const stream = context.streamOf(handle!)!;
      capture.tails.set(stream, [...new Set([...(flags === 0 ? capture.tails.get(stream)! : []), ...nodes])]);
      return Success;
    },
  },
  cudaThreadExchangeStreamCaptureMode: {
    cost: callCost.unmeasured,
    run: (context, _call, target) => {
      const wanted = context.memory.u32(target!);
      if (wanted > relaxed) return InvalidValue;
      context.memory.setU32(target!, context.thread.captureMode);
      context.thread.captureMode = wanted;
      return Success;
    },
  },
};
