/**
 * Computes integers of 64 bits as ones of 32 wherever nobody can tell: code for a 64-bit device extends every index, and lanes of 64 bits
 * take twice the instructions. For execution only: what is timed has the widths that hardware has.
 *
 *   %i = sext i32 %n to i64
 *   %j = add nsw i64 %i, 1                            %j = add i32 %n, 1
 *   %p = getelementptr float, ptr %a, i64 %j    →     %p = getelementptr float, ptr %a, i32 %j
 *
 * Two reasons allow it. Of some values only the low half is used: addresses have 32 bits (see `PointerBytes`), and the low half of a sum or
 * product depends on low halves alone. Others are known to fit 32 bits (analysis/ranges.ts): they are extended where all 64 are asked for.
 */
import { Ranges, type Range } from './analysis/ranges.ts';
import { addForms } from './forms.ts';
import type { FunctionIr, Instruction, Type, Value } from './ir.ts';
import { i32, int, intConstant, makeInstruction } from './ir.ts';

const i64 = int(64);
const isWide = (type: Type): boolean => type.kind === 'int' && type.bits === 64;
const isSigned32 = ({ low, high }: Range): boolean => low >= -(2n ** 31n) && high < 2n ** 31n;
const isUnsigned32 = ({ low, high }: Range): boolean => low >= 0n && high < 2n ** 32n;
const fits = (range: Range): boolean => isSigned32(range) || isUnsigned32(range);

/** Operations whose low half depends on the low halves of their operands. */
const closed = new Set(['add', 'sub', 'mul', 'and', 'or', 'xor', 'phi', 'select', 'freeze']);
const choices = /^llvm\.([us])(min|max)\.i64$/;

/** The function with narrow integers; `fn` stays as it is. Blocks, and accesses to memory in them, are the same. */
export function narrowIntegers(fn: FunctionIr): FunctionIr {
  const hasWide = fn.blocks.some(({ instructions }) => instructions.some(({ type }) => isWide(type)));
  return hasWide ? new Narrowing(fn).rewritten() : fn;
}

class Narrowing {
  private readonly fn: FunctionIr;
  private readonly ranges: Ranges;
  private readonly definitions = new Map<string, Instruction>();
  /** Values of 64 bits that are computed in 32. */
  private readonly narrow = new Set<string>();
  /** Of these, those that are extended for somebody; and other values whose low half is used. */
  private readonly extended = new Set<string>();
  private readonly halved = new Set<string>();

  constructor(fn: FunctionIr) {
    this.fn = fn;
    this.ranges = new Ranges(fn);
    for (const { instructions } of fn.blocks)
      for (const instruction of instructions)
        if (instruction.name !== null) this.definitions.set(instruction.name, instruction);
    const whole = this.usedWhole();
    for (const [name, instruction] of this.definitions) {
      if (!isWide(instruction.type)) continue;
      const range = this.rangeOf(name);
      if (this.isExact(instruction) ? fits(range) : this.isClosed(instruction) && (fits(range) || !whole.has(name)))
        this.narrow.add(name);
    }
  }

  private rangeOf(name: string): Range {
    return this.ranges.of({ kind: 'local', name, type: i64 });
  }

  private isClosed({ op, operands }: Instruction): boolean {
    const [first, amount] = operands;
    if (closed.has(op)) return true;
    if (op === 'zext' || op === 'sext') return first?.type.kind === 'int' && first.type.bits <= 32;
    if (op === 'shl') {
      const { low, high } = this.ranges.of(amount!);
      return low >= 0n && high < 64n;
    }
    return (op === 'ptrtoint' || op === 'ptrtoaddr') && first?.type.kind === 'ptr';
  }

  /** Operations with a result of 64 bits that 32 do exactly, because of what their operands are known to be. */
  private isExact({ op, operands, callee }: Instruction): boolean {
    if (op === 'call') return choices.test(callee) && this.signOf(operands) !== null;
    if (!/^([al]shr|[us]div|[us]rem)$/.test(op)) return false;
    const [left, right] = operands.map((operand) => this.ranges.of(operand)) as [Range, Range];
    if (op === 'lshr') return isUnsigned32(left) && isUnsigned32(right);
    if (op === 'ashr') return fits(left) && isUnsigned32(right);
    if (isUnsigned32(left) && isUnsigned32(right)) return true;
    return op.startsWith('s') && isSigned32(left) && isSigned32(right) && left.low > -(2n ** 31n);
  }

  /** How operands compare in 32 bits as they do in 64: as they are, without signs, or not at all. */
  private signOf(operands: readonly Value[]): 'same' | 'unsigned' | null {
    const ranges = operands.slice(0, 2).map((operand) => this.ranges.of(operand));
    return ranges.every(isSigned32) ? 'same' : ranges.every(isUnsigned32) ? 'unsigned' : null;
  }

  /** Names of values all of whose bits matter to somebody. */
  private usedWhole(): Set<string> {
    const whole = new Set<string>();
    const open: Instruction[] = [];
    const use = (value: Value): void => {
      if (value.kind !== 'local' || !isWide(value.type) || whole.has(value.name)) return;
      whole.add(value.name);
      const made = this.definitions.get(value.name);
      // One that is computed in 32 bits whoever asks for it asks for no more itself.
      if (made !== undefined && this.isClosed(made) && !this.isExact(made) && !fits(this.rangeOf(value.name)))
        open.push(made);
    };
    for (const { instructions } of this.fn.blocks)
      for (const instruction of instructions) {
        if (isWide(instruction.type) && (this.isClosed(instruction) || this.isExact(instruction))) {
          if (this.isExact(instruction) && !fits(this.rangeOf(instruction.name!))) instruction.operands.forEach(use);
        } else this.wholeOperands(instruction).forEach(use);
      }
    for (let next = open.pop(); next !== undefined; next = open.pop()) next.operands.forEach(use);
    return whole;
  }

  /** Operands of which an instruction needs more than the low half. */
  private wholeOperands({ op, operands, type }: Instruction): readonly Value[] {
    switch (op) {
      case 'trunc':
        return type.kind === 'int' && type.bits <= 32 ? [] : operands;
      case 'getelementptr':
      case 'inttoptr':
        return [];
      case 'icmp':
        return this.signOf(operands) === null ? operands : [];
      case 'sitofp':
      case 'uitofp':
        return this.asFloat(op, operands[0]!) === null ? operands : [];
      default:
        return operands;
    }
  }

  /** The conversion to a float that gives the same of the low half. */
  private asFloat(op: string, value: Value): string | null {
    if (!isWide(value.type)) return null;
    const range = this.ranges.of(value);
    if (isUnsigned32(range)) return 'uitofp';
    return op === 'sitofp' && isSigned32(range) ? 'sitofp' : null;
  }

  // ---- rewriting ----

  rewritten(): FunctionIr {
    const blocks = this.fn.blocks.map(({ name, instructions }) => ({
      name,
      instructions: instructions.flatMap((instruction) => this.rewrite(instruction)),
    }));
    addForms(blocks, this.fn.parameters, (name) => this.otherForms(wideName(name)));
    return { ...this.fn, blocks };
  }

  /** The other width of a value, where it is used. */
  private otherForms(name: string): Instruction[] {
    const wide: Value = { kind: 'local', name, type: i64 };
    if (this.halved.has(name))
      return [makeInstruction('trunc', { name: narrowName(name), type: i32, operands: [wide] })];
    if (!this.extended.has(name)) return [];
    const op = isUnsigned32(this.rangeOf(name)) ? 'zext' : 'sext';
    const low: Value = { kind: 'local', name: narrowName(name), type: i32 };
    return [makeInstruction(op, { name, type: i64, operands: [low] })];
  }

  /** The low half of a value. */
  private low(value: Value): Value {
    if (!isWide(value.type)) return value;
    if (value.kind === 'int') return intConstant(BigInt.asIntN(32, value.value));
    if (value.kind === 'zero' || value.kind === 'undef') return { ...value, type: i32 };
    if (value.kind !== 'local')
      return { kind: 'expression', op: 'trunc', operands: [value], sourceType: null, type: i32 };
    if (!this.narrow.has(value.name)) this.halved.add(value.name);
    return { kind: 'local', name: narrowName(value.name), type: i32 };
  }

  private whole(value: Value): Value {
    if (value.kind === 'local' && this.narrow.has(value.name)) this.extended.add(value.name);
    return value;
  }

  private rewrite(instruction: Instruction): Instruction[] {
    const { op, name, operands, type, callee } = instruction;
    const low = (fields: Partial<Instruction> = {}): Instruction[] => [
      { ...instruction, flags: [], operands: operands.map((operand) => this.low(operand)), ...fields },
    ];
    if (name !== null && this.narrow.has(name)) {
      const to = { name: narrowName(name), type: i32 };
      const choice = choices.exec(callee);
      if (choice !== null) {
        const sign = this.signOf(operands) === 'unsigned' ? 'u' : choice[1]!;
        return low({ ...to, callee: `llvm.${sign}${choice[2]}.i32` });
      }
      if (op === 'zext' || op === 'sext') {
        const isSame = operands[0]!.type.kind === 'int' && operands[0]!.type.bits === 32;
        return low({ ...to, op: isSame ? 'freeze' : op });
      }
      const isCount = operands.slice(0, 2).every((operand) => isUnsigned32(this.ranges.of(operand)));
      if (isCount && op === 'ashr') return low({ ...to, op: 'lshr' });
      if (isCount && (op === 'sdiv' || op === 'srem')) return low({ ...to, op: `u${op.slice(1)}` });
      return low(to);
    }
    switch (op) {
      case 'trunc':
        if (!isWide(operands[0]!.type) || type.kind !== 'int' || type.bits > 32) break;
        if (!this.isNarrow(operands[0]!)) return [instruction];
        return low({ op: type.bits === 32 ? 'freeze' : 'trunc' });
      case 'getelementptr':
      case 'inttoptr':
        return [
          {
            ...instruction,
            operands: operands.map((operand) => (this.isNarrow(operand) ? this.low(operand) : operand)),
          },
        ];
      case 'icmp': {
        const sign = isWide(operands[0]!.type) ? this.signOf(operands) : null;
        if (sign === null) break;
        return low(sign === 'same' ? {} : { predicate: instruction.predicate.replace(/^s/, 'u') });
      }
      case 'sitofp':
      case 'uitofp': {
        const conversion = this.asFloat(op, operands[0]!);
        if (conversion !== null) return low({ op: conversion });
      }
    }
    return [{ ...instruction, operands: operands.map((operand) => this.whole(operand)) }];
  }

  private isNarrow(value: Value): boolean {
    return value.kind === 'local' && this.narrow.has(value.name);
  }
}

const prefix = '.narrow.';
const narrowName = (name: string): string => `${prefix}${name}`;
const wideName = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
