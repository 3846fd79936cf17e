/** Half and bfloat16: arithmetic, comparisons, conversions in every direction, functions. */
import type { Bound, Entry } from '../entry.ts';
import { expression } from '../entry.ts';
import type { TypeName } from '../values.ts';

function* make(): Generator<Entry> {
  for (const [h, word, h2] of [['f16', 'half', 'f16x2'], ['bf16', 'bfloat16', 'bf16x2']] as const) {
    const call = (name: string, inputs: string[], result: TypeName, within?: Entry['within']): Entry =>
      expression(`${name}(${inputs.join(', ')})`, inputs, result, `${name}(${['a', 'b', 'c'].slice(0, inputs.length).join(', ')})`, within);
    for (const op of ['add', 'sub', 'mul']) {
      for (const end of ['', '_rn', '_sat']) {
        yield call(`__h${op}${end}`, [h, h], h);
        yield call(`__h${op}2${end}`.replace('2_rn', '2_rn'), [h2, h2], h2);
      }
    }
    yield call('__hdiv', [h, h], h);
    yield call('__h2div', [h2, h2], h2);
    for (const end of ['', '_sat', '_relu']) {
      yield call(`__hfma${end}`, [h, h, h], h);
      yield call(`__hfma2${end}`, [h2, h2, h2], h2);
    }
    yield call('__hcmadd', [h2, h2, h2], h2);
    for (const op of ['neg', 'abs']) {
      yield call(`__h${op}`, [h], h);
      yield call(`__h${op}2`, [h2], h2);
    }
    for (const op of ['min', 'max']) {
      for (const end of ['', '_nan']) {
        yield call(`__h${op}${end}`, [h, h], h);
        yield call(`__h${op}2${end}`, [h2, h2], h2);
      }
    }
    for (const op of ['lt', 'le', 'gt', 'ge', 'eq', 'ne']) {
      for (const end of ['', 'u']) {
        yield call(`__h${op}${end}`, [h, h], 'bool');
        yield call(`__h${op}${end}2`, [h2, h2], h2);
        yield call(`__h${op}${end}2_mask`, [h2, h2], 'u32');
        yield call(`__hb${op}${end}2`, [h2, h2], 'bool');
      }
    }
    yield call('__hisnan', [h], 'bool');
    yield call('__hisnan2', [h2], h2);
    yield call('__hisinf', [h], 's32');
    for (const op of ['+', '-', '*', '/']) {
      yield expression(`a ${op} b (${h})`, [h, h], h, `a ${op} b`);
      yield expression(`a ${op} b (${h2})`, [h2, h2], h2, `a ${op} b`);
    }
    for (const op of ['<', '<=', '>', '>=', '==', '!=']) yield expression(`a ${op} b (${h})`, [h, h], 'bool', `a ${op} b`);
    yield expression(`a * b + c (${h})`, [h, h, h], h, 'a * b + c');
    yield expression(`-a (${h})`, [h], h, '-a');
    for (const op of ['++', '--']) yield { name: `${op}a (${h})`, inputs: [h], result: h, code: `R v = a; r = ${op}v;` };

    // ---- conversions ----
    yield call(`__float2${word}`, ['f32'], h);
    yield call(`__double2${word}`, ['f64'], h);
    yield call(`__${word}2float`.replace('bfloat162', 'bfloat162'), [h], 'f32');
    for (const mode of ['rn', 'rz', 'ru', 'rd']) {
      yield call(`__float2${word}_${mode}`, ['f32'], h);
      for (const [name, type] of [['short', 's16'], ['ushort', 'u16'], ['int', 's32'], ['uint', 'u32'], ['ll', 's64'], ['ull', 'u64']] as const) {
        yield call(`__${name}2${word}_${mode}`, [type], h);
        yield call(`__${word}2${name}_${mode}`, [h], type);
      }
    }
    yield call(`__${word}2char_rz`, [h], 's8');
    yield call(`__${word}2uchar_rz`, [h], 'u8');
    yield call(`__${word}_as_ushort`, [h], 'u16');
    yield call(`__ushort_as_${word}`, ['u16'], h);
    yield expression(`__floats2${word}2_rn`, ['f32', 'f32'], h2, `__floats2${word}2_rn(a, b)`);
    for (const name of [`__low2${word}`, `__high2${word}`]) yield call(name, [h2], h);
    yield call(`__lowhigh2highlow`, [h2], h2);

    // ---- functions; bounds of the guide are in ulp of the type ----
    for (const name of ['floor', 'ceil', 'trunc', 'rint', 'sqrt', 'rcp']) {
      yield call(`h${name}`, [h], h, name === 'sqrt' || name === 'rcp' ? () => ({ ulp: 1 }) : undefined);
      yield call(`h2${name}`, [h2], h2, name === 'sqrt' || name === 'rcp' ? () => ({ ulp: 1 }) : undefined);
    }
    const bound = (): Bound => ({ ulp: 2 });
    for (const name of ['rsqrt', 'exp', 'exp2', 'exp10', 'log', 'log2', 'log10', 'sin', 'cos']) {
      yield call(`h${name}`, [h], h, bound);
      yield call(`h2${name}`, [h2], h2, bound);
    }
  }
} // prettier-ignore
export const half = [...make()];
