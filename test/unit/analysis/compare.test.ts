import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareTraces, formatComparison } from '../../../engine/analysis/compare.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { api, copy, facts, kernel, temporaryFolder, write } from '../trace/example-recording.ts';

const folder = temporaryFolder();
const names = new Map([
  ['slow', { demangled: 'void tile<8>(float*)', short: 'tile' }],
  ['fast', { demangled: 'void tile<16>(float*)', short: 'tile' }],
  ['same', { demangled: 'same(int)', short: 'same' }],
  ['gone', { demangled: 'gone()', short: 'gone' }],
]);
const before = openTrace(
  write(
    join(folder, 'before.simsight'),
    [
      copy(0, 1000, 1),
      kernel(1000, 5000, 2, 7, { kernel: 'slow' }),
      kernel(5000, 5100, 3, 7, { kernel: 'same' }),
      kernel(5100, 5150, 4, 7, { kernel: 'gone' }),
      api('cudaMemcpy', 0, 1010, 1),
    ],
    { title: 'Before', names },
  ),
);
const after = openTrace(
  write(
    join(folder, 'after.simsight'),
    [
      copy(0, 600, 1),
      copy(600, 1000, 5),
      kernel(400, 2400, 2, 7, { kernel: 'fast' }),
      kernel(2400, 2500, 3, 7, { kernel: 'same' }),
      api('cudaMemcpyAsync', 0, 30, 1),
    ],
    { title: 'After', names },
  ),
);

test('rows are matched by name, template arguments aside, the largest change first', () => {
  const { rows } = compareTraces(before, after);
  expect(rows.filter(({ kind }) => kind !== 'total')).toEqual([
    { kind: 'kernel', name: 'tile', beforeCount: 1, afterCount: 1, beforeNs: 4000, afterNs: 2000, ratio: 0.5 },
    { kind: 'api', name: 'cudaMemcpy', beforeCount: 1, afterCount: 0, beforeNs: 1010, afterNs: 0, ratio: null },
    { kind: 'kernel', name: 'gone()', beforeCount: 1, afterCount: 0, beforeNs: 50, afterNs: 0, ratio: null },
    { kind: 'api', name: 'cudaMemcpyAsync', beforeCount: 0, afterCount: 1, beforeNs: 0, afterNs: 30, ratio: null },
    {
      ...{ kind: 'memory', name: '[CUDA memcpy Host-to-Device]', beforeCount: 1, afterCount: 2 },
      ...{ beforeNs: 1000, afterNs: 1000, ratio: 1 },
    },
    { kind: 'kernel', name: 'same(int)', beforeCount: 1, afterCount: 1, beforeNs: 100, afterNs: 100, ratio: 1 },
  ]);
});

test('totals: duration, GPU busy, kernels, copies, and copies under kernels', () => {
  const totals = compareTraces(before, after).rows.filter(({ kind }) => kind === 'total');
  expect(totals.map(({ name, beforeNs, afterNs }) => [name, beforeNs, afterNs])).toEqual([
    ['Session duration', 5150, 2500],
    ['GPU busy', 5150, 2500],
    ['Kernel time', 4150, 2100],
    ['Copy time', 1000, 1000],
    ['Copies under kernels', 0, 600],
  ]);
});

test('a trace against itself shows no change', () => {
  for (const row of compareTraces(before, before).rows) expect(row.afterNs - row.beforeNs).toBe(0);
});

test('as text for the terminal', () => {
  const text = formatComparison(compareTraces(before, after));
  expect(text).toContain(` Before Before on ${facts.gpu.name}, 5.15 µs\n After  After on ${facts.gpu.name}, 2.5 µs\n`);
  expect(text).toMatch(/^ Kernel +4 µs +2 µs +-2 µs +0\.500x +1 +tile$/m);
  expect(text).toMatch(/^ API +1\.01 µs +- +-1\.01 µs +- +1 → 0 +cudaMemcpy$/m);
});
