/** Registers per thread, from what is alive between the scheduled instructions. */
import type { Flow } from '../warp/analysis/flow.ts';
import type { MachineBlock } from './machine.ts';
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

export interface ScheduledCode {
  blocks: MachineBlock[];
  /** Per thread. */
  registers: number;
}
/**
 * The code in the order that ptxas would choose, which keeps to the registers that leave an SM full where it can.
 *
 * `words`: 32-bit registers of each name; names without are predicates or uniform registers, and take none.
 */
export function scheduleWithin(flow: Flow, blocks: MachineBlock[], words: ReadonlyMap<string, number>): ScheduledCode {
  const codeFor = (window: number): ScheduledCode => {
    const scheduled = blocks.map((block) => ({ ...block, instructions: schedule(block.instructions, window), window }));
    return { blocks: scheduled, registers: allotted(baseRegisters + widest(flow, scheduled, words)) };
  };
  for (const window of windows) {
    const code = codeFor(window);
    if (code.registers <= comfortable) return code;
  }
  return codeFor(usualWindow);
}

const allotted = (needed: number): number =>
  Math.min(mostRegisters, Math.max(fewestRegisters, Math.ceil(needed / 2) * 2));

/** The most that are alive at a time. */
function widest(flow: Flow, blocks: MachineBlock[], words: ReadonlyMap<string, number>): number {
  const count = (name: string): number => words.get(name) ?? 0;
  const live = blocks.map(() => new Set<string>());
  const atEnd = (index: number): Set<string> => {
    const set = new Set<string>();
    for (const target of flow.blocks[index]!.successors) for (const name of live[target]!) set.add(name);
    return set;
  };
  let most = 0;
  for (let changed = true; changed;) {
    changed = false;
    most = 0;
    for (let i = blocks.length - 1; i >= 0; i--) {
      const set = atEnd(i);
      let now = 0;
      for (const name of set) now += count(name);
      most = Math.max(most, now);
      for (const { reads, writes } of [...blocks[i]!.instructions].reverse()) {
        for (const name of writes) if (set.delete(name)) now -= count(name);
        for (const name of reads) {
          if (set.has(name)) continue;
          set.add(name);
          now += count(name);
        }
        most = Math.max(most, now);
      }
      if (set.size !== live[i]!.size) {
        live[i] = set;
        changed = true;
      }
    }
  }
  return most;
}
