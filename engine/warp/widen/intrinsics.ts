/** libdevice, LLVM's generic intrinsics, votes and shuffles, written for a warp. Numeric intrinsics of NVPTX stand in nvvm.ts. */
import { both, each } from '../../ir/calls/called.ts';
import type { intrinsics as rows } from '../../ir/calls/intrinsics.ts';
import { arg, type Emissions, type Emit, numberOf } from './emit.ts';
import type { KernelContext } from './kernel/context.ts';
import { flushed } from './kernel/flushed.ts';
import type { Leaf } from './writer.ts';

const flushedFma = (kernel: KernelContext, args: Leaf[], type: string): Leaf =>
  kernel.arithmetic.flushing('fma', args, (...given) => kernel.arithmetic.fma(given as Leaf[], type));
const noLanes = (kernel: KernelContext): Leaf => kernel.writer.constant('i32', 0);
const narrowed = (kernel: KernelContext, leaf: Leaf): Leaf =>
  leaf.type === 'i64' ? kernel.writer.cast('trunc', leaf, 'i32') : leaf;
const highHalf =
  (extend: string, from: string, to: string): Emit =>
  (kernel, args) => {
    const w = kernel.writer;
    const wide = w.binary('mul', w.cast(extend, arg(args, 0), to), w.cast(extend, arg(args, 1), to));
    return [w.cast('trunc', w.binary('lshr', wide, w.constant(to, from.slice(1))), from)];
  };
const bitcast =
  (type: string): Emit =>
  (kernel, args) => [kernel.writer.cast('bitcast', arg(args, 0), type)];
const one = (kernel: KernelContext, type: string): Leaf => kernel.writer.constant(type, '1.0');
const classify =
  (build: (kernel: KernelContext, leaf: Leaf) => Leaf): Emit =>
  (kernel, args) => [kernel.writer.cast('zext', build(kernel, arg(args, 0)), 'i32')];
const infinity = (type: string): string => (type === 'float' || type === 'double' ? '0x7FF0000000000000' : '');
/** The intrinsic of the same name. */
const ownIntrinsic: Emit = (kernel, args, i) => [
  kernel.writer.intrinsic(arg(args, 0).type, i.callee.split('.')[1] ?? '', args),
];
const matchAll: Emit = (kernel, args) => kernel.warp.matchAll(arg(args, 1), arg(args, 0));
const matchAny: Emit = (kernel, args) => [kernel.warp.matchAny(arg(args, 1), arg(args, 0))];
/**
 * Groups of lanes with masks of their own vote side by side (tiles of a cooperative group): `members` is then a vector, and
 * so are lane bits limited to them.
 */
const vote =
  (build: (kernel: KernelContext, bits: Leaf, members: Leaf) => Leaf): Emit =>
  (kernel, args) => {
    const w = kernel.writer;
    kernel.warp.countMasks(arg(args, 0));
    const members = w.binary('and', arg(args, 0), w.uniform('i32', kernel.current.mask));
    return [build(kernel, w.binary('and', w.uniform('i32', w.bits(arg(args, 1))), members), members)];
  };
const shuffle: Emit = (kernel, args, { callee }) => {
  const mode = ['up', 'down', 'bfly', 'idx'].indexOf(callee.split('.')[4]!);
  kernel.warp.countMasks(arg(args, 0));
  const results = kernel.warp.shuffle(
    mode,
    arg(args, 1),
    arg(args, 2),
    arg(args, 3),
    numberOf(args[2]),
    numberOf(args[3]),
  );
  return callee.endsWith('p') ? results : results.slice(0, 1);
};

/** `library`: the function of floats without its `f`, and `double`, that of doubles. */
const libm =
  (library: string, double = library) =>
  (type: string): Emit =>
  (kernel, args) => [kernel.lanes.library(type === 'float' ? `${library}f` : double, args, type)];
const toWhole: Emit = (kernel, args, { callee }) => {
  const [, from, to, mode] = /^__nv_(float|double)2(u?int|u?ll)_(r[nzud])$/.exec(callee)!;
  const round = { rn: 'roundeven', rz: 'trunc', ru: 'ceil', rd: 'floor' }[mode!]!;
  const whole = kernel.writer.intrinsic(from!, round, args);
  return [kernel.conversions.toInteger(whole, to!.endsWith('ll') ? 'i64' : 'i32', !to!.startsWith('u'))];
};
const fromWhole: Emit = (kernel, args, { callee }) => [
  kernel.writer.cast(
    callee.startsWith('__nv_u') ? 'uitofp' : 'sitofp',
    arg(args, 0),
    callee.slice(5).split(/[2_]/)[1]!,
  ),
];
/** A result that is one value. */
const single =
  (build: (kernel: KernelContext, args: Leaf[], type: string) => Leaf) =>
  (type: string): Emit =>
  (kernel, args) => [build(kernel, args, type)];

export const intrinsics: Emissions<typeof rows> = {
  // ---- nothing to do ----
  'llvm.lifetime.start': () => [],
  'llvm.donothing': () => [],
  'llvm.nvvm.barrier.cta.arrive.aligned.count': (kernel, args) => kernel.barriers.arrive(arg(args, 0), arg(args, 1)),
  'llvm.nvvm.bar.warp.sync': (kernel, args) => {
    kernel.warp.countMasks(arg(args, 0));
    return [];
  },
  'llvm.nvvm.membar.cta': () => [],
  'llvm.nvvm.membar.gl': (kernel) => kernel.barriers.forgetL1(),
  'llvm.expect': (_, args) => [arg(args, 0)],

  // ---- special registers ----
  ...each('llvm.nvvm.read.ptx.sreg.', ['tid.x', 'tid.y', 'tid.z'], (_, i): Emit => (kernel) => [
    kernel.registers.special(`tid${i}`),
  ]),
  ...each('llvm.nvvm.read.ptx.sreg.', ['ctaid.x', 'ctaid.y', 'ctaid.z'], (_, i): Emit => (kernel) => [
    kernel.registers.special(`ctaid${i}`),
  ]),
  ...each('llvm.nvvm.read.ptx.sreg.', ['ntid.x', 'ntid.y', 'ntid.z'], (_, i): Emit => (kernel) => [
    kernel.registers.special(`ntid${i}`),
  ]),
  ...each('llvm.nvvm.read.ptx.sreg.', ['nctaid.x', 'nctaid.y', 'nctaid.z'], (_, i): Emit => (kernel) => [
    kernel.registers.special(`nctaid${i}`),
  ]),
  'llvm.nvvm.read.ptx.sreg.laneid': (kernel) => [kernel.registers.special('laneid')],
  'llvm.nvvm.read.ptx.sreg.warpid': (kernel) => [kernel.registers.special('warpid')],
  'llvm.nvvm.read.ptx.sreg.nwarpid': (kernel) => [kernel.registers.special('warps')],
  'llvm.nvvm.read.ptx.sreg.warpsize': (kernel) => [kernel.writer.constant('i32', 32)],
  'llvm.nvvm.read.ptx.sreg.smid': (kernel) => [kernel.registers.special('smid')],
  ...each('llvm.nvvm.read.ptx.sreg.lanemask.', ['eq', 'lt', 'le', 'gt', 'ge'], (op): Emit => (kernel) => [
    kernel.registers.laneMask(op),
  ]),
  'llvm.nvvm.read.ptx.sreg.clock': (kernel, _, i) => [kernel.registers.clock('i32', i)],
  'llvm.nvvm.read.ptx.sreg.clock64': (kernel, _, i) => [kernel.registers.clock('i64', i)],
  'llvm.nvvm.read.ptx.sreg.globaltimer': (kernel, _, i) => [kernel.registers.clock('i64', i, true)],

  // ---- votes, shuffles, matches ----
  'llvm.nvvm.activemask': (kernel) => [kernel.writer.uniform('i32', kernel.current.mask)],
  'llvm.nvvm.vote.ballot.sync': vote((_, bits) => bits),
  'llvm.nvvm.vote.any.sync': vote((kernel, bits) => kernel.writer.compare('ne', bits, noLanes(kernel))),
  'llvm.nvvm.vote.all.sync': vote((kernel, bits, members) => kernel.writer.compare('eq', bits, members)),
  'llvm.nvvm.vote.uni.sync': vote((kernel, bits, members) => {
    const w = kernel.writer;
    return kernel.arithmetic.binary('or', w.compare('eq', bits, members), w.compare('eq', bits, noLanes(kernel)));
  }),
  ...each(
    'llvm.nvvm.shfl.sync.',
    ['up.i32', 'up.f32', 'down.i32', 'down.f32', 'bfly.i32', 'bfly.f32', 'idx.i32', 'idx.f32'],
    () => shuffle,
  ),
  'llvm.nvvm.match.any.sync.i32': matchAny,
  'llvm.nvvm.match.any.sync.i64': matchAny,
  ...each(
    'llvm.nvvm.redux.sync.',
    ['add', 'umin', 'umax', 'min', 'max', 'and', 'or', 'xor'],
    (_, number): Emit =>
      (kernel, args) => {
        kernel.warp.countMasks(arg(args, 1));
        return [kernel.warp.reduce(number, arg(args, 0), arg(args, 1))];
      },
  ),
  'llvm.nvvm.match.all.sync.i32p': matchAll,
  'llvm.nvvm.match.all.sync.i64p': matchAll,
  'llvm.nvvm.nanosleep': (kernel, args) => kernel.registers.sleep(arg(args, 0)),
  ...each('llvm.nvvm.isspacep.', ['shared', 'global', 'local', 'const'], (space): Emit => (kernel, args) => [
    kernel.access.isInSpace(arg(args, 0), space),
  ]),

  // ---- barriers with a sum (ir/prepare.ts makes these calls) ----
  ...each(
    'simsight.barrier.add.',
    ['popc', 'and', 'or'],
    (kind): Emit =>
      (kernel, args) =>
        kernel.barriers.add(kind, arg(args, 0)),
  ),
  ...each('simsight.barrier.sum.', ['popc', 'and', 'or'], (kind): Emit => (kernel, _, i) => [
    kernel.barriers.sum(kind, i.type),
  ]),

  // ---- the stack ----
  'llvm.stacksave': (kernel) => kernel.locals.stackMark(null),
  'llvm.stackrestore': (kernel, args) => kernel.locals.stackMark(arg(args, 0)),
  'simsight.memmove': (kernel, args, i) => kernel.stores.copyBytes('copy_lanes', args, i),
  'simsight.memset': (kernel, args, i) => kernel.stores.copyBytes('set_lanes', args, i),

  // ---- traps ----
  'llvm.trap': (kernel, args, instruction) => kernel.faults.trap(instruction, args),

  // ---- integers ----
  'llvm.umin': (kernel, args, i) => [kernel.writer.intrinsic(arg(args, 0).type, i.callee.split('.')[1] ?? '', args)],
  __nv_min: (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'smin', args)],
  __nv_max: (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'smax', args)],
  __nv_umin: (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'umin', args)],
  __nv_umax: (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'umax', args)],
  'llvm.abs': (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'abs', [arg(args, 0)], ['i1 false'])],
  'llvm.ctpop': (kernel, args, i) => [kernel.writer.intrinsic(arg(args, 0).type, i.callee.split('.')[1] ?? '', args)],
  'llvm.ctlz': (kernel, args, i) => [
    kernel.writer.intrinsic(arg(args, 0).type, i.callee.split('.')[1] ?? '', [arg(args, 0)], ['i1 false']),
  ],
  'llvm.fshl': (kernel, args, i) => [kernel.writer.intrinsic(arg(args, 0).type, i.callee.split('.')[1] ?? '', args)],
  ...each(
    'llvm.',
    ['uadd', 'usub', 'sadd', 'ssub'],
    (op): Emit =>
      (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, `${op}.sat`, args)],
    '.sat',
  ),
  __nv_popc: (kernel, args) => [narrowed(kernel, kernel.writer.intrinsic(arg(args, 0).type, 'ctpop', args))],
  __nv_clz: (kernel, args) => [
    narrowed(kernel, kernel.writer.intrinsic(arg(args, 0).type, 'ctlz', args, ['i1 false'])),
  ],
  __nv_ffs: (kernel, args) => {
    const w = kernel.writer;
    const a = arg(args, 0);
    const position = w.binary(
      'add',
      narrowed(kernel, w.intrinsic(a.type, 'cttz', args, ['i1 false'])),
      w.constant('i32', 1),
    );
    return [w.select(w.compare('eq', a, w.constant(a.type, 0)), w.constant('i32', 0), position)];
  },
  __nv_brev: (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'bitreverse', args)],
  __nv_mulhi: highHalf('sext', 'i32', 'i64'),
  __nv_umulhi: highHalf('zext', 'i32', 'i64'),
  __nv_mul64hi: highHalf('sext', 'i64', 'i128'),
  __nv_umul64hi: highHalf('zext', 'i64', 'i128'),
  __nv_mul24: (kernel, args, i) => {
    const w = kernel.writer;
    const shift = i.callee === '__nv_mul24' ? 'ashr' : 'lshr';
    const low = args.map((leaf) => w.binary(shift, w.binary('shl', leaf, w.constant('i32', 8)), w.constant('i32', 8)));
    return [w.binary('mul', arg(low, 0), arg(low, 1))];
  },
  __nv_sad: (kernel, args, i) => {
    const w = kernel.writer;
    const less = w.compare(i.callee === '__nv_sad' ? 'slt' : 'ult', arg(args, 0), arg(args, 1));
    const distance = w.select(
      less,
      w.binary('sub', arg(args, 1), arg(args, 0)),
      w.binary('sub', arg(args, 0), arg(args, 1)),
    );
    return [w.binary('add', distance, arg(args, 2))];
  },
  'llvm.nvvm.prmt': (kernel, args) => [kernel.lanes.perLane('byte_permute', args, 'i32')],
  // The function leaves out the selectors' highest bits, with which PRMT spreads a byte's sign.
  __nv_byte_perm: (kernel, args) => {
    const w = kernel.writer;
    const selector = w.binary('and', arg(args, 2), w.constant('i32', 0x7777));
    return [kernel.lanes.perLane('byte_permute', [arg(args, 0), arg(args, 1), selector], 'i32')];
  },

  // ---- conversions ----
  __nv_float_as_int: bitcast('i32'),
  __nv_int_as_float: bitcast('float'),
  __nv_double_as_longlong: bitcast('i64'),
  __nv_longlong_as_double: bitcast('double'),
  __nv_double2hiint: (kernel, args) => {
    const w = kernel.writer;
    return [w.cast('trunc', w.binary('lshr', w.cast('bitcast', arg(args, 0), 'i64'), w.constant('i64', 32)), 'i32')];
  },
  __nv_double2loint: (kernel, args) => [
    kernel.writer.cast('trunc', kernel.writer.cast('bitcast', arg(args, 0), 'i64'), 'i32'),
  ],
  __nv_hiloint2double: (kernel, args) => {
    const w = kernel.writer;
    const high = w.binary('shl', w.cast('zext', arg(args, 0), 'i64'), w.constant('i64', 32));
    return [w.cast('bitcast', w.binary('or', high, w.cast('zext', arg(args, 1), 'i64')), 'double')];
  },
  ...each(
    '__nv_',
    ['float2int', 'float2uint', 'float2ll', 'float2ull', 'double2int', 'double2uint', 'double2ll', 'double2ull'],
    () => toWhole,
    '_rn',
  ),
  ...each(
    '__nv_',
    ['int2float', 'uint2float', 'll2float', 'ull2float', 'int2double', 'uint2double', 'll2double', 'ull2double'],
    () => fromWhole,
    '_rn',
  ),
  __nv_double2float_rn: (kernel, args) => [kernel.writer.cast('fptrunc', arg(args, 0), 'float')],

  // ---- floating point that WebAssembly has ----
  ...both(['fabs', 'floor', 'ceil', 'trunc'], (type, name): Emit => (kernel, args) => [
    kernel.writer.intrinsic(type, name, args),
  ]),
  ...both(
    ['rint', 'nearbyint'],
    single((kernel, args, type) => kernel.writer.intrinsic(type, 'roundeven', args)),
  ),
  ...both(
    ['copysign'],
    single((kernel, args, type) => kernel.writer.intrinsic(type, 'copysign', args)),
  ),
  ...both(
    ['sqrt'],
    single((kernel, args, type) => kernel.writer.intrinsic(type, 'sqrt', args)),
  ),
  ...both(
    ['fma'],
    single((kernel, args, type) => flushedFma(kernel, args, type)),
  ),
  ...both(
    ['fmin'],
    single((kernel, args) => kernel.arithmetic.minimum('olt', arg(args, 0), arg(args, 1))),
  ),
  ...both(
    ['fmax'],
    single((kernel, args) => kernel.arithmetic.minimum('ogt', arg(args, 0), arg(args, 1))),
  ),
  ...both(
    ['rsqrt'],
    single((kernel, args, type) => {
      const w = kernel.writer;
      return w.binary('fdiv', w.constant(type, '1.0'), w.intrinsic(type, 'sqrt', args));
    }),
  ),
  __nv_frcp_rn: (kernel, args) => [kernel.writer.binary('fdiv', one(kernel, arg(args, 0).type), arg(args, 0))],
  'llvm.nvvm.rcp.approx.ftz.f': (kernel, args) => [
    flushed(kernel, kernel.writer.binary('fdiv', one(kernel, 'float'), flushed(kernel, arg(args, 0)))),
  ],
  ...each(
    '__nv_f',
    ['add', 'sub', 'mul', 'div'],
    (op): Emit =>
      (kernel, args) => [kernel.writer.binary(`f${op}`, arg(args, 0), arg(args, 1))],
    '_rn',
  ),
  ...each(
    '__nv_d',
    ['add', 'sub', 'mul', 'div'],
    (op): Emit =>
      (kernel, args) => [kernel.writer.binary(`f${op}`, arg(args, 0), arg(args, 1))],
    '_rn',
  ),
  // MUFU.RCP yields no subnormal numbers: what is divided by more than 2^126 is multiplied by zero.
  __nv_fast_fdividef: (kernel, args) => {
    const w = kernel.writer;
    const [x, y] = [arg(args, 0), arg(args, 1)];
    const isLarge = w.compare('ogt', w.intrinsic('float', 'fabs', [y]), w.constant('float', '0x47D0000000000000'));
    const nothing = w.binary('fmul', x, w.intrinsic('float', 'copysign', [w.constant('float', '0.0'), y]));
    return [w.select(isLarge, nothing, w.binary('fdiv', x, y))];
  },
  __nv_fsqrt_rn: (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'sqrt', args)],
  // Rounded once, but for the last bits of a double.
  __nv_frsqrt_rn: (kernel, args) => {
    const w = kernel.writer;
    const root = w.intrinsic('double', 'sqrt', [w.cast('fpext', arg(args, 0), 'double')]);
    return [w.cast('fptrunc', w.binary('fdiv', w.constant('double', '1.0'), root), 'float')];
  },
  __nv_fmaf_rn: (kernel, args) => [flushedFma(kernel, args, 'float')],
  __nv_fma_rn: (kernel, args) => [kernel.arithmetic.fma(args, 'double')],
  'llvm.fma': (kernel, args) => [flushedFma(kernel, args, arg(args, 0).type)],
  'llvm.fabs': ownIntrinsic,
  'llvm.floor': ownIntrinsic,
  'llvm.rint': (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'roundeven', args)],
  'llvm.sqrt': (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'sqrt', args)],
  'llvm.minnum': (kernel, args) => [kernel.arithmetic.minimum('olt', arg(args, 0), arg(args, 1))],
  'llvm.maxnum': (kernel, args) => [kernel.arithmetic.minimum('ogt', arg(args, 0), arg(args, 1))],
  ...each('llvm.', ['minimum', 'maximum'], (name): Emit => (kernel, args) => {
    const [a, b] = [arg(args, 0), arg(args, 1)];
    const nan = kernel.writer.constant(a.type, '0x7FF8000000000000');
    const isNan = kernel.writer.compare('uno', a, b);
    return [kernel.writer.select(isNan, nan, kernel.arithmetic.minimum(name === 'minimum' ? 'olt' : 'ogt', a, b))];
  }),
  __nv_saturatef: (kernel, args) => {
    const w = kernel.writer;
    return [
      kernel.arithmetic.minimum(
        'olt',
        kernel.arithmetic.minimum('ogt', arg(args, 0), w.constant('float', '0.0')),
        w.constant('float', '1.0'),
      ),
    ];
  },
  ...both(
    ['fdim'],
    single((kernel, args, type) => {
      const w = kernel.writer;
      return w.select(
        w.compare('ole', arg(args, 0), arg(args, 1)),
        w.constant(type, '0.0'),
        w.binary('fsub', arg(args, 0), arg(args, 1)),
      );
    }),
  ),
  __nv_isnanf: classify((kernel, x) => kernel.writer.compare('uno', x, x)),
  __nv_isinff: classify((kernel, x) =>
    kernel.writer.compare(
      'oeq',
      kernel.writer.intrinsic(x.type, 'fabs', [x]),
      kernel.writer.constant(x.type, infinity(x.type)),
    ),
  ),
  __nv_finitef: classify((kernel, x) =>
    kernel.writer.compare(
      'olt',
      kernel.writer.intrinsic(x.type, 'fabs', [x]),
      kernel.writer.constant(x.type, infinity(x.type)),
    ),
  ),
  __nv_signbitf: classify((kernel, x) => {
    const type = x.type === 'float' ? 'i32' : 'i64';
    return kernel.writer.compare('slt', kernel.writer.cast('bitcast', x, type), kernel.writer.constant(type, 0));
  }),

  // ---- libm, lane by lane (musl: float functions compute in double where it matters) ----
  ...both(
    [
      ...(['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'asinh', 'atanh'] as const),
      ...([
        'cbrt',
        'log1p',
        'expm1',
        'erf',
        'erfc',
        'tgamma',
        'lgamma',
        'exp',
        'exp2',
        'log',
        'log2',
        'log10',
      ] as const),
      ...(['pow', 'fmod', 'atan2', 'hypot', 'remainder', 'round'] as const),
    ],
    (type, name) => libm(name)(type),
  ),
  // musl's is a number far below 1.
  ...both(
    ['acosh'],
    single((kernel, args, type) => {
      const w = kernel.writer;
      const isOutside = w.compare('olt', arg(args, 0), w.constant(type, '1.0'));
      const nan = w.constant(type, '0x7FF8000000000000');
      return w.select(isOutside, nan, kernel.lanes.library(type === 'float' ? 'acoshf' : 'acosh', args, type));
    }),
  ),
  // musl's is 2 ulp off, CUDA's 1.
  ...both(['tanh'], libm('tanh', 'tanh_exact')),
  ...both(
    ['exp10'],
    single((kernel, args, type) =>
      kernel.lanes.library(
        type === 'float' ? 'powf' : 'pow',
        [kernel.writer.constant(type, '10.0'), arg(args, 0)],
        type,
      ),
    ),
  ),
  ...each(
    '__nv_fast_',
    ['sin', 'cos', 'tan', 'exp', 'log', 'log2', 'log10', 'pow'],
    (name): Emit =>
      (kernel, args) => [kernel.lanes.library(`${name}f`, args, 'float')],
    'f',
  ),
  ...each(
    'llvm.',
    ['sin', 'cos', 'exp', 'exp2', 'log', 'log2', 'log10', 'pow', 'round', 'tan'],
    (name): Emit =>
      (kernel, args) => [
        kernel.lanes.library(arg(args, 0).type === 'float' ? `${name}f` : name, args, arg(args, 0).type),
      ],
  ),
  ...both(
    ['sincos'],
    (type): Emit =>
      (kernel, args) =>
        ['sin', 'cos'].map((name) => kernel.lanes.library(type === 'float' ? `${name}f` : name, [arg(args, 0)], type)),
    '__simsight_',
  ),
};
