/**
 * Writes LLVM IR for values that are either one scalar for the warp (uniform) or a vector of 32 (divergent).
 *
 * Pointers are i32 numbers. A divergent i1 has two forms, made when asked for: `native`, a <32 x i1> for selects, and
 * `bits`, an i32 with one bit per lane for everything else: <32 x i1> must not cross blocks, it becomes slow code.
 */
import type { Type } from '../../ir/ir.ts';

export interface Leaf {
  uniform: boolean;
  /** Scalar LLVM type: i1, i8 … i64, float, double; pointers and halves are i32 and i16. */
  type: string;
  /** Scalar or vector; empty for a divergent i1, and for what is in a fragment only. */
  text: string;
  /** Where it lies in memory as a part of a fragment, in bytes from an address (kernel/fragments.ts). */
  fragment?: { at: string; offset: number };
  native?: string;
  bits?: string;
  /** The operands, where this is a comparison of floats. */
  compares?: { predicate: string; a: string; b: string };
  /** The vector of a uniform value, once made, and the block it was made in. */
  splat?: { text: string; block: number };
}

/** LLVM's type of one lane of a leaf. An address has 32 bits, however many a pointer has in memory. */
export function laneType(type: Type): string {
  if (type.kind === 'int') return `i${type.bits}`;
  if (type.kind === 'ptr') return 'i32';
  if (type.kind === 'half' || type.kind === 'bfloat') return 'i16';
  return type.kind;
}

/** LLVM's type of one lane of a leaf in memory, where a pointer of a 64-bit device has zeros above its address. */
export function memoryType(type: Type): string {
  if (type.kind === 'ptr') return `i${8 * type.bytes}`;
  const lane = laneType(type);
  return lane === 'i1' ? 'i8' : lane;
}

export const laneBytes = (type: string): number =>
  type === 'float' ? 4 : type === 'double' ? 8 : Math.max(1, Number(type.slice(1)) / 8);
export const isConstant = (leaf: Leaf): boolean => leaf.uniform && !leaf.text.startsWith('%');

/** Spelling of types and intrinsic names for the shape at hand. */
export interface Shape {
  /** `i32` or `<32 x i32>`. */
  t: (type: string) => string;
  /** Suffix of an overloaded intrinsic: `i32` or `v32i32`, `f32` or `v32f32`. */
  s: (type: string) => string;
}
const short = (type: string): string => (type === 'float' ? 'f32' : type === 'double' ? 'f64' : type);
const scalarShape: Shape = { t: (type) => type, s: short };
const vectorShape: Shape = { t: (type) => `<32 x ${type}>`, s: (type) => `v32${short(type)}` };

export const vectorConstant = (type: string, value: (lane: number) => string | number): string =>
  `<${Array.from({ length: 32 }, (_, lane) => `${type} ${value(lane)}`).join(', ')}>`;
const laneBits = vectorConstant('i32', (lane) => (lane === 31 ? '-2147483648' : String(2 ** lane)));

export class Writer {
  readonly lines: string[] = [];
  /** Intrinsics and library functions used: declaration by name. */
  readonly declarations: Map<string, string>;
  private counter = 0;
  /** Lines before the LLVM block being written. */
  begun = 0;
  /** Label of the LLVM block being written, for phi nodes. */
  label = 'entry';
  /** Number of the kernel block being written: vectors of uniform values are made once per block. */
  block = -1;

  constructor(declarations: Map<string, string>) {
    this.declarations = declarations;
  }

  line(text: string): void {
    this.lines.push(`  ${text}`);
  }
  fresh(): string {
    return `%t${this.counter++}`;
  }
  freshLabel(): string {
    return `l${this.counter++}`;
  }
  begin(label: string): void {
    this.lines.push(`${label}:`);
    this.label = label;
    this.begun = this.lines.length;
  }
  /** An instruction with a result. */
  emit(text: string): string {
    const name = this.fresh();
    this.line(`${name} = ${text}`);
    return name;
  }
  /** A call of an LLVM intrinsic or library function, declared as used. `args` with their types. */
  call(result: string, name: string, args: string[]): string {
    this.declarations.set(
      name,
      `declare ${result} @${name}(${args.map((arg) => arg.slice(0, typeEnd(arg))).join(', ')})`,
    );
    return this.emit(`call ${result} @${name}(${args.join(', ')})`);
  }

  uniform(type: string, text: string): Leaf {
    return { uniform: true, type, text };
  }
  divergent(type: string, text: string): Leaf {
    return type === 'i1' ? { uniform: false, type, text: '', native: text } : { uniform: false, type, text };
  }
  fromBits(bits: string): Leaf {
    return { uniform: false, type: 'i1', text: '', bits };
  }

  splat(type: string, text: string): string {
    if (!text.startsWith('%'))
      return text === 'zeroinitializer' || text === 'poison' || text === 'undef' ? text : `splat (${type} ${text})`;
    const first = this.emit(`insertelement <32 x ${type}> poison, ${type} ${text}, i32 0`);
    return this.emit(`shufflevector <32 x ${type}> ${first}, <32 x ${type}> poison, <32 x i32> zeroinitializer`);
  }

  /** The leaf as a `<32 x type>`. */
  vector(leaf: Leaf): string {
    if (leaf.type === 'i1') return this.native(leaf);
    if (!leaf.uniform) return leaf.text;
    if (isConstant(leaf)) return this.splat(leaf.type, leaf.text);
    if (leaf.splat?.block !== this.block) leaf.splat = { text: this.splat(leaf.type, leaf.text), block: this.block };
    return leaf.splat.text;
  }

  /** A divergent or uniform i1 as `<32 x i1>`. */
  native(leaf: Leaf): string {
    if (leaf.uniform) return this.splat('i1', leaf.text);
    leaf.native ??= this.expand(leaf.bits ?? '0');
    return leaf.native;
  }

  /** Lane bits to `<32 x i1>`. */
  expand(bits: string): string {
    if (bits === '-1') return 'splat (i1 true)';
    const all = this.splat('i32', bits);
    return this.emit(`icmp ne <32 x i32> ${this.emit(`and <32 x i32> ${all}, ${laneBits}`)}, zeroinitializer`);
  }

  /** An i1 as lane bits; bits of lanes that do not execute are arbitrary. */
  bits(leaf: Leaf): string {
    if (leaf.uniform)
      return leaf.text === 'true' ? '-1' : leaf.text === 'false' ? '0' : this.emit(`sext i1 ${leaf.text} to i32`);
    if (leaf.bits === undefined) {
      const wide = this.emit(`sext <32 x i1> ${leaf.native ?? ''} to <32 x i32>`);
      leaf.bits = this.emit(`call i32 @lane_bits(<32 x i32> ${wide})`);
    }
    return leaf.bits;
  }

  /** An operation on scalars if all of `args` are uniform, on vectors otherwise. */
  lift(type: string, args: Leaf[], build: (shape: Shape, texts: string[]) => string): Leaf {
    if (args.every((arg) => arg.uniform))
      return this.uniform(
        type,
        this.emit(
          build(
            scalarShape,
            args.map((arg) => arg.text),
          ),
        ),
      );
    return this.divergent(
      type,
      this.emit(
        build(
          vectorShape,
          args.map((arg) => this.vector(arg)),
        ),
      ),
    );
  }
  /** The same for an LLVM intrinsic that is overloaded on its result type. */
  intrinsic(
    type: string,
    name: string,
    args: Leaf[],
    extra: string[] = [],
    suffix: (shape: Shape) => string = (shape) => shape.s(type),
  ): Leaf {
    const shape = args.every((arg) => arg.uniform) ? scalarShape : vectorShape;
    const typed = args.map((arg) => `${shape.t(arg.type)} ${shape === scalarShape ? arg.text : this.vector(arg)}`);
    const text = this.call(shape.t(type), `llvm.${name}.${suffix(shape)}`, [...typed, ...extra]);
    return shape === scalarShape ? this.uniform(type, text) : this.divergent(type, text);
  }
  constant(type: string, value: number | bigint | string): Leaf {
    return this.uniform(type, String(value));
  }
  binary(op: string, a: Leaf, b: Leaf): Leaf {
    return this.lift(a.type, [a, b], (shape, [x, y]) => `${op} ${shape.t(a.type)} ${x}, ${y}`);
  }
  compare(predicate: string, a: Leaf, b: Leaf): Leaf {
    const isFloat = a.type === 'float' || a.type === 'double';
    const op = isFloat ? 'fcmp' : 'icmp';
    const result = this.lift('i1', [a, b], (shape, [x, y]) => `${op} ${predicate} ${shape.t(a.type)} ${x}, ${y}`);
    if (isFloat) result.compares = { predicate, a: a.text, b: b.text };
    return result;
  }
  cast(op: string, a: Leaf, type: string): Leaf {
    return this.lift(type, [a], (shape, [x]) => `${op} ${shape.t(a.type)} ${x} to ${shape.t(type)}`);
  }
  /** An integer with so many bits, signed. */
  integer(a: Leaf, type: string): Leaf {
    if (a.type === type) return a;
    return this.cast(laneBytes(a.type) > laneBytes(type) ? 'trunc' : 'sext', a, type);
  }
  select(condition: Leaf, a: Leaf, b: Leaf): Leaf {
    if (a.type === 'i1' && !(condition.uniform && a.uniform && b.uniform)) {
      const mask = this.bits(condition);
      const yes = this.emit(`and i32 ${this.bits(a)}, ${mask}`);
      const no = this.emit(`and i32 ${this.bits(b)}, ${this.emit(`xor i32 ${mask}, -1`)}`);
      return this.fromBits(this.emit(`or i32 ${yes}, ${no}`));
    }
    if (condition.uniform) {
      return this.lift(
        a.type,
        [a, b],
        (shape, [x, y]) => `select i1 ${condition.text}, ${shape.t(a.type)} ${x}, ${shape.t(a.type)} ${y}`,
      );
    }
    const { compares } = condition;
    if (compares !== undefined && (a.type === 'float' || a.type === 'double')) {
      const isSame = compares.a === a.text && compares.b === b.text;
      if (isSame && compares.predicate === 'olt') return this.lesser('lesser', a, b);
      if (isSame && compares.predicate === 'ogt') return this.lesser('greater', a, b);
      // The condition's bits hide the comparison from LLVM (see below).
      if (isSame || (compares.a === b.text && compares.b === a.text))
        return this.select(this.fromBits(this.bits(condition)), a, b);
    }
    return this.lift(
      a.type,
      [condition, a, b],
      (shape, [c, x, y]) => `select ${shape.t('i1')} ${c}, ${shape.t(a.type)} ${x}, ${shape.t(a.type)} ${y}`,
    );
  }
  /**
   * `a < b ? a : b` and `a > b ? a : b` to the bit: `b` where either is NaN or both are equal. Where LLVM finds a comparison and
   * a choice of the same vectors, it takes relaxed_min and relaxed_max, whose result is then the machine's choice.
   */
  private lesser(name: 'lesser' | 'greater', a: Leaf, b: Leaf): Leaf {
    const vector = `<32 x ${a.type}>`;
    return this.divergent(
      a.type,
      this.emit(`call ${vector} @${name}.${short(a.type)}(${vector} ${this.vector(a)}, ${vector} ${this.vector(b)})`),
    );
  }
}

/** Length of the type at the beginning of a typed argument such as `<32 x float> %t1`. */
function typeEnd(arg: string): number {
  return arg.startsWith('<') ? arg.indexOf('>') + 1 : arg.indexOf(' ') < 0 ? arg.length : arg.indexOf(' ');
}
