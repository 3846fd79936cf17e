/**
 * Numbers as people read them, alike everywhere: in the page, in the terminal, in reports and advice. The units are those of the
 * engine's types: nanoseconds, bytes, bytes per second.
 */

/** Units of time, the largest first. `from`: what is printed as one of them or more, since 999.996 µs would be printed as "1000 µs" (ns). */
const timeUnits = [
  { name: 's', ns: 1e9, from: 999_995_000 },
  { name: 'ms', ns: 1e6, from: 999_995 },
  { name: 'µs', ns: 1e3, from: 999.5 },
] as const;

/** A time in the unit that fits, with at most five or six significant digits: `12.345 µs`, `250 ms`, `7 ns`. */
export function formatTime(ns: number): string {
  const size = Math.abs(ns);
  const unit = timeUnits.find(({ from }) => size >= from);
  if (!unit) return `${trimZeros(ns.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0))} ns`;
  const value = ns / unit.ns;
  return `${trimZeros(value.toFixed(Math.abs(value) < 100 ? 3 : 2))} ${unit.name}`;
}

/** A place on a ruler whose labels are `stepNs` apart, a digit finer than they are: `186.2184 µs`. */
export function formatTimeAt(ns: number, stepNs: number): string {
  const size = Math.abs(ns);
  const unit = timeUnits.find((each) => size >= each.ns) ?? { name: 'ns', ns: 1 };
  const decimals = Math.max(0, Math.min(12, Math.ceil(1 - Math.log10(stepNs / unit.ns))));
  return `${(ns / unit.ns).toFixed(decimals)} ${unit.name}`;
}

/** A time with all its digits, down to a thousandth of a nanosecond: `1,234,567.25 ns`. */
export const formatExactTime = (ns: number): string => `${formatNumber(ns)} ns`;

/** Intl's formatter, made once: to make one for each number takes a hundred times as long. Many processes never need one. */
let grouped: Intl.NumberFormat | undefined;

/** A number with thousands separators and at most three decimals: `1,234,567`. */
export function formatNumber(value: number): string {
  grouped ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
  return grouped.format(value);
}

/** A whole number with thousands separators; fractions, as of cycles, are rounded. */
export const formatCount = (count: number): string => formatNumber(Math.round(count));

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes by powers of 1024, as `nvidia-smi` and the CUDA documentation mean MiB and GiB: `16.4 KiB`, `512 B`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; Math.abs(value) >= (unit === 0 ? 1024 : 1023.995) && unit < byteUnits.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : trimZeros(value.toFixed(2))} ${byteUnits[unit]}`;
}

/** A rate by powers of 1000, as data sheets give bandwidth: `4.8 TB/s`, `56.1 GB/s`. */
export const formatBandwidth = (bytesPerSecond: number): string => formatRate(bytesPerSecond / 1e9);

/** The rate at which `bytes` pass in `ns`, as {@link formatBandwidth} has it; empty where there is no time. */
export const formatThroughput = (bytes: number, ns: number): string => (ns > 0 ? formatRate(bytes / ns) : '');

/** Bytes per nanosecond are gigabytes per second. */
const formatRate = (gigabytes: number): string =>
  gigabytes >= 999.995 ? `${trimZeros((gigabytes / 1e3).toFixed(2))} TB/s` : `${trimZeros(gigabytes.toFixed(2))} GB/s`;

/** An address in hexadecimal: `0x7f0000000000`. */
export const formatAddress = (address: number): string => `0x${address.toString(16)}`;

/** A share, given in percent, with at most one decimal: `12.5 %`. */
export const formatPercent = (value: number): string => `${trimZeros(value.toFixed(1))} %`;

/** A decimal number without zeros at its end. */
export const trimZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
