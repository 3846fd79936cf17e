import { describe, expect, test } from 'vitest';
import {
  idle,
  step,
  wheelAction,
  type GestureAction,
  type PointerInput,
  type WheelInput,
} from '../../../renderer/src/timeline/gestures.ts';

function play(inputs: PointerInput[]): { state: string; actions: GestureAction[] } {
  let state = idle;
  const actions: GestureAction[] = [];
  for (const input of inputs) {
    const next = step(state, input);
    state = next.state;
    if (next.action) actions.push(next.action);
  }
  return { state: state.name, actions };
}
const down = (x: number, extra: Partial<Extract<PointerInput, { type: 'down' }>> = {}): PointerInput => ({
  type: 'down',
  x,
  y: 0,
  shift: false,
  area: 'plot',
  ...extra,
});
const move = (x: number, y = 0): PointerInput => ({ type: 'move', x, y });
const up = (x: number): PointerInput => ({ type: 'up', x, y: 0 });

describe('pointer', () => {
  test('press and release is a click, also with a shaking hand', () => {
    expect(play([down(10), move(12), up(12)])).toEqual({ state: 'idle', actions: [{ type: 'click', x: 12, y: 0 }] });
  });
  test('a drag pans by exactly the way it went', () => {
    const { actions } = play([down(10), move(20), move(35, 7), up(35)]);
    expect(actions).toEqual([
      { type: 'pan', dx: 10, dy: 0 },
      { type: 'pan', dx: 15, dy: 7 },
    ]);
  });
  test('shift, or the ruler, measures instead', () => {
    for (const extra of [{ shift: true }, { area: 'ruler' as const }]) {
      const { actions } = play([down(10, extra), move(30), up(40)]);
      expect(actions).toEqual([
        { type: 'measure', from: 10, to: 30, done: false },
        { type: 'measure', from: 10, to: 40, done: true },
      ]);
    }
  });
  test('moving without pressing does nothing; cancel ends all', () => {
    expect(play([move(5), move(50)])).toEqual({ state: 'idle', actions: [] });
    expect(play([down(10), move(50), { type: 'cancel' }]).state).toBe('idle');
  });
});

describe('wheel', () => {
  const wheel = (input: Partial<WheelInput>) =>
    wheelAction({ deltaX: 0, deltaY: 0, deltaMode: 0, ctrlKey: false, shiftKey: false, altKey: false, ...input });
  test('plain zooms: up shows less time, down more', () => {
    expect(wheel({ deltaY: -100 })).toMatchObject({ type: 'zoom' });
    expect((wheel({ deltaY: -100 }) as { factor: number }).factor).toBeLessThan(1);
    expect((wheel({ deltaY: 100 }) as { factor: number }).factor).toBeGreaterThan(1);
  });
  test('lines count as pixels', () => {
    expect(wheel({ deltaY: 3, deltaMode: 1 })).toEqual(wheel({ deltaY: 48 }));
  });
  test('a pinch zooms faster per unit, and no notch jumps too far', () => {
    const pinch = wheel({ deltaY: -10, ctrlKey: true }) as { factor: number };
    const notch = wheel({ deltaY: -10 }) as { factor: number };
    expect(pinch.factor).toBeLessThan(notch.factor);
    expect((wheel({ deltaY: 1e6 }) as { factor: number }).factor).toBeLessThan(3);
  });
  test('shift and sideways swipes pan, alt scrolls', () => {
    expect(wheel({ deltaY: 40, shiftKey: true })).toEqual({ type: 'pan', dx: 40 });
    expect(wheel({ deltaX: 40, shiftKey: true })).toEqual({ type: 'pan', dx: 40 });
    expect(wheel({ deltaX: 30, deltaY: 4 })).toEqual({ type: 'pan', dx: 30 });
    expect(wheel({ deltaY: 40, altKey: true })).toEqual({ type: 'scroll', dy: 40 });
  });
});
