/**
 * CUDA's mathematical functions. Bounds are those of the CUDA C++ Programming Guide 13.0, "Mathematical Functions": maximal
 * errors in ulp. What has none is exact.
 */
import type { Bound, Entry } from '../entry.ts';
import { expression, ulp } from '../entry.ts';

type Documented = number | ((operands: number[]) => Bound);
const of = (bound: Documented): Entry['within'] =>
  typeof bound === 'number' ? (bound === 0 ? undefined : ulp(bound)) : bound;

/** Name, bound of the float function, bound of the double function. */
const unary: [string, Documented, Documented][] = [
  ['sqrt', 0, 0],
  ['rsqrt', 2, 1],
  ['cbrt', 1, 1],
  ['rcbrt', 1, 1],
  ['exp', 1, 1],
  ['exp2', 2, 1],
  ['exp10', 2, 1],
  ['expm1', 1, 1],
  ['log', 1, 1],
  ['log2', 1, 1],
  ['log10', 2, 1],
  ['log1p', 1, 1],
  ['sin', 2, 2],
  ['cos', 2, 2],
  ['tan', 4, 2],
  ['sinpi', 1, 2],
  ['cospi', 1, 2],
  ['asin', 2, 2],
  ['acos', 2, 2],
  ['atan', 2, 2],
  ['sinh', 3, 2],
  ['cosh', 2, 1],
  ['tanh', 2, 1],
  ['asinh', 3, 3],
  ['acosh', 4, 3],
  ['atanh', 3, 2],
  ['erf', 2, 2],
  ['erfc', 4, 5],
  ['erfinv', 2, 5],
  ['erfcinv', 4, 6],
  ['erfcx', 4, 4],
  ['normcdf', 5, 5],
  ['normcdfinv', 5, 8],
  ['tgamma', 5, 10],
  ['lgamma', outside(6), outside(4)],
  ['j0', bessel(9, 2.2e-6), bessel(7, 5e-12)],
  ['j1', bessel(9, 2.2e-6), bessel(7, 5e-12)],
  ['y0', bessel(9, 2.2e-6), bessel(7, 5e-12)],
  ['y1', bessel(9, 2.2e-6), bessel(7, 5e-12)],
  ['cyl_bessel_i0', 6, 6],
  ['cyl_bessel_i1', 6, 6],
  ['logb', 0, 0],
  ['fabs', 0, 0],
  ['floor', 0, 0],
  ['ceil', 0, 0],
  ['trunc', 0, 0],
  ['round', 0, 0],
  ['rint', 0, 0],
  ['nearbyint', 0, 0],
];
const binary: [string, Documented, Documented][] = [
  ['pow', 4, 2],
  ['hypot', 3, 2],
  ['rhypot', 2, 1],
  ['atan2', 3, 2],
  ['fmod', 0, 0],
  ['remainder', 0, 0],
  ['fdim', 0, 0],
  ['fmin', 0, 0],
  ['fmax', 0, 0],
  ['copysign', 0, 0],
  ['nextafter', 0, 0],
];

/** Near its zeros on the negative side the bound is absolute and larger. */
function outside(most: number): Documented {
  return ([x = 0]) => (x > -10.001 && x < -2.264 ? { ulp: most, absolute: 1e-5 } : { ulp: most });
}
function bessel(near: number, far: number): Documented {
  return ([x = 0]) => (Math.abs(x) < 8 ? { ulp: near, absolute: far } : { absolute: far, ulp: 1 });
}

function* make(): Generator<Entry> {
  for (const [type, letter] of [['f32', 'f'], ['f64', '']] as const) {
    const isFloat = type === 'f32';
    for (const [name, float, double] of unary) {
      const call = `${name}${letter}`;
      const within = of(isFloat ? float : double);
      yield expression(`${call}(x)`, [type], type, `${call}(a)`, within);
      if (within !== undefined)
        for (const domain of ['moderate', 'unit']) yield expression(`${call}(x) ${domain}`, [`${type}:${domain}`], type, `${call}(a)`, within);
    }
    for (const [name, float, double] of binary) {
      const call = `${name}${letter}`;
      const within = of(isFloat ? float : double);
      yield expression(`${call}(x, y)`, [type, type], type, `${call}(a, b)`, within);
      if (within !== undefined) yield expression(`${call}(x, y) moderate`, [`${type}:positive`, `${type}:moderate`], type, `${call}(a, b)`, within);
    }
    const { cpp } = { f32: { cpp: 'float' }, f64: { cpp: 'double' } }[type];
    yield expression(`fma${letter}(x, y, z)`, [type, type, type], type, `fma${letter}(a, b, c)`);
    yield expression(`norm3d${letter}`, [type, type, type], type, `norm3d${letter}(a, b, c)`, ulp(isFloat ? 3 : 2));
    yield expression(`rnorm3d${letter}`, [type, type, type], type, `rnorm3d${letter}(a, b, c)`, ulp(isFloat ? 2 : 1));
    yield expression(`norm4d${letter}`, [type, type, type], type, `norm4d${letter}(a, b, c, a)`, ulp(isFloat ? 3 : 2));
    yield expression(`rnorm4d${letter}`, [type, type, type], type, `rnorm4d${letter}(a, b, c, a)`, ulp(isFloat ? 2 : 1));
    yield expression(`jn${letter}`, ['order', `${type}:positive`], type, `jn${letter}(a, b)`, () => ({ ulp: 16, absolute: isFloat ? 2.2e-6 : 5e-12 }));
    for (const [name, result] of [['lrint', 's32'], ['lround', 's32'], ['llrint', 's64'], ['llround', 's64']] as const)
      // long has 64 bits there and 32 here: within 32 bits both are the same.
      yield name.startsWith('ll')
        ? expression(`${name}${letter}(x)`, [type], result, `${name}${letter}(a)`)
        : expression(`${name}${letter}(x)`, [`${type}:moderate`], result, `(int)${name}${letter}(a)`);
    yield expression(`ilogb${letter}`, [type], 's32', `ilogb${letter}(a)`);
    yield { name: `frexp${letter} fraction`, inputs: [type], result: type, code: `int e; r = frexp${letter}(a, &e);` };
    yield { name: `frexp${letter} exponent`, inputs: [type], result: 's32', code: `int e; frexp${letter}(a, &e); r = isfinite(a) ? e : 0;` };
    yield { name: `modf${letter} fraction`, inputs: [type], result: type, code: `${cpp} whole; r = modf${letter}(a, &whole);` };
    yield { name: `modf${letter} whole`, inputs: [type], result: type, code: `${cpp} whole; modf${letter}(a, &whole); r = whole;` };
    yield { name: `remquo${letter} rest`, inputs: [type, type], result: type, code: `int q; r = remquo${letter}(a, b, &q);` };
    yield { name: `remquo${letter} quotient`, inputs: [`${type}:moderate`, `${type}:positive`], result: 's32', code: `int q; remquo${letter}(a, b, &q); r = q & 7;` };
    for (const name of ['ldexp', 'scalbn']) yield expression(`${name}${letter}`, [type, 'exponent'], type, `${name}${letter}(a, b)`);
    for (const part of ['sin', 'cos']) {
      const [s, c] = part === 'sin' ? ['&r', '&other'] : ['&other', '&r'];
      for (const domain of [type, `${type}:moderate`]) {
        yield { name: `sincos${letter} ${part} ${domain}`, inputs: [domain], result: type, code: `${cpp} other; sincos${letter}(a, ${s}, ${c});`, within: ulp(2) };
        yield { name: `sincospi${letter} ${part} ${domain}`, inputs: [domain], result: type, code: `${cpp} other; sincospi${letter}(a, ${s}, ${c});`, within: ulp(isFloat ? 1 : 2) };
      }
    }
    for (const name of ['isnan', 'isinf', 'isfinite', 'signbit']) yield expression(`${name}(${type})`, [type], 'bool', `${name}(a) != 0`);
  }

  // ---- fast functions: bounds of the same guide, "Intrinsic Functions" ----
  const f = 'f32' as const;
  yield expression('__fdividef', [f, 'f32:divisor'], f, '__fdividef(a, b)', ulp(2));
  yield expression('__fdividef by more than 2^126', [f, f], f, '__fdividef(a, fabsf(b) > 0x1p126f && fabsf(b) < INFINITY ? b : 0x1.8p126f)', ulp(2));
  yield expression('__expf', ['f32:moderate'], f, '__expf(a)', ([x = 0]) => ({ ulp: 2 + Math.floor(Math.abs(1.173 * x)) }));
  yield expression('__exp10f', ['f32:moderate'], f, '__exp10f(a)', ([x = 0]) => ({ ulp: 2 + Math.floor(Math.abs(2.97 * x)) }));
  yield expression('__logf', ['f32:positive'], f, '__logf(a)', ([x = 0]) => (x >= 0.5 && x <= 2 ? { absolute: 2 ** -21.41 } : { ulp: 3 }));
  yield expression('__log2f', ['f32:positive'], f, '__log2f(a)', ([x = 0]) => (x >= 0.5 && x <= 2 ? { absolute: 2 ** -22 } : { ulp: 2 }));
  yield expression('__log10f', ['f32:positive'], f, '__log10f(a)', ([x = 0]) => (x >= 0.5 && x <= 2 ? { absolute: 2 ** -24 } : { ulp: 3 }));
  yield expression('__logf near one', ['f32:near one'], f, '__logf(a)', () => ({ absolute: 2 ** -21.41 }));
  yield expression('__log2f near one', ['f32:near one'], f, '__log2f(a)', () => ({ absolute: 2 ** -22 }));
  yield expression('__log10f near one', ['f32:near one'], f, '__log10f(a)', () => ({ absolute: 2 ** -24 }));
  yield expression('__sinf', ['f32:angle'], f, '__sinf(a)', () => ({ absolute: 2 ** -21.41 }));
  yield expression('__cosf', ['f32:angle'], f, '__cosf(a)', () => ({ absolute: 2 ** -21.19 }));
  for (const part of ['sin', 'cos'] as const)
    yield { name: `__sincosf ${part}`, inputs: ['f32:angle'], result: f, code: `float other; __sincosf(a, ${part === 'sin' ? '&r, &other' : '&other, &r'});`, within: () => ({ absolute: part === 'sin' ? 2 ** -21.41 : 2 ** -21.19 }) };
  // For special values the fast functions give the results of their instructions.
  for (const name of ['__expf', '__exp10f', '__logf', '__log2f', '__log10f'])
    yield expression(`${name} of zeros, infinities and NaN`, [f], f, `${name}(a != 0 && isfinite(a) ? INFINITY : a)`);
} // prettier-ignore
export const math = [...make()];
