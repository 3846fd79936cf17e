/** Integer intrinsics, SIMD on bytes and halves of words, type conversions and arithmetic with a rounding direction. */
import type { Entry } from '../entry.ts';
import { expression } from '../entry.ts';
import type { TypeName } from '../values.ts';

const call = (name: string, inputs: string[], result: TypeName): Entry =>
  expression(
    `${name}(${inputs.join(', ')})`,
    inputs,
    result,
    `${name}(${['a', 'b', 'c'].slice(0, inputs.length).join(', ')})`,
  );

function* make(): Generator<Entry> {
  for (const name of ['__clz', '__popc', '__ffs']) yield call(name, [name === '__popc' ? 'u32' : 's32'], 's32');
  for (const name of ['__clzll', '__ffsll']) yield call(name, ['s64'], 's32');
  yield call('__popcll', ['u64'], 's32');
  yield call('__brev', ['u32'], 'u32');
  yield call('__brevll', ['u64'], 'u64');
  yield call('__byte_perm', ['words', 'words', 'selector'], 'u32');
  yield call('__byte_perm', ['u32', 'u32', 'u32'], 'u32');
  for (const name of ['__funnelshift_l', '__funnelshift_lc', '__funnelshift_r', '__funnelshift_rc'])
    yield call(name, ['u32', 'u32', 'amount'], 'u32');
  for (const name of ['__mulhi', '__mul24', '__hadd', '__rhadd']) yield call(name, ['s32', 's32'], 's32');
  for (const name of ['__umulhi', '__umul24', '__uhadd', '__urhadd']) yield call(name, ['u32', 'u32'], 'u32');
  yield call('__mul64hi', ['s64', 's64'], 's64');
  yield call('__umul64hi', ['u64', 'u64'], 'u64');
  yield call('__sad', ['s32', 's32', 'u32'], 'u32');
  yield call('__usad', ['u32', 'u32', 'u32'], 'u32');
  for (const [a, b] of [['s32', 's32'], ['u32', 'u32']] as const)
    for (const name of ['__dp4a', '__dp2a_lo', '__dp2a_hi'])
      yield expression(`${name}(${a})`, ['words', 'words', a], a, `${name}((${a === 's32' ? 'int' : 'unsigned'})a, (${b === 's32' ? 'int' : 'unsigned'})b, c)`); // prettier-ignore
  for (const name of ['abs', 'llabs'] as const) yield call(name, [name === 'abs' ? 's32' : 's64'], name === 'abs' ? 's32' : 's64');
  for (const type of ['s32', 'u32', 's64', 'u64', 'f32', 'f64'] as const)
    for (const name of ['min', 'max']) yield call(name, [type, type], type);

  // ---- bytes and halves of words ----
  for (const lanes of [2, 4]) {
    const one = ['vabs', 'vabsss', 'vneg', 'vnegss'];
    const two = [
      ...['vadd', 'vaddss', 'vaddus', 'vsub', 'vsubss', 'vsubus', 'vabsdiffs', 'vabsdiffu', 'vavgs', 'vavgu', 'vhaddu'],
      ...['vmaxs', 'vmaxu', 'vmins', 'vminu', 'vsads', 'vsadu', 'vcmpeq', 'vcmpne', 'vseteq', 'vsetne'],
      ...['ge', 'gt', 'le', 'lt'].flatMap((op) => ['s', 'u'].flatMap((sign) => [`vcmp${op}${sign}`, `vset${op}${sign}`])),
    ];
    for (const name of one) yield call(`__${name}${lanes}`, ['words'], 'u32');
    for (const name of two) yield call(`__${name}${lanes}`, ['words', 'words'], 'u32');
  }

  // ---- conversions and arithmetic in four directions ----
  for (const mode of ['rn', 'rz', 'ru', 'rd']) {
    for (const [to, type] of [['int', 's32'], ['uint', 'u32'], ['ll', 's64'], ['ull', 'u64']] as const) {
      yield call(`__float2${to}_${mode}`, ['f32'], type);
      yield call(`__double2${to}_${mode}`, ['f64'], type);
      yield call(`__${to}2float_${mode}`, [type], 'f32');
      if (mode === 'rn' ? to.endsWith('int') || to.endsWith('ll') : to.endsWith('ll')) yield call(`__${to}2double_${mode}`, [type], 'f64');
    }
    yield call(`__double2float_${mode}`, ['f64'], 'f32');
    for (const [letter, type] of [['f', 'f32'], ['d', 'f64']] as const) {
      for (const op of ['add', 'sub', 'mul', 'div']) yield call(`__${letter}${op}_${mode}`, [type, type], type);
      for (const op of ['rcp', 'sqrt']) yield call(`__${letter}${op}_${mode}`, [type], type);
    }
    yield call(`__fmaf_${mode}`, ['f32', 'f32', 'f32'], 'f32');
    yield call(`__fma_${mode}`, ['f64', 'f64', 'f64'], 'f64');
    yield call(`__fmaf_ieee_${mode}`, ['f32', 'f32', 'f32'], 'f32');
  }
  yield call('__frsqrt_rn', ['f32'], 'f32');
  yield call('__saturatef', ['f32'], 'f32');
  yield call('__double2hiint', ['f64'], 's32');
  yield call('__double2loint', ['f64'], 's32');
  yield call('__hiloint2double', ['s32', 's32'], 'f64');
  yield call('__float_as_int', ['f32'], 's32');
  yield call('__float_as_uint', ['f32'], 'u32');
  yield call('__int_as_float', ['s32'], 'f32');
  yield call('__uint_as_float', ['u32'], 'f32');
  yield call('__double_as_longlong', ['f64'], 's64');
  yield call('__longlong_as_double', ['s64'], 'f64');
} // prettier-ignore
export const intrinsics = [...make()];
