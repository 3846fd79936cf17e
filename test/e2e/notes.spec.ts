/** Users' notes on a trace, and how they are found again. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { api, write } from '../unit/trace/example-recording-events.ts';
import { test, type App } from './app.ts';

const known = (app: App): string => write(join(app.folder, 'known.simsight'));

test('notes at an event and at a moment: written, found again, gone to, deleted', async ({ app }) => {
  const { page } = app;
  const path = known(app);
  const sidecar = `${path}.notes.json`;
  const before = readFileSync(path);
  await app.start(path);
  const [trace] = await app.scene();
  const kernel = trace!.rects.find(({ kind }) => kind === 'kernel')!;
  await page.mouse.click(kernel.x + kernel.width / 2, kernel.y + kernel.height / 2);
  await expect(page.getByTestId('selection-title')).toContainText('saxpy');
  await page.keyboard.press('b');
  await expect(page.getByRole('textbox', { name: 'Note at' })).toBeFocused();
  await page.keyboard.type('why so long?');
  await page.keyboard.press('Enter');
  await expect.poll(() => existsSync(sidecar) && readFileSync(sidecar, 'utf8')).toContain('why so long?');
  expect(JSON.parse(readFileSync(sidecar, 'utf8'))).toMatchObject({
    notes: [{ timeNs: 1300, durationNs: 2000, text: 'why so long?' }],
  });

  // A moment: where the pointer is, with nothing selected.
  await page.getByTestId('timeline').focus();
  await page.keyboard.press('Escape');
  const empty = { x: kernel.x - 20, y: kernel.y + 5 };
  await page.mouse.move(empty.x, empty.y);
  await page.keyboard.press('b');
  await expect(page.getByTestId('note')).toHaveCount(2);
  await page.keyboard.press('Escape');
  const flags = page.getByTestId('note-flag');
  await expect(flags).toHaveCount(2);
  const [first, second] = [(await flags.nth(0).boundingBox())!, (await flags.nth(1).boundingBox())!];
  expect(Math.abs(first.x - empty.x)).toBeLessThan(3);
  expect(Math.abs(second.x - kernel.x)).toBeLessThan(3);

  // After a reload they are there, and the view goes to one after the other.
  await page.reload();
  await app.scene();
  await expect(flags).toHaveCount(2);
  await page.getByTestId('timeline').focus();
  // The one before the middle of the trace.
  await page.keyboard.press('PageUp');
  const { window } = (await app.scene())[0]!;
  expect(window.start).toBeLessThan(1300);
  expect(window.start + window.span).toBeGreaterThan(3300);
  expect(window.span).toBeLessThan(3000);

  await page.keyboard.press('7');
  for (let left = 2; left > 0; left--) {
    await page.getByTestId('note').first().getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByTestId('note')).toHaveCount(left - 1);
  }
  await expect.poll(() => existsSync(sidecar)).toBe(false);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a file of notes that is none is named, and not written over', async ({ app }) => {
  const { page } = app;
  const path = known(app);
  writeFileSync(`${path}.notes.json`, '{"mine": "do not touch"}');
  let refusals = 0;
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (payload.toString().includes('notes-unreadable')) refusals++;
    }),
  );
  await app.start(path);
  await app.scene();
  await page.getByTestId('tab-notes').click();
  await expect(page.getByTestId('problem-message')).toContainText('known.simsight.notes.json');
  // Read with the trace and by the panel. The problem stands there already: a third refusal tells that adding has failed too.
  await expect.poll(() => refusals).toBe(2);
  await page.getByTestId('add-note').click();
  await expect.poll(() => refusals).toBe(3);
  await expect(page.getByTestId('problem')).toBeVisible();
  expect(readFileSync(`${path}.notes.json`, 'utf8')).toBe('{"mine": "do not touch"}');
  // Put right, notes can be kept.
  writeFileSync(
    `${path}.notes.json`,
    JSON.stringify({ simsight: 'notes', version: 1, trace: { durationNs: 4700, eventCount: 1 }, notes: [] }),
  );
  await page.getByTestId('retry').click();
  await expect(page.getByTestId('problem')).toHaveCount(0);
  await page.getByTestId('add-note').click();
  await expect(page.getByTestId('note')).toHaveCount(1);
  await expect(page.getByTestId('notes-of-another')).toHaveCount(0);
});

test('a trace opens as it was left', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await app.scene();
  await page.getByTestId('timeline').hover();
  for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -200);
  const header = (name: string) =>
    page.getByTestId('row-headers').getByTestId('row-header').filter({ hasText: name }).first();
  await header('Kernels').focus();
  await page.keyboard.press('p');
  await header('Synchronization').focus();
  await page.keyboard.press('Delete');
  const { window } = (await app.scene())[0]!;
  await page.reload();
  const again = (await app.scene())[0]!;
  expect(again.window).toEqual(window);
  await expect(page.getByTestId('pinned-headers').getByTestId('row-header')).toContainText(['Kernels']);
  await expect(page.getByTestId('show-hidden')).toHaveText('1 hidden');

  // Another recording of that name opens as a new one.
  write(join(app.folder, 'known.simsight'), [api('cudaMalloc', 0, 9000, 1)]);
  await page.reload();
  const other = (await app.scene())[0]!;
  expect(other.window.span).toBeGreaterThan(9000);
  await expect(page.getByTestId('show-hidden')).toHaveCount(0);
});
