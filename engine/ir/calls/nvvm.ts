/** Numeric intrinsics of NVPTX, and those that inline PTX is translated to (`simsight.*`). */
import { type Called, each, type Family, family, type Row } from './called.ts';

type Type = 'float' | 'double';
const fp = (type: Type): Row => ({ cost: type === 'double' ? { fp64: 1 } : { fp32: 1 } });
const int = (amount: number) => ({ cost: { int: amount } });
const conversion = { cost: { conversion: 1 } } as const;

// ---- arithmetic with a rounding mode ----
export const roundingModes: Record<string, string> = { rz: 'rz', rm: 'rm', rp: 'rp', rd: 'rm', ru: 'rp' };
const expanded: Record<string, (type: Type) => Row> = {
  div: (type) => ({
    cost: type === 'double' ? { special: 1, fp64: 9, branch: 1 } : { special: 1, fp32: 8, branch: 1 },
  }),
  sqrt: (type) => ({ cost: type === 'double' ? { special: 1, fp64: 8 } : { special: 1, fp32: 5 } }),
  rcp: (type) => ({ cost: type === 'double' ? { special: 1, fp64: 6 } : { special: 1, fp32: 4 } }),
};
const arithmetic = (op: string, type: Type): Row => (expanded[op] ?? fp)(type);

interface Arithmetic {
  op: string;
  /** One of {@link roundingModes}, or to nearest. */
  mode: string;
  /** `.ftz`, `.sat`, `.relu`, `.oob`. */
  flags: string;
  type: Type;
  /** Halves and bfloats. */
  isNarrow: boolean;
}
const arithmeticFamily: Family<Arithmetic> = {
  pattern:
    /^(?:llvm\.nvvm|simsight)\.(add|sub|mul|div|fma|sqrt|rcp)\.(rn|rz|rm|rp|approx|full)((?:\.(?:ftz|sat|relu|oob))*)\.(f|d|v?\d*b?f\d+(?:x2)?)$/,
  parts: ([, op = '', mode = '', flags = '', suffix = '']) => {
    const isNarrow = /16/.test(suffix);
    if (isNarrow && roundingModes[mode] !== undefined) return undefined;
    return { op, mode, flags, type: /^d$|64/.test(suffix) ? 'double' : 'float', isNarrow };
  },
  describe: ({ op, mode, type, isNarrow }): Called => {
    if (isNarrow) return { cost: { fp16: 1 }, narrow: op === 'fma' };
    const isApproximate = (mode === 'approx' || mode === 'full') && op !== 'fma';
    return isApproximate ? { cost: { special: 1, fp32: op === 'div' ? 1 : 0 } } : arithmetic(op, type);
  },
};

interface Truncation {
  rounding: string;
  to: string;
}
const truncation: Family<Truncation> = {
  pattern: /^simsight\.fptrunc\.(rz|rm|rp|ru|rd|rna)\.(f32|f16|bf16)\.f(32|64)$/,
  parts: ([, mode = '', to = '']) => {
    const rounding = roundingModes[mode];
    return rounding === undefined ? undefined : { rounding, to };
  },
  describe: () => ({ ...conversion, narrow: true }),
};

const operations = ['add', 'sub', 'mul', 'div', 'sqrt', 'rcp'] as const;
const directed = ['rz', 'ru', 'rd'] as const;
const directedOf = (name: string): string => `__nv_${name}_ru __nv_${name}_rd`;

export const nvvm = {
  // ---- libdevice's names of arithmetic with a rounding mode ----
  ...each('__nv_f', operations, (op): Row => ({ ...arithmetic(op, 'float'), also: directedOf(`f${op}`) }), '_rz'),
  ...each('__nv_d', operations, (op): Row => ({ ...arithmetic(op, 'double'), also: directedOf(`d${op}`) }), '_rz'),
  ...each('__nv_fmaf_', directed, () => fp('float')),
  ...each('__nv_fma_', directed, () => fp('double')),
  ...each('__nv_double2float_', directed, (): Row => conversion),
  ...each(
    '__nv_',
    ['int2float', 'uint2float', 'll2float', 'ull2float', 'int2double', 'uint2double', 'll2double', 'ull2double'],
    (name): Row => ({ ...conversion, also: directedOf(name) }),
    '_rz',
  ),

  'simsight.tf32.rna': { ...conversion, also: 'llvm.nvvm.f2tf32.rna' },
  'simsight.tf32.rn': { ...conversion, also: 'llvm.nvvm.f2tf32.rn' },
  'simsight.tf32.rz': { ...conversion, also: 'llvm.nvvm.f2tf32.rz' },
  // A modifier of the instructions beside it.
  'simsight.ftz': {},
  'simsight.saturate': { cost: { fp32: 1 } },
  'simsight.relu': { cost: { fp32: 1 } },

  // ---- conversions ----
  'llvm.nvvm.bitcast.f2i': {},
  'llvm.nvvm.bitcast.i2f': {},
  'llvm.nvvm.bitcast.d2ll': {},
  'llvm.nvvm.bitcast.ll2d': {},
  'llvm.nvvm.d2i.lo': {},
  'llvm.nvvm.d2i.hi': {},
  'llvm.nvvm.lohi.i2d': {},
  'llvm.convert.to.fp16': conversion,
  'llvm.convert.from.fp16': conversion,

  // ---- integers ----
  ...each('simsight.prmt.', ['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'], (mode): Row => ({
    ...int(1),
    also: `llvm.nvvm.prmt.${mode}`,
  })),
  'llvm.nvvm.fns': int(8),
  ...each('simsight.bmsk.', ['clamp', 'wrap'], (mode): Row => ({ ...int(2), also: `llvm.nvvm.bmsk.${mode}` })),
  ...each('simsight.szext.', ['clamp', 'wrap'], (mode): Row => ({ ...int(2), also: `llvm.nvvm.sext.${mode}` }), '.s32'),
  ...each('simsight.szext.', ['clamp', 'wrap'], (mode): Row => ({ ...int(2), also: `llvm.nvvm.zext.${mode}` }), '.u32'),
  'simsight.lop3': int(1),
  ...each('simsight.dp4a.', ['uu', 'su', 'us', 'ss'], ([a, b]: string): Row => ({
    cost: { imad: 1 },
    also: `llvm.nvvm.idp4a.${a}.${b}`,
  })),
  ...each('simsight.dp2a.lo.', ['uu', 'su', 'us', 'ss'], (): Row => ({ cost: { imad: 1 } })),
  ...each('simsight.dp2a.hi.', ['uu', 'su', 'us', 'ss'], (): Row => ({ cost: { imad: 1 } })),
  ...each('llvm.nvvm.idp2a.', ['u.u', 's.u', 'u.s', 's.s'], (): Row => ({ cost: { imad: 1 } })),
  'simsight.video': int(4),
  'llvm.nvvm.mul24.i': { also: 'llvm.nvvm.mul24.ui', cost: { imad: 1 } },
  'llvm.ushl.sat': int(3),
  'llvm.sshl.sat': int(3),
  'llvm.scmp': { ...int(2), also: 'llvm.ucmp' },

  // ---- generic floating point ----
  'llvm.is.fpclass': { cost: { fp32: 1 } },
  'llvm.canonicalize': { machine: { isOperand: true } },
  'llvm.arithmetic.fence': {},
  'llvm.ldexp': { also: '__nv_ldexp __nv_ldexpf __nv_scalbn __nv_scalbnf', cost: { fp32: 2, int: 2 } },
  'llvm.powi': { also: '__nv_powi __nv_powif', cost: { fp32: 8, special: 2 } },
  'llvm.frexp': int(4),
  'llvm.lround': { ...conversion, also: 'llvm.llround llvm.lrint llvm.llrint' },
  ...each('llvm.', ['asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'atan2', 'exp10'], (): Row => ({
    cost: { fp32: 14, special: 1 },
  })),

  // ---- asynchronous copies ----
  'llvm.nvvm.cp.async.commit.group': { ...int(1), machine: { code: [{ opcode: 'LDGDEPBAR' }] } },
  'llvm.nvvm.cp.async.wait.group': { ...int(1), machine: { code: [{ opcode: 'DEPBAR.LE', count: 0 }] } },
  'llvm.nvvm.cp.async.wait.all': {
    ...int(1),
    machine: { code: [{ opcode: 'LDGDEPBAR' }, { opcode: 'DEPBAR.LE', count: 0 }] },
  },

  // ---- nothing to do, or a constant ----
  'llvm.nvvm.griddepcontrol.launch.dependents': {
    ...int(1),
    also: 'llvm.nvvm.griddepcontrol.wait llvm.nvvm.setmaxnreg.inc.sync.aligned.u32 llvm.nvvm.setmaxnreg.dec.sync.aligned.u32',
  },
  'llvm.nvvm.pm.event.mask': { also: 'llvm.nvvm.prefetchu.L1 llvm.var.annotation llvm.sideeffect llvm.pseudoprobe' },
  'llvm.is.constant': {},
  'llvm.expect.with.probability': { machine: { isOperand: true } },
  'llvm.ssa.copy': {
    also: 'llvm.launder.invariant.group llvm.strip.invariant.group llvm.ptr.annotation llvm.annotation llvm.threadlocal.address',
  },
  'llvm.objectsize': {},
  'llvm.ptrmask': int(1),
  'llvm.nvvm.reflect': { also: '__nvvm_reflect' },
  'llvm.nvvm.read.ptx.sreg.nsmid': int(1),
  'llvm.nvvm.read.ptx.sreg.dynamic_smem_size': int(1),
  'llvm.nvvm.read.ptx.sreg.total_smem_size': int(1),
} satisfies Record<string, Row>;

export const nvvmFamilies = {
  arithmetic: arithmeticFamily,
  'narrow.fma': family(/^llvm\.(?:fma|fmuladd)\.(?:v\d+)?b?f16$/, () => ({ cost: { fp16: 1 }, narrow: true })),
  'float.from.integer': family(/^simsight\.([su])itofp\.(rz|rm|rp)\.f(32|64)\.i\d+$/, () => conversion),
  truncation,
  extreme: family(
    /^(?:llvm\.nvvm|simsight)\.f(min|max)((?:\.(?:ftz|nan|xorsign|abs))*)(?:\.(?:f|d|v?\d*b?f\d+(?:x2)?))?$/,
    () => ({ cost: { fp32: 1 } }),
  ),
  unary: family(
    /^llvm\.nvvm\.(fabs|abs|neg|ceil|floor|round|trunc|saturate)(\.ftz)?(?:\.(?:f|d|v?\d*b?f\d+(?:x2)?))$/,
    () => ({ cost: { fp32: 1 } }),
  ),
  approximate: family(
    /^llvm\.nvvm\.(ex2|lg2|sin|cos|tanh|rsqrt)\.approx(\.ftz)?(?:\.(?:f|d|v?\d*b?f\d+(?:x2)?))?$/,
    () => ({ cost: { special: 1 } }),
  ),
  f2i: family(/^llvm\.nvvm\.([fd])2(i|ui|ll|ull)\.(rn|rz|rm|rp)(\.ftz)?$/, () => conversion),
  i2f: family(/^llvm\.nvvm\.(i|ui|ll|ull)2([fd])\.(rn|rz|rm|rp)$/, () => conversion),
  d2f: family(/^llvm\.nvvm\.d2f\.(rn|rz|rm|rp)(\.ftz)?$/, () => conversion),
  f2h: family(/^llvm\.nvvm\.f2(h|bf16)\.(rn|rz)(\.ftz|\.relu)?$/, () => ({ ...conversion, narrow: true })),
  ff2h2: family(/^llvm\.nvvm\.ff2(f16|bf16)x2\.(rn|rz)(\.relu)?$/, () => ({
    ...conversion,
    narrow: true,
    whole: true,
  })),
  'to.float8': family(/^llvm\.nvvm\.(ff|f16x2)\.to\.(e4m3|e5m2)x2\.rn(\.relu)?$/, () => ({
    ...{ ...conversion, opcodes: { conversion: 'F2FP.PACK' } },
    narrow: true,
  })),
  'from.float8': family(/^llvm\.nvvm\.(e4m3|e5m2)x2\.to\.f16x2\.rn(\.relu)?$/, () => ({
    ...{ ...conversion, opcodes: { conversion: 'F2FP.UNPACK' } },
    narrow: true,
    whole: true,
  })),
  'bit.field': family(/^simsight\.(bfe|bfi)\.([us])(32|64)$/, ([, , , bits]) => int(bits === '64' ? 4 : 2)),
  'leading.bit': family(/^simsight\.bfind(\.shiftamt)?\.([us])(32|64)$/, ([, , , bits]) => int(bits === '64' ? 3 : 1)),
  sad: family(/^llvm\.nvvm\.sad\.(i|ui|s|us|ll|ull)$/, () => int(2)),
  overflow: family(/^llvm\.(u|s)(add|sub|mul)\.with\.overflow\.i(\d+)$/, () => int(3)),
  reduction: family(/^llvm\.vector\.reduce\.(add|mul|and|or|xor|[us]min|[us]max|fadd|fmul|fmin|fmax)\./, () => int(3)),
  hint: family(/^llvm\.nvvm\.(fence|prefetch|discard|applypriority)\b/, () => ({})),
  'constant.register': family(
    /^llvm\.nvvm\.read\.ptx\.sreg\.(gridid|envreg\d+|pm\d|clusterid\.\w|cluster\.ctaid\.\w|cluster\.ctarank)$/,
    () => int(1),
  ),
  'cluster.size': family(/^llvm\.nvvm\.read\.ptx\.sreg\.(nclusterid|cluster\.nctaid)\.(\w)$/, () => int(1)),
};
