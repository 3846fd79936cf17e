/** Difference of a number from the same of a baseline. All pure. */

const minus = '−';
/** From here on a factor says more than percents. */
const manyfold = 10;

/** The difference: `+12.3 %`, `−50.0 %`, `×38`, `was 0`; empty where there is none, or where one of the two is not known. */
export function differenceOf(now: number | null | undefined, before: number | null | undefined): string {
  if (now === null || now === undefined || before === null || before === undefined || now === before) return '';
  if (before === 0) return 'was 0';
  const ratio = now / before;
  if (ratio >= manyfold) return `×${ratio < 100 ? ratio.toFixed(1) : Math.round(ratio).toLocaleString('en')}`;
  const percent = (100 * (now - before)) / Math.abs(before);
  const size = Math.abs(percent).toFixed(1);
  return size === '0.0' ? '' : `${percent > 0 ? '+' : minus}${size} %`;
}
