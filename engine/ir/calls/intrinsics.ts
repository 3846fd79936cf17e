/** LLVM's generic intrinsics, special registers, votes and shuffles, and libdevice. Numeric intrinsics of NVPTX stand in nvvm.ts. */
import { i32, voidType } from '../ir.ts';
import { both, each, type Row } from './called.ts';

const int1 = { int: 1 };
const clock = {
  uniformity: 'uniform',
  cost: int1,
  machine: { code: [{ opcode: 'CS2R.CLOCK' }], stays: true },
} as const satisfies Row;
/** Nanoseconds of `__nanosleep`, where the program computes them: traces do not say how many. */
const usualSleep = 100;
const match = { cost: { vote: 1 }, mask: { operand: 0, turns: 'MATCH' } } as const;
const sreg = 'llvm.nvvm.read.ptx.sreg.';
const axes = ['x', 'y', 'z'] as const;

type Type = 'float' | 'double';
const fp = (type: Type): Row => ({ cost: type === 'double' ? { fp64: 1 } : { fp32: 1 } });
/** Costs are instruction counts of CUDA's own device library for common arguments, coarse. */
const libm =
  (cost: { fp32: number; special?: number; int?: number; conversion?: number }) =>
  (type: Type): Row => ({ cost: type === 'double' ? { fp64: cost.fp32 * 3, int: cost.int ?? 0 } : cost });

export const intrinsics = {
  // ---- nothing to do ----
  'llvm.lifetime.start': {
    also: 'llvm.lifetime.end llvm.assume llvm.experimental.noalias.scope.decl llvm.invariant.start llvm.invariant.end llvm.prefetch',
    vanishes: true,
  },
  'llvm.donothing': {},
  'llvm.expect': { machine: { isOperand: true } },

  // ---- barriers and fences ----
  'llvm.nvvm.barrier.cta.arrive.aligned.count': {
    also: 'llvm.nvvm.barrier.cta.arrive.count',
    cost: { barrier: 1 },
    machine: { code: [{ opcode: 'BAR.ARV' }], reads: true },
  },
  'llvm.nvvm.bar.warp.sync': {
    also: 'llvm.nvvm.barrier.warp.sync',
    cost: { barrier: 1 },
    opcodes: { barrier: 'WARPSYNC' },
    mask: { operand: 0, turns: null },
  },
  'llvm.nvvm.membar.cta': { cost: { barrier: 1 }, machine: { code: [{ opcode: 'MEMBAR.CTA' }] } },
  // H200 reference, SASS of line_lat.
  'llvm.nvvm.membar.gl': {
    also: 'llvm.nvvm.membar.sys',
    cost: { barrier: 2 },
    machine: { code: [{ opcode: 'MEMBAR' }, { opcode: 'CCTL.IVALL' }] },
  },

  // ---- special registers ----
  ...each(`${sreg}tid.`, axes, (): Row => ({ uniformity: 'divergent', cost: int1, machine: { fetched: 'S2R' } })),
  ...each(`${sreg}ctaid.`, axes, (): Row => ({ cost: int1, machine: { fetched: 'S2R' } })),
  // Block and grid dimensions are operands in constant memory.
  ...each(`${sreg}ntid.`, axes, (): Row => ({ machine: { fetched: 'ULDC' } })),
  ...each(`${sreg}nctaid.`, axes, (): Row => ({ machine: { fetched: 'ULDC' } })),
  'llvm.nvvm.read.ptx.sreg.laneid': { uniformity: 'divergent', cost: int1, machine: { fetched: 'S2R' } },
  'llvm.nvvm.read.ptx.sreg.warpid': { cost: int1 },
  'llvm.nvvm.read.ptx.sreg.nwarpid': { cost: int1 },
  'llvm.nvvm.read.ptx.sreg.warpsize': {},
  'llvm.nvvm.read.ptx.sreg.smid': { cost: int1 },
  ...each(`${sreg}lanemask.`, ['eq', 'lt', 'le', 'gt', 'ge'], (): Row => ({ uniformity: 'divergent', cost: int1 })),
  'llvm.nvvm.read.ptx.sreg.clock': { ...clock, also: 'llvm.nvvm.read.ptx.sreg.clock.hi' },
  'llvm.nvvm.read.ptx.sreg.clock64': { ...clock, also: 'llvm.readcyclecounter' },
  'llvm.nvvm.read.ptx.sreg.globaltimer': clock,

  // ---- votes, shuffles, matches ----
  'llvm.nvvm.activemask': {
    uniformity: 'uniform',
    cost: { vote: 1 },
    opcodes: { vote: 'VOTE' },
    ptx: { opcodes: 'activemask', result: i32, operands: [] },
  },
  ...each(
    'llvm.nvvm.vote.',
    ['ballot', 'any', 'all', 'uni'],
    (): Row => ({
      uniformity: 'operand 0',
      cost: { vote: 1 },
      opcodes: { vote: 'VOTE' },
      mask: { operand: 0, turns: 'VOTE' },
    }),
    '.sync',
  ),
  ...each(
    'llvm.nvvm.shfl.sync.',
    ['up.i32', 'up.f32', 'down.i32', 'down.f32', 'bfly.i32', 'bfly.f32', 'idx.i32', 'idx.f32'],
    (name): Row => ({
      also: `llvm.nvvm.shfl.sync.${name}p`,
      uniformity: 'divergent',
      cost: { shuffle: 1 },
      opcodes: { shuffle: 'SHFL' },
      mask: { operand: 0, turns: null },
    }),
  ),
  'llvm.nvvm.match.any.sync.i32': { ...match, uniformity: 'divergent', opcodes: { vote: 'MATCH.ANY' } },
  'llvm.nvvm.match.any.sync.i64': { ...match, uniformity: 'divergent', opcodes: { vote: 'MATCH.ANY.U64' } },
  'llvm.nvvm.match.all.sync.i32p': { ...match, uniformity: 'operand 0', opcodes: { vote: 'MATCH.ALL' } },
  'llvm.nvvm.match.all.sync.i64p': { ...match, uniformity: 'operand 0', opcodes: { vote: 'MATCH.ALL.U64' } },
  // It leaves its result in a uniform register.
  ...each('llvm.nvvm.redux.sync.', ['add', 'umin', 'umax', 'min', 'max', 'and', 'or', 'xor'], (): Row => ({
    uniformity: 'operand 1',
    cost: { vote: 1, int: 1 },
    opcodes: { vote: 'REDUX', int: 'MOV' },
    mask: { operand: 1, turns: 'MATCH' },
  })),
  'llvm.nvvm.nanosleep': {
    cost: int1,
    machine: { code: [{ opcode: 'NANOSLEEP', count: usualSleep }], reads: true },
    ptx: { opcodes: 'nanosleep', result: voidType, operands: [i32] },
  },
  ...each('llvm.nvvm.isspacep.', ['shared', 'global', 'local', 'const'], (): Row => ({ cost: { int: 2 } })),

  // ---- barriers with a sum (ir/prepare.ts makes these calls) ----
  ...each('simsight.barrier.add.', ['popc', 'and', 'or'], (): Row => ({})),
  ...each('simsight.barrier.sum.', ['popc', 'and', 'or'], (): Row => ({ uniformity: 'uniform' })),

  // ---- the stack ----
  'llvm.stacksave': { uniformity: 'divergent' },
  'llvm.stackrestore': {},
  'simsight.memmove': { cost: { 'load-global': 1, 'store-global': 1, int: 4, branch: 1 } },
  'simsight.memset': { cost: { 'store-global': 1, int: 3, branch: 1 } },

  // ---- traps ----
  'llvm.trap': {
    also: 'llvm.debugtrap llvm.ubsantrap __assertfail',
    cost: { branch: 1 },
    ptx: { opcodes: 'trap brkpt', result: voidType, operands: [] },
  },

  // ---- integers ----
  'llvm.umin': { also: 'llvm.umax llvm.smin llvm.smax', cost: int1 },
  __nv_min: { also: '__nv_llmin', cost: int1 },
  __nv_max: { also: '__nv_llmax', cost: int1 },
  __nv_umin: { also: '__nv_ullmin', cost: int1 },
  __nv_umax: { also: '__nv_ullmax', cost: int1 },
  'llvm.abs': { also: '__nv_abs __nv_llabs', cost: int1 },
  'llvm.ctpop': { also: 'llvm.bitreverse llvm.bswap', cost: int1 },
  'llvm.ctlz': { also: 'llvm.cttz', cost: int1 },
  'llvm.fshl': { also: 'llvm.fshr', cost: int1 },
  ...each('llvm.', ['uadd', 'usub', 'sadd', 'ssub'], (): Row => ({ cost: { int: 2 } }), '.sat'),
  __nv_popc: { also: '__nv_popcll', cost: int1 },
  __nv_clz: { also: '__nv_clzll', cost: int1 },
  __nv_ffs: { also: '__nv_ffsll', cost: { int: 2 } },
  __nv_brev: { also: '__nv_brevll', cost: int1 },
  __nv_mulhi: { also: 'llvm.nvvm.mulhi.i', cost: { imad: 1 } },
  __nv_umulhi: { also: 'llvm.nvvm.mulhi.ui', cost: { imad: 1 } },
  __nv_mul64hi: { also: 'llvm.nvvm.mulhi.ll', cost: { imad: 4 } },
  __nv_umul64hi: { also: 'llvm.nvvm.mulhi.ull', cost: { imad: 4 } },
  __nv_mul24: { also: '__nv_umul24', cost: { imad: 1 } },
  __nv_sad: { also: '__nv_usad', cost: { int: 2 } },
  'llvm.nvvm.prmt': { cost: int1 },
  __nv_byte_perm: { cost: { int: 2 } },

  // ---- conversions ----
  __nv_float_as_int: { also: '__nv_float_as_uint' },
  __nv_int_as_float: { also: '__nv_uint_as_float' },
  __nv_double_as_longlong: {},
  __nv_longlong_as_double: {},
  __nv_double2hiint: {},
  __nv_double2loint: {},
  __nv_hiloint2double: {},
  ...each(
    '__nv_',
    ['float2int', 'float2uint', 'float2ll', 'float2ull', 'double2int', 'double2uint', 'double2ll', 'double2ull'],
    (name): Row => ({
      also: ['rz', 'ru', 'rd'].map((mode) => `__nv_${name}_${mode}`).join(' '),
      cost: { conversion: 1 },
    }),
    '_rn',
  ),
  ...each(
    '__nv_',
    ['int2float', 'uint2float', 'll2float', 'ull2float', 'int2double', 'uint2double', 'll2double', 'ull2double'],
    (): Row => ({ cost: { conversion: 1 } }),
    '_rn',
  ),
  __nv_double2float_rn: { cost: { conversion: 1 } },

  // ---- floating point that WebAssembly has ----
  ...both(['fabs', 'floor', 'ceil', 'trunc', 'rint', 'nearbyint', 'fma', 'fmin', 'fmax'], fp),
  ...both(['copysign'], (): Row => ({ cost: int1 })),
  ...both(['sqrt'], (type): Row => ({ cost: type === 'double' ? { fp64: 8, special: 1 } : { special: 1, fp32: 5 } })),
  ...both(['rsqrt'], (type): Row => ({ cost: type === 'double' ? { fp64: 6, special: 1 } : { special: 1, fp32: 2 } })),
  __nv_frcp_rn: { also: '__nv_drcp_rn llvm.nvvm.rcp.rn.f llvm.nvvm.rcp.approx.f', cost: { special: 1, fp32: 2 } },
  'llvm.nvvm.rcp.approx.ftz.f': { cost: { special: 1, fp32: 2 } },
  ...each('__nv_f', ['add', 'sub', 'mul'], (): Row => ({ cost: { fp32: 1 } }), '_rn'),
  ...each('__nv_d', ['add', 'sub', 'mul'], (): Row => ({ cost: { fp64: 1 } }), '_rn'),
  __nv_fdiv_rn: { cost: { special: 1, fp32: 8 } },
  __nv_ddiv_rn: { cost: { special: 1, fp64: 8 } },
  __nv_fast_fdividef: { cost: { special: 1, fp32: 1 } },
  __nv_fsqrt_rn: { also: '__nv_dsqrt_rn llvm.nvvm.sqrt.approx.f llvm.nvvm.sqrt.rn.f', cost: { special: 1, fp32: 5 } },
  __nv_frsqrt_rn: { cost: { special: 1 } },
  __nv_fmaf_rn: { cost: { fp32: 1 } },
  __nv_fma_rn: { cost: { fp64: 1 } },
  'llvm.fma': { also: 'llvm.fmuladd', cost: { fp32: 1 } },
  'llvm.fabs': { cost: { fp32: 1 }, machine: { isOperand: true } },
  'llvm.floor': { also: 'llvm.ceil llvm.trunc llvm.copysign', cost: { fp32: 1 } },
  'llvm.rint': { also: 'llvm.nearbyint llvm.roundeven', cost: { fp32: 1 } },
  'llvm.sqrt': { cost: { special: 1, fp32: 5 } },
  'llvm.minnum': { also: 'llvm.minimumnum', cost: { fp32: 1 } },
  'llvm.maxnum': { also: 'llvm.maximumnum', cost: { fp32: 1 } },
  'llvm.minimum': { cost: { fp32: 1 } },
  'llvm.maximum': { cost: { fp32: 1 } },
  __nv_saturatef: { also: 'llvm.nvvm.saturate.f', cost: { fp32: 1 } },
  ...both(['fdim'], (type): Row => ({ cost: type === 'double' ? { fp64: 2 } : { fp32: 2 } })),
  __nv_isnanf: { also: '__nv_isnand', cost: { fp32: 1 } },
  __nv_isinff: { also: '__nv_isinfd', cost: { fp32: 1 } },
  __nv_finitef: { also: '__nv_isfinited', cost: { fp32: 1 } },
  __nv_signbitf: { also: '__nv_signbitd', cost: int1 },

  // ---- libm ----
  ...both(['sin', 'cos', 'tan'], libm({ fp32: 12, int: 4, conversion: 2 })),
  ...both(
    [
      'asin',
      'acos',
      'atan',
      'sinh',
      'cosh',
      'asinh',
      'acosh',
      'atanh',
      'cbrt',
      'log1p',
      'expm1',
      'erf',
      'erfc',
      'tanh',
    ],
    libm({ fp32: 14, special: 1, int: 2 }),
  ),
  ...both(['tgamma', 'lgamma'], libm({ fp32: 40, special: 2, int: 8 })),
  ...both(['exp', 'exp2', 'log', 'log2', 'log10'], libm({ fp32: 6, special: 1, int: 1 })),
  ...both(['pow', 'fmod', 'atan2', 'hypot', 'remainder'], libm({ fp32: 20, special: 2, int: 6 })),
  ...both(['round'], libm({ fp32: 3, int: 1 })),
  ...both(['exp10'], (): Row => ({ cost: { fp32: 6, special: 1, int: 1 } })),
  ...each(
    '__nv_fast_',
    ['sin', 'cos', 'tan', 'exp', 'log', 'log2', 'log10', 'pow'],
    (name): Row => ({ cost: { special: name === 'pow' ? 2 : 1, fp32: 1 } }),
    'f',
  ),
  ...each('llvm.', ['sin', 'cos', 'exp', 'exp2', 'log', 'log2', 'log10', 'pow', 'round', 'tan'], (): Row => ({
    cost: { fp32: 8, special: 1 },
  })),
  ...both(['sincos'], (): Row => ({ cost: { fp32: 20, int: 4, conversion: 2 } }), '__simsight_'),
} satisfies Record<string, Row>;
