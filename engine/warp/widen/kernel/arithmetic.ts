import type { Instruction, Type } from '../../../ir/ir.ts';
import { hasFusedMultiplyAdd } from '../../fused.ts';
import type { Leaf } from '../writer.ts';
import { isConstant, laneBytes, laneType } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { narrowOf } from './element-types.ts';
import { flushed } from './flushed.ts';
import { floatConstant } from './float-constants.ts';

type Needs = Pick<KernelContext, 'analysis' | 'conversions' | 'current' | 'lanes' | 'operands' | 'writer'>;

/** Arithmetic, comparisons and shifts with a GPU's results where LLVM leaves them undefined. */
export class Arithmetic {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** A unary or binary operation on one element. `type`: of the result; `source`: of the operands. */
  scalarOp(instruction: Instruction, type: Type, source: Type, a: Leaf, b: Leaf | undefined): Leaf {
    const { conversions, writer: w } = this.kernel;
    const { op } = instruction;
    const [from, to] = [narrowOf(source), narrowOf(type)];
    if (from !== null || to !== null) {
      if (op === 'fneg') return w.binary('xor', a, w.constant('i16', -32768));
      const wide = (leaf: Leaf): Leaf => (from === null ? leaf : conversions.toFloat(leaf, from));
      if (op === 'fpext' && to === null)
        return type.kind === 'float' ? wide(a) : w.cast('fpext', wide(a), laneType(type));
      if (op === 'fptrunc' || op === 'fpext') return conversions.fromFloat(wide(a), to as 'half');
      if (/^[su]itofp$/.test(op))
        return conversions.fromFloat(conversions.fromInteger(a, 'double', op === 'sitofp'), to as 'half');
      const result = this.scalarOp(
        instruction,
        to === null ? type : { kind: 'float' },
        { kind: 'float' },
        wide(a),
        b && wide(b),
      );
      return to === null ? result : conversions.fromFloat(result, to);
    }
    const target = laneType(type);
    if (b === undefined) {
      if (op === 'fneg') return w.lift(a.type, [a], (shape, [x]) => `fneg ${shape.t(a.type)} ${x}`);
      if (op === 'fptosi' || op === 'fptoui') return conversions.toInteger(a, target, op === 'fptosi');
      if (op === 'sitofp' || op === 'uitofp') return conversions.fromInteger(a, target, op === 'sitofp');
      if (target === 'i1' && !a.uniform)
        return w.compare('ne', w.binary('and', a, w.constant(a.type, 1)), w.constant(a.type, 0));
      return w.cast(op, a, target);
    }
    if (op === 'icmp' && a.type === 'i1' && !(a.uniform && b.uniform)) {
      const different = w.emit(`xor i32 ${w.bits(a)}, ${w.bits(b)}`);
      if (instruction.predicate === 'ne') return w.fromBits(different);
      if (instruction.predicate === 'eq') return w.fromBits(w.emit(`xor i32 ${different}, -1`));
      return w.compare(instruction.predicate, w.cast('zext', a, 'i8'), w.cast('zext', b, 'i8'));
    }
    if (op === 'fcmp') return w.compare(instruction.predicate, a, b);
    if (op === 'icmp')
      return w.lift('i1', [a, b], (shape, [x, y]) => `${op} ${instruction.predicate} ${shape.t(a.type)} ${x}, ${y}`);
    if (target === 'i1' && !(a.uniform && b.uniform)) {
      if (op !== 'and' && op !== 'or' && op !== 'xor') return w.fromBits(w.emit(`xor i32 ${w.bits(a)}, ${w.bits(b)}`));
      return w.fromBits(w.emit(`${op} i32 ${w.bits(a)}, ${w.bits(b)}`));
    }
    if (/^[us](div|rem)$/.test(op)) return this.divide(op, a, b);
    if (op === 'shl' || op === 'lshr' || op === 'ashr') return this.shift(op, a, b);
    return w.binary(op, a, b);
  }

  /**
   * PTX's shifts: by the width or more they leave nothing, or the sign. To LLVM such a result is poison, to WebAssembly the
   * amount is taken modulo the width. Vector shifts by one amount are one instruction per 128 bits; WebAssembly has none by
   * different amounts.
   */
  private shift(op: string, a: Leaf, b: Leaf): Leaf {
    const w = this.kernel.writer;
    const width = 8 * laneBytes(a.type);
    const isInside = isConstant(b) && Number(b.text) >= 0 && Number(b.text) < width;
    if (a.type === 'i1' || a.type === 'i128' || isInside) return w.binary(op, a, b);
    // LLVM's unrolled shifts for WebAssembly take a narrow constant with its sign.
    if (op === 'lshr' && width < 32 && isConstant(a) && !b.uniform) {
      const [wide, amount] = [a, b].map((leaf) => w.cast('zext', leaf, 'i32')) as [Leaf, Leaf];
      return w.cast('trunc', this.shift(op, wide, amount), a.type);
    }
    const most = w.constant(b.type, width - 1);
    if (op === 'ashr') return w.binary(op, a, w.intrinsic(b.type, 'umin', [b, most]));
    const shifted = w.binary(op, a, w.binary('and', b, most));
    return w.select(w.compare('ult', b, w.constant(b.type, width)), shifted, w.constant(a.type, 0));
  }

  /** Integer division without traps. 8 to 32 bits go through double, whose quotient truncates exactly; faster, too. */
  private divide(op: string, a: Leaf, b: Leaf): Leaf {
    const { conversions, current, lanes, writer: w } = this.kernel;
    if (isConstant(b) && b.text !== '0' && b.text !== 'undef' && b.text !== '-1') return w.binary(op, a, b);
    if (a.type === 'i128') {
      const number = ['udiv', 'urem', 'sdiv', 'srem'].indexOf(op);
      return lanes.through128(
        [a, b],
        'i128',
        (inputs, out) =>
          `@divide128_lanes(ptr ${inputs[0]}, ptr ${inputs[1]}, ptr ${out}, i32 ${current.mask}, i32 ${number})`,
      );
    }
    if (a.type === 'i64') {
      const one = (x: string, y: string): string => w.emit(`call i64 @${op}64(i64 ${x}, i64 ${y})`);
      if (a.uniform && b.uniform) return w.uniform('i64', one(a.text, b.text));
      const [x, y] = [w.vector(a), w.vector(b)];
      let result = 'poison';
      for (let lane = 0; lane < 32; lane++) {
        const quotient = one(
          w.emit(`extractelement <32 x i64> ${x}, i32 ${lane}`),
          w.emit(`extractelement <32 x i64> ${y}, i32 ${lane}`),
        );
        result = w.emit(`insertelement <32 x i64> ${result}, i64 ${quotient}, i32 ${lane}`);
      }
      return w.divergent('i64', result);
    }
    const signed = op.startsWith('s');
    const toDouble = signed ? 'sitofp' : 'uitofp';
    const quotient = conversions.saturating(
      w.binary('fdiv', w.cast(toDouble, a, 'double'), w.cast(toDouble, b, 'double')),
      'i32',
      signed,
    );
    // The least number by -1 is itself, as all that is negated.
    const whole =
      signed && a.type === 'i32'
        ? w.select(w.compare('eq', b, w.constant('i32', -1)), w.binary('sub', w.constant('i32', 0), a), quotient)
        : quotient;
    const narrow = a.type === 'i32' ? whole : w.cast('trunc', whole, a.type);
    return op.endsWith('div') ? narrow : w.binary('sub', a, w.binary('mul', narrow, b));
  }

  /** CUDA's fmin (`olt`) and fmax (`ogt`): the other operand if one is NaN; of zeros -0 is the lesser. */
  minimum(predicate: 'olt' | 'ogt', a: Leaf, b: Leaf): Leaf {
    const w = this.kernel.writer;
    if (isConstant(a) && !isConstant(b)) return this.minimum(predicate, b, a);
    const limit = isConstant(b) ? floatConstant(b.text) : NaN;
    // If they are equal, that is `b`.
    const least = w.select(w.compare(predicate, a, b), a, b);
    if (!Number.isNaN(limit) && (limit !== 0 || Object.is(limit, -0) === (predicate === 'olt'))) return least;
    const whole = a.type === 'double' ? 'i64' : 'i32';
    const [x, y] = [a, b].map((leaf) => w.cast('bitcast', leaf, whole)) as [Leaf, Leaf];
    // Result for equal numbers, which differ at most in the sign of zero.
    const joined = w.cast('bitcast', w.binary(predicate === 'olt' ? 'or' : 'and', x, y), a.type);
    return w.select(w.compare('uno', b, b), a, w.select(w.compare('oeq', a, b), joined, least));
  }

  /** a * b + c, rounded once. */
  fma(args: Leaf[], type: string): Leaf {
    const { lanes, writer } = this.kernel;
    if (!hasFusedMultiplyAdd())
      return type === 'double' ? lanes.library('fma', args, type) : lanes.perLane('fma1', args, type);
    const short = type === 'double' ? 'f64' : 'f32';
    return writer.lift(
      type,
      args,
      (shape, texts) =>
        `call ${shape.t(type)} @${shape.t(type) === type ? 'fused1' : 'fused'}.${short}(${texts.map((text) => `${shape.t(type)} ${text}`).join(', ')})`,
    );
  }

  /** An operation, on zeros in the place of subnormal floats where the kernel is compiled with `-ftz=true`, and with one as its result. */
  flushing(op: string, args: readonly (Leaf | undefined)[], of: (...args: [Leaf, Leaf | undefined]) => Leaf): Leaf {
    const { analysis, writer } = this.kernel;
    const mode = analysis.fn.attributes.get('denormal-fp-math-f32');
    const flushes = mode?.startsWith('preserve-sign') === true && /^f(?:add|sub|mul|div|rem|ma)$/.test(op);
    const flush = <L extends Leaf | undefined>(leaf: L): L =>
      leaf?.type === 'float' && flushes ? (flushed({ writer }, leaf) as L) : leaf;
    return flush(of(...(args.map(flush) as [Leaf, Leaf | undefined])));
  }

  /** The same of halves and bfloat16s. */
  narrowFma(args: Leaf[], kind: 'half' | 'bfloat'): Leaf {
    const { lanes, writer: w } = this.kernel;
    if (kind === 'bfloat' || args.every((leaf) => leaf.uniform)) return lanes.perLane(`fma_${kind}`, args, 'i16');
    const words = args.map((leaf) => `<32 x i16> ${w.vector(leaf)}`);
    return w.divergent('i16', w.emit(`call <32 x i16> @fused.half(${words.join(', ')})`));
  }

  /** Sums that ptxas contracts with a product (`-fmad=true`, the default): see isa/contraction.ts. */
  contracted(instruction: Instruction, type: Type): Leaf[] | null {
    const { analysis, operands, writer: w } = this.kernel;
    const found = analysis.contraction.get(instruction);
    if (found === undefined) return null;

    const narrow = narrowOf(type);
    const negated = (leaf: Leaf): Leaf =>
      narrow === null
        ? w.lift(leaf.type, [leaf], (shape, [x]) => `fneg ${shape.t(leaf.type)} ${x}`)
        : w.binary('xor', leaf, w.constant('i16', -32768));
    const [a, b] = found.product.operands.map((operand) => operands.leaves(operand));
    const c = operands.leaves(found.addend);
    return (a ?? []).map((x, i) => {
      const terms = [
        found.negateProduct ? negated(x) : x,
        b?.[i] as Leaf,
        found.negateAddend ? negated(c[i] as Leaf) : (c[i] as Leaf),
      ];
      if (narrow !== null) return this.narrowFma(terms, narrow);
      return this.flushing('fma', terms, (...flushed) => this.fma(flushed as Leaf[], x.type));
    });
  }

  /** A binary operation; on i1 it works on lane bits. */
  binary(op: string, a: Leaf, b: Leaf): Leaf {
    const w = this.kernel.writer;
    if (a.type === 'i1' && !(a.uniform && b.uniform)) return w.fromBits(w.emit(`${op} i32 ${w.bits(a)}, ${w.bits(b)}`));
    return w.binary(op, a, b);
  }
}
