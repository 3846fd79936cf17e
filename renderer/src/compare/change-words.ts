/** Words for a row of the comparison before and after: a word, a sign, and whether that is good. */
import type { CompareRow } from '../../../engine/model/comparison.ts';
import { formatRatio } from '../format.ts';

export interface Change {
  text: string;
  /** For those who cannot tell the colours apart. */
  sign: string;
  verdict: 'better' | 'worse' | 'same';
}

/** Time that is good to have: copies hidden under kernels. All other time is better when there is less of it. */
const wanted = (row: CompareRow): boolean => row.kind === 'total' && /\bunder\b|overlap/i.test(row.name);

export function changeOf(row: CompareRow): Change {
  const more = wanted(row);
  if (row.ratio === null) {
    if (row.beforeNs === 0 && row.afterNs === 0) return { text: 'none', sign: '=', verdict: 'same' };
    return row.beforeNs === 0
      ? { text: 'only after', sign: '+', verdict: more ? 'better' : 'worse' }
      : { text: 'only before', sign: '−', verdict: more ? 'worse' : 'better' };
  }
  const { text, change } = formatRatio(row.ratio);
  if (change === 'same') return { text, sign: '=', verdict: 'same' };
  if (more) {
    return change === 'slower'
      ? { text: text.replace('slower', 'more'), sign: '▲', verdict: 'better' }
      : { text: text.replace('faster', 'less'), sign: '▼', verdict: 'worse' };
  }
  if (row.change === 'less' || row.change === 'more') {
    return change === 'faster'
      ? { text: text.replace('faster', 'less'), sign: '▼', verdict: 'better' }
      : { text: text.replace('slower', 'more'), sign: '▲', verdict: 'worse' };
  }
  return change === 'faster' ? { text, sign: '▼', verdict: 'better' } : { text, sign: '▲', verdict: 'worse' };
}
