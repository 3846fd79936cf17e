/** The start screen with traces that were opened before: a click does what stands under the pointer. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator } from '@playwright/test';
import { write } from '../unit/trace/example-recording-events.ts';
import { test, type App } from './app.ts';

/** Clickable elements of the screen whose middle other elements cover. */
async function covered(screen: Locator): Promise<string[]> {
  return screen.evaluate((element) => {
    const targets = [...element.querySelectorAll<HTMLElement>('button, input, select, a, summary')];
    return targets.flatMap((target) => {
      target.scrollIntoView({ block: 'center' });
      const { left, top, width, height } = target.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      const name = target.dataset['testid'] ?? target.textContent ?? target.tagName;
      return width === 0 || target.contains(hit) ? [] : [`${name} is under ${hit?.className ?? 'nothing'}`];
    });
  });
}

async function startWithRecent(app: App): Promise<void> {
  const { page, folder } = app;
  for (const name of ['one', 'two', 'three']) mkdirSync(join(folder, name));
  const [one, two] = ['one', 'two'].map((name) => write(join(folder, name, `${name}.simsight`)));
  await app.start(one!, two!);
  await app.scene();
  await page.getByTestId('home').click();
  await expect(page.getByTestId('recent-trace')).toHaveCount(2);
}

test('a click anywhere goes to what is there', async ({ app }) => {
  const { page } = app;
  await startWithRecent(app);
  expect(await covered(page.getByTestId('app'))).toEqual([]);

  await page.getByTestId('start-record').click();
  await expect(page.getByTestId('record-dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  // The whole card of an example opens its page.
  const card = page.getByTestId('lab-overlap');
  await card.click({ position: { x: 200, y: 12 } });
  await expect(page.getByTestId('lab-page')).toBeVisible();
  expect(await covered(page.getByTestId('app'))).toEqual([]);
  await page.getByTestId('lab-back').click();
  // Each row opens its own trace, wherever it is hit.
  const row = page.getByTestId('recent-trace').filter({ has: page.locator('.folder', { hasText: /one$/ }) });
  await row.click({ position: { x: 60, y: 18 } });
  await app.scene();
  await expect(page.getByTestId('trace-title')).toHaveCount(1);
  expect(await covered(page.getByTestId('app'))).toEqual([]);
});
