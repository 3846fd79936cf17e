/** Nothing goes without a word or a way back: traces that are closed or replaced, and files that find no room. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { write } from '../unit/trace/example-recording-events.ts';
import { test, type App } from './app.ts';

const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
const names = letters.map((letter) => `${letter}.simsight`);

function writeTraces({ folder }: App): string[] {
  return names.map((name) => write(join(folder, name)));
}

async function choose({ page }: App, wanted: readonly string[]): Promise<void> {
  await page.keyboard.press('o');
  await page.getByTestId('file-entry').filter({ hasText: 'files' }).first().click();
  for (const name of wanted)
    await page
      .getByTestId('file-entry')
      .filter({ hasText: name })
      .click({ modifiers: ['Control'] });
  await page.getByTestId('file-accept').click();
}

test('of six files, what became of each is said, and those without room are a click away', async ({ app }) => {
  const { page } = app;
  writeTraces(app);
  writeFileSync(join(app.folder, 'a.simsight'), 'No trace.');
  await app.start();
  await expect(page.getByTestId('start-open')).toBeEnabled();
  await choose(app, names);
  await app.scene();
  const outcomes = page.getByTestId('file-outcome');
  await expect(page.getByTestId('file-outcomes')).toContainText('2 of 6 files are shown');
  await expect(outcomes).toHaveText([
    /a\.simsight.*not a Simsight trace|a\.simsight.*no trace/i,
    /b\.simsight.*shown as before/,
    /c\.simsight.*shown as after/,
    ...['d', 'e', 'f'].map((name) => new RegExp(`${name}\\.simsight.*not opened: Simsight shows 2 traces at a time`)),
  ]);
  await outcomes.nth(4).getByTestId('file-compare').click();
  await expect(outcomes.nth(4)).toContainText('shown as after');
  await expect(outcomes.nth(2)).toContainText('not opened');
  await outcomes.nth(5).getByTestId('file-open').click();
  await expect(outcomes.nth(5)).toContainText('shown');
  await expect(page.getByTestId('trace-title')).toHaveCount(1);
  await expect(page.getByTestId('file-compare')).toHaveCount(4);
  await page.getByTestId('file-outcomes').getByLabel('Dismiss').click();
  await expect(page.getByTestId('file-outcomes')).toHaveCount(0);
});

test('traces on the command line are as many files', async ({ app }) => {
  await app.start(...writeTraces(app).slice(0, 3));
  await app.scene();
  await expect(app.page.getByTestId('file-outcomes')).toContainText('2 of 3 files are shown');
});

test('what was closed comes back as it was left', async ({ app }) => {
  const { page } = app;
  const [a, b] = writeTraces(app);
  await app.start(a!);
  await app.scene();
  await page.getByTestId('timeline').hover();
  await page.mouse.wheel(0, -400);
  const [kernel] = (await app.scene())[0]!.rects.filter(({ kind }) => kind === 'kernel');
  await page.mouse.click(kernel!.x + kernel!.width / 2, kernel!.y + kernel!.height / 2);
  const selected = await page.getByTestId('selection-title').textContent();
  const [left] = await app.scene();

  await page.keyboard.press('q');
  await expect(page.getByTestId('start-reopen')).toContainText('Reopen Saxpy');
  await page.getByTestId('start-reopen').click();
  const [found] = await app.scene();
  expect(found!.window).toEqual(left!.window);
  await expect(page.getByTestId('selection-title')).toHaveText(selected!);
  const highlighted = found!.rects.filter((rect) => rect.highlighted).map(({ label }) => label);
  expect(highlighted).toEqual(left!.rects.filter((rect) => rect.highlighted).map(({ label }) => label));

  // In place of it, another: that is no loss either.
  await choose(app, ['b.simsight']);
  await expect(page.getByTestId('trace-title')).toHaveAttribute('title', b!);
  await page.keyboard.press('Shift+Q');
  await expect(page.getByTestId('trace-title')).toHaveAttribute('title', a!);
  expect((await app.scene())[0]!.window).toEqual(left!.window);
  // And so on, through all that was there.
  await page.keyboard.press('Shift+Q');
  await expect(page.getByTestId('trace-title')).toHaveAttribute('title', b!);
});

test('a comparison comes back with its sides and how it was looked at', async ({ app }) => {
  const { page } = app;
  const [a, b] = writeTraces(app);
  await app.start(b!, a!);
  await app.scene();
  await page.getByTestId('compare-table').click();
  await page.keyboard.press('w');
  const windows = (await app.scene()).map(({ window }) => window);
  await page.getByTestId('close-1').click();
  await expect(page.getByTestId('trace-title')).toHaveCount(1);
  await page.keyboard.press('q');
  await expect(page.getByTestId('start')).toBeVisible();
  await page.keyboard.press('Shift+Q');
  await expect(page.getByTestId('trace-title')).toHaveCount(1);
  await page.keyboard.press('Shift+Q');
  await expect(page.getByTestId('trace-title')).toHaveCount(2);
  expect((await app.scene()).map(({ window }) => window)).toEqual(windows);
  await expect(page.getByTestId('trace-title').first()).toHaveAttribute('title', b!);
  await expect(page.getByRole('grid', { name: 'Changes' })).toBeVisible();
});

test('the recording dialog has what the person filled in, not what an example was recorded with', async ({ app }) => {
  test.setTimeout(240_000);
  const { page } = app;
  await app.start();
  await page.getByTestId('start-record').click();
  await page.getByTestId('record-arguments').fill('mine 7');
  await page.getByLabel('Close', { exact: true }).click();
  await page.getByTestId('lab-matmul-open').click();
  await page.getByTestId('lab-variant-naive').click();
  await page.getByTestId('record-cancel').click();
  // To try it again it is all there.
  await expect(page.getByTestId('record-cancelled')).toBeVisible();
  await expect(page.getByTestId('record-source')).toHaveValue(/matmul\.cu$/);
  await expect(page.getByTestId('record-title')).toHaveValue(/naive/i);
  await page.getByLabel('Close', { exact: true }).click();
  await page.getByTestId('command-record.open').click();
  await expect(page.getByTestId('record-source')).toHaveValue('');
  await expect(page.getByTestId('record-arguments')).toHaveValue('mine 7');
  await page.getByTestId('record-more').click();
  await expect(page.getByTestId('record-title')).toHaveValue('');
});
