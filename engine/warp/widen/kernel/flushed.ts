import type { Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';

/** Zero of the same sign in the place of a subnormal float. */
export function flushed({ writer: w }: Pick<KernelContext, 'writer'>, x: Leaf): Leaf {
  if (x.type !== 'float') return x;
  const bits = w.cast('bitcast', x, 'i32');
  const isSmall = w.compare('eq', w.binary('and', bits, w.constant('i32', 0x7f800000)), w.constant('i32', 0));
  const sign = w.cast('bitcast', w.binary('and', bits, w.constant('i32', -2147483648)), 'float');
  return w.select(isSmall, sign, x);
}
