/** One program on two GPUs: every part of a kernel's page says how it differs from the other recording; and how lanes lie in memory. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { kernelAccesses } from '../../engine/analysis/kernel-accesses.ts';
import { kernelView } from '../../engine/analysis/kernel-view.ts';
import { openTrace } from '../../engine/trace/reader.ts';
import { cli } from '../setup/command-line.ts';
import { distance, test, type App } from './app.ts';

/** How lanes lie: next to each other, one word off, eight words apart, all at one place, anywhere; and a branch by lane. */
const program = `
__global__ void aligned(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] * 2;
}
__global__ void misaligned(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i + 1] * 2;
}
__global__ void strided(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[(i * 8) % n] * 2;
}
__global__ void broadcast(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[blockIdx.x] * 2;
}
__global__ void scattered(float *to, const float *from, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[(i * 2654435761u >> 7) % n] * 2;
}
__global__ void divided(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = from[i];
  for (int k = 0; k < i % 32; k++) v = v * v + 1;
  to[i] = v;
}
int main() {
  const int n = 1 << 18;
  float *from, *to;
  cudaMalloc(&from, (n + 32) * 4);
  cudaMalloc(&to, n * 4);
  cudaMemset(from, 0, (n + 32) * 4);
  aligned<<<n / 256, 256>>>(to, from, n - 5);
  misaligned<<<n / 256, 256>>>(to, from, n);
  strided<<<n / 256, 256>>>(to, from, n);
  broadcast<<<n / 256, 256>>>(to, from, n);
  scattered<<<n / 256, 256>>>(to, from, n);
  divided<<<n / 256, 256>>>(to, from, n);
  return cudaDeviceSynchronize();
}
`;
const folder = mkdtempSync(join(tmpdir(), 'simsight-baselines-'));
const source = join(folder, 'patterns.cu');
const path = (gpu: string): string => join(folder, `patterns-${gpu}.simsight`);
test.beforeAll(() => {
  test.setTimeout(240_000);
  writeFileSync(source, program);
  for (const gpu of ['a100', 'h200']) {
    const words = ['record', source, '--gpu', gpu, '-o', path(gpu)];
    const { status, stderr } = spawnSync(process.execPath, [cli, ...words], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
  }
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

const names = ['aligned', 'misaligned', 'strided', 'broadcast', 'scattered', 'divided'];
const viewOf = (gpu: string, name: string) => {
  const trace = openTrace(path(gpu));
  try {
    return kernelView(trace, names.indexOf(name) + 1);
  } finally {
    trace.close();
  }
};
const recordings = (app: App, ...gpus: string[]): string[] =>
  gpus.map((gpu) => {
    const copy = join(app.folder, `patterns-${gpu}.simsight`);
    copyFileSync(path(gpu), copy);
    return copy;
  });
async function open({ page }: App, name: string): Promise<void> {
  await page.getByTestId('timeline').first().focus();
  await page.keyboard.press('Control+f');
  await page.getByTestId('search-field').fill(`/^${name}\\b/`);
  await expect(page.getByTestId('search-said')).toContainText('match');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('search-said')).toContainText('1 of');
  await page.keyboard.press('Escape');
  await page.keyboard.press('k');
  await expect(page.getByTestId('kernel-title')).toHaveText(name);
}
const tab = (page: Page, part: string): Promise<void> => page.getByTestId(`kernel-tab-${part}`).click();
const percent = (now: number, before: number): string =>
  `${now > before ? '+' : '−'}${Math.abs((100 * (now - before)) / before).toFixed(1)} %`;

test('the same kernel of the other trace becomes the baseline by one click, and each part tells differences', async ({
  app,
}) => {
  test.setTimeout(240_000);
  const { page } = app;
  const [now, before] = [viewOf('h200', 'strided'), viewOf('a100', 'strided')];
  await app.start(...recordings(app, 'h200', 'a100'));
  await app.scene();
  await open(app, 'strided');
  await expect(page.getByTestId('change')).toHaveCount(0);
  await page.getByTestId('baseline-other').click();
  await expect(page.getByTestId('baseline')).toContainText('strided');
  await expect(page.getByTestId('baseline')).toContainText('A100');
  await expect(page.getByTestId('baseline-other')).toHaveCount(0);

  await test.step('head and overview', async () => {
    await expect(page.getByTestId('kernel-duration')).toContainText(percent(now.durationNs, before.durationNs));
    await expect(page.getByTestId('kernel-page').locator('header')).toContainText(`was ${before.gpu!.name}`);
    await expect(page.getByTestId('kernel-launch')).toContainText(percent(now.waves!, before.waves!));
    const throughput = page.getByTestId('kernel-throughput');
    for (const { name, percent: reached, achieved } of now.throughput) {
      const was = before.throughput.find((each) => each.name === name);
      const bar = throughput.locator('.bar').filter({ hasText: name });
      if (!was || was.percent === 0) continue;
      if (Math.abs(reached / was.percent - 1) > 1e-3 && reached / was.percent < 10)
        await expect(bar.getByTestId('change').first()).toHaveText(percent(reached, was.percent));
      if (Math.abs(achieved / was.achieved - 1) > 1e-3 && achieved / was.achieved < 10)
        await expect(bar.getByTestId('change').last()).toHaveText(percent(achieved, was.achieved));
    }
    // States of both, also those that only the A100's warps were in.
    const states = new Set([...now.stalls, ...before.stalls].map(({ state }) => state));
    await expect(page.getByTestId('kernel-stalls').getByRole('row')).toHaveCount(states.size + 1);
    await expect(page.getByTestId('occupancy-achieved').locator('xpath=..')).toContainText(
      percent(now.achievedOccupancyPercent!, before.achievedOccupancyPercent!),
    );
  });

  await test.step('roofline: arrows from before to after, levels beside each other', async () => {
    await tab(page, 'roofline');
    const levels = now.roofline!.traffic.filter(({ level }) =>
      before.roofline!.traffic.some((each) => each.level === level),
    );
    const arrows = page.getByTestId('roofline-arrow');
    await expect(arrows).toHaveCount(levels.length);
    const points = page.getByTestId('roofline-point');
    await expect(points).toHaveCount(now.roofline!.traffic.length + before.roofline!.traffic.length);
    const places = await points.evaluateAll((all) => all.map((each) => each.getAttribute('transform')!));
    for (const arrow of await arrows.all()) {
      const [x1, y1, x2, y2] = await Promise.all(['x1', 'y1', 'x2', 'y2'].map((name) => arrow.getAttribute(name)));
      expect(places).toContain(`translate(${x1} ${y1})`);
      expect(places).toContain(`translate(${x2} ${y2})`);
    }
    await expect(page.getByTestId('roofline-before')).toHaveCount(before.roofline!.traffic.length);
    const [flop] = now.roofline!.work;
    const reached = (view: typeof now): number => flop!.flop / view.durationNs;
    await expect(page.getByTestId('roofline-table')).toContainText(percent(reached(now), reached(before)));
  });

  await test.step('source: lines and instructions', async () => {
    await tab(page, 'source');
    await page.getByTestId('place-metric').selectOption({ label: 'Warp cycles' });
    const cycles = ({ states }: { states: [string, number][] }): number =>
      states.reduce((sum, [, each]) => sum + each, 0);
    const share = (view: typeof now, line: number): number =>
      view.lines.filter((each) => each.line === line).reduce((sum, each) => sum + cycles(each), 0) /
      view.lines.reduce((sum, each) => sum + cycles(each), 0);
    const hottest = now.lines.filter(({ line }) => line !== null).sort((a, b) => cycles(b) - cycles(a))[0]!.line!;
    const change = percent(share(now, hottest), share(before, hottest));
    await expect(page.getByTestId('hot-line').first()).toContainText(change);
    await expect(page.locator(`[data-heat="${hottest}"]`)).toContainText(change);
    await expect(page.getByTestId('kernel-code').getByTestId('change').first()).toBeVisible();
  });

  await test.step('warps, memory and divergence', async () => {
    await tab(page, 'warps');
    const busy = (view: typeof now): number =>
      view.metrics.find(({ metric }) => metric === 'smsp__issue_active.avg.pct_of_peak_sustained_active')!.value;
    await expect(page.getByTestId('warp-utilisation')).toContainText(percent(busy(now), busy(before)));
    // The picture follows the theme: the ground of its first slot, or of its last where that is the chosen one.
    const picture = page.getByTestId('warp-picture');
    const box = (await picture.boundingBox())!;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
      const written = await picture.evaluate((canvas) => getComputedStyle(canvas).getPropertyValue('--surface').trim());
      // Builds shorten #ffffff.
      const surface = written.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
      const grounds = await app.pixels([box.height - 8, 38 + 22 - 8].map((y) => ({ x: box.x + 2, y: box.y + y })));
      const nearest = Math.min(...grounds.map((ground) => distance(ground, surface)));
      expect(nearest, `${grounds.join()} for ${surface}`).toBeLessThan(4);
    }
    await tab(page, 'memory');
    const l2 = (view: typeof now): number => view.metrics.find(({ metric }) => metric === 'lts__t_sectors.sum')!.value;
    // As many on both.
    expect(l2(now)).toBe(l2(before));
    await expect(page.getByTestId('flow-l2')).not.toContainText('%');
  });
});

test('of several baselines one is compared with; panels of the trace stay behind the page', async ({ app }) => {
  test.setTimeout(240_000);
  const { page } = app;
  const [first, second] = [viewOf('h200', 'aligned'), viewOf('h200', 'strided')];
  const now = viewOf('h200', 'divided');
  await app.start(...recordings(app, 'h200'));
  await app.scene();
  await page.getByTestId('tab-events').click();
  for (const name of ['aligned', 'strided']) {
    await open(app, name);
    await page.getByTestId('baseline-add').click();
    await page.keyboard.press('Escape');
  }
  await open(app, 'divided');
  const duration = page.getByTestId('kernel-duration');
  await expect(page.getByTestId('baseline')).toHaveCount(2);
  await expect(duration).toContainText(percent(now.durationNs, first.durationNs));
  await page.getByTestId('baseline').filter({ hasText: 'strided' }).click();
  await expect(duration).toContainText(percent(now.durationNs, second.durationNs));
  await expect(page.getByTestId('baseline').filter({ hasText: 'strided' })).toHaveAttribute('aria-pressed', 'true');

  await test.step('what has its head in sight in the trace does not shine through', async () => {
    const isPage = await page.evaluate(() => {
      const head = document.querySelector(
        '[data-testid=trace-screen] thead, [data-testid=trace-screen] [role=columnheader]',
      )!;
      const { x, y, width, height } = head.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2)?.closest('[data-testid=kernel-page]') !== null;
    });
    expect(isPage).toBe(true);
  });

  await test.step('memory: traffic between the units, and sectors of the same access', async () => {
    await tab(page, 'memory');
    const moved = ({ metrics }: typeof now): number =>
      ['ld', 'st'].reduce(
        (sum, op) =>
          sum + metrics.find(({ metric }) => metric === `l1tex__t_sectors_pipe_lsu_mem_global_op_${op}.sum`)!.value,
        0,
      );
    await expect(page.getByTestId('flow-global')).toContainText(percent(moved(now), moved(second)));
  });

  await test.step('divergence: lanes of the loop that they leave one after the other', async () => {
    await tab(page, 'divergence');
    const lanes = (view: typeof now): number =>
      view.instructions.reduce((sum, { threads }) => sum + threads, 0) /
      view.instructions.reduce((sum, { executed }) => sum + executed, 0);
    await expect(page.getByTestId('kernel-page')).toContainText(percent(lanes(now), lanes(second)));
  });
});

test('lanes next to each other, off, apart, at one place and anywhere are drawn as they lie', async ({ app }) => {
  test.setTimeout(240_000);
  const { page } = app;
  const expected = {
    aligned: { words: 'Coalesced', sectors: 4 },
    misaligned: { words: 'Misaligned', sectors: 5 },
    strided: { words: 'Strided', sectors: 32 },
    broadcast: { words: 'Broadcast', sectors: 1 },
    scattered: { words: 'Scattered', sectors: null },
  };
  await app.start(...recordings(app, 'h200'));
  await app.scene();
  for (const [name, { words, sectors }] of Object.entries(expected)) {
    await test.step(name, async () => {
      const trace = openTrace(path('h200'));
      const load = kernelAccesses(trace, names.indexOf(name) + 1, null).accesses.find(({ opcode }) =>
        opcode.startsWith('LDG'),
      )!;
      trace.close();
      await open(app, name);
      await tab(page, 'memory');
      await page.getByTestId('access').filter({ hasText: 'LDG' }).first().click();
      await expect(page.getByTestId('access-words')).toContainText(words);
      const { global } = load.samples[0]!;
      if (sectors !== null) expect(global!.sectors).toBe(sectors);
      const drawing = page.getByTestId('global-access');
      await expect(drawing.locator('[data-touched="1"]')).toHaveCount(global!.sectors);
      await expect(drawing.locator('[data-touched]')).toHaveCount(4 * global!.lines.length);
      await page.keyboard.press('Escape');
    });
  }
});

test('a recording with counters alone: the same figures, and no warps or accesses, which the page says', async ({
  app,
}) => {
  test.setTimeout(240_000);
  const { page } = app;
  const copy = join(app.folder, 'patterns.cu');
  copyFileSync(source, copy);
  const full = viewOf('a100', 'strided');
  await app.start();
  await page.keyboard.press('r');
  await page.getByTestId('record-source').fill(copy);
  await page.getByTestId('record-more').click();
  await page.getByTestId('record-detail').selectOption('counters');
  await page.getByTestId('record-start').click();
  await expect(page.getByTestId('trace-screen')).toBeVisible({ timeout: 200_000 });
  await app.scene();
  await open(app, 'strided');
  await expect(page.getByTestId('kernel-stalls').getByRole('row')).toHaveCount(full.stalls.length + 1);
  for (const { name, percent: reached } of full.throughput)
    await expect(page.getByTestId('kernel-throughput').locator('.bar').filter({ hasText: name })).toContainText(
      `${reached.toFixed(1)} %`,
    );
  await tab(page, 'warps');
  await expect(page.getByTestId('no-warps')).toContainText('less detail');
  await tab(page, 'memory');
  await expect(page.getByTestId('no-accesses')).toContainText('less detail');
});
