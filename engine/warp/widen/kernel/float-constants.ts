/** Floating-point constants as LLVM IR spells them. */

/** Bits of a half or bfloat16 constant. LLVM writes them as 0xH… and 0xR…, or as a number that is exact. */
export function narrowBits(text: string, kind: 'half' | 'bfloat'): number {
  if (/^0x[HR]/.test(text)) return parseInt(text.slice(3), 16);
  const view = new DataView(new ArrayBuffer(8));
  if (text.startsWith('0x')) view.setBigUint64(0, BigInt(text));
  else view.setFloat64(0, Number(text));
  const value = view.getFloat64(0);
  view.setFloat32(0, value);
  if (kind === 'bfloat') return view.getUint16(0);
  if (value === 0) return Object.is(value, -0) ? 0x8000 : 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  const fraction = Math.abs(value) / 2 ** exponent - 1;
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | Math.round(fraction * 1024);
}

/** Value of a float or double constant as LLVM writes it; NaN if the text is none. */
export function floatConstant(text: string): number {
  if (!text.startsWith('0x')) return text === '' ? NaN : Number(text);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(text));
  return view.getFloat64(0);
}
