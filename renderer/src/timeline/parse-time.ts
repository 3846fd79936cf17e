/** Times as people type them: `1.25 s`, `3,400 ns`, `12.5ms`, `+3 us`; without a unit, in the one given. */

const units: Readonly<Record<string, number>> = { s: 1e9, ms: 1e6, us: 1e3, µs: 1e3, μs: 1e3, ns: 1 };

export interface TypedTime {
  ns: number;
  /** It began with a sign: so much from where one is. */
  relative: boolean;
}

/** Null for what is no time. */
export function parseTime(text: string, defaultUnit = 'ns'): TypedTime | null {
  const parts = /^\s*([+-]?)\s*(\d[\d,_ ]*(?:\.\d*)?|\.\d+)\s*([a-zµμ]*)\s*$/i.exec(text);
  if (!parts) return null;
  const [, sign = '', digits = '', unit = ''] = parts;
  const scale = units[unit === '' ? defaultUnit : unit.toLowerCase()];
  const value = Number(digits.replaceAll(/[,_ ]/g, ''));
  if (scale === undefined || !Number.isFinite(value)) return null;
  return { ns: (sign === '-' ? -1 : 1) * value * scale, relative: sign !== '' };
}
