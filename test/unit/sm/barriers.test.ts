/** Barriers in shared memory: phases in simulated time, told out of order and ahead of time. */
import { expect, it } from 'vitest';
import { SharedBarriers, unknownTime } from '../../../engine/sm/core/barriers.ts';

const who = (warp: number) => ({ warp, age: 0, instruction: 7 });

function barriers(): { of: SharedBarriers; woken: [warp: number, time: number][] } {
  const woken: [number, number][] = [];
  return { of: new SharedBarriers(2, ({ warp }, time) => woken.push([warp, time])), woken };
}

it('ends a phase when the last of its arrivals has come, and wakes those who wait for it', () => {
  const { of, woken } = barriers();
  of.init(0, 64, 3, 10);
  of.change(0, 64, 20, 1, 0, 0);
  expect(of.over(0, 64, 1, 25, who(4))).toBe(unknownTime);
  expect(of.over(0, 64, 2, 25, who(5))).toBe(unknownTime);
  of.change(0, 64, 50, 1, 0, 0);
  of.change(0, 64, 40, 1, 0, 0);
  expect(woken).toEqual([[4, 50]]);
  expect(of.over(0, 64, 1, 60, who(6))).toBe(50);
  of.change(0, 64, 70, 3, 0, 0);
  expect(woken).toEqual([
    [4, 50],
    [5, 70],
  ]);
});

it('waits for the bytes that were announced, whenever they come', () => {
  const { of, woken } = barriers();
  of.init(0, 0, 1, 0);
  // The copy is known to be there at 900 before it is announced at 100.
  of.change(0, 0, 900, 0, 0, -4096);
  expect(of.over(0, 0, 1, 50, who(1))).toBe(unknownTime);
  of.change(0, 0, 100, 1, 0, 4096);
  expect(woken).toEqual([[1, 900]]);
  // The next phase knows nothing of it.
  of.change(0, 0, 950, 1, 0, 64);
  expect(of.over(0, 0, 2, 960, who(1))).toBe(unknownTime);
  of.change(0, 0, 1000, 0, 0, -64);
  expect(of.over(0, 0, 2, 1010, who(1))).toBe(1000);
});

it('expects less of later phases when somebody drops out, and waits for copies that arrive for nobody', () => {
  const { of } = barriers();
  of.init(1, 8, 2, 0);
  of.change(1, 8, 5, 1, 1, 0);
  of.delay(1, 8, 300);
  of.change(1, 8, 9, 1, 0, 0);
  expect(of.over(1, 8, 1, 10, who(0))).toBe(300);
  of.change(1, 8, 400, 1, 0, 0);
  expect(of.over(1, 8, 2, 410, who(0))).toBe(400);
});

it('keeps blocks apart, and forgets those that have ended', () => {
  const { of } = barriers();
  of.init(0, 0, 1, 0);
  of.init(1, 0, 1, 0);
  of.change(0, 0, 5, 1, 0, 0);
  expect(of.over(1, 0, 1, 6, who(0))).toBe(unknownTime);
  expect(of.over(0, 0, 1, 6, who(0))).toBe(5);
  of.clear(0);
  of.init(0, 0, 1, 20);
  expect(of.over(0, 0, 1, 21, who(0))).toBe(unknownTime);
});
