/** Labs on the start screen: found by words, read, and followed to one another. Recording them is in record.spec.ts. */
import { expect } from '@playwright/test';
import { labById, labs } from '../../engine/labs/index.ts';
import { test } from './app.ts';
import { violations } from './axe.ts';

test('found by words, in their groups', async ({ app }) => {
  const { page } = app;
  await app.start();
  for (const { id } of labs) await expect(page.getByTestId(`lab-${id}`)).toBeVisible();
  const groups = await page.locator('[data-testid=start] h3').allTextContents();
  expect(groups).toEqual([...new Set(labs.map(({ group }) => group))]);
  await page.getByTestId('lab-search').fill('swizzle shared');
  await expect(page.getByTestId('lab-transpose')).toBeVisible();
  await expect(page.getByTestId('lab-overlap')).toHaveCount(0);
  await page.getByTestId('lab-search').fill('zebra');
  await expect(page.getByTestId('labs-none')).toBeVisible();
  expect(await violations(page, '[data-testid=start]')).toEqual([]);
});

test('one that needs two GPUs is recorded on two', async ({ app }) => {
  const { page } = app;
  await app.start();
  await page.getByTestId('lab-several-gpus-open').click();
  await expect(page.getByTestId('lab-page').locator('label.gpu')).toContainText('on 2 ×');
  await page.getByTestId('lab-variant-overlapped').click();
  // The lab's options are in the form once the recording is cancelled.
  await page.getByTestId('record-cancel').click();
  await expect(page.getByTestId('record-gpu-count')).toHaveValue('2');
});

test('a page: read, left for another, and left', async ({ app }) => {
  const { page } = app;
  await app.start();
  await page.getByTestId('lab-coalescing-open').click();
  const shown = page.getByTestId('lab-page');
  await expect(shown.locator('h1')).toHaveText(labById('coalescing').title);
  await expect(page.getByTestId('markdown').locator('table').first()).toContainText('sectors per request');
  // Marks of Markdown and comments are not text.
  const text = (await page.getByTestId('markdown').textContent())!;
  expect(text).not.toMatch(/\*\*|<!--|\]\(|^#/m);
  expect(text).toContain('uncoalesced-access');
  for (const { id } of labById('coalescing').variants) {
    await expect(page.getByTestId(`lab-variant-${id}`)).toBeEnabled();
  }
  expect(await violations(page, '[data-testid=lab-page]')).toEqual([]);
  // The keyboard goes from one to the other.
  await page.getByTestId('markdown').getByRole('button', { name: 'Transpose' }).press('Enter');
  await expect(shown.locator('h1')).toHaveText(labById('transpose').title);
  await expect(page.getByTestId('markdown')).toContainText('32 banks');
  await page.getByTestId('lab-back').click();
  await expect(page.getByTestId('start')).toBeVisible();
});

test('its page comes when it is opened, and one that does not come is said', async ({ app }) => {
  const { page } = app;
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await app.start();
  expect(loaded.filter((url) => /\/(KernelScreen|LabScreen)/.test(url))).toEqual([]);
  const body = 'throw new Error("half of a file")';
  await page.route(/\/LabScreen[^/]*\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body }));
  await page.getByTestId('lab-coalescing-open').click();
  await expect(page.getByTestId('problem')).toContainText('The lab page could not be shown');
  await page.getByLabel('Dismiss').click();
  await expect(page.getByTestId('lab-coalescing-open')).toBeVisible();
});
