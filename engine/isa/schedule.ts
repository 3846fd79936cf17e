/**
 * Order of the instructions of a block as ptxas would choose it: what leads to the longest wait goes first, as far as
 * dependences, the order of memory and barriers, and the number of registers allow.
 */
import { originalName } from './copies.ts';
import type { MachineInstruction, Pressure } from '../model/machine.ts';
import { rowOf } from '../model/opcodes.ts';

/** Instructions may overtake so many others: the first of these that leaves enough registers, else the usual one. */
export const windows = [256, 64, 32, 16, 8, 4, 1] as const;
export const usualWindow = 64;
/** Those that free as many registers as they take may overtake more: chains that do not depend on each other go side by side. */
const farWindow = 1024;

export function schedule(
  instructions: MachineInstruction[],
  window: number = usualWindow,
  pressure: Pressure | null = null,
): MachineInstruction[] {
  const count = instructions.length;
  if (count < 3) return instructions;
  const rows = instructions.map(rowOf);
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
        depend(from, i, rows[from]!.expected);
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
    const { fence } = rows[i]!;
    if (fence === 'all') {
      for (let k = Math.max(0, lastOrdered); k < i; k++) depend(k, i, 0);
      lastOrdered = i;
      lastChange.clear();
      lastReads.clear();
      return;
    }
    if (lastOrdered >= 0) depend(lastOrdered, i, 0);
    const { memory } = instruction;
    if (fence === 'memory') {
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
    if (rows[i]!.memory?.access === 'load') lastReads.set(memory, [...reads, i]);
    else {
      for (const read of reads) depend(read, i, 0);
      lastReads.delete(memory);
      lastChange.set(memory, i);
    }
  });

  const height = new Float64Array(count);
  for (let i = count - 1; i >= 0; i--)
    for (const { to, latency } of after[i]!) height[i] = Math.max(height[i]!, height[to]! + latency);

  const done = new Uint8Array(count);
  const result: MachineInstruction[] = [];
  /** When what an instruction waits for is there, if one issues per cycle. */
  const earliest = new Float64Array(count);
  let now = 0;
  /** Whether an instruction goes before another: who need not wait, then who has the longer way to the end. */
  const isBefore = (a: number, b: number): boolean => {
    const [waitA, waitB] = [Math.max(0, earliest[a]! - now), Math.max(0, earliest[b]! - now)];
    return waitA === waitB ? height[a]! > height[b]! : waitA < waitB;
  };
  const choose = pressure === null ? nearest() : leastPressing(pressure);
  while (result.length < count) {
    const best = choose();
    done[best] = 1;
    for (const from of takes[best]!) left[from]!--;
    result.push(instructions[best]!);
    now = Math.max(now, earliest[best]!);
    for (const { to, latency } of after[best]!) {
      waits[to]!--;
      earliest[to] = Math.max(earliest[to]!, now + latency);
    }
    now++;
  }
  return result;

  /** The one with the longest way to the end of those within the window, and of those beyond that free what they take. */
  function nearest(): () => number {
    const frees = (i: number): boolean =>
      takes[i]!.filter((from) => left[from] === 1).length >= instructions[i]!.writes.length;
    let first = 0;
    return () => {
      while (done[first] === 1) first++;
      let best = -1;
      const near = first + window;
      const end = Math.min(count, first + Math.max(window, window > 1 ? farWindow : 1));
      for (let i = first; i < end; i++) {
        if (done[i] === 1 || waits[i] !== 0) continue;
        if (best >= 0 && !isBefore(i, best)) continue;
        if (i < near || frees(i)) best = i;
      }
      return best;
    };
  }

  /** The one with the longest way to the end of those that leave registers enough; if none does, the one that takes the least. */
  function leastPressing({ limit, words: known, liveIn, liveOut }: Pressure): () => number {
    const words = (name: string): number => known.get(originalName(name)) ?? 0;
    /** Names that came in: how often they are still read here. */
    const incoming = new Map<string, number>();
    const last = new Map<string, number>();
    const comesIn = instructions.map((): string[] => []);
    instructions.forEach(({ reads, writes }, i) => {
      for (const name of reads)
        if (!last.has(name)) {
          incoming.set(name, (incoming.get(name) ?? 0) + 1);
          comesIn[i]!.push(name);
        }
      for (const name of writes) last.set(name, i);
    });
    const sizes = instructions.map(({ writes }, i) =>
      writes.reduce(
        (sum, name) => sum + (left[i]! > 0 || (liveOut.has(name) && last.get(name) === i) ? words(name) : 0),
        0,
      ),
    );
    /** Values that stay alive when nothing reads them any more. */
    const stays = instructions.map(({ writes }, i) => writes.some((name) => liveOut.has(name) && last.get(name) === i));
    let alive = [...liveIn].reduce((sum, name) => sum + words(name), 0);
    const change = (i: number): number => {
      let sum = sizes[i]!;
      for (const from of new Set(takes[i])) {
        const uses = takes[i]!.filter((each) => each === from).length;
        if (left[from] === uses && !stays[from]!) sum -= sizes[from]!;
      }
      for (const name of comesIn[i]!)
        if (incoming.get(name) === 1 && !(liveOut.has(name) && !last.has(name))) sum -= words(name);
      return sum;
    };
    let first = 0;
    return () => {
      while (done[first] === 1) first++;
      let best = -1;
      let least = -1;
      let leastChange = Infinity;
      for (let i = first; i < Math.min(count, first + farWindow); i++) {
        if (done[i] === 1 || waits[i] !== 0) continue;
        const more = change(i);
        if (alive + more <= limit && (best < 0 || isBefore(i, best))) best = i;
        if (more < leastChange) {
          least = i;
          leastChange = more;
        }
      }
      const chosen = best >= 0 ? best : least;
      alive += change(chosen);
      for (const name of comesIn[chosen]!) incoming.set(name, incoming.get(name)! - 1);
      return chosen;
    };
  }
}
