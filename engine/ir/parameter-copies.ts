/**
 * Structs that a kernel takes by value lie among its parameters, where only loads can reach them. One whose address goes elsewhere (into
 * memory, beside other pointers, to a function that stays) or that the kernel writes to gets a copy of each thread's own, as NVPTX's
 * pass for it makes one (NVPTXLowerArgs).
 */
import type { FunctionIr, Instruction, Parameter, Value } from './ir.ts';
import { intConstant, makeInstruction, sizeOf } from './ir.ts';

const keepsPlace = new Set(['getelementptr', 'bitcast', 'addrspacecast', 'freeze']);
const joins = new Set(['phi', 'select']);

/** True where an instruction does with a pointer into the parameters what can be done there; `own`: all such pointers. */
function staysInside({ op, callee, operands }: Instruction, own: ReadonlySet<string>): boolean {
  const isOwn = (value: Value | undefined): boolean => value?.kind === 'local' && own.has(value.name);
  if (op === 'load' || op === 'icmp' || keepsPlace.has(op)) return true;
  if (joins.has(op))
    return operands.slice(op === 'select' ? 1 : 0).every((operand) => isOwn(operand) || operand.kind === 'undef');
  if (op !== 'call') return false;
  if (/^llvm\.(memcpy|memmove)\./.test(callee)) return !isOwn(operands[0]);
  return /^llvm\.(lifetime|assume|dbg|invariant)/.test(callee);
}

function leaves(fn: FunctionIr, parameter: Parameter): boolean {
  const own = new Set([parameter.name]);
  const uses = new Set<Instruction>();
  for (let before = -1; before !== own.size;) {
    before = own.size;
    for (const { instructions } of fn.blocks)
      for (const instruction of instructions) {
        if (!instruction.operands.some((operand) => operand.kind === 'local' && own.has(operand.name))) continue;
        uses.add(instruction);
        const { op, name } = instruction;
        if (name !== null && (keepsPlace.has(op) || joins.has(op))) own.add(name);
      }
  }
  return [...uses].some((instruction) => !staysInside(instruction, own));
}

/** Puts the copies at the kernel's begin, in place. */
export function copyParameters(fn: FunctionIr): void {
  if (!fn.isKernel) return;
  for (const parameter of fn.parameters) {
    const { byval, type, align, name } = parameter;
    if (byval === null || !leaves(fn, parameter)) continue;
    const copy: Value = { kind: 'local', name: `.copyOf.${name}`, type };
    for (const { instructions } of fn.blocks)
      for (const instruction of instructions)
        instruction.operands = instruction.operands.map((operand) =>
          operand.kind === 'local' && operand.name === name ? copy : operand,
        );
    const { place } = fn;
    fn.blocks[0]?.instructions.unshift(
      makeInstruction('alloca', { name: copy.name, type, accessType: byval, align, place }),
      makeInstruction('call', {
        callee: 'llvm.memcpy.p0.p0.i32',
        operands: [copy, { kind: 'local', name, type }, intConstant(sizeOf(byval)), intConstant(0)],
        indices: [align, align, 0, 0],
        place,
      }),
    );
  }
}
