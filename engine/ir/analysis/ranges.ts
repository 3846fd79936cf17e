/**
 * Bounds of integers: from thread indices, widths of what was extended, constants, and loops that count. Bounds are those of signed numbers.
 * An integer that only a loop of more than 2³¹ rounds would bring out of them counts as within: no simulated kernel gets that far.
 */
import type { FunctionIr, Instruction, Type, Value } from '../ir.ts';
import { terminatorOf } from '../ir.ts';
import { buildFlow, contains, type Flow, type FlowBlock } from './flow.ts';

export interface Range {
  low: bigint;
  high: bigint;
}

const deepest = 64;
const limit = (bits: number): Range => ({ low: -(1n << BigInt(bits - 1)), high: (1n << BigInt(bits - 1)) - 1n });
const everyWord = limit(64);
const exactly = (value: bigint): Range => ({ low: value, high: value });
const least = (values: bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b));
const most = (values: bigint[]): bigint => values.reduce((a, b) => (a > b ? a : b));
const hull = (ranges: Range[]): Range => ({
  low: least(ranges.map(({ low }) => low)),
  high: most(ranges.map(({ high }) => high)),
});
const within = (inner: Range, outer: Range): boolean => inner.low >= outer.low && inner.high <= outer.high;
/** The least 2ⁿ − 1 that is not below a number. */
const ones = (value: bigint): bigint => (1n << BigInt(value.toString(2).length)) - 1n;

/** Bounds of special registers (CUDA C++ Programming Guide, technical specifications per compute capability). */
const registers: readonly (readonly [RegExp, bigint, bigint])[] = [
  [/\.tid\.[xy]$/, 0n, 1023n],
  [/\.tid\.z$/, 0n, 63n],
  [/\.ntid\.[xyz]$/, 1n, 1024n],
  [/\.ctaid\.x$/, 0n, 2n ** 31n - 2n],
  [/\.ctaid\.[yz]$/, 0n, 65534n],
  [/\.nctaid\.x$/, 1n, 2n ** 31n - 1n],
  [/\.nctaid\.[yz]$/, 1n, 65535n],
  [/\.laneid$/, 0n, 31n],
  [/\.n?warpid$/, 0n, 64n],
  [/\.warpsize$/, 32n, 32n],
];

/** How a loop goes on: while a value, which is the counter plus `plus`, relates to a bound. */
interface Condition {
  predicate: string;
  plus: bigint;
  bound: Value;
}

const negated: Readonly<Record<string, string>> = {
  ...{ eq: 'ne', ne: 'eq', slt: 'sge', sge: 'slt', sgt: 'sle', sle: 'sgt' },
  ...{ ult: 'uge', uge: 'ult', ugt: 'ule', ule: 'ugt' },
};
const swapped: Readonly<Record<string, string>> = {
  ...{ eq: 'eq', ne: 'ne', slt: 'sgt', sgt: 'slt', sle: 'sge', sge: 'sle' },
  ...{ ult: 'ugt', ugt: 'ult', ule: 'uge', uge: 'ule' },
};

export class Ranges {
  private readonly definitions = new Map<string, { instruction: Instruction; block: FlowBlock }>();
  private readonly known = new Map<string, Range>();
  private readonly open = new Set<string>();
  private readonly flow: Flow;

  constructor(fn: FunctionIr) {
    this.flow = buildFlow(fn.blocks);
    for (const block of this.flow.blocks)
      for (const instruction of block.block.instructions)
        if (instruction.name !== null) this.definitions.set(instruction.name, { instruction, block });
    // In the order of execution, so that no chain of operands is followed far.
    for (const { block } of this.flow.blocks)
      for (const { name, type } of block.instructions)
        if (name !== null && type.kind === 'int') this.ofName(name, type);
  }

  /** Bounds of an integer of up to 64 bits. */
  of(value: Value): Range {
    const all = boundsOf(value.type);
    if (value.kind === 'int') return value.type.kind === 'int' && value.type.bits === 1 ? all : exactly(value.value);
    if (value.kind === 'zero') return exactly(0n);
    return value.kind === 'local' ? this.ofName(value.name, value.type) : all;
  }

  private ofName(name: string, type: Type): Range {
    const all = boundsOf(type);
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const made = this.definitions.get(name);
    if (made === undefined || type.kind !== 'int' || type.bits > 64 || this.open.has(name) || this.open.size > deepest)
      return all;
    this.open.add(name);
    const found = this.computed(made.instruction, made.block, all);
    this.open.delete(name);
    const range = within(found, all) ? found : all;
    this.known.set(name, range);
    return range;
  }

  private computed(instruction: Instruction, block: FlowBlock, all: Range): Range {
    const { op, operands, flags, callee } = instruction;
    const [first, second] = operands;
    if (op === 'call') return this.called(callee, operands, all);
    if (first === undefined) return all;
    if (op === 'phi') return this.phi(instruction, block, all);
    if (op === 'zext' || op === 'sext' || op === 'trunc') {
      if (first.type.kind !== 'int') return all;
      const bits = first.type.bits;
      if (bits === 1) return op === 'sext' ? { low: -1n, high: 0n } : { low: 0n, high: 1n };
      const from = this.of(first);
      if (op !== 'zext' || from.low >= 0n) return from;
      return { low: 0n, high: flags.includes('nneg') ? from.high : (1n << BigInt(bits)) - 1n };
    }
    // Addresses have 32 bits (PointerBytes).
    if (op === 'ptrtoint' || op === 'ptrtoaddr') return { low: 0n, high: (1n << 32n) - 1n };
    if (op === 'freeze') return this.of(first);
    if (second === undefined) return all;
    if (op === 'select') return hull([this.of(second), this.of(operands[2]!)]);
    const [a, b] = [this.of(first), this.of(second)];
    const isCount = a.low >= 0n && b.low >= 0n;
    /** Where the sum would not fit its result is not defined. */
    const bounded = (range: Range): Range => {
      if (within(range, all)) return range;
      if (flags.includes('nsw')) return { low: most([range.low, all.low]), high: least([range.high, all.high]) };
      return all;
    };
    switch (op) {
      case 'add':
        return bounded({ low: a.low + b.low, high: a.high + b.high });
      case 'sub':
        return bounded({ low: a.low - b.high, high: a.high - b.low });
      case 'mul': {
        const products = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
        return bounded({ low: least(products), high: most(products) });
      }
      case 'shl':
        if (second.kind !== 'int' || second.value < 0n || second.value > 63n) return all;
        return bounded({ low: a.low << second.value, high: a.high << second.value });
      case 'lshr':
        return a.low >= 0n && second.kind === 'int' && second.value >= 0n
          ? { low: a.low >> second.value, high: a.high >> second.value }
          : second.kind === 'int' && second.value > 0n
            ? { low: 0n, high: (all.high * 2n + 1n) >> second.value }
            : all;
      case 'ashr':
        return second.kind === 'int' && second.value >= 0n
          ? { low: a.low >> second.value, high: a.high >> second.value }
          : all;
      case 'and':
        if (isCount) return { low: 0n, high: least([a.high, b.high]) };
        return a.low >= 0n ? { low: 0n, high: a.high } : b.low >= 0n ? { low: 0n, high: b.high } : all;
      case 'or':
      case 'xor':
        return isCount ? { low: 0n, high: ones(most([a.high, b.high])) } : all;
      case 'udiv':
      case 'sdiv':
        return isCount && b.low > 0n ? { low: 0n, high: a.high / b.low } : all;
      case 'urem':
      case 'srem':
        return isCount && b.low > 0n ? { low: 0n, high: least([a.high, b.high - 1n]) } : all;
      default:
        return all;
    }
  }

  private called(callee: string, operands: readonly Value[], all: Range): Range {
    const register = registers.find(
      ([pattern]) => callee.startsWith('llvm.nvvm.read.ptx.sreg.') && pattern.test(callee),
    );
    if (register !== undefined) return { low: register[1], high: register[2] };
    const kind = /^llvm\.([us])(min|max)\./.exec(callee);
    if (kind === null) return /^llvm\.ct(pop|lz|tz)\./.test(callee) ? { low: 0n, high: 64n } : all;
    const ranges = operands.slice(0, 2).map((operand) => this.of(operand));
    const pick = kind[2] === 'min' ? least : most;
    if (kind[1] === 'u' && ranges.some(({ low }) => low < 0n)) {
      const counts = ranges.filter(({ low }) => low >= 0n);
      return kind[2] === 'min' && counts.length > 0 ? { low: 0n, high: least(counts.map(({ high }) => high)) } : all;
    }
    return { low: pick(ranges.map(({ low }) => low)), high: pick(ranges.map(({ high }) => high)) };
  }

  private phi(phi: Instruction, block: FlowBlock, all: Range): Range {
    const counted = this.counter(phi, block);
    const values = phi.operands.filter(({ kind }) => kind !== 'undef');
    return counted ?? (values.length === 0 ? all : hull(values.map((operand) => this.of(operand))));
  }

  /** A counter of a loop: what it starts at, and constants added in each round. */
  private counter(phi: Instruction, block: FlowBlock): Range | null {
    const starts: Value[] = [];
    const rounds: { step: bigint; label: string }[] = [];
    phi.operands.forEach((operand, i) => {
      const { name, plus } = this.stepsOf(operand);
      if (name === phi.name && plus !== 0n) rounds.push({ step: plus, label: phi.labels[i]! });
      else starts.push(operand);
    });
    const [first] = rounds;
    if (first === undefined || starts.length === 0) return null;
    const up = first.step > 0n;
    if (rounds.some(({ step }) => step > 0n !== up)) return null;
    const start = hull(starts.map((value) => this.of(value)));
    const ends = rounds.map(({ step, label }) => {
      const bounds = [label, block.block.name].flatMap((from) => {
        const condition = this.conditionOf(from, block, phi.name!);
        const bound = condition === null ? null : this.lastOf(condition, up);
        return bound === null ? [] : [bound - condition!.plus + step];
      });
      return bounds.length === 0 ? null : up ? least(bounds) : most(bounds);
    });
    if (ends.some((end) => end === null)) return null;
    const all = [start.low, start.high, ...(ends as bigint[])];
    const range = up ? { low: start.low, high: most(all) } : { low: least(all), high: start.high };
    return within(range, { low: everyWord.low >> 1n, high: everyWord.high >> 1n }) ? range : null;
  }

  /** A value as another plus a constant. */
  private stepsOf(value: Value): { name: string | null; plus: bigint } {
    let plus = 0n;
    let at = value;
    for (let i = 0; i < deepest; i++) {
      const made = at.kind === 'local' ? this.definitions.get(at.name)?.instruction : undefined;
      const [left, right] = made?.operands ?? [];
      if (made?.op !== 'add' || left === undefined || right?.kind !== 'int') break;
      plus += right.value;
      at = left;
    }
    return { name: at.kind === 'local' ? at.name : null, plus };
  }

  /** The condition under which a branch of the loop's head, or the one back to it, stays in the loop. */
  private conditionOf(from: string, head: FlowBlock, counter: string): Condition | null {
    const block = this.flow.blocks[this.flow.indexOf.get(from) ?? -1];
    if (block === undefined || head.loop === null) return null;
    const { op, operands, labels } = terminatorOf(block.block);
    if (op !== 'br' || labels.length !== 2 || operands[0]?.kind !== 'local') return null;
    const stays = labels.map((label) => contains(head.loop!, this.flow.indexOf.get(label) ?? -1));
    if (stays[0] === stays[1]) return null;
    const compare = this.definitions.get(operands[0].name)?.instruction;
    if (compare?.op !== 'icmp') return null;
    const predicate = stays[0] ? compare.predicate : negated[compare.predicate]!;
    const [left, right] = compare.operands as [Value, Value];
    const [a, b] = [this.stepsOf(left), this.stepsOf(right)];
    if (a.name === counter && b.name !== counter) return { predicate, plus: a.plus, bound: right };
    if (b.name === counter && a.name !== counter) return { predicate: swapped[predicate]!, plus: b.plus, bound: left };
    return null;
  }

  /** The furthest value for which a loop goes on. */
  private lastOf({ predicate, bound }: Condition, up: boolean): bigint | null {
    const { low, high } = this.of(bound);
    if (predicate.startsWith('u') && low < 0n) return null;
    if (up)
      return predicate === 'ne' || predicate === 'slt' || predicate === 'ult'
        ? high - 1n
        : predicate === 'sle' || predicate === 'ule'
          ? high
          : null;
    return predicate === 'ne' || predicate === 'sgt' || predicate === 'ugt'
      ? low + 1n
      : predicate === 'sge' || predicate === 'uge'
        ? low
        : null;
  }
}

const boundsOf = (type: Type): Range => (type.kind === 'int' && type.bits <= 64 ? limit(type.bits) : everyWord);
