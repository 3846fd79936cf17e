/** Files that take a while to open: how far it is, and a way out. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { write } from '../unit/trace/example-recording-events.ts';
import { chromeTrace, test } from './app.ts';

test('progress is shown while a large file is read; it can be cancelled, and what is open stays open', async ({
  app,
}) => {
  const { page } = app;
  const known = write(join(app.folder, 'known.simsight'));
  chromeTrace(join(app.folder, 'large.json'), 1_200_000);
  await app.start(known);
  await app.scene();
  const open = async (): Promise<void> => {
    await page.keyboard.press('o');
    await page.getByTestId('file-entry').filter({ hasText: 'files' }).first().click();
    await page.getByTestId('file-entry').filter({ hasText: 'large.json' }).click();
    await page.getByTestId('file-accept').click();
  };
  await open();
  const progress = page.getByTestId('opening-progress');
  await expect(progress).toContainText(/Reading: [\d.]+ \w+ of 1\d\d\.?\d* MiB/);
  // All that it says, however short a time it is there: fast machines read the rest in two seconds.
  const said = await progress.evaluateHandle((element) => {
    const texts = [element.textContent];
    new MutationObserver(() => texts.push(element.textContent)).observe(element, {
      subtree: true,
      characterData: true,
      childList: true,
    });
    return texts;
  });
  const share = Number(await page.getByRole('progressbar').getAttribute('aria-valuenow'));
  expect(share).toBeGreaterThanOrEqual(0);
  expect(share).toBeLessThanOrEqual(100);
  // How fast, and how long still.
  const rate = /Reading: [\d.]+ \w+ of 1\d\d\.?\d* MiB, [\d.]+ [KM]iB\/s, \d+ (s|min) left/;
  await expect.poll(async () => (await said.jsonValue()).some((text) => rate.test(text ?? ''))).toBe(true);
  await page.getByTestId('opening-cancel').click();
  await expect(page.getByTestId('opening')).toHaveCount(0);
  await expect(page.getByTestId('problem')).toHaveCount(0);
  await expect(page.getByTestId('trace-title')).toHaveText('Saxpy');

  await open();
  // Then the rows are made, at a speed of their own.
  const making = /Building the timeline rows: [\d,]+ of 1,200,\d+ events/;
  await expect(page.getByTestId('opening-progress')).toContainText(making, { timeout: 60_000 });
  expect(Number(await page.getByRole('progressbar').getAttribute('aria-valuenow'))).toBeLessThanOrEqual(100);
  await expect(page.getByTestId('trace-title')).toContainText('large', { timeout: 60_000 });
  const [trace] = await app.scene();
  expect(trace!.rects.map(({ kind }) => kind)).toContain('kernel');
});
