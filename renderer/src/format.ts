/** Numbers as people read them. All pure; the units are those of the engine's types (nanoseconds, bytes). */
import type { Chart } from '../../engine/model/timeline.ts';

const timeUnits = [
  { unit: 's', ns: 1e9 },
  { unit: 'ms', ns: 1e6 },
  { unit: 'µs', ns: 1e3 },
  { unit: 'ns', ns: 1 },
] as const;

/** About four digits in the unit that fits: `3.214 ms`, `12.50 µs`, `7 ns`. */
export function formatDuration(ns: number): string {
  const size = Math.abs(ns);
  // 999.9996 µs would be printed as "1000.0 µs": compare what is printed, not what is there.
  const fit = timeUnits.find(({ ns: unit }) => size >= unit * 0.99995) ?? timeUnits[3];
  const value = ns / fit.ns;
  if (fit.unit === 'ns') return `${trimZeros(value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0))} ns`;
  return `${value.toFixed(decimalsFor(Math.abs(value)))} ${fit.unit}`;
}

/** A place on a ruler whose labels are `stepNs` apart, a digit finer than they are: `186.2184 µs`. */
export function formatTimeAt(ns: number, stepNs: number): string {
  const size = Math.abs(ns);
  const fit = timeUnits.find(({ ns: unit }) => size >= unit) ?? timeUnits[3];
  const decimals = Math.max(0, Math.min(12, Math.ceil(1 - Math.log10(stepNs / fit.ns))));
  return `${(ns / fit.ns).toFixed(decimals)} ${fit.unit}`;
}

/** All digits, in the unit of the trace: `1,234,567 ns`. */
export function formatExactNs(ns: number): string {
  return `${groupDigits(trimZeros(ns.toFixed(3)))} ns`;
}

function decimalsFor(value: number): number {
  return value >= 100 ? 1 : value >= 10 ? 2 : 3;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function groupDigits(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

export function formatCount(count: number): string {
  return groupDigits(String(Math.round(count)));
}

/** Powers of 1024, as `nvidia-smi` and the CUDA documentation mean MiB and GiB. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : trimZeros(value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2))} ${units[unit]}`;
}

/** Powers of 1000, as data sheets give bandwidth. */
export function formatBandwidth(bytesPerSecond: number): string {
  return bytesPerSecond >= 1e12
    ? `${trimZeros((bytesPerSecond / 1e12).toFixed(2))} TB/s`
    : `${trimZeros((bytesPerSecond / 1e9).toFixed(bytesPerSecond < 1e11 ? 1 : 0))} GB/s`;
}

/** after / before as words of speed: `2.31× faster`, `1.08× slower`, `same`. */
export function formatRatio(ratio: number): { text: string; change: 'faster' | 'slower' | 'same' } {
  // Simulated runs have no noise; half a percent is what the display can still show as different.
  if (Math.abs(ratio - 1) < 0.005) return { text: 'same', change: 'same' };
  if (ratio < 1) return { text: ratio === 0 ? 'gone' : `${times(1 / ratio)}× faster`, change: 'faster' };
  return { text: `${times(ratio)}× slower`, change: 'slower' };
}

function times(factor: number): string {
  return factor >= 100 ? factor.toFixed(0) : factor >= 10 ? factor.toFixed(1) : factor.toFixed(2);
}

/** How long ago, coarse: recent traces are told apart by day, not by second. */
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

/** A value of a chart, in its unit. */
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

/** `16 s`, `3 min`: of what is still to be done. */
export function formatTimeLeft(seconds: number): string {
  return seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
