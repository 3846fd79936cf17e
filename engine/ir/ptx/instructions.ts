/**
 * Meanings of PTX instructions in LLVM IR. To support another one, add an entry: opcode, effects, translation. One that is a call of a
 * function stands in that function's row (ir/calls) instead.
 */
import { own } from '../../base/program-imports.ts';
import { ptxForms } from '../calls/table.ts';
import type { Type, Value } from '../ir.ts';
import { i1, i32, inAssembly, int, intConstant, sizeOf, voidType } from '../ir.ts';
import type { Assembler } from './lower.ts';
import type { Operand } from './parse.ts';
import { bfloat, double, float, half, struct, typeOf, vector } from './types.ts';

export interface PtxInstruction {
  /** Writes memory, waits, or depends on which lanes execute: a guard makes it a branch. */
  effects?: boolean;
  emit: (asm: Assembler, modifiers: string[], operands: Operand[]) => void;
}

export const instructions = new Map<string, PtxInstruction>();
const add = (opcodes: string, emit: PtxInstruction['emit'], effects = false): void => {
  for (const opcode of opcodes.split(' ')) instructions.set(opcode, { emit, effects });
};

for (const { opcodes, callee, result, operands: types } of ptxForms)
  add(
    opcodes,
    (asm, _, operands) => {
      const [to, from] = result.kind === 'void' ? [undefined, operands] : [operands[0], operands.slice(1)];
      const value = asm.invoke(
        callee,
        result,
        types.map((type, i) => asm.read(from[i], type)),
      );
      if (result.kind !== 'void') asm.write(to, value);
    },
    true,
  );

const isSigned = (name: string | undefined): boolean => name?.startsWith('s') ?? false;
const isFloatName = (name: string): boolean => /^(b?f(16|32|64)(x2)?)$/.test(name);

/** The instruction's type: its last modifier that names one. */
function typeName(asm: Assembler, modifiers: string[]): string {
  return modifiers.filter((modifier) => typeOf(modifier) !== null).at(-1) ?? asm.fail();
}
function operandType(asm: Assembler, modifiers: string[]): { name: string; type: Type; signed: boolean } {
  const name = typeName(asm, modifiers);
  return { name, type: typeOf(name) ?? asm.fail(), signed: isSigned(name) };
}
const elementName = (type: Type): string => {
  const element = type.kind === 'vector' ? type.element : type;
  return element.kind === 'half'
    ? 'f16'
    : element.kind === 'bfloat'
      ? 'bf16'
      : element.kind === 'double'
        ? 'f64'
        : element.kind === 'int'
          ? `i${element.bits}`
          : 'f32';
};
/** `f32`, `v2f16`: how overloaded intrinsics are suffixed. */
const suffix = (type: Type): string => `${type.kind === 'vector' ? `v${type.count}` : ''}${elementName(type)}`;
const has = (modifiers: string[], name: string): boolean => modifiers.includes(name);
const zeroOf = (type: Type): Value => ({ kind: 'zero', type });
const constantFloat = (value: number, type: Type): Value => ({
  kind: 'float',
  text:
    type.kind === 'half'
      ? value === 1
        ? '0xH3C00'
        : '0xH0000'
      : type.kind === 'bfloat'
        ? value === 1
          ? '0xR3F80'
          : '0xR0000'
        : value === 1
          ? '1.0'
          : '0.0',
  type,
});

/** Subnormal inputs and results count as zero under `.ftz`. */
function flush(asm: Assembler, modifiers: string[], value: Value): Value {
  const { type } = value;
  const element = type.kind === 'vector' ? type.element : type;
  if (!has(modifiers, 'ftz') || (element.kind !== 'float' && element.kind !== 'half')) return value;
  return asm.invoke(`simsight.ftz.${suffix(type)}`, type, [value]);
}
function saturate(asm: Assembler, modifiers: string[], value: Value): Value {
  if (!has(modifiers, 'sat')) return value;
  return asm.invoke(`simsight.saturate.${suffix(value.type)}`, value.type, [value]);
}
const directed = (modifiers: string[]): string | undefined => modifiers.find((modifier) => /^r[zmp]$/.test(modifier));

// ---- moves and conversions ----
add('mov', (asm, m, [to, from]) => {
  const { type } = operandType(asm, m);
  if (from?.kind === 'special') asm.write(to, asm.special(from.name));
  else asm.write(to, asm.read(from, type));
});
add('cvta', (asm, _, [to, from]) => {
  const type = asm.declared(from) ?? i32;
  asm.write(to, asm.read(from, type));
});
add('isspacep', (asm, m, [to, from]) => {
  const space = (m[0] ?? '').split('::')[0] ?? '';
  asm.write(
    to,
    asm.invoke(`llvm.nvvm.isspacep.${space}`, i1, [
      asm.coerce(asm.read(from, asm.declared(from) ?? i32), asm.pointer()),
    ]),
  );
});
/** Conversions of pairs to 8-bit floats and back; false for any other. */
function convertedFloat8(asm: Assembler, m: string[], to: Operand | undefined, from: Operand[]): boolean {
  const [target, source] = m.filter((modifier) => /^(e4m3x2|e5m2x2|f16x2|f32)$/.test(modifier));
  const relu = has(m, 'relu') ? '.relu' : '';
  const name = `llvm.nvvm.${source === 'f32' ? 'ff' : source}.to.${target}.rn${relu}`;
  if (/^e\dm\dx2$/.test(target ?? '')) {
    const type = source === 'f32' ? float : vector(2, half);
    if (!has(m, 'satfinite') || from.length !== (source === 'f32' ? 2 : 1)) asm.fail();
    const operands = from.map((operand) => asm.read(operand, type));
    asm.write(to, asm.invoke(name, int(16), operands));
    return true;
  }
  if (!/^e\dm\dx2$/.test(source ?? '') || target !== 'f16x2') return false;
  asm.write(to, asm.invoke(name, vector(2, half), [asm.read(from[0], int(16))]));
  return true;
}
add('cvt', (asm, m, [to, ...from]) => {
  if (convertedFloat8(asm, m, to, from)) return;
  const types = m.filter((modifier) => typeOf(modifier) !== null);
  const [target, source] = types;
  if (target === undefined || source === undefined || types.length !== 2) return asm.fail();
  const targetType = typeOf(target) as Type;
  const sourceType = typeOf(source) as Type;
  const rounding = m.find((modifier) => /^r[nzmpa]i?$/.test(modifier));
  if (target === 'f16x2' || target === 'bf16x2') {
    if (source !== 'f32' || from.length !== 2) return asm.fail();
    const element = target === 'f16x2' ? half : bfloat;
    // The first operand becomes the upper half.
    const [high, low] = from.map((operand) => {
      let value = asm.read(operand, float);
      if (has(m, 'relu')) value = asm.invoke('simsight.relu.f32', float, [value]);
      return narrow(asm, value, element, rounding ?? 'rn');
    }) as [Value, Value];
    const first = asm.emit('insertelement', targetType, [{ kind: 'undef', type: targetType }, low, intConstant(0)]);
    asm.write(to, asm.emit('insertelement', targetType, [first, high, intConstant(1)]));
    return;
  }
  let value = asm.read(from[0], sourceType, isSigned(source));
  if (has(m, 'relu')) value = asm.invoke(`simsight.relu.${suffix(sourceType)}`, sourceType, [value]);
  if (target === 'tf32') {
    asm.write(to, asm.invoke(`simsight.tf32.${rounding ?? 'rna'}`, i32, [value]));
    return;
  }
  const [toFloat, fromFloat] = [isFloatName(target), isFloatName(source)];
  // `.ftz` of a conversion is about floats alone.
  const flushFloat = (given: Value): Value => (given.type.kind === 'float' ? flush(asm, m, given) : given);
  if (fromFloat) value = flushFloat(value);
  // Values too small for a float become zero, even if they were rounded to the least normal one.
  if (has(m, 'ftz') && source === 'f64' && target === 'f32') {
    const least: Value = { kind: 'float', text: '0x3810000000000000', type: double };
    const isSmall = asm.compare('olt', asm.invoke('llvm.fabs.f64', double, [value]), least);
    value = asm.select(isSmall, asm.invoke('llvm.copysign.f64', double, [constantFloat(0, double), value]), value);
  }
  if (toFloat && fromFloat) {
    if (rounding?.endsWith('i') === true) value = wholeNumber(asm, value, rounding);
    const [a, b] = [sizeOf(sourceType), sizeOf(targetType)];
    if (target !== source) {
      if (b > a) value = asm.emit('fpext', targetType, [value]);
      else value = narrow(asm, value, targetType, rounding ?? 'rn');
    }
    asm.write(to, saturate(asm, m, flushFloat(value)));
    return;
  }
  if (fromFloat) {
    const whole = wholeNumber(
      asm,
      sizeOf(sourceType) === 2 ? asm.emit('fpext', float, [value]) : value,
      rounding ?? 'rzi',
    );
    const bits = 8 * sizeOf(targetType);
    const wide = int(Math.max(32, bits));
    const signed = isSigned(target);
    let result = asm.emit(signed ? 'fptosi' : 'fptoui', wide, [whole]);
    if (bits < 32) {
      result = clamp(asm, result, wide, bits, signed, signed);
      // NaN of a double is the highest bit alone, here as well.
      if (!signed && sourceType.kind === 'double')
        result = asm.select(asm.compare('uno', value, value), intConstant(1 << (bits - 1), wide), result);
    }
    asm.write(to, asm.coerce(result, targetType), signed);
    return;
  }
  if (toFloat) {
    const op = isSigned(source) ? 'sitofp' : 'uitofp';
    const mode = directed(m);
    if (mode !== undefined && (target === 'f32' || target === 'f64'))
      value = asm.invoke(`simsight.${op}.${mode}.${target}.${elementName(sourceType)}`, targetType, [value]);
    else if (mode !== undefined) {
      // Rounding twice in one direction is rounding once.
      const wide = asm.invoke(`simsight.${op}.${mode}.f64.${elementName(sourceType)}`, double, [value]);
      value = narrow(asm, wide, targetType, mode);
    } else value = asm.emit(op, targetType, [value]);
    asm.write(to, saturate(asm, m, value));
    return;
  }
  const [a, b] = [8 * sizeOf(sourceType), 8 * sizeOf(targetType)];
  if (has(m, 'sat')) value = clamp(asm, value, sourceType, b, isSigned(source), isSigned(target));
  void a;
  asm.write(to, asm.coerce(value, targetType, isSigned(source)), isSigned(target));
});
function wholeNumber(asm: Assembler, value: Value, rounding: string): Value {
  const name = { rni: 'roundeven', rzi: 'trunc', rmi: 'floor', rpi: 'ceil' }[rounding] ?? 'trunc';
  return asm.invoke(`llvm.${name}.${suffix(value.type)}`, value.type, [value]);
}
function narrow(asm: Assembler, value: Value, type: Type, rounding: string): Value {
  if (rounding === 'rn' || rounding === 'rni') return asm.emit('fptrunc', type, [value]);
  return asm.invoke(`simsight.fptrunc.${rounding}.${elementName(type)}.${elementName(value.type)}`, type, [value]);
}
/** Limits an integer to what `bits` hold. */
function clamp(asm: Assembler, value: Value, type: Type, bits: number, fromSigned: boolean, toSigned: boolean): Value {
  const most = toSigned ? 2n ** BigInt(bits - 1) - 1n : 2n ** BigInt(bits) - 1n;
  const least = toSigned ? -(2n ** BigInt(bits - 1)) : 0n;
  const own = 8 * sizeOf(type);
  let result = value;
  if (fromSigned && (toSigned ? bits < own : true))
    result = asm.invoke(`llvm.smax.i${own}`, type, [result, intConstant(least, type)]);
  if (bits < own || (bits === own && toSigned && !fromSigned))
    result = asm.invoke(`llvm.${fromSigned ? 'smin' : 'umin'}.i${own}`, type, [result, intConstant(most, type)]);
  return result;
}

// ---- arithmetic ----
const isFloating = (type: Type): boolean =>
  type.kind !== 'int' && !(type.kind === 'vector' && type.element.kind === 'int');
function arithmetic(
  asm: Assembler,
  m: string[],
  op: 'add' | 'sub' | 'mul' | 'div' | 'fma' | 'sqrt',
  values: Value[],
): Value {
  const { type } = values[0] as Value;
  const mode = directed(m);
  const inputs = values.map((value) => flush(asm, m, value));
  let result: Value;
  if (mode !== undefined) result = asm.invoke(`simsight.${op}.${mode}.${suffix(type)}`, type, inputs);
  else if (op === 'div' && has(m, 'approx') && type.kind === 'float')
    result = asm.invoke('__nv_fast_fdividef', type, inputs);
  else if (op === 'fma' || op === 'sqrt') result = asm.invoke(`llvm.${op}.${suffix(type)}`, type, inputs);
  // Without a rounding mode ptxas may contract them.
  else result = asm.emit(`f${op}`, type, inputs, m.length > 1 ? {} : { flags: ['contract', inAssembly] });
  if (has(m, 'relu')) result = asm.invoke(`simsight.relu.${suffix(type)}`, type, [result]);
  return saturate(asm, m, flush(asm, m, result));
}
for (const op of ['add', 'sub'] as const) {
  add(op, (asm, m, [to, x, y]) => {
    const { type, signed } = operandType(asm, m);
    const [a, b] = [asm.read(x, type, signed), asm.read(y, type, signed)];
    if (isFloating(type)) asm.write(to, arithmetic(asm, m, op, [a, b]));
    else if (has(m, 'sat')) asm.write(to, asm.invoke(`llvm.s${op}.sat.${suffix(type)}`, type, [a, b]));
    else if (has(m, 'cc')) asm.write(to, withCarry(asm, op, a, b, null));
    else asm.write(to, asm.binary(op, a, b), signed);
  });
  add(`${op}c`, (asm, m, [to, x, y]) => {
    const { type } = operandType(asm, m);
    const before = asm.carry;
    const result = withCarry(asm, op, asm.read(x, type), asm.read(y, type), before);
    if (!has(m, 'cc')) asm.carry = before;
    asm.write(to, result);
  });
}
function withCarry(asm: Assembler, op: 'add' | 'sub', a: Value, b: Value, carry: Assembler['carry']): Value {
  const isBorrow = op === 'sub';
  let result = asm.binary(op, a, b);
  let out = op === 'add' ? asm.compare('ult', result, a) : asm.compare('ult', a, b);
  if (carry !== null) {
    const value = carry.isBorrow === isBorrow ? carry.value : asm.emit('xor', i1, [carry.value, intConstant(1, i1)]);
    const more = asm.coerce(value, a.type);
    const next = asm.binary(op, result, more);
    const again = op === 'add' ? asm.compare('ult', next, result) : asm.compare('ult', result, more);
    out = asm.emit('or', i1, [out, again]);
    result = next;
  }
  asm.carry = { value: out, isBorrow };
  return result;
}
/** The product that `.lo`, `.hi` and `.wide` choose. */
function product(asm: Assembler, m: string[], x: Operand | undefined, y: Operand | undefined): Value {
  const { type, signed } = operandType(asm, m);
  const [a, b] = [asm.read(x, type, signed), asm.read(y, type, signed)];
  if (has(m, 'lo')) return asm.binary('mul', a, b);
  const bits = 8 * sizeOf(type);
  const wide = int(2 * bits);
  const whole = asm.binary('mul', asm.coerce(a, wide, signed), asm.coerce(b, wide, signed));
  if (has(m, 'wide')) return whole;
  if (has(m, 'hi')) return asm.coerce(asm.binary('lshr', whole, intConstant(bits, wide)), type);
  return asm.fail();
}
add('mul', (asm, m, [to, x, y]) => {
  const { type } = operandType(asm, m);
  if (isFloating(type)) asm.write(to, arithmetic(asm, m, 'mul', [asm.read(x, type), asm.read(y, type)]));
  else asm.write(to, product(asm, m, x, y));
});
add('mad', (asm, m, [to, x, y, z]) => {
  const { type, signed } = operandType(asm, m);
  if (isFloating(type)) {
    asm.write(to, arithmetic(asm, m, 'fma', [asm.read(x, type), asm.read(y, type), asm.read(z, type)]));
    return;
  }
  const a = product(asm, m, x, y);
  const c = asm.read(z, a.type, signed);
  if (has(m, 'cc')) asm.write(to, withCarry(asm, 'add', a, c, null));
  else if (has(m, 'sat')) asm.write(to, asm.invoke(`llvm.sadd.sat.${suffix(a.type)}`, a.type, [a, c]));
  else asm.write(to, asm.binary('add', a, c));
});
add('madc', (asm, m, [to, x, y, z]) => {
  const a = product(asm, m, x, y);
  const before = asm.carry;
  const result = withCarry(asm, 'add', a, asm.read(z, a.type), before);
  if (!has(m, 'cc')) asm.carry = before;
  asm.write(to, result);
});
add('mul24 mad24', (asm, m, [to, x, y, z]) => {
  const { signed } = operandType(asm, m);
  const cut = (operand: Operand | undefined): Value => {
    const up = asm.binary('shl', asm.read(operand, i32), intConstant(8));
    return asm.coerce(asm.binary(signed ? 'ashr' : 'lshr', up, intConstant(8)), int(64), signed);
  };
  const whole = asm.binary('mul', cut(x), cut(y));
  const part = asm.coerce(has(m, 'hi') ? asm.binary('lshr', whole, intConstant(16, int(64))) : whole, i32);
  if (z === undefined) asm.write(to, part);
  else if (has(m, 'sat')) asm.write(to, asm.invoke('llvm.sadd.sat.i32', i32, [part, asm.read(z, i32)]));
  else asm.write(to, asm.binary('add', part, asm.read(z, i32)));
});
add('fma', (asm, m, [to, ...from]) => {
  const { type } = operandType(asm, m);
  asm.write(
    to,
    arithmetic(
      asm,
      m,
      'fma',
      from.map((operand) => asm.read(operand, type)),
    ),
  );
});
add('div', (asm, m, [to, x, y]) => {
  const { type, signed } = operandType(asm, m);
  const [a, b] = [asm.read(x, type, signed), asm.read(y, type, signed)];
  asm.write(
    to,
    isFloating(type) ? arithmetic(asm, m, 'div', [a, b]) : asm.binary(signed ? 'sdiv' : 'udiv', a, b),
    signed,
  );
});
add('rem', (asm, m, [to, x, y]) => {
  const { type, signed } = operandType(asm, m);
  asm.write(to, asm.binary(signed ? 'srem' : 'urem', asm.read(x, type, signed), asm.read(y, type, signed)), signed);
});
for (const [op, integer] of [
  ['min', 'min'],
  ['max', 'max'],
] as const) {
  add(op, (asm, m, [to, x, y, z]) => {
    const { type, signed } = operandType(asm, m);
    const values = [x, y, ...(z === undefined ? [] : [z])].map((operand) => asm.read(operand, type, signed));
    const name = isFloating(type)
      ? `simsight.f${op}${has(m, 'NaN') ? '.nan' : ''}${has(m, 'xorsign') ? '.xorsign' : ''}`
      : `llvm.${signed ? 's' : 'u'}${integer}`;
    const result = values.reduce((a, b) =>
      asm.invoke(`${name}.${suffix(type)}`, type, [flush(asm, m, a), flush(asm, m, b)]),
    );
    asm.write(
      to,
      has(m, 'relu') ? asm.invoke(`llvm.smax.${suffix(type)}`, type, [result, zeroOf(type)]) : result,
      signed,
    );
  });
}
add('abs', (asm, m, [to, x]) => {
  const { type, signed } = operandType(asm, m);
  const value = flush(asm, m, asm.read(x, type, signed));
  asm.write(
    to,
    isFloating(type)
      ? asm.invoke(`llvm.fabs.${suffix(type)}`, type, [value])
      : asm.invoke(`llvm.abs.${suffix(type)}`, type, [value, intConstant(0, i1)]),
    signed,
  );
});
add('neg', (asm, m, [to, x]) => {
  const { type, signed } = operandType(asm, m);
  const value = flush(asm, m, asm.read(x, type, signed));
  asm.write(
    to,
    isFloating(type) ? asm.emit('fneg', type, [value]) : asm.binary('sub', intConstant(0, type), value),
    signed,
  );
});
add('copysign', (asm, m, [to, x, y]) => {
  const { type } = operandType(asm, m);
  asm.write(to, asm.invoke(`llvm.copysign.${suffix(type)}`, type, [asm.read(y, type), asm.read(x, type)]));
});
add('sqrt', (asm, m, [to, x]) => {
  const { type } = operandType(asm, m);
  asm.write(to, arithmetic(asm, m, 'sqrt', [asm.read(x, type)]));
});
add('rcp', (asm, m, [to, x]) => {
  const { type } = operandType(asm, m);
  if (type.kind === 'double' && has(m, 'approx')) {
    asm.write(to, asm.invoke('__nv_rcp64h', type, [asm.read(x, type)]));
    return;
  }
  // Not as the quotient's approximation, which has no subnormal results.
  const others = m.filter((modifier) => modifier !== 'approx');
  asm.write(to, arithmetic(asm, others, 'div', [constantFloat(1, type), asm.read(x, type)]));
});
for (const [op, name] of [
  ['rsqrt', 'rsqrt'],
  ['sin', 'sin'],
  ['cos', 'cos'],
  ['ex2', 'exp2'],
  ['lg2', 'log2'],
  ['tanh', 'tanh'],
] as const) {
  add(op, (asm, m, [to, x]) => {
    const { type } = operandType(asm, m);
    const value = asm.read(x, type);
    const one = (part: Value): Value => {
      if (part.type.kind === 'double') return asm.invoke(`__nv_${name}`, double, [part]);
      const wide = part.type.kind === 'float' ? part : asm.emit('fpext', float, [part]);
      const flushes = has(m, 'ftz') || part.type.kind !== 'float' ? '.ftz' : '';
      const result = asm.invoke(`llvm.nvvm.${op}.approx${flushes}.f`, float, [wide]);
      return part.type.kind === 'float' ? result : asm.emit('fptrunc', part.type, [result]);
    };
    if (type.kind !== 'vector') {
      asm.write(to, one(value));
      return;
    }
    let sum: Value = { kind: 'undef', type };
    for (let k = 0; k < type.count; k++)
      sum = asm.emit('insertelement', type, [sum, one(asm.element(value, k, type.element)), intConstant(k)]);
    asm.write(to, sum);
  });
}
add('testp', (asm, m, [to, x]) => {
  const { type } = operandType(asm, m);
  // Zero is normal, as hardware has it.
  const classes = { finite: 0x1f8, infinite: 0x204, number: 0x3fc, notanumber: 3, normal: 0x168, subnormal: 0x90 }[
    m[0] ?? ''
  ];
  if (classes === undefined) return asm.fail();
  asm.write(to, asm.invoke(`llvm.is.fpclass.${suffix(type)}`, i1, [asm.read(x, type), intConstant(classes)]));
});

// ---- comparison and selection ----
function comparison(asm: Assembler, m: string[], x: Operand | undefined, y: Operand | undefined): Value {
  const { name, type } = operandType(asm, m);
  const cmp =
    m.find((modifier) => /^(eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan)$/.test(modifier)) ??
    asm.fail();
  const signed = isSigned(name);
  const [a, b] = [flush(asm, m, asm.read(x, type, signed)), flush(asm, m, asm.read(y, type, signed))];
  if (isFloating(type)) {
    const predicate =
      { num: 'ord', nan: 'uno', ne: 'one', neu: 'une' }[cmp] ?? (cmp.endsWith('u') ? `u${cmp.slice(0, 2)}` : `o${cmp}`);
    return asm.compare(predicate, a, b);
  }
  const plain = { lo: 'lt', ls: 'le', hi: 'gt', hs: 'ge' }[cmp] ?? cmp;
  return asm.compare(plain === 'eq' || plain === 'ne' ? plain : `${signed ? 's' : 'u'}${plain}`, a, b);
}
function combined(asm: Assembler, m: string[], value: Value, other: Operand | undefined): Value {
  const op = m.find((modifier) => /^(and|or|xor)$/.test(modifier));
  return op === undefined ? value : asm.emit(op, i1, [value, asm.read(other, i1)]);
}
const inverted = (asm: Assembler, value: Value): Value => asm.emit('xor', i1, [value, intConstant(1, i1)]);
add('setp', (asm, m, [to, x, y, other]) => {
  const result = comparison(asm, m, x, y);
  if (to?.kind === 'pair') {
    const no = combined(asm, m, inverted(asm, result), other);
    asm.write(to.first, combined(asm, m, result, other));
    asm.write(to.second, no);
  } else asm.write(to, combined(asm, m, result, other));
});
add('set', (asm, m, [to, x, y, other]) => {
  const types = m.filter((modifier) => typeOf(modifier) !== null);
  const result = combined(asm, m, comparison(asm, m, x, y), other);
  const type = typeOf(types[0]) ?? asm.fail();
  asm.write(
    to,
    isFloating(type)
      ? asm.select(result, constantFloat(1, type), constantFloat(0, type))
      : asm.emit('sext', type, [result]),
  );
});
add('selp', (asm, m, [to, x, y, p]) => {
  const { type } = operandType(asm, m);
  asm.write(to, asm.select(asm.read(p, i1), asm.read(x, type), asm.read(y, type)));
});
add('slct', (asm, m, [to, x, y, z]) => {
  const types = m.filter((modifier) => typeOf(modifier) !== null);
  const type = typeOf(types[0]) ?? asm.fail();
  const by = typeOf(types[1]) ?? asm.fail();
  const c = asm.read(z, by);
  const positive = isFloating(by)
    ? asm.compare('oge', c, constantFloat(0, by))
    : asm.compare('sge', c, intConstant(0, by));
  asm.write(to, asm.select(positive, asm.read(x, type), asm.read(y, type)));
});

// ---- bits ----
for (const op of ['and', 'or', 'xor']) {
  add(op, (asm, m, [to, x, y]) => {
    const { type } = operandType(asm, m);
    asm.write(to, asm.binary(op, asm.read(x, type), asm.read(y, type)));
  });
}
add('not', (asm, m, [to, x]) => {
  const { type } = operandType(asm, m);
  asm.write(to, asm.binary('xor', asm.read(x, type), intConstant(-1, type)));
});
add('cnot', (asm, m, [to, x]) => {
  const { type } = operandType(asm, m);
  asm.write(to, asm.emit('zext', type, [asm.compare('eq', asm.read(x, type), intConstant(0, type))]));
});
/** Shifts by the width or more give zero, or the sign. */
for (const op of ['shl', 'shr']) {
  add(op, (asm, m, [to, x, y]) => {
    const { type, signed } = operandType(asm, m);
    const bits = 8 * sizeOf(type);
    const value = asm.read(x, type, signed);
    const amount = asm.read(y, i32);
    const most = asm.invoke('llvm.umin.i32', i32, [amount, intConstant(bits - 1)]);
    const typed = asm.coerce(most, type);
    if (signed && op === 'shr') {
      asm.write(to, asm.binary('ashr', value, typed), true);
      return;
    }
    const shifted = asm.binary(op === 'shl' ? 'shl' : 'lshr', value, typed);
    asm.write(to, asm.select(asm.compare('ugt', amount, intConstant(bits - 1)), intConstant(0, type), shifted));
  });
}
add('lop3', (asm, m, operands) => {
  const [to, x, y, z, table] = operands;
  const { type } = operandType(asm, m);
  const [a, b, c] = [x, y, z].map((operand) => asm.read(operand, type)) as [Value, Value, Value];
  const code = asm.read(table, int(64));
  if (code.kind !== 'int') return asm.fail();
  asm.write(to?.kind === 'pair' ? to.first : to, asm.invoke('simsight.lop3.i32', type, [a, b, c, code]));
});
add('shf', (asm, m, [to, x, y, z]) => {
  const [low, high] = [asm.read(x, i32), asm.read(y, i32)];
  const left = has(m, 'l');
  const amount = asm.read(z, i32);
  if (has(m, 'wrap')) {
    asm.write(to, asm.invoke(`llvm.fsh${left ? 'l' : 'r'}.i32`, i32, [high, low, amount]));
    return;
  }
  const count = asm.coerce(asm.invoke('llvm.umin.i32', i32, [amount, intConstant(32)]), int(64));
  const both = asm.binary(
    'or',
    asm.coerce(low, int(64)),
    asm.binary('shl', asm.coerce(high, int(64)), intConstant(32, int(64))),
  );
  const shifted = left
    ? asm.binary('lshr', asm.binary('shl', both, count), intConstant(32, int(64)))
    : asm.binary('lshr', both, count);
  asm.write(to, asm.coerce(shifted, i32));
});
add('prmt', (asm, m, [to, x, y, z]) => {
  const mode = m.find((modifier) => /^(f4e|b4e|rc8|ecl|ecr|rc16)$/.test(modifier));
  asm.write(
    to,
    asm.invoke(
      mode === undefined ? 'llvm.nvvm.prmt' : `simsight.prmt.${mode}`,
      i32,
      [x, y, z].map((operand) => asm.read(operand, i32)),
    ),
  );
});
for (const op of ['bfe', 'bfi'] as const) {
  add(op, (asm, m, [to, ...from]) => {
    const { name, type } = operandType(asm, m);
    const values = from.map((operand, i) => asm.read(operand, i < (op === 'bfi' ? 2 : 1) ? type : i32));
    asm.write(to, asm.invoke(`simsight.${op}.${name.replace('b', 'u')}`, type, values));
  });
}
add('bfind', (asm, m, [to, x]) => {
  const { name, type, signed } = operandType(asm, m);
  asm.write(
    to,
    asm.invoke(`simsight.bfind${has(m, 'shiftamt') ? '.shiftamt' : ''}.${name}`, i32, [asm.read(x, type, signed)]),
  );
});
add('brev', (asm, m, [to, x]) => {
  const { type } = operandType(asm, m);
  asm.write(to, asm.invoke(`llvm.bitreverse.${suffix(type)}`, type, [asm.read(x, type)]));
});
for (const [op, callee] of [
  ['clz', 'ctlz'],
  ['popc', 'ctpop'],
] as const) {
  add(op, (asm, m, [to, x]) => {
    const { type } = operandType(asm, m);
    const args = [asm.read(x, type), ...(op === 'clz' ? [intConstant(0, i1)] : [])];
    asm.write(to, asm.coerce(asm.invoke(`llvm.${callee}.${suffix(type)}`, type, args), i32));
  });
}
add('fns', (asm, _, [to, x, y, z]) =>
  asm.write(
    to,
    asm.invoke(
      'llvm.nvvm.fns',
      i32,
      [x, y, z].map((operand) => asm.read(operand, i32)),
    ),
  ),
);
add('bmsk', (asm, m, [to, x, y]) => {
  asm.write(
    to,
    asm.invoke(`simsight.bmsk.${has(m, 'clamp') ? 'clamp' : 'wrap'}`, i32, [asm.read(x, i32), asm.read(y, i32)]),
  );
});
add('szext', (asm, m, [to, x, y]) => {
  const { name } = operandType(asm, m);
  asm.write(
    to,
    asm.invoke(`simsight.szext.${has(m, 'clamp') ? 'clamp' : 'wrap'}.${name}`, i32, [
      asm.read(x, i32),
      asm.read(y, i32),
    ]),
  );
});
add('sad', (asm, m, [to, x, y, z]) => {
  const { type, signed } = operandType(asm, m);
  const [a, b, c] = [x, y, z].map((operand) => asm.read(operand, type, signed)) as [Value, Value, Value];
  const distance = asm.select(
    asm.compare(signed ? 'slt' : 'ult', a, b),
    asm.binary('sub', b, a),
    asm.binary('sub', a, b),
  );
  asm.write(to, asm.binary('add', distance, c));
});
add('dp4a dp2a', (asm, m, [to, x, y, z]) => {
  const [a, b] = m.filter((modifier) => typeOf(modifier) !== null);
  const half2 = m.find((modifier) => modifier === 'lo' || modifier === 'hi');
  const signs = `${isSigned(a) ? 's' : 'u'}${isSigned(b) ? 's' : 'u'}`;
  const name = half2 === undefined ? `simsight.dp4a.${signs}` : `simsight.dp2a.${half2}.${signs}`;
  asm.write(
    to,
    asm.invoke(
      name,
      i32,
      [x, y, z].map((operand) => asm.read(operand, i32)),
    ),
  );
});
for (const kind of ['add', 'sub', 'avrg', 'absdiff', 'min', 'max', 'set']) {
  for (const lanes of [2, 4]) {
    add(`v${kind}${lanes}`, (asm, m, [to, x, y, z]) => {
      const types = m.filter((modifier) => typeOf(modifier) !== null);
      // vset has no result type.
      const [d, a, b] = kind === 'set' ? ['u32', types[0], types[1]] : types;
      const cmp = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'].indexOf(
        m.find((modifier) => /^(eq|ne|lt|le|gt|ge)$/.test(modifier)) ?? 'eq',
      );
      const description =
        ['add', 'sub', 'avrg', 'absdiff', 'min', 'max', 'set'].indexOf(kind) |
        (lanes === 4 ? 8 : 0) |
        (isSigned(d) ? 16 : 0) |
        (isSigned(a) ? 32 : 0) |
        (isSigned(b) ? 64 : 0) |
        (has(m, 'sat') ? 128 : 0) |
        (has(m, 'add') ? 256 : 0) |
        (cmp << 9);
      const values = [x, y, z ?? { kind: 'integer' as const, value: 0n }].map((operand) => asm.read(operand, i32));
      asm.write(to, asm.invoke('simsight.video', i32, [intConstant(description), ...values]));
    });
  }
}

// ---- memory ----
const spaces: Record<string, number> = { global: 1, shared: 3, const: 4, local: 5, param: 4 };
const spaceOf = (m: string[]): number =>
  m.map((modifier) => own(spaces, modifier.split('::')[0] ?? '')).find((space) => space !== undefined) ?? 0;
const vectorCount = (m: string[]): number => Number(m.find((modifier) => /^v[248]$/.test(modifier))?.slice(1) ?? 1);
add(
  'ld ldu',
  (asm, m, [to, from]) => {
    const { type, signed } = operandType(asm, m);
    const count = vectorCount(m);
    const pointer = asm.address(from, spaceOf(m));
    if (count === 1) {
      asm.write(to, load(asm, type, pointer, m), signed);
      return;
    }
    const step = elementsAtOnce(count, type);
    for (let start = 0; start < count; start += step) {
      const at = elementAt(asm, pointer, start, type);
      const all = load(asm, vector(step, type), at, m);
      for (let k = 0; k < step; k++) asm.write(asm.register(to, start + k), asm.element(all, k, type), signed);
    }
  },
  true,
);
/** Vectors of 256 bits are accessed as two of 128. */
const elementsAtOnce = (count: number, type: Type): number => Math.min(count, Math.max(1, 16 / sizeOf(type)));
/** The pointer to an element behind `pointer`. */
const elementAt = (asm: Assembler, pointer: Value, index: number, type: Type): Value =>
  index === 0
    ? pointer
    : asm.emit('getelementptr', pointer.type, [pointer, intConstant(index * sizeOf(type))], { accessType: int(8) });
/** Accesses that other SMs may see at once have nothing from L1. */
const pastL1 = ['cg', 'cv', 'volatile', 'relaxed', 'acquire'];
const load = (asm: Assembler, type: Type, pointer: Value, m: string[]): Value =>
  asm.emit('load', type, [pointer], {
    accessType: type,
    align: sizeOf(type),
    volatile: true,
    flags: pastL1.some((modifier) => has(m, modifier)) ? [] : ['cached'],
  });
add(
  'st',
  (asm, m, [to, from]) => {
    const { type } = operandType(asm, m);
    const count = vectorCount(m);
    const pointer = asm.address(to, spaceOf(m));
    const store = (value: Value, at: Value): void => {
      asm.emit('store', voidType, [value, at], { accessType: value.type, align: sizeOf(value.type), volatile: true });
    };
    if (count === 1) {
      store(asm.read(from, type), pointer);
      return;
    }
    const step = elementsAtOnce(count, type);
    for (let start = 0; start < count; start += step) {
      const at = elementAt(asm, pointer, start, type);
      let sum: Value = { kind: 'undef', type: vector(step, type) };
      for (let k = 0; k < step; k++)
        sum = asm.emit('insertelement', sum.type, [sum, asm.read(asm.register(from, start + k), type), intConstant(k)]);
      store(sum, at);
    }
  },
  true,
);
add('prefetch prefetchu applypriority discard', () => {}, true);
add('createpolicy', (asm, _, [to]) => asm.write(to, intConstant(0, int(64))));
function atomic(asm: Assembler, m: string[], from: Operand[]): Value {
  const { type, name, signed } = operandType(asm, m);
  const op = m.find((modifier) => /^(add|min|max|inc|dec|and|or|xor|exch|cas)$/.test(modifier)) ?? asm.fail();
  const [place, ...values] = from;
  const pointer = asm.address(place, spaceOf(m));
  const typed = values.map((value) => asm.read(value, type, signed));
  if (op === 'cas') {
    const old = asm.emit('cmpxchg', struct([type, i1]), [pointer, ...typed], { accessType: type });
    return asm.element(old, 0, type);
  }
  const sign = signed || isFloatName(name) ? '' : 'u';
  const predicate =
    { inc: 'uinc_wrap', dec: 'udec_wrap', exch: 'xchg', min: `${sign}min`, max: `${sign}max` }[op] ?? op;
  return asm.emit('atomicrmw', type, [pointer, ...typed.slice(0, 1)], {
    predicate: isFloatName(name) && /^(add|min|max)$/.test(op) ? `f${op}` : predicate,
    accessType: type,
  });
}
add('atom', (asm, m, [to, ...from]) => asm.write(to, atomic(asm, m, from)), true);
add('red', (asm, m, from) => void atomic(asm, m, from), true);

// ---- waiting and ordering ----
add(
  'bar barrier',
  (asm, m, operands) => {
    const args = operands.map((operand) =>
      operand.kind === 'register' || operand.kind === 'operand' || operand.kind === 'integer' ? operand : asm.fail(),
    );
    if (has(m, 'warp')) {
      asm.invoke('llvm.nvvm.bar.warp.sync', voidType, [asm.read(args[0], i32)]);
      return;
    }
    if (has(m, 'cluster')) return;
    if (has(m, 'red')) {
      const kind = m.find((modifier) => /^(popc|and|or)$/.test(modifier)) ?? asm.fail();
      const [to, barrier, ...rest] = args;
      // With a number of threads, not all of the block.
      if (rest.length !== 1) asm.fail();
      const result = asm.invoke(`llvm.nvvm.barrier.cta.red.${kind}.aligned.all`, kind === 'popc' ? i32 : i1, [
        asm.read(barrier, i32),
        asm.read(rest[0], i1),
      ]);
      asm.write(to, result);
      return;
    }
    const [barrier, threads] = args;
    const id = asm.read(barrier ?? { kind: 'integer', value: 0n }, i32);
    const arrives = has(m, 'arrive');
    if (threads !== undefined) {
      asm.invoke(
        arrives ? 'llvm.nvvm.barrier.cta.arrive.aligned.count' : 'llvm.nvvm.barrier.cta.sync.aligned.count',
        voidType,
        [id, asm.read(threads, i32)],
      );
    } else if (arrives) asm.fail();
    else asm.invoke('llvm.nvvm.barrier.cta.sync.aligned.all', voidType, [id]);
  },
  true,
);
add(
  'membar fence',
  (asm, m) => {
    if (m.some((modifier) => /proxy|mbarrier/.test(modifier))) return;
    asm.invoke('llvm.nvvm.membar.gl', voidType, []);
  },
  true,
);
add('griddepcontrol setmaxnreg pmevent', () => {}, true);
add('exit', (asm) => void asm.invoke('llvm.nvvm.exit', voidType, []), true);

add(
  'mbarrier',
  (asm, m, operands) => {
    const i64 = int(64);
    const action = m[0] ?? '';
    const parity = has(m, 'parity') ? '.parity' : '';
    if (action === 'init' || action === 'inval') {
      const [place, count] = operands;
      const args = [asm.address(place, 3), ...(count === undefined ? [] : [asm.read(count, i32)])];
      asm.invoke(`llvm.nvvm.mbarrier.${action}.shared`, voidType, args);
    } else if (action === 'expect_tx' || action === 'complete_tx') {
      const [place, count] = operands;
      const bytes = asm.read(count, i32);
      const change = action === 'expect_tx' ? bytes : asm.binary('sub', intConstant(0), bytes);
      asm.invoke('simsight.mbarrier.bytes', voidType, [asm.address(place, 3), change]);
    } else if (action === 'arrive' || action === 'arrive_drop') {
      // The state may be left out.
      const [first] = operands;
      const [to, place, count] = first?.kind === 'address' ? [undefined, ...operands] : operands;
      const announces = has(m, 'expect_tx');
      const name = action === 'arrive' ? 'arrive' : 'arrive.drop';
      const amounts = (): Value[] =>
        announces ? [intConstant(1), asm.read(count, i32)] : [asm.read(count, i32), intConstant(0)];
      const state =
        count === undefined
          ? asm.invoke(`llvm.nvvm.mbarrier.${name}.shared`, i64, [asm.address(place, 3)])
          : asm.invoke(`simsight.mbarrier.${name}.counted`, i64, [asm.address(place, 3), ...amounts()]);
      if (to !== undefined) asm.write(to, state);
    } else if (action === 'test_wait' || action === 'try_wait') {
      const [to, place, state] = operands;
      const args = [asm.address(place, 3), asm.read(state, parity === '' ? i64 : i32)];
      asm.write(to, asm.invoke(`llvm.nvvm.mbarrier.test.wait${parity}.shared`, i1, args));
    } else if (action === 'pending_count') {
      const [to, state] = operands;
      asm.write(to, asm.invoke('llvm.nvvm.mbarrier.pending.count', i32, [asm.read(state, i64)]));
    } else return asm.fail();
  },
  true,
);

// ---- warp operations ----
const everyone = { kind: 'integer' as const, value: 0xffffffffn };
add(
  'vote',
  (asm, m, [to, p, members]) => {
    const mode = m.find((modifier) => /^(all|any|uni|ballot)$/.test(modifier)) ?? asm.fail();
    const result = asm.invoke(`llvm.nvvm.vote.${mode}.sync`, mode === 'ballot' ? i32 : i1, [
      asm.read(members ?? everyone, i32),
      asm.read(p, i1),
    ]);
    asm.write(to, result);
  },
  true,
);
add(
  'shfl',
  (asm, m, [to, x, b, c, members]) => {
    const mode = m.find((modifier) => /^(up|down|bfly|idx)$/.test(modifier)) ?? asm.fail();
    const args = [asm.read(members ?? everyone, i32), ...[x, b, c].map((operand) => asm.read(operand, i32))];
    const name = `llvm.nvvm.shfl.sync.${mode === 'bfly' ? 'bfly' : mode}.i32`;
    if (to?.kind !== 'pair') {
      asm.write(to, asm.invoke(name, i32, args));
      return;
    }
    const both = asm.invoke(`${name}p`, struct([i32, i1]), args);
    asm.write(to.first, asm.element(both, 0, i32));
    asm.write(to.second, asm.element(both, 1, i1));
  },
  true,
);
add(
  'match',
  (asm, m, [to, x, members]) => {
    const { type } = operandType(asm, m);
    const args = [asm.read(members, i32), asm.read(x, type)];
    if (has(m, 'any')) {
      asm.write(to, asm.invoke(`llvm.nvvm.match.any.sync.${elementName(type)}`, i32, args));
      return;
    }
    const both = asm.invoke(`llvm.nvvm.match.all.sync.${elementName(type)}p`, struct([i32, i1]), args);
    asm.write(to?.kind === 'pair' ? to.first : to, asm.element(both, 0, i32));
    if (to?.kind === 'pair') asm.write(to.second, asm.element(both, 1, i1));
  },
  true,
);
add(
  'redux',
  (asm, m, [to, x, members]) => {
    const { type, signed } = operandType(asm, m);
    const op = m.find((modifier) => /^(add|min|max|and|or|xor)$/.test(modifier)) ?? asm.fail();
    const name = (op === 'min' || op === 'max') && !signed ? `u${op}` : op;
    if (isFloating(type)) return asm.fail();
    asm.write(to, asm.invoke(`llvm.nvvm.redux.sync.${name}`, type, [asm.read(x, type), asm.read(members, i32)]));
  },
  true,
);
add(
  'elect',
  (asm, _, [to, members]) => {
    const lanes = asm.read(members, i32);
    const first = asm.invoke('llvm.cttz.i32', i32, [lanes, intConstant(0, i1)]);
    const lane = asm.invoke('llvm.nvvm.read.ptx.sreg.laneid', i32, []);
    if (to?.kind === 'pair') {
      asm.write(to.first, first);
      asm.write(to.second, asm.compare('eq', lane, first));
    } else asm.write(to, first);
  },
  true,
);

// ---- asynchronous copies: done at once, which is one of the orders the hardware may choose ----
add(
  'cp',
  (asm, m, [to, from, size, given]) => {
    if (m[0] !== 'async') return asm.fail();
    if (has(m, 'bulk')) return bulk(asm, m, [to, from, size, given]);
    if (has(m, 'mbarrier')) {
      const noinc = has(m, 'noinc') ? '.noinc' : '';
      return void asm.invoke(`llvm.nvvm.cp.async.mbarrier.arrive${noinc}.shared`, voidType, [asm.address(to, 3)]);
    }
    if (has(m, 'commit_group')) return void asm.invoke('llvm.nvvm.cp.async.commit.group', voidType, []);
    if (has(m, 'wait_group')) return void asm.invoke('llvm.nvvm.cp.async.wait.group', voidType, [asm.read(to, i32)]);
    if (has(m, 'wait_all')) return void asm.invoke('llvm.nvvm.cp.async.wait.all', voidType, []);
    const bytes = asm.read(size, i32);
    if (bytes.kind !== 'int') return asm.fail();
    const pointers = [asm.address(to, 3), asm.address(from, 1)];
    const level = has(m, 'cg') ? 'cg' : 'ca';
    const isPolicy = m.some((modifier) => modifier.includes('cache_hint'));
    if (given === undefined || isPolicy)
      asm.invoke(`llvm.nvvm.cp.async.${level}.shared.global.${bytes.value}`, voidType, pointers);
    else {
      let count = asm.read(given, asm.declared(given) ?? i32);
      // ignore-src: a predicate that asks for zeros.
      if (count.type.kind === 'int' && count.type.bits === 1) count = asm.select(count, intConstant(0), bytes);
      asm.invoke(`llvm.nvvm.cp.async.${level}.shared.global.${bytes.value}.s`, voidType, [
        ...pointers,
        asm.coerce(count, i32),
      ]);
    }
  },
  true,
);

/** `cp.async.bulk` of plain memory; cache hints change nothing. */
function bulk(asm: Assembler, m: string[], [to, from, size, barrier]: (Operand | undefined)[]): void {
  if (has(m, 'tensor') || m.some((modifier) => /multicast|cp_mask/.test(modifier))) return asm.fail();
  if (has(m, 'commit_group')) return void asm.invoke('simsight.bulk.commit', voidType, []);
  if (has(m, 'wait_group')) return void asm.invoke('simsight.bulk.wait', voidType, [asm.read(to, i32)]);
  const none = intConstant(0);
  if (has(m, 'prefetch'))
    return void asm.invoke('simsight.bulk.prefetch', voidType, [none, asm.address(to, 1), asm.read(from, i32), none]);
  const spaces = m.filter((modifier) => /^(global|shared::(cta|cluster))$/.test(modifier)).join(' ');
  if (/^shared::(cta|cluster) global$/.test(spaces))
    asm.invoke('simsight.bulk.load', voidType, [
      asm.address(to, 3),
      asm.address(from, 1),
      asm.read(size, i32),
      asm.address(barrier, 3),
    ]);
  else if (spaces === 'global shared::cta')
    asm.invoke('simsight.bulk.store', voidType, [asm.address(to, 1), asm.address(from, 3), asm.read(size, i32), none]);
  else asm.fail();
}

// ---- textures and surfaces ----
/** Dimensions by geometry, as runtime/textures.c counts them; layered ones have the layer first. */
const geometries: Record<string, number> = { '1d': 1, '2d': 2, '3d': 3, cube: 4 };
/** Object, three coordinates, layer: 32 bits each. */
function texel(asm: Assembler, m: string[], at: Operand | undefined): { dimensions: number; operands: Value[] } {
  const geometry = m.find((modifier) => /^a?(1d|2d|3d|cube)$/.test(modifier)) ?? asm.fail();
  const name = geometry.replace(/^a(?=1|2|c)/, '');
  const dimensions = own(geometries, name) ?? asm.fail();
  if (at?.kind !== 'texel') return asm.fail();
  const words = at.coordinates.map((coordinate) =>
    asm.coerce(asm.read(coordinate, asm.declared(coordinate) ?? i32), i32),
  );
  const layer = name === geometry ? intConstant(0) : (words.shift() ?? asm.fail());
  const [x = asm.fail(), y = intConstant(0), z = intConstant(0)] = words.slice(0, Math.min(3, Math.max(2, dimensions)));
  const object = asm.coerce(asm.read(at.object, int(64)), asm.pointer(1));
  return {
    dimensions,
    operands: [object, x, dimensions > 1 ? y : intConstant(0), dimensions > 2 ? z : intConstant(0), layer],
  };
}
const fourWords = struct([i32, i32, i32, i32]);
function fetchTexel(asm: Assembler, m: string[], to: Operand | undefined, at: Operand | undefined, form: number): void {
  const { dimensions, operands } = texel(asm, m, at);
  const [result, coordinates] = m.filter((modifier) => /^[fsu]32$/.test(modifier));
  const integers = result === 'f32' ? 0 : 16;
  const plain = coordinates === 's32' ? 8 : 0;
  if (result === undefined || m.some((modifier) => /^a?2dms$|^base$/.test(modifier))) return asm.fail();
  const four = asm.invoke(`simsight.texture.${dimensions | integers | plain | form}`, fourWords, operands);
  for (let i = 0; i < 4; i++) asm.write(asm.register(to, i), asm.element(four, i, i32));
}
// One level: the level of detail and gradients change nothing.
add('tex', (asm, m, [to, at]) => fetchTexel(asm, m, to, at, 0));
add('tld4', (asm, m, [to, at]) => {
  const component = ['r', 'g', 'b', 'a'].indexOf(m[0] ?? '');
  if (component < 0) return asm.fail();
  fetchTexel(asm, m, to, at, 32 | (component << 6));
});
function surfaceOf(asm: Assembler, m: string[]): { words: number; name: string } {
  const size = Number(/^b(8|16|32|64)$/.exec(m.find((modifier) => /^b(8|16|32|64)$/.test(modifier)) ?? '')?.[1] ?? 0);
  const count = has(m, 'v4') ? 4 : has(m, 'v2') ? 2 : 1;
  const mode = m.find((modifier) => /^(trap|clamp|zero)$/.test(modifier)) ?? asm.fail();
  // Narrower elements come in words of their own.
  if (m[0] !== 'b' || (size !== 32 && count * size !== size)) return asm.fail();
  return { words: Math.max(1, (count * size) / 32), name: `${(count * size) / 8}.${mode}` };
}
add(
  'suld',
  (asm, m, [to, at]) => {
    const { words, name } = surfaceOf(asm, m);
    const four = asm.invoke(`simsight.surface.load.${name}`, fourWords, texel(asm, m, at).operands.slice(0, 4));
    const elements = Array.from({ length: words }, (_, i) => asm.element(four, i, i32));
    if (words === 1 || to?.kind === 'vector') elements.forEach((word, i) => asm.write(asm.register(to, i), word));
    else asm.fail();
  },
  true,
);
add(
  'sust',
  (asm, m, [at, from]) => {
    const { words, name } = surfaceOf(asm, m);
    const values = Array.from({ length: words }, (_, i) => asm.coerce(asm.read(asm.register(from, i), i32), i32));
    const places = texel(asm, m, at).operands.slice(0, 4);
    asm.invoke(`simsight.surface.store.${name}`, voidType, [...places, ...values]);
  },
  true,
);

// ---- matrices ----
const matrixCount = (m: string[]): number => Number(m.find((modifier) => /^x[124]$/.test(modifier))?.slice(1) ?? 1);
add(
  'ldmatrix',
  (asm, m, [to, from]) => {
    if (!has(m, 'm8n8') || !has(m, 'b16')) return asm.fail();
    const count = matrixCount(m);
    const type = count === 1 ? i32 : struct(Array.from({ length: count }, () => i32));
    const result = asm.invoke(
      `llvm.nvvm.ldmatrix.sync.aligned.m8n8.x${count}${has(m, 'trans') ? '.trans' : ''}.b16`,
      type,
      [asm.address(from, 3)],
    );
    for (let k = 0; k < count; k++) asm.write(asm.register(to, k), count === 1 ? result : asm.element(result, k, i32));
  },
  true,
);
add(
  'stmatrix',
  (asm, m, [to, from]) => {
    if (!has(m, 'm8n8') || !has(m, 'b16')) return asm.fail();
    const count = matrixCount(m);
    const values = Array.from({ length: count }, (_, k) => asm.read(asm.register(from, k), i32));
    asm.invoke(`llvm.nvvm.stmatrix.sync.aligned.m8n8.x${count}${has(m, 'trans') ? '.trans' : ''}.b16`, voidType, [
      asm.address(to, 3),
      ...values,
    ]);
  },
  true,
);
add(
  'mma',
  (asm, m, [d, a, b, c]) => {
    const shape = m.find((modifier) => /^m\d+n\d+k\d+$/.test(modifier)) ?? asm.fail();
    const types = m.filter((modifier) => /^([sub]\d+|b?f\d+|tf32|b1)$/.test(modifier));
    if (types.length !== 4 || m.some((modifier) => modifier.startsWith('sp') || modifier.startsWith('kind')))
      return asm.fail();
    const [dType, aType, bType, cType] = types as [string, string, string, string];
    const register = (name: string): Type => (name === 'f32' ? float : name === 'f64' ? double : i32);
    const read = (operand: Operand | undefined, type: Type): Value[] =>
      (operand?.kind === 'vector' ? operand.elements : operand === undefined ? [] : [operand]).map((element) =>
        asm.read(element, type),
      );
    const outputs = d?.kind === 'vector' ? d.elements : d === undefined ? [] : [d];
    const args = [
      ...read(a, aType === 'f64' ? double : i32),
      ...read(b, bType === 'f64' ? double : i32),
      ...read(c, register(cType)),
    ];
    const flags = `${has(m, 'satfinite') ? '.satfinite' : ''}${has(m, 'and') ? '.and' : ''}`;
    const result = asm.invoke(
      `simsight.mma.${shape}.${dType}.${aType}.${bType}.${cType}${flags}`,
      struct(outputs.map(() => register(dType))),
      args,
    );
    outputs.forEach((output, k) => asm.write(output, asm.element(result, k, register(dType))));
  },
  true,
);
