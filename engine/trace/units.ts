/** Numbers as people read them in the selection panel, tables and the terminal. */

const timeUnits = [
  { limit: 1e3, divisor: 1, name: 'ns' },
  { limit: 1e6, divisor: 1e3, name: 'µs' },
  { limit: 1e9, divisor: 1e6, name: 'ms' },
  { limit: Infinity, divisor: 1e9, name: 's' },
];

/** `12.345 µs`: at most six significant digits, whole nanoseconds. */
export function formatTime(ns: number): string {
  const unit = timeUnits.find(({ limit }) => Math.abs(ns) < limit) ?? timeUnits[3]!;
  const value = ns / unit.divisor;
  return `${unit.divisor === 1 ? Math.round(value) : trim(value.toFixed(Math.abs(value) < 100 ? 3 : 2))} ${unit.name}`;
}

/** `4 MiB`, `16.4 KiB`, `512 B` */
export function formatBytes(bytes: number): string {
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  for (; Math.abs(value) >= 1024 && unit < names.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : trim(value.toFixed(2))} ${names[unit]}`;
}

/** `12.3 GB/s`; nanoseconds and bytes happen to give gigabytes. */
export function formatThroughput(bytes: number, ns: number): string {
  return ns > 0 ? `${trim((bytes / ns).toFixed(2))} GB/s` : '';
}

/** Made once: to make one for each number takes a hundred times as long. */
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** `1,234,567` and at most three decimals. */
export function formatNumber(value: number): string {
  return grouped.format(value);
}

export const formatAddress = (address: number): string => `0x${address.toString(16)}`;

export const formatPercent = (value: number): string => `${trim(value.toFixed(1))} %`;

const trim = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
