/** The story of the first example, in the app: record before and after, look, compare. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { distance, inside, overlap, test, type SceneRect } from './app.ts';

const kernelsOf = (rects: SceneRect[]): SceneRect[] => rects.filter(({ kind }) => kind === 'kernel');
const copiesOf = (rects: SceneRect[]): SceneRect[] => rects.filter(({ kind }) => kind === 'memcpy');
/** Pairs of a kernel and a copy that run at the same time. */
const overlaps = (rects: SceneRect[]): number =>
  kernelsOf(rects).reduce((sum, kernel) => sum + copiesOf(rects).filter((copy) => overlap(kernel, copy)).length, 0);

type WatchedPage = Window & { progressSeen: { phase: string; text: string }[] };
/** Runs in the page: notes every change of the progress that is shown. */
function watchProgress(): void {
  const seen: WatchedPage['progressSeen'] = [];
  (window as unknown as WatchedPage).progressSeen = seen;
  const note = (): void => {
    const shown = document.querySelector('[data-testid=record-progress]');
    const phase = shown?.querySelector('[aria-current]')?.getAttribute('data-testid') ?? '';
    const text = shown?.textContent ?? '';
    if (shown && (phase !== seen.at(-1)?.phase || text !== seen.at(-1)?.text)) seen.push({ phase, text });
  };
  new MutationObserver(note).observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  });
}

test('records the overlap example with progress, opens it, zooms, selects, compares', async ({ app }) => {
  test.setTimeout(400_000);
  const { page } = app;
  await app.start();

  await test.step('the recording shows its progress', async () => {
    // With everything compiled before, a recording takes less than a second: nobody may blink.
    await page.evaluate(watchProgress);
    await page.getByTestId('lab-overlap-pair').click();
    await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 240_000 });
    const seen = await page.evaluate(() => (window as unknown as WatchedPage).progressSeen);
    const phases = seen.map(({ phase }) => phase);
    expect(phases[0]).toBe('phase-compile');
    for (const phase of ['phase-compile', 'phase-run']) expect(phases).toContain(phase);
    const texts = seen.map(({ text }) => text).join('\n');
    for (const part of ['recording 1 of 2', 'recording 2 of 2', 'Compiling overlap.cu']) expect(texts).toContain(part);
    const kept = readdirSync(join(app.dataFolder, 'recordings'));
    expect(kept.filter((name) => name.endsWith('.simsight'))).toHaveLength(2);
  });

  const scene = await test.step('before and after stand one above the other', async () => {
    const traces = await app.scene();
    expect(traces).toHaveLength(2);
    expect(traces[0]!.window).toEqual(traces[1]!.window);
    return traces;
  });
  const [before, after] = [scene[0]!.rects, scene[1]!.rects];

  await test.step('copies and kernels overlap after, and not before', () => {
    expect(kernelsOf(before).length).toBeGreaterThan(0);
    expect(copiesOf(before).length).toBeGreaterThan(0);
    expect(overlaps(before)).toBe(0);
    expect(overlaps(after)).toBeGreaterThan(0);
    const end = (rects: SceneRect[]): number =>
      Math.max(...rects.map(({ startNs, durationNs }) => startNs + durationNs));
    expect(end(after)).toBeLessThan(end(before));
  });

  await test.step('the wheel zooms', async () => {
    const kernel = kernelsOf(before).sort((one, other) => other.width - one.width)[0]!;
    await page.mouse.move(kernel.x + kernel.width / 2, kernel.y + kernel.height / 2);
    await page.mouse.wheel(0, -400);
    const zoomed = await app.scene();
    expect(zoomed[0]!.window.span).toBeLessThan(scene[0]!.window.span * 0.7);
    expect(zoomed[1]!.window).toEqual(zoomed[0]!.window);
  });

  await test.step('the pixels are those of the rectangles', async () => {
    // Nearer, so that kernels are wide enough for a pixel of their own colour.
    await page.mouse.wheel(0, -800);
    const rects = (await app.scene()).flatMap((trace) => trace.rects);
    const wide = rects.filter(({ width, height }) => width >= 10 && height >= 8);
    for (const kind of ['kernel', 'memcpy', 'api']) expect(wide.map((rect) => rect.kind)).toContain(kind);
    // The hover card of the event under the pointer covers others.
    await page.mouse.move(2, 2);
    const seen = await app.pixels(wide.map(inside));
    const wrong = wide.filter((rect, index) => distance(seen[index]!, rect.colour) > 12);
    expect(wrong).toEqual([]);
  });

  await test.step('a selected kernel highlights its API call', async () => {
    const [zoomed] = await app.scene();
    const kernel = kernelsOf(zoomed!.rects).sort((one, other) => other.width - one.width)[0]!;
    await page.mouse.click(kernel.x + kernel.width / 2, kernel.y + kernel.height / 2);
    await expect(page.getByTestId('tab-selection')).toBeVisible();
    await expect(page.getByTestId('selection-title')).toContainText(kernel.label.split('<')[0]!);
    await expect(page.getByTestId('correlated-event')).toContainText(['cudaLaunchKernel']);
    await page.keyboard.press('0');
    const highlighted = async (): Promise<SceneRect[]> =>
      (await app.scene())[0]!.rects.filter((rect) => rect.kind === 'api' && rect.highlighted);
    await expect.poll(highlighted).toHaveLength(1);
    const calls = await highlighted();
    expect(calls[0]!.startNs).toBeLessThanOrEqual(kernel.startNs);
  });

  await test.step('the comparison has the kernels and the total', async () => {
    await page.getByTestId('tab-comparison').click();
    await page.getByTestId('compare-table').click();
    await expect(page.getByRole('grid', { name: 'Changes' })).toBeVisible();
    expect(await page.getByTestId('compare-row').count()).toBeGreaterThan(2);
    // Down to what warps did, and to the page of the kernel with the one before as its baseline.
    await page.getByTestId('compare-kernels').click();
    await page.getByTestId('compare-kernel-pair').filter({ hasText: 'transform' }).click();
    await expect(page.getByTestId('compare-stalls').getByRole('row')).not.toHaveCount(0);
    await expect(page.getByTestId('compare-metrics')).toContainText('dram__bytes_read.sum');
    await page.getByTestId('compare-kernel-page').click();
    await expect(page.getByTestId('kernel-duration')).toBeVisible();
  });
});

test('a cancelled recording leaves nothing behind', async ({ app }) => {
  await app.start();
  await app.page.getByTestId('lab-matmul-open').click();
  await app.page.getByTestId('lab-variant-naive').click();
  await app.page.getByTestId('record-cancel').click();
  await expect(app.page.getByTestId('record-cancelled')).toBeVisible();
  const recordings = join(app.dataFolder, 'recordings');
  expect(existsSync(recordings) ? readdirSync(recordings) : []).toEqual([]);
});

test('a sample is offered where it takes long; one that is stopped keeps what there is', async ({ app }) => {
  const source = join(app.folder, 'steps.cu');
  writeFileSync(source, endlessSteps);
  const { page } = app;
  await page.clock.install();
  await app.start();
  await page.getByTestId('start-record').click();
  await page.getByTestId('record-source').fill(source);
  await page.getByTestId('record-start').click();
  await expect(page.getByTestId('record-stop')).toBeEnabled({ timeout: 60_000 });
  await expect(page.getByTestId('record-offer')).toBeHidden();
  await page.clock.fastForward(10_000);
  await page.getByTestId('record-sample-instead').click();
  await expect(page.getByTestId('record-stop')).toBeEnabled({ timeout: 60_000 });
  await page.clock.fastForward(20_000);
  await expect(page.getByTestId('record-offer')).toBeHidden();
  await expect
    .poll(async () => Number((await page.getByTestId('record-kernels').textContent())?.replace(/\D/g, '')))
    .toBeGreaterThan(6);
  await page.getByTestId('record-stop').click();
  await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 30_000 });
  await expect(page.getByTestId('notices')).toHaveAttribute('title', /Sampled: launches of a kernel/);
  const [trace] = await app.scene();
  expect(kernelsOf(trace!.rects).length).toBeGreaterThan(6);
});

/** Steps of a stencil that never end. */
const endlessSteps = `__global__ void step(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i >= n - 1) return;
  float value = in[i];
  for (int k = 0; k < 40; k++) value = value * 0.5f + (in[i - 1] + in[i + 1]) * 0.25f;
  out[i] = value + 1;
}
int main() {
  const int n = 1 << 18;
  float *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  for (;;) {
    step<<<n / 256, 256>>>(b, a, n);
    step<<<n / 256, 256>>>(a, b, n);
    for (volatile int i = 0; i < 10000000; i++);
  }
}
`;
