/** A share of `npm run abuse -- names`: one name, every command; and symbols of a program's own choice. */
import { expect, test } from 'vitest';
import { csvLine } from '../../../engine/analysis/formats.ts';
import { hostileNames, names } from '../../abuse/names.ts';
import type { Attempt } from '../../abuse/section.ts';
import { unescaped } from '../../../engine/ir/names.ts';
import { kernelSymbol, functionSymbol } from '../../../engine/warp/widen/kernel/symbols.ts';
import { temporaryFolder } from '../trace/example-recording.ts';

test('one of the names, in every place and through every command', async () => {
  const attempts: Attempt[] = [];
  const only = { ...hostileNames };
  for (const kind of Object.keys(hostileNames)) if (kind !== 'LLVM') delete hostileNames[kind];
  try {
    await names.run({ folder: temporaryFolder(), seed: 'A', onAttempt: (one) => attempts.push(one) });
  } finally {
    Object.assign(hostileNames, only);
  }
  expect(attempts.length).toBeGreaterThan(25);
  expect(attempts.filter(({ failure }) => failure !== null)).toEqual([]);
});

test('CSV: text that would be a formula is text, numbers are numbers', () => {
  expect(csvLine(['-5', '+1.5e-3', '-.5', '1,000', ''])).toBe('-5,+1.5e-3,-.5,"1,000",\n');
  expect(csvLine(['=1+1', '-2+3', '+x', '@a', '\t=1', ' =1', '＝1', '-'])).toBe(
    `'=1+1,'-2+3,'+x,'@a,"'\t=1",' =1,'＝1,'-\n`,
  );
  expect(csvLine(['a;=1', 'say "x"', 'a\nb', 'a\u001b[2Jb\rc'])).toBe(
    `"a;=1","say ""x""","a\nb",a${String.raw`\u001b`}[2Jb${String.raw`\u000d`}c\n`,
  );
});

test('symbols in generated code end nothing, and are all different', () => {
  expect(kernelSymbol('_Z5saxpyIfEviT_')).toBe('"kernel._Z5saxpyIfEviT_"');
  const odd = new Set(['a"b', 'a\\22b', 'a\nb', 'a.b', 'a$b', 'a$2e$b', ...Object.values(hostileNames)]);
  const symbols = [...odd].flatMap((one) => [kernelSymbol(one), functionSymbol(one, 'f'), functionSymbol('k', one)]);
  for (const symbol of symbols) expect(symbol).toMatch(/^"(kernel|function)[\w.$]*"$/);
  expect(new Set(symbols).size).toBe(symbols.length);
  expect(functionSymbol('a.b', 'c')).not.toBe(functionSymbol('a', 'b.c'));
  expect([unescaped(String.raw`gr\C3\B6\C3\9Fe`), unescaped(String.raw`a\22b\5Cc\\d`)]).toEqual(['größe', 'a"b\\c\\d']);
});
