import type { Leaf } from '../writer.ts';
import { laneBytes } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'analysis' | 'arithmetic' | 'current' | 'lanes' | 'writer'>;

/** Conversions between integers and floats, of half and bfloat16 (16 bits in lanes, computed as floats), and bitcasts. */
export class Conversions {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /**
   * A float or double as an integer. The conversion saturates, as on a GPU. NaN gives 0 from float to 32 bits, else the highest bit alone. What is narrower is
   * the low bits of 32, as nvcc has it.
   */
  toInteger(leaf: Leaf, type: string, signed: boolean): Leaf {
    const { arithmetic, current, lanes, writer: w } = this.kernel;
    if (laneBytes(type) < 4) {
      const wide = this.toInteger(leaf, 'i32', signed);
      if (type !== 'i1' || wide.uniform) return w.cast('trunc', wide, type);
      return w.compare('ne', arithmetic.binary('and', wide, w.constant('i32', 1)), w.constant('i32', 0));
    }
    if (type === 'i128')
      return lanes.through128(
        [leaf],
        type,
        (inputs, out) =>
          `@float_to_128(ptr ${inputs[0]}, ptr ${out}, i32 ${current.mask}, i32 ${signed ? 1 : 0}, i32 ${leaf.type === 'double' ? 1 : 0})`,
      );
    const result = this.saturating(leaf, type, signed);
    if (leaf.type === 'float' && type !== 'i64') return result;

    const highest = type === 'i64' ? '-9223372036854775808' : '-2147483648';
    return type === 'i32' || type === 'i64'
      ? w.select(w.compare('uno', leaf, leaf), w.constant(type, highest), result)
      : result;
  }

  /** LLVM's saturating conversion, in which NaN gives 0. */
  saturating(leaf: Leaf, type: string, signed: boolean): Leaf {
    return this.kernel.writer.intrinsic(
      type,
      `fpto${signed ? 's' : 'u'}i.sat`,
      [leaf],
      [],
      (shape) => `${shape.s(type)}.${shape.s(leaf.type)}`,
    );
  }

  /** An integer as a float or double. */
  fromInteger(leaf: Leaf, type: string, signed: boolean): Leaf {
    const { current, lanes, writer } = this.kernel;
    if (leaf.type === 'i128')
      return lanes.through128(
        [leaf],
        type,
        (inputs, out) =>
          `@float_of_128(ptr ${inputs[0]}, ptr ${out}, i32 ${current.mask}, i32 ${signed ? 1 : 0}, i32 ${type === 'double' ? 1 : 0})`,
      );
    return writer.cast(signed ? 'sitofp' : 'uitofp', leaf, type);
  }

  /** A half or bfloat16 as a float. */
  toFloat(leaf: Leaf, kind: 'half' | 'bfloat'): Leaf {
    const w = this.kernel.writer;
    if (kind === 'bfloat')
      return w.cast('bitcast', w.binary('shl', w.cast('zext', leaf, 'i32'), w.constant('i32', 16)), 'float');
    return this.conversion('float_of_half', leaf, 'float');
  }

  /** A float or double rounded to nearest even; NaN becomes 0x7fff, as on a GPU. Doubles are rounded once. */
  fromFloat(leaf: Leaf, kind: 'half' | 'bfloat'): Leaf {
    const w = this.kernel.writer;
    if (leaf.type === 'double') return this.kernel.lanes.perLane(`double_to_${kind}`, [leaf], 'i16');
    if (kind === 'half') return this.conversion('half_of_float', leaf, 'i16');
    const number = (value: number): Leaf => w.constant('i32', value | 0);
    const bits = w.cast('bitcast', leaf, 'i32');
    const odd = w.binary('and', w.binary('lshr', bits, number(16)), number(1));
    const rounded = w.binary('lshr', w.binary('add', w.binary('add', bits, number(0x7fff)), odd), number(16));
    return w.cast('trunc', w.select(w.compare('uno', leaf, leaf), number(0x7fff), rounded), 'i16');
  }

  /** A function of the prelude, for all lanes or for one (`….1`). */
  private conversion(name: string, leaf: Leaf, type: string): Leaf {
    return this.kernel.writer.lift(type, [leaf], (shape, [x]) => {
      const from = shape.t(leaf.type);
      return `call ${shape.t(type)} @${name}${from === leaf.type ? '.1' : ''}(${from} ${x})`;
    });
  }

  /** The same bits as other types: int and float, vectors and words. */
  reinterpret(leaves: Leaf[], types: string[], op: string): Leaf[] {
    const { analysis, writer: w } = this.kernel;
    if (leaves.length === types.length) {
      return leaves.map((leaf, i) => {
        const type = types[i] as string;
        if (leaf.type === type) return leaf;
        if (laneBytes(leaf.type) === laneBytes(type)) return w.cast('bitcast', leaf, type);
        if (op === 'bitcast') throw analysis.unsupported(`a bitcast from ${leaf.type} to ${type}`, null);
        return w.cast(laneBytes(type) < laneBytes(leaf.type) ? 'trunc' : 'zext', leaf, type);
      });
    }
    const asInt = (leaf: Leaf): Leaf =>
      leaf.type.startsWith('i') ? leaf : w.cast('bitcast', leaf, `i${laneBytes(leaf.type) * 8}`);
    const bytes = leaves.reduce((sum, leaf) => sum + laneBytes(leaf.type), 0);
    const word = Math.max(laneBytes(leaves[0]?.type ?? 'i32'), laneBytes(types[0] ?? 'i32'));
    const result: Leaf[] = [];
    const wide = `i${word * 8}`;
    if (bytes % word !== 0 || word > 16) throw analysis.unsupported('this bitcast', null);
    for (let at = 0, next = 0; at < bytes; at += word) {
      let sum: Leaf | null = null;
      for (let filled = 0; filled < word;) {
        const leaf = asInt(leaves[next++] as Leaf);
        const size = laneBytes(leaf.type);
        const part = size === word ? leaf : w.binary('shl', w.cast('zext', leaf, wide), w.constant(wide, filled * 8));
        sum = sum === null ? part : w.binary('or', sum, part);
        filled += size;
      }
      const target = types[0] as string;
      const size = laneBytes(target);
      for (let k = 0; k < word / size; k++) {
        const moved = k === 0 ? (sum as Leaf) : w.binary('lshr', sum as Leaf, w.constant(wide, k * size * 8));
        const piece = size === word ? moved : w.cast('trunc', moved, `i${size * 8}`);
        result.push(piece.type === target ? piece : w.cast('bitcast', piece, target));
      }
    }
    return result;
  }
}
