/**
 * How many SASS-like warp instructions, of which class, a block of LLVM IR stands for: a coarse model of what ptxas
 * emits, for counters and pipes. Checked against disassembly by eye, not instruction by instruction; the next step is
 * real instruction selection. What it follows (sm_80 and later):
 *
 *   address arithmetic   64-bit: IMAD.WIDE per variable index; constant offsets fold into [R+imm]; shared: 32-bit
 *   mul + add            FFMA / DFMA / IMAD when the product has one use; shift + add: LEA
 *   logic                LOP3 takes three inputs: a logic op used once by another folds
 *   casts                free between same sizes, after loads of that width, and downwards; I2F/F2I/F2F otherwise
 *   loops                index arithmetic that only feeds addresses is strength-reduced away: each pointer is stepped by
 *                        its own IMAD.WIDE, and indices that differ by a constant share one pointer
 *   division             the inline sequences of CUDA's device library, main path
 *   compare + branch     ISETP/FSETP + BRA; a branch to the next block in flow order falls through
 *   parameters           operands in constant memory: free; __constant__ likewise at fixed addresses, else LDC
 */
import type { Flow, FlowBlock } from '../warp/analysis/flow.ts';
import type { Uniformity } from '../warp/analysis/uniformity.ts';
import type { Pointers, Space } from '../warp/ir/addresses.ts';
import { parameterSpace } from '../warp/ir/addresses.ts';
import { isBarrier } from '../warp/ir/prepare.ts';
import type { Instruction, Type, Value } from '../warp/ir/ir.ts';
import { leavesOf, sizeOf } from '../warp/ir/ir.ts';
import { liveOut, reads } from '../warp/analysis/liveness.ts';
import { findIntrinsic } from '../warp/widen/intrinsics.ts';
import { contractions } from './contraction.ts';
import type { InstructionClass } from '../warp/types.ts';

export type Mix = Partial<Record<InstructionClass, number>>;

export interface BlockMix {
  mix: Mix;
  /** BRA instructions in the block, conditional and not. */
  branches: number;
  /** BAR.SYNC instructions (the class 'barrier' also holds fences and warp barriers). */
  barriers: number;
}

interface Kernel {
  flow: Flow;
  uniformity: Uniformity;
  pointers: Pointers;
  resolve: (value: Value) => Value;
  live: Set<string>[];
}
/** `contracted`: products that are part of an FFMA or DFMA. */
type Lowering = Kernel & { contracted: Set<Instruction> };

/** Registers that ptxas keeps besides live values: stack pointer, address temporaries, prefetched loads. */
const baseRegisters = 8;

const wide = (type: Type): boolean => (type.kind === 'int' && type.bits > 32) || type.kind === 'double';
const elementOf = (type: Type): Type => (type.kind === 'vector' ? type.element : type);
const count = (type: Type): number => (type.kind === 'vector' ? type.count : 1);

function memoryClass(kind: 'load' | 'store' | 'atomic', space: Space): InstructionClass {
  if (space === 3) return kind === 'load' ? 'load-shared' : kind === 'store' ? 'store-shared' : 'atomic-shared';
  if (kind === 'atomic') return 'atomic-global';
  if (space === 5) return kind === 'load' ? 'load-local' : 'store-local';
  if (space === 4 || space === parameterSpace) return kind === 'load' ? 'load-constant' : 'store-global';
  return kind === 'load' ? 'load-global' : 'store-global';
}

type Uses = Map<string, { instruction: Instruction; block: number }[]>;

export function lowerBlocks(kernel: Kernel): BlockMix[] {
  const uses: Uses = new Map();
  for (const { block, index } of kernel.flow.blocks) {
    for (const instruction of block.instructions) {
      for (const operand of instruction.operands) {
        if (operand.kind !== 'local') continue;
        const list = uses.get(operand.name) ?? [];
        list.push({ instruction, block: index });
        uses.set(operand.name, list);
      }
    }
  }
  const sums = contractions(kernel.flow.blocks.map(({ block }) => block));
  const lowering = { ...kernel, contracted: new Set([...sums.values()].map(({ product }) => product)) };
  return kernel.flow.blocks.map((block) => lowerBlock(lowering, block, uses));
}

function lowerBlock(kernel: Lowering, block: FlowBlock, uses: Uses): BlockMix {
  const mix: Mix = {};
  let branches = 0;
  let barriers = 0;
  const add = (kind: InstructionClass, amount = 1): void => {
    if (amount > 0) mix[kind] = (mix[kind] ?? 0) + amount;
  };
  /** The one instruction of this block that uses the result, if there is exactly one use. */
  const onlyUse = (instruction: Instruction): Instruction | null => {
    const list = uses.get(instruction.name ?? '') ?? [];
    return list.length === 1 && list[0]?.block === block.index ? list[0].instruction : null;
  };
  if (block.index === 0) add('int', 2); // MOV R1, c[stack]; ULDC.64 of the memory descriptor
  const pointers = new Set<string>();
  for (const instruction of block.block.instructions) {
    const { op, operands } = instruction;
    if (block.loop !== null && feedsAddressesOnly(instruction, uses, 0)) continue;
    const type = elementOf(instruction.type);
    const times = count(instruction.type);
    const from = elementOf(operands[0]?.type ?? type);
    const user = onlyUse(instruction);
    switch (op) {
      case 'add':
      case 'sub':
        if (operands.some((operand) => isFoldedProduct(kernel, operand, onlyUse))) add('imad', times);
        else add('int', times * (wide(type) ? 2 : 1));
        break;
      case 'mul':
        if (foldsIntoAdd(instruction, user)) break;
        if (wide(type)) add('imad', 4 * times);
        else add('imad', times);
        break;
      case 'shl':
      case 'lshr':
      case 'ashr':
        if (op === 'shl' && !wide(type) && (user?.op === 'add' || user?.op === 'or')) break;
        add('int', times * (wide(type) ? 2 : 1));
        break;
      case 'and':
      case 'or':
      case 'xor':
        if (type.kind === 'int' && type.bits === 1) break;
        if (!wide(type) && user !== null && /^(and|or|xor)$/.test(user.op)) break;
        add('int', times * (wide(type) ? 2 : 1));
        break;
      case 'udiv':
      case 'sdiv':
      case 'urem':
      case 'srem':
        if (operands[1]?.kind === 'int') {
          add('imad', times * (op.endsWith('rem') ? 2 : 1));
          add('int', times * 2);
        } else if (wide(type)) {
          add('int', 40 * times);
          add('imad', 26 * times);
          add('branch', 2 * times);
        } else {
          add('int', 8 * times);
          add('imad', 5 * times);
          add('conversion', 2 * times);
          add('special', times);
        }
        break;
      case 'fadd':
      case 'fsub':
        add(floatClass(type), times);
        break;
      case 'fmul':
        if (!kernel.contracted.has(instruction)) add(floatClass(type), times);
        break;
      case 'fdiv':
        if (operands[0]?.kind === 'float' && Number(operands[0].text) === 1 && type.kind === 'float') {
          add('special', times);
          add('fp32', 4 * times);
        } else {
          add('special', times);
          add(floatClass(type), (type.kind === 'double' ? 9 : 8) * times);
          add('branch', times);
        }
        break;
      case 'frem':
        add(floatClass(type), 20 * times);
        break;
      case 'fcmp':
        add(floatClass(from), times);
        break;
      case 'icmp':
        add('int', times * (wide(from) ? 2 : 1));
        break;
      case 'select':
        if (!(type.kind === 'int' && type.bits === 1)) add('int', times * (wide(type) ? 2 : 1));
        break;
      case 'zext':
      case 'sext':
        if (from.kind === 'int' && from.bits === 1) add('int', times);
        else if (op === 'sext' && wide(type)) add('int', times);
        else if (
          from.kind === 'int' &&
          from.bits < 32 &&
          kernel.pointers.definition(operands[0] as Value)?.op !== 'load'
        )
          add('int', times);
        break;
      case 'fptrunc':
      case 'fpext':
      case 'fptosi':
      case 'fptoui':
      case 'sitofp':
      case 'uitofp':
        add('conversion', times);
        break;
      case 'getelementptr':
        if (block.loop !== null) {
          const pointer = pointerKey(kernel, instruction);
          if (pointer !== null && pointers.has(pointer)) break;
          if (pointer !== null) pointers.add(pointer);
        }
        lowerAddress(kernel, instruction, add);
        break;
      case 'load':
      case 'store': {
        const pointer = operands[op === 'load' ? 0 : 1] as Value;
        const space = kernel.pointers.space(pointer);
        const { root } = kernel.pointers.resolve(pointer);
        const fixed = root.kind === 'global' || (root.kind === 'local' && space === parameterSpace);
        if (op === 'load' && fixed && (space === 4 || space === parameterSpace)) break;
        // The store of an LDGSTS, whose load has been counted.
        if (instruction.flags.includes('async')) break;
        const accessed = instruction.accessType ?? type;
        const one = accessed.kind === 'vector' && sizeOf(accessed) <= 16;
        add(memoryClass(op, space), one ? 1 : leavesOf(accessed).length);
        break;
      }
      case 'atomicrmw':
      case 'cmpxchg':
        add(memoryClass('atomic', kernel.pointers.space(operands[0] as Value)));
        break;
      case 'fence':
        add('barrier');
        break;
      case 'call':
        if (isBarrier(instruction)) {
          add('barrier');
          barriers++;
        } else {
          const intrinsic = findIntrinsic(instruction.callee);
          // A call that stays: CALL, RET and the moves of its arguments.
          if (intrinsic === undefined) {
            add('branch', 2);
            add('int', operands.length);
          }
          for (const [kind, amount] of Object.entries(intrinsic?.cost ?? {}))
            add(kind as InstructionClass, amount * times);
          if (intrinsic?.memory !== undefined) {
            const { kind, pointer, times: requests } = intrinsic.memory;
            add(memoryClass(kind, kernel.pointers.space(operands[pointer] as Value)), requests);
          }
        }
        break;
      case 'br': {
        const targets = new Set(block.successors);
        if (targets.size === 1 && targets.has(block.index + 1)) break;
        add('branch');
        branches++;
        break;
      }
      case 'switch':
        add('int', instruction.cases.length);
        add('branch', instruction.cases.length + 1);
        branches += instruction.cases.length + 1;
        break;
      case 'ret':
      case 'unreachable':
        add('branch');
        break;
      default:
        break; // phi, alloca, freeze, casts of the same size, moves of vector elements
    }
  }
  return { mix, branches, barriers };
}

/** Integer arithmetic of which nothing but addresses is made. */
function feedsAddressesOnly(instruction: Instruction, uses: Uses, depth: number): boolean {
  if (!/^(add|sub|mul|shl|or|zext|sext|trunc)$/.test(instruction.op) || instruction.type.kind !== 'int' || depth > 4)
    return false;
  if (instruction.op === 'or' && !instruction.flags.includes('disjoint')) return false;
  const list = uses.get(instruction.name ?? '') ?? [];
  return (
    list.length > 0 &&
    list.every(({ instruction: user }) => user.op === 'getelementptr' || feedsAddressesOnly(user, uses, depth + 1))
  );
}

/** What addresses that differ by a constant have in common: base and index without its constant part. */
function pointerKey(kernel: Kernel, instruction: Instruction): string | null {
  const [base, index, ...rest] = instruction.operands;
  if (base === undefined || index?.kind !== 'local' || rest.length > 0 || instruction.accessType === null) return null;
  const root = kernel.resolve(base);
  if (root.kind !== 'local' && root.kind !== 'global') return null;
  const definition = kernel.pointers.definition(index);
  const [left, right] = definition?.operands ?? [];
  const constant =
    (definition?.op === 'add' || (definition?.op === 'or' && definition.flags.includes('disjoint'))) &&
    right?.kind === 'int';
  const variable = constant && left?.kind === 'local' ? left.name : index.name;
  return `${root.name}[${variable}*${sizeOf(instruction.accessType)}]`;
}

const floatClass = (type: Type): InstructionClass =>
  type.kind === 'double' ? 'fp64' : type.kind === 'half' || type.kind === 'bfloat' ? 'fp16' : 'fp32';

const isPowerOfTwo = (value: Value | undefined): boolean =>
  value?.kind === 'int' && value.value > 0n && (value.value & (value.value - 1n)) === 0n;

function foldsIntoAdd(product: Instruction, user: Instruction | null): boolean {
  const type = elementOf(product.type);
  return (
    user !== null &&
    user.op === 'add' &&
    !wide(type) &&
    !isPowerOfTwo(product.operands[1]) &&
    firstProduct(product, user)
  );
}

/** Of two products in one sum only the first can be contracted. */
function firstProduct(product: Instruction, user: Instruction): boolean {
  const [first, second] = user.operands;
  if (first?.kind === 'local' && first.name === product.name) return true;
  return !(
    second?.kind === 'local' &&
    second.name === product.name &&
    first?.kind === 'local' &&
    first.name.startsWith('mul')
  );
}

function isFoldedProduct(
  kernel: Kernel,
  operand: Value,
  onlyUse: (instruction: Instruction) => Instruction | null,
): boolean {
  const definition = kernel.pointers.definition(operand);
  return definition?.op === 'mul' && foldsIntoAdd(definition, onlyUse(definition));
}

function lowerAddress(
  kernel: Kernel,
  instruction: Instruction,
  add: (kind: InstructionClass, amount?: number) => void,
): void {
  const space = kernel.pointers.space(instruction.operands[0] as Value);
  const variable = instruction.operands
    .slice(1)
    .filter((operand) => operand.kind !== 'int' && operand.kind !== 'zero').length;
  if (space === 3 || space === 4 || space === 5 || space === parameterSpace) add('int', variable);
  else if (instruction.accessType !== null && sizeOf(instruction.accessType) === 1) add('int', 2 * variable);
  else add('imad', variable);
}

/** Registers per thread: 32-bit words of live values at the widest point, plus what ptxas always needs. */
export function estimateRegisters(kernel: Kernel): number {
  const words = new Map<string, number>();
  for (const { block } of kernel.flow.blocks) {
    for (const { name, type, op } of block.instructions) {
      if (name === null) continue;
      // Addresses are 64-bit on hardware; predicates and what folds into operands take no register.
      const size = leavesOf(type).reduce(
        (sum, leaf) =>
          sum +
          (leaf.type.kind === 'ptr'
            ? 2
            : leaf.type.kind === 'int' && leaf.type.bits === 1
              ? 0
              : Math.max(1, sizeOf(leaf.type) / 4)),
        0,
      );
      words.set(name, op === 'alloca' ? 0 : size);
    }
  }
  let most = 0;
  for (const { block, index } of kernel.flow.blocks) {
    const live = liveOut(kernel.flow, kernel.live, index, kernel.resolve);
    let now = 0;
    for (const name of live) now += words.get(name) ?? 0;
    most = Math.max(most, now);
    for (const instruction of [...block.instructions].reverse()) {
      if (instruction.name !== null && live.delete(instruction.name)) now -= words.get(instruction.name) ?? 0;
      if (instruction.op === 'phi') continue;
      for (const name of reads(instruction, kernel.resolve)) {
        if (live.has(name)) continue;
        live.add(name);
        now += words.get(name) ?? 0;
      }
      most = Math.max(most, now);
    }
  }
  return Math.min(255, baseRegisters + most);
}
