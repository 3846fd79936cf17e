/** Getting about in a trace: history, times, boxes, names, the palette. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { formatTime } from '../../engine/model/format.ts';
import { api, kernel, write } from '../unit/trace/example-recording-events.ts';
import { test, type App, type SceneRect } from './app.ts';

const known = (app: App): string => write(join(app.folder, 'known.simsight'));
const windowOf = async (app: App) => (await app.scene())[0]!.window;

test('back and forward through the views', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  const whole = await windowOf(app);
  await page.getByTestId('timeline').hover();
  for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -200);
  const near = await windowOf(app);
  expect(near.span).toBeLessThan(whole.span / 2);
  // The whole way in is one step.
  await page.keyboard.press('Alt+ArrowLeft');
  expect(await windowOf(app)).toEqual(whole);
  await page.keyboard.press('Alt+ArrowRight');
  expect(await windowOf(app)).toEqual(near);
  await page.keyboard.press('0');
  await page.keyboard.press('Control+z');
  expect(await windowOf(app)).toEqual(near);
});

test('go to a time', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await page.getByTestId('timeline').hover();
  for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -200);
  await windowOf(app);
  await page.keyboard.press('g');
  await page.getByRole('textbox', { name: 'Time' }).fill('2 h');
  await expect(page.getByTestId('time-problem')).toContainText('A number with s, ms, us or ns');
  await page.getByRole('textbox', { name: 'Time' }).fill('1 ms');
  await expect(page.getByTestId('time-problem')).toContainText('The trace runs from 0 to 4.7');
  await page.getByRole('textbox', { name: 'Time' }).fill('2.3 us');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('time-dialog')).toHaveCount(0);
  const { start, span } = await windowOf(app);
  expect(start + span / 2).toBeCloseTo(2300, 0);
  await page.keyboard.press('g');
  await page.getByRole('textbox', { name: 'Time' }).fill('+200 ns');
  await page.keyboard.press('Enter');
  const moved = await windowOf(app);
  expect(moved.start + moved.span / 2).toBeCloseTo(2500, 0);
});

test('a box drawn with Alt is what is shown', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  const [trace] = await app.scene();
  const kernel = trace!.rects.find(({ kind }) => kind === 'kernel')!;
  const y = kernel.y + kernel.height / 2;
  await page.keyboard.down('Alt');
  await page.mouse.move(kernel.x, y);
  await page.mouse.down();
  await page.mouse.move(kernel.x + kernel.width, y + 20, { steps: 5 });
  await expect(page.getByTestId('zoom-box')).toBeVisible();
  await page.mouse.up();
  await page.keyboard.up('Alt');
  await expect(page.getByTestId('zoom-box')).toHaveCount(0);
  const { start, span } = await windowOf(app);
  // The kernel, with some room on both sides.
  expect(start).toBeLessThan(1300);
  expect(start).toBeGreaterThan(800);
  expect(start + span).toBeGreaterThan(3300);
  expect(span).toBeLessThan(2000 * 1.5);
});

test('the next and the previous event of a name, wherever they are', async ({ app }) => {
  const { page } = app;
  const events = [
    ...[api('cudaLaunchKernel', 0, 100, 1), api('cudaLaunchKernel', 200, 300, 2), api('cudaMalloc', 300, 320, 3)],
    ...[kernel(400, 500, 1, 7), kernel(900_000, 900_100, 2, 13)],
    api('cudaLaunchKernel', 950_000, 950_100, 4),
  ];
  await app.start(write(join(app.folder, 'names.simsight'), events));
  await app.scene();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('saxpy');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('selection-title')).toContainText('saxpy');
  await page.keyboard.press('Escape');
  await page.getByTestId('timeline').focus();
  await page.keyboard.press('f');
  const first = await windowOf(app);
  await page.keyboard.press('n');
  await expect(page.getByTestId('selection')).toContainText('Stream 13');
  const second = await windowOf(app);
  expect(second.start).toBeGreaterThan(first.start + first.span);
  await page.keyboard.press('Shift+N');
  await expect.poll(async () => (await windowOf(app)).start).toBeLessThan(1000);
  // On its row, the next one is another than of its name.
  await page.keyboard.press('Control+f');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('cudaMalloc');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('selection-title')).toContainText('cudaMalloc');
  await page.keyboard.press('Escape');
  await page.getByTestId('timeline').focus();
  await page.keyboard.press('.');
  await expect(page.getByTestId('selection-title')).toContainText('cudaLaunchKernel');
  await expect.poll(async () => (await windowOf(app)).start).toBeGreaterThan(900_000);
});

test('the keyboard alone: to the timeline, an event, and the page of its kernel', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await app.scene();
  const tabTo = async (testid: string): Promise<void> => {
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate(() => (document.activeElement as HTMLElement).dataset['testid'])) === testid) return;
    }
    throw new Error(`Tab does not reach ${testid}`);
  };
  // Nothing has been chosen: the first event of the topmost row with any, and with a comma the last one.
  await tabTo('timeline');
  await page.keyboard.press('.');
  await expect(page.getByTestId('selection-title')).toHaveText('cudaStreamCreateWithPriority');
  await page.keyboard.press('Escape');
  await page.keyboard.press(',');
  await expect(page.getByTestId('selection-title')).toHaveText('cudaDeviceSynchronize');
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await expect(page.getByTestId('selection-title')).toHaveText('cudaStreamCreateWithPriority');
  await page.keyboard.press('Escape');
  // Keys act on the focused row.
  await page.reload();
  await app.scene();
  await tabTo('row-header');
  const focused = page.locator('[data-testid=row-header]:focus');
  for (const next of ['CUDA API', 'Synchronization', 'A100', 'Kernels']) {
    await page.keyboard.press('ArrowDown');
    await expect(focused).toContainText(next);
  }
  await page.keyboard.press('.');
  await expect(page.getByTestId('selection-title')).toHaveText('saxpy');
  const highlighted = (await app.scene())[0]!.rects.filter((rect) => rect.highlighted).map(({ kind }) => kind);
  expect(highlighted).toContain('kernel');
  await page.keyboard.press('f');
  const { start, span } = await windowOf(app);
  expect(start).toBeGreaterThan(800);
  expect(start + span).toBeLessThan(3800);
  await page.keyboard.press('k');
  await expect(page.getByTestId('kernel-tab-overview')).toBeVisible();
});

test('a drag moves time and rows, wheels with keys move one of them', async ({ app }) => {
  const { page } = app;
  await page.setViewportSize({ width: 1200, height: 520 });
  await app.start(known(app));
  await app.scene();
  const area = (await page.getByTestId('timeline').boundingBox())!;
  const at = { x: area.x + area.width / 2, y: area.y + area.height - 20 };
  await page.mouse.move(at.x, at.y);
  for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -200);
  const [before] = await app.scene();
  const perPixel = before!.window.span / area.width;
  await page.mouse.down();
  await page.mouse.move(at.x - 100, at.y - 40, { steps: 5 });
  await page.mouse.up();
  const [dragged] = await app.scene();
  expect(dragged!.window.span).toBe(before!.window.span);
  expect((dragged!.window.start - before!.window.start) / perPixel).toBeCloseTo(100, 6);
  expect(dragged!.scrollTop - before!.scrollTop).toBe(40);

  // With Shift it measures, and says how long that is.
  await page.keyboard.down('Shift');
  await page.mouse.move(at.x - 100, at.y - 10);
  await page.mouse.down();
  await page.mouse.move(at.x + 100, at.y - 10, { steps: 5 });
  await page.mouse.up();
  const { measured, window: still } = (await app.scene())[0]!;
  expect(still).toEqual(dragged!.window);
  expect((measured!.to - measured!.from) / perPixel).toBeCloseTo(200, 6);
  await expect(page.getByTestId('measured')).toHaveText(formatTime(200 * perPixel));

  await page.mouse.wheel(0, 50);
  await page.keyboard.up('Shift');
  const [shifted] = await app.scene();
  expect((shifted!.window.start - dragged!.window.start) / perPixel).toBeCloseTo(50, 6);
  expect(shifted!.scrollTop).toBe(dragged!.scrollTop);
  await page.keyboard.down('Alt');
  await page.mouse.wheel(0, 30);
  await page.keyboard.up('Alt');
  const [scrolled] = await app.scene();
  expect(scrolled!.window).toEqual(shifted!.window);
  expect(scrolled!.scrollTop - shifted!.scrollTop).toBe(30);
});

test('a pinch zooms where the fingers are: on a trackpad and on a screen', async ({ app, context }) => {
  const { page } = app;
  await app.start(known(app));
  const whole = await windowOf(app);
  const area = (await page.getByTestId('timeline').boundingBox())!;
  const shareAt = (x: number): number => (x - area.x) / area.width;
  const timeAt = async (x: number): Promise<number> => {
    const { start, span } = await windowOf(app);
    return start + span * shareAt(x);
  };
  const x = Math.round(area.x + area.width * 0.4);
  const y = area.y + 150;
  await page.mouse.move(x, y);
  const before = await timeAt(x);
  // Browsers report a pinch on a trackpad like this. It must not zoom the page.
  await page.keyboard.down('Control');
  for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -20);
  await page.keyboard.up('Control');
  const near = await windowOf(app);
  expect(near.span / whole.span).toBeCloseTo(Math.exp(-1), 2);
  expect(await timeAt(x)).toBeCloseTo(before, 0);
  expect(await page.evaluate(() => visualViewport!.scale)).toBe(1);

  const fingers = await context.newCDPSession(page);
  /** Where the left finger is, and the right one. */
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...xs: (number | null)[]): Promise<unknown> =>
    fingers.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: xs.flatMap((x, id) => (x === null ? [] : [{ x, y, id }])),
    });
  const [middle, apart] = [Math.round(area.x + area.width / 2), 60];
  const between = await timeAt(middle);
  await touch('touchStart', middle - apart);
  await touch('touchStart', middle - apart, middle + apart);
  for (let i = 1; i <= 6; i++) await touch('touchMove', middle - apart - 10 * i, middle + apart + 10 * i);
  const zoomed = await windowOf(app);
  expect(zoomed.span / near.span).toBeCloseTo(0.5, 2);
  expect(await timeAt(middle)).toBeCloseTo(between, 0);
  // Both together move it.
  for (let i = 1; i <= 5; i++) await touch('touchMove', middle - 2 * apart + 20 * i, middle + 2 * apart + 20 * i);
  expect(await timeAt(middle + 100)).toBeCloseTo(between, 0);
  expect((await windowOf(app)).span).toBeCloseTo(zoomed.span, 3);
  // One that stays drags; letting go of it selects nothing.
  await touch('touchEnd', middle - 2 * apart + 100);
  for (let i = 1; i <= 5; i++) await touch('touchMove', null, middle + 2 * apart + 100 + 10 * i);
  await touch('touchEnd');
  expect(await timeAt(middle + 150)).toBeCloseTo(between, 0);
  await expect(page.getByTestId('selection')).toHaveCount(0);
});

test('the card of what is under a pointer that rests is that of what is there', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  const [trace] = await app.scene();
  const card = page.getByTestId('hover-card');
  const on = (kind: string): SceneRect => trace!.rects.find((rect) => rect.kind === kind && rect.track === 'Kernels')!;
  const kernel = on('kernel');
  await page.mouse.move(kernel.x + kernel.width - 4, kernel.y + kernel.height / 2);
  await expect(card).toContainText('saxpy');
  // It comes back after a step of the wheel, and goes when the window moves on under it.
  await page.mouse.wheel(0, -100);
  await app.scene();
  await expect(card).toContainText('saxpy');
  await page.keyboard.press('d');
  await app.scene();
  await expect(card).toHaveCount(0);
  await page.keyboard.press('a');
  await expect(card).toContainText('saxpy');
  // Rows that move are no different.
  await page.keyboard.press('e');
  await app.scene();
  await expect(card).toHaveCount(0);
});

test('the palette does what is typed', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  const whole = await windowOf(app);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('zoom in');
  await expect(page.getByTestId('palette-entry').first()).toContainText('Zoom in');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('palette')).toHaveCount(0);
  expect((await windowOf(app)).span).toBeLessThan(whole.span);
  // Rows, too.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sub-partition 2');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('row-header').filter({ hasText: 'Sub-partition 2' })).toBeVisible();
});

test('W A S D and arrows move, the minimap jumps', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  const whole = await windowOf(app);
  await page.getByTestId('timeline').focus();
  for (const key of ['w', 'w', 'w']) await page.keyboard.press(key);
  const near = await windowOf(app);
  expect(near.span).toBeCloseTo(whole.span / 1.5 ** 3, 0);
  await page.keyboard.press('d');
  expect((await windowOf(app)).start).toBeGreaterThan(near.start);
  await page.keyboard.press('ArrowLeft');
  expect((await windowOf(app)).start).toBeCloseTo(near.start, 0);
  await page.keyboard.press('s');
  const wider = await windowOf(app);
  expect(wider.span).toBeCloseTo(whole.span / 1.5 ** 2, 0);
  const strip = (await page.getByTestId('minimap').boundingBox())!;
  await page.mouse.click(strip.x + strip.width * 0.95, strip.y + strip.height / 2);
  const late = await windowOf(app);
  expect(late.span).toBeCloseTo(wider.span, 6);
  expect(late.start).toBeGreaterThan(wider.start + 200);
});

test('the minimap’s window is where the view is, and moves it', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  const whole = await windowOf(app);
  await page.getByTestId('timeline').hover();
  for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -200);
  const near = await windowOf(app);
  const strip = (await page.getByTestId('minimap').boundingBox())!;
  const isInPlace = async (): Promise<{ x: number; y: number }> => {
    const { start, span } = await windowOf(app);
    const frame = (await page.getByTestId('minimap-window').boundingBox())!;
    expect(frame.x).toBeCloseTo(strip.x + ((start - whole.start) / whole.span) * strip.width, 0);
    expect(frame.width).toBeCloseTo((span / whole.span) * strip.width, 0);
    return { x: frame.x + frame.width / 2, y: frame.y + frame.height / 2 };
  };
  const { x, y } = await isInPlace();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 120, y, { steps: 4 });
  await page.mouse.up();
  const moved = await windowOf(app);
  expect(moved.span).toBeCloseTo(near.span, 6);
  expect(near.start - moved.start).toBeCloseTo((120 / strip.width) * whole.span, 3);
  await isInPlace();
});

test('the ruler’s times go from seconds to nanoseconds', async ({ app }) => {
  const { page } = app;
  await app.start(write(join(app.folder, 'long.simsight'), [api('cudaDeviceSynchronize', 0, 80e9, 1)]));
  await app.scene();
  await page.getByTestId('timeline').hover();
  const seen: string[] = [];
  for (let i = 0; i < 24; i++) {
    const [, unit] = / (s|ms|µs|ns)$/.exec(
      (await page.getByTestId('ruler').locator('.labelled').first().textContent())!,
    )!;
    if (seen.at(-1) !== unit) seen.push(unit!);
    const { span } = await windowOf(app);
    await page.mouse.wheel(0, -500);
    await expect.poll(async () => (await windowOf(app)).span).toBeLessThan(span);
    if (span < 200) break;
  }
  expect(seen).toEqual(['s', 'ms', 'µs', 'ns']);
});

test('what happens late in a long recording is seen at once', async ({ app }) => {
  const late = [api('cudaLaunchKernel', 80_000_000_000, 80_000_000_100, 1), kernel(80_000_000_400, 80_000_000_900, 1)];
  await app.start(write(join(app.folder, 'late.simsight'), late));
  const { start, span } = await windowOf(app);
  expect(start).toBeGreaterThan(79e9);
  expect(span).toBeLessThan(1e6);
});
