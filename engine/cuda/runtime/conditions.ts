/**
 * Conditions of graphs. A handle is the address of the condition in device memory: `cudaGraphSetConditional` is a store there, and a
 * conditional node looks at what it finds when its turn comes.
 */
import { cudaConditionalNodeParams } from './abi.ts';
import type { CudaContext } from './context.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { wordBytes } from '../host-exports.ts';
import type { Graph } from './graph.ts';

/** A condition, which the graph that it was made for and executables of that share. */
export interface Condition {
  address: number;
  /** What each launch begins with; null: what the one before left. */
  launchValue: number | null;
  holders: number;
}

/** `cudaGraphConditionalNodeType` */
const kinds = ['if', 'while', 'switch'] as const;

export interface ConditionalPayload {
  type: 'conditional';
  kind: (typeof kinds)[number];
  address: number;
  bodies: Graph[];
  /** The array of its bodies' handles that the program was shown. */
  shown: number;
}

const conditionBytes = 4;
const assignDefault = 1;

/** `cudaGraphConditionalHandleCreate` */
export function makeCondition(context: CudaContext, args: number[]): number {
  const [target, handle, value, flags] = args as [number, number, number, number];
  const graph = context.graphs.get(handle);
  if (target === 0 || !graph || flags > assignDefault) return cudaError.InvalidValue;
  const address = context.device.allocate(conditionBytes, 0, context.current.index);
  if (address === null) return cudaError.MemoryAllocation;
  const condition = { address, launchValue: flags === assignDefault ? value : null, holders: 1 };
  graph.conditions.add(condition);
  setValue(context, condition.address, 0);
  context.memory.setU64(target, BigInt(address));
  return cudaError.Success;
}

export function releaseCondition(context: CudaContext, condition: Condition): void {
  if (--condition.holders === 0) context.device.free(condition.address);
}

/** From `cudaConditionalNodeParams`; `newGraph` makes its bodies. */
export function conditionalFromParameters(
  context: CudaContext,
  at: number,
  newGraph: () => Graph,
): ConditionalPayload | number {
  const { memory } = context;
  const { handle, type, size, phGraph_out: out } = cudaConditionalNodeParams;
  const kind = kinds[memory.u32(at + type)];
  const count = memory.u32(at + size);
  const address = Number(memory.u64(at + handle));
  const most = kind === 'while' ? 1 : kind === 'if' ? 2 : Infinity;
  const isKnown = [...context.graphs.values()].some(({ conditions }) =>
    [...conditions].some((each) => each.address === address),
  );
  if (kind === undefined || count < 1 || count > most || !isKnown) return cudaError.InvalidValue;
  const bodies = Array.from({ length: count }, newGraph);
  const shown = context.malloc(wordBytes * count);
  bodies.forEach((body, i) => memory.setWord(shown + wordBytes * i, body.handle));
  memory.setWord(at + out, shown);
  return { type: 'conditional', kind, address, bodies, shown };
}

function setValue({ device }: CudaContext, address: number, value: number): void {
  const bytes = Buffer.alloc(conditionBytes);
  bytes.writeUInt32LE(value);
  for (const piece of device.pieces(address, conditionBytes, true)) piece.set(bytes);
}

/** The body that comes next by the value of the condition; null: none. */
export function chosenBody({ device }: CudaContext, { kind, address, bodies }: ConditionalPayload): Graph | null {
  const value = Buffer.concat([...device.pieces(address, conditionBytes, false)]).readUInt32LE();
  const index = kind === 'switch' ? value : value !== 0 ? 0 : kind === 'if' ? 1 : -1;
  return bodies[index] ?? null;
}

/** Graphs in the nodes of a graph. */
export const graphsIn = ({ nodes }: Graph): Graph[] =>
  nodes.flatMap(({ payload }) =>
    payload.type === 'child' ? [payload.graph] : payload.type === 'conditional' ? payload.bodies : [],
  );

/** A launch begins: conditions of the graph and of those in it have the values that they are to begin with. */
export function assignConditions(context: CudaContext, graph: Graph): void {
  for (const { address, launchValue } of graph.conditions)
    if (launchValue !== null) setValue(context, address, launchValue);
  for (const inner of graphsIn(graph)) assignConditions(context, inner);
}
