/** Graphs: nodes and edges as the program makes them, executables as snapshots of them. */
import { SimsightError } from '../../base/errors.ts';
import { wordBytes } from '../host-exports.ts';
import type { GraphCreationEvent } from '../../model/event-kinds/graph-creation.ts';
import type { GraphNodeShape } from '../../system/graphs.ts';
import type { ApiCall, GraphNodeRequest, StreamId } from '../../system/types.ts';
import {
  assignConditions,
  chosenBody,
  graphsIn,
  releaseCondition,
  type Condition,
  type ConditionalPayload,
} from './conditions.ts';
import type { CudaContext } from './context.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { hold, performMemory, unhold, type AllocPayload, type FreePayload } from './graph-memory.ts';
import { releaseObject, type UserObject } from './user-objects.ts';
import { perform, type Work } from './work.ts';

export type Payload = Work | { type: 'child'; graph: Graph } | ConditionalPayload | AllocPayload | FreePayload;

/** `cudaGraphNodeType` */
export const nodeTypes: Record<Payload['type'], number> = {
  kernel: 0,
  copy: 1,
  memset: 2,
  host: 3,
  child: 4,
  empty: 5,
  'event-wait': 6,
  'event-record': 7,
  alloc: 10,
  free: 11,
  conditional: 13,
};

/** CUPTI: the graph's number in the high word of a node's. */
const idsPerGraph = 2 ** 32;

export interface GraphNode {
  readonly handle: number;
  readonly graph: Graph;
  /** Id as CUPTI numbers nodes: the graph's number, then the node's. */
  readonly id: number;
  /** Ordinal of the device that does its work. */
  readonly device: number;
  payload: Payload;
  readonly dependencies: Set<GraphNode>;
  enabled: boolean;
  /** Priority of a kernel: `cudaLaunchAttributePriority`. */
  priority: number;
  /** Attributes of kernels that change nothing, by `cudaLaunchAttributeID`. */
  readonly attributes: Map<number, Uint8Array>;
  /** The struct with the node's parameters that the program was shown. */
  shown: number;
}

export class Graph {
  readonly handle: number;
  readonly id: number;
  /** Nodes in the order in which they were added. */
  readonly nodes: GraphNode[] = [];
  /** Its references to objects of the program. */
  readonly userObjects = new Map<UserObject, number>();
  /** Conditions that were made for it. */
  readonly conditions = new Set<Condition>();
  /** Nodes of the graph that this is a clone of. */
  readonly origins = new Map<GraphNode, GraphNode>();
  nextNode = 0;
  private readonly context: CudaContext;

  constructor(context: CudaContext) {
    this.context = context;
    this.handle = context.newHandle();
    this.id = context.nextGraphId();
    context.graphs.set(this.handle, this);
  }

  /** Nodes with those of child graphs, which is what costs depend on; without what they depend on where there is a cycle. */
  shape(): GraphNodeShape[] {
    const flat = this.isAcyclic() ? flatten(this) : nodesOf(this).map((node) => ({ node, dependencies: [] }));
    return flat.map(({ node: { payload }, dependencies }) => ({ dependencies, work: shapeOf(payload) }));
  }

  private isAcyclic(): boolean {
    return this.ordered() !== null && graphsIn(this).every((graph) => graph.isAcyclic());
  }

  edges(): [from: GraphNode, to: GraphNode][] {
    return this.nodes.flatMap((to) => [...to.dependencies].map((from): [GraphNode, GraphNode] => [from, to]));
  }

  remove(node: GraphNode): void {
    this.nodes.splice(this.nodes.indexOf(node), 1);
    for (const other of this.nodes) other.dependencies.delete(node);
    this.context.graphNodes.delete(node.handle);
    unhold(this.context, node.payload);
    if (node.payload.type === 'child') node.payload.graph.destroy();
    else if (node.payload.type === 'conditional') {
      for (const body of node.payload.bodies) body.destroy();
      if (node.payload.shown !== 0) this.context.free(node.payload.shown);
    }
  }

  destroy(): void {
    for (const node of [...this.nodes]) this.remove(node);
    this.context.graphs.delete(this.handle);
    for (const [object, count] of this.userObjects) releaseObject(this.context, object, count);
    for (const condition of this.conditions) releaseCondition(this.context, condition);
  }

  clone(): Graph {
    const copy = new Graph(this.context);
    for (const node of this.nodes) {
      const { payload } = node;
      const own = payloadOfClone(payload);
      const made = addNode(this.context, copy, own, [], node.device);
      made.enabled = node.enabled;
      copyAttributes(node, made);
      copy.origins.set(node, made);
    }
    for (const inner of graphsIn(copy)) for (const [from, to] of inner.origins) copy.origins.set(from, to);
    for (const condition of this.conditions) {
      condition.holders++;
      copy.conditions.add(condition);
    }
    for (const [object, count] of this.userObjects) {
      object.references += count;
      copy.userObjects.set(object, count);
    }
    for (const [from, to] of this.edges()) copy.origins.get(to)!.dependencies.add(copy.origins.get(from)!);
    return copy;
  }

  /** Nodes in an order in which they can run, the earliest added first; null when there is a cycle. */
  ordered(): GraphNode[] | null {
    const missing = new Map(this.nodes.map((node) => [node, node.dependencies.size]));
    const followers = new Map<GraphNode, GraphNode[]>();
    for (const [from, to] of this.edges()) followers.set(from, [...(followers.get(from) ?? []), to]);
    const ready = this.nodes.filter((node) => node.dependencies.size === 0);
    const order: GraphNode[] = [];
    for (let next = 0; next < ready.length; next++) {
      const node = ready[next]!;
      order.push(node);
      for (const follower of followers.get(node) ?? []) {
        const left = missing.get(follower)! - 1;
        missing.set(follower, left);
        if (left === 0) ready.push(follower);
      }
    }
    return order.length === this.nodes.length ? order : null;
  }
}

function payloadOfClone(payload: Payload): Payload {
  if (payload.type === 'child') return { type: 'child', graph: payload.graph.clone() };
  if (payload.type !== 'conditional') return payload;
  return { ...payload, bodies: payload.bodies.map((body) => body.clone()), shown: 0 };
}

/** Records an object that a call creates in the trace: graphs, clones of them, executables. */
function created(context: CudaContext, call: ApiCall, made: GraphCreationEvent['made']): void {
  context.system.eventOfCall(call, { type: 'graph-creation', made });
}

export function makeGraph(context: CudaContext, call: ApiCall): Graph {
  const graph = new Graph(context);
  created(context, call, { kind: 'graph', graphId: graph.id });
  return graph;
}

export function makeClone(context: CudaContext, call: ApiCall, graph: Graph): Graph {
  const clone = graph.clone();
  created(context, call, { kind: 'clone', graphId: clone.id, originalGraphId: graph.id });
  return clone;
}

/** Attributes of a kernel node, but for whether it is cooperative, which is a part of its work. */
export function copyAttributes(from: GraphNode, to: GraphNode): void {
  to.priority = from.priority;
  to.attributes.clear();
  for (const [id, value] of from.attributes) to.attributes.set(id, value);
}

/** A node that was instantiated, with child graphs taken apart. */
interface FlatNode {
  node: GraphNode;
  /** Id in the executable: nodes of child graphs are numbered on. */
  id: number;
  dependencies: number[];
}

/** `cudaGraphInstantiateFlagUseNodePriority` */
const useNodePriority = 8n;

export class Executable {
  readonly handle: number;
  readonly flags: bigint;
  /** A clone of what was instantiated, so that later changes of the graph do not matter. */
  readonly graph: Graph;
  /** Graph that was instantiated. */
  readonly source: Graph;
  uploaded = false;
  private flat: FlatNode[] | null = null;

  constructor(context: CudaContext, call: ApiCall, source: Graph, flags: bigint) {
    this.handle = context.newHandle();
    this.flags = flags;
    this.source = source;
    this.graph = source.clone();
    context.executables.set(this.handle, this);
    created(context, call, { kind: 'executable', graphId: source.id, graphExecId: this.graph.id });
  }

  /** The node made from one of the graph's. */
  nodeOf(original: GraphNode): GraphNode | undefined {
    return this.graph.origins.get(original);
  }

  /** The structure has changed: a child graph was replaced. */
  invalidate(): void {
    this.flat = null;
  }

  /** Does the work of all nodes, one after the other, up to one that fails; null when the device is lost. */
  run(context: CudaContext, stream: StreamId): GraphNodeRequest[] | null {
    this.flat ??= flatten(this.graph);
    assignConditions(context, this.graph);
    const requests: GraphNodeRequest[] = [];
    const ended = this.runNodes(context, stream, this.flat, [], requests);
    return ended === 'lost' ? null : requests;
  }

  /**
   * Does the work of nodes that start when those at the places `before` have ended, and returns the places of the last ones. `failed`: the
   * last of the requests did, and nodes behind it never begin.
   */
  private runNodes(
    context: CudaContext,
    stream: StreamId,
    flat: readonly FlatNode[],
    before: readonly number[],
    requests: GraphNodeRequest[],
  ): number[] | 'failed' | 'lost' {
    /** Places that have ended when a node has, for each node. */
    const ends: number[][] = [];
    for (const { node, id: nodeId, dependencies: nodes } of flat) {
      const { payload } = node;
      const device = context.devices[node.device]!;
      const dependencies = nodes.length === 0 ? [...before] : [...new Set(nodes.flatMap((index) => ends[index]!))];
      if (payload.type === 'alloc' || payload.type === 'free') {
        if (!performMemory(context, this, payload, device)) return 'lost';
        ends.push(dependencies);
        continue;
      }
      const on = {
        ...(node.device === 0 ? {} : { device: node.device }),
        ...(this.flags & useNodePriority ? { priority: node.priority } : {}),
      };
      if (payload.type === 'conditional') {
        const ended = this.runConditional(
          context,
          stream,
          { payload, request: { nodeId, ...on, dependencies } },
          requests,
        );
        if (typeof ended === 'string') return ended;
        ends.push(ended);
        continue;
      }
      const isWork = payload.type !== 'child' && node.enabled;
      const work = isWork ? perform(context, payload, device, stream) : ({ type: 'empty' } as const);
      if (!work) return 'lost';
      const first = requests.length;
      requests.push({ nodeId, ...on, dependencies, work });
      if (work.type === 'kernel' && work.failure) return 'failed';
      const children = (work.type === 'kernel' && work.children?.kernels) || [];
      for (const { dependencies: inTree, gap, launcher, work: own } of children) {
        const before = inTree.map((index) => first + index);
        const child = { gap, launcher: launcher && { ...launcher, index: first + launcher.index } };
        requests.push({ nodeId, ...on, dependencies: before, child, work: { type: 'kernel', ...own } });
      }
      const followed = new Set(children.flatMap((child) => child.dependencies));
      const last = [...Array(children.length + 1).keys()].filter((i) => !followed.has(i)).map((i) => first + i);
      if (work.type === 'kernel' && work.children) {
        const child = { gap: work.children.ending, launcher: null };
        const done = requests.push({ nodeId, ...on, dependencies: last, child, work: { type: 'empty' } });
        ends.push([done - 1]);
      } else ends.push(last);
    }
    const inner = new Set(flat.flatMap(({ dependencies }) => dependencies));
    return [...new Set(ends.filter((_, i) => !inner.has(i)).flat())];
  }

  /** The bodies that a conditional node comes to, each behind a place of its own where it looks at its condition. */
  private runConditional(
    context: CudaContext,
    stream: StreamId,
    { payload, request }: { payload: ConditionalPayload; request: Omit<GraphNodeRequest, 'work'> },
    requests: GraphNodeRequest[],
  ): number[] | 'failed' | 'lost' {
    let { dependencies } = request;
    for (;;) {
      const place = requests.push({ ...request, dependencies, work: { type: 'empty' } }) - 1;
      const body = chosenBody(context, payload);
      if (body === null) return [place];
      const ended = this.runNodes(context, stream, flatten(body), [place], requests);
      if (typeof ended === 'string') return ended;
      const hasWorked = requests.slice(place).some(({ work }) => work.type !== 'empty');
      if (payload.kind === 'while' && !hasWorked) {
        const message =
          'A conditional node of a graph goes around for ever: nothing in its body could change its condition.';
        context.failedUnseen(cudaError.LaunchFailure, message, context.current);
        return 'lost';
      }
      dependencies = ended.length === 0 ? [place] : ended;
      if (payload.kind !== 'while') return dependencies;
    }
  }
}

/** Nodes of a graph, with those of child graphs. */
const nodesOf = (graph: Graph): GraphNode[] =>
  graph.nodes.flatMap((node) => (node.payload.type === 'child' ? nodesOf(node.payload.graph) : [node]));

function shapeOf(payload: Payload): GraphNodeShape['work'] {
  switch (payload.type) {
    case 'copy':
    case 'memset': {
      const bytes = payload.width * payload.height * payload.depth;
      return payload.type === 'memset'
        ? { type: 'memset', bytes }
        : { type: 'copy', direction: payload.direction, bytes };
    }
    case 'child':
    case 'conditional':
      return { type: 'empty' };
    case 'alloc':
    case 'free':
      return { type: 'memory' };
    default:
      return { type: payload.type };
  }
}

function flatten(graph: Graph): FlatNode[] {
  const flat: FlatNode[] = [];
  let next = graph.nextNode;
  const add = (part: Graph, before: number[]): number[] => {
    /** Flat nodes that represent a node for those that depend on it, by index. */
    const ends = new Map<GraphNode, number[]>();
    const inner = new Set<GraphNode>();
    for (const node of part.ordered() ?? raise()) {
      const own = [...node.dependencies].flatMap((dependency) => ends.get(dependency)!);
      const dependencies = node.dependencies.size === 0 ? before : [...new Set(own)];
      for (const dependency of node.dependencies) inner.add(dependency);
      if (node.payload.type === 'child' && node.payload.graph.nodes.length > 0) {
        ends.set(node, add(node.payload.graph, dependencies));
      } else {
        ends.set(node, [flat.length]);
        const id = part === graph ? node.id : graph.id * idsPerGraph + next++;
        flat.push({ node, id, dependencies });
      }
    }
    return part.nodes.filter((node) => !inner.has(node)).flatMap((node) => ends.get(node)!);
  };
  add(graph, []);
  return flat;
}

function raise(): never {
  throw new SimsightError('internal', 'A graph with a cycle was instantiated.', 'Please report it.');
}

export function addNode(
  context: CudaContext,
  graph: Graph,
  payload: Payload,
  dependencies: GraphNode[],
  device = context.current.index,
): GraphNode {
  const node: GraphNode = {
    handle: context.newHandle(),
    graph,
    id: graph.id * idsPerGraph + graph.nextNode++,
    device,
    payload,
    dependencies: new Set(dependencies),
    enabled: true,
    priority: 0,
    attributes: new Map(),
    shown: 0,
  };
  graph.nodes.push(node);
  context.graphNodes.set(node.handle, node);
  hold(context, payload);
  return node;
}

/** An array of node handles; null when one is wrong. */
export function nodeList(context: CudaContext, address: number, count: number): GraphNode[] | null {
  if (count > 0 && address === 0) return null;
  const nodes: GraphNode[] = [];
  for (let index = 0; index < count; index++) {
    const node = context.graphNodes.get(context.memory.word(address + wordBytes * index));
    if (!node) return null;
    nodes.push(node);
  }
  return nodes;
}
