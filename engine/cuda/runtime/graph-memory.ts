/**
 * Memory that graphs allocate. Each node that allocates has an address from when it is added, without memory: that comes when
 * the node runs, and goes when a node or a call frees it. CUDA programming guide, "Graph Memory Nodes"; errors as
 * an H200 gives them (test/programs/runtime/graph_memory.cu), figures from test/reference/h200/mem_nodes.json.
 */
import { ns } from '../../base/units.ts';
import { isLegacyStream, type StreamId } from '../../system/types.ts';
import type { CudaContext } from './context.ts';
import type { DeviceState } from './device-state.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import type { Executable, Graph, GraphNode, Payload } from './graph.ts';

/** The driver gives graphs memory in blocks of this size. M4: 32 MB for 1 to 32 MB, 64 for 33. */
const blockBytes = 32 << 20;

/** Alignment of `cudaMalloc`, and the gap left unallocated behind each allocation, so that accesses beyond its end are noticed. */
const alignment = 256;

/** Addresses of a graph, kept while a node or memory that is allocated there needs them. */
export interface Reservation {
  readonly address: number;
  readonly bytes: number;
  holders: number;
}

/** Memory that the launch of an executable allocated. */
export interface GraphAllocation {
  readonly executable: Executable;
  readonly place: Reservation;
}

/** `device`: an ordinal. */
export interface AllocPayload {
  type: 'alloc';
  address: number;
  bytes: number;
  device: number;
  place: Reservation;
}
export interface FreePayload {
  type: 'free';
  address: number;
}

/** The blocks that a device gave to graphs. */
export class GraphMemory {
  /** Blocks, each with the executable that used it last, and in which stream: those that come after it there can reuse it. */
  private blocks: { user: Executable; stream: StreamId }[] = [];
  /** `cudaGraphMemAttrUsedMemHigh`, `cudaGraphMemAttrReservedMemHigh` */
  readonly most = { used: 0, reserved: 0 };

  /** Reserved bytes, which all count as used (M4). */
  get bytes(): number {
    return this.blocks.length * blockBytes;
  }

  /** Has an executable find its memory in a stream; the number of blocks by which the device's memory for graphs grows. */
  growth(user: Executable, stream: StreamId, bytes: number, holding: ReadonlySet<Executable>): number {
    let missing = Math.ceil(bytes / blockBytes) - this.blocks.filter((block) => block.user === user).length;
    for (const block of this.blocks) {
      if (missing <= 0) break;
      if (block.user === user || block.stream !== stream || holding.has(block.user)) continue;
      block.user = user;
      missing--;
    }
    for (const block of this.blocks) if (block.user === user) block.stream = stream;
    return Math.max(0, missing);
  }

  grow(user: Executable, stream: StreamId, count: number): void {
    for (let i = 0; i < count; i++) this.blocks.push({ user, stream });
    this.most.used = Math.max(this.most.used, this.bytes);
    this.most.reserved = Math.max(this.most.reserved, this.bytes);
  }

  /** `cudaDeviceGraphMemTrim`: gives back what no allocation and no running graph needs. */
  trim(isNeeded: (user: Executable, stream: StreamId) => boolean): void {
    this.blocks = this.blocks.filter(({ user, stream }) => isNeeded(user, stream));
  }

  reset(): void {
    this.blocks = [];
    this.most.used = this.most.reserved = 0;
  }
}

const isMemoryNode = ({ payload }: GraphNode): boolean => payload.type === 'alloc' || payload.type === 'free';

/** Programming guide: such a graph cannot be cloned, be a child, lose nodes or edges, or have two executables at a time. */
export const hasMemoryNodes = ({ nodes }: Graph): boolean => nodes.some(isMemoryNode);

/** A node holds the addresses of what it allocates. */
export function hold(context: CudaContext, payload: Payload): void {
  if (payload.type !== 'alloc') return;
  payload.place.holders++;
  context.allocatingNodes.set(payload.address, (context.allocatingNodes.get(payload.address) ?? 0) + 1);
}

export function unhold(context: CudaContext, payload: Payload): void {
  if (payload.type !== 'alloc') return;
  const left = context.allocatingNodes.get(payload.address)! - 1;
  if (left > 0) context.allocatingNodes.set(payload.address, left);
  else context.allocatingNodes.delete(payload.address);
  letGo(context, payload.place);
}

export function letGo(context: CudaContext, place: Reservation): void {
  if (--place.holders > 0) return;
  context.graphPlaces.remove(place.address);
  context.device.unreserve(place.address, place.bytes);
}

/** A node that allocates, behind others; an error code where that cannot be. */
export function allocation(
  context: CudaContext,
  graph: Graph,
  { bytes, device }: { bytes: number; device: number },
  behind: readonly GraphNode[],
): AllocPayload | number {
  if (bytes === 0) return cudaError.InvalidValue;
  const { gpu } = context.devices[device]!;
  if (bytes > gpu.memory.capacityBytes) return cudaError.MemoryAllocation;
  const again = reusable(graph, bytes, device, behind);
  if (again) return { type: 'alloc', bytes, device, ...again };
  const address = context.device.reserve(bytes);
  if (address === null) return cudaError.MemoryAllocation;
  const place = { address, bytes, holders: 0 };
  context.graphPlaces.add(address, bytes, place);
  return { type: 'alloc', address, bytes, device, place };
}

/** First fit among the addresses whose memory nodes before this one have freed. */
function reusable(
  graph: Graph,
  bytes: number,
  device: number,
  behind: readonly GraphNode[],
): { address: number; place: Reservation } | null {
  const before = ancestors(behind);
  const freed = new Map<number, number>();
  for (const { payload } of before) {
    if (payload.type === 'free') freed.set(payload.address, (freed.get(payload.address) ?? 0) + 1);
  }
  if (freed.size === 0) return null;
  /** Ranges that may still be in use, by reservation. Of two nodes with one address, the earlier is freed first. */
  const taken = new Map<Reservation, { start: number; end: number }[]>();
  for (const { payload } of graph.nodes) {
    if (payload.type !== 'alloc' || payload.device !== device) continue;
    const ranges = taken.get(payload.place) ?? [];
    taken.set(payload.place, ranges);
    const left = freed.get(payload.address) ?? 0;
    if (left > 0) freed.set(payload.address, left - 1);
    else ranges.push({ start: payload.address, end: payload.address + payload.bytes });
  }
  for (const [place, ranges] of taken) {
    let address = place.address;
    for (const { start, end } of [...ranges, endOf(place)].sort((a, b) => a.start - b.start)) {
      if (address + bytes <= start) return { address, place };
      address = Math.max(address, Math.ceil(end / alignment) * alignment + alignment);
    }
  }
  return null;
}

const endOf = ({ address, bytes }: Reservation) => ({ start: address + bytes, end: address + bytes });

function ancestors(nodes: readonly GraphNode[]): Set<GraphNode> {
  const found = new Set(nodes);
  // A set goes on to what is added to it.
  for (const node of found) for (const dependency of node.dependencies) found.add(dependency);
  return found;
}

/** A node that frees what a graph allocates: once in each graph that has it. */
export function release(context: CudaContext, graph: Graph, address: number): FreePayload | number {
  if (!context.allocatingNodes.has(address)) return cudaError.InvalidValue;
  let [allocated, freed] = [0, 0];
  for (const { payload } of graph.nodes) {
    if (payload.type === 'alloc' && payload.address === address) allocated++;
    if (payload.type === 'free' && payload.address === address) freed++;
  }
  return freed < Math.max(1, allocated) ? { type: 'free', address } : cudaError.InvalidValue;
}

const autoFreeOnLaunch = 1n;

/**
 * Before a launch: frees what the last one left if the executable is to do so, and has the devices give it memory. Nothing
 * happens when the launch would allocate what is allocated, or free what is not.
 */
export function enterLaunch(context: CudaContext, executable: Executable, stream: StreamId): number {
  if (!hasMemoryNodes(executable.graph)) return cudaError.Success;
  const nodes = executable.graph.ordered()!.map(({ payload }) => payload);
  const isLive = (address: number): boolean => context.deviceAllocations.find(address)?.start === address;
  const left =
    executable.flags & autoFreeOnLaunch
      ? new Set(nodes.flatMap((node) => (node.type === 'alloc' && isLive(node.address) ? [node.address] : [])))
      : new Set<number>();
  const changed = new Map([...left].map((address): [number, boolean] => [address, false]));
  for (const node of nodes) {
    if (node.type !== 'alloc' && node.type !== 'free') continue;
    const live = changed.get(node.address) ?? isLive(node.address);
    if (live === (node.type === 'alloc')) return cudaError.InvalidValue;
    changed.set(node.address, !live);
  }
  const code = takeBlocks(context, executable, stream);
  if (code === cudaError.Success) for (const address of left) context.freeDevice(address);
  return code;
}

/** Memory for an executable, as its first launch or `cudaGraphUpload` takes it. */
export function takeBlocks(context: CudaContext, executable: Executable, stream: StreamId): number {
  const places = new Map<Reservation, number>();
  for (const { payload } of executable.graph.nodes)
    if (payload.type === 'alloc') places.set(payload.place, payload.device);
  for (const device of context.devices) {
    const own = [...places].filter(([, index]) => index === device.index);
    const bytes = own.reduce((sum, [place]) => sum + place.bytes, 0);
    if (bytes === 0) continue;
    const count = device.graphMemory.growth(executable, stream, bytes, holding(context));
    if (count === 0) continue;
    if (count * blockBytes > device.gpu.memory.capacityBytes - context.allocatedOn(device)) {
      return cudaError.MemoryAllocation;
    }
    device.graphMemory.grow(executable, stream, count);
    const { fixed, perBlock } = context.system.host.graphs.calls.memory;
    context.system.hostWork(ns(fixed + perBlock * count));
  }
  return cudaError.Success;
}

/** The executables some of whose memory is allocated. */
const holding = (context: CudaContext): Set<Executable> =>
  new Set(context.deviceAllocations.list.flatMap(({ info }) => (info.graph ? [info.graph.executable] : [])));

/** The work of a memory node; false when the device is lost, or full. */
export function performMemory(
  context: CudaContext,
  executable: Executable,
  payload: AllocPayload | FreePayload,
  on: DeviceState,
): boolean {
  if (on.lost) return false;
  const { address } = payload;
  if (payload.type === 'free') return context.freeDevice(address);
  const { bytes, device, place } = payload;
  if (!context.device.place(address, bytes, device)) {
    context.failedUnseen(cudaError.MemoryAllocation, 'There is no memory left for a graph.', on);
    return false;
  }
  place.holders++;
  context.allocated(address, bytes, { device, pool: null, graph: { executable, place } });
  return true;
}

export function trim(context: CudaContext, { graphMemory }: DeviceState): void {
  const held = holding(context);
  const streams = new Set([...context.streams.values()].map(({ id }) => id));
  const isRunning = (stream: StreamId): boolean =>
    (isLegacyStream(stream) || streams.has(stream)) && !context.system.queryStream(stream);
  graphMemory.trim((user, stream) => held.has(user) || isRunning(stream));
}

const attribute = { used: 0, mostUsed: 1, reserved: 2, mostReserved: 3 };

export function getGraphMemory({ graphMemory }: DeviceState, which: number): number | null {
  const { bytes, most } = graphMemory;
  return [bytes, most.used, bytes, most.reserved][which] ?? null;
}

/** High-water marks can be reset, to zero only. */
export function resetGraphMemory({ graphMemory }: DeviceState, which: number, value: bigint): boolean {
  if (value !== 0n) return false;
  const { bytes, most } = graphMemory;
  if (which === attribute.mostUsed) most.used = bytes;
  else if (which === attribute.mostReserved) most.reserved = bytes;
  else return false;
  return true;
}
