/**
 * Copies the body of every called device function into the kernel, so that a warp that stops at a barrier inside a
 * function resumes like anywhere else. Only recursive functions stay functions; these must not wait at barriers.
 */
import { plainFunction, recursiveFunctions } from './functions.ts';
import type { Block, FunctionIr, Instruction, ModuleIr, Parameter, Value } from './ir.ts';
import { intConstant, isTerminator, makeInstruction, sizeOf, terminatorOf, unsupported } from './ir.ts';

export function renamed(value: Value, rename: (name: string) => Value | string): Value {
  if (value.kind === 'local') {
    const target = rename(value.name);
    return typeof target === 'string' ? { ...value, name: target } : target;
  }
  return value;
}

/** The kernel with every call of a device function replaced by its body; blocks that cannot be reached are gone. */
export function inlineCalls(module: ModuleIr, kernel: FunctionIr): FunctionIr {
  let copies = 0;
  const recursive = recursiveFunctions(module);
  const expand = (fn: FunctionIr, stack: string[]): Block[] => {
    const result: Block[] = [];
    for (const source of fn.blocks) {
      let current: Block = { name: source.name, instructions: [] };
      result.push(current);
      for (const instruction of source.instructions) {
        const callee = instruction.op === 'call' ? module.functions.get(instruction.callee) : undefined;
        if (callee === undefined) {
          current.instructions.push(instruction);
          continue;
        }
        if (recursive.has(callee.name)) {
          current.instructions.push(...passByValue(callee, instruction, ++copies));
          continue;
        }
        if (stack.includes(callee.name)) throw unsupported('recursion', callee.name, instruction.place);
        const prefix = `${callee.name}.${++copies}.`;
        const body = expand(cloneFunction(plainFunction(module, callee)), [...stack, callee.name]);
        const afterwards: Block = { name: `${prefix}after`, instructions: [] };
        const values = new Map<string, Value>();
        callee.parameters.forEach((parameter, i) => {
          const argument = instruction.operands[i];
          if (argument === undefined) throw unsupported('a call with missing arguments', fn.name, instruction.place);
          if (parameter.byval === null) {
            values.set(parameter.name, argument);
            return;
          }
          const copy = { kind: 'local' as const, name: `${prefix}${parameter.name}`, type: parameter.type };
          current.instructions.push(...copyOf(copy, parameter, argument, instruction));
          values.set(parameter.name, copy);
        });
        const rename = (name: string): Value | string => values.get(name) ?? `${prefix}${name}`;
        const returns: { value: Value | null; from: string }[] = [];
        for (const block of body) {
          const copy: Block = { name: `${prefix}${block.name}`, instructions: [] };
          for (const inner of block.instructions) {
            if (inner.op === 'ret') {
              returns.push({ value: inner.operands[0] ? renamed(inner.operands[0], rename) : null, from: copy.name });
              copy.instructions.push(makeInstruction('br', { labels: [afterwards.name], place: inner.place }));
              continue;
            }
            copy.instructions.push({
              ...inner,
              name: inner.name === null ? null : `${prefix}${inner.name}`,
              operands: inner.operands.map((operand) => renamed(operand, rename)),
              labels: inner.labels.map((label) => `${prefix}${label}`),
            });
          }
          result.push(copy);
        }
        const entry = callee.blocks[0]?.name ?? '';
        current.instructions.push(makeInstruction('br', { labels: [`${prefix}${entry}`], place: instruction.place }));
        if (instruction.name !== null && returns.length > 0) {
          afterwards.instructions.push(
            makeInstruction('phi', {
              name: instruction.name,
              type: instruction.type,
              operands: returns.map(({ value }) => value ?? { kind: 'undef', type: instruction.type }),
              labels: returns.map(({ from }) => from),
              place: instruction.place,
            }),
          );
        }
        result.push(afterwards);
        current = afterwards;
      }
      // Edges that left this block now leave its last part.
      if (current.name !== source.name) {
        for (const label of terminatorOf(current).labels)
          renames.push({ target: label, from: source.name, to: current.name, blocks: result });
      }
    }
    for (const { target, from, to } of renames.filter((item) => item.blocks === result)) {
      const block = result.find((candidate) => candidate.name === target);
      for (const phi of block?.instructions ?? [])
        if (phi.op === 'phi') phi.labels = phi.labels.map((label) => (label === from ? to : label));
    }
    return result;
  };
  const renames: { target: string; from: string; to: string; blocks: Block[] }[] = [];
  const blocks = expand(cloneFunction(plainFunction(module, kernel)), [kernel.name]);
  endAtExits(blocks);
  return { ...kernel, blocks: reachable(hoistAllocas(blocks)) };
}

function copyOf(
  copy: Value & { kind: 'local' },
  parameter: Parameter,
  argument: Value,
  { place }: Instruction,
): Instruction[] {
  if (parameter.byval === null) return [];
  return [
    makeInstruction('alloca', {
      name: copy.name,
      type: parameter.type,
      accessType: parameter.byval,
      align: parameter.align,
      place,
    }),
    makeInstruction('call', {
      callee: 'llvm.memcpy.p0.p0.i32',
      operands: [copy, argument, intConstant(sizeOf(parameter.byval)), intConstant(0)],
      indices: [parameter.align, parameter.align, 0, 0],
      place,
    }),
  ];
}

/** A call that stays: structs passed by value are copied by the caller. */
function passByValue(callee: FunctionIr, instruction: Instruction, number: number): Instruction[] {
  const before: Instruction[] = [];
  const operands = instruction.operands.map((operand, i): Value => {
    const parameter = callee.parameters[i];
    if (parameter === undefined || parameter.byval === null) return operand;
    const copy = { kind: 'local' as const, name: `.byval${number}.${i}`, type: parameter.type };
    before.push(...copyOf(copy, parameter, operand, instruction));
    return copy;
  });
  return [...before, { ...instruction, operands }];
}

/** Inlining edits phi nodes in place: work on copies, functions may be used by several kernels. */
function cloneFunction(fn: FunctionIr): FunctionIr {
  return {
    ...fn,
    blocks: fn.blocks.map((block) => ({
      name: block.name,
      instructions: block.instructions.map((instruction) => ({ ...instruction })),
    })),
  };
}

/** PTX `exit` ends the lanes that come to it. */
function endAtExits(blocks: Block[]): void {
  for (const block of blocks) {
    const at = block.instructions.findIndex(({ op, callee }) => op === 'call' && callee === 'llvm.nvvm.exit');
    if (at < 0) continue;
    const targets = terminatorOf(block).labels;
    for (const target of blocks.filter(({ name }) => targets.includes(name)))
      for (const phi of target.instructions) {
        if (phi.op !== 'phi') continue;
        phi.operands = phi.operands.filter((_, i) => phi.labels[i] !== block.name);
        phi.labels = phi.labels.filter((label) => label !== block.name);
      }
    const { place } = block.instructions[at] as Instruction;
    block.instructions = [...block.instructions.slice(0, at), makeInstruction('ret', { place })];
  }
}

function hoistAllocas(blocks: Block[]): Block[] {
  const allocas: Instruction[] = [];
  // Those of variable size stay where they are.
  const isFixed = ({ op, operands }: Instruction): boolean => op === 'alloca' && operands.length === 0;
  for (const block of blocks) {
    allocas.push(...block.instructions.filter(isFixed));
    block.instructions = block.instructions.filter((instruction) => !isFixed(instruction));
  }
  blocks[0]?.instructions.unshift(...allocas);
  return blocks;
}

/** Drops blocks that no path reaches, and their phi operands. */
function reachable(blocks: Block[]): Block[] {
  const byName = new Map(blocks.map((block) => [block.name, block]));
  const seen = new Set<string>();
  const stack = blocks[0] ? [blocks[0].name] : [];
  while (stack.length > 0) {
    const name = stack.pop() ?? '';
    if (seen.has(name)) continue;
    seen.add(name);
    const last = byName.get(name)?.instructions.at(-1);
    if (last && isTerminator(last)) stack.push(...last.labels);
  }
  const kept = blocks.filter((block) => seen.has(block.name));
  for (const block of kept) {
    for (const phi of block.instructions) {
      if (phi.op !== 'phi') continue;
      phi.operands = phi.operands.filter((_, i) => seen.has(phi.labels[i] ?? ''));
      phi.labels = phi.labels.filter((label) => seen.has(label));
    }
  }
  return kept;
}
