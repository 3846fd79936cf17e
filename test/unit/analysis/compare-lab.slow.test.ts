/** The labs before and after: what changed, why, and down to the counters and lines of a kernel. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareTraces } from '../../../engine/analysis/compare/index.ts';
import { compareKernels } from '../../../engine/analysis/compare/kernels.ts';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import { writeComparison } from '../../../engine/analysis/report/comparison.ts';
import { labById } from '../../../engine/labs/index.ts';
import type { RecordCall } from '../../../engine/recording/types.ts';
import type { Trace } from '../../../engine/trace/trace.ts';
import { recorded } from '../recording/recorded.ts';
import { checkMarkup, textOf } from './markup.ts';

const traces: Record<'naive' | 'tiled' | 'pageable' | 'pinned', Trace> = {} as never;
beforeAll(async () => {
  const traceOf = async (id: string, words: string[], more: Partial<RecordCall> = {}): Promise<Trace> => {
    const { source } = labById(id).variants[0]!;
    return (await recorded(readFileSync(source, 'utf8'), { sources: [source], arguments: words, ...more })).trace;
  };
  traces.naive = await traceOf('matmul', ['naive', '128']);
  traces.tiled = await traceOf('matmul', ['tiled', '128']);
  traces.pageable = await traceOf('overlap', ['pageable', '1'], { detail: 'counters' });
  traces.pinned = await traceOf('overlap', ['pinned', '4'], { detail: 'counters' });
  // Clang's first start on a busy machine.
});
afterAll(() => Object.values(traces).forEach((trace) => trace.close()));

const longest = (trace: Trace): number =>
  Number(trace.query('SELECT rowid FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY end - start DESC')[0]![0]);

test('copies beside kernels: faster without any kernel being faster', () => {
  const { judgement, waterfall, rows, explanation } = compareTraces(traces.pageable, traces.pinned);
  expect(judgement).toMatchObject({ verdict: 'improvement', noise: 0, comparability: 1 });
  const kernels = rows.find(({ kind }) => kind === 'kernel')!;
  expect(Math.abs(kernels.ratio! - 1)).toBeLessThan(0.02);
  expect(waterfall[0]).toMatchObject({ kind: 'idle' });
  expect(waterfall.reduce((sum, { differenceNs }) => sum + differenceNs, 0)).toBe(
    judgement.afterNs - judgement.beforeNs,
  );
  expect(explanation[1]).toMatch(/^Most of the change of the whole time: time without any GPU work −/);
});

test('a kernel that was written anew: counters, stalls, roofline and lines of both', () => {
  const [before, after] = [longest(traces.naive), longest(traces.tiled)];
  const [was, is] = [kernelView(traces.naive, before), kernelView(traces.tiled, after)];
  const compared = compareKernels({ trace: traces.naive, row: before }, { trace: traces.tiled, row: after });
  const value = (view: typeof was, metric: string) =>
    view.metrics.find((each) => each.metric === metric)?.value ?? null;
  expect(compared.metrics.length).toBeGreaterThan(30);
  for (const { metric, before: a, after: b } of compared.metrics)
    expect([a, b]).toEqual([value(was, metric), value(is, metric)]);
  const difference = compared.stalls.reduce((sum, stall) => sum + stall.difference, 0);
  expect(difference).toBeCloseTo(0, 6);
  expect([compared.before.roofline, compared.after.roofline]).toEqual([was.roofline, is.roofline]);

  // The whole of either kernel is in its lines.
  const sum = (side: 'beforeNs' | 'afterNs'): number => compared.lines.reduce((all, line) => all + line[side], 0);
  expect(sum('beforeNs')).toBeCloseTo(was.durationNs, 3);
  expect(sum('afterNs')).toBeCloseTo(is.durationNs, 3);
  const loop = compared.lines.find(({ text }) => text?.includes('sum += a[row * n + k] * b[k * n + column]'))!;
  expect(loop).toMatchObject({ afterPercent: 0 });
  expect(loop.beforePercent).toBeGreaterThan(30);
  const tile = compared.lines.find(({ text }) =>
    text?.includes('sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x]'),
  )!;
  expect(tile).toMatchObject({ beforePercent: 0 });
  const shared = compared.explanation.find((line) => line.startsWith('passes over shared memory rose from 0 to'));
  expect(shared).toBeDefined();
});

test('a kernel beside itself has nothing to say', () => {
  const side = { trace: traces.tiled, row: longest(traces.tiled) };
  const { metrics, stalls, lines, explanation } = compareKernels(side, side);
  for (const { before, after } of metrics) expect(after).toBe(before);
  for (const { difference } of stalls) expect(difference).toBe(0);
  for (const { beforeLine, afterLine, differenceNs } of lines)
    expect([afterLine, differenceNs]).toEqual([beforeLine, 0]);
  expect(explanation).toHaveLength(2);
  expect(explanation[0]).toMatch(/^as fast: /);
  expect(explanation[1]).toMatch(/^the kernel is still limited by /);
});

test('matched by being the last of one program, and written as a page and as Markdown', () => {
  const compared = compareTraces(traces.naive, traces.tiled);
  const [pair] = compared.kernels;
  expect(pair).toMatchObject({ match: 'last', hasCounters: true });
  expect(compared.explanation.some((line) => line.startsWith('matmulNaive → matmulTiled: '))).toBe(true);
  const { before, after } = pair!.launches[0]!;
  const kernel = compareKernels({ trace: traces.naive, row: before.row }, { trace: traces.tiled, row: after.row });
  const names = { before: 'a.simsight', after: 'b.simsight' };
  const html = writeComparison(compared, 'html', names, [kernel]).text;
  checkMarkup(html);
  const text = textOf(html);
  for (const words of [...compared.explanation, ...compared.judgement.reasons, ...kernel.explanation])
    expect(text).toContain(words);
  const markdown = writeComparison(compared, 'markdown', names, [kernel], { fileName: 'out.md' });
  expect(markdown.pictures.map(({ fileName }) => fileName)).toEqual(['out.comparison.svg']);
  expect(markdown.text).toContain('![From before to after, step by step](out.comparison.svg)');
  expect(html).not.toContain(traces.naive.path);
  const printed = writeComparison(compared, 'markdown', names, [kernel], { withPictures: false });
  expect(printed.pictures).toEqual([]);
  expect(printed.text).not.toContain('![');
  expect(printed.text).toContain('| `matmulNaive → matmulTiled` |');
});
