import { describe, expect, test } from 'vitest';
import type { TrackWindow } from '../../../engine/model/timeline.ts';
import {
  needFor,
  resolutionFor,
  serves,
  TrackWindows,
  type WindowRequest,
} from '../../../renderer/src/timeline/track-windows.ts';
import { overlapTrace, windowOf } from './fake-engine.ts';

const trace = overlapTrace('/t.simsight', 4);
const duration = trace.info.durationNs;
const width = 1000;

/** An engine whose answers wait until told. */
function slowEngine() {
  const requests: WindowRequest[] = [];
  const waiting: ((failure?: Error) => void)[] = [];
  const errors: unknown[] = [];
  const windows = new TrackWindows(
    (request) => {
      requests.push(request);
      return new Promise<TrackWindow[]>((resolve, reject) =>
        waiting.push((failure) =>
          failure
            ? reject(failure)
            : resolve(
                request.tracks.map((id) => windowOf(trace, id, request.fromNs, request.toNs, request.resolutionNs)),
              ),
        ),
      );
    },
    duration,
    (error) => errors.push(error),
  );
  const answer = async (failure?: Error): Promise<void> => {
    waiting.shift()!(failure);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { requests, errors, windows, answer };
}

test('resolutions are powers of two, never finer than a pixel needs', () => {
  expect(resolutionFor(0.3)).toBe(0);
  expect(resolutionFor(1)).toBe(0);
  expect(resolutionFor(1.5)).toBe(2);
  expect(resolutionFor(4096)).toBe(4096);
  expect(resolutionFor(4097)).toBe(8192);
});

test('three windows are asked for, inside the trace, and serve while one pans', () => {
  const window = { start: 2_000_000, span: 500_000 };
  const need = needFor(window, width, duration);
  expect(need).toEqual({ fromNs: 1_500_000, toNs: 3_000_000, resolutionNs: 512 });
  expect(serves(need, window, width, duration)).toBe(true);
  expect(serves(need, { ...window, start: 2_300_000 }, width, duration)).toBe(true);
  expect(serves(need, { ...window, start: 2_400_000 }, width, duration)).toBe(false);
  expect(serves(need, { start: 2_100_000, span: 200_000 }, width, duration)).toBe(false);
  expect(needFor({ start: -100, span: duration + 200 }, width, duration)).toMatchObject({ fromNs: 0, toNs: duration });
  // Linked with a longer trace.
  expect(needFor({ start: 2 * duration, span: 1000 }, width, duration)).toMatchObject({
    fromNs: duration,
    toNs: duration,
  });
});

describe('loading', () => {
  test('asks once, and not again while that serves', async () => {
    const { requests, windows, answer } = slowEngine();
    const window = { start: 0, span: duration };
    windows.want(window, width, [2, 20]);
    windows.want(window, width, [2, 20]);
    await answer();
    windows.want(window, width, [2, 20]);
    expect(requests).toHaveLength(1);
    expect(windows.best(20, window, width)?.count).toBeGreaterThan(0);
  });
  test('a fast wheel leaves no queue: only the newest wish is carried out', async () => {
    const { requests, windows, answer } = slowEngine();
    for (let i = 1; i <= 20; i++) windows.want({ start: 0, span: duration / 2 ** i }, width, [2]);
    await answer();
    expect(requests).toHaveLength(2);
    expect(requests[1]!.resolutionNs).toBe(resolutionFor(duration / 2 ** 20 / width));
  });
  test('there is always something to draw, from coarser data until finer ones come', async () => {
    const { windows, answer } = slowEngine();
    const whole = { start: 0, span: duration };
    windows.want(whole, width, [2]);
    await answer();
    const coarse = windows.best(2, whole, width);
    const near = { start: 1_000_000, span: 10_000 };
    windows.want(near, width, [2]);
    expect(windows.best(2, near, width)).toBe(coarse);
    await answer();
    expect(windows.best(2, near, width)).not.toBe(coarse);
    expect(windows.best(2, whole, width)).toBe(coarse);
  });
  test('the overview is kept however long one zooms about', async () => {
    const { windows, answer } = slowEngine();
    const whole = { start: 0, span: duration };
    windows.want(whole, width, [2]);
    await answer();
    const overview = windows.best(2, whole, width);
    for (let i = 1; i < 15; i++) {
      windows.want({ start: i * 3000, span: duration / 2 ** i }, width, [2]);
      await answer();
    }
    expect(windows.best(2, whole, width)).toBe(overview);
  });
  test('new rows are asked for alone', async () => {
    const { requests, windows, answer } = slowEngine();
    const window = { start: 0, span: duration };
    windows.want(window, width, [2]);
    await answer();
    windows.want(window, width, [2, 20]);
    expect(requests[1]!.tracks).toEqual([20]);
  });
  test('an error is told, and the next wish tries again', async () => {
    const { requests, errors, windows, answer } = slowEngine();
    const window = { start: 0, span: duration };
    windows.want(window, width, [2]);
    await answer(new Error('damaged'));
    expect(errors).toEqual([new Error('damaged')]);
    expect(windows.loading).toBe(false);
    windows.want(window, width, [2]);
    expect(requests).toHaveLength(2);
  });
  test('after a reconnection old data are drawn, but asked for again', async () => {
    const old = slowEngine();
    const window = { start: 0, span: duration };
    old.windows.want(window, width, [2]);
    await old.answer();
    const next = slowEngine();
    next.windows.keepShowing(old.windows);
    expect(next.windows.best(2, window, width)).toBeDefined();
    next.windows.want(window, width, [2]);
    expect(next.requests).toHaveLength(1);
  });
});
