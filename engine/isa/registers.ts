/** Registers per thread, from what is alive between the instructions that were selected. */
import type { Flow } from '../warp/analysis/flow.ts';
import type { MachineBlock } from './machine.ts';

/** What ptxas keeps besides: the stack pointer, and temporaries of the schedule. */
const baseRegisters = 6;
/** Every kernel of the H200 reference has at least so many. */
const fewestRegisters = 16;
const mostRegisters = 255;
/** Up to so many, loads go as early as they can. */
const comfortable = 42;

/** `words`: 32-bit registers of each name; names without are predicates or uniform registers, and take none. */
export function registersOf(flow: Flow, blocks: MachineBlock[], words: ReadonlyMap<string, number>): number {
  const early = widest(flow, blocks, words);
  const most = early <= comfortable ? early : Math.min(early, widest(flow, blocks.map(lateOrder), words));
  return Math.min(mostRegisters, Math.max(fewestRegisters, Math.ceil((baseRegisters + most) / 2) * 2));
}

/** The same block with each value made just before it is first used: what a schedule for few registers comes to. */
function lateOrder(block: MachineBlock): MachineBlock {
  const { instructions } = block;
  const maker = new Map<string, number>();
  const makers = instructions.map(({ reads, writes, kind }, i) => {
    const from = reads.flatMap((name) => maker.get(name) ?? []);
    for (const name of writes) maker.set(name, i);
    return { from, fixed: writes.length === 0 || kind === 'barrier' || kind.startsWith('atomic') };
  });
  const order: number[] = [];
  const placed = new Set<number>();
  // A register that is written again has to be read before.
  const rewritten = new Set(
    instructions.flatMap(({ writes }) => writes).filter((name, i, all) => all.indexOf(name) !== i),
  );
  const put = (i: number): void => {
    if (placed.has(i)) return;
    placed.add(i);
    for (const from of makers[i]!.from) put(from);
    order.push(i);
  };
  // Loads stay in front of what may change the same memory.
  let waiting: number[] = [];
  instructions.forEach((instruction, i) => {
    const { kind, writes } = instruction;
    if (kind.startsWith('load-')) waiting.push(i);
    const changes = /^(store|atomic)-(.*)/.exec(kind)?.[2];
    if (changes !== undefined || kind === 'barrier') {
      const passed = (load: number): boolean => changes === undefined || instructions[load]!.kind === `load-${changes}`;
      for (const load of waiting) if (passed(load)) put(load);
      waiting = waiting.filter((load) => !passed(load));
    }
    if (makers[i]!.fixed || writes.some((name) => rewritten.has(name))) put(i);
  });
  instructions.forEach((_, i) => put(i));
  return { ...block, instructions: order.map((i) => instructions[i]!) };
}

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
