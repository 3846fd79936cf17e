/** Programs that people had trouble with elsewhere, or here before (test/cases): what they print, and what is in their traces. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import type { Trace } from '../../../engine/trace/reader.ts';
import { recorded } from './recorded.ts';

const timeout = 600_000;

/** Records a case, with texts in it replaced: some are larger than a test has to be. */
async function run(name: string, replaced: Record<string, string> = {}) {
  let source = readFileSync(new URL(`../../cases/${name}.cu`, import.meta.url), 'utf8');
  for (const [before, after] of Object.entries(replaced)) {
    expect(source).toContain(before);
    source = source.replaceAll(before, after);
  }
  let printed = '';
  const { exitCode, trace } = await recorded(source, {
    onProgress: ({ console }) => {
      for (const { stream, text } of console) if (stream === 'stdout') printed += text;
    },
  });
  return { exitCode, trace, printed };
}

interface Kernel {
  row: number;
  name: string;
  start: number;
  end: number;
}
const kernelsOf = (trace: Trace): Kernel[] =>
  trace
    .query(
      'SELECT k.rowid, s.value, k.start, k.end FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName ORDER BY k.correlationId',
    )
    .map(([row, name, start, end]) => ({
      row: Number(row),
      name: String(name),
      start: Number(start),
      end: Number(end),
    }));
interface Span {
  start: number;
  end: number;
}
const overlap = (a: Span, b: Span): number => Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start));

test.each(['ok_coop_too_large', 'ok_event_timing', 'ok_relaxed_constexpr', 'ok_texture_9bit', 'ok_tile_shfl'])(
  '%s passes its own check',
  { timeout },
  async (name) => {
    const { exitCode, trace, printed } = await run(name);
    trace.close();
    expect(printed).toMatch(/\bPASS\b/);
    expect(exitCode).toBe(0);
  },
);

test('Two loops over global memory need no stack, however long they are', { timeout }, async () => {
  // A warp goes round as often as it does with 2048 columns and rows, but there are two of them and not 64.
  const { trace, printed } = await run('triangle_stack', { 'int m = N, n = N;': 'int m = 64, n = 1 << 16;' });
  trace.close();
  const [, error, got, want] = /^(.*)\n(.*) want (.*)\n$/.exec(printed)!;
  expect(error).toBe('no error');
  expect(Math.abs(Number(got) / Number(want) - 1)).toBeLessThan(1e-3);
});

test('Vectors of float, double and half take the same function', { timeout }, async () => {
  const { exitCode, trace, printed } = await run('double_gate_vec');
  trace.close();
  expect(printed).toBe('float no error\ndouble no error\nhalf no error\n');
  expect(exitCode).toBe(0);
});

test('Arrays that are indexed at run time lie in local memory', { timeout }, async () => {
  const { trace, printed } = await run('ok_local_array');
  trace.close();
  expect(printed).toMatch(/^local 208 regs \d+ \| local 0 regs \d+ err 0\n$/);
});

test('Wavefronts of shared loads by width and stride', { timeout }, async () => {
  const { trace, printed } = await run('ok_bank_wide');
  const perRequest = kernelsOf(trace).map(({ row }) => {
    const metrics = new Map(kernelView(trace, row).metrics.map(({ metric, value }) => [metric, value]));
    return (
      metrics.get('l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum')! /
      metrics.get('smsp__inst_executed_op_shared_ld.sum')!
    );
  });
  trace.close();
  expect(printed).toBe('0\n');
  const [float, double, wide, char] = [
    perRequest.slice(0, 4),
    perRequest.slice(4, 8),
    perRequest.slice(8, 10),
    perRequest.slice(11),
  ];
  expect(float).toEqual([1, 2, 32, 1]);
  expect(double).toEqual([2, 4, 32, 2]);
  expect(wide).toEqual([4, 8]);
  expect(char).toEqual([1, 1]);
});

describe('streams', () => {
  test(
    'copies go beside kernels that fill the GPU; kernels that fill it do not go beside each other',
    { timeout },
    async () => {
      const { trace, printed } = await run('ok_overlap_full', { '1 << 22': '1 << 20', '4000': '250' });
      const kernels = kernelsOf(trace);
      const copies = trace
        .query('SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY')
        .map(([start, end]) => ({ start: Number(start), end: Number(end) }));
      trace.close();
      expect(printed).toBe('0\n');
      expect(kernels).toHaveLength(8);
      const beside = copies.filter((copy) => kernels.some((kernel) => overlap(copy, kernel) > 0));
      expect(beside.length).toBeGreaterThan(4);
      for (const [i, kernel] of kernels.entries())
        for (const other of kernels.slice(i + 1))
          expect(overlap(kernel, other)).toBeLessThan(0.35 * (kernel.end - kernel.start));
    },
  );

  test('a kernel of high priority does not wait for all of one of low priority', { timeout }, async () => {
    const { trace, printed } = await run('ok_priority');
    const [low, high, lowAgain, highAgain] = kernelsOf(trace) as [Kernel, Kernel, Kernel, Kernel];
    trace.close();
    expect(printed).toBe('range 0 -5\n');
    expect([low, high, lowAgain, highAgain].map(({ name }) => name)).toEqual(['low', 'high', 'low', 'high']);
    // Waves of 0.1 ms: it is done with the second or third.
    expect(high.end - low.start).toBeLessThan(450_000);
    expect(high.end).toBeLessThan(low.end);
    expect(highAgain.start).toBeGreaterThanOrEqual(lowAgain.end);
  });

  test('the legacy default stream comes between blocking streams, not between others', { timeout }, async () => {
    const { trace } = await run('ok_streams');
    const kernels = kernelsOf(trace);
    trace.close();
    const group = (first: number): [Kernel, Kernel, Kernel] => {
      const of = kernels.slice(first, first + 3);
      const named = (name: string): Kernel => of.find((kernel) => kernel.name === name)!;
      return [named('a'), named('legacy'), named('b')];
    };
    const [blocking, others] = [group(0), group(3)];
    const [a, b] = kernels.slice(6) as [Kernel, Kernel];
    expect(blocking[1].start).toBeGreaterThanOrEqual(blocking[0].end);
    expect(blocking[2].start).toBeGreaterThanOrEqual(blocking[1].end);
    expect(overlap(others[0], others[1])).toBeGreaterThan(500_000);
    expect(overlap(others[1], others[2])).toBeGreaterThan(500_000);
    expect(kernels).toHaveLength(8);
    expect(overlap(a, b)).toBeGreaterThan(500_000);
  });
});
