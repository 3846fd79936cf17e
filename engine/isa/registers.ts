/** Registers per thread, from what is alive between the scheduled instructions. */
import { loopsOf, type Flow } from '../warp/analysis/flow.ts';
import type { InstructionClass } from '../warp/types.ts';
import type { MachineBlock, MachineInstruction } from './machine.ts';
import { schedule, usualWindow, windows } from './schedule.ts';

/** What ptxas keeps besides: the stack pointer, and temporaries of the schedule. */
const baseRegisters = 6;
/** Every kernel of the H200 reference has at least so many. */
const fewestRegisters = 16;
const mostRegisters = 255;
/**
 * With so many, an SM of 2048 threads and 64 Ki registers is full. Where that can be had, ptxas does not start loads so
 * early that it takes more: 32 registers in all of sgemm_naive, sgemm_tile, bank_stride of the H200 reference.
 */
const comfortable = 32;
/** A loop's body is taken to run so often. */
const timesPerLoop = 8;

export interface ScheduledCode {
  blocks: MachineBlock[];
  /** Per thread. */
  registers: number;
}
/**
 * The code in the order that ptxas would choose, which keeps to the registers that leave an SM full where it can, and to
 * `limit` in any case: what does not fit is spilled to local memory.
 *
 * `words`: 32-bit registers of each name; names without are predicates or uniform registers, and take none. What is loaded
 * back is added.
 */
export function scheduleWithin(
  flow: Flow,
  blocks: MachineBlock[],
  words: Map<string, number>,
  limit: number = mostRegisters,
): ScheduledCode {
  const at = (code: MachineBlock[], window: number): ScheduledCode => {
    const scheduled = code.map((block) => ({ ...block, instructions: schedule(block.instructions, window), window }));
    return { blocks: scheduled, registers: allotted(widest(flow, scheduled, words).words) };
  };
  const within = (code: MachineBlock[], wanted: readonly number[], most: number): ScheduledCode | null => {
    for (const window of wanted) {
      const scheduled = at(code, window);
      if (scheduled.registers <= most) return scheduled;
    }
    return null;
  };
  const usual = windows.filter((window) => window <= usualWindow);
  const fitting = within(blocks, windows, Math.min(comfortable, limit)) ?? within(blocks, usual, limit);
  if (fitting !== null) return fitting;
  const spilled = spill(flow, blocks, words, limit);
  // A single instruction can need more than the limit leaves: ptxas would fail, here it has to do.
  return within(spilled, usual, limit) ?? { ...at(spilled, 1), registers: limit };
}

/**
 * Values in local memory: stored where they are made, loaded where they are used. At the place where most are alive, the one
 * goes that is used the least, counting a loop's body for many times, until the others fit.
 */
function spill(flow: Flow, blocks: MachineBlock[], words: Map<string, number>, limit: number): MachineBlock[] {
  const uses = new Map<string, number>();
  blocks.forEach(({ instructions }, i) => {
    const weight = timesPerLoop ** loopsOf(flow.blocks[i]!).length;
    for (const { reads, writes } of instructions)
      for (const name of [...reads, ...writes]) uses.set(name, (uses.get(name) ?? 0) + weight);
  });
  let code = blocks;
  let loads = 0;
  const done = new Set<string>();
  for (;;) {
    const { words: needed, alive } = widest(flow, code, words);
    const candidates = alive.filter((name) => uses.has(name) && !done.has(name));
    if (allotted(needed) <= limit || candidates.length === 0) return code;
    const name = candidates.reduce((a, b) => (uses.get(b)! < uses.get(a)! ? b : a));
    done.add(name);
    const count = words.get(name) ?? 1;
    code = code.map((block) => ({
      ...block,
      instructions: block.instructions.flatMap((instruction) => {
        const local = (opcode: string, kind: InstructionClass, reads: string[], writes: string[]) => ({
          ...instruction,
          opcode: count > 1 ? `${opcode}.${32 * count}` : opcode,
          kind,
          reads,
          writes,
          access: null,
          accesses: 1,
          memory: name,
        });
        const before: MachineInstruction[] = [];
        let { reads } = instruction;
        if (reads.includes(name)) {
          const loaded = `${name}@${loads++}`;
          words.set(loaded, count);
          before.push(local('LDL', 'load-local', [], [loaded]));
          reads = reads.map((read) => (read === name ? loaded : read));
        }
        const after = instruction.writes.includes(name) ? [local('STL', 'store-local', [name], [])] : [];
        return [...before, { ...instruction, reads }, ...after];
      }),
    }));
  }
}

const allotted = (alive: number): number =>
  Math.min(mostRegisters, Math.max(fewestRegisters, Math.ceil((baseRegisters + alive) / 2) * 2));

/** The most that are alive at a time, and which. */
function widest(
  flow: Flow,
  blocks: MachineBlock[],
  words: ReadonlyMap<string, number>,
): { words: number; alive: string[] } {
  const count = (name: string): number => words.get(name) ?? 0;
  const live = blocks.map(() => new Set<string>());
  const atEnd = (index: number): Set<string> => {
    const set = new Set<string>();
    for (const target of flow.blocks[index]!.successors) for (const name of live[target]!) set.add(name);
    return set;
  };
  let most = 0;
  let alive: string[] = [];
  const see = (set: ReadonlySet<string>, now: number): void => {
    if (now <= most) return;
    most = now;
    alive = [...set].filter((name) => count(name) > 0);
  };
  for (let changed = true; changed;) {
    changed = false;
    most = 0;
    for (let i = blocks.length - 1; i >= 0; i--) {
      const set = atEnd(i);
      let now = 0;
      for (const name of set) now += count(name);
      see(set, now);
      for (const { reads, writes } of [...blocks[i]!.instructions].reverse()) {
        for (const name of writes) if (set.delete(name)) now -= count(name);
        for (const name of reads) {
          if (set.has(name)) continue;
          set.add(name);
          now += count(name);
        }
        see(set, now);
      }
      if (set.size !== live[i]!.size) {
        live[i] = set;
        changed = true;
      }
    }
  }
  return { words: most, alive };
}
