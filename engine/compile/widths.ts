/**
 * Programs run as 32-bit ones (see ./flags.ts), and most were written for 64-bit Linux. Pointers agree on both sides, and
 * addresses and sizes stay below 4 GiB; but where a program counts on 64 bits of `long` or `size_t`, it must be told.
 */

import { withCommentsAndStrings } from './sources.ts';

/** The same length, without what is in comments and strings. */
const blanked = (text: string): string => withCommentsAndStrings(text, (found) => found.replace(/[^\n]/g, ' '));

/** `long` that is neither `long long` nor `long double`. */
const longType = /(?<!\blong\s+)\blong\b(?!\s+(?:long|double)\b)/g;
const sizeShift = /\(\s*(?:std::)?size_t\s*\)\s*(\d+)\s*<<\s*(\d+)/g;

/** Warnings beyond so many tell the user nothing new. */
const mostOfFile = 100;

interface Finding {
  at: number;
  message: string;
}

function findings(text: string): Finding[] {
  const code = blanked(text);
  const shifts = [...code.matchAll(sizeShift)].flatMap((match) => {
    // Larger ones are Clang's to complain about.
    if (match[1]!.length > 19 || Number(match[2]) > 63) return [];
    const value = BigInt(match[1]!) << BigInt(match[2]!);
    if (value < 2n ** 32n) return [];
    const message = `size_t has 32 bits here: '${match[0]}' is ${BigInt.asUintN(32, value)}, not ${value}`;
    return [{ at: match.index, message }];
  });
  const longs = [...code.matchAll(longType)];
  if (longs.length === 0) return shifts;
  const more = longs.length === 1 ? '' : `, in ${longs.length} places of this file`;
  const message = `'long' has 32 bits here, as on Windows${more}; use 'long long' where values do not fit`;
  return [...shifts, { at: longs[0]!.index, message }];
}

/** Warnings as Clang would print them, for the user's files by the names the compiler knows them by. */
export function widthWarnings(files: Map<string, Uint8Array>, nameOf: (path: string) => string): string {
  const decoder = new TextDecoder();
  let warnings = '';
  for (const [path, bytes] of files) {
    const text = decoder.decode(bytes);
    for (const { at, message } of findings(text).slice(0, mostOfFile)) {
      const start = text.lastIndexOf('\n', at - 1) + 1;
      const line = text.slice(0, at).split('\n').length;
      const end = text.indexOf('\n', at);
      const source = text.slice(start, end < 0 ? undefined : end);
      const number = String(line).padStart(5);
      warnings += `${nameOf(path)}:${line}:${at - start + 1}: warning: ${message}\n${number} | ${source}\n      | ${' '.repeat(at - start)}^\n`;
    }
  }
  return warnings;
}
