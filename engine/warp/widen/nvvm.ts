/** Numeric intrinsics of NVPTX, and those that inline PTX is translated to (`simsight.*`). */
import { each } from '../../ir/calls/called.ts';
import { type nvvm as rows, type nvvmFamilies as families, roundingModes } from '../../ir/calls/nvvm.ts';
import type { Instruction } from '../../ir/ir.ts';
import { arg, type Emissions, type Emit, type FamilyEmissions } from './emit.ts';
import type { KernelContext } from './kernel/context.ts';
import { flushed } from './kernel/flushed.ts';
import { laneType, type Leaf } from './writer.ts';

const w = (kernel: KernelContext) => kernel.writer;
const lane =
  (name: string, type: string): Emit =>
  (kernel, args) => [kernel.lanes.perLane(name, args, type)];
const zero = (kernel: KernelContext, type: string): Leaf => w(kernel).constant(type, '0.0');
const one = (kernel: KernelContext, type: string): Leaf => w(kernel).constant(type, '1.0');
function operation(kernel: KernelContext, op: string, mode: string | undefined, args: Leaf[]): Leaf {
  const { type } = arg(args, 0);
  if (mode !== undefined) {
    if (op === 'rcp') return kernel.lanes.perLane(`div_${mode}_${type}`, [one(kernel, type), ...args], type);
    return kernel.lanes.perLane(`${op}_${mode}_${type}`, args, type);
  }
  if (op === 'fma') return kernel.arithmetic.fma(args, type);
  if (op === 'sqrt') return w(kernel).intrinsic(type, 'sqrt', args);
  if (op === 'rcp') return w(kernel).binary('fdiv', one(kernel, type), arg(args, 0));
  return w(kernel).binary(`f${op}`, arg(args, 0), arg(args, 1));
}
/** Limits to [0, 1]; NaN becomes 0. */
export function saturated(kernel: KernelContext, x: Leaf): Leaf {
  return kernel.arithmetic.minimum(
    'olt',
    kernel.arithmetic.minimum('ogt', x, zero(kernel, x.type)),
    one(kernel, x.type),
  );
}
/** Not below +0; NaN stays. */
const relu = (kernel: KernelContext, x: Leaf): Leaf =>
  w(kernel).select(w(kernel).compare('uno', x, x), x, kernel.arithmetic.minimum('ogt', x, zero(kernel, x.type)));
const narrowKind = (instruction: Instruction): 'half' | 'bfloat' => {
  const { type } = instruction;
  const element = type.kind === 'vector' ? type.element : type;
  return element.kind === 'bfloat' ? 'bfloat' : 'half';
};
const narrowFma =
  (flags: string): Emit =>
  (kernel, args, instruction) => {
    const kind = narrowKind(instruction);
    const result = kernel.arithmetic.narrowFma(args, kind);
    if (!flags) return [result];
    let wide = kernel.conversions.toFloat(result, kind);
    if (flags.includes('relu')) wide = relu(kernel, wide);
    if (flags.includes('sat')) wide = saturated(kernel, wide);
    return [kernel.conversions.fromFloat(wide, kind)];
  };
function fromWhole(kernel: KernelContext, x: Leaf, signed: boolean, type: string, mode: string): Leaf {
  const wide = x.type === 'i64' ? x : w(kernel).cast(signed ? 'sext' : 'zext', x, 'i64');
  return kernel.lanes.perLane(`${signed ? 's' : 'u'}itofp_${mode}_${type}`, [wide], type);
}
/** Cut off, and one more where the rest is not nothing and the sign is as the comparison with zero says. */
function bfloatAwayFromZero(kernel: KernelContext, x: Leaf, outward: 'ogt' | 'olt'): Leaf {
  const double = x.type === 'double' ? x : w(kernel).cast('fpext', x, 'double');
  const cut = kernel.lanes.perLane('double_to_bfloat_rz', [double], 'i16');
  const back = w(kernel).cast('fpext', kernel.conversions.toFloat(cut, 'bfloat'), 'double');
  const isMore = kernel.arithmetic.binary(
    'and',
    w(kernel).compare('one', back, double),
    w(kernel).compare(outward, double, zero(kernel, 'double')),
  );
  return w(kernel).select(isMore, w(kernel).binary('add', cut, w(kernel).constant('i16', 1)), cut);
}
const integers: Record<string, [string, boolean]> = {
  i: ['i32', true],
  ui: ['i32', false],
  ll: ['i64', true],
  ull: ['i64', false],
};
const roundings: Record<string, string> = { rn: 'roundeven', rz: 'trunc', rm: 'floor', rp: 'ceil' };
/** Any function of three bits by its truth table; the operands' bits 2, 1, 0 of a row's number. */
function logic(kernel: KernelContext, table: number, a: Leaf, b: Leaf, c: Leaf): Leaf {
  const ones = w(kernel).constant(a.type, -1);
  const and = (x: Leaf, y: Leaf): Leaf => w(kernel).binary('and', x, y);
  const or = (x: Leaf, y: Leaf): Leaf => w(kernel).binary('or', x, y);
  const xor = (x: Leaf, y: Leaf): Leaf => w(kernel).binary('xor', x, y);
  const not = (x: Leaf): Leaf => xor(x, ones);
  const two = (code: number): Leaf => {
    // Bits 3, 2, 1, 0: the value for b,c = 11, 10, 01, 00.
    const forms: (() => Leaf)[] = [
      () => w(kernel).constant(a.type, 0),
      () => not(or(b, c)),
      () => and(not(b), c),
      () => not(b),
      () => and(b, not(c)),
      () => not(c),
      () => xor(b, c),
      () => not(and(b, c)),
      () => and(b, c),
      () => not(xor(b, c)),
      () => c,
      () => or(not(b), c),
      () => b,
      () => or(b, not(c)),
      () => or(b, c),
      () => ones,
    ];
    return forms[code]!();
  };
  const [low, high] = [table & 15, table >> 4];
  if (low === high) return two(low);
  if (high === (low ^ 15)) return xor(a, two(low));
  if (low === 0) return and(a, two(high));
  if (high === 15) return or(a, two(low));
  return or(and(a, two(high)), and(not(a), two(low)));
}
const ldexp: Emit = (kernel, args) => {
  const { type } = arg(args, 0);
  return [kernel.lanes.perLane(`ldexp_${type}`, [arg(args, 0), w(kernel).integer(arg(args, 1), 'i32')], type)];
};
const powi: Emit = (kernel, args) => {
  const { type } = arg(args, 0);
  return [kernel.lanes.perLane(`powi_${type}`, [arg(args, 0), w(kernel).integer(arg(args, 1), 'i32')], type)];
};
const operations = ['add', 'sub', 'mul', 'div', 'sqrt', 'rcp'] as const;
/** The rounding mode at the end of a name of libdevice. */
const modeOf = ({ callee }: Instruction): string => roundingModes[callee.slice(-2)]!;
const directed =
  (op: string): Emit =>
  (kernel, args, i) => [operation(kernel, op, modeOf(i), args)];
const clamps = (kernel: KernelContext, mode: string): Leaf => w(kernel).constant('i32', mode === 'clamp' ? 1 : 0);
const extendBits =
  (mode: string, signed: 0 | 1): Emit =>
  (kernel, args) => [
    kernel.lanes.perLane('extend_bits', [...args, clamps(kernel, mode), w(kernel).constant('i32', signed)], 'i32'),
  ];
const dot2 =
  (kind: number, upper: 0 | 1): Emit =>
  (kernel, args) => [
    kernel.lanes.perLane('dot2', [...args, w(kernel).constant('i32', kind), w(kernel).constant('i32', upper)], 'i32'),
  ];

export const nvvm: Emissions<typeof rows> = {
  // libdevice's names of the same.
  ...each('__nv_f', operations, (op) => directed(op), '_rz'),
  ...each('__nv_d', operations, (op) => directed(op), '_rz'),
  ...each('__nv_fmaf_', ['rz', 'ru', 'rd'], () => directed('fma')),
  ...each('__nv_fma_', ['rz', 'ru', 'rd'], () => directed('fma')),
  ...each('__nv_double2float_', ['rz', 'ru', 'rd'], (mode) => lane(`fptrunc_${roundingModes[mode]}_float`, 'float')),
  ...each(
    '__nv_',
    ['int2float', 'uint2float', 'll2float', 'ull2float', 'int2double', 'uint2double', 'll2double', 'ull2double'],
    (name): Emit =>
      (kernel, args, i) => [fromWhole(kernel, arg(args, 0), !name.startsWith('u'), name.split('2')[1]!, modeOf(i))],
    '_rz',
  ),
  'simsight.tf32.rna': lane('tf32_rna', 'i32'),
  'simsight.tf32.rn': lane('tf32_rn', 'i32'),
  'simsight.tf32.rz': lane('tf32_rz', 'i32'),
  // A modifier of the instructions beside it.
  'simsight.ftz': (kernel, args, i) => {
    const x = arg(args, 0);
    const element = i.type.kind === 'vector' ? i.type.element : i.type;
    if (element.kind !== 'half') return [flushed(kernel, x)];
    // Halves come as floats: all below 2^-14.
    const isSmall = w(kernel).compare(
      'olt',
      w(kernel).intrinsic('float', 'fabs', [x]),
      w(kernel).constant('float', '0x3F10000000000000'),
    );
    return [w(kernel).select(isSmall, w(kernel).intrinsic('float', 'copysign', [zero(kernel, 'float'), x]), x)];
  },
  'simsight.saturate': (kernel, args) => [saturated(kernel, arg(args, 0))],
  'simsight.relu': (kernel, args) => [relu(kernel, arg(args, 0))],
  'llvm.nvvm.bitcast.f2i': (kernel, args) => [w(kernel).cast('bitcast', arg(args, 0), 'i32')],
  'llvm.nvvm.bitcast.i2f': (kernel, args) => [w(kernel).cast('bitcast', arg(args, 0), 'float')],
  'llvm.nvvm.bitcast.d2ll': (kernel, args) => [w(kernel).cast('bitcast', arg(args, 0), 'i64')],
  'llvm.nvvm.bitcast.ll2d': (kernel, args) => [w(kernel).cast('bitcast', arg(args, 0), 'double')],
  'llvm.nvvm.d2i.lo': (kernel, args) => [
    w(kernel).cast('trunc', w(kernel).cast('bitcast', arg(args, 0), 'i64'), 'i32'),
  ],
  'llvm.nvvm.d2i.hi': (kernel, args) => [
    w(kernel).cast(
      'trunc',
      w(kernel).binary('lshr', w(kernel).cast('bitcast', arg(args, 0), 'i64'), w(kernel).constant('i64', 32)),
      'i32',
    ),
  ],
  'llvm.nvvm.lohi.i2d': (kernel, args) => {
    const high = w(kernel).binary('shl', w(kernel).cast('zext', arg(args, 1), 'i64'), w(kernel).constant('i64', 32));
    return [
      w(kernel).cast('bitcast', w(kernel).binary('or', w(kernel).cast('zext', arg(args, 0), 'i64'), high), 'double'),
    ];
  },
  'llvm.convert.to.fp16': (kernel, args) => [
    arg(args, 0).type === 'double'
      ? kernel.lanes.perLane('double_to_half', args, 'i16')
      : kernel.conversions.fromFloat(arg(args, 0), 'half'),
  ],
  'llvm.convert.from.fp16': (kernel, args, i) => {
    const float = kernel.conversions.toFloat(arg(args, 0), 'half');
    return [i.type.kind === 'double' ? w(kernel).cast('fpext', float, 'double') : float];
  },
  ...each('simsight.prmt.', ['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'], (_, number): Emit => (kernel, args) => [
    kernel.lanes.perLane(
      'byte_permute_mode',
      [
        ...(args.length === 2 ? [arg(args, 0), w(kernel).constant('i32', 0), arg(args, 1)] : args),
        w(kernel).constant('i32', number),
      ],
      'i32',
    ),
  ]),
  'llvm.nvvm.fns': lane('find_nth_set', 'i32'),
  ...each('simsight.bmsk.', ['clamp', 'wrap'], (mode): Emit => (kernel, args) => [
    kernel.lanes.perLane('bit_mask', [...args, clamps(kernel, mode)], 'i32'),
  ]),
  ...each('simsight.szext.', ['clamp', 'wrap'], (mode) => extendBits(mode, 1), '.s32'),
  ...each('simsight.szext.', ['clamp', 'wrap'], (mode) => extendBits(mode, 0), '.u32'),
  'simsight.lop3': (kernel, args) => [
    logic(kernel, Number(arg(args, 3).text) & 255, arg(args, 0), arg(args, 1), arg(args, 2)),
  ],
  ...each('simsight.dp4a.', ['uu', 'su', 'us', 'ss'], (_, kind): Emit => (kernel, args) => [
    kernel.lanes.perLane('dot4', [...args.slice(0, 3), w(kernel).constant('i32', kind)], 'i32'),
  ]),
  ...each('simsight.dp2a.lo.', ['uu', 'su', 'us', 'ss'], (_, kind) => dot2(kind, 0)),
  ...each('simsight.dp2a.hi.', ['uu', 'su', 'us', 'ss'], (_, kind) => dot2(kind, 1)),
  ...each('llvm.nvvm.idp2a.', ['u.u', 's.u', 'u.s', 's.s'], (_, kind): Emit => (kernel, args) => [
    kernel.lanes.perLane(
      'dot2',
      [
        arg(args, 0),
        arg(args, 1),
        arg(args, 3),
        w(kernel).constant('i32', kind),
        w(kernel).cast('zext', arg(args, 2), 'i32'),
      ],
      'i32',
    ),
  ]),
  'simsight.video': lane('video', 'i32'),
  'llvm.nvvm.mul24.i': (kernel, args, i) => {
    const shift = i.callee.endsWith('ui') ? 'lshr' : 'ashr';
    const eight = w(kernel).constant('i32', 8);
    const [a, b] = args.map((leaf) => w(kernel).binary(shift, w(kernel).binary('shl', leaf, eight), eight)) as [
      Leaf,
      Leaf,
    ];
    return [w(kernel).binary('mul', a, b)];
  },
  ...each(
    'llvm.',
    ['ushl', 'sshl'],
    (op): Emit =>
      (kernel, args) => [w(kernel).intrinsic(arg(args, 0).type, `${op}.sat`, args)],
    '.sat',
  ),
  'llvm.scmp': (kernel, args, i) => {
    const s = i.callee.startsWith('llvm.s') ? 's' : 'u';
    const type = laneType(i.type);
    const more = w(kernel).cast('zext', w(kernel).compare(`${s}gt`, arg(args, 0), arg(args, 1)), type);
    const less = w(kernel).cast('zext', w(kernel).compare(`${s}lt`, arg(args, 0), arg(args, 1)), type);
    return [w(kernel).binary('sub', more, less)];
  },

  // ---- generic floating point ----
  'llvm.is.fpclass': (kernel, args) => {
    const [x, tests] = args as [Leaf, Leaf];
    const double = x.type === 'double';
    const whole = double ? 'i64' : 'i32';
    const bits = w(kernel).cast('bitcast', x, whole);
    const number = (value: bigint): Leaf => w(kernel).constant(whole, value);
    const magnitude = w(kernel).binary('and', bits, number(double ? (1n << 63n) - 1n : (1n << 31n) - 1n));
    const negative = w(kernel).compare('slt', bits, number(0n));
    const infinite = double ? 0x7ffn << 52n : 0xffn << 23n;
    const quiet = infinite | (double ? 1n << 51n : 1n << 22n);
    const least = double ? 1n << 52n : 1n << 23n;
    const cmp = (predicate: string, value: bigint): Leaf => w(kernel).compare(predicate, magnitude, number(value));
    const both = (a: Leaf, b: Leaf): Leaf => kernel.arithmetic.binary('and', a, b);
    const isNormal = both(cmp('uge', least), cmp('ult', infinite));
    const isSubnormal = both(cmp('ult', least), cmp('ne', 0n));
    const not = (a: Leaf): Leaf => kernel.arithmetic.binary('xor', a, w(kernel).constant('i1', 'true'));
    const classes = [
      both(cmp('ugt', infinite), cmp('ult', quiet)),
      cmp('uge', quiet),
      both(negative, cmp('eq', infinite)),
      both(negative, isNormal),
      both(negative, isSubnormal),
      both(negative, cmp('eq', 0n)),
      both(not(negative), cmp('eq', 0n)),
      both(not(negative), isSubnormal),
      both(not(negative), isNormal),
      both(not(negative), cmp('eq', infinite)),
    ];
    const wanted = Number(tests.text);
    const chosen = classes.filter((_, k) => wanted & (1 << k));
    return [
      chosen.length === 0
        ? w(kernel).constant('i1', 'false')
        : chosen.reduce((a, b) => kernel.arithmetic.binary('or', a, b)),
    ];
  },
  'llvm.canonicalize': (_, args) => [arg(args, 0)],
  'llvm.arithmetic.fence': (_, args) => [arg(args, 0)],
  'llvm.ldexp': ldexp,
  'llvm.powi': powi,
  'llvm.frexp': (kernel, args) => {
    const { type } = arg(args, 0);
    const wide = type === 'double' ? arg(args, 0) : w(kernel).cast('fpext', arg(args, 0), 'double');
    const part = kernel.lanes.perLane('frexp_part', [wide], 'double');
    return [
      type === 'double' ? part : w(kernel).cast('fptrunc', part, type),
      kernel.lanes.perLane('frexp_exponent', [wide], 'i32'),
    ];
  },
  'llvm.lround': (kernel, args, i) => {
    const x = arg(args, 0);
    const whole = i.callee.includes('rint')
      ? w(kernel).intrinsic(x.type, 'roundeven', [x])
      : kernel.lanes.library(x.type === 'float' ? 'roundf' : 'round', [x], x.type);
    return [kernel.conversions.toInteger(whole, laneType(i.type), true)];
  },
  ...each(
    'llvm.',
    ['asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'atan2', 'exp10'],
    (name): Emit =>
      (kernel, args) => {
        const { type } = arg(args, 0);
        if (name === 'exp10')
          return [
            kernel.lanes.library(
              type === 'float' ? 'powf' : 'pow',
              [w(kernel).constant(type, '10.0'), arg(args, 0)],
              type,
            ),
          ];
        return [kernel.lanes.library(type === 'float' ? `${name}f` : name, args, type)];
      },
  ),

  // ---- nothing to do, or a constant ----
  'llvm.nvvm.cp.async.commit.group': () => [],
  'llvm.nvvm.cp.async.wait.group': () => [],
  'llvm.nvvm.cp.async.wait.all': () => [],
  'llvm.nvvm.griddepcontrol.launch.dependents': () => [],
  'llvm.nvvm.pm.event.mask': () => [],
  'llvm.is.constant': (kernel) => [w(kernel).constant('i1', 'false')],
  'llvm.expect.with.probability': (_, args) => [arg(args, 0)],
  'llvm.ssa.copy': (_, args) => [arg(args, 0)],
  'llvm.objectsize': (kernel, args, i) => [w(kernel).constant(laneType(i.type), arg(args, 1).text === 'true' ? 0 : -1)],
  'llvm.ptrmask': (kernel, args) => [w(kernel).binary('and', arg(args, 0), w(kernel).integer(arg(args, 1), 'i32'))],
  'llvm.nvvm.reflect': (kernel) => [w(kernel).constant('i32', 0)],
  'llvm.nvvm.read.ptx.sreg.nsmid': (kernel) => [kernel.registers.special('nsmid')],
  'llvm.nvvm.read.ptx.sreg.dynamic_smem_size': (kernel) => [kernel.registers.special('dynamicShared')],
  'llvm.nvvm.read.ptx.sreg.total_smem_size': (kernel) => [kernel.registers.special('totalShared')],
};

export const nvvmFamilies: FamilyEmissions<typeof families> = {
  arithmetic: ({ op, mode, flags, isNarrow }) => {
    if (isNarrow && op === 'fma') return narrowFma(flags);
    return (kernel, args) => {
      const inputs = flags.includes('ftz') ? args.map((x) => flushed(kernel, x)) : args;
      let result = operation(kernel, op, roundingModes[mode], inputs);
      if (flags.includes('ftz')) result = flushed(kernel, result);
      if (flags.includes('relu')) result = relu(kernel, result);
      return [flags.includes('sat') ? saturated(kernel, result) : result];
    };
  },
  'narrow.fma': () => narrowFma(''),
  'float.from.integer':
    ([, sign, mode, bits]) =>
    (kernel, args) => [fromWhole(kernel, arg(args, 0), sign === 's', bits === '64' ? 'double' : 'float', mode ?? '')],
  truncation: ({ rounding, to }) => {
    const name =
      to === 'f32' ? `fptrunc_${rounding}_float` : `double_to_${to === 'f16' ? 'half' : 'bfloat'}_${rounding}`;
    if (to === 'bf16' && rounding !== 'rz')
      return (kernel, args) => [bfloatAwayFromZero(kernel, arg(args, 0), rounding === 'rp' ? 'ogt' : 'olt')];
    return (kernel, args) => {
      const x = arg(args, 0);
      return [
        kernel.lanes.perLane(
          name,
          [x.type === 'double' ? x : w(kernel).cast('fpext', x, 'double')],
          to === 'f32' ? 'float' : 'i16',
        ),
      ];
    };
  },
  extreme:
    ([, op, flags]) =>
    (kernel, args) => {
      let [a, b] = args as [Leaf, Leaf];
      if (flags?.includes('ftz')) [a, b] = [flushed(kernel, a), flushed(kernel, b)];
      const { type } = a;
      const whole = type === 'double' ? 'i64' : 'i32';
      const sign = w(kernel).binary('xor', w(kernel).cast('bitcast', a, whole), w(kernel).cast('bitcast', b, whole));
      if (flags?.includes('xorsign'))
        [a, b] = [w(kernel).intrinsic(type, 'fabs', [a]), w(kernel).intrinsic(type, 'fabs', [b])];
      let result = kernel.arithmetic.minimum(op === 'min' ? 'olt' : 'ogt', a, b);
      if (flags?.includes('nan')) {
        const nan = w(kernel).constant(type, '0x7FF8000000000000');
        result = w(kernel).select(w(kernel).compare('uno', a, b), nan, result);
      }
      if (flags?.includes('xorsign'))
        result = w(kernel).intrinsic(type, 'copysign', [result, w(kernel).cast('bitcast', sign, type)]);
      return [result];
    },
  unary:
    ([, op, ftz]) =>
    (kernel, args) => {
      const x = ftz ? flushed(kernel, arg(args, 0)) : arg(args, 0);
      if (op === 'saturate') return [saturated(kernel, x)];
      if (op === 'neg') return [w(kernel).lift(x.type, [x], (shape, [text]) => `fneg ${shape.t(x.type)} ${text}`)];
      const name = { abs: 'fabs', fabs: 'fabs', round: 'roundeven' }[op ?? ''] ?? op ?? '';
      return [w(kernel).intrinsic(x.type, name, [x])];
    },
  approximate:
    ([, op, ftz]) =>
    (kernel, args) => {
      const x = ftz ? flushed(kernel, arg(args, 0)) : arg(args, 0);
      const double = x.type === 'double';
      if (op === 'rsqrt')
        return [w(kernel).binary('fdiv', one(kernel, x.type), w(kernel).intrinsic(x.type, 'sqrt', [x]))];
      const name = { ex2: 'exp2', lg2: 'log2', sin: 'sin', cos: 'cos', tanh: 'tanh' }[op ?? ''] ?? '';
      const result = kernel.lanes.library(double ? name : `${name}f`, [x], x.type);
      return [ftz ? flushed(kernel, result) : result];
    },
  f2i:
    ([, , to, mode, ftz]) =>
    (kernel, args) => {
      const x = ftz ? flushed(kernel, arg(args, 0)) : arg(args, 0);
      const [type, signed] = integers[to ?? ''] ?? ['i32', true];
      return [
        kernel.conversions.toInteger(w(kernel).intrinsic(x.type, roundings[mode ?? ''] ?? 'trunc', [x]), type, signed),
      ];
    },
  i2f:
    ([, from, to, mode]) =>
    (kernel, args) => {
      const signed = (integers[from ?? ''] ?? ['', true])[1];
      const type = to === 'd' ? 'double' : 'float';
      if (mode === 'rn') return [w(kernel).cast(signed ? 'sitofp' : 'uitofp', arg(args, 0), type)];
      return [fromWhole(kernel, arg(args, 0), signed, type, mode ?? '')];
    },
  d2f:
    ([, mode, ftz]) =>
    (kernel, args) => {
      const result =
        mode === 'rn'
          ? w(kernel).cast('fptrunc', arg(args, 0), 'float')
          : kernel.lanes.perLane(`fptrunc_${mode}_float`, args, 'float');
      return [ftz ? flushed(kernel, result) : result];
    },
  f2h:
    ([, to, mode, flag]) =>
    (kernel, args) => {
      const kind = to === 'h' ? 'half' : 'bfloat';
      const x = flag === '.relu' ? relu(kernel, arg(args, 0)) : arg(args, 0);
      return [
        mode === 'rn'
          ? kernel.conversions.fromFloat(x, kind)
          : kernel.lanes.perLane(`double_to_${kind}_rz`, [w(kernel).cast('fpext', x, 'double')], 'i16'),
      ];
    },
  ff2h2:
    ([, to, mode, flag]) =>
    (kernel, args) => {
      const kind = to === 'f16' ? 'half' : 'bfloat';
      const convert = (leaf: Leaf): Leaf => {
        const x = flag ? relu(kernel, leaf) : leaf;
        return mode === 'rn'
          ? kernel.conversions.fromFloat(x, kind)
          : kernel.lanes.perLane(`double_to_${kind}_rz`, [w(kernel).cast('fpext', x, 'double')], 'i16');
      };
      // The first operand is the upper half.
      return [convert(arg(args, 1)), convert(arg(args, 0))];
    },
  'to.float8':
    ([, from, to, flag]) =>
    (kernel, args) => {
      // The first float, and the second half, is the upper one.
      const pair = from === 'ff' ? args : args.toReversed().map((leaf) => kernel.conversions.toFloat(leaf, 'half'));
      const floats = flag ? pair.map((leaf) => relu(kernel, leaf)) : pair;
      return [kernel.lanes.perLane(`floats_to_${to}x2`, floats, 'i16')];
    },
  'from.float8':
    ([, from, flag]) =>
    (kernel, args) =>
      ['low', 'high'].map((part) => {
        const half = kernel.lanes.perLane(`${part}_${from}_to_half`, args, 'i16');
        if (!flag) return half;
        return kernel.conversions.fromFloat(relu(kernel, kernel.conversions.toFloat(half, 'half')), 'half');
      }),
  'bit.field':
    ([, op, sign, bits]) =>
    (kernel, args) => [kernel.lanes.perLane(`${op}_${op === 'bfi' ? 'u' : sign}${bits}`, args, `i${bits}`)],
  'leading.bit': ([, shift, sign, bits]) => lane(`bfind${shift ? '_shift' : ''}_${sign}${bits}`, 'i32'),
  sad:
    ([, type]) =>
    (kernel, args) => {
      const [a, b, c] = args as [Leaf, Leaf, Leaf];
      const less = w(kernel).compare(type?.startsWith('u') ? 'ult' : 'slt', a, b);
      return [
        w(kernel).binary(
          'add',
          w(kernel).select(less, w(kernel).binary('sub', b, a), w(kernel).binary('sub', a, b)),
          c,
        ),
      ];
    },
  overflow:
    ([, sign, op, bits]) =>
    (kernel, args) => {
      const type = `i${bits}`;
      const wide = op === 'mul' ? `i${Number(bits) * 2}` : `i${Number(bits) + (bits === '64' ? 64 : Number(bits))}`;
      const extend = sign === 's' ? 'sext' : 'zext';
      const [a, b] = args.map((leaf) => w(kernel).cast(extend, leaf, wide)) as [Leaf, Leaf];
      const whole = w(kernel).binary(op ?? '', a, b);
      const low = w(kernel).cast('trunc', whole, type);
      return [low, w(kernel).compare('ne', w(kernel).cast(extend, low, wide), whole)];
    },
  reduction:
    ([, op]) =>
    (kernel, args) => [
      args.reduce((a, b) => {
        if (op === 'fmin' || op === 'fmax') return kernel.arithmetic.minimum(op === 'fmin' ? 'olt' : 'ogt', a, b);
        return /min|max/.test(op ?? '')
          ? w(kernel).intrinsic(a.type, op ?? '', [a, b])
          : kernel.arithmetic.binary(op ?? '', a, b);
      }),
    ],
  hint: () => () => [],
  'constant.register':
    ([, name]) =>
    (kernel) => [w(kernel).constant('i32', name === 'gridid' ? 1 : 0)],
  'cluster.size':
    ([, name, axis]) =>
    (kernel) => [
      name === 'nclusterid'
        ? kernel.registers.special(`nctaid${'xyz'.indexOf(axis ?? 'x')}`)
        : w(kernel).constant('i32', 1),
    ],
};
