/** Wording of changes. */

/** `2.1× faster`, `1.25× slower`, `4.2 % less time`, `as fast`. */
export function speed(beforeNs: number, afterNs: number): string {
  if (beforeNs === afterNs) return 'as fast';
  if (!(beforeNs > 0) || !(afterNs > 0)) return afterNs > beforeNs ? 'slower' : 'faster';
  const ratio = Math.max(beforeNs / afterNs, afterNs / beforeNs);
  if (ratio >= 1.1)
    return `${ratio.toFixed(ratio < 10 ? 2 : 1).replace(/\.?0+$/, '')}× ${afterNs < beforeNs ? 'faster' : 'slower'}`;
  const percent = 100 * Math.abs(afterNs / beforeNs - 1);
  return `${percent < 0.1 ? 'less than 0.1' : percent.toFixed(1)} % ${afterNs < beforeNs ? 'less' : 'more'} time`;
}

/** `+4.2 %`, `−12 %`; of shares of 1. */
export function change(share: number): string {
  const percent = 100 * Math.abs(share);
  const digits = percent < 10 ? 2 : 1;
  const text = percent.toFixed(digits);
  return `${Number(text) === 0 ? '±' : share < 0 ? '−' : '+'}${text} %`;
}
export const percentOf = (share: number): string => `${(100 * share).toFixed(1).replace(/\.0$/, '')} %`;

export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
