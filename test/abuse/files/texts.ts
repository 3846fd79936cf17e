import type { Random } from '../../fuzz/random.ts';

const pieces = [
  '(',
  '<',
  ')',
  '>',
  ':',
  ' ',
  '`',
  'a',
  '|',
  '<>',
  'a<',
  '::',
  'const ',
  'operator',
  'x(a -> ',
  '#1',
  '\u202e',
  '\u001b[2J',
  '<b>',
  '=cmd|',
  '_bytes',
  '.',
];

/** A long text out of one piece, as what looks for brackets, ends and words in it likes it least. */
export function hostileText(random: Random, length: number): string {
  const piece = random.pick(pieces);
  return (
    random.pick(['', 'void ', 'a']) +
    piece.repeat(Math.ceil(length / piece.length)).slice(0, length) +
    random.pick(['', '!', '(int)', '>'])
  );
}
