/** "Save report…": what the app saves is what the command line writes, of the traces that are open. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Download } from '@playwright/test';
import { writeReport } from '../../engine/analysis/report/index.ts';
import { openTrace } from '../../engine/trace/reader.ts';
import { write } from '../unit/trace/example-recording-events.ts';
import { test } from './app.ts';

test('saved as one page and as Markdown, with before and after', async ({ app }) => {
  const { page } = app;
  const [first, second] = ['first.simsight', 'second run.simsight'].map((name) => write(join(app.folder, name)));
  const [before, after] = [openTrace(first!), openTrace(second!)];
  const input = { name: 'second run.simsight', before: { trace: before, name: 'first.simsight' } };
  await app.start(first!, second!);
  await app.scene();

  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Shift+R')]);
  expect(download.suggestedFilename()).toBe('second-run.report.html');
  const saved = await download.path();
  const html = writeReport(after, 'html', input);
  expect(readFileSync(saved, 'utf8')).toBe(html.text);

  // A page of its own shows it, and asks for nothing.
  const other = await page.context().newPage();
  const requests: string[] = [];
  other.on('request', (request) => requests.push(request.url()));
  other.on('console', (message) => requests.push(message.text()));
  await other.setContent(html.text);
  await expect(other.getByRole('heading', { name: 'Before and after' })).toBeVisible();
  await expect(other.getByRole('img', { name: 'Timeline of the recording' })).toBeVisible();
  expect(requests).toEqual([]);
  await other.close();

  // From the palette; pictures are files beside it.
  const markdown = writeReport(after, 'markdown', input);
  const downloads: Download[] = [];
  page.on('download', (each) => downloads.push(each));
  await page.keyboard.press('Control+k');
  await page.keyboard.type('save report as markdown');
  await page.keyboard.press('Enter');
  const files = [{ fileName: markdown.fileName, text: markdown.text }, ...markdown.pictures];
  await expect.poll(() => downloads.length).toBe(files.length);
  for (const { fileName, text } of files) {
    const found = downloads.find((each) => each.suggestedFilename() === fileName);
    expect(readFileSync(await found!.path(), 'utf8')).toBe(text);
  }
  before.close();
  after.close();
});
