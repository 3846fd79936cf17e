/** Two traces side by side, as people compare them: by mouse and keyboard, against what the engine says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { ns } from '../../engine/base/units.ts';
import type { TraceEvent } from '../../engine/model/events.ts';
import { changeColour, cssColour } from '../../renderer/src/timeline/colours.ts';
import type { SceneOfTrace } from '../../renderer/src/trace/test-hook.ts';
import { kernel, write } from '../unit/trace/example-recording-events.ts';
import { test, type App } from './app.ts';
import { violations } from './axe.ts';

const names = new Map([
  ['tile', { demangled: 'tile(float*)', short: 'tile' }],
  ['same', { demangled: 'same(int)', short: 'same' }],
  ['old', { demangled: 'old()', short: 'old' }],
  ['renamed', { demangled: 'renamed(double*)', short: 'renamed' }],
]);
/** Steps that follow each other, each of a kernel that gets faster, one that stays and one that is called otherwise afterwards. */
function program(from: number, stepNs: number, tileNs: number, renamed: string): TraceEvent[] {
  let id = 1;
  return Array.from({ length: 4 }, (_, step): TraceEvent[] => {
    const at = from + step * stepNs;
    return [
      {
        ...{ type: 'nvtx', kind: 'push-pop', text: `step ${step}`, start: ns(at), end: ns(at + stepNs), color: null },
        ...{ category: null, domainId: 0, rangeId: null, payload: null, threadId: 1 },
      },
      kernel(at + 100, at + 100 + tileNs, id++, 7, { kernel: 'tile' }),
      kernel(at + 200 + tileNs, at + 700 + tileNs, id++, 7, { kernel: 'same' }),
      kernel(at + 800 + tileNs, at + 1000 + tileNs, id++, 7, { kernel: renamed }),
    ];
  }).flat();
}
async function startPair(app: App): Promise<void> {
  const before = write(join(app.folder, 'before.simsight'), program(0, 5000, 3600, 'old'), { title: 'Before', names });
  const after = write(join(app.folder, 'after.simsight'), program(12_000, 3000, 1200, 'renamed'), {
    ...{ title: 'After', names },
  });
  await app.start(before, after);
  await expect(app.page.getByTestId('verdict')).toBeVisible();
}
const view = (page: Page, name: string): Promise<void> => page.getByTestId(`compare-${name}`).click();
const ranges = ({ rects }: SceneOfTrace) =>
  rects.filter(({ kind }) => kind === 'nvtx').sort((a, b) => a.startNs - b.startNs);
const kernels = ({ rects }: SceneOfTrace, label: string) =>
  rects.filter((rect) => rect.kind === 'kernel' && rect.track === 'Kernels' && rect.label === label);

test('laid on each other by start, steps, a range and events; scaled; moved together', async ({ app }) => {
  const { page } = app;
  await startPair(app);
  // One begins 12 µs into its trace: both first events are at the same place.
  let [before, after] = (await app.scene()) as [SceneOfTrace, SceneOfTrace];
  expect(ranges(after)[0]!.x).toBeCloseTo(ranges(before)[0]!.x, 0);
  expect(after.window.span).toBeCloseTo(before.window.span, 3);

  await page.getByTestId('compare-align').selectOption('steps');
  await expect(page.getByTestId('compare-headline')).toContainText('Median step');
  await page.getByTestId('compare-scaled').check();
  await expect
    .poll(async () => {
      [before, after] = (await app.scene()) as [SceneOfTrace, SceneOfTrace];
      return Math.abs(ranges(after).at(-1)!.x - ranges(before).at(-1)!.x) < 1.5;
    })
    .toBe(true);
  // Both take as much room, however long they take; lengths are their own.
  for (const [i, range] of ranges(after).entries()) expect(range.width).toBeCloseTo(ranges(before)[i]!.width, -1);
  expect(ranges(after)[0]!.durationNs).toBe(3000);
  await page.getByTestId('compare-scaled').uncheck();

  await page.getByTestId('compare-align').selectOption('range');
  await page.getByTestId('compare-range').fill('step 2');
  await page.getByTestId('compare-range').press('Enter');
  await expect(page.getByTestId('compare-headline')).toContainText('5 µs → 3 µs');
  const second = (trace: SceneOfTrace) => ranges(trace).find(({ label }) => label === 'step 2');
  await expect
    .poll(async () => {
      [before, after] = (await app.scene()) as [SceneOfTrace, SceneOfTrace];
      return Math.abs((second(after)?.x ?? Infinity) - (second(before)?.x ?? 0)) < 0.5;
    })
    .toBe(true);
  await page.getByTestId('compare-range').fill('no such range');
  await page.getByTestId('compare-range').press('Enter');
  await expect(page.getByTestId('problem-message')).toContainText('no range "no such range"');
  await expect(page.getByTestId('compare-headline')).toContainText('5 µs → 3 µs');

  // A click in each trace, and these two begin together.
  await page.getByTestId('compare-align').selectOption('start');
  [before, after] = (await app.scene()) as [SceneOfTrace, SceneOfTrace];
  for (const [trace, step] of [
    [before, 1],
    [after, 3],
  ] as const) {
    const { x, y, width, height } = kernels(trace, 'same')[step]!;
    await page.mouse.click(x + width / 2, y + height / 2);
    await expect(page.getByTestId('selection-title')).toContainText('same');
  }
  await page.getByTestId('tab-comparison').click();
  await page.getByTestId('compare-align').selectOption('events');
  await expect
    .poll(async () => {
      [before, after] = (await app.scene()) as [SceneOfTrace, SceneOfTrace];
      return Math.abs(kernels(after, 'same')[3]!.x - kernels(before, 'same')[1]!.x);
    })
    .toBeLessThan(1.5);

  // Times stay those of each trace.
  expect(kernels(after, 'same')[3]!.startNs).toBe(12_000 + 9000 + 1400);

  // They move together, and a step back brings both back.
  const places = [before.window, after.window];
  const area = (await page.getByTestId('timeline').nth(1).boundingBox())!;
  await page.mouse.move(area.x + 300, area.y + 40);
  await page.mouse.wheel(0, -400);
  [before, after] = (await app.scene()) as [SceneOfTrace, SceneOfTrace];
  expect(after.window.span).toBeLessThan(places[1]!.span);
  expect(after.window.span).toBeCloseTo(before.window.span, 3);
  await page.keyboard.press('Control+z');
  [before, after] = (await app.scene()) as [SceneOfTrace, SceneOfTrace];
  expect([before.window, after.window]).toEqual(places);
});

test('ghosts lie where the events before are, and colours say what became of them', async ({ app }) => {
  const { page } = app;
  await startPair(app);
  await page.getByTestId('compare-ghost').click();
  await expect.poll(async () => (await app.scene())[1]!.ghosts.length).toBeGreaterThan(10);
  const [before, after] = (await app.scene()) as [SceneOfTrace, SceneOfTrace];
  const row = kernels(after, 'tile')[0]!;
  const onRow = after.ghosts.filter(({ y, height }) => y < row.y + row.height && y + height > row.y);
  for (const { x, width } of kernels(before, 'tile')) {
    const nearest = onRow.reduce((best, ghost) => (Math.abs(ghost.x - x) < Math.abs(best.x - x) ? ghost : best));
    expect(nearest.x).toBeCloseTo(x, -1);
    expect(nearest.width).toBeCloseTo(width, -1);
  }
  expect(before.ghosts).toEqual([]);

  await page.keyboard.press('Shift+C');
  const coloured = await app.scene();
  const theme = await page.evaluate(() =>
    window.matchMedia('(prefers-color-scheme: light)').matches ? ('light' as const) : ('dark' as const),
  );
  for (const trace of coloured) {
    expect(kernels(trace, 'tile')[0]!.colour).toBe(cssColour(changeColour('faster', theme)));
    expect(kernels(trace, 'same')[0]!.colour).toBe(cssColour(changeColour('same', theme)));
  }
  expect(kernels(coloured[0]!, 'old')[0]!.colour).toBe(cssColour(changeColour('only-before', theme)));
  expect(kernels(coloured[1]!, 'renamed')[0]!.colour).toBe(cssColour(changeColour('only-after', theme)));
});

test('a renamed kernel is paired by hand, which is remembered, and parted again', async ({ app }) => {
  const { page } = app;
  await startPair(app);
  await expect(page.getByTestId('comparability')).toContainText('2 unmatched');
  await view(page, 'table');
  const row = (text: string) => page.getByTestId('compare-row').filter({ hasText: text });
  await page.getByTestId('compare-kind').selectOption('kernel');
  await expect(page.getByTestId('compare-row')).toHaveCount(4);
  await expect(row('old()')).toContainText('not matched');
  await row('old()').click();
  await page.getByTestId('compare-partner').selectOption('renamed(double*)');
  await page.getByTestId('compare-pair').click();
  await expect(page.getByTestId('compare-row')).toHaveCount(3);
  await expect(row('by hand')).toContainText('800');

  await page.reload();
  await expect(page.getByTestId('comparability')).toContainText('1.00');
  await view(page, 'table');
  await row('by hand').click();
  await page.getByTestId('compare-part').click();
  await expect(row('by hand')).toHaveCount(0);
});

test('table, waterfall, kernels and ladder say the same, and can be saved', async ({ app }) => {
  const { page } = app;
  await startPair(app);
  await expect(page.getByTestId('verdict')).toContainText('Improvement');
  await expect(page.getByTestId('compare-headline')).toContainText('1.67× faster');
  expect(await violations(page)).toEqual([]);

  await view(page, 'table');
  // The one that changed most is first; to sort by another column is one click.
  await expect(page.getByTestId('compare-row').first()).toContainText('9.6 µs');
  await page.getByTestId('sort-name').click();
  await page.getByTestId('compare-changed').check();
  await expect(page.getByTestId('compare-row').filter({ hasText: 'same(int)' })).toHaveCount(0);
  expect(await violations(page)).toEqual([]);

  await view(page, 'waterfall');
  const bars = page.getByTestId('waterfall-bar');
  await expect(bars.first()).toContainText('Before');
  await expect(bars.first()).toContainText('20 µs');
  await expect(bars.last()).toContainText('12 µs');
  await expect(bars.filter({ hasText: 'tile' })).toContainText('−9.6 µs');
  await bars.filter({ hasText: 'tile' }).getByRole('button').click();
  expect((await app.scene())[1]!.rects.filter(({ kind, emphasised }) => kind === 'kernel' && emphasised)).toHaveLength(
    8,
  );
  expect(await violations(page)).toEqual([]);

  await view(page, 'kernels');
  await page.getByTestId('compare-kernel-pair').filter({ hasText: 'tile' }).click();
  await expect(page.getByTestId('compare-kernel-explanation')).toContainText('3× faster');
  expect(await violations(page)).toEqual([]);

  await view(page, 'ladder');
  await expect(page.getByTestId('ladder-step')).toHaveCount(2);
  await expect(page.getByTestId('ladder-step').last()).toContainText('1.67× faster');
  write(join(app.folder, 'between.simsight'), program(0, 4000, 2600, 'old'), { title: 'Between', names });
  await page.getByTestId('ladder-add').click();
  await page.getByTestId('file-entry').filter({ hasText: 'files' }).first().click();
  await page.getByTestId('file-entry').filter({ hasText: 'between.simsight' }).click();
  await page.getByTestId('file-accept').click();
  await expect(page.getByTestId('ladder-step')).toHaveCount(3);
  await expect(page.getByTestId('ladder-step').nth(1)).toContainText('1.25× faster');
  await expect(page.getByTestId('ladder-step').nth(2)).toContainText('1.33× faster');
  expect(await violations(page)).toEqual([]);

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('compare-save-html').click()]);
  expect(download.suggestedFilename()).toMatch(/\.html$/);
  const html = readFileSync(await download.path(), 'utf8');
  expect(html).toContain('tile');
  expect(html.toLowerCase()).toContain('improvement');
});
