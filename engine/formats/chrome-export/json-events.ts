/** Events of Chrome's format as lines of JSON. */
export type Fields = Record<string, unknown>;

/** Metadata of a process or thread: its name, or its position. */
export const metadata = (name: string, pid: number, args: Fields, tid?: number): string =>
  JSON.stringify({ ph: 'M', name, pid, ...(tid === undefined ? {} : { tid }), args });

/** Times are microseconds there; written as text, they stay exact to the nanosecond. */
export function event(fields: Fields, start: number, duration?: number): string {
  const times = `,"ts":${microseconds(start)}${duration === undefined ? '' : `,"dur":${microseconds(duration)}`}`;
  return `${JSON.stringify(fields).slice(0, -1)}${times}}`;
}

function microseconds(ns: number): string {
  const rest = ns % 1000;
  return `${(ns - rest) / 1000}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`;
}
