/** PTX instructions with their modifiers, as inline assembly. What the PTX ISA leaves undefined has no entry. */
import type { Bound, Entry } from '../entry.ts';
import { typeOf } from '../entry.ts';
import { scalar, type TypeName } from '../values.ts';

/** Register class of a type, and how a C++ value gets there: bytes are in registers of 32 bits. */
const register: Record<TypeName, string> = {
  bool: 'r', s8: 'r', u8: 'r', s16: 'h', u16: 'h', s32: 'r', u32: 'r', s64: 'l', u64: 'l',
  f16: 'h', bf16: 'h', f16x2: 'r', bf16x2: 'r', f32: 'f', f64: 'd',
}; // prettier-ignore
const held: Record<string, string> = {
  r: 'unsigned',
  h: 'unsigned short',
  l: 'unsigned long long',
  f: 'float',
  d: 'double',
};
const hold = (name: string, domain: string): string => {
  const type = typeOf(domain);
  if (type === 'f16' || type === 'bf16' || type === 'f16x2' || type === 'bf16x2')
    return `from<${held[register[type]]}>(bits(${name}))`;
  return scalar(type).bytes === 1 ? `(unsigned)${name}` : name;
};

interface Options {
  within?: (operands: number[]) => Bound;
  /** Instead of `instruction %0, …;`. */
  text?: string;
  name?: string;
}
/** `instruction result, a, b, c;`. */
function ptx(instruction: string, result: TypeName, inputs: string[], options: Options = {}): Entry {
  const operands = inputs.map((_, i) => `, %${i + 1}`).join('');
  const text = options.text ?? `${instruction} %0${operands};`;
  const to = held[register[result]]!;
  const values = inputs.map((domain, i) => `"${register[typeOf(domain)]}"(${hold('abc'[i]!, domain)})`).join(', ');
  return {
    name: options.name ?? instruction,
    inputs,
    result,
    code: `${to} t; asm("${text}" : "=${register[result]}"(t) : ${values}); r = from<R>(bits(t));`,
    ...(options.within === undefined ? {} : { within: options.within }),
  };
}
const predicate = (instruction: string, inputs: string[], rest = ''): Entry =>
  ptx(instruction, 'u32', inputs, {
    text: `{ .reg .pred p; ${instruction} p, ${inputs.map((_, i) => `%${i + 1}`).join(', ')}${rest}; selp.u32 %0, 1, 0, p; }`,
  });

const integers = ['u16', 's16', 'u32', 's32', 'u64', 's64'] as const;
const all = ['u8', 's8', ...integers] as const;
const bitTypes = [['b16', 'u16'], ['b32', 'u32'], ['b64', 'u64']] as const; // prettier-ignore

function* wholeNumbers(): Generator<Entry> {
  for (const t of integers) {
    for (const op of ['add', 'sub', 'mul.lo', 'mul.hi', 'min', 'max']) yield ptx(`${op}.${t}`, t, [t, t]);
    for (const op of ['div', 'rem']) yield ptx(`${op}.${t}`, t, [t, `${t}:divisor`]);
    yield ptx(`mad.lo.${t}`, t, [t, t, t]);
    yield ptx(`mad.hi.${t}`, t, [t, t, t]);
    yield ptx(`sad.${t}`, t, [t, t, t]);
    if (t.startsWith('s')) for (const op of ['abs', 'neg']) yield ptx(`${op}.${t}`, t, [t]);
    const wide = ({ u16: 'u32', s16: 's32', u32: 'u64', s32: 's64' } as Record<string, TypeName>)[t];
    if (wide !== undefined) {
      yield ptx(`mul.wide.${t}`, wide, [t, t]);
      yield ptx(`mad.wide.${t}`, wide, [t, t, wide]);
    }
  }
  for (const op of ['add', 'sub']) yield ptx(`${op}.sat.s32`, 's32', ['s32', 's32']);
  yield ptx('mad.hi.sat.s32', 's32', ['s32', 's32', 's32']);
  for (const t of ['u32', 's32'] as const) {
    for (const part of ['lo', 'hi']) {
      yield ptx(`mul24.${part}.${t}`, t, [t, t]);
      yield ptx(`mad24.${part}.${t}`, t, [t, t, t]);
    }
  }
  yield ptx('mad24.hi.sat.s32', 's32', ['s32', 's32', 's32']);
  for (const t of ['u16x2', 's16x2']) {
    yield ptx(`add.${t}`, 'u32', ['words', 'words']);
    for (const op of ['min', 'max']) yield ptx(`${op}.${t}`, 'u32', ['words', 'words']);
  }
  for (const op of ['min', 'max']) {
    yield ptx(`${op}.relu.s32`, 's32', ['s32', 's32']);
    yield ptx(`${op}.relu.s16x2`, 'u32', ['words', 'words']);
  }
  for (const [bits, t] of [
    ['32', 'u32'],
    ['64', 'u64'],
  ] as const) {
    const s = `s${bits}` as TypeName;
    for (const op of ['popc', 'clz']) yield ptx(`${op}.b${bits}`, 'u32', [t]);
    yield ptx(`brev.b${bits}`, t, [t]);
    for (const shift of ['', '.shiftamt']) for (const each of [t, s]) yield ptx(`bfind${shift}.${each}`, 'u32', [each]);
    for (const each of [t, s]) yield ptx(`bfe.${each}`, each, [each, 'amount', 'amount']);
    for (let low = 0; low < 4; low++)
      yield ptx(`bfi.b${bits} at ${low * 11}`, t, [t, t, 'amount'], {
        text: `bfi.b${bits} %0, %1, %2, ${low * 11}, %3;`,
      });
    for (const length of [0, 1, 8, 32, 64, 255])
      yield ptx(`bfi.b${bits} of ${length}`, t, [t, t, 'amount'], { text: `bfi.b${bits} %0, %1, %2, %3, ${length};` });
    // Carries, through a chain of three.
    for (const [first, then] of [
      ['add', 'addc'],
      ['sub', 'subc'],
    ] as const) {
      yield ptx(`${first}.cc.u${bits} ${then}`, t, [t, t, t], {
        text: `{ .reg .u${bits} x; ${first}.cc.u${bits} x, %1, %2; ${then}.u${bits} %0, %3, 0; }`,
      });
      yield ptx(`${then}.cc.u${bits} chain`, t, [t, t, t], {
        text: `{ .reg .u${bits} x; ${first}.cc.u${bits} x, %1, %2; ${then}.cc.u${bits} x, %2, %3; ${then}.u${bits} %0, %3, %1; }`,
      });
    }
    for (const part of ['lo', 'hi']) {
      yield ptx(`mad.${part}.cc.u${bits} addc`, t, [t, t, t], {
        text: `{ .reg .u${bits} x; mad.${part}.cc.u${bits} x, %1, %2, %3; addc.u${bits} %0, %3, 0; }`,
      });
      yield ptx(`madc.${part}.u${bits}`, t, [t, t, t], {
        text: `{ .reg .u${bits} x; add.cc.u${bits} x, %1, %2; madc.${part}.u${bits} %0, %1, %2, %3; }`,
      });
    }
  }
  for (const mode of ['wrap', 'clamp']) {
    for (const t of ['u32', 's32'] as const) yield ptx(`szext.${mode}.${t}`, t, [t, 'amount']);
    yield ptx(`bmsk.${mode}.b32`, 'u32', ['amount', 'amount']);
  }
  yield ptx('fns.b32', 'u32', ['u32', 'u32', 's32'], {
    text: '{ .reg .b32 x; .reg .s32 y; and.b32 x, %2, 31; rem.s32 y, %3, 7; fns.b32 %0, %1, x, y; }',
  });
  for (const a of ['u32', 's32'])
    for (const b of ['u32', 's32']) {
      const to = a === 's32' || b === 's32' ? 's32' : 'u32';
      yield ptx(`dp4a.${a}.${b}`, to, ['words', 'words', to]);
      for (const part of ['lo', 'hi']) yield ptx(`dp2a.${part}.${a}.${b}`, to, ['words', 'words', to]);
    }
}

function* bits(): Generator<Entry> {
  for (const [b, t] of bitTypes) {
    for (const op of ['and', 'or', 'xor']) yield ptx(`${op}.${b}`, t, [t, t]);
    for (const op of ['not', 'cnot']) yield ptx(`${op}.${b}`, t, [t]);
    yield ptx(`shl.${b}`, t, [t, 'amount']);
    yield ptx(`shr.${b}`, t, [t, 'amount']);
    yield ptx(`shr.${t}`, t, [t, 'amount']);
    const s = t.replace('u', 's') as TypeName;
    yield ptx(`shr.${s}`, s, [s, 'amount']);
    for (const amount of [0, 1, 15, 16, 31, 32, 33, 63, 64, 65]) {
      yield ptx(`shl.${b} by ${amount}`, t, [t], { text: `shl.${b} %0, %1, ${amount};` });
      yield ptx(`shr.${t} by ${amount}`, t, [t], { text: `shr.${t} %0, %1, ${amount};` });
      yield ptx(`shr.${s} by ${amount}`, s, [s], { text: `shr.${s} %0, %1, ${amount};` });
    }
  }
  for (let table = 0; table < 256; table++)
    yield ptx(`lop3.b32 ${table}`, 'u32', ['u32', 'u32', 'u32'], { text: `lop3.b32 %0, %1, %2, %3, ${table};` });
  for (const way of ['l', 'r'])
    for (const mode of ['clamp', 'wrap']) yield ptx(`shf.${way}.${mode}.b32`, 'u32', ['u32', 'u32', 'amount']);
  yield ptx('prmt.b32', 'u32', ['words', 'words', 'selector']);
  yield ptx('prmt.b32 any selector', 'u32', ['words', 'words', 'u32'], { text: 'prmt.b32 %0, %1, %2, %3;' });
  for (const mode of ['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'])
    yield ptx(`prmt.b32.${mode}`, 'u32', ['words', 'words', 'u32']);
}

const wholeCompares = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];
const unsignedCompares = [...wholeCompares, 'lo', 'ls', 'hi', 'hs'];
const floatCompares = [...wholeCompares, 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan'];
const compares = (t: string): string[] =>
  t.startsWith('b') && t !== 'bf16'
    ? ['eq', 'ne']
    : t.startsWith('u')
      ? unsignedCompares
      : t.startsWith('s')
        ? wholeCompares
        : floatCompares;
function* comparisons(): Generator<Entry> {
  const types = [...integers, 'f32', 'f64', 'f16', 'bf16'] as const;
  for (const t of types) {
    for (const cmp of compares(t)) {
      yield predicate(`setp.${cmp}.${t}`, [t, t]);
      if (t === 'f32' || t === 'f16') yield predicate(`setp.${cmp}.ftz.${t}`, [t, t]);
      if (t !== 'f16' && t !== 'bf16') {
        for (const to of ['u32', 's32', 'f32'] as const) yield ptx(`set.${cmp}.${to}.${t}`, to, [t, t]);
        if (t === 'f32') yield ptx(`set.${cmp}.ftz.u32.f32`, 'u32', [t, t]);
      }
    }
    if (t !== 'f16' && t !== 'bf16')
      for (const op of ['and', 'or', 'xor'])
        yield ptx(`setp.lt.${op}.${t}`, 'u32', [t, t, 'u32'], {
          text: `{ .reg .pred p, q, o; setp.lt.u32 o, %3, 5; setp.lt.${op}.${t} p|q, %1, %2, o; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }`,
        });
    for (const by of ['s32', 'f32'] as const)
      if (t !== 'f16' && t !== 'bf16') yield ptx(`slct.${t}.${by}`, t, [t, t, by]);
    if (t !== 'f16' && t !== 'bf16')
      yield ptx(`selp.${t}`, t, [t, t, 's32'], {
        text: `{ .reg .pred p; setp.lt.s32 p, %3, 5; selp.${t} %0, %1, %2, p; }`,
      });
  }
}

const directions = ['rn', 'rz', 'rm', 'rp'];
function* floating(): Generator<Entry> {
  for (const mode of directions) {
    for (const flags of ['', '.ftz', '.sat', '.ftz.sat']) {
      for (const op of ['add', 'sub', 'mul']) yield ptx(`${op}.${mode}${flags}.f32`, 'f32', ['f32', 'f32']);
      yield ptx(`fma.${mode}${flags}.f32`, 'f32', ['f32', 'f32', 'f32']);
      yield ptx(`mad.${mode}${flags}.f32`, 'f32', ['f32', 'f32', 'f32']);
    }
    for (const ftz of ['', '.ftz']) {
      yield ptx(`div.${mode}${ftz}.f32`, 'f32', ['f32', 'f32']);
      for (const op of ['rcp', 'sqrt']) yield ptx(`${op}.${mode}${ftz}.f32`, 'f32', ['f32']);
    }
    for (const op of ['add', 'sub', 'mul', 'div']) yield ptx(`${op}.${mode}.f64`, 'f64', ['f64', 'f64']);
    for (const op of ['fma', 'mad']) yield ptx(`${op}.${mode}.f64`, 'f64', ['f64', 'f64', 'f64']);
    for (const op of ['rcp', 'sqrt']) yield ptx(`${op}.${mode}.f64`, 'f64', ['f64']);
  }
  for (const t of ['f16', 'f16x2'] as const) {
    for (const rn of ['', '.rn'])
      for (const flags of ['', '.ftz', '.sat', '.ftz.sat'])
        for (const op of ['add', 'sub', 'mul']) yield ptx(`${op}${rn}${flags}.${t}`, t, [t, t]);
    for (const flags of ['', '.ftz', '.sat', '.ftz.sat', '.relu', '.ftz.relu'])
      yield ptx(`fma.rn${flags}.${t}`, t, [t, t, t]);
  }
  for (const t of ['bf16', 'bf16x2'] as const) {
    for (const rn of ['', '.rn']) for (const op of ['add', 'sub', 'mul']) yield ptx(`${op}${rn}.${t}`, t, [t, t]);
    for (const flags of ['', '.relu']) yield ptx(`fma.rn${flags}.${t}`, t, [t, t, t]);
  }
  for (const op of ['min', 'max']) {
    for (const flags of ['', '.ftz', '.NaN', '.ftz.NaN', '.xorsign.abs', '.ftz.xorsign.abs', '.NaN.xorsign.abs'])
      yield ptx(`${op}${flags}.f32`, 'f32', ['f32', 'f32']);
    yield ptx(`${op}.f64`, 'f64', ['f64', 'f64']);
    for (const t of ['f16', 'f16x2', 'bf16', 'bf16x2'] as const)
      for (const flags of ['', ...(t.startsWith('f') ? ['.ftz'] : []), '.NaN', '.xorsign.abs', '.NaN.xorsign.abs'])
        yield ptx(`${op}${flags}.${t}`, t, [t, t]);
  }
  for (const op of ['abs', 'neg']) {
    for (const ftz of ['', '.ftz']) {
      yield ptx(`${op}${ftz}.f32`, 'f32', ['f32']);
      for (const t of ['f16', 'f16x2'] as const) yield ptx(`${op}${ftz}.${t}`, t, [t]);
    }
    for (const t of ['f64', 'bf16', 'bf16x2'] as const) yield ptx(`${op}.${t}`, t, [t]);
  }
  for (const t of ['f32', 'f64'] as const) {
    yield ptx(`copysign.${t}`, t, [t, t]);
    for (const kind of ['finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'])
      yield predicate(`testp.${kind}.${t}`, [t]);
  }

  // ---- approximations: bounds of the PTX ISA ----
  const f = 'f32' as const;
  const within = (bound: Bound): Options => ({ within: () => bound });
  for (const ftz of ['', '.ftz']) {
    yield ptx(`div.approx${ftz}.f32`, f, [f, 'f32:divisor'], within({ ulp: 2 }));
    yield ptx(`div.full${ftz}.f32`, f, [f, 'f32:divisor'], within({ ulp: 2 }));
    yield ptx(`rcp.approx${ftz}.f32`, f, [f], within({ ulp: 1 }));
    yield ptx(`sqrt.approx${ftz}.f32`, f, [f], within({ ulp: 2 }));
    yield ptx(`rsqrt.approx${ftz}.f32`, f, [f], within({ ulp: 2 }));
    yield ptx(`ex2.approx${ftz}.f32`, f, [f], within({ ulp: 2 }));
    yield ptx(`lg2.approx${ftz}.f32`, f, [f], {
      within: ([x = 0]) => (x > 0.5 && x < 2 ? { absolute: 2 ** -22 } : { ulp: 2 }),
    });
    for (const op of ['sin', 'cos'])
      yield ptx(`${op}.approx${ftz}.f32`, f, ['f32:angle'], within({ absolute: 2 ** -20.5 }));
  }
  yield ptx('tanh.approx.f32', f, [f], within({ ulp: 2 ** 13 }));
  for (const t of ['f16', 'f16x2'] as const) {
    yield ptx(`tanh.approx.${t}`, t, [t], within({ ulp: 2, absolute: 2 ** -10.987 }));
    yield ptx(`ex2.approx.${t}`, t, [t], within({ ulp: 2, absolute: 2 ** -9.9 }));
  }
  for (const t of ['bf16', 'bf16x2'] as const) {
    yield ptx(`tanh.approx.${t}`, t, [t], within({ ulp: 2, absolute: 2 ** -8 }));
    yield ptx(`ex2.approx.ftz.${t}`, t, [t], within({ ulp: 2, absolute: 2 ** -7 }));
  }
  // The upper words alone; hardware's table is at times off by one of those.
  yield ptx('rcp.approx.ftz.f64', 'f64', ['f64'], within({ ulp: 2 ** 32 }));
  yield ptx('rsqrt.approx.f64', 'f64', ['f64'], within({ ulp: 2 }));
}

/** True if the source type has values that the target lacks, which `cvt.sat` requires. */
const saturates = (from: TypeName, to: TypeName): boolean => {
  const [a, b] = [scalar(from).bytes, scalar(to).bytes];
  return from.startsWith('s') ? to.startsWith('u') || b < a : b < a || (b === a && to.startsWith('s'));
};
/** False for conversions that do not exist: bfloat16 has none to and from bytes. */
const withBytes = (float: string, whole: string): boolean => float !== 'bf16' || (whole !== 'u8' && whole !== 's8');
function* conversions(): Generator<Entry> {
  const wide = (t: TypeName): TypeName => (t === 'u8' ? 'u32' : t === 's8' ? 's32' : t);
  for (const from of all)
    for (const to of all) {
      yield ptx(`cvt.${to}.${from}`, wide(to), [from]);
      if (saturates(from, to)) yield ptx(`cvt.sat.${to}.${from}`, wide(to), [from]);
    }
  for (const mode of ['rni', 'rzi', 'rmi', 'rpi']) {
    for (const from of ['f32', 'f64', 'f16', 'bf16'] as const)
      for (const to of all.filter((each) => withBytes(from, each))) {
        yield ptx(`cvt.${mode}.${to}.${from}`, wide(to), [from]);
        if (from === 'f32') yield ptx(`cvt.${mode}.ftz.${to}.f32`, wide(to), [from]);
        if (from === 'f32' || from === 'f64') yield ptx(`cvt.${mode}.sat.${to}.${from}`, wide(to), [from]);
      }
    for (const t of ['f32', 'f64', 'f16', 'bf16'] as const) yield ptx(`cvt.${mode}.${t}.${t}`, t, [t]);
    yield ptx(`cvt.${mode}.ftz.f32.f32`, 'f32', ['f32']);
    yield ptx(`cvt.${mode}.sat.f32.f32`, 'f32', ['f32']);
    yield ptx(`cvt.${mode}.sat.f64.f64`, 'f64', ['f64']);
  }
  for (const mode of directions) {
    for (const from of all)
      for (const to of ['f32', 'f64', 'f16', 'bf16'] as const) {
        if (withBytes(to, from)) yield ptx(`cvt.${mode}.${to}.${from}`, to, [from]);
        if (to !== 'bf16') yield ptx(`cvt.${mode}.sat.${to}.${from}`, to, [from]);
      }
    for (const flags of ['', '.ftz', '.sat', '.ftz.sat']) yield ptx(`cvt.${mode}${flags}.f32.f64`, 'f32', ['f64']);
    yield ptx(`cvt.${mode}.f16.f64`, 'f16', ['f64']);
  }
  for (const mode of ['rn', 'rz']) {
    for (const flag of ['', '.relu']) {
      yield ptx(`cvt.${mode}${flag}.f16.f32`, 'f16', ['f32']);
      yield ptx(`cvt.${mode}${flag}.bf16.f32`, 'bf16', ['f32']);
      yield ptx(`cvt.${mode}${flag}.f16x2.f32`, 'f16x2', ['f32', 'f32']);
      yield ptx(`cvt.${mode}${flag}.bf16x2.f32`, 'bf16x2', ['f32', 'f32']);
      yield ptx(`cvt.${mode}${flag}.tf32.f32`, 'u32', ['f32']);
    }
    yield ptx(`cvt.${mode}.sat.f16.f32`, 'f16', ['f32']);
    yield ptx(`cvt.${mode}.ftz.f16.f32`, 'f16', ['f32']);
  }
  for (const mode of ['rm', 'rp']) yield ptx(`cvt.${mode}.f16.f32`, 'f16', ['f32']);
  yield ptx('cvt.rna.tf32.f32', 'u32', ['f32']);
  for (const flags of ['', '.ftz', '.sat', '.ftz.sat']) yield ptx(`cvt${flags}.f32.f16`, 'f32', ['f16']);
  for (const flags of ['', '.ftz', '.sat', '.ftz.sat']) yield ptx(`cvt${flags}.f32.f32`, 'f32', ['f32']);
  yield ptx('cvt.f64.f32', 'f64', ['f32']);
  yield ptx('cvt.ftz.f64.f32', 'f64', ['f32']);
  yield ptx('cvt.sat.f64.f32', 'f64', ['f32']);
  yield ptx('cvt.f64.f16', 'f64', ['f16']);
  yield ptx('cvt.f32.bf16', 'f32', ['bf16']);
}

function* video(): Generator<Entry> {
  const signs = ['u32', 's32'];
  for (const lanes of [2, 4]) {
    for (const kind of ['add', 'sub', 'avrg', 'absdiff', 'min', 'max'])
      for (const d of signs)
        for (const a of signs)
          for (const b of signs)
            for (const flag of ['', '.sat', '.add'])
              yield ptx(`v${kind}${lanes}.${d}.${a}.${b}${flag}`, 'u32', ['words', 'words', 'u32'], {
                text: `v${kind}${lanes}.${d}.${a}.${b}${flag} %0, %1, %2, %3;`,
              });
    for (const cmp of wholeCompares)
      for (const a of signs)
        for (const b of signs)
          for (const flag of ['', '.add'])
            yield ptx(`vset${lanes}.${a}.${b}.${cmp}${flag}`, 'u32', ['words', 'words', 'u32']);
  }
}
export const ptxWhole = [...wholeNumbers(), ...bits(), ...comparisons()];
export const ptxFloating = [...floating(), ...conversions()];
export const ptxVideo = [...video()];
