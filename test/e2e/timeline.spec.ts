/** A known trace on the screen: what is where, in which colour, and what pointer and keys do. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
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
  const visibleQuarter = zoomed.x + (zoomed.width * (1300 + 500 - zoomed.startNs)) / zoomed.durationNs;
  if (zoomed.startNs === 1300 && zoomed.width < 1000) expect(Math.abs(visibleQuarter - pointer.x)).toBeLessThan(2);
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
  await expect(app.page.getByTestId('compare-row').first()).toBeVisible();
});
