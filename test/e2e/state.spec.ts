/** State that is restored: by another server with the same data folder, and when the page is loaded again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { write } from '../unit/trace/example-recording-events.ts';
import { test, type App } from './app.ts';

const known = (app: App): string => write(join(app.folder, 'known.simsight'));
const theme = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.documentElement.dataset['theme']);

async function openByHand(page: Page, name: string): Promise<void> {
  await page.keyboard.press('o');
  await page.getByTestId('file-entry').filter({ hasText: 'files' }).first().click();
  await page.getByTestId('file-entry').filter({ hasText: name }).click();
  await page.getByTestId('file-accept').click();
  await expect(page.getByTestId('trace-screen')).toBeVisible();
}

test('another server, and so another address, finds theme, queries, view, range and tab', async ({ app }) => {
  const { page } = app;
  const path = known(app);
  await app.start(path);
  const whole = (await app.scene())[0]!.window;
  await page.keyboard.press('t');
  expect(await theme(page)).toBe('light');
  await page.getByTestId('timeline').hover();
  for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -200);
  const ruler = (await page.getByTestId('ruler').boundingBox())!;
  await page.mouse.move(ruler.x + 200, ruler.y + 8);
  await page.mouse.down();
  await page.mouse.move(ruler.x + 600, ruler.y + 8, { steps: 4 });
  await page.mouse.up();
  await page.getByTestId('tab-sql').click();
  await page.getByTestId('sql-text').fill('SELECT 42 AS answer');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('panel')).toContainText('answer');
  const [left] = await app.scene();
  expect(left!.window.span).toBeLessThan(whole.span / 2);
  expect(left!.measured).not.toBeNull();
  const before = new URL(page.url()).port;
  // The page goes at once: what was done last is on its way.
  await app.start(path);
  expect(new URL(page.url()).port).not.toBe(before);
  const [found] = await app.scene();
  expect(found!.window).toEqual(left!.window);
  expect(found!.measured).toEqual(left!.measured);
  expect(await theme(page)).toBe('light');
  await expect(page.getByTestId('tab-sql')).toHaveAttribute('aria-selected', 'true');
  await page.getByTestId('sql-text').fill('');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByTestId('sql-text')).toHaveValue('SELECT 42 AS answer');
});

test('a range that was left with the selection in the panel does not change the panel', async ({ app }) => {
  const { page } = app;
  const path = known(app);
  await app.start(path);
  await app.scene();
  const ruler = (await page.getByTestId('ruler').boundingBox())!;
  await page.mouse.move(ruler.x + 200, ruler.y + 8);
  await page.mouse.down();
  await page.mouse.move(ruler.x + 600, ruler.y + 8, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByTestId('tab-range')).toHaveAttribute('aria-selected', 'true');
  await page.getByTestId('tab-selection').click();
  await page.reload();
  const [found] = await app.scene();
  expect(found!.measured).not.toBeNull();
  await expect(page.getByTestId('tab-selection')).toHaveAttribute('aria-selected', 'true');
});

test('a trace that was opened by hand is there when the page is loaded again; a closed one is not', async ({ app }) => {
  const { page } = app;
  known(app);
  await app.start();
  await expect(page.getByTestId('app')).toHaveAttribute('data-connection', 'open');
  await openByHand(page, 'known.simsight');
  await app.scene();
  await page.keyboard.press('w');
  const [left] = await app.scene();
  await page.reload();
  const [found] = await app.scene();
  expect(found!.title).toBe('Saxpy');
  expect(found!.window).toEqual(left!.window);
  await page.keyboard.press('q');
  await expect(page.getByTestId('trace-screen')).toHaveCount(0);
  await page.reload();
  await expect(page.getByTestId('app')).toHaveAttribute('data-connection', 'open');
  await expect(page.getByTestId('recent-trace').first()).toBeVisible();
  await expect(page.getByTestId('trace-screen')).toHaveCount(0);
});

test('settings that cannot be read are said to be lost, and new ones are kept', async ({ app }) => {
  const { page } = app;
  const file = join(app.dataFolder, 'state.json');
  writeFileSync(file, '{"simsight":"state","vers');
  await app.start(known(app));
  await app.scene();
  await expect(page.getByTestId('problem')).toContainText('state.json could not be read');
  await page.keyboard.press('t');
  const kept = expect.poll(() => {
    try {
      return (JSON.parse(readFileSync(file, 'utf8')) as { preferences: { theme?: string } }).preferences.theme;
    } catch {
      return null;
    }
  });
  await kept.toBe('light');
  await page.reload();
  await app.scene();
  expect(await theme(page)).toBe('light');
  await expect(page.getByTestId('problem')).toHaveCount(0);
});
