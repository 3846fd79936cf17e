/** Getting about in a trace: history, times, boxes, names, the palette. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { api, kernel, write } from '../unit/trace/example-recording-events.ts';
import { test, type App } from './app.ts';

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
  await expect(page.getByTestId('time-problem')).toContainText('A number and s, ms, us or ns');
  await page.getByRole('textbox', { name: 'Time' }).fill('1 ms');
  await expect(page.getByTestId('time-problem')).toContainText('The trace goes from 0 to 4.7');
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

test('what happens late in a long recording is seen at once', async ({ app }) => {
  const late = [api('cudaLaunchKernel', 80_000_000_000, 80_000_000_100, 1), kernel(80_000_000_400, 80_000_000_900, 1)];
  await app.start(write(join(app.folder, 'late.simsight'), late));
  const { start, span } = await windowOf(app);
  expect(start).toBeGreaterThan(79e9);
  expect(span).toBeLessThan(1e6);
});
