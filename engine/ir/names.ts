/** Names in LLVM IR. */
import { withoutSuffix } from '../base/device-names.ts';

/** A name without its sigil, quotes and suffix. */
export const unquote = (name: string): string => {
  const body = /^[%@$]/.test(name) ? name.slice(1) : name;
  return withoutSuffix(body.startsWith('"') ? unescaped(body.slice(1, -1)) : body);
};

/** Text without escapes. Bytes other than printable ASCII are written in hexadecimal; names are UTF-8, as the host program knows them. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const bytes = text.replace(/\\([0-9A-Fa-f]{2})|\\\\/g, (_, hex?: string) =>
    String.fromCharCode(hex ? parseInt(hex, 16) : 92),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The intrinsic that a function of our headers stands for (simsight/builtin_variables.h), or the function itself. */
export const intrinsicOf = (callee: string): string =>
  callee.replace(/^__simsight_sreg_([a-z]+)_([xyz])$/, 'llvm.nvvm.read.ptx.sreg.$1.$2');
