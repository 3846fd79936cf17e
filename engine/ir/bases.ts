/**
 * Addresses that are a constant apart are computed from one another: what execution finds out about the first of them (whether lanes are
 * neighbours, which banks they hit) holds for the others. Code for a 32-bit device has them so; with 64 bits Clang leaves `p[i + 8]` as one
 * extended sum, beside `p[i]`.
 */
import { Pointers } from './addresses.ts';
import type { FunctionIr, Instruction, ModuleIr, Value } from './ir.ts';
import { int, intConstant } from './ir.ts';

/** The function with addresses of that kind; `fn` stays as it is. */
export function shareBases(module: ModuleIr, fn: FunctionIr): FunctionIr {
  const pointers = new Pointers(module, fn);
  const blocks = fn.blocks.map(({ name, instructions }) => {
    const bases = new Map<string, { value: Value; offset: number }>();
    return { name, instructions: instructions.map((instruction) => rebased(instruction, bases, pointers)) };
  });
  return { ...fn, blocks };
}

function rebased(
  instruction: Instruction,
  bases: Map<string, { value: Value; offset: number }>,
  pointers: Pointers,
): Instruction {
  const { op, name, type, operands } = instruction;
  if (op !== 'getelementptr' || name === null || operands.slice(1).every(({ kind }) => kind !== 'local'))
    return instruction;
  const value: Value = { kind: 'local', name, type };
  const place = pointers.place(value);
  if (place === null) return instruction;
  const base = bases.get(place.key);
  if (base === undefined) {
    bases.set(place.key, { value, offset: place.offset });
    return instruction;
  }
  return { ...instruction, accessType: int(8), operands: [base.value, intConstant(place.offset - base.offset)] };
}
