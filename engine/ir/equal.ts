/**
 * Integers and addresses that a block computes twice are computed once, as the backend's own passes would see to: Clang
 * leaves, say, the extension of an index once per array element. That two accesses are neighbours shows only then.
 */
import type { FunctionIr, Instruction, Value } from './ir.ts';
import { typeText } from './ir.ts';
import { renamed } from './inline.ts';

const computes = new Set(
  'add sub mul shl lshr ashr and or xor zext sext trunc getelementptr ptrtoint inttoptr bitcast addrspacecast'.split(
    ' ',
  ),
);

function keyOf({ op, type, accessType, flags, operands }: Instruction): string | null {
  if (!computes.has(op)) return null;
  const texts = operands.map(textOf);
  if (texts.includes(null)) return null;
  return [op, typeText(type), accessType && typeText(accessType), ...flags, ...texts].join('|');
}

function textOf(value: Value): string | null {
  if (value.kind === 'local' || value.kind === 'global') return `${value.kind} ${value.name}`;
  if (value.kind === 'int') return `${typeText(value.type)} ${value.value}`;
  if (value.kind !== 'expression') return null;
  const texts = value.operands.map(textOf);
  return texts.includes(null) ? null : `${value.op}(${value.sourceType && typeText(value.sourceType)} ${texts.join()})`;
}

export function mergeEqual(fn: FunctionIr): void {
  const same = new Map<string, string>();
  const updated = (instruction: Instruction): Instruction => ({
    ...instruction,
    operands: instruction.operands.map((operand) => renamed(operand, (name) => same.get(name) ?? name)),
  });
  for (const block of fn.blocks) {
    const known = new Map<string, string>();
    block.instructions = block.instructions.flatMap((original) => {
      const instruction = updated(original);
      const key = instruction.name === null ? null : keyOf(instruction);
      if (key === null || instruction.name === null) return instruction;
      const first = known.get(key);
      if (first === undefined) known.set(key, instruction.name);
      else same.set(instruction.name, first);
      return first === undefined ? instruction : [];
    });
  }
  if (same.size === 0) return;
  // Phis, and blocks that do not come in the order of execution.
  for (const block of fn.blocks) block.instructions = block.instructions.map(updated);
}
