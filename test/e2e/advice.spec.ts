/** Advice in the app: the adviser's findings, what-ifs, and sweeps. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { advise } from '../../engine/analysis/adviser/index.ts';
import { openTrace } from '../../engine/trace/reader.ts';
import { evidenceText, placeText } from '../../renderer/src/trace/finding-words.ts';
import { test, type App } from './app.ts';

/** A column of a tile in shared memory, all lanes in one bank; `TILE + PAD` makes them lie apart. */
const program = `
#ifndef PAD
#define PAD 0
#endif
#ifndef ROWS
#define ROWS 32
#endif
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += ROWS) tile[k][threadIdx.x] = in[(blockIdx.y * 32 + k) * n + x];
  __syncthreads();
  int to = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += ROWS) out[(blockIdx.x * 32 + k) * n + to] = tile[threadIdx.x][k];
}
int main() {
  const int n = 2048;
  float *in, *out;
  cudaMalloc(&in, n * n * 4);
  cudaMalloc(&out, n * n * 4);
  for (int i = 0; i < 4; i++) transpose<<<dim3(n / 32, n / 32), dim3(32, ROWS)>>>(in, out, n);
  return cudaDeviceSynchronize();
}
`;

async function fillDialog({ page, folder }: App, defines = ''): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const source = join(folder, 'transpose.cu');
  writeFileSync(source, program);
  await page.keyboard.press('r');
  await page.getByTestId('record-source').fill(source);
  if (defines) {
    await page.getByTestId('record-more').click();
    await page.getByTestId('record-defines').fill(defines);
  }
}
const recordingOf = ({ dataFolder }: App): string => {
  const folder = join(dataFolder, 'recordings');
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.simsight'))!,
  );
};
const inSource = (page: Page, line: number) => page.locator(`[data-line="${line}"]`);

test('findings with their evidence, from the panel to the line and back', async ({ app }) => {
  test.setTimeout(300_000);
  const { page } = app;
  await app.start();
  await fillDialog(app);
  await page.getByTestId('record-more').click();
  await page.getByTestId('record-extraSharedBytes').fill('one');
  await page.getByTestId('record-start').click();
  await expect(page.getByTestId('record-complaint')).toContainText('bytes per block');
  await page.getByTestId('record-extraSharedBytes').fill('4K');
  await page.getByTestId('record-maxRegisters').fill('24');
  await page.getByTestId('record-carveout').fill('100');
  await page.getByTestId('record-start').click();
  await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 200_000 });
  await app.scene();
  const trace = openTrace(recordingOf(app));
  const [launch] = trace.query(
    `SELECT dynamicSharedMemory, registersPerThread, sharedMemoryExecuted FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1`,
  );
  // All of an SM of the A100 that can be shared memory.
  expect(launch).toEqual([4096, 24, 164 * 1024]);
  const findings = advise(trace);
  trace.close();
  const at = findings.findIndex(({ rule }) => rule === 'bank-conflicts');
  expect(at).toBeGreaterThanOrEqual(0);
  const conflicts = findings[at]!;

  await test.step('listed by the order in which to look', async () => {
    await page.keyboard.press('9');
    await expect(page.getByTestId('finding')).toHaveCount(findings.length);
    const rules = await page.getByTestId('finding').evaluateAll((all) => all.map((each) => each.dataset['rule']));
    expect(rules).toEqual(findings.map(({ rule }) => rule));
    const gains = findings.filter(({ gain }) => gain).length;
    await expect(page.getByTestId('gains-overlap')).toHaveCount(gains > 1 ? 1 : 0);
  });
  await test.step('chosen by keys, its evidence is that of the trace', async () => {
    const list = page.getByTestId('findings');
    await list.focus();
    for (let i = 0; i < at; i++) await list.press('ArrowDown');
    await expect(page.getByTestId('finding').nth(at)).toHaveAttribute('aria-selected', 'true');
    const details = page.getByTestId('finding-details');
    await expect(details).toContainText(conflicts.title);
    await expect(details.getByTestId('finding-evidence')).toHaveText(conflicts.evidence.map(evidenceText));
    await expect(details.getByTestId('finding-todo')).toHaveText(conflicts.todo);
    await expect(details.getByTestId('finding-place')).toHaveText(conflicts.places.map(placeText));
  });
  await test.step('a click goes to the source line, and Escape back', async () => {
    const line = conflicts.places.find(({ kind }) => kind === 'line');
    if (line?.kind !== 'line') throw new Error('The finding names no line.');
    await page
      .getByTestId('finding-details')
      .getByTestId('finding-place')
      .filter({ hasText: placeText(line) })
      .first()
      .click();
    await expect(page.getByTestId('kernel-tab-source')).toHaveAttribute('aria-selected', 'true');
    await expect(inSource(page, line.line)).toHaveClass(/chosen/);
    await page.getByTestId('kernel-tab-overview').click();
    const own = page.getByTestId('kernel-finding').and(page.locator('[data-rule="bank-conflicts"]'));
    await own.locator('summary').click();
    await expect(own.getByTestId('finding-evidence')).toHaveText(conflicts.evidence.map(evidenceText));
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('kernel-page')).toHaveCount(0);
    await expect(page.getByTestId('selection-title').or(page.getByTestId('findings'))).toBeVisible();
  });
});

test('what each limit is worth, largest first', async ({ app }) => {
  test.setTimeout(400_000);
  const { page } = app;
  await app.start();
  await fillDialog(app);
  await page.getByTestId('what-if-start').click();
  await expect(page.getByTestId('what-if-progress')).toBeVisible();
  // It goes on while the window is closed; the bar on top leads back.
  await page.keyboard.press('Escape');
  await page.getByTestId('what-if-back').click();
  await expect(page.getByTestId('what-if-rows')).toBeVisible({ timeout: 300_000 });
  const limits = page.getByTestId('what-if-limit');
  await expect(page.locator('[data-limit="bank-conflicts"]')).toBeVisible();
  const gains = (await page.getByTestId('what-if-gain').allTextContents()).map((text) =>
    Number(text.replace('−', '').replace('+', '-').replace('%', '')),
  );
  expect(gains.length).toBe(await limits.count());
  expect(gains).toEqual(gains.toSorted((a, b) => b - a));
  await page.locator('[data-limit="bank-conflicts"]').click();
  await expect(page.getByTestId('what-if-details')).toContainText('transpose');
  await page.getByTestId('what-if-rows').press('ArrowUp');
  await expect(page.getByTestId('what-if-details')).toBeVisible();

  // Reports of that recording have its waterfall.
  await page.getByTestId('what-if-open').click();
  await expect(page.getByTestId('trace-screen')).toBeVisible();
  await app.scene();
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Shift+R')]);
  const report = readFileSync(await download.path(), 'utf8');
  expect(report).toContain('What each limit costs');
  expect(report).toContain('no bank conflicts');
});

test('a sweep: every combination, the best marked, and beside another on the timeline', async ({ app }) => {
  test.setTimeout(400_000);
  const { page } = app;
  await app.start();
  await fillDialog(app);
  await page.getByTestId('sweep-open-dialog').click();
  await page.getByTestId('sweep-start').click();
  await expect(page.getByTestId('sweep-complaint')).toBeVisible();
  await page.getByTestId('sweep-name').fill('PAD');
  await page.getByTestId('sweep-values').fill('0, 1');
  await page.getByTestId('sweep-add').click();
  await page.getByTestId('sweep-name').nth(1).fill('ROWS');
  await page.getByTestId('sweep-values').nth(1).fill('8 32');
  await expect(page.getByTestId('sweep-dialog')).toContainText('4 recordings');
  await page.getByTestId('sweep-start').click();
  await expect(page.getByTestId('sweep-table')).toBeVisible({ timeout: 300_000 });
  await expect(page.getByTestId('sweep-row')).toHaveCount(4);
  await expect(page.getByTestId('sweep-cell')).toHaveCount(4);
  // Without conflicts it is faster, whatever the block.
  await expect(page.getByTestId('sweep-best')).toContainText('PAD = 1');
  await expect(page.getByTestId('sweep-row').last()).toContainText('×');
  await page.getByTestId('sweep-open').last().click();
  await expect(page.getByTestId('trace-screen')).toBeVisible();
  expect(await app.scene()).toHaveLength(2);
});
