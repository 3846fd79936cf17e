/** libdevice functions beyond those of intrinsics.ts: special functions, results through pointers, averages. */
import { both, each } from '../../ir/calls/called.ts';
import type { libdevice as rows } from '../../ir/calls/libdevice.ts';
import type { Instruction } from '../../ir/ir.ts';
import { arg, type Emissions, type Emit } from './emit.ts';
import type { KernelContext } from './kernel/context.ts';
import type { Leaf } from './writer.ts';

const w = (kernel: KernelContext) => kernel.writer;
/** Computed in double; floats are rounded from it. */
function inDouble(kernel: KernelContext, name: string, args: Leaf[], type: string): Leaf {
  const wide = args.map((leaf) => (leaf.type === 'float' ? w(kernel).cast('fpext', leaf, 'double') : leaf));
  w(kernel).declarations.set(name, `declare double @${name}(${wide.map((leaf) => leaf.type).join(', ')})`);
  const result = kernel.lanes.perLane(name, wide, 'double');
  return type === 'float' ? w(kernel).cast('fptrunc', result, 'float') : result;
}
const narrowed = (kernel: KernelContext, leaf: Leaf, type: string): Leaf =>
  type === 'float' ? w(kernel).cast('fptrunc', leaf, 'float') : leaf;
const inDoubles = {
  j0: 'j0',
  j1: 'j1',
  y0: 'y0',
  y1: 'y1',
  jn: 'jn',
  yn: 'yn',
  logb: 'logb',
  erfinv: 'erf_inverse',
  erfcinv: 'erfc_inverse',
  normcdf: 'normal_cdf',
  normcdfinv: 'normal_quantile',
  erfcx: 'erfc_scaled',
  cyl_bessel_i0: 'bessel_i0',
  cyl_bessel_i1: 'bessel_i1',
} as const;
type Build = (kernel: KernelContext, args: Leaf[], type: string, instruction: Instruction) => Leaf[];
const built =
  (build: Build) =>
  (type: string): Emit =>
  (kernel, args, i) =>
    build(kernel, args, type, i);
const norm = (target: string) =>
  built((kernel, args, type) => {
    const zeros = Array.from({ length: 4 - args.length }, () => w(kernel).constant('double', '0.0'));
    return [narrowed(kernel, inDouble(kernel, target, [...args, ...zeros], 'double'), type)];
  });

export const libdevice: Emissions<typeof rows> = {
  ...both(Object.keys(inDoubles) as (keyof typeof inDoubles)[], (type, name): Emit => (kernel, args) => [
    inDouble(kernel, inDoubles[name], args, type),
  ]),
  ...both(
    ['ilogb'],
    built((kernel, args) => {
      const wide = arg(args, 0).type === 'float' ? [w(kernel).cast('fpext', arg(args, 0), 'double')] : args;
      w(kernel).declarations.set('ilogb', 'declare i32 @ilogb(double)');
      return [kernel.lanes.perLane('ilogb', wide, 'i32')];
    }),
  ),
  ...both(
    ['nextafter'],
    built((kernel, args, type) => [kernel.lanes.library(type === 'float' ? 'nextafterf' : 'nextafter', args, type)]),
  ),
  ...both(
    ['llrint', 'llround'],
    built((kernel, args, type, i) => {
      const x = arg(args, 0);
      const whole = i.callee.includes('rint')
        ? w(kernel).intrinsic(type, 'roundeven', [x])
        : kernel.lanes.library(type === 'float' ? 'roundf' : 'round', [x], type);
      return [kernel.conversions.toInteger(whole, 'i64', true)];
    }),
  ),
  ...both(
    ['lrint', 'lround'],
    built((kernel, args, type, i) => {
      const x = arg(args, 0);
      const whole = i.callee.includes('rint')
        ? w(kernel).intrinsic(type, 'roundeven', [x])
        : kernel.lanes.library(type === 'float' ? 'roundf' : 'round', [x], type);
      return [kernel.conversions.toInteger(whole, 'i32', true)];
    }),
  ),
  ...both(
    ['nan'],
    built((kernel, _, type) => [w(kernel).constant(type, '0x7FF8000000000000')]),
  ),
  ...both(
    ['rcbrt'],
    built((kernel, args, type) => [
      narrowed(
        kernel,
        w(kernel).binary('fdiv', w(kernel).constant('double', '1.0'), inDouble(kernel, 'cbrt', args, 'double')),
        type,
      ),
    ]),
  ),
  ...both(['norm3d', 'norm4d'], norm('norm_of')),
  ...both(['rhypot', 'rnorm3d', 'rnorm4d'], norm('reciprocal_norm')),
  ...both(
    ['sincospi'],
    built((kernel, args, type) => ['sin_pi', 'cos_pi'].map((name) => inDouble(kernel, name, [arg(args, 0)], type))),
    '__simsight_',
  ),
  ...both(
    ['sinpi'],
    built((kernel, args, type) => [inDouble(kernel, 'sin_pi', args, type)]),
  ),
  ...both(
    ['cospi'],
    built((kernel, args, type) => [inDouble(kernel, 'cos_pi', args, type)]),
  ),
  ...both(
    ['frexp'],
    built((kernel, args, type, i) => {
      const x = arg(args, 0);
      const wide = type === 'float' ? w(kernel).cast('fpext', x, 'double') : x;
      kernel.stores.storeLeaf(kernel.lanes.perLane('frexp_exponent', [wide], 'i32'), arg(args, 1), i);
      return [narrowed(kernel, kernel.lanes.perLane('frexp_part', [wide], 'double'), type)];
    }),
  ),
  ...both(
    ['modf'],
    built((kernel, args, type, i) => {
      const x = arg(args, 0);
      const whole = w(kernel).intrinsic(type, 'trunc', [x]);
      kernel.stores.storeLeaf(whole, arg(args, 1), i);
      const infinite = w(kernel).compare(
        'oeq',
        w(kernel).intrinsic(type, 'fabs', [x]),
        w(kernel).constant(type, '0x7FF0000000000000'),
      );
      const rest = w(kernel).select(infinite, w(kernel).constant(type, '0.0'), w(kernel).binary('fsub', x, whole));
      return [w(kernel).intrinsic(type, 'copysign', [rest, x])];
    }),
  ),
  ...both(
    ['remquo'],
    built((kernel, args, type, i) => {
      const [x, y] = [arg(args, 0), arg(args, 1)].map((leaf) =>
        type === 'float' ? w(kernel).cast('fpext', leaf, 'double') : leaf,
      ) as [Leaf, Leaf];
      kernel.stores.storeLeaf(kernel.lanes.perLane('remainder_quotient', [x, y], 'i32'), arg(args, 2), i);
      return [kernel.lanes.library(type === 'float' ? 'remainderf' : 'remainder', args.slice(0, 2), type)];
    }),
  ),
  ...each('__nv_', ['hadd', 'uhadd', 'rhadd', 'urhadd'], (name): Emit => (kernel, args) => {
    const extend = name.startsWith('u') ? 'zext' : 'sext';
    const up = name.includes('rh') ? 1 : 0;
    const [a, b] = args.map((leaf) => w(kernel).cast(extend, leaf, 'i64')) as [Leaf, Leaf];
    const sum = w(kernel).binary('add', w(kernel).binary('add', a, b), w(kernel).constant('i64', up));
    return [w(kernel).cast('trunc', w(kernel).binary('lshr', sum, w(kernel).constant('i64', 1)), 'i32')];
  }),
  __nv_float2half_rn: (kernel, args) => [kernel.conversions.fromFloat(arg(args, 0), 'half')],
  __nv_half2float: (kernel, args) => [kernel.conversions.toFloat(arg(args, 0), 'half')],
  /** As `rcp.approx.ftz.f64` (PTX ISA): of the upper word alone, and only the upper word of the result; subnormals are zero. */
  __nv_rcp64h: (kernel, args) => {
    const upper = (x: Leaf): Leaf => {
      const bits = w(kernel).cast('bitcast', x, 'i64');
      const and = (mask: bigint): Leaf => w(kernel).binary('and', bits, w(kernel).constant('i64', mask));
      const isSmall = w(kernel).compare('eq', and(0x7ff0000000000000n), w(kernel).constant('i64', 0));
      const kept = w(kernel).select(isSmall, and(-(1n << 63n)), and(-(1n << 32n)));
      return w(kernel).cast('bitcast', kept, 'double');
    };
    return [upper(w(kernel).binary('fdiv', w(kernel).constant('double', '1.0'), upper(arg(args, 0))))];
  },
  __nv_fast_exp10f: (kernel, args) => [
    kernel.lanes.library('powf', [w(kernel).constant('float', '10.0'), arg(args, 0)], 'float'),
  ],
};
