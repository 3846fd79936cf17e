/**
 * Calls that device code may make, one entry each: libdevice, LLVM's generic intrinsics, votes and shuffles. Numeric
 * intrinsics of NVPTX stand in nvvm.ts, matrices in tensor.ts. To support a new intrinsic, add an entry.
 */
import type { KernelContext } from './kernel/context.ts';
import { add, arg, type Cost, type Emit, numberOf } from './table.ts';
import type { Leaf } from './writer.ts';
import { flushed } from './nvvm.ts';
import './libdevice.ts';
import './system.ts';
import './tensor.ts';
import './textures.ts';

export { findIntrinsic } from './table.ts';
export type { Intrinsic } from './table.ts';

// ---- nothing to do ----
add(
  'llvm.lifetime.start llvm.lifetime.end llvm.assume llvm.experimental.noalias.scope.decl llvm.invariant.start llvm.invariant.end llvm.donothing llvm.prefetch',
  {},
  () => [],
);
add('llvm.nvvm.barrier.cta.arrive.aligned.count llvm.nvvm.barrier.cta.arrive.count', { barrier: 1 }, (kernel, args) =>
  kernel.barriers.arrive(arg(args, 0), arg(args, 1)),
);
add('llvm.nvvm.bar.warp.sync llvm.nvvm.barrier.warp.sync', { barrier: 1 }, (kernel, args) => {
  kernel.warp.countMasks(arg(args, 0));
  return [];
});
add('llvm.nvvm.membar.cta', { barrier: 1 }, () => []);
// MEMBAR, and CCTL.IVALL behind it (H200 reference, SASS of line_lat).
add('llvm.nvvm.membar.gl llvm.nvvm.membar.sys', { barrier: 2 }, (kernel) => kernel.barriers.forgetL1());
add('llvm.expect', {}, (_, args) => [arg(args, 0)]);

// ---- special registers ----
for (const axis of ['x', 'y', 'z'] as const) {
  const index = 'xyz'.indexOf(axis);
  add(
    `llvm.nvvm.read.ptx.sreg.tid.${axis}`,
    { int: 1 },
    (kernel) => [kernel.registers.special(`tid${index}`)],
    'divergent',
  );
  add(`llvm.nvvm.read.ptx.sreg.ctaid.${axis}`, { int: 1 }, (kernel) => [kernel.registers.special(`ctaid${index}`)]);
  // Block and grid dimensions are operands in constant memory.
  add(`llvm.nvvm.read.ptx.sreg.ntid.${axis}`, {}, (kernel) => [kernel.registers.special(`ntid${index}`)]);
  add(`llvm.nvvm.read.ptx.sreg.nctaid.${axis}`, {}, (kernel) => [kernel.registers.special(`nctaid${index}`)]);
}
add('llvm.nvvm.read.ptx.sreg.laneid', { int: 1 }, (kernel) => [kernel.registers.special('laneid')], 'divergent');
add('llvm.nvvm.read.ptx.sreg.warpid', { int: 1 }, (kernel) => [kernel.registers.special('warpid')]);
add('llvm.nvvm.read.ptx.sreg.nwarpid', { int: 1 }, (kernel) => [kernel.registers.special('warps')]);
add('llvm.nvvm.read.ptx.sreg.warpsize', {}, (kernel) => [kernel.writer.constant('i32', 32)]);
add('llvm.nvvm.read.ptx.sreg.smid', { int: 1 }, (kernel) => [kernel.registers.special('smid')]);
for (const [name, op] of [
  ['eq', 'eq'],
  ['lt', 'lt'],
  ['le', 'le'],
  ['gt', 'gt'],
  ['ge', 'ge'],
] as const) {
  add(`llvm.nvvm.read.ptx.sreg.lanemask.${name}`, { int: 1 }, (kernel) => [kernel.registers.laneMask(op)], 'divergent');
}
add(
  'llvm.nvvm.read.ptx.sreg.clock llvm.nvvm.read.ptx.sreg.clock.hi',
  { int: 1 },
  (kernel, _, i) => [kernel.registers.clock('i32', i)],
  'uniform',
);
add(
  'llvm.nvvm.read.ptx.sreg.clock64 llvm.readcyclecounter',
  { int: 1 },
  (kernel, _, i) => [kernel.registers.clock('i64', i)],
  'uniform',
);
add(
  'llvm.nvvm.read.ptx.sreg.globaltimer',
  { int: 1 },
  (kernel, _, i) => [kernel.registers.clock('i64', i, true)],
  'uniform',
);

// ---- votes, shuffles, matches ----
add('llvm.nvvm.activemask', { vote: 1 }, (kernel) => [kernel.writer.uniform('i32', kernel.current.mask)], 'uniform');
/**
 * Groups of lanes with masks of their own vote side by side (tiles of a cooperative group): `members` is then a vector, and
 * so are lane bits limited to them.
 */
const vote = (name: string, build: (kernel: KernelContext, bits: Leaf, members: Leaf) => Leaf): void =>
  add(
    `llvm.nvvm.vote.${name}.sync`,
    { vote: 1 },
    (kernel, args) => {
      const w = kernel.writer;
      kernel.warp.countMasks(arg(args, 0));
      const members = w.binary('and', arg(args, 0), w.uniform('i32', kernel.current.mask));
      return [build(kernel, w.binary('and', w.uniform('i32', w.bits(arg(args, 1))), members), members)];
    },
    'operand 0',
  );
const noLanes = (kernel: KernelContext): Leaf => kernel.writer.constant('i32', 0);
vote('ballot', (_, bits) => bits);
vote('any', (kernel, bits) => kernel.writer.compare('ne', bits, noLanes(kernel)));
vote('all', (kernel, bits, members) => kernel.writer.compare('eq', bits, members));
vote('uni', (kernel, bits, members) => {
  const w = kernel.writer;
  return kernel.arithmetic.binary('or', w.compare('eq', bits, members), w.compare('eq', bits, noLanes(kernel)));
});
for (const [mode, number] of [
  ['up', 0],
  ['down', 1],
  ['bfly', 2],
  ['idx', 3],
] as const) {
  for (const type of ['i32', 'f32']) {
    const shuffle: Emit = (kernel, args) => {
      kernel.warp.countMasks(arg(args, 0));
      return kernel.warp.shuffle(
        number,
        arg(args, 1),
        arg(args, 2),
        arg(args, 3),
        numberOf(args[2]),
        numberOf(args[3]),
      );
    };
    add(
      `llvm.nvvm.shfl.sync.${mode}.${type}`,
      { shuffle: 1 },
      (kernel, args, i) => shuffle(kernel, args, i).slice(0, 1),
      'divergent',
    );
    add(`llvm.nvvm.shfl.sync.${mode}.${type}p`, { shuffle: 1 }, shuffle, 'divergent');
  }
}
add(
  'llvm.nvvm.match.any.sync.i32',
  { vote: 1 },
  (kernel, args) => [kernel.warp.matchAny(arg(args, 1), arg(args, 0))],
  'divergent',
);
['add', 'umin', 'umax', 'min', 'max', 'and', 'or', 'xor'].forEach((op, number) =>
  add(
    `llvm.nvvm.redux.sync.${op}`,
    { vote: 1, int: 1 },
    (kernel, args) => {
      kernel.warp.countMasks(arg(args, 1));
      return [kernel.warp.reduce(number, arg(args, 0), arg(args, 1))];
    },
    'operand 1',
  ),
);
add(
  'llvm.nvvm.match.all.sync.i32p llvm.nvvm.match.all.sync.i64p',
  { vote: 1 },
  (kernel, args) => kernel.warp.matchAll(arg(args, 1), arg(args, 0)),
  'operand 0',
);
add('llvm.nvvm.nanosleep', { int: 1 }, (kernel, args) => kernel.registers.sleep(arg(args, 0)));
for (const space of ['shared', 'global', 'local', 'const']) {
  add(`llvm.nvvm.isspacep.${space}`, { int: 2 }, (kernel, args) => [kernel.access.isInSpace(arg(args, 0), space)]);
}

// ---- barriers with a sum (ir/prepare.ts makes these calls) ----
for (const kind of ['popc', 'and', 'or']) {
  add(`simsight.barrier.add.${kind}`, {}, (kernel, args) => kernel.barriers.add(kind, arg(args, 0)));
  add(`simsight.barrier.sum.${kind}`, {}, (kernel, _, i) => [kernel.barriers.sum(kind, i.type)], 'uniform');
}

// ---- the stack ----
add('llvm.stacksave', {}, (kernel) => kernel.locals.stackMark(null), 'divergent');
add('llvm.stackrestore', {}, (kernel, args) => kernel.locals.stackMark(arg(args, 0)));
add('simsight.memmove', { 'load-global': 1, 'store-global': 1, int: 4, branch: 1 }, (kernel, args, i) =>
  kernel.stores.copyBytes('copy_lanes', args, i),
);
add('simsight.memset', { 'store-global': 1, int: 3, branch: 1 }, (kernel, args, i) =>
  kernel.stores.copyBytes('set_lanes', args, i),
);

// ---- traps ----
add('llvm.trap llvm.debugtrap llvm.ubsantrap __assertfail', { branch: 1 }, (kernel, args, instruction) =>
  kernel.faults.trap(instruction, args),
);

// ---- integers ----
const int1 = { int: 1 };
add('llvm.umin llvm.umax llvm.smin llvm.smax', int1, (kernel, args, i) => [
  kernel.writer.intrinsic(arg(args, 0).type, i.callee.split('.')[1] ?? '', args),
]);
add('__nv_min __nv_llmin', int1, (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'smin', args)]);
add('__nv_max __nv_llmax', int1, (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'smax', args)]);
add('__nv_umin __nv_ullmin', int1, (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'umin', args)]);
add('__nv_umax __nv_ullmax', int1, (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'umax', args)]);
add('llvm.abs __nv_abs __nv_llabs', int1, (kernel, args) => [
  kernel.writer.intrinsic(arg(args, 0).type, 'abs', [arg(args, 0)], ['i1 false']),
]);
add('llvm.ctpop llvm.bitreverse llvm.bswap', int1, (kernel, args, i) => [
  kernel.writer.intrinsic(arg(args, 0).type, i.callee.split('.')[1] ?? '', args),
]);
add('llvm.ctlz llvm.cttz', int1, (kernel, args, i) => [
  kernel.writer.intrinsic(arg(args, 0).type, i.callee.split('.')[1] ?? '', [arg(args, 0)], ['i1 false']),
]);
add('llvm.fshl llvm.fshr', int1, (kernel, args, i) => [
  kernel.writer.intrinsic(arg(args, 0).type, i.callee.split('.')[1] ?? '', args),
]);
for (const op of ['uadd', 'usub', 'sadd', 'ssub']) {
  add(`llvm.${op}.sat`, { int: 2 }, (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, `${op}.sat`, args)]);
}
const narrowed = (kernel: KernelContext, leaf: Leaf): Leaf =>
  leaf.type === 'i64' ? kernel.writer.cast('trunc', leaf, 'i32') : leaf;
add('__nv_popc __nv_popcll', int1, (kernel, args) => [
  narrowed(kernel, kernel.writer.intrinsic(arg(args, 0).type, 'ctpop', args)),
]);
add('__nv_clz __nv_clzll', int1, (kernel, args) => [
  narrowed(kernel, kernel.writer.intrinsic(arg(args, 0).type, 'ctlz', args, ['i1 false'])),
]);
add('__nv_ffs __nv_ffsll', { int: 2 }, (kernel, args) => {
  const w = kernel.writer;
  const a = arg(args, 0);
  const position = w.binary(
    'add',
    narrowed(kernel, w.intrinsic(a.type, 'cttz', args, ['i1 false'])),
    w.constant('i32', 1),
  );
  return [w.select(w.compare('eq', a, w.constant(a.type, 0)), w.constant('i32', 0), position)];
});
add('__nv_brev __nv_brevll', int1, (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'bitreverse', args)]);
const highHalf =
  (extend: string, from: string, to: string): Emit =>
  (kernel, args) => {
    const w = kernel.writer;
    const wide = w.binary('mul', w.cast(extend, arg(args, 0), to), w.cast(extend, arg(args, 1), to));
    return [w.cast('trunc', w.binary('lshr', wide, w.constant(to, from.slice(1))), from)];
  };
add('__nv_mulhi llvm.nvvm.mulhi.i', { imad: 1 }, highHalf('sext', 'i32', 'i64'));
add('__nv_umulhi llvm.nvvm.mulhi.ui', { imad: 1 }, highHalf('zext', 'i32', 'i64'));
add('__nv_mul64hi llvm.nvvm.mulhi.ll', { imad: 4 }, highHalf('sext', 'i64', 'i128'));
add('__nv_umul64hi llvm.nvvm.mulhi.ull', { imad: 4 }, highHalf('zext', 'i64', 'i128'));
add('__nv_mul24 __nv_umul24', { imad: 1 }, (kernel, args, i) => {
  const w = kernel.writer;
  const shift = i.callee === '__nv_mul24' ? 'ashr' : 'lshr';
  const low = args.map((leaf) => w.binary(shift, w.binary('shl', leaf, w.constant('i32', 8)), w.constant('i32', 8)));
  return [w.binary('mul', arg(low, 0), arg(low, 1))];
});
add('__nv_sad __nv_usad', { int: 2 }, (kernel, args, i) => {
  const w = kernel.writer;
  const less = w.compare(i.callee === '__nv_sad' ? 'slt' : 'ult', arg(args, 0), arg(args, 1));
  const distance = w.select(
    less,
    w.binary('sub', arg(args, 1), arg(args, 0)),
    w.binary('sub', arg(args, 0), arg(args, 1)),
  );
  return [w.binary('add', distance, arg(args, 2))];
});
add('llvm.nvvm.prmt', int1, (kernel, args) => [kernel.lanes.perLane('byte_permute', args, 'i32')]);
// The function leaves out the selectors' highest bits, with which PRMT spreads a byte's sign.
add('__nv_byte_perm', { int: 2 }, (kernel, args) => {
  const w = kernel.writer;
  const selector = w.binary('and', arg(args, 2), w.constant('i32', 0x7777));
  return [kernel.lanes.perLane('byte_permute', [arg(args, 0), arg(args, 1), selector], 'i32')];
});

// ---- conversions ----
const bitcast =
  (type: string): Emit =>
  (kernel, args) => [kernel.writer.cast('bitcast', arg(args, 0), type)];
add('__nv_float_as_int __nv_float_as_uint', {}, bitcast('i32'));
add('__nv_int_as_float __nv_uint_as_float', {}, bitcast('float'));
add('__nv_double_as_longlong', {}, bitcast('i64'));
add('__nv_longlong_as_double', {}, bitcast('double'));
add('__nv_double2hiint', {}, (kernel, args) => {
  const w = kernel.writer;
  return [w.cast('trunc', w.binary('lshr', w.cast('bitcast', arg(args, 0), 'i64'), w.constant('i64', 32)), 'i32')];
});
add('__nv_double2loint', {}, (kernel, args) => [
  kernel.writer.cast('trunc', kernel.writer.cast('bitcast', arg(args, 0), 'i64'), 'i32'),
]);
add('__nv_hiloint2double', {}, (kernel, args) => {
  const w = kernel.writer;
  const high = w.binary('shl', w.cast('zext', arg(args, 0), 'i64'), w.constant('i64', 32));
  return [w.cast('bitcast', w.binary('or', high, w.cast('zext', arg(args, 1), 'i64')), 'double')];
});
const rounding: Record<string, string> = { rn: 'rint', rz: 'trunc', ru: 'ceil', rd: 'floor' };
const intTypes = [
  ['int', 'i32', 's'],
  ['uint', 'i32', 'u'],
  ['ll', 'i64', 's'],
  ['ull', 'i64', 'u'],
] as const;
for (const [suffix, round] of Object.entries(rounding)) {
  for (const [floatName, floatType] of [
    ['float', 'float'],
    ['double', 'double'],
  ] as const) {
    for (const [intName, intType, sign] of intTypes) {
      add(`__nv_${floatName}2${intName}_${suffix}`, { conversion: 1 }, (kernel, args) => {
        const whole = kernel.writer.intrinsic(floatType, round === 'rint' ? 'roundeven' : round, args);
        return [kernel.conversions.toInteger(whole, intType, sign === 's')];
      });
      if (suffix === 'rn')
        add(`__nv_${intName}2${floatName}_rn`, { conversion: 1 }, (kernel, args) => [
          kernel.writer.cast(sign === 's' ? 'sitofp' : 'uitofp', arg(args, 0), floatType),
        ]);
    }
  }
}
add('__nv_int2double_rn', { conversion: 1 }, (kernel, args) => [kernel.writer.cast('sitofp', arg(args, 0), 'double')]);
add('__nv_uint2double_rn', { conversion: 1 }, (kernel, args) => [kernel.writer.cast('uitofp', arg(args, 0), 'double')]);
add('__nv_double2float_rn', { conversion: 1 }, (kernel, args) => [
  kernel.writer.cast('fptrunc', arg(args, 0), 'float'),
]);

// ---- floating point that WebAssembly has ----
const fp = (type: string): Cost => (type === 'double' ? { fp64: 1 } : { fp32: 1 });
/** Registers a float and a double version: `__nv_floorf`, `__nv_floor`. */
const both = (
  names: string,
  cost: (type: string) => Cost,
  emit: (kernel: KernelContext, args: Leaf[], type: string) => Leaf,
): void => {
  for (const name of names.split(' ')) {
    add(`__nv_${name}f`, cost('float'), (kernel, args) => [emit(kernel, args, 'float')]);
    add(`__nv_${name}`, cost('double'), (kernel, args) => [emit(kernel, args, 'double')]);
  }
};
for (const name of ['fabs', 'floor', 'ceil', 'trunc'])
  both(name, fp, (kernel, args, type) => kernel.writer.intrinsic(type, name, args));
both('rint nearbyint', fp, (kernel, args, type) => kernel.writer.intrinsic(type, 'roundeven', args));
both(
  'copysign',
  () => ({ int: 1 }),
  (kernel, args, type) => kernel.writer.intrinsic(type, 'copysign', args),
);
both(
  'sqrt',
  (type) => (type === 'double' ? { fp64: 8, special: 1 } : { special: 1, fp32: 5 }),
  (kernel, args, type) => kernel.writer.intrinsic(type, 'sqrt', args),
);
both('fma', fp, (kernel, args, type) => kernel.arithmetic.fma(args, type));
both('fmin', fp, (kernel, args) => kernel.arithmetic.minimum('olt', arg(args, 0), arg(args, 1)));
both('fmax', fp, (kernel, args) => kernel.arithmetic.minimum('ogt', arg(args, 0), arg(args, 1)));
both(
  'rsqrt',
  (type) => (type === 'double' ? { fp64: 6, special: 1 } : { special: 1, fp32: 2 }),
  (kernel, args, type) => {
    const w = kernel.writer;
    return w.binary('fdiv', w.constant(type, '1.0'), w.intrinsic(type, 'sqrt', args));
  },
);
const one = (kernel: KernelContext, type: string): Leaf => kernel.writer.constant(type, '1.0');
add('__nv_frcp_rn __nv_drcp_rn llvm.nvvm.rcp.rn.f llvm.nvvm.rcp.approx.f', { special: 1, fp32: 2 }, (kernel, args) => [
  kernel.writer.binary('fdiv', one(kernel, arg(args, 0).type), arg(args, 0)),
]);
add('llvm.nvvm.rcp.approx.ftz.f', { special: 1, fp32: 2 }, (kernel, args) => [
  flushed(kernel, kernel.writer.binary('fdiv', one(kernel, 'float'), flushed(kernel, arg(args, 0)))),
]);
for (const [suffix, op] of [
  ['add', 'fadd'],
  ['sub', 'fsub'],
  ['mul', 'fmul'],
  ['div', 'fdiv'],
] as const) {
  add(`__nv_f${suffix}_rn`, suffix === 'div' ? { special: 1, fp32: 8 } : { fp32: 1 }, (kernel, args) => [
    kernel.writer.binary(op, arg(args, 0), arg(args, 1)),
  ]);
  add(`__nv_d${suffix}_rn`, suffix === 'div' ? { special: 1, fp64: 8 } : { fp64: 1 }, (kernel, args) => [
    kernel.writer.binary(op, arg(args, 0), arg(args, 1)),
  ]);
}
// MUFU.RCP yields no subnormal numbers: what is divided by more than 2^126 is multiplied by zero.
add('__nv_fast_fdividef', { special: 1, fp32: 1 }, (kernel, args) => {
  const w = kernel.writer;
  const [x, y] = [arg(args, 0), arg(args, 1)];
  const isLarge = w.compare('ogt', w.intrinsic('float', 'fabs', [y]), w.constant('float', '0x47D0000000000000'));
  const nothing = w.binary('fmul', x, w.intrinsic('float', 'copysign', [w.constant('float', '0.0'), y]));
  return [w.select(isLarge, nothing, w.binary('fdiv', x, y))];
});
add(
  '__nv_fsqrt_rn __nv_dsqrt_rn llvm.nvvm.sqrt.approx.f llvm.nvvm.sqrt.rn.f',
  { special: 1, fp32: 5 },
  (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'sqrt', args)],
);
// Rounded once, but for the last bits of a double.
add('__nv_frsqrt_rn', { special: 1 }, (kernel, args) => {
  const w = kernel.writer;
  const root = w.intrinsic('double', 'sqrt', [w.cast('fpext', arg(args, 0), 'double')]);
  return [w.cast('fptrunc', w.binary('fdiv', w.constant('double', '1.0'), root), 'float')];
});
add('__nv_fmaf_rn', { fp32: 1 }, (kernel, args) => [kernel.arithmetic.fma(args, 'float')]);
add('__nv_fma_rn', { fp64: 1 }, (kernel, args) => [kernel.arithmetic.fma(args, 'double')]);
add('llvm.fma llvm.fmuladd', { fp32: 1 }, (kernel, args) => [kernel.arithmetic.fma(args, arg(args, 0).type)]);
add('llvm.fabs llvm.floor llvm.ceil llvm.trunc llvm.copysign', { fp32: 1 }, (kernel, args, i) => [
  kernel.writer.intrinsic(arg(args, 0).type, i.callee.split('.')[1] ?? '', args),
]);
add('llvm.rint llvm.nearbyint llvm.roundeven', { fp32: 1 }, (kernel, args) => [
  kernel.writer.intrinsic(arg(args, 0).type, 'roundeven', args),
]);
add('llvm.sqrt', { special: 1, fp32: 5 }, (kernel, args) => [kernel.writer.intrinsic(arg(args, 0).type, 'sqrt', args)]);
add('llvm.minnum llvm.minimumnum', { fp32: 1 }, (kernel, args) => [
  kernel.arithmetic.minimum('olt', arg(args, 0), arg(args, 1)),
]);
add('llvm.maxnum llvm.maximumnum', { fp32: 1 }, (kernel, args) => [
  kernel.arithmetic.minimum('ogt', arg(args, 0), arg(args, 1)),
]);
for (const [name, predicate] of [
  ['minimum', 'olt'],
  ['maximum', 'ogt'],
] as const)
  add(`llvm.${name}`, { fp32: 1 }, (kernel, args) => {
    const [a, b] = [arg(args, 0), arg(args, 1)];
    const nan = kernel.writer.constant(a.type, '0x7FF8000000000000');
    return [kernel.writer.select(kernel.writer.compare('uno', a, b), nan, kernel.arithmetic.minimum(predicate, a, b))];
  });
add('__nv_saturatef llvm.nvvm.saturate.f', { fp32: 1 }, (kernel, args) => {
  const w = kernel.writer;
  return [
    kernel.arithmetic.minimum(
      'olt',
      kernel.arithmetic.minimum('ogt', arg(args, 0), w.constant('float', '0.0')),
      w.constant('float', '1.0'),
    ),
  ];
});
both(
  'fdim',
  (type) => (type === 'double' ? { fp64: 2 } : { fp32: 2 }),
  (kernel, args, type) => {
    const w = kernel.writer;
    return w.select(
      w.compare('ole', arg(args, 0), arg(args, 1)),
      w.constant(type, '0.0'),
      w.binary('fsub', arg(args, 0), arg(args, 1)),
    );
  },
);
const classify =
  (build: (kernel: KernelContext, leaf: Leaf) => Leaf): Emit =>
  (kernel, args) => [kernel.writer.cast('zext', build(kernel, arg(args, 0)), 'i32')];
const infinity = (type: string): string => (type === 'float' || type === 'double' ? '0x7FF0000000000000' : '');
add(
  '__nv_isnanf __nv_isnand',
  { fp32: 1 },
  classify((kernel, x) => kernel.writer.compare('uno', x, x)),
);
add(
  '__nv_isinff __nv_isinfd',
  { fp32: 1 },
  classify((kernel, x) =>
    kernel.writer.compare(
      'oeq',
      kernel.writer.intrinsic(x.type, 'fabs', [x]),
      kernel.writer.constant(x.type, infinity(x.type)),
    ),
  ),
);
add(
  '__nv_finitef __nv_isfinited',
  { fp32: 1 },
  classify((kernel, x) =>
    kernel.writer.compare(
      'olt',
      kernel.writer.intrinsic(x.type, 'fabs', [x]),
      kernel.writer.constant(x.type, infinity(x.type)),
    ),
  ),
);
add(
  '__nv_signbitf __nv_signbitd',
  { int: 1 },
  classify((kernel, x) => {
    const type = x.type === 'float' ? 'i32' : 'i64';
    return kernel.writer.compare('slt', kernel.writer.cast('bitcast', x, type), kernel.writer.constant(type, 0));
  }),
);

// ---- libm, lane by lane (musl: float functions compute in double where it matters) ----
/** Costs are instruction counts of CUDA's own device library for common arguments, coarse. */
const libm = (name: string, cost: Cost, library = name, double?: string): void =>
  both(
    name,
    (type) => (type === 'double' ? { fp64: (cost?.fp32 ?? 4) * 3, int: cost?.int ?? 0 } : cost),
    (kernel, args, type) => kernel.lanes.library(type === 'float' ? `${library}f` : (double ?? library), args, type),
  );
for (const name of ['sin', 'cos', 'tan']) libm(name, { fp32: 12, int: 4, conversion: 2 });
for (const name of ['asin', 'acos', 'atan', 'sinh', 'cosh', 'asinh', 'atanh', 'cbrt', 'log1p', 'expm1', 'erf', 'erfc'])
  libm(name, { fp32: 14, special: 1, int: 2 });
// musl's is a number far below 1.
both(
  'acosh',
  (type) => (type === 'double' ? { fp64: 42, int: 2 } : { fp32: 14, special: 1, int: 2 }),
  (kernel, args, type) => {
    const w = kernel.writer;
    const isOutside = w.compare('olt', arg(args, 0), w.constant(type, '1.0'));
    const nan = w.constant(type, '0x7FF8000000000000');
    return w.select(isOutside, nan, kernel.lanes.library(type === 'float' ? 'acoshf' : 'acosh', args, type));
  },
);
// musl's is 2 ulp off, CUDA's 1.
libm('tanh', { fp32: 14, special: 1, int: 2 }, 'tanh', 'tanh_exact');
for (const name of ['tgamma', 'lgamma']) libm(name, { fp32: 40, special: 2, int: 8 });
for (const name of ['exp', 'exp2', 'log', 'log2', 'log10']) libm(name, { fp32: 6, special: 1, int: 1 });
for (const name of ['pow', 'fmod', 'atan2', 'hypot', 'remainder']) libm(name, { fp32: 20, special: 2, int: 6 });
libm('round', { fp32: 3, int: 1 });
both(
  'exp10',
  () => ({ fp32: 6, special: 1, int: 1 }),
  (kernel, args, type) =>
    kernel.lanes.library(type === 'float' ? 'powf' : 'pow', [kernel.writer.constant(type, '10.0'), arg(args, 0)], type),
);
for (const name of ['sin', 'cos', 'tan', 'exp', 'log', 'log2', 'log10', 'pow']) {
  const emit: Emit = (kernel, args) => [kernel.lanes.library(`${name}f`, args, 'float')];
  add(`__nv_fast_${name}f`, { special: name === 'pow' ? 2 : 1, fp32: 1 }, emit);
}
for (const name of ['sin', 'cos', 'exp', 'exp2', 'log', 'log2', 'log10', 'pow', 'round', 'tan']) {
  add(`llvm.${name}`, { fp32: 8, special: 1 }, (kernel, args) => [
    kernel.lanes.library(arg(args, 0).type === 'float' ? `${name}f` : name, args, arg(args, 0).type),
  ]);
}
for (const [type, suffix] of [
  ['float', 'f'],
  ['double', ''],
] as const) {
  add(`__simsight_sincos${suffix}`, { fp32: 20, int: 4, conversion: 2 }, (kernel, args) =>
    ['sin', 'cos'].map((name) => kernel.lanes.library(`${name}${suffix}`, [arg(args, 0)], type)),
  );
}
