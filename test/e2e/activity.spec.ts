/** A recorded lab from the whole run down to the single cycles of its warps, and what charts say. */
import { expect, type Locator, type Page } from '@playwright/test';
import { distance, inside, test, type SceneRect } from './app.ts';
import { violations } from './axe.ts';

const row = (page: Page, name: string): Locator =>
  page.getByTestId('row-headers').getByTestId('row-header').filter({ hasText: name }).first();
const on = (rects: SceneRect[], track: string): SceneRect[] => rects.filter((rect) => rect.track.startsWith(track));

test('SM 0 of a recorded lab: warps by state, blocks, warp slots, cycles', async ({ app }) => {
  test.setTimeout(400_000);
  const { page } = app;
  await page.setViewportSize({ width: 1500, height: 1000 });
  await app.start();
  await page.getByTestId('lab-matmul-open').click();
  await page.getByTestId('lab-variant-naive').click();
  await expect(page.getByTestId('record-progress')).toBeVisible();
  // Its compilers are new here, so that takes seconds.
  expect.soft(await violations(page, '[data-testid=record-dialog]'), 'a recording on its way').toEqual([]);
  await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 240_000 });
  const [whole] = await app.scene();
  const kernels = on(whole!.rects, 'Kernels');
  // The first launch only warms up.
  const kernel = kernels.sort((a, b) => b.width - a.width)[0]!;

  await test.step('from afar a chart of warps by state, closed', async () => {
    const columns = on(whole!.rects, 'SM 0');
    expect(new Set(columns.map(({ kind }) => kind))).toEqual(new Set(['column']));
    // Something is there exactly where kernels are.
    const ends = kernels.map(({ x, width }) => x + width);
    const [first, last] = [
      Math.min(...columns.map(({ x }) => x)),
      Math.max(...columns.map(({ x, width }) => x + width)),
    ];
    expect(Math.abs(first - Math.min(...kernels.map(({ x }) => x)))).toBeLessThan(6);
    expect(Math.abs(last - Math.max(...ends))).toBeLessThan(6);
    await expect(row(page, 'SM 0')).toHaveAttribute('aria-expanded', 'false');
    await expect(row(page, 'SM 0')).toContainText('Long Scoreboard');
  });

  await test.step('a column says what it is', async () => {
    const tallest = on(whole!.rects, 'SM 0').sort((a, b) => b.height - a.height)[0]!;
    await page.mouse.move(tallest.x + tallest.width / 2, tallest.y + tallest.height / 2);
    await expect(page.getByTestId('hover-card')).toContainText(tallest.label);
    await expect(page.getByTestId('hover-card')).toContainText(/\d+(\.\d+)? warps/);
  });

  await test.step('how much of the GPU kernels had, as charts of the device that say what they are', async () => {
    for (const name of ['SMs active', 'Occupancy', 'Issue slots busy']) {
      const column = on(whole!.rects, name).sort((a, b) => b.height * b.width - a.height * a.width)[0]!;
      await page.mouse.move(column.x + column.width / 2, column.y + column.height - 1);
      await expect(page.getByTestId('hover-card')).toContainText(name);
      await expect(page.getByTestId('hover-card')).toContainText(/[\d.]+ %/);
      await expect(row(page, name)).toHaveAttribute('aria-level', '2');
    }
    await expect(row(page, 'SMs active')).toHaveAttribute('title', /waves of blocks count as equally long/);
  });

  await test.step('DRAM and the host link are charts, too', async () => {
    for (const name of ['DRAM throughput', 'Host link throughput']) {
      const column = on(whole!.rects, name).sort((a, b) => b.height * b.width - a.height * a.width)[0]!;
      await page.mouse.move(column.x + column.width / 2, column.y + column.height - 1);
      await expect(page.getByTestId('hover-card')).toContainText(/[\d.]+ [kMGT]?B\/s/);
    }
  });

  await test.step('so is the memory that the program has allocated', async () => {
    const [column] = on(whole!.rects, 'Memory in use').sort((a, b) => b.width - a.width);
    await page.mouse.move(column!.x + column!.width / 2, column!.y + column!.height - 1);
    await expect(page.getByTestId('hover-card')).toContainText(/[\d.]+ [KMG]iB/);
    await expect(row(page, 'Memory in use')).toContainText(/at most [\d.]+ [KMG]iB of [\d.]+ GiB/);
  });

  await test.step('opened, the kernel has blocks and warp slots', async () => {
    await row(page, 'SM 0').focus();
    await page.keyboard.press('ArrowRight');
    await expect(row(page, 'Sub-partition 0')).toBeVisible();
    await page.mouse.dblclick(kernel.x + kernel.width / 2, kernel.y + kernel.height / 2);
    const [near] = await app.scene();
    // The one that only warms up is too small to be looked into.
    const blocks = on(near!.rects, 'Blocks').filter(({ startNs }) => startNs >= kernel.startNs);
    expect(blocks.length).toBeGreaterThan(3);
    for (const { label, kind } of blocks)
      expect([kind, label]).toEqual(['block', expect.stringMatching(/^Block \(\d+, \d+, \d+\)$/)]);
    // Only part of the kernel is simulated warp by warp: the rest is said to be missing, not left empty.
    expect(on(near!.rects, 'Sub-partition 0').map(({ kind }) => kind)).toContain('not-simulated');
    const wide = blocks.filter(({ width, height }) => width > 12 && height > 6);
    const seen = await app.pixels(wide.map(inside));
    wide.forEach(({ colour }, i) => expect(distance(seen[i]!, colour)).toBeLessThan(14));
  });

  await test.step('down to single cycles', async () => {
    const [near] = await app.scene();
    const warp = on(near!.rects, 'Sub-partition 0').find(({ kind }) => kind === 'warp')!;
    await page.mouse.move(warp.x + 30, warp.y + 3);
    for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -400);
    const [close] = await app.scene();
    expect(close!.window.span).toBeLessThan(200);
    await expect(page.getByTestId('ruler-base')).toContainText('Cycles of matmul');
    await expect(page.getByTestId('ruler')).toContainText(/cycle [\d,]+/);
    const states = on(close!.rects, 'Sub-partition 0').filter(({ kind }) => kind === 'warp');
    expect(states.length).toBeGreaterThan(4);
    // At 1.41 GHz: whole cycles, one state after the other in every slot.
    const cycle = 1e3 / 1410;
    for (const { durationNs, merged } of states) {
      expect(merged).toBe(1);
      expect(Math.abs(durationNs / cycle - Math.round(durationNs / cycle))).toBeLessThan(0.02);
    }
    const state = states.sort((a, b) => b.width - a.width)[0]!;
    await page.mouse.move(state.x + state.width / 2, state.y + state.height / 2);
    await expect(page.getByTestId('hover-card')).toContainText(/\d+ cycles?/);
    await page.mouse.click(state.x + state.width / 2, state.y + state.height / 2);
    await expect(page.getByTestId('selection-title')).toContainText('matmul');
  });
});
