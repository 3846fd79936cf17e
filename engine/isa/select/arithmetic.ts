import { longWay, type Instruction, type Type, type Value } from '../../ir/ir.ts';
import type { SelectionContext } from './context.ts';
import type { Place } from './place.ts';
import { floatOpcode, isInt, isPredicate, scalar, upperHalf } from './types.ts';

type Needs = Pick<SelectionContext, 'code' | 'counters' | 'facts' | 'values'>;

/** Sums, products, logic and division, with the operations that fold into one instruction. */
export class Arithmetic {
  private readonly kernel: Needs;
  /** Divisors whose reciprocals a block has, see division. */
  private readonly reciprocals = new Set<string>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** A product of integers; both halves of it by one instruction where both are needed. */
  product(instruction: Instruction, name: string, at: Place, words: number, count: number): void {
    const { operands } = instruction;
    const reads = this.kernel.values.needAll(operands, at);
    const upper = this.kernel.values.twin(instruction, ({ op, callee }) => op === 'call' && upperHalf.test(callee));
    if (upper !== null) {
      this.kernel.values.selected.set(upper, [upper]);
      this.kernel.code.widths.set(upper, 1);
      this.kernel.code.emit(at, 'IMAD.WIDE', reads, [name, upper]);
    } else if (words === 1) this.kernel.code.chain(at, 'IMAD', reads, name, count);
    else if (this.kernel.facts.isProductOfNarrow(operands)) this.kernel.code.emit(at, 'IMAD.WIDE', reads, [name]);
    else this.kernel.code.chain(at, 'IMAD', reads, name, 4 * count);
  }

  /** A shift, by a constant or a variable. */
  shift(instruction: Instruction, name: string, at: Place, words: number, count: number): string[] {
    const { op, operands, type } = instruction;
    const [left, right] = operands;
    const element = scalar(type);
    const variable = right?.kind !== 'int';
    // The halves of a pair are registers.
    if (isInt(element, 64) && !variable && right.value === 32n && op !== 'ashr')
      return this.kernel.values.need(left!, at);
    const opcode = op === 'shl' && !variable && words === 1 ? 'SHL' : 'SHF';
    this.kernel.code.chain(
      at,
      opcode,
      this.kernel.values.needAll(operands, at),
      name,
      (words === 2 ? (variable ? 3 : 2) : 1) * count,
    );
    return [name];
  }

  /** An integer sum; a product, shift or sum in it folds into the same instruction. */
  sum(instruction: Instruction, name: string, at: Place, words: number, count: number): void {
    const [left, right] = instruction.operands;
    if (words === 2) {
      for (const [product, other] of [
        [left, right],
        [right, left],
      ] as const) {
        const folded = this.kernel.values.foldable(product, 'mul shl', at);
        if (folded !== null && this.kernel.facts.isProductOfNarrow(folded.operands)) {
          this.kernel.code.emit(
            at,
            'IMAD.WIDE',
            [...this.kernel.values.needAll(folded.operands, at), ...this.widened(other!, at)],
            [name],
          );
          return;
        }
      }
      this.kernel.code.chain(at, 'IADD3', this.kernel.values.needAll(instruction.operands, at), name, 2 * count);
      return;
    }
    const factors = (value: Value | undefined): Instruction | null => this.kernel.values.foldable(value, 'mul', at);
    const shifted = (value: Value | undefined): Instruction | null => {
      const shift = this.kernel.values.foldable(value, 'shl', at);
      return shift?.operands[1]?.kind === 'int' ? shift : null;
    };
    const product = factors(left) ?? factors(right);
    if (product !== null) {
      const other = product.name === (left?.kind === 'local' ? left.name : null) ? right : left;
      this.kernel.code.emit(
        at,
        'IMAD',
        [...this.kernel.values.needAll(product.operands, at), ...this.kernel.values.need(other!, at)],
        [name],
      );
      return;
    }
    const shift = shifted(left) ?? shifted(right);
    if (shift !== null) {
      const other = shift.name === (left?.kind === 'local' ? left.name : null) ? right : left;
      this.kernel.code.emit(
        at,
        'LEA',
        [...this.kernel.values.needAll(shift.operands, at), ...this.kernel.values.need(other!, at)],
        [name],
      );
      return;
    }
    // Three addends.
    const inner = this.kernel.values.foldable(left, 'add sub', at) ?? this.kernel.values.foldable(right, 'add sub', at);
    if (
      inner !== null &&
      this.kernel.facts.words({ kind: 'local', name: inner.name!, type: inner.type }) === 1 &&
      !this.kernel.counters.isMerged(inner)
    ) {
      const other = inner.name === (left?.kind === 'local' ? left.name : null) ? right : left;
      const folds = inner.operands.some((operand) => this.kernel.values.foldable(operand, 'mul shl', at) !== null);
      if (!folds) {
        this.kernel.code.emit(
          at,
          'IADD3',
          [...this.kernel.values.needAll(inner.operands, at), ...this.kernel.values.need(other!, at)],
          [name],
        );
        return;
      }
    }
    this.kernel.code.chain(at, 'IADD', this.kernel.values.needAll(instruction.operands, at), name, count);
  }

  /** The register pair of an addend: the upper half of a 32-bit value is made once. */
  private widened(value: Value, at: Place): string[] {
    const reads = this.kernel.values.need(value, at);
    if (value.kind !== 'local' || this.kernel.facts.words(value) === 2) return reads;
    const upper = `${value.name}^`;
    if (!this.kernel.code.loaded.has(upper)) {
      this.kernel.code.loaded.add(upper);
      this.kernel.code.emit(at, this.kernel.facts.definition(value)?.instruction.op === 'sext' ? 'SHF' : 'MOV', reads, [
        upper,
      ]);
    }
    return [...reads, upper];
  }

  /** A logic operation; with another one in it, one LOP3; on predicates, the last comparison takes in the others. */
  logic(instruction: Instruction, name: string, at: Place, words: number, count: number): string[] {
    const { operands, type } = instruction;
    if (isPredicate(scalar(type))) {
      // The last comparison takes in the others.
      const comparisons = operands.some((operand) => this.kernel.values.foldable(operand, 'icmp fcmp', at) !== null);
      const reads = this.kernel.values.needAll(operands, at);
      if (!comparisons && operands.every((operand) => operand.kind === 'local'))
        this.kernel.code.emit(at, 'PLOP3', reads, [name]);
      else return reads;
      return [name];
    }
    if (instruction.op === 'or' && instruction.flags.includes('disjoint')) {
      // As an addition, which LEA and IMAD do along with a product.
      this.sum({ ...instruction, op: 'add' }, name, at, words, count);
      return [name];
    }
    const inner =
      operands
        .map((operand) => this.kernel.values.foldable(operand, 'and or xor', at))
        .find((folded) => folded !== null && folded !== undefined) ?? null;
    const others = operands.filter((operand) => !(operand.kind === 'local' && operand.name === inner?.name));
    const reads =
      inner !== null && !inner.flags.includes('disjoint')
        ? [...this.kernel.values.needAll(inner.operands, at), ...this.kernel.values.needAll(others, at)]
        : this.kernel.values.needAll(operands, at);
    this.kernel.code.chain(at, 'LOP3', reads, name, words * count);
    return [name];
  }

  /**
   * A reciprocal and its refinement, behind a check of the exponents with a branch to the slow way, which is hardly ever
   * taken (test/reference/h200/math.json: f_div, f_rcp, d_div, d_rcp).
   */
  quotient(type: Type, reads: string[], reciprocal: boolean, name: string, at: Place): void {
    const isDouble = type.kind === 'double';
    this.kernel.code.emit(at, 'BSSY', [], []);
    this.kernel.code.emit(at, 'MUFU', reads, [`${name}'r`]);
    const steps = isDouble ? (reciprocal ? 5 : 8) : reciprocal ? 3 : 5;
    this.kernel.code.chain(at, floatOpcode(type, 'FMA'), [...reads, `${name}'r`], `${name}'q`, steps);
    if (isDouble) this.kernel.code.chain(at, 'FFMA', reads, `${name}'f`, reciprocal ? 1 : 3);
    if (isDouble || reciprocal) this.kernel.code.chain(at, 'ISETP', reads, `${name}'c`, isDouble ? 3 : 2);
    else this.kernel.code.emit(at, 'FCHK', reads, [`${name}'c`]);
    this.kernel.code.emit(at, 'BRA', [`${name}'c`], []);
    this.kernel.code.emit(at, 'IMAD', [`${name}'q`], [name]);
    this.kernel.code.emit(at, 'BSYNC', [], []);
  }

  /** An integer division or its remainder. */
  division(instruction: Instruction, name: string, at: Place, words: number, count: number): void {
    const [left, right] = instruction.operands;
    const rest = instruction.op.endsWith('rem') ? 1 : 0;
    const signed = instruction.op.startsWith('s');
    const reads = this.kernel.values.needAll([left!, right!], at);
    if (right?.kind === 'int') {
      const [multiplies, others] = words === 2 ? [6, 9] : [1 + (signed ? 1 : 0), 1 + (signed ? 1 : 0)];
      this.kernel.code.chain(at, 'IMAD.HI', reads, `${name}'q`, (multiplies + rest) * count);
      this.kernel.code.chain(at, 'SHF', [`${name}'q`, ...reads], name, others * count);
      return;
    }
    if (instruction.flags.includes(longWay)) {
      this.longDivision(reads, name, at, signed);
      return;
    }
    // Results that depend on the divisor alone are kept for the next division by it.
    const divisor = this.kernel.values.needAll([right!], at);
    const reciprocal = `${divisor[0] ?? name}'${signed ? 's' : 'u'}reciprocal`;
    if (!this.reciprocals.has(`${reciprocal} ${at.block}`)) {
      this.reciprocals.add(`${reciprocal} ${at.block}`);
      if (signed) this.kernel.code.emit(at, 'IABS', divisor, [`${reciprocal}a`]);
      this.kernel.code.emit(at, 'I2F', signed ? [`${reciprocal}a`] : divisor, [`${reciprocal}f`]);
      this.kernel.code.emit(at, 'MUFU', [`${reciprocal}f`], [`${reciprocal}r`]);
      this.kernel.code.emit(at, 'IADD3', [`${reciprocal}r`], [`${reciprocal}i`]);
      this.kernel.code.emit(at, 'F2I', [`${reciprocal}i`], [`${reciprocal}c`]);
      this.kernel.code.chain(at, 'IMAD', [`${reciprocal}c`, ...divisor], reciprocal, 3);
      this.kernel.code.emit(at, 'ISETP', divisor, [`${reciprocal}z`]);
    }
    const extra = signed ? (rest === 1 ? 3 : 4) : 0;
    this.kernel.code.chain(at, 'IMAD', [reciprocal, ...reads], `${name}'m`, (3 + (extra >> 1)) * count);
    this.kernel.code.chain(at, 'IADD3', [`${name}'m`], name, (6 - rest + extra - (extra >> 1)) * count);
  }

  /**
   * Of operands that do not fit 32 bits, a function that is called: a reciprocal of 64 bits from that of a float, two steps of Newton's, the quotient
   * and two corrections. As many instructions as an H200 executed of HeCBench's mr (nvcc 13), signs besides.
   */
  private longDivision(reads: string[], name: string, at: Place, signed: boolean): void {
    const { code } = this.kernel;
    code.chain(at, 'MOV', reads, `${name}'a`, 3);
    code.emit(at, 'CALL', [`${name}'a`], []);
    if (signed) code.chain(at, 'IADD3', [`${name}'a`, ...reads], `${name}'b`, 8);
    code.emit(at, 'I2F', [`${name}'a`, ...reads], [`${name}'f`]);
    code.emit(at, 'MUFU', [`${name}'f`], [`${name}'r`]);
    code.emit(at, 'IADD3', [`${name}'r`], [`${name}'i`]);
    code.emit(at, 'F2I', [`${name}'i`], [`${name}'c`]);
    code.chain(at, 'IMAD', [`${name}'c`, ...reads], `${name}'m`, 30);
    code.chain(at, 'IADD3', [`${name}'m`], `${name}'q`, 14);
    code.chain(at, 'ISETP', [`${name}'q`], `${name}'p`, 6);
    code.chain(at, 'SEL', [`${name}'p`, `${name}'q`], name, 6);
    code.emit(at, 'RET', [name], []);
    code.chain(at, 'MOV', [name], `${name}'o`, 2);
  }

  /** A sum or product of floating-point numbers, or both in one FMA. */
  float(instruction: Instruction, name: string, at: Place, count: number): void {
    const element = scalar(instruction.type);
    const contraction = this.kernel.facts.contracted.get(instruction);
    const opcode = instruction.op === 'fmul' ? 'MUL' : contraction === undefined ? 'ADD' : 'FMA';
    const operands =
      contraction === undefined ? instruction.operands : [...contraction.product.operands, contraction.addend];
    const reads = operands.flatMap((operand) => [
      ...this.kernel.values.need(operand, at),
      ...this.wideConstant(operand, at),
    ]);
    if (count === 1) this.kernel.code.emit(at, floatOpcode(element, opcode), reads, [name]);
    else this.kernel.code.chain(at, floatOpcode(element, opcode), reads, name, count);
  }

  /** A double of which more than the upper half is not zero does not fit an instruction: UMOV for each half. */
  private wideConstant(value: Value, at: Place): string[] {
    if (value.kind !== 'float' || value.type.kind !== 'double') return [];
    const bits = new DataView(new ArrayBuffer(8));
    if (value.text.startsWith('0x')) bits.setBigUint64(0, BigInt(value.text));
    else bits.setFloat64(0, Number(value.text));
    if (bits.getUint32(4) === 0) return [];
    const inLoop = this.kernel.facts.flow.blocks[at.block]!.loop !== null;
    const name = inLoop ? `=${value.text}` : `${at.block}.${at.order}=${value.text}`;
    if (inLoop) return this.kernel.code.once(name, at, 'UMOV', 2);
    this.kernel.code.chain(at, 'UMOV', [], name, 2);
    return [name];
  }
}
