/** Recordings of real machines on the same rows: Nsight Systems' exports and PyTorch's profiler. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, type Locator, type Page } from '@playwright/test';
import { root, test, type App } from './app.ts';

const samples = join(root, 'test', 'samples');
const row = (page: Page, name: string): Locator =>
  page.getByTestId('row-headers').getByTestId('row-header').filter({ hasText: name }).first();

function export_(app: App, name: string): string {
  const path = join(app.folder, `${name}.sqlite`);
  writeFileSync(path, gunzipSync(readFileSync(join(samples, `${name}.sqlite.gz`))));
  return path;
}

test('an export of Nsight Systems: four streams side by side', async ({ app }) => {
  const { page } = app;
  await app.start(export_(app, 'nsys-streams'));
  await expect(page.getByTestId('trace-gpu')).toHaveText('NVIDIA GeForce RTX 4060 Ti', { timeout: 60_000 });
  await app.scene();
  await expect(page.getByTestId('notices')).toContainText('Recorded with Nsight Systems 2026.1');
  for (const name of ['OS runtime, thread 58972', 'CUDA API', 'Kernels', 'Stream 13', 'Stream 16'])
    await expect(row(page, name)).toBeAttached();

  // The four kernels, by search from one to the next.
  await page.keyboard.press('Shift+F');
  await page.keyboard.type('kernels');
  await expect(page.getByTestId('row-headers').getByTestId('row-header')).toHaveCount(2);
  const { rects } = (await app.scene())[0]!;
  const count = rects.filter(({ kind }) => kind === 'kernel').reduce((sum, { merged }) => sum + merged, 0);
  expect(count).toBe(4);
  const [first] = rects.filter(({ kind }) => kind === 'kernel');
  await page.mouse.dblclick(first!.x + first!.width / 2, first!.y + first!.height / 2);
  await expect
    .poll(async () => (await app.scene())[0]!.rects.filter(({ kind }) => kind === 'kernel').length)
    .toBeGreaterThan(0);
  const near = (await app.scene())[0]!.rects.find(({ kind }) => kind === 'kernel')!;
  await page.mouse.click(near.x + near.width / 2, near.y + near.height / 2);
  await expect(page.getByTestId('correlated-event')).toContainText(['cudaLaunchKernel']);
});

test('an export of Nsight Systems with two processes on two GPUs', async ({ app }) => {
  const { page } = app;
  await app.start(export_(app, 'nsys-2gpu-after'));
  await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 60_000 });
  await app.scene();
  await expect(row(page, 'GPU (0)')).toBeAttached();
  const kernels: number[] = [];
  for (const gpu of ['GPU (0)', 'GPU (1)']) {
    await page.getByTestId('row-filter').fill(gpu);
    await expect(row(page, gpu)).toBeVisible();
    const { rects } = (await app.scene())[0]!;
    const onRow = rects.filter(({ track, kind }) => track === 'Kernels' && kind === 'kernel');
    kernels.push(onRow.reduce((sum, { merged }) => sum + merged, 0));
  }
  // Each of the two ran half of the work.
  expect(kernels[0]).toBeGreaterThan(1000);
  expect(Math.abs(kernels[1]! / kernels[0]! - 1)).toBeLessThan(0.1);
  await page.getByTestId('row-filter').press('Escape');
  // Two processes, told apart.
  for (const process of ['process 148', 'process 149']) await expect(row(page, process)).toBeAttached();
});

test('a trace of PyTorch’s profiler: overlapping kernels get lanes, nothing is lost', async ({ app }) => {
  const { page } = app;
  const path = join(app.folder, 'kineto-after.json.gz');
  copyFileSync(join(samples, 'kineto-after.json.gz'), path);
  await app.start(path);
  await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 60_000 });
  await app.scene();
  await page.getByTestId('row-filter').fill('kernels');
  const { rects } = (await app.scene())[0]!;
  const kernels = rects.filter(({ kind }) => kind === 'kernel');
  expect(kernels.reduce((sum, { merged }) => sum + merged, 0)).toBe(9876);
  expect(new Set(kernels.map(({ y, height }) => Math.round(y + height))).size).toBeGreaterThan(1);
  // Merged ones are as high as they are busy, and never thinner than a pixel.
  for (const { width, height } of kernels) {
    expect(width).toBeGreaterThanOrEqual(1);
    expect(height).toBeGreaterThanOrEqual(1);
  }
  const heights = new Set(kernels.filter(({ merged }) => merged > 1).map(({ height }) => Math.round(height)));
  expect(heights.size).toBeGreaterThan(3);
});
