/** Names of a megabyte that are made to be slow: what is done with names takes time that grows with their length, not with its square. */
import { describe, expect, test } from 'vitest';
import { kernelName, rangeName, readable, stepName } from '../../../engine/analysis/compare/names.ts';
import { csvLine, toText } from '../../../engine/analysis/formats.ts';
import {
  escaped,
  markdownCode,
  markdownFenced,
  markdownText,
  shortened,
} from '../../../engine/analysis/report/text.ts';
import { asNsysPrints, shortName } from '../../../engine/compile/demangle.ts';
import { withCommentsAndStrings } from '../../../engine/compile/sources.ts';
import { apiName } from '../../../engine/model/nsight-codes.ts';
import { describeMetric, formatMetric, unitOfMetric } from '../../../engine/model/metric-names.ts';
import { baseName, isNamed } from '../../../renderer/src/trace/kernel-name.ts';

const size = 2 ** 20;
const of = (piece: string): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
const pieces = [
  ...['(', ')', '<', '>', ':', ' ', '`', 'a', '*', '|', '<>', '()', 'a<', 'a(', '> ', '::', 'a::', '`a', 'const ', '-'],
  ...[
    'unsigned ',
    'long ',
    'a<b>',
    'a<x<y>',
    '(int)',
    '(aType',
    'operator',
    'operator<',
    'operator ',
    ', op_id = 1',
    '#1',
  ],
  ...[
    'step 1',
    '_bytes',
    'pct_of_peak',
    '"',
    '\\"',
    '/*',
    '//',
    '\n',
    'a\n',
    '.',
    '1',
    '_v1',
    'www.',
    ' -> ',
    '(anonymous namespace)',
  ],
];
const names = pieces.map((piece, i) => (i % 2 === 0 ? `void ${of(piece)}(int) const*` : `a${of(piece)}>`));

const uses: Record<string, (name: string) => unknown> = {
  shortName,
  asNsysPrints,
  kernelName: (name) => readable(kernelName(name).function),
  rangeName,
  stepName,
  apiName,
  metric: (name) => [describeMetric(name), formatMetric(name, 1), unitOfMetric(name)],
  escaped,
  markdownText,
  markdownCode: (name) => markdownCode(name, true),
  markdownFenced: (name) => markdownFenced(name),
  shortened: (name) => shortened(name, 80),
  csvLine: (name) => csvLine([name, name]),
  toText: (name) => toText([{ name: 'Name', type: 'text' }], [[name], ['b']]),
  comments: (name) => withCommentsAndStrings(name, () => ' '),
  'labels of the timeline': (name) => [baseName(name), isNamed({ label: 'a', fullName: name }, 'b<1>')],
};

describe('a megabyte in a name', () => {
  // A square would be minutes; the runner's own limit of time ends it.
  test.each(Object.keys(uses))('%s', (use) => {
    for (const name of names) expect(uses[use]!(name)).toBeDefined();
  });
});

test('comments and strings, as C++ has them', () => {
  const marked = (text: string): string => withCommentsAndStrings(text, (found) => `[${found}]`);
  expect(marked('a /* b */ c // d\n"e // f" g')).toBe('a [/* b */] c [// d]\n["e // f"] g');
  expect(marked(String.raw`"a\"b" "c\\" d`)).toBe(String.raw`["a\"b"] ["c\\"] d`);
  expect(marked('\'"\' // a\n"b"')).toBe('\'"\' [// a]\n["b"]');
  expect(marked('/*/ a */ /* b "c"')).toBe('[/*/ a */] /* b ["c"]');
  expect(marked('"a\n"b"')).toBe('"a\n["b"]');
});

test('what short names and types were before, they are now', () => {
  expect(shortName('void ns::scale<float>(float *, int)')).toBe('scale');
  expect(shortName('bool operator< <int>(A, B)')).toBe('operator< ');
  expect(shortName('A::operator->')).toBe('operator->');
  expect(shortName('a\nb::c<d<e>>(f)')).toBe('c');
  expect(asNsysPrints('f(unsigned int const*, Pair<A, B<C> > const&)')).toBe(
    'f(const unsigned int *, const Pair<A, B<C> > &)',
  );
});
