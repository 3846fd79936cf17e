/** Formats that only the page needs: ratios, ages, places of files, values of charts. Numbers: engine/model/format.ts. */
import { formatBandwidth, formatBytes, trimZeros } from '../../engine/model/format.ts';
import type { Chart } from '../../engine/model/timeline.ts';

/** The ratio after / before as words of speed: `2.31× faster`, `1.08× slower`, `same`. */
export function formatRatio(ratio: number): { text: string; change: 'faster' | 'slower' | 'same' } {
  // Simulated runs have no noise; half a percent is what the display can still show as different.
  if (Math.abs(ratio - 1) < 0.005) return { text: 'same', change: 'same' };
  if (ratio < 1) return { text: ratio === 0 ? 'gone' : `${times(1 / ratio)}× faster`, change: 'faster' };
  return { text: `${times(ratio)}× slower`, change: 'slower' };
}

function times(factor: number): string {
  return factor >= 100 ? factor.toFixed(0) : factor >= 10 ? factor.toFixed(1) : factor.toFixed(2);
}

/** An age, coarse: recent traces are told apart by day, not by second. */
export function formatAgo(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 60 * 24) return `${Math.floor(minutes / 60)} h ago`;
  const days = Math.floor(minutes / (60 * 24));
  return days === 1 ? 'yesterday' : `${days} days ago`;
}

export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) || path;
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.length - fileName(path).length - 1));
}

/** A value of a chart, in the chart's unit. */
export function formatChartValue(value: number, unit: Chart['unit']): string {
  switch (unit) {
    case 'percent':
      return `${trimZeros(value.toFixed(1))} %`;
    case 'warps':
      return `${trimZeros(value.toFixed(2))} warps`;
    case 'bytes-per-second':
      return value < 1e8 ? `${trimZeros((value / 1e6).toFixed(2))} MB/s` : formatBandwidth(value);
    case 'bytes':
      return formatBytes(value);
  }
}

/** The time (s) that something still takes: `16 s`, `3 min`. */
export function formatTimeLeft(seconds: number): string {
  return seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
