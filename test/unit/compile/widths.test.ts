import { describe, expect, test } from 'vitest';
import { widthWarnings } from '../../../engine/compile/widths.ts';

const warnings = (text: string): string => widthWarnings(new Map([['/p/a.cu', Buffer.from(text)]]), (path) => path);

describe('what has other widths than on 64-bit Linux', () => {
  test('long is said once per file, with its place', () => {
    expect(warnings('int a;\nunsigned long b;\nlong c;\n')).toBe(
      "/p/a.cu:2:10: warning: 'long' has 32 bits here, as on Windows, in 2 places of this file; use 'long long' where values do not fit\n" +
        '    2 | unsigned long b;\n      |          ^\n',
    );
  });
  test('long long, long double, comments and strings are not it', () => {
    expect(
      warnings('long long a; long\nlong b; long double c; // long\nchar *s = "long"; /* long */ int belong;\n'),
    ).toBe('');
  });
  test('a constant that size_t cannot hold', () => {
    expect(warnings('size_t n = (size_t)4 << 30;')).toMatch(
      /1:12: warning: size_t has 32 bits here: '\(size_t\)4 << 30' is 0, not 4294967296/,
    );
    expect(warnings('size_t n = (size_t)1 << 30;')).toBe('');
  });
});
