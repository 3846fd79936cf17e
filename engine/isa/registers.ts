/** Registers per thread, from what is alive between the scheduled instructions. */
import { loopsOf, type Flow } from '../ir/analysis/flow.ts';
import { copiesOf, originalName } from './copies.ts';
import { Dependences } from './dependences.ts';
import type { MachineBlock, MachineInstruction, Pressure } from '../model/machine.ts';
import { schedule, usualWindow, windows } from './schedule.ts';
import type { Opcode } from '../model/opcodes.ts';

/** Registers of ptxas's own: the stack pointer, temporaries of the schedule. */
const baseRegisters = 4;
/** Every kernel of the H200 reference has at least so many. */
const fewestRegisters = 16;
const mostRegisters = 255;
/**
 * With so many, an SM of 2048 threads and 64 Ki registers is full. Where that can be had, ptxas does not start loads so
 * early that it takes more: 32 registers in all of sgemm_naive, sgemm_tile, bank_stride of the H200 reference.
 */
const comfortable = 32;
/** With no more than these, a sub-partition holds a warp more. Kernels that need more than the first get some to spare. */
const steps = [32, 40, 48, 56, 64, 72, 80, 96, 128, 168, mostRegisters];
/** Schedules that go past a limit of registers are made again with one that is lower by so many. */
const leftOver = [0, 2, 4, 8];
/**
 * A third more than would do: of the SGEMM steps in test/fidelity/published, columns have 48 where 40 would do, squares 128
 * where 96 would do (compute capability 8.6). Tiles of B1 have more, 79 to 153, for the copies of the loops that fill them.
 */
const spare = 4 / 3;
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
  const plan = new Plan(flow, blocks, words, limit);
  const few = Math.min(comfortable, limit);
  const fitting =
    plan.within(windows.slice(0, 1), few) ?? plan.pressed(few) ?? plan.within(windows, few) ?? plan.beyond();
  if (fitting !== null) return plan.withCopies(fitting);
  const rest = new Plan(flow, spill(flow, blocks, words, limit), words, limit);
  // A single instruction can need more than the limit leaves: ptxas would fail, here it has to do.
  return rest.withCopies(rest.within(usual, limit) ?? { ...rest.at(1), registers: limit });
}

const usual = windows.filter((window) => window <= usualWindow);

/** Orders of the same code, with the registers that each takes. */
class Plan {
  private readonly flow: Flow;
  private readonly code: MachineBlock[];
  private readonly limit: number;
  private readonly count: (name: string) => number;
  /** Pressure of each block, without a limit; order within blocks does not change it. */
  private readonly pressures: Pressure[];
  /** Registers that any order takes: for what is alive where blocks begin and end. */
  private readonly fewest: number;
  private readonly dependences: (Dependences | undefined)[] = [];

  constructor(flow: Flow, code: MachineBlock[], words: ReadonlyMap<string, number>, limit: number) {
    this.flow = flow;
    this.code = code;
    this.limit = limit;
    this.count = memoized((name) => words.get(originalName(name)) ?? 0);
    const { liveIn, liveOut } = liveness(flow, code);
    this.pressures = code.map(({ instructions }, i) => {
      const names = [...liveIn[i]!, ...instructions.flatMap(({ writes }) => writes)];
      const known = names.flatMap((name): [string, number][] => (words.has(name) ? [[name, words.get(name)!]] : []));
      return { limit: Infinity, words: new Map(known), liveIn: liveIn[i]!, liveOut: liveOut[i]! };
    });
    const wordsOf = (names: ReadonlySet<string>): number => [...names].reduce((sum, name) => sum + this.count(name), 0);
    const alive = [...liveIn, ...liveOut].map(wordsOf);
    this.fewest = allotted(alive.reduce((most, each) => Math.max(most, each), 0));
  }

  at(window: number, limits: readonly Pressure[] = []): ScheduledCode {
    const blocks = this.code.map((block, i) => {
      const dependences = (): Dependences => (this.dependences[i] ??= new Dependences(block.instructions));
      const instructions = schedule(block.instructions, window, limits[i] ?? null, dependences);
      return { ...block, instructions, window };
    });
    const alive = this.pressures.map(({ liveOut }) => liveOut);
    return { blocks, registers: allotted(widest(blocks, alive, this.count).words) };
  }
  private limitedTo(registers: number): Pressure[] {
    return this.pressures.map((pressure) => ({ ...pressure, limit: registers - baseRegisters }));
  }

  within(wanted: readonly number[], most: number): ScheduledCode | null {
    if (this.fewest > most) return null;
    for (const window of wanted) {
      const scheduled = this.at(window);
      if (scheduled.registers <= most) return scheduled;
    }
    return null;
  }

  /** As far ahead as registers last: what goes first can leave too few for what must follow, so fewer are tried as well. */
  pressed(most: number): ScheduledCode | null {
    if (this.fewest > most) return null;
    for (const kept of leftOver) {
      const scheduled = this.at(usualWindow, this.limitedTo(most - kept));
      if (scheduled.registers <= most) return scheduled;
    }
    return null;
  }

  /** Code where free registers are too few: that of the usual window, unless it takes far more than would do. */
  beyond(): ScheduledCode | null {
    const far = this.within(usual, this.limit);
    if (far === null) return null;
    for (const most of steps.filter((step) => step < Math.min(this.limit, far.registers))) {
      if (this.pressed(most) === null) continue;
      const wanted = steps.findLast((step) => step <= most * spare)!;
      return (wanted < far.registers ? this.pressed(Math.min(this.limit, wanted)) : null) ?? far;
    }
    return far;
  }

  /** Copies of loops are made as far ahead as registers last that can be had for nothing. */
  withCopies({ blocks, registers }: ScheduledCode): ScheduledCode {
    if (blocks.every(({ copies }) => copies.length === 0)) return { blocks, registers };
    const most = Math.max(registers, Math.min(comfortable, this.limit));
    let limits: Pressure[] = [];
    let needed = 0;
    for (const kept of leftOver) {
      limits = this.limitedTo(most - kept);
      const copied = blocks.map((block, i) => {
        if (block.copies.length === 0) return block;
        return { ...block, instructions: schedule(copiesOf(block, block.copies[0]!, 0), windows[0], limits[i]!) };
      });
      needed = allotted(widest(copied, liveness(this.flow, copied).liveOut, this.count).words);
      if (needed <= most) break;
    }
    return {
      blocks: blocks.map((block, i) => ({ ...block, pressure: block.copies.length > 0 ? limits[i]! : null })),
      registers: Math.max(registers, Math.min(this.limit, needed)),
    };
  }
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
    const { words: needed, alive } = widest(code, liveness(flow, code).liveOut, (name) => words.get(name) ?? 0);
    const candidates = alive().filter((name) => uses.has(name) && !done.has(name));
    if (allotted(needed) <= limit || candidates.length === 0) return code;
    const name = candidates.reduce((a, b) => (uses.get(b)! < uses.get(a)! ? b : a));
    done.add(name);
    const count = words.get(name) ?? 1;
    code = code.map((block) => ({
      ...block,
      instructions: block.instructions.flatMap((instruction) => {
        const local = (opcode: Opcode, reads: string[], writes: string[]): MachineInstruction => ({
          ...instruction,
          opcode,
          modifiers: count > 1 ? [`${32 * count}`] : [],
          reads,
          writes,
          addresses: 0,
          access: null,
          accesses: 1,
          memory: name,
        });
        const before: MachineInstruction[] = [];
        let { reads } = instruction;
        if (reads.includes(name)) {
          const loaded = `${name}@${loads++}`;
          words.set(loaded, count);
          before.push(local('LDL', [], [loaded]));
          reads = reads.map((read) => (read === name ? loaded : read));
        }
        const after = instruction.writes.includes(name) ? [local('STL', [name], [])] : [];
        return [...before, { ...instruction, reads }, ...after];
      }),
    }));
  }
}

const allotted = (alive: number): number =>
  Math.min(mostRegisters, Math.max(fewestRegisters, Math.ceil((baseRegisters + alive) / 2) * 2));

/** Names alive where blocks begin and where they end, whatever the order within them. */
function liveness(flow: Flow, blocks: MachineBlock[]): { liveIn: Set<string>[]; liveOut: Set<string>[] } {
  const liveIn = blocks.map(() => new Set<string>());
  const liveOut = blocks.map(() => new Set<string>());
  for (let changed = true; changed;) {
    changed = false;
    for (let i = blocks.length - 1; i >= 0; i--) {
      for (const target of flow.blocks[i]!.successors) for (const name of liveIn[target]!) liveOut[i]!.add(name);
      const set = new Set(liveOut[i]);
      for (const { reads, writes } of [...blocks[i]!.instructions].reverse()) {
        for (const name of writes) set.delete(name);
        for (const name of reads) set.add(name);
      }
      if (set.size === liveIn[i]!.size) continue;
      liveIn[i] = set;
      changed = true;
    }
  }
  return { liveIn, liveOut };
}

function memoized(count: (name: string) => number): (name: string) => number {
  const known = new Map<string, number>();
  return (name) => {
    let value = known.get(name);
    if (value === undefined) known.set(name, (value = count(name)));
    return value;
  };
}

/** Steps back through a block from its end: what is alive there, then in front of each instruction. */
function* backwards({ instructions }: MachineBlock, liveOut: ReadonlySet<string>, count: (name: string) => number) {
  const alive = new Set(liveOut);
  let words = 0;
  for (const name of alive) words += count(name);
  yield { alive, words };
  for (let i = instructions.length - 1; i >= 0; i--) {
    const { reads, writes } = instructions[i]!;
    for (const name of writes) if (alive.delete(name)) words -= count(name);
    for (const name of reads) {
      if (alive.has(name)) continue;
      alive.add(name);
      words += count(name);
    }
    yield { alive, words };
  }
}

/** The most words that are alive at a time, and where: the names are asked for rarely. */
function widest(
  blocks: readonly MachineBlock[],
  liveOut: readonly ReadonlySet<string>[],
  count: (name: string) => number,
): { words: number; alive: () => string[] } {
  let most = 0;
  let at = { block: 0, step: -1 };
  blocks.forEach((block, i) => {
    let step = 0;
    for (const { words } of backwards(block, liveOut[i]!, count)) {
      if (words > most) [most, at] = [words, { block: i, step }];
      step++;
    }
  });
  const alive = (): string[] => {
    let step = 0;
    for (const here of at.step < 0 ? [] : backwards(blocks[at.block]!, liveOut[at.block]!, count))
      if (step++ === at.step) return [...here.alive].filter((name) => count(name) > 0);
    return [];
  };
  return { words: most, alive };
}
