/** Files chosen by mistake: one clear message each, and the app goes on. */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { write } from '../unit/trace/example-recording-events.ts';
import { root, test, type App } from './app.ts';

async function openByDialog({ page }: App, name: string): Promise<void> {
  await page.getByTestId('start-open').click();
  const browser = page.getByTestId('file-browser');
  // The granted folder first, where several are offered.
  await browser.getByTestId('file-entry').filter({ hasText: 'files' }).first().click();
  await browser.getByTestId('file-entry').filter({ hasText: name }).click();
  await browser.getByTestId('file-accept').click();
}

test.describe('opening', () => {
  test('a file that is no trace', async ({ app }) => {
    writeFileSync(join(app.folder, 'notes.simsight'), 'These are notes, not a trace.');
    await app.start();
    await openByDialog(app, 'notes.simsight');
    await expect(app.page.getByTestId('problem-message')).toContainText('notes.simsight');
    await expect(app.page.getByTestId('start')).toBeVisible();
  });

  test('a trace that was cut off, then a whole one', async ({ app }) => {
    const whole = write(join(app.folder, 'whole.simsight'));
    const bytes = readFileSync(whole);
    writeFileSync(join(app.folder, 'cut.simsight'), bytes.subarray(0, Math.floor(bytes.length / 2)));
    await app.start();
    await openByDialog(app, 'cut.simsight');
    await expect(app.page.getByTestId('problem-message')).toContainText('cut.simsight');
    await openByDialog(app, 'whole.simsight');
    await expect(app.page.getByTestId('trace-screen')).toBeVisible();
    await expect(app.page.getByTestId('problem')).toHaveCount(0);
  });

  test('a trace that is gone', async ({ app }) => {
    await app.start(join(app.folder, 'gone.simsight'));
    await expect(app.page.getByTestId('problem-message')).toContainText('gone.simsight');
  });

  test('a folder', async ({ app }) => {
    mkdirSync(join(app.folder, 'folder.simsight'));
    await app.start(join(app.folder, 'folder.simsight'));
    await expect(app.page.getByTestId('problem-message')).toContainText('folder.simsight');
  });
});

test.describe('recording', () => {
  async function tryToRecord({ page }: App, source: string): Promise<void> {
    await page.getByTestId('start-record').click();
    await page.getByTestId('record-source').fill(source);
    await page.getByTestId('record-start').click();
  }

  test('nothing chosen', async ({ app }) => {
    await app.start();
    await tryToRecord(app, '');
    await expect(app.page.getByTestId('record-complaint')).toBeVisible();
  });

  test('a file that is not there', async ({ app }) => {
    await app.start();
    await tryToRecord(app, join(app.folder, 'missing.cu'));
    await expect(app.page.getByTestId('record-dialog').getByTestId('problem-message')).toContainText('missing.cu');
  });

  test('a folder', async ({ app }) => {
    mkdirSync(join(app.folder, 'folder.cu'));
    await app.start();
    await tryToRecord(app, join(app.folder, 'folder.cu'));
    await expect(app.page.getByTestId('record-dialog').getByTestId('problem-message')).toContainText('folder.cu');
  });

  test('a file outside of the granted folders', async ({ app }) => {
    await app.start();
    await tryToRecord(app, join(root, 'package.json'));
    await expect(app.page.getByTestId('record-dialog').getByTestId('problem-message')).toContainText('may access');
  });

  test('a syntax error: Clang’s own words, with line and column; then the corrected file', async ({ app }) => {
    test.setTimeout(240_000);
    const source = join(app.folder, 'broken.cu');
    writeFileSync(source, '#include <cstdio>\nint main() {\n  int x = ;\n  return 0;\n}\n');
    await app.start();
    await tryToRecord(app, source);
    const diagnostics = app.page.getByTestId('diagnostics');
    await expect(diagnostics).toContainText('broken.cu:3:11: error: expected expression', { timeout: 90_000 });
    expect(readdirSync(app.dataFolder)).not.toContain('recordings');

    copyFileSync(join(root, 'engine', 'labs', 'overlap', 'overlap.cu'), source);
    await app.page.getByTestId('record-arguments').fill('pinned 2');
    await app.page.getByTestId('record-start').click();
    await expect(app.page.getByTestId('trace-screen')).toBeVisible({ timeout: 90_000 });
  });
});
