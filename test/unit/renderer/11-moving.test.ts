/** Where a view was before, times and names as people type them, and what tells warp states apart without colours. */
import { describe, expect, test } from 'vitest';
import { drawnKinds } from '../../../engine/model/timeline.ts';
import { bestMatches, matchScore } from '../../../renderer/src/app/fuzzy.ts';
import { parseTime } from '../../../renderer/src/timeline/parse-time.ts';
import { contrast } from '../../../renderer/src/timeline/colours.ts';
import { markColour, patternOf, patterns, seamless, swatch } from '../../../renderer/src/timeline/patterns.ts';
import { cycleTicks } from '../../../renderer/src/timeline/ticks.ts';
import type { TimeWindow } from '../../../renderer/src/timeline/time-window.ts';
import { ViewHistory } from '../../../renderer/src/timeline/view-history.ts';
import { step, idle, type GestureState } from '../../../renderer/src/timeline/gestures.ts';

const at = (start: number) => ({ start, span: 10 });

describe('back and forward', () => {
  test('every jump is a step; forward ends where one began', () => {
    const history = new ViewHistory<TimeWindow>();
    expect(history.back(at(0))).toBeNull();
    history.leave(at(0), 'jump', 0);
    history.leave(at(1), 'jump', 1);
    expect(history.back(at(2))).toEqual(at(1));
    expect(history.back(at(1))).toEqual(at(0));
    expect(history.canGoBack).toBe(false);
    expect(history.forward(at(0))).toEqual(at(1));
    expect(history.forward(at(1))).toEqual(at(2));
    expect(history.forward(at(2))).toBeNull();
  });
  test('moves that follow each other closely are one step, however many', () => {
    const history = new ViewHistory<TimeWindow>();
    for (let i = 0; i < 50; i++) history.leave(at(i), 'move', i * 100);
    history.leave(at(50), 'move', 50 * 100 + 2000);
    expect(history.back(at(60))).toEqual(at(50));
    expect(history.back(at(50))).toEqual(at(0));
    expect(history.canGoBack).toBe(false);
  });
  test('what is typed is a step of its own', () => {
    const history = new ViewHistory<TimeWindow>();
    history.leave(at(0), 'move', 0);
    history.leave(at(1), 'typing', 100);
    history.leave(at(2), 'typing', 200);
    expect(history.back(at(3))).toEqual(at(1));
    expect(history.back(at(1))).toEqual(at(0));
  });
  test('going elsewhere after going back forgets what was ahead', () => {
    const history = new ViewHistory<TimeWindow>();
    history.leave(at(0), 'jump', 0);
    history.back(at(1));
    history.leave(at(0), 'move', 5000);
    expect(history.canGoForward).toBe(false);
  });
  test('does not grow for ever', () => {
    const history = new ViewHistory<TimeWindow>();
    for (let i = 0; i < 5000; i++) history.leave(at(i), 'jump', i);
    let steps = 0;
    while (history.back(at(0))) steps++;
    expect(steps).toBeLessThanOrEqual(200);
    expect(steps).toBeGreaterThan(50);
  });
});

describe('times as typed', () => {
  test.each([
    ['1.25 s', 1.25e9, false],
    ['3,400ns', 3400, false],
    ['12.5ms', 12.5e6, false],
    ['+3 us', 3000, true],
    ['-7 µs', -7000, true],
    ['.5 ms', 5e5, false],
    ['1_000', 1000, false],
  ])('%s', (text, ns, relative) => expect(parseTime(text)).toEqual({ ns, relative }));
  test.each(['', 'soon', '1 h', '1.2.3 s', '12 ms later', '--3 s'])('“%s” is no time', (text) =>
    expect(parseTime(text)).toBeNull(),
  );
  test('without a unit, in the one of the place', () => expect(parseTime('2', 'ms')?.ns).toBe(2e6));
});

describe('names by some of their letters', () => {
  const names = ['Zoom in', 'Zoom out', 'Whole trace', 'Go to a time…', 'Search names', 'Copy engine 0'];
  test('beginnings of words before letters in between', () => {
    expect(bestMatches(names, 'zo', (n) => n, 3)[0]).toMatch(/^Zoom/);
    expect(bestMatches(names, 'gtt', (n) => n, 1)).toEqual(['Go to a time…']);
    expect(bestMatches(names, 'engine', (n) => n, 1)).toEqual(['Copy engine 0']);
  });
  test('what is not there is not found; nothing asked for is everything in its order', () => {
    expect(matchScore('Zoom in', 'zq')).toBeNull();
    expect(bestMatches(names, '  ', (n) => n, 4)).toEqual(names.slice(0, 4));
  });
});

describe('a box to zoom to', () => {
  const down = { type: 'down', x: 10, y: 5, shift: false, alt: true, area: 'plot' } as const;
  test('with Alt, from where it began to where it ends', () => {
    let state: GestureState = idle;
    const actions = [down, { type: 'move', x: 60, y: 5 } as const, { type: 'up', x: 90, y: 5 } as const].map(
      (input) => {
        const next = step(state, input);
        state = next.state;
        return next.action;
      },
    );
    expect(actions).toEqual([
      null,
      { type: 'box', from: 10, to: 60, done: false },
      { type: 'box', from: 10, to: 90, done: true },
    ]);
  });
  test('without moving it is a click, and can be given up', () => {
    const pressed = step(idle, down).state;
    expect(step(pressed, { type: 'up', x: 11, y: 5 }).action?.type).toBe('click');
    const drawing = step(pressed, { type: 'move', x: 80, y: 5 }).state;
    expect(step(drawing, { type: 'cancel' })).toEqual({ state: idle, action: null });
  });
});

describe('the ruler counts cycles of a kernel', () => {
  test('from where its warps begin, at steps of whole cycles', () => {
    const { ticks, cycles } = cycleTicks({ start: 1000, span: 100 }, 1000, {
      zeroNs: 990,
      nsPerCycle: 0.5,
      kernel: 'saxpy',
    });
    expect(cycles).toBe(true);
    const labelled = ticks.filter(({ label }) => label);
    expect(labelled.length).toBeGreaterThan(3);
    for (const { time, label } of labelled) {
      expect(Number(label.replaceAll(/[^\d-]/g, ''))).toBeCloseTo((time - 990) / 0.5, 6);
    }
  });
});

describe('patterns', () => {
  test('the states that a warp waits in most are told apart without colours', () => {
    const waits = ['Wait', 'Short Scoreboard', 'Long Scoreboard', 'MIO Throttle', 'LG Throttle', 'Math Pipe Throttle'];
    const seen = waits.map((name) => patternOf(drawnKinds.warp, name));
    expect(new Set(seen).size).toBe(waits.length);
    expect(seen).not.toContain(patterns.none);
    // As areas of a chart, and in its legend, they look the same.
    expect(waits.map((name) => patternOf(drawnKinds.column, name))).toEqual(seen.map((each) => seamless + each));
    expect(swatch(drawnKinds.warp, 4, 'Long Scoreboard', 'dark')).toContain('gradient');
    expect(new Set(waits.map((name) => swatch(drawnKinds.column, 0, name, 'dark'))).size).toBe(waits.length);
  });
  test('other charts stand without gaps; events have no pattern', () => {
    expect(patternOf(drawnKinds.column, 'Read')).toBe(seamless);
    expect(patternOf(1, 'Wait')).toBe(patterns.none);
  });
  test('marks are seen in grey as well, on light fills and on dark ones', () => {
    for (const fill of [0xd08770, 0x8fbcbb, 0xe3e8ee, 0x232c37]) {
      expect(contrast(fill, markColour(fill)), fill.toString(16)).toBeGreaterThan(1.6);
    }
  });
});
