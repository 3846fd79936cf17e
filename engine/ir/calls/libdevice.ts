/** libdevice functions beyond those of intrinsics.ts: special functions, results through pointers, averages. */
import { both, type Cost, each, type Row } from './called.ts';

type LibraryCost = Pick<Cost, 'fp32' | 'special' | 'int' | 'conversion' | 'store-local'>;
/** Doubles take three instructions for one. */
const coarse =
  (cost: LibraryCost) =>
  (type: 'float' | 'double'): Row => ({
    cost: type === 'float' ? cost : { ...cost, fp32: 0, fp64: 3 * (cost.fp32 ?? 0) },
  });

export const libdevice = {
  ...both(
    [
      ...(['j0', 'j1', 'y0', 'y1', 'jn', 'yn', 'logb', 'erfinv', 'erfcinv', 'normcdf', 'normcdfinv', 'erfcx'] as const),
      ...(['cyl_bessel_i0', 'cyl_bessel_i1'] as const),
    ],
    coarse({ fp32: 30, special: 2 }),
  ),
  ...both(['ilogb'], coarse({ int: 4 })),
  ...both(['nextafter'], coarse({ int: 6 })),
  ...both(['llrint', 'llround', 'lrint', 'lround'], coarse({ conversion: 1 })),
  ...both(['nan'], coarse({})),
  ...both(['rcbrt'], coarse({ fp32: 12, special: 1 })),
  ...both(['norm3d', 'norm4d', 'rhypot', 'rnorm3d', 'rnorm4d'], coarse({ fp32: 8, special: 1 })),
  ...both(['sincospi'], coarse({ fp32: 16, int: 4 }), '__simsight_'),
  ...both(['sinpi', 'cospi'], coarse({ fp32: 10, int: 3 })),
  ...both(['frexp'], coarse({ int: 4, 'store-local': 1 })),
  ...both(['modf'], coarse({ fp32: 3, 'store-local': 1 })),
  ...both(['remquo'], coarse({ fp32: 20, int: 8, 'store-local': 1 })),
  ...each('__nv_', ['hadd', 'uhadd', 'rhadd', 'urhadd'], (): Row => ({ cost: { int: 3 } })),
  __nv_float2half_rn: { cost: { conversion: 1 } },
  __nv_half2float: { cost: { conversion: 1 } },
  __nv_rcp64h: { cost: { special: 1 } },
  __nv_fast_exp10f: { cost: { special: 1, fp32: 1 } },
} satisfies Record<string, Row>;

/** Names that stand for others. */
export const aliases: readonly { pattern: RegExp; of: (match: RegExpExecArray) => string | undefined }[] = [
  { pattern: /^__nv_fmaf_ieee_(r[nzud])$/, of: ([, mode]) => `__nv_fmaf_${mode}` },
  /**
   * Clang's headers declare these float overloads for C++ and leave it to others to define them. The name is as long as the number says:
   * `_ZL3erff` is `erf(float)`, not `er(float, float)`.
   */
  {
    pattern: /^_ZL(\d+)([a-z]\w*)$/,
    of: ([, length, rest]) => {
      const [name, parameters] = [rest!.slice(0, Number(length)), rest!.slice(Number(length))];
      return /^(f|ff|fff|fi|fPi|fPf|ffPi|fl)$/.test(parameters) ? `__nv_${name}f` : undefined;
    },
  },
];
