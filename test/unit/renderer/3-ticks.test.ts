import { describe, expect, test } from 'vitest';
import { rulerTicks, tickStep } from '../../../renderer/src/timeline/ticks.ts';

const labels = (start: number, span: number, width = 1000): string[] =>
  rulerTicks({ start, span }, width)
    .ticks.map(({ label }) => label)
    .filter(Boolean);

test('steps are 1, 2 or 5 times a power of ten, and labels have room', () => {
  expect(tickStep(1, 110)).toBe(200);
  expect(tickStep(10, 100)).toBe(1000);
  expect(tickStep(0.04, 110)).toBeCloseTo(5, 9);
});

describe('labels change from seconds to nanoseconds with the zoom', () => {
  test('seconds', () => {
    expect(labels(0, 10e9)).toEqual(['0 s', '2 s', '4 s', '6 s', '8 s', '10 s']);
  });
  test('milliseconds', () => {
    expect(labels(0, 5e6)).toEqual(['0 ms', '1 ms', '2 ms', '3 ms', '4 ms', '5 ms']);
  });
  test('microseconds with decimals', () => {
    expect(labels(1000, 1000)).toEqual(['1.0 µs', '1.2 µs', '1.4 µs', '1.6 µs', '1.8 µs', '2.0 µs']);
  });
  test('nanoseconds', () => {
    expect(labels(0, 50)).toEqual(['0 ns', '10 ns', '20 ns', '30 ns', '40 ns', '50 ns']);
  });
});

describe('deep in a trace', () => {
  const ruler = rulerTicks({ start: 1_234_567_890, span: 500 }, 1000);
  test('times count from a base, so that labels stay short', () => {
    expect(ruler.base).toEqual({ time: 1_234_567_000, label: '1.234567 s' });
    const shown = ruler.ticks.filter(({ label }) => label);
    expect(shown[0]).toEqual({ time: 1_234_567_900, label: '+0.9 µs' });
  });
  test('the base is a label’s other half', () => {
    const tick = ruler.ticks.find(({ label }) => label === '+1.0 µs');
    expect(tick!.time - ruler.base!.time).toBe(1000);
  });
});

test('no ticks before the trace begins, and none without a width', () => {
  expect(rulerTicks({ start: -1000, span: 5000 }, 1000).ticks.every(({ time }) => time >= 0)).toBe(true);
  expect(rulerTicks({ start: 0, span: 1000 }, 0).ticks).toEqual([]);
});

test('labels never come closer than asked, over all zooms', () => {
  for (let span = 10; span < 1e11; span *= 1.7) {
    const ruler = rulerTicks({ start: 3.3e10, span }, 1400, 110);
    expect((ruler.stepNs / span) * 1400).toBeGreaterThanOrEqual(110 * 0.999);
    expect(ruler.ticks.length).toBeLessThan(80);
    for (const { label } of ruler.ticks) expect(label.length).toBeLessThan(14);
  }
});
