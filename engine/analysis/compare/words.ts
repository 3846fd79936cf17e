/** How changes are said. */

/** `2.1× faster`, `12 % slower`, `as fast`. */
export function speed(beforeNs: number, afterNs: number): string {
  if (beforeNs === afterNs) return 'as fast';
  if (!(beforeNs > 0) || !(afterNs > 0)) return afterNs > beforeNs ? 'slower' : 'faster';
  const [ratio, word] = afterNs < beforeNs ? [beforeNs / afterNs, 'faster'] : [afterNs / beforeNs, 'slower'];
  if (ratio >= 1.5) return `${ratio.toFixed(ratio < 10 ? 2 : 1).replace(/\.?0+$/, '')}× ${word}`;
  const percent = 100 * Math.abs(1 - afterNs / beforeNs);
  return percent < 0.05 ? `less than 0.1 % ${word}` : `${percent.toFixed(1)} % ${word}`;
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
