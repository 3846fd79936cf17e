/** A kernel's page: opened from the timeline, read, calculated with, and left again; its figures are the trace's. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { kernelView } from '../../engine/analysis/kernel-view.ts';
import { openTrace } from '../../engine/trace/reader.ts';
import { write } from '../unit/trace/example-recording-events.ts';
import { test } from './app.ts';

test('of a recorded lab: why it is slow, down to the line', async ({ app }) => {
  test.setTimeout(400_000);
  const { page } = app;
  await app.start();
  await page.getByTestId('lab-matmul-open').click();
  await page.getByTestId('lab-variant-naive').click();
  await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 240_000 });
  const [scene] = await app.scene();
  const kernel = scene!.rects.filter(({ kind }) => kind === 'kernel').sort((a, b) => b.width - a.width)[0]!;
  const folder = join(app.dataFolder, 'recordings');
  const recording = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('.simsight'),
  )!;
  const trace = openTrace(join(folder, recording));
  const view = kernelView(trace, kernel.row);
  trace.close();

  await test.step('opened by key from the selected kernel', async () => {
    await page.mouse.click(kernel.x + kernel.width / 2, kernel.y + kernel.height / 2);
    await expect(page.getByTestId('selection-title')).toContainText('matmul');
    await page.keyboard.press('k');
    await expect(page.getByTestId('kernel-title')).toHaveText(view.name);
    await expect(page.getByTestId('trace-screen')).toHaveAttribute('inert');
  });

  await test.step('throughput, states and waves are those of the trace', async () => {
    const throughput = page.getByTestId('kernel-throughput');
    expect(view.throughput.length).toBeGreaterThan(5);
    for (const { name, percent } of view.throughput)
      await expect(throughput.locator('.bar').filter({ hasText: name })).toContainText(`${percent.toFixed(1)} %`);
    const states = page.getByTestId('kernel-stalls').getByRole('row');
    await expect(states).toHaveCount(view.stalls.length + 1);
    await expect(states.nth(1)).toContainText(view.stalls[0]!.state);
    await expect(states.nth(1)).toContainText(`${view.stalls[0]!.percent.toFixed(1)} %`);
    await expect(page.getByTestId('kernel-waves')).toHaveText(view.waves!.toFixed(2));
    await expect(page.getByTestId('kernel-verdict')).toContainText(/peak/);
  });

  await test.step('the calculator says what another block would do, and that a block cannot be', async () => {
    const percent = page.getByTestId('occupancy-percent');
    await expect(percent).toHaveText(`${view.occupancy!.percent.toFixed(1)} %`);
    await page.getByTestId('occupancy-registersPerThread').fill('128');
    // 65,536 registers: two blocks of 256 threads.
    await expect(percent).toHaveText('25.0 %');
    await expect(page.getByTestId('occupancy-limit-registers')).toContainText('(limiter)');
    await page.getByTestId('occupancy-threadsPerBlock').fill('5000');
    await expect(page.getByTestId('occupancy-threadsPerBlock')).toHaveAttribute('aria-invalid', 'true');
    await expect(percent).toHaveText('25.0 %');
    await page.getByRole('button', { name: 'As launched' }).click();
    await expect(percent).toHaveText(`${view.occupancy!.percent.toFixed(1)} %`);
    await expect(page.getByTestId('occupancy-threadsPerBlock')).toHaveValue(String(view.resources.threadsPerBlock));
  });

  await test.step('the hottest line, its machine code, and back', async () => {
    await page.getByTestId('kernel-tab-overview').focus();
    for (const tab of ['roofline', 'source']) {
      await page.keyboard.press('ArrowRight');
      await expect(page.getByTestId(`kernel-tab-${tab}`)).toHaveAttribute('aria-selected', 'true');
    }
    const hot = page.getByTestId('hot-line').first();
    const cycles = ({ states }: { states: [string, number][] }): number =>
      states.reduce((sum, [, each]) => sum + each, 0);
    const hottest = view.lines.filter(({ line }) => line !== null).sort((a, b) => cycles(b) - cycles(a))[0]!;
    const all = view.lines.reduce((sum, line) => sum + cycles(line), 0);
    await expect(hot).toContainText(`matmul.cu:${hottest.line} ${((100 * cycles(hottest)) / all).toFixed(1)} %`);
    await hot.click();
    const line = page.locator(`[data-line="${hottest.line}"]`);
    await expect(line).toHaveClass(/chosen/);
    await expect(line).toBeInViewport();
    await expect(line).toContainText('sum +=');
    const own = view.instructions.filter((each) => each.line === hottest.line);
    await expect(page.locator('[data-testid=instruction].related')).toHaveCount(own.length);

    // Another metric: sectors per request of the loads.
    await page.getByTestId('place-metric').selectOption({ label: 'Sectors per request' });
    const margin = page.locator(`[data-heat="${hottest.line}"]`);
    await expect(margin).toHaveText((hottest.sectors / hottest.sectorRequests).toFixed(0));

    const other = view.instructions.findIndex(({ line: of }) => of !== null && of !== hottest.line);
    await page.locator(`[data-instruction="${other}"]`).click();
    await expect(page.locator(`[data-line="${view.instructions[other]!.line}"]`)).toHaveClass(/chosen/);
    // Keys go to the next instruction, and from line to line that has any.
    await page.getByTestId('kernel-code').press('ArrowDown');
    await expect(page.locator(`[data-instruction="${other + 1}"]`)).toHaveAttribute('aria-selected', 'true');
    await page.locator(`[data-line="${hottest.line}"]`).click();
    await page.getByTestId('kernel-source').press('ArrowDown');
    const next = Math.min(...view.lines.map(({ line: each }) => each ?? 0).filter((each) => each > hottest.line!));
    await expect(page.locator(`[data-line="${next}"]`)).toHaveClass(/chosen/);
  });

  await test.step('Escape leads back to the timeline as it was', async () => {
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('kernel-page')).toHaveCount(0);
    await expect(page.getByTestId('selection-title')).toContainText('matmul');
    await expect(page.getByTestId('timeline')).toBeFocused();
    expect((await app.scene())[0]!.window).toEqual(scene!.window);
  });
});

test('a kernel that was not simulated says so', async ({ app }) => {
  const { page } = app;
  const { events } = await import('../unit/trace/example-recording-events.ts');
  const plain = events
    .filter(({ type }) => type !== 'profile')
    .map((event) => {
      if (event.type !== 'kernel') return event;
      const { profile: _, ...rest } = event;
      return rest;
    });
  await app.start(write(join(app.folder, 'plain.simsight'), plain));
  const kernel = (await app.scene())[0]!.rects.find(({ kind }) => kind === 'kernel')!;
  await page.mouse.click(kernel.x + 10, kernel.y + 5);
  await page.getByTestId('open-kernel').click();
  await expect(page.getByTestId('kernel-stalls')).toContainText('not simulated warp by warp');
  await page.getByTestId('kernel-tab-source').click();
  await expect(page.getByTestId('kernel-page')).toContainText('does not contain a profile of this kernel');
});
