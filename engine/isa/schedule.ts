/**
 * Order of the instructions of a block as ptxas would choose it: what leads to the longest wait goes first, as far as
 * dependences, the order of memory and barriers, and the number of registers allow.
 */
import { clockOpcode, type MachineInstruction } from './machine.ts';

/** Instructions may overtake so many others: the first of these that leaves enough registers, else the usual one. */
export const windows = [256, 64, 32, 16, 8, 4, 1] as const;
export const usualWindow = 64;
/** Those that free as many registers as they take may overtake more: chains that do not depend on each other go side by side. */
const farWindow = 1024;

/** About when a result is there; only the order of magnitude matters. */
function latencyOf({ kind, opcode }: MachineInstruction): number {
  if (kind === 'load-global' || kind === 'load-local' || kind === 'atomic-global') return 200;
  if (kind === 'load-shared' || kind === 'shuffle' || kind === 'load-constant' || kind === 'atomic-shared') return 28;
  if (kind === 'special' || kind === 'conversion' || /^S2/.test(opcode)) return 20;
  return kind === 'fp64' || kind === 'tensor' ? 16 : 4;
}

/** What keeps its order with everything. */
const isFence = ({ kind, opcode }: MachineInstruction): boolean =>
  kind === 'branch' || kind === 'vote' || /DEPBAR|^NANOSLEEP/.test(opcode) || opcode === clockOpcode;
/** What keeps its order with those, and with memory. */
const isBarrier = ({ kind }: MachineInstruction): boolean => kind === 'barrier';

export function schedule(instructions: MachineInstruction[], window: number = usualWindow): MachineInstruction[] {
  const count = instructions.length;
  if (count < 3) return instructions;
  const after: { to: number; latency: number }[][] = instructions.map(() => []);
  const waits = new Int32Array(count);
  const depend = (from: number, to: number, latency: number): void => {
    after[from]!.push({ to, latency });
    waits[to]!++;
  };
  const maker = new Map<string, number>();
  const readers = new Map<string, number[]>();
  /** Of the value that each instruction makes, those that still read it. */
  const left = new Int32Array(count);
  const takes = instructions.map((): number[] => []);
  const lastChange = new Map<string, number>();
  const lastReads = new Map<string, number[]>();
  let lastOrdered = -1;
  let lastBarrier = -1;
  instructions.forEach((instruction, i) => {
    for (const name of instruction.reads) {
      const from = maker.get(name);
      if (from !== undefined) {
        depend(from, i, latencyOf(instructions[from]!));
        left[from]!++;
        takes[i]!.push(from);
      }
      readers.set(name, [...(readers.get(name) ?? []), i]);
    }
    for (const name of instruction.writes) {
      for (const reader of readers.get(name) ?? []) if (reader !== i) depend(reader, i, 0);
      const before = maker.get(name);
      if (before !== undefined) depend(before, i, 1);
      maker.set(name, i);
      readers.set(name, []);
    }
    if (isFence(instruction)) {
      for (let k = Math.max(0, lastOrdered); k < i; k++) depend(k, i, 0);
      lastOrdered = i;
      lastChange.clear();
      lastReads.clear();
      return;
    }
    if (lastOrdered >= 0) depend(lastOrdered, i, 0);
    const { memory, kind } = instruction;
    if (isBarrier(instruction)) {
      for (let k = Math.max(0, lastOrdered, lastBarrier); k < i; k++)
        if (instructions[k]!.memory !== null || k === lastBarrier) depend(k, i, 0);
      lastBarrier = i;
      lastChange.clear();
      lastReads.clear();
      return;
    }
    if (memory === null) return;
    if (lastBarrier > lastOrdered) depend(lastBarrier, i, 0);
    const change = lastChange.get(memory);
    if (change !== undefined) depend(change, i, 0);
    const reads = lastReads.get(memory) ?? [];
    if (kind.startsWith('load')) lastReads.set(memory, [...reads, i]);
    else {
      for (const read of reads) depend(read, i, 0);
      lastReads.delete(memory);
      lastChange.set(memory, i);
    }
  });

  const height = new Float64Array(count);
  for (let i = count - 1; i >= 0; i--)
    for (const { to, latency } of after[i]!) height[i] = Math.max(height[i]!, height[to]! + latency);

  const frees = (i: number): boolean =>
    takes[i]!.filter((from) => left[from] === 1).length >= instructions[i]!.writes.length;
  const done = new Uint8Array(count);
  const result: MachineInstruction[] = [];
  let first = 0;
  while (result.length < count) {
    while (done[first] === 1) first++;
    let best = -1;
    const near = first + window;
    const end = Math.min(count, first + Math.max(window, window > 1 ? farWindow : 1));
    for (let i = first; i < end; i++) {
      if (done[i] === 1 || waits[i] !== 0) continue;
      if (best >= 0 && height[i]! <= height[best]!) continue;
      if (i < near || frees(i)) best = i;
    }
    done[best] = 1;
    for (const from of takes[best]!) left[from]!--;
    result.push(instructions[best]!);
    for (const { to } of after[best]!) waits[to]!--;
  }
  return result;
}
