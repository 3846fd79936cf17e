/** Registers per thread, from what is alive between the scheduled instructions. */
import type { Flow } from '../warp/analysis/flow.ts';
import type { MachineBlock } from './machine.ts';

/** What ptxas keeps besides: the stack pointer, and temporaries of the schedule. */
const baseRegisters = 6;
/** Every kernel of the H200 reference has at least so many. */
const fewestRegisters = 16;
const mostRegisters = 255;
/** `words`: 32-bit registers of each name; names without are predicates or uniform registers, and take none. */
export function registersOf(flow: Flow, blocks: MachineBlock[], words: ReadonlyMap<string, number>): number {
  const needed = baseRegisters + widest(flow, blocks, words);
  return Math.min(mostRegisters, Math.max(fewestRegisters, Math.ceil(needed / 2) * 2));
}

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
