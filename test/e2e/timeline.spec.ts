/** A known trace on the screen: what is where, in which colour, and what pointer and keys do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ns } from '../../engine/base/units.ts';
import type { TraceEvent } from '../../engine/model/events.ts';
import { api, kernel, write } from '../unit/trace/example-recording-events.ts';
import { distance, inside, test, type SceneRect } from './app.ts';

const of = (rects: SceneRect[], kind: string): SceneRect[] => rects.filter((rect) => rect.kind === kind);

test('every event is drawn where its time says, in its colour', async ({ app }) => {
  await app.start(write(join(app.folder, 'known.simsight')));
  const [trace] = await app.scene();
  expect(trace!.title).toBe('Saxpy');

  const kernel = of(trace!.rects, 'kernel')[0]!;
  expect(kernel).toMatchObject({ startNs: 1300, durationNs: 2000, merged: 1 });
  const wide = trace!.rects.filter(({ width, kind }) => width >= 8 && kind !== 'column');
  expect(new Set(wide.map(({ kind }) => kind))).toEqual(
    new Set(['api', 'kernel', 'memcpy', 'memset', 'synchronization']),
  );

  // One scale for all: the kernel gives it, every other rectangle has to follow.
  const nsPerPixel = kernel.durationNs / kernel.width;
  for (const rect of wide) {
    expect(Math.abs(rect.x - kernel.x - (rect.startNs - kernel.startNs) / nsPerPixel)).toBeLessThan(2.5);
    expect(Math.abs(rect.width - rect.durationNs / nsPerPixel)).toBeLessThan(2.5);
  }

  const seen = await app.pixels(wide.map(inside));
  wide.forEach((rect, index) => {
    expect(
      distance(seen[index]!, rect.colour),
      `${rect.kind} on ${rect.track}: ${seen[index]} for ${rect.colour}`,
    ).toBeLessThan(12);
  });
  // Beside the kernel, on its own row, there is no kernel's colour: the comparison above can fail.
  const [beside] = await app.pixels([{ x: kernel.x - 6, y: kernel.y + kernel.height - 3 }]);
  expect(distance(beside!, kernel.colour)).toBeGreaterThan(30);
});

test('the wheel zooms about the pointer', async ({ app }) => {
  await app.start(write(join(app.folder, 'known.simsight')));
  const [before] = await app.scene();
  const kernel = of(before!.rects, 'kernel')[0]!;
  const pointer = { x: kernel.x + kernel.width / 4, y: kernel.y + kernel.height / 2 };
  await app.page.mouse.move(pointer.x, pointer.y);
  await app.page.mouse.wheel(0, -300);

  const [after] = await app.scene();
  expect(after!.window.span).toBeLessThan(before!.window.span * 0.8);
  const zoomed = of(after!.rects, 'kernel').find(({ track }) => track === kernel.track)!;
  expect(zoomed.width).toBeGreaterThan(kernel.width * 1.2);
  // The instant under the pointer stays under it: a quarter of the kernel.
  expect(zoomed.startNs).toBe(1300);
  expect(Math.abs(zoomed.x + zoomed.width / 4 - pointer.x)).toBeLessThan(2);
});

test('a selected kernel shows its figures and its API call', async ({ app }) => {
  await app.start(write(join(app.folder, 'known.simsight')));
  const [trace] = await app.scene();
  const kernel = of(trace!.rects, 'kernel')[0]!;
  await app.page.mouse.click(kernel.x + kernel.width / 2, kernel.y + kernel.height / 2);

  await expect(app.page.getByTestId('selection-title')).toContainText('saxpy');
  await expect(app.page.getByTestId('correlated-event')).toContainText(['cudaLaunchKernel']);
  const [selected] = await app.scene();
  const highlighted = selected!.rects.filter((rect) => rect.highlighted && rect.kind === 'api');
  expect(highlighted.map(({ label }) => label)).toEqual(['cudaLaunchKernel']);

  await app.page.keyboard.press('Escape');
  await expect(app.page.getByTestId('selection')).toHaveCount(0);
  const [cleared] = await app.scene();
  expect(cleared!.rects.filter((rect) => rect.highlighted)).toEqual([]);
});

test('work that waits for work of another stream is connected with it, both ways', async ({ app }) => {
  const { page } = app;
  const path = write(join(app.folder, 'streams.simsight'), [
    api('cudaLaunchKernel', 0, 50, 1),
    api('cudaStreamWaitEvent', 60, 80, 2),
    api('cudaLaunchKernel', 100, 150, 3),
    kernel(200, 1200, 1, 13),
    { type: 'dependency', correlationId: 2, waitsFor: 1 },
    { type: 'dependency', correlationId: 3, waitsFor: 1 },
    kernel(1300, 2000, 3, 14),
  ]);
  await app.start(path);
  for (const [stream, other] of [
    ['Stream 13', 'Stream 14'],
    ['Stream 14', 'Stream 13'],
  ] as const) {
    const rects = (await app.scene())[0]!.rects.filter(({ kind }) => kind === 'kernel');
    const own = rects.find(({ track }) => track === stream)!;
    await page.mouse.click(own.x + own.width / 2, own.y + own.height / 2);
    await expect(page.getByTestId('correlated-event').filter({ hasText: other })).toBeVisible();
    const highlighted = (await app.scene())[0]!.rects.filter((rect) => rect.highlighted).map(({ track }) => track);
    expect(highlighted).toContain(stream);
    expect(highlighted).toContain(other);
  }
});

test('arrows lead from calls to what they started, on the screen and in pictures; keys follow them', async ({
  app,
}) => {
  const { page } = app;
  await app.start(write(join(app.folder, 'known.simsight')));
  const [before] = await app.scene();
  expect(before!.arrows).toEqual([]);
  const kernel = of(before!.rects, 'kernel').find(({ track }) => track.startsWith('Stream 13'))!;
  const call = before!.rects.find(({ label }) => label === 'cudaLaunchKernel')!;
  await page.mouse.click(kernel.x + kernel.width / 2, kernel.y + kernel.height / 2);
  await expect(page.getByTestId('correlated-event')).toContainText(['cudaLaunchKernel']);
  const isOn = ({ x, y }: { x: number; y: number }, rect: SceneRect): boolean =>
    x >= rect.x && x <= rect.x + rect.width && y >= rect.y - 2 && y <= rect.y + rect.height + 2;
  const [selected] = await app.scene();
  expect(selected!.arrows).toHaveLength(1);
  const corners = selected!.arrows[0]!;
  expect(isOn(corners[0]!, call)).toBe(true);
  expect(isOn(corners.at(-1)!, kernel)).toBe(true);
  const { x, y } = corners.at(-1)!;
  // Its head is there, in the colour of what is selected.
  await page.mouse.move(2, 2);
  const [head] = await app.pixels([{ x, y: y - 2 }]);
  expect(distance(head!, '#2dd4bf')).toBeLessThan(40);

  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+Shift+S')]);
  const svg = readFileSync(await download.path(), 'utf8');
  const [, path] = /<path class="arrow" d="M([^"]+)"/.exec(svg)!;
  const drawn = path!.split('L').map((corner) => corner.split(' ').map(Number));
  const moved = (at: number[]): number[] => [at[0]! - drawn[0]![0]!, at[1]! - drawn[0]![1]!];
  drawn.forEach((corner, i) => {
    const [dx, dy] = moved(corner);
    expect(dx).toBeCloseTo(corners[i]!.x - corners[0]!.x, 1);
    expect(dy).toBeCloseTo(corners[i]!.y - corners[0]!.y, 1);
  });

  await page.keyboard.press(']');
  await expect(page.getByTestId('selection-title')).toHaveText('cudaLaunchKernel');
  expect((await app.scene())[0]!.arrows).toHaveLength(1);
  await page.keyboard.press('[');
  await expect(page.getByTestId('selection-title')).toHaveText('saxpy');
});

test('ranges of NVTX lie below one another, as they are nested', async ({ app }) => {
  const range = (text: string, start: number, end: number): TraceEvent => ({
    ...{
      type: 'nvtx',
      kind: 'push-pop',
      text,
      start: ns(start),
      end: ns(end),
      threadId: 1,
      color: null,
      category: null,
    },
    ...{ domainId: 0, rangeId: null, payload: null },
  });
  const nested = [
    range('innermost', 300, 400),
    range('inner', 200, 500),
    range('outer', 100, 900),
    range('next', 950, 990),
  ];
  await app.start(write(join(app.folder, 'nvtx.simsight'), [api('cudaMalloc', 0, 1000, 1), ...nested]));
  const rects = of((await app.scene())[0]!.rects, 'nvtx');
  const named = (label: string): SceneRect => rects.find((rect) => rect.label === label)!;
  const [outer, inner, innermost, next] = ['outer', 'inner', 'innermost', 'next'].map(named) as [
    SceneRect,
    SceneRect,
    SceneRect,
    SceneRect,
  ];
  expect(inner.y).toBeGreaterThanOrEqual(outer.y + outer.height);
  expect(innermost.y).toBeGreaterThanOrEqual(inner.y + inner.height);
  expect(next.y).toBe(outer.y);
  for (const [within, around] of [
    [inner, outer],
    [innermost, inner],
  ] as const) {
    expect(within.x).toBeGreaterThan(around.x);
    expect(within.x + within.width).toBeLessThan(around.x + around.width);
  }
});

test('a launch of a graph is one range, which opens to its nodes', async ({ app }) => {
  const { page } = app;
  const node = (start: number, end: number, graphNodeId: number): TraceEvent =>
    kernel(start, end, 1, 13, { graphId: 5, graphNodeId });
  const launch: TraceEvent = {
    ...{ type: 'graph', start: ns(1000), end: ns(4000), deviceId: 0, streamId: 13, correlationId: 1, graphId: 5 },
  };
  await app.start(
    write(join(app.folder, 'graph.simsight'), [
      ...[api('cudaGraphLaunch', 0, 500, 1), launch, node(1000, 2000, 1), node(2100, 3000, 2), node(3200, 4000, 3)],
    ]),
  );
  const onStream = async (): Promise<[string, number, number][]> =>
    (await app.scene())[0]!.rects
      .filter(({ track, kind }) => kind !== 'column' && kind !== 'api' && track !== 'Kernels')
      .map(({ kind, startNs, durationNs }) => [kind, startNs, durationNs]);
  expect(await onStream()).toEqual([['graph', 1000, 3000]]);
  const stream = page.getByTestId('row-headers').getByTestId('row-header').filter({ hasText: 'Stream 13' }).first();
  await expect(stream).toHaveAttribute('aria-expanded', 'false');
  await stream.click();
  await expect(stream).toHaveAttribute('aria-expanded', 'true');
  const opened = await onStream();
  expect(opened.filter(([kind]) => kind === 'graph')).toHaveLength(1);
  expect(opened.filter(([kind]) => kind === 'kernel')).toEqual([
    ['kernel', 1000, 1000],
    ['kernel', 2100, 900],
    ['kernel', 3200, 800],
  ]);
});

test('graphs that a thread made are on a row of it, whose details name the graph', async ({ app }) => {
  const { page } = app;
  const made: TraceEvent = {
    ...{ type: 'graph-creation', start: ns(100), end: ns(400), name: 'cudaGraphInstantiate', threadId: 1 },
    made: { kind: 'executable', graphId: 2, graphExecId: 3 },
  };
  // Beside one that takes no time.
  const empty: TraceEvent = { ...made, start: ns(50), end: ns(50), made: { kind: 'graph', graphId: 2 } };
  await app.start(
    write(join(app.folder, 'made.simsight'), [
      empty,
      made,
      api('cudaGraphInstantiate', 100, 500, 1),
      kernel(600, 900, 1),
    ]),
  );
  const { rects } = (await app.scene())[0]!;
  const drawn = rects.filter(({ track }) => track === 'CUDA graphs');
  expect(drawn.map(({ kind, label, startNs, durationNs }) => [kind, label, startNs, durationNs])).toEqual([
    ['graph-creation', 'Graph creation', 50, 0],
    ['graph-creation', 'Graph instantiation', 100, 300],
  ]);
  const [, at] = drawn;
  await page.mouse.click(at!.x + at!.width / 2, at!.y + at!.height / 2);
  await expect(page.getByTestId('selection')).toContainText('Instantiated From');
});

test('two traces stand one above the other, with one scale', async ({ app }) => {
  const before = write(join(app.folder, 'before.simsight'), undefined, { title: 'Before' });
  const after = write(join(app.folder, 'after.simsight'), undefined, { title: 'After' });
  await app.start(before, after);
  const scene = await app.scene();
  expect(scene.map(({ title }) => title)).toEqual(['Before', 'After']);
  expect(scene[0]!.window).toEqual(scene[1]!.window);
  const [upper, lower] = scene.map(({ rects }) => of(rects, 'kernel')[0]!);
  expect(upper!.x).toBeCloseTo(lower!.x, 0);
  expect(lower!.y).toBeGreaterThan(upper!.y + upper!.height);
  await expect(app.page.getByTestId('verdict')).toBeVisible();
});
