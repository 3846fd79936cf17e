/**
 * Integers and addresses as sums of products, so that addresses which differ by a constant, or by one product, are seen to.
 *
 *   a + 4 * (i * n + 3)  →  { a: 1, 'i*n': 4, '': 12 }
 */
import type { Instruction, Value } from '../ir/ir.ts';
import { gepSteps } from '../ir/addresses.ts';

/** Coefficients by product: names in alphabetical order, joined by `*`; the constant has the empty name. */
export type Linear = Map<string, number>;

/** In a block. */
const mostThreads = 1024;
const deepest = 24;
/** Longer sums are taken as they are. */
const mostTerms = 8;

const constant = (value: number): Linear => new Map(value === 0 ? [] : [['', value]]);

export function plus(a: Linear, b: Linear, factor = 1): Linear {
  const sum = new Map(a);
  for (const [product, coefficient] of b) {
    const value = (sum.get(product) ?? 0) + factor * coefficient;
    if (value === 0) sum.delete(product);
    else sum.set(product, value);
  }
  return sum;
}

function times(a: Linear, b: Linear): Linear | null {
  if (a.size * b.size > mostTerms) return null;
  let sum: Linear = new Map();
  for (const [p, x] of a) {
    for (const [q, y] of b) {
      const names = [...p.split('*'), ...q.split('*')].filter((name) => name !== '').sort();
      if (names.length > 3) return null;
      sum = plus(sum, new Map([[names.join('*'), x * y]]));
    }
  }
  return sum;
}

/** The variable part: addresses with the same one differ by a constant that fits the instruction. */
export const keyOf = (linear: Linear): string =>
  [...linear]
    .filter(([product]) => product !== '')
    .map(([product, coefficient]) => `${coefficient}*${product}`)
    .sort()
    .join('+');

export class LinearForms {
  private readonly known = new Map<string, Linear>();
  private readonly definition: (value: Value) => Instruction | undefined;

  constructor(definition: (value: Value) => Instruction | undefined) {
    this.definition = definition;
  }

  of(value: Value, depth = 0): Linear {
    if (value.kind === 'int') return constant(Number(BigInt.asIntN(64, value.value)));
    if (value.kind === 'zero') return new Map();
    if (value.kind === 'global') return new Map([[`@${value.name}`, 1]]);
    if (value.kind === 'expression') {
      const first = value.operands[0];
      if (first === undefined) return new Map();
      if (value.op !== 'getelementptr') return this.of(first, depth + 1);
      return this.address(first, value.sourceType, value.operands.slice(1), depth) ?? new Map();
    }
    if (value.kind !== 'local') return new Map([['?', 1]]);
    const own: Linear = new Map([[value.name, 1]]);
    if (depth > deepest) return own;
    const known = this.known.get(value.name);
    if (known !== undefined) return known;
    const instruction = this.definition(value);
    const form = (instruction && this.ofInstruction(instruction, depth)) ?? own;
    const result = form.size > mostTerms ? own : form;
    this.known.set(value.name, result);
    return result;
  }

  private ofInstruction(instruction: Instruction, depth: number): Linear | null {
    const { op, flags, operands } = instruction;
    const [left, right] = operands;
    if (left === undefined || instruction.type.kind === 'vector') return null;
    const of = (value: Value): Linear => this.of(value, depth + 1);
    switch (op) {
      case 'sext':
      case 'zext':
        return this.extended(left, op === 'zext', depth);
      case 'addrspacecast':
      case 'freeze':
      case 'ptrtoint':
      case 'inttoptr':
      case 'bitcast':
        return of(left);
      case 'getelementptr':
        return this.address(left, instruction.accessType, operands.slice(1), depth);
      case 'add':
        return right ? plus(of(left), of(right)) : null;
      case 'or':
        return right && flags.includes('disjoint') ? plus(of(left), of(right)) : null;
      case 'sub':
        return right ? plus(of(left), of(right), -1) : null;
      case 'mul':
        return right ? times(of(left), of(right)) : null;
      case 'shl':
        return right?.kind === 'int' ? times(of(left), constant(2 ** Number(right.value))) : null;
      default:
        return null;
    }
  }

  /** A sum that may wrap in 32 bits is not the same sum in 64. */
  private extended(value: Value, unsigned: boolean, depth: number): Linear {
    const inner = this.definition(value);
    if (inner === undefined || value.kind !== 'local') return this.of(value, depth + 1);
    const sum = /^(add|sub|mul|shl)$/.test(inner.op);
    const exact =
      inner.flags.includes(unsigned ? 'nuw' : 'nsw') || inner.flags.includes('nsw') || this.largest(value) < 2 ** 31;
    return sum && !exact ? new Map([[value.name, 1]]) : this.of(value, depth + 1);
  }

  /** A bound of what is not negative, from threadIdx, blockDim and constants; Infinity where it is not known. */
  private largest(value: Value, depth = 0): number {
    if (value.kind === 'zero') return 0;
    if (value.kind === 'int') {
      const number = Number(BigInt.asIntN(64, value.value));
      return number < 0 ? Infinity : number;
    }
    const inner = depth > deepest ? undefined : this.definition(value);
    if (inner === undefined) return Infinity;
    if (/sreg\.n?tid\./.test(inner.callee)) return mostThreads;
    const [left, right] = inner.operands;
    if (left === undefined || right === undefined) return Infinity;
    const of = (operand: Value): number => this.largest(operand, depth + 1);
    switch (inner.op) {
      case 'add':
        return of(left) + of(right);
      case 'or':
        return inner.flags.includes('disjoint') ? of(left) + of(right) : Infinity;
      case 'mul':
        return of(left) * of(right);
      case 'shl':
        return right.kind === 'int' ? of(left) * 2 ** Number(right.value) : Infinity;
      default:
        return Infinity;
    }
  }

  private address(base: Value, sourceType: Instruction['accessType'], indices: Value[], depth: number): Linear | null {
    if (sourceType === null) return null;
    let sum = this.of(base, depth + 1);
    for (const { index, bytes } of gepSteps(sourceType, indices)) {
      const added = index === null ? constant(bytes) : times(this.of(index, depth + 1), constant(bytes));
      if (added === null) return null;
      sum = plus(sum, added);
    }
    return sum;
  }
}
