import { describe, expect, test } from 'vitest';
import { harmless, harmlessLine, harmlessLines, TerminalText } from '../../../engine/base/harmless.ts';

const hostile: [string, string][] = [
  ['\u001b[31mred', String.raw`\u001b[31mred`],
  ['\u001b]52;c;cm0=\u0007', String.raw`\u001b]52;c;cm0=\u0007`],
  ['\u009b2J\u0090x\u009c', String.raw`\u009b2J\u0090x\u009c`],
  ['a\u0000b\bc\u007f', String.raw`a\u0000b\u0008c\u007f`],
  ['evil\rnice', String.raw`evil\u000dnice`],
  ['\u202egpj.exe\u2066x\u2069\u200f\u061c', String.raw`\u202egpj.exe\u2066x\u2069\u200f\u061c`],
  ['a\u200bb\ufeff\u2028c\u2060', String.raw`a\u200bb\ufeff\u2028c\u2060`],
  ['\ud800x\udc00', String.raw`\ud800x\udc00`],
  ['\u{e0041}', String.raw`\udb40\udc41`],
];

describe('text for a terminal', () => {
  test('has no orders, no marks of direction and nothing unseen', () => {
    for (const [text, shown] of hostile) expect(harmless(text)).toBe(shown);
  });
  test('is as it was where there is nothing of that', () => {
    for (const text of ['void f<int>(a, b)\n\ttab\r\n', 'größer 平 مرحبا שלום 👩‍👩‍👧 ∑ é́', ''])
      expect(harmless(text)).toBe(text);
  });
  test('that is JSON still says the same', () => {
    for (const [text] of hostile) {
      const json = JSON.stringify({ [text]: text }, null, 2);
      expect(JSON.parse(harmless(json))).toEqual({ [text]: text });
      expect(harmless(harmless(json))).toBe(harmless(json));
    }
  });
  test('of a name is on one line', () => {
    expect(harmlessLine('a\nb\r\nc\td\re')).toBe(String.raw`a\nb\nc\td\u000de`);
    const result = { name: 'a\nb', rows: [['\u001b', 1, null]], flag: true };
    expect(harmlessLines(result)).toEqual({
      name: String.raw`a\nb`,
      rows: [[String.raw`\u001b`, 1, null]],
      flag: true,
    });
  });
});

describe('what a program prints on a terminal', () => {
  const printed = (...pieces: string[]): string => {
    const text = new TerminalText();
    return pieces.map((piece) => text.take(piece)).join('');
  };
  test('keeps its colours and its progress', () => {
    const text = '\u001b[1;32mok\u001b[0m 10 %\r20 %\b\b\n\u001b[m\u001b[38:2::1:2:3mx';
    expect(printed(text)).toBe(text);
  });
  test('gives the terminal no other orders', () => {
    expect(printed('\u001b]0;title\u0007\u001b[2J\u001bc\u001b[6n\u009b31m')).toBe(
      String.raw`\u001b]0;title\u0007\u001b[2J\u001bc\u001b[6n\u009b31m`,
    );
    expect(printed('\u202e')).toBe(String.raw`\u202e`);
  });
  test('in whatever pieces it comes', () => {
    const text = 'a\u001b[1;31mb\u001b]0;x\u0007c\u001b[0md\u001b\u001b[2Je';
    const whole = printed(text);
    for (let at = 0; at <= text.length; at++) expect(printed(text.slice(0, at), text.slice(at))).toBe(whole);
    expect(printed(...text.split(''))).toBe(whole);
    // An incomplete sequence is not shown.
    expect(printed('a\u001b[3')).toBe('a');
    expect(printed(`\u001b[${'1;'.repeat(100)}`)).toContain(String.raw`\u001b[1;`);
  });
});
