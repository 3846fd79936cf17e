/** Recordings of real machines on the same rows: Nsight Systems' exports and PyTorch's profiler. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
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
  for (const name of [
    'Thread 58972 async.out',
    'OS runtime, thread 58993',
    'CUDA API',
    'Kernels',
    'Stream 13',
    'Stream 16',
  ])
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

/** Rows in sight from top to bottom, those below others indented. */
const rowsInSight = (page: Page): Promise<string[]> =>
  page
    .getByTestId('row-headers')
    .getByTestId('row-header')
    .evaluateAll((rows) =>
      rows.map((each) => {
        const level = Number(each.getAttribute('aria-level') ?? '1');
        return '  '.repeat(level - 1) + (each.querySelector('.title')?.textContent ?? '').trim();
      }),
    );

test('two processes of two threads: each thread has its ranges, calls and waits', async ({ app }) => {
  const { page } = app;
  await app.start(export_(app, 'nsys-2gpu-after'));
  await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 60_000 });
  await app.scene();
  await page.getByTestId('row-filter').fill('process 148');
  await expect
    .poll(async () => (await rowsInSight(page)).slice(0, 8))
    .toEqual([
      ...['python3', '  Thread 148 python3', '    NVTX', '    CUDA API', '    Synchronization'],
      ...['  Thread 248 pt_nccl_watchdg', '    CUDA API', '    Synchronization'],
    ]);
  // The waits of one thread are not among those of the other.
  const waits = (await app.scene())[0]!.rects.filter(({ track }) => track === 'Synchronization');
  const byRow = Map.groupBy(waits, ({ y, height }) => Math.floor((y + height) / 40));
  const counts = [...byRow.values()].map((rects) => rects.reduce((sum, { merged }) => sum + merged, 0));
  expect(counts.sort((a, b) => a - b)).toEqual([15, 61]);

  // Ranges of NVTX: all of them, in lanes where one is in another, down to a single one.
  await page.getByTestId('row-filter').fill('nvtx');
  await expect.poll(async () => (await rowsInSight(page)).filter((title) => title.trim() === 'NVTX').length).toBe(2);
  const ranges = (await app.scene())[0]!.rects.filter(({ kind }) => kind === 'nvtx');
  expect(ranges.reduce((sum, { merged }) => sum + merged, 0)).toBe(8556 + 8557);
  const widest = ranges.toSorted((a, b) => b.durationNs - a.durationNs)[0]!;
  await page.mouse.dblclick(widest.x + widest.width / 2, widest.y + widest.height / 2);
  const near = (await app.scene())[0]!.rects.filter(({ kind, width }) => kind === 'nvtx' && width > 4);
  expect(near.length).toBeGreaterThan(0);
  const single = near.filter(({ merged }) => merged === 1).sort((a, b) => b.width - a.width)[0]!;
  await page.mouse.click(Math.max(single.x, 300) + Math.min(single.width, 200) / 2, single.y + single.height / 2);
  await expect(page.getByTestId('selection')).toContainText('NVTX');
  await expect(page.getByTestId('selection')).toContainText(/Thread\s*14[89]/);
});

test('contexts of two processes on one GPU are groups of their streams', async ({ app }) => {
  const { page } = app;
  const path = export_(app, 'nsys-2gpu-after');
  // In the recording each process has a GPU of its own.
  const db = new Database(path);
  for (const table of ['KERNEL', 'MEMCPY', 'MEMSET']) db.exec(`UPDATE CUPTI_ACTIVITY_KIND_${table} SET deviceId = 0`);
  db.close();
  await app.start(path);
  await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 60_000 });
  await app.scene();
  await page.getByTestId('row-filter').fill('context');
  await expect.poll(() => rowsInSight(page)).toContain('  Context 1, process 148');
  const rows = await rowsInSight(page);
  const [first, second] = ['  Context 1, process 148', '  Context 2, process 149'].map((title) => rows.indexOf(title));
  expect(second).toBeGreaterThan(first!);
  expect(rows.slice(first! + 1, second).every((title) => /^ {4}.*process 148/.test(title))).toBe(true);
  expect(rows.slice(first! + 1, second)).toContain('    Default stream 7, process 148');
});

test('graphs that two processes launch on one GPU have their nodes below their own streams', async ({ app }) => {
  const { page } = app;
  const path = export_(app, 'nsys-streams');
  // The recording has no graphs: its four kernels become the nodes of two, launched by two processes under one correlation id.
  const db = new Database(path);
  db.exec(`UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 7, streamId = 13;
    UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = globalPid + (1 << 24) WHERE rowid > 2;
    CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
      streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER, graphExecId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE
      SELECT min(start), max(end), 0, 1, 40, 7, globalPid, 3, 4 FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY globalPid;`);
  db.close();
  await app.start(path);
  await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 60_000 });
  await app.scene();
  for (const process of ['process 58972', 'process 58973']) {
    await page.getByTestId('row-filter').fill(`Stream 40, ${process}`);
    await row(page, `Stream 40, ${process}`).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => rowsInSight(page)).toContain('      Graph nodes');
    const { rects } = (await app.scene())[0]!;
    const drawn = (track: string, kind: string): number =>
      rects.filter((each) => each.track === track && each.kind === kind).reduce((sum, { merged }) => sum + merged, 0);
    expect(drawn(`Stream 40, ${process}`, 'graph')).toBe(1);
    expect(drawn('Graph nodes', 'kernel')).toBe(2);
  }
});
