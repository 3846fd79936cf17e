/** Microbenchmarks, from source to what they read from the clock, beside what they read on a real H200. */
import { expect, test } from 'vitest';
import { judged, runMicro } from './micro.ts';

/** Issue 4 of the project asks for 3 %; what is beyond it has its reason in micro.ts. */
const latencyError = 0.03;

test('latencies of arithmetic, memory, atomics and barriers are those of the H200', () => {
  const rows = judged(runMicro('A1', 3, 16, 16));
  expect(rows.length).toBeGreaterThan(45);
  expect(rows.filter(({ error }) => Math.abs(error) > latencyError)).toEqual([]);
});
