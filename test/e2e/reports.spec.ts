/** Summary reports: the values of the command line, in the order and the part that people choose, tied to the timeline. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { CellType } from '../../engine/model/tables.ts';
import { formatCell } from '../../renderer/src/trace/report-table.ts';
import { simsight } from '../cli/simsight.ts';
import { api, copy, kernel, write } from '../unit/trace/example-recording-events.ts';
import { test } from './app.ts';

const cells = (page: Page): Promise<string[][]> =>
  page
    .getByTestId('report-row')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('.value')].map(({ textContent }) => textContent)),
    );

const typeOf = (column: string): CellType =>
  column.includes('(ns)') ? 'nanoseconds' : column.includes('(%)') ? 'percent' : 'number';

test('have the values of simsight stats, are sorted, filtered, saved, and lead to the timeline', async ({
  app,
  context,
}) => {
  const { page } = app;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const path = write(join(app.folder, 'reports.simsight'), [
    ...[api('cudaMalloc', 0, 100, 1), api('cudaMalloc', 100, 350, 2), api('cudaLaunchKernel', 400, 420, 3)],
    ...[api('cudaMemcpyAsync', 450, 475, 4), kernel(1000, 2500, 3), copy(2500, 3000, 4)],
  ]);
  await app.start(path);
  await app.scene();
  await page.keyboard.press('4');

  for (const report of ['cuda_gpu_kern_sum', 'cuda_gpu_mem_size_sum', 'cuda_api_sum']) {
    const { stdout } = simsight(['stats', path, '--report', report, '--format', 'json'], { home: app.dataFolder });
    const rows = JSON.parse(stdout) as Record<string, string | number>[];
    await page.getByTestId('report-select').selectOption(report);
    const expected = rows.map((row) => Object.entries(row).map(([column, value]) => formatCell(value, typeOf(column))));
    await expect.poll(() => cells(page), report).toEqual(expected);
  }
  const count = page.locator('.report .bar > .muted.nowrap');
  await expect(count).toHaveText('3 rows');
  const names = async (): Promise<string[]> => (await cells(page)).map((row) => row.at(-1)!);
  expect(await names()).toEqual(['cudaMalloc', 'cudaMemcpyAsync', 'cudaLaunchKernel']);

  await page.getByRole('columnheader', { name: 'Num Calls' }).getByRole('button').click();
  await expect(page.getByRole('columnheader', { name: 'Num Calls' })).toHaveAttribute('aria-sort', 'descending');
  expect((await names())[0]).toBe('cudaMalloc');
  const byName = page.getByRole('columnheader', { name: 'Name' });
  await byName.getByRole('button').click();
  await expect(byName).toHaveAttribute('aria-sort', 'ascending');
  expect(await names()).toEqual(['cudaLaunchKernel', 'cudaMalloc', 'cudaMemcpyAsync']);
  await byName.getByRole('button').click();
  expect(await names()).toEqual(['cudaMemcpyAsync', 'cudaMalloc', 'cudaLaunchKernel']);

  await page.getByRole('textbox', { name: 'Filter rows' }).last().fill('malloc');
  expect(await names()).toEqual(['cudaMalloc']);
  await expect(count).toHaveText('1 row');
  await page.getByRole('button', { name: 'Copy as CSV' }).click();
  await expect(page.getByText('Copied')).toBeVisible();
  const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\r\n');
  expect(copied).toHaveLength(2);
  expect(copied[0]).toContain('Total Time (ns),Num Calls');
  expect(copied[1]).toMatch(/,350,2,.*,cudaMalloc$/);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toBe(copied.join('\r\n'));

  await page.getByTestId('report-row').click();
  const stands = async (): Promise<string[]> => {
    const events = (await app.scene())[0]!.rects.filter(({ kind }) => kind !== 'column');
    return [...new Set(events.filter(({ emphasised }) => emphasised).map(({ label }) => label))];
  };
  expect(await stands()).toEqual(['cudaMalloc']);
  await page.getByRole('button', { name: 'Stop highlighting' }).click();
  expect((await stands()).length).toBeGreaterThan(3);
  // A row of a trace is one event: a click goes there.
  await page.getByRole('textbox', { name: 'Filter rows' }).last().fill('');
  await page.getByTestId('report-select').selectOption('cuda_gpu_trace');
  await page.getByTestId('report-row').filter({ hasText: '[CUDA memcpy' }).click();
  await expect.poll(async () => (await app.scene())[0]!.window.span).toBeLessThan(1500);
  const marked = (await app.scene())[0]!.rects.filter(({ highlighted, kind }) => highlighted && kind === 'memcpy');
  expect(new Set(marked.map(({ startNs }) => startNs))).toEqual(new Set([2500]));
});
