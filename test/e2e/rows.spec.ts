/** Rows as people arrange them, by mouse and by keyboard. */
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { write } from '../unit/trace/example-recording-events.ts';
import { test, type App } from './app.ts';

const known = (app: App): string => write(join(app.folder, 'known.simsight'));
const headers = (page: Page): Locator => page.getByTestId('row-headers').getByTestId('row-header');
const row = (page: Page, name: string): Locator => headers(page).filter({ hasText: name }).first();
/** Titles from top to bottom. */
const titles = (page: Page): Promise<string[]> => headers(page).locator('.title').allTextContents();

test('pinned rows stay in sight above all others, with their events', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await app.scene();
  await row(page, 'Kernels').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Pin to the top' }).click();
  await expect(page.getByTestId('pinned-headers').getByTestId('row-header')).toContainText(['Kernels']);

  await expect.poll(async () => (await app.scene())[0]!.pinned.map(({ kind }) => kind)).toEqual(['kernel']);
  const [trace] = await app.scene();
  const [pinned] = trace!.pinned;
  const below = trace!.rects.find(({ kind, track }) => kind === 'kernel' && track === 'Kernels')!;
  expect(pinned!.x).toBeCloseTo(below.x, 0);
  expect(pinned!.y).toBeLessThan(below.y);

  // It is as alive as the row itself.
  await page.mouse.click(pinned!.x + pinned!.width / 2, pinned!.y + pinned!.height / 2);
  await expect(page.getByTestId('selection-title')).toContainText('saxpy');
  await page.mouse.wheel(0, -300);
  expect((await app.scene())[0]!.window.span).toBeLessThan(trace!.window.span * 0.8);

  // The key unpins it again.
  await row(page, 'Kernels').focus();
  await page.keyboard.press('p');
  await expect(page.getByTestId('pinned-headers')).toHaveCount(0);
});

test('rows are hidden, counted and shown again', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await app.scene();
  const before = await titles(page);
  await row(page, 'Synchronization').focus();
  await page.keyboard.press('Delete');
  expect(await titles(page)).toEqual(before.filter((title) => title !== 'Synchronization'));
  // The focus goes on to the next row.
  await expect(page.locator(':focus')).toHaveAttribute('data-testid', 'row-header');
  await expect(page.getByTestId('show-hidden')).toHaveText('1 hidden');
  await page.getByTestId('show-hidden').click();
  expect(await titles(page)).toEqual(before);
});

test('an event on a hidden row brings its row back', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await app.scene();
  await row(page, 'CUDA API').focus();
  await page.keyboard.press('Delete');
  await expect(row(page, 'CUDA API')).toHaveCount(0);
  const kernel = (await app.scene())[0]!.rects.find(({ kind }) => kind === 'kernel')!;
  await page.mouse.click(kernel.x + 5, kernel.y + 5);
  await page.getByTestId('correlated-event').first().click();
  await expect(row(page, 'CUDA API')).toBeVisible();
});

test('rows are moved by mouse and by keys', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await app.scene();
  const order = async (): Promise<string[]> =>
    (await titles(page)).filter((title) => /^(CUDA API|Synchronization)$/.test(title));
  expect(await order()).toEqual(['CUDA API', 'Synchronization']);

  const [from, to] = await Promise.all(
    ['Synchronization', 'CUDA API'].map(async (name) => (await row(page, name).boundingBox())!),
  );
  await page.mouse.move(from!.x + 40, from!.y + 10);
  await page.mouse.down();
  await page.mouse.move(to!.x + 40, to!.y + 3, { steps: 5 });
  await page.mouse.up();
  expect(await order()).toEqual(['Synchronization', 'CUDA API']);

  await row(page, 'Synchronization').focus();
  await page.keyboard.press('Alt+ArrowDown');
  expect(await order()).toEqual(['CUDA API', 'Synchronization']);
  // Not out of its group.
  await page.keyboard.press('Alt+ArrowDown');
  expect(await order()).toEqual(['CUDA API', 'Synchronization']);
  // The GPU with all that is below it.
  await row(page, '(0)').focus();
  await page.keyboard.press('Alt+ArrowUp');
  expect((await titles(page))[0]).toContain('A100');
  expect((await titles(page))[1]).toBe('Kernels');

  // Everything as it was.
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Reset rows' }).click();
  expect((await titles(page))[0]).toBe('saxpy.cu');
});

test('rows are filtered by their names', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await app.scene();
  const before = await titles(page);
  await page.getByTestId('timeline').focus();
  await page.keyboard.press('Shift+F');
  await expect(page.getByTestId('row-filter')).toBeFocused();
  await page.keyboard.type('stream 13');
  await expect
    .poll(() => titles(page))
    .toEqual([expect.stringContaining('A100'), 'Stream 13 (priority -5)', 'Stream 13 (priority -5) (sync)']);
  const kinds = new Set((await app.scene())[0]!.rects.map(({ kind }) => kind));
  expect(kinds).not.toContain('api');
  expect(kinds).toContain('memcpy');
  await page.keyboard.press('Escape');
  expect(await titles(page)).toEqual(before);
});

test('the group of what is in sight stays in sight', async ({ app }) => {
  const { page } = app;
  await page.setViewportSize({ width: 1200, height: 520 });
  await app.start(known(app));
  await app.scene();
  await expect(page.getByTestId('sticky-header')).toHaveCount(0);
  await row(page, 'Kernels').hover();
  await page.mouse.wheel(0, 200);
  await expect(page.getByTestId('sticky-header')).toContainText(['A100']);
  await page.getByTestId('sticky-header').click();
  await expect(page.getByTestId('sticky-header')).toHaveCount(0);
});

test('what was done to rows is undone step by step, and done again', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await app.scene();
  const before = await titles(page);
  const pinned = (): Promise<number> => page.getByTestId('pinned-headers').getByTestId('row-header').count();
  const steps: [string, () => Promise<void>][] = [
    ['hidden', () => row(page, 'Synchronization').press('Delete')],
    ['pinned', () => row(page, 'Kernels').press('p')],
    ['moved', () => row(page, 'Copy engine: host').press('Alt+ArrowDown')],
    ['closed', () => row(page, 'A100').press('ArrowLeft')],
    ['all closed', () => page.keyboard.press('e')],
    ['all opened', () => page.keyboard.press('Shift+E')],
    ['filtered', () => page.getByTestId('row-filter').pressSequentially('stream', { delay: 10 })],
    ['zoomed', () => page.getByTestId('timeline').press('w')],
  ];
  const states: unknown[] = [];
  const state = async (): Promise<unknown> => [await titles(page), await pinned(), (await app.scene())[0]!.window.span];
  for (const [what, change] of steps) {
    states.push(await state());
    await change();
    expect(await state(), what).not.toEqual(states.at(-1));
    if (what === 'all closed') expect(await titles(page)).toEqual(['saxpy.cu', expect.stringContaining('A100')]);
    if (what === 'all opened') expect(await titles(page)).toContain('Sub-partition 0');
  }
  const last = await state();
  for (const [what] of steps.toReversed()) {
    await page.getByTestId('timeline').press('Control+z');
    expect(await state(), `${what}, undone`).toEqual(states.pop());
  }
  expect(await titles(page)).toEqual(before);
  for (const _ of steps) await page.keyboard.press('Control+Shift+z');
  expect(await state()).toEqual(last);
});

test('going to a row by its name is undone by going back to where the rows were', async ({ app }) => {
  const { page } = app;
  await page.setViewportSize({ width: 1200, height: 520 });
  await app.start(known(app));
  const [before] = await app.scene();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sub-partition 3');
  await page.keyboard.press('Enter');
  await expect(row(page, 'Sub-partition 3')).toBeVisible();
  expect((await app.scene())[0]!.scrollTop).toBeGreaterThan(100);
  await page.getByTestId('timeline').focus();
  await page.keyboard.press('Alt+ArrowLeft');
  expect((await app.scene())[0]!.scrollTop).toBe(before!.scrollTop);
  await expect(row(page, 'Sub-partition 3')).toHaveCount(0);
  await page.keyboard.press('Alt+ArrowRight');
  await expect(row(page, 'Sub-partition 3')).toBeVisible();
});

test('of two traces with one view, rows of each come back', async ({ app }) => {
  const { page } = app;
  const names = ['before', 'after'] as const;
  await app.start(...names.map((title) => write(join(app.folder, `${title}.simsight`), undefined, { title })));
  await app.scene();
  const rowIn = (pane: number): Locator =>
    page.getByTestId(`pane-${pane}`).getByTestId('row-header').filter({ hasText: 'CUDA API' });
  for (const pane of [0, 1]) await rowIn(pane).press('Delete');
  await expect(page.getByTestId('show-hidden')).toHaveText('2 hidden');
  await page.keyboard.press('Control+z');
  await expect(rowIn(1)).toBeVisible();
  await expect(rowIn(0)).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await expect(rowIn(0)).toBeVisible();
});

test('the menu of a row is opened, used and left by keys', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await app.scene();
  await row(page, 'Kernels').focus();
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menuitem', { name: 'Pin to the top' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Hide' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('context-menu')).toHaveCount(0);
  await expect(row(page, 'Kernels')).toBeFocused();
});
