/**
 * Which values are the same in all lanes that execute together, and which branches never split a warp. Uniform values
 * stay scalars in the widened code, uniform branches stay plain branches.
 */
import type { Instruction, Value } from '../ir.ts';
import type { Space } from '../addresses.ts';
import type { Flow, FlowBlock, Loop } from './flow.ts';
import { contains, loopsOf } from './flow.ts';

/**
 * How a call's result depends on lanes: like its operands, never the same, always the same, or like one operand (the
 * lanes that take part in a vote).
 */
export type CallUniformity = 'operands' | 'divergent' | 'uniform' | 'operand 0' | 'operand 1';

export interface Uniformity {
  divergentValues: Set<string>;
  /** Blocks whose branch can send lanes to different successors. */
  divergentBranches: Set<number>;
  /** Loops that lanes can leave at different times. */
  divergentLoops: Set<Loop>;
}

export interface UniformityQuestions {
  callUniformity: (instruction: Instruction) => CallUniformity;
  space: (pointer: Value) => Space;
  /** The value that an operand stands for (constant GEPs and casts followed). */
  resolve: (value: Value) => Value;
  /** Parameters of functions that are called, whose lanes may differ. */
  parameters: string[];
}

export function analyseUniformity(flow: Flow, questions: UniformityQuestions): Uniformity {
  const divergentValues = new Set<string>(questions.parameters);
  const divergentBranches = new Set<number>();
  const divergentLoops = new Set<Loop>();
  const home = new Map<string, FlowBlock>();
  for (const block of flow.blocks)
    for (const { name } of block.block.instructions) if (name !== null) home.set(name, block);

  const isDivergent = (value: Value): boolean =>
    value.kind === 'local'
      ? divergentValues.has(value.name)
      : value.kind === 'expression' || value.kind === 'aggregate'
        ? ('operands' in value ? value.operands : value.elements).some(isDivergent)
        : false;

  const decide = (instruction: Instruction): boolean => {
    const { op, operands } = instruction;
    if (op === 'alloca' || op === 'atomicrmw' || op === 'cmpxchg') return true;
    if (op === 'call') {
      const uniformity = questions.callUniformity(instruction);
      if (uniformity === 'operand 0' || uniformity === 'operand 1') {
        const members = operands[uniformity === 'operand 0' ? 0 : 1];
        return members !== undefined && isDivergent(members);
      }
      if (uniformity !== 'operands') return uniformity === 'divergent';
    }
    if (op === 'load' && operands[0] && questions.space(operands[0]) === 5) return true;
    return operands.some(isDivergent);
  };

  /** Marks what a divergent branch divides: joins of its paths, and loops that only some lanes leave. */
  const spread = (block: FlowBlock): boolean => {
    const stop = flow.postDominator[block.index] ?? -1;
    const heads = new Set(loopsOf(block).map((loop) => loop.head));
    const reached = new Map<number, number>();
    let changed = false;
    [...new Set(block.successors)].forEach((start, path) => {
      const seen = new Set<number>();
      const stack = [start];
      while (stack.length > 0) {
        const at = stack.pop() ?? 0;
        if (seen.has(at)) continue;
        seen.add(at);
        reached.set(at, (reached.get(at) ?? 0) | (1 << Math.min(30, path)));
        // At heads of loops around the branch all lanes meet before the next round.
        if (at !== stop && !heads.has(at)) stack.push(...(flow.blocks[at]?.successors ?? []));
      }
    });
    for (const loop of loopsOf(block)) {
      if (!divergentLoops.has(loop) && [...reached.keys()].some((at) => !contains(loop, at))) {
        divergentLoops.add(loop);
        changed = true;
      }
    }
    for (const [at, paths] of reached) {
      if ((paths & (paths - 1)) === 0) continue;
      for (const phi of flow.blocks[at]?.block.instructions ?? []) {
        if (phi.op !== 'phi') break;
        if (phi.name === null || divergentValues.has(phi.name)) continue;
        const [first, ...rest] = phi.operands.filter((operand) => operand.kind !== 'undef');
        if (first !== undefined && rest.every((operand) => sameValue(operand, first))) continue;
        divergentValues.add(phi.name);
        changed = true;
      }
    }
    return changed;
  };

  for (let changed = true; changed;) {
    changed = false;
    for (const block of flow.blocks) {
      for (const instruction of block.block.instructions) {
        if (instruction.name === null || divergentValues.has(instruction.name)) continue;
        if (decide(instruction)) {
          divergentValues.add(instruction.name);
          changed = true;
        }
      }
      const condition = block.terminator.operands[0];
      if (
        new Set(block.successors).size > 1 &&
        condition &&
        isDivergent(condition) &&
        !divergentBranches.has(block.index)
      ) {
        divergentBranches.add(block.index);
        changed = true;
      }
    }
    for (const index of divergentBranches) if (spread(flow.blocks[index] as FlowBlock)) changed = true;
    for (const { parent } of divergentLoops) {
      if (parent?.fair !== true || divergentLoops.has(parent)) continue;
      divergentLoops.add(parent);
      changed = true;
    }
    // Values that lanes carry out of a loop that they leave at different times differ between them.
    for (const loop of divergentLoops) {
      for (const block of flow.blocks) {
        if (contains(loop, block.index)) continue;
        for (const instruction of block.block.instructions) {
          for (const [i, operand] of instruction.operands.entries()) {
            const root = questions.resolve(operand);
            if (root.kind !== 'local') continue;
            const from = home.get(root.name);
            if (from === undefined || !contains(loop, from.index)) continue;
            // A phi reads at the end of the edge's source: inside the loop the value itself may stay uniform.
            const edge = instruction.op === 'phi' ? flow.indexOf.get(instruction.labels[i] ?? '') : undefined;
            const victim = edge !== undefined && contains(loop, edge) ? instruction.name : root.name;
            if (victim !== null && !divergentValues.has(victim)) {
              divergentValues.add(victim);
              changed = true;
            }
          }
        }
      }
    }
  }
  return { divergentValues, divergentBranches, divergentLoops };
}

function sameValue(a: Value, b: Value): boolean {
  if (a.kind === 'local' && b.kind === 'local') return a.name === b.name;
  if (a.kind === 'int' && b.kind === 'int') return a.value === b.value;
  if (a.kind === 'float' && b.kind === 'float') return a.text === b.text;
  if (a.kind === 'global' && b.kind === 'global') return a.name === b.name;
  return a.kind === 'zero' && b.kind === 'zero';
}
