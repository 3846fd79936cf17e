/** JSON as bytes. */

/** Results in place of the end of something: more bytes have to come, or it is none. */
export const incomplete = -1;
export const wrong = -2;

export const quote = 0x22;
export const backslash = 0x5c;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const isSpace = (c: number): boolean => c === 32 || c === 10 || c === 13 || c === 9;
export const isNumeric = (c: number): boolean =>
  (c >= 0x30 && c <= 0x39) || c === 0x2e || c === 0x2d || c === 0x2b || c === 0x65 || c === 0x45;
export const isLetter = (c: number): boolean => (c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a);
