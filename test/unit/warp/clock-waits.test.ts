/** Loops that wait for a time: in the streams of warps they are there once, and execution goes around them once. */
import { expect, it } from 'vitest';
import { ClockWaits } from '../../../engine/warp/clock-waits.ts';
import { WarpClocks } from '../../../engine/warp/clock.ts';
import { clockReading } from '../../../engine/warp/layout.ts';
import { syncAction, syncToken, waitAccess, waitsForClock } from '../../../engine/model/warp-stream.ts';

const all = 0xffff_ffff;
const poll = (silent: boolean) => [syncToken(syncAction.poll, waitAccess), silent ? 1 : 0, 0, waitsForClock];
const pollEnd = (cycles: number) => [syncToken(syncAction.pollEnd, waitAccess), cycles, 0, waitsForClock];

/** The stream of a warp that goes through these blocks of code; blocks 1 to 3 read the clock once, and show 100 more each time. */
function streamOf(
  path: readonly number[],
  loop: { head: number; end: number; silent: boolean; polls?: boolean },
): number[] {
  const stream: number[] = [];
  const shown = path.filter((block) => block >= 1 && block <= 3).map((_, i) => 100 * (i + 1));
  const waits = new ClockWaits([{ polls: false, ...loop }], [0, 1, 1, 1, 0], () => shown);
  for (const block of path) {
    waits.goOn(0, stream, block, all);
    waits.enter(0, stream, block, all);
    stream.push(block, all);
  }
  waits.finish([stream]);
  return stream;
}
const block = (number: number) => [number, all];

it('is there once, with the time since the last reading before it', () => {
  const loop = { head: 2, end: 3, silent: true };
  expect(streamOf([1, 2, 2, 2, 2, 4], loop)).toEqual([
    ...block(1),
    ...poll(true),
    ...block(2),
    ...pollEnd(401),
    ...block(4),
  ]);
});

it('ends with the warp as well', () => {
  const loop = { head: 2, end: 3, silent: false };
  expect(streamOf([0, 2, 2], loop)).toEqual([...block(0), ...poll(false), ...block(2), ...pollEnd(201)]);
});

it('keeps the way out of it, and other ways through it', () => {
  const loop = { head: 2, end: 4, silent: false };
  expect(streamOf([1, 2, 3, 2, 3, 2, 4], loop)).toEqual([
    ...block(1),
    ...poll(false),
    ...block(2),
    ...block(3),
    ...pollEnd(401),
    ...block(2),
    ...block(4),
  ]);
});

it('is no wait for a warp that leaves before it has asked', () => {
  const loop = { head: 2, end: 4, silent: false, polls: true };
  const waits = new ClockWaits([loop], [0, 1, 0, 1, 0], () => [100]);
  const stream: number[] = [];
  for (const number of [1, 2, 4]) {
    waits.goOn(0, stream, number, all);
    waits.enter(0, stream, number, all);
    stream.push(number, all);
  }
  waits.finish([stream]);
  expect(stream).toEqual([...block(1), ...block(2), ...block(4)]);
});

const launch = { starts: 0, cyclesPerNanosecond: 2, launchTime: () => 0 };
const silent = clockReading(false, { block: 7, polls: false });
const plain = clockReading(false, null);

it('is one reading, and the times around that were not executed are counted', () => {
  const reads = [10, 5000, 5050];
  const clocks = new WarpClocks({
    ...launch,
    asks: (_, __, n) => reads[n]!,
    rounds: (_, __, n) => (n === 1 ? 40 : null),
  });
  expect([plain, silent, plain].map((reading) => clocks.read(0, 0, 0, reading))).toEqual(reads);
  expect([...clocks.skipped]).toEqual([[7, 39]]);
});

it('goes on a little if the warp does not leave it then', () => {
  const clocks = new WarpClocks({
    ...launch,
    asks: (_, __, n) => [10, 5000, 9000][n]!,
    rounds: (_, __, n) => (n === 1 ? 40 : null),
  });
  expect([plain, silent, silent, silent, plain].map((reading) => clocks.read(0, 0, 0, reading))).toEqual([
    10, 5000, 5064, 5128, 9000,
  ]);
});

it('is rehearsed with a clock that goes on the faster the longer a warp waits', () => {
  const clocks = new WarpClocks({ ...launch, asks: null }, { keeps: true, rehearses: true, isBeside: false });
  let [readings, now] = [0, 0];
  while (now < 1e9) now = clocks.read(24 * readings++, 0, 0, silent);
  expect(readings).toBeLessThan(150_000);
  expect(now).toBeLessThan(1e9 * (1 + 2 ** -12));
  expect(clocks.shown(0, 0)).toHaveLength(readings);
});

it('goes on by what a read takes where warps poll, for each of the blocks that run beside each other', () => {
  const clocks = new WarpClocks(
    { ...launch, asks: null, pollCycles: 300 },
    { keeps: true, rehearses: false, isBeside: true },
  );
  const polls = clockReading(false, { block: 7, polls: true });
  const read = (block: number): number => clocks.read(40, block, 0, polls);
  expect([read(0), read(1), read(0), read(1), read(0)]).toEqual([340, 340, 640, 640, 940]);
  expect(clocks.read(40, 1, 0, plain)).toBe(640);
  expect([clocks.shown(0, 0), clocks.shown(1, 0)]).toEqual([
    [340, 640, 940],
    [340, 640, 640],
  ]);
  let [readings, now] = [0, 0];
  for (; now < 1e12; readings++) now = read(2);
  expect(readings).toBeLessThan(250_000);
});
