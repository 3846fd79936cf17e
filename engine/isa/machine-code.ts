/**
 * A kernel as it would be on hardware: selected from the IR that Clang makes for a 64-bit device. If that is what is executed, its blocks
 * are those of the machine code. If a 32-bit pass is, they are paired: both see the same source and optimizer, and nearly always end with
 * the same control flow; where they do not, the executed IR stands in.
 */
import type { Flow } from '../ir/analysis/flow.ts';
import { buildFlow } from '../ir/analysis/flow.ts';
import { Pointers } from '../ir/addresses.ts';
import type { FunctionIr, Instruction, ModuleIr } from '../ir/ir.ts';
import { prepareKernel } from '../ir/prepare.ts';
import { findCall } from '../ir/calls/table.ts';
import { analyseKernel } from '../ir/calls/uniformity.ts';
import type { MachineBlock } from '../model/machine.ts';
import { selectInstructions } from './select.ts';
import type { SelectedFrom } from './select/facts.ts';

export interface MachineCode {
  /** Indexed as the executed blocks. */
  blocks: MachineBlock[];
  /** Registers per thread, estimated. */
  registers: number;
}

/** What machine code is selected from. `fn`: as {@link prepareKernel} makes it. */
export function selectedFrom(module: ModuleIr, fn: FunctionIr): SelectedFrom {
  const flow = buildFlow(fn.blocks);
  const pointers = new Pointers(module, fn);
  return { flow, pointers, uniformity: analyseKernel(module, fn, flow, pointers) };
}

/** `wide`: the module of the 64-bit pass, if `executed` is of another; else null. `limit`: registers per thread that it may have. */
export function machineCode(executed: SelectedFrom, name: string, wide: ModuleIr | null, limit?: number): MachineCode {
  const source = wide?.functions.get(name);
  if (wide && source) {
    const from = selectedFrom(wide, prepareKernel(wide, source));
    const places = matchBlocks(executed.flow, from.flow);
    if (places !== null && sameAccesses(executed.flow, from.flow, places)) {
      const { blocks, registers } = selectInstructions(from, limit);
      return { blocks: placed(blocks, places, executed.flow), registers };
    }
  }
  return selectInstructions(executed, limit);
}

/** True if blocks access memory as often and in the same order as the executed ones, whose accesses have the numbers. */
function sameAccesses(executed: Flow, flow: Flow, places: number[]): boolean {
  const kinds = executed.blocks.map((): string[] => []);
  flow.blocks.forEach(({ block }, i) => kinds[places[i]!]!.push(...accessKinds(block.instructions)));
  return executed.blocks.every(({ block }, i) => accessKinds(block.instructions).join() === kinds[i]!.join());
}

const accessKinds = (instructions: readonly Instruction[]): string[] =>
  instructions.flatMap(({ op, callee }) => {
    const memory = op === 'call' ? findCall(callee)?.memory : undefined;
    if (memory !== undefined) return Array.from({ length: memory.times }, () => memory.kind);
    return /^(load|store|atomicrmw|cmpxchg)$/.test(op) ? op : [];
  });

function placed(code: MachineBlock[], places: number[], executed: Flow): MachineBlock[] {
  const blocks = executed.blocks.map((): MachineBlock => ({
    instructions: [],
    copies: [],
    predicatedBy: null,
    follows: null,
    window: 1,
    pressure: null,
  }));
  code.forEach(({ instructions, copies, predicatedBy, follows, window, pressure }, i) => {
    const block = blocks[places[i]!]!;
    block.window = window;
    block.pressure = pressure;
    block.instructions.push(...instructions);
    if (copies.length > 0) block.copies = copies;
    if (predicatedBy !== null) block.predicatedBy = places[predicatedBy]!;
    if (follows !== null && places[follows] !== places[i]) block.follows = places[follows]!;
  });
  return blocks;
}

/** For each block of `flow` the executed one that it stands for; null if they do not match. */
export function matchBlocks(executed: Flow, flow: Flow): number[] | null {
  const same = (a: number[], b: number[]): boolean => a.length === b.length && a.every((value, i) => value === b[i]);
  if (
    executed.blocks.length === flow.blocks.length &&
    executed.blocks.every(({ successors }, i) => same(successors, flow.blocks[i]!.successors))
  )
    return flow.blocks.map(({ index }) => index);

  const places: (number | undefined)[] = flow.blocks.map(() => undefined);
  const queue: [executed: number, block: number][] = [[0, 0]];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [here, there] = next;
    if (places[there] !== undefined) {
      if (places[there] !== here) return null;
      continue;
    }
    places[there] = here;
    const ours = executed.blocks[here]!.successors.map((target) => behindEmpty(executed, target, () => {}));
    const theirs = flow.blocks[there]!.successors.map((target) =>
      // Empty blocks on the way count for the block that leads to them.
      behindEmpty(flow, target, (empty) => (places[empty] ??= here)),
    );
    if (ours.length !== theirs.length) return null;
    ours.forEach((target, i) => queue.push([target, theirs[i]!]));
  }
  return places.every((place): place is number => place !== undefined) ? places : null;
}

/** Follows blocks that hold nothing but a jump. */
function behindEmpty({ blocks }: Flow, index: number, onEmpty: (index: number) => void): number {
  let at = index;
  for (let steps = 0; steps < blocks.length; steps++) {
    const { block, successors } = blocks[at]!;
    const isEmpty = block.instructions.every(
      ({ op, callee }) => op === 'phi' || op === 'br' || (op === 'call' && callee === 'llvm.assume'),
    );
    if (!isEmpty || successors.length !== 1) break;
    onEmpty(at);
    at = successors[0]!;
  }
  return at;
}
