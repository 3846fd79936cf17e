/** Finding things in a trace: search, the table of events, sums of a range, SQL. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { kernel, copy, api, write } from '../unit/trace/example-recording-events.ts';
import type { TraceEvent } from '../../engine/model/events.ts';
import { distance, inside, test, type App, type SceneRect } from './app.ts';

const known = (app: App): string => write(join(app.folder, 'known.simsight'));
/** Events; charts are never dimmed. */
const rects = async (app: App): Promise<SceneRect[]> =>
  (await app.scene())[0]!.rects.filter(({ kind }) => kind !== 'column');
const said = (page: Page) => page.getByTestId('search-said');

async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 6 });
  await page.mouse.up();
}

test.describe('search', () => {
  test('counts, highlights and goes from hit to hit', async ({ app }) => {
    const { page } = app;
    await app.start(known(app));
    const before = await rects(app);
    expect(before.every(({ emphasised }) => emphasised)).toBe(true);
    await page.getByTestId('timeline').focus();
    await page.keyboard.press('Control+f');
    await expect(page.getByRole('textbox', { name: 'Search event names' })).toBeFocused();
    await page.keyboard.type('memcpy');
    await expect(said(page)).toHaveText('4 matches');

    const found = await rects(app);
    for (const { emphasised, label } of found) expect(emphasised, label).toBe(/memcpy/i.test(label));
    const wide = found.filter(({ width }) => width >= 8);
    const colours = await app.pixels(wide.map(inside));
    wide.forEach(({ colour, emphasised, label }, i) => {
      if (emphasised) expect(distance(colours[i]!, colour), label).toBeLessThan(12);
      else expect(distance(colours[i]!, colour), label).toBeGreaterThan(25);
    });
    const rows = page.getByTestId('row-header');
    await expect(rows.filter({ hasText: 'CUDA API' }).getByTestId('row-hits')).toHaveText('2');
    await expect(rows.filter({ hasText: 'Stream 13 (priority -5)' }).first().getByTestId('row-hits')).toHaveText('2');
    await expect(rows.filter({ hasText: 'Kernels' }).getByTestId('row-hits')).toHaveCount(0);

    // The second copy starts at 3400 of 4700 ns: a mark at the foot of the minimap there, and none where nothing starts.
    const marks = (await page.getByTestId('search-marks').boundingBox())!;
    const at = (time: number) => {
      const share = (time / 4700 + 0.015) / 1.03;
      return { x: marks.x + share * marks.width + 1, y: marks.y + marks.height - 2 };
    };
    const [mark, none] = await app.pixels([at(3400), at(2500)]);
    expect(distance(mark!, '#e0b455')).toBeLessThan(40);
    expect(distance(none!, '#e0b455')).toBeGreaterThan(80);

    await page.keyboard.press('Enter');
    await expect(said(page)).toHaveText('1 of 4');
    await page.keyboard.press('Enter');
    await expect(said(page)).toHaveText('2 of 4');
    await expect(page.getByTestId('selection-title')).toContainText('Memcpy HtoD');
    await page.keyboard.press('Shift+Enter');
    await expect(said(page)).toHaveText('1 of 4');
    await expect(page.getByTestId('selection-title')).toHaveText('cudaMemcpyAsync');
    // Around the end, with the buttons.
    await page.getByRole('button', { name: 'Previous match' }).click();
    await expect(said(page)).toHaveText('4 of 4');
    await page.getByRole('button', { name: 'Next match' }).click();
    await expect(said(page)).toHaveText('1 of 4');

    await page.getByTestId('search-field').focus();
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('search-field')).toHaveCount(0);
    await expect(page.getByTestId('timeline')).toBeFocused();
    expect((await rects(app)).every(({ emphasised }) => emphasised)).toBe(true);
    await expect(page.getByTestId('row-hits')).toHaveCount(0);
  });

  test('takes regular expressions, and says what is wrong with one', async ({ app }) => {
    const { page } = app;
    await app.start(known(app));
    await app.scene();
    await page.keyboard.press('/');
    const field = page.getByTestId('search-field');
    await expect(field).toBeFocused();
    await page.keyboard.type('/^cuda(Memset|Launch)/');
    await expect(said(page)).toHaveText('2 matches');
    await field.fill('/(/');
    await expect(said(page)).toContainText('Invalid regular expression');
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    expect((await rects(app)).every(({ emphasised }) => emphasised)).toBe(true);
    await field.fill('nowhere');
    await expect(said(page)).toHaveText('No matches');
    await expect(page.getByTestId('search-next')).toBeDisabled();
    // A name in full, of which the timeline shows the short one.
    await field.fill('float const*');
    await expect(said(page)).toHaveText('1 match');
    expect((await rects(app)).filter(({ emphasised }) => emphasised).map(({ label }) => label)).toContain('saxpy');
  });

  test('opens what is closed above a hit', async ({ app }) => {
    const { page } = app;
    await app.start(known(app));
    await app.scene();
    const gpu = page.getByRole('treeitem', { name: /A100/ });
    await gpu.click();
    await expect(gpu).toHaveAttribute('aria-expanded', 'false');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('saxpy');
    await expect(gpu.getByTestId('row-hits')).toHaveText('1');
    await page.keyboard.press('Enter');
    await expect(gpu).toHaveAttribute('aria-expanded', 'true');
    await expect(page.getByTestId('selection-title')).toContainText('saxpy');
    expect((await rects(app)).some(({ kind, highlighted }) => kind === 'kernel' && highlighted)).toBe(true);
  });

  test('what is drawn as one stands out for one of its events', async ({ app }) => {
    // A hundred short kernels in a pixel, among which one of another name, the shortest.
    const names = new Map([['rare', { demangled: 'rare()', short: 'rare' }]]);
    const written: TraceEvent[] = [api('cudaDeviceSynchronize', 0, 1e8, 1)];
    for (let i = 0; i < 100; i++) {
      const name = i === 40 ? { kernel: 'rare' } : {};
      written.push(kernel(5e7 + 100 * i, 5e7 + 100 * i + (i === 40 ? 20 : 60), 10 + i, 7, name));
    }
    for (let i = 0; i < 100; i++) written.push(kernel(8e7 + 100 * i, 8e7 + 100 * i + 60, 200 + i, 7));
    await app.start(write(join(app.folder, 'dense.simsight'), written, { names }));
    await app.scene();
    await app.page.keyboard.press('Control+f');
    await app.page.keyboard.type('rare');
    await expect(said(app.page)).toHaveText('1 match');
    const merged = (await rects(app)).filter(({ merged }) => merged > 1);
    expect(merged.length).toBeGreaterThan(3);
    for (const { startNs, emphasised } of merged) expect(emphasised).toBe(startNs < 6e7);
    expect(merged.map(({ label }) => label)).not.toContain('rare');
  });
});

test.describe('the table of events', () => {
  const grid = (page: Page) => page.getByRole('grid', { name: /Events of/ });
  const rows = (page: Page) => page.getByTestId('events-grid-row');

  test('is sorted, filtered and tied to the timeline both ways', async ({ app }) => {
    const { page } = app;
    await app.start(known(app));
    await app.scene();
    await page.keyboard.press('3');
    await expect(page.getByRole('tab', { name: 'Events' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByTestId('events-total')).toHaveText('12 events');
    await expect(grid(page)).toHaveAttribute('aria-rowcount', '13');
    await expect(rows(page).first()).toContainText('cudaStreamCreateWithPriority');

    await page.getByRole('columnheader', { name: 'Duration' }).getByRole('button').click();
    await expect(page.getByRole('columnheader', { name: 'Duration' })).toHaveAttribute('aria-sort', 'descending');
    await expect(rows(page).first()).toContainText('cudaDeviceSynchronize');
    await page.getByTestId('sort-duration').click();
    await expect(rows(page).first()).toContainText('cudaMemcpyAsync');

    await page.getByTestId('events-filter').fill('memcpy');
    await expect(page.getByTestId('events-total')).toHaveText('4 events');
    const copied = rows(page).filter({ hasText: 'Memcpy HtoD' });
    await expect(copied).toContainText('3.81 MiB');
    await copied.click();
    await expect(copied).toHaveAttribute('aria-selected', 'true');
    const marked = (await rects(app)).filter(({ highlighted, kind }) => highlighted && kind === 'memcpy');
    expect(new Set(marked.map(({ startNs }) => startNs))).toEqual(new Set([200]));
    await expect(page.getByTestId('tab-events')).toHaveAttribute('aria-selected', 'true');

    // A click on the timeline marks the row; what is not in the table is said.
    // Rows come as they are loaded: the topmost is meant.
    const byKind = async (kind: string) =>
      (await rects(app)).filter((rect) => rect.kind === kind).sort((a, b) => a.y - b.y || a.x - b.x)[0]!;
    const call = (await rects(app)).find(({ label }) => label === 'cudaMemcpyAsync')!;
    await page.mouse.click(call.x + call.width / 2, call.y + call.height / 2);
    await expect(page.locator('[data-testid=events-grid-row].active')).toContainText('cudaMemcpyAsync');
    const shown = await byKind('kernel');
    await page.mouse.click(shown.x + shown.width / 2, shown.y + shown.height / 2);
    await expect(page.getByTestId('events-note')).toHaveText('These rows do not include the selected event.');
    await page.getByTestId('events-all').click();
    await expect(page.locator('[data-testid=events-grid-row].active')).toContainText('saxpy');

    await page.getByTestId('events-scope').selectOption({ label: 'Selected row' });
    await expect(page.getByTestId('events-total')).toHaveText(/^[1-4] events?$/);
    await page.getByTestId('events-filter').fill('nowhere');
    await expect(page.getByTestId('events-empty')).toHaveText('No event matches.');
    await page.getByTestId('events-filter').fill('/(/');
    await expect(page.getByTestId('problem-message')).toContainText('Invalid regular expression');
    await page.getByTestId('events-filter').fill('');
    await page.getByTestId('events-scope').selectOption({ label: 'Selected range' });
    await expect(page.getByTestId('events-lacking')).toBeVisible();
  });

  test('is read by keyboard alone', async ({ app }) => {
    const { page } = app;
    await app.start(known(app));
    await app.scene();
    await page.keyboard.press('3');
    await expect(page.getByTestId('events-total')).toHaveText('12 events');
    await grid(page).focus();
    const active = async (): Promise<string> => {
      const id = await grid(page).getAttribute('aria-activedescendant');
      return id === null ? '' : ((await page.locator(`#${id}`).getAttribute('aria-rowindex')) ?? '');
    };
    for (const [key, row] of [
      ['ArrowDown', '2'],
      ['ArrowDown', '3'],
      ['End', '13'],
      ['PageUp', /^([4-9]|1[0-2])$/],
      ['Home', '2'],
    ] as const) {
      await page.keyboard.press(key);
      if (typeof row === 'string') await expect.poll(active).toBe(row);
      else await expect.poll(active).toMatch(row);
    }
    const [before] = await app.scene();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await app.scene())[0]!.window.span).toBeLessThan(before!.window.span / 4);
    // Home is the grid's while it has the focus: the timeline stays.
    await page.keyboard.press('Home');
    expect((await app.scene())[0]!.window.span).toBeLessThan(before!.window.span / 4);
  });

  test('goes to the clipboard and into a file', async ({ app, context }) => {
    const { page } = app;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await app.start(known(app));
    await app.scene();
    await page.keyboard.press('3');
    await rows(page).nth(1).click();
    await rows(page)
      .nth(3)
      .click({ modifiers: ['Shift'] });
    await expect(page.locator('[data-testid=events-grid-row][aria-selected=true]')).toHaveCount(3);
    await page.getByRole('button', { name: 'Copy as CSV' }).click();
    await expect(page.getByText('Copied')).toBeVisible();
    const lines = (await page.evaluate(() => navigator.clipboard.readText())).split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^Start \(ns\),Duration \(ns\),Kind,Name,/);
    expect(lines[2]).toMatch(/^200,1000,Memcpy,\[CUDA memcpy Host-to-Device\],Stream 13 \(priority -5\),.*,2,4000000$/);

    // The keyboard moves within the table itself.
    await grid(page).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowDown');
    await grid(page).press('Control+c');
    await expect
      .poll(async () => (await page.evaluate(() => navigator.clipboard.readText())).split('\r\n'))
      .toHaveLength(3);

    await rows(page).nth(0).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('Saxpy-events.csv');
    expect(readFileSync(await file.path(), 'utf8').split('\r\n')).toHaveLength(13);
  });

  test('of many events holds a screenful in the page', async ({ app }) => {
    const { page } = app;
    const written: TraceEvent[] = [];
    for (let i = 0; i < 30_000; i++) written.push(api(i % 2 ? 'cudaMalloc' : 'cudaFree', 10 * i, 10 * i + 5, i));
    await app.start(write(join(app.folder, 'many.simsight'), written));
    await app.scene();
    await page.keyboard.press('3');
    await expect(page.getByTestId('events-total')).toHaveText('30,000 events');
    expect(await rows(page).count()).toBeLessThan(60);
    await grid(page).focus();
    await page.keyboard.press('End');
    const last = page.locator('[data-testid=events-grid-row].active');
    await expect(last).toHaveAttribute('aria-rowindex', '30001');
    await expect(last).toContainText('299.99 µs');
    const [from] = await rows(page).allTextContents();
    await grid(page).hover();
    await page.mouse.wheel(0, -5000);
    await expect.poll(async () => (await rows(page).allTextContents())[0]).not.toBe(from);
    await expect(rows(page).first()).toContainText('cuda');
    expect(await rows(page).count()).toBeLessThan(60);
  });

  test('may be left while it scrolls', async ({ app }) => {
    const { page } = app;
    await app.start(known(app));
    await page.getByTestId('tab-events').click();
    await expect(rows(page).first()).toBeVisible();
    // The browser tells of the scrolling with the next frame, when the table is gone.
    const moved = await page.getByTestId('events-grid').evaluate((grid, tab) => {
      grid.scrollTop = 20;
      document.querySelector<HTMLElement>(tab)!.click();
      return grid.scrollTop;
    }, '[data-testid=tab-console]');
    expect(moved).toBe(20);
    await expect(page.getByTestId('events-grid')).toHaveCount(0);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  });
});

test('a range is summed up, and its names lead on', async ({ app }) => {
  const { page } = app;
  // Two kernels and two copies: 1000 ns of kernels, 1000 of copies, 500 of both.
  const written: TraceEvent[] = [
    api('cudaDeviceSynchronize', 0, 5000, 1),
    copy(1000, 1500, 2),
    copy(1500, 2000, 3, { direction: 'device-to-host', engine: 1, bytes: 1_000_000 }),
    kernel(1500, 2500, 4, 13),
    kernel(4000, 4500, 5, 13),
  ];
  await app.start(write(join(app.folder, 'range.simsight'), written));
  await app.scene();
  await page.getByTestId('tab-range').click();
  await expect(page.getByTestId('range-empty')).toBeVisible();

  const ruler = (await page.getByTestId('ruler').boundingBox())!;
  const { window } = (await app.scene())[0]!;
  const at = (time: number) => ({
    x: ruler.x + ((time - window.start) / window.span) * ruler.width,
    y: ruler.y + ruler.height / 2,
  });
  await drag(page, at(1000), at(3000));
  const range = page.getByTestId('range');
  await expect(range).toHaveAttribute('data-stale', 'false');
  const measured = (await app.scene())[0]!.measured!;
  expect(Math.abs(measured.from - 1000)).toBeLessThan(10);
  await expect(page.getByTestId('range-count')).toHaveText('4');
  const share = (text: string | null): number => Number(/[\d.]+/.exec(text ?? '')![0]);
  const gpu = page.getByRole('region', { name: /A100/ });
  const length = measured.to - measured.from;
  expect(share(await gpu.getByTestId('gpu-busy').textContent())).toBeCloseTo((100 * 1500) / length, 0);
  expect(share(await gpu.getByTestId('gpu-overlap').textContent())).toBeCloseTo(50, 0);
  await expect(gpu.getByTestId('gpu-gaps')).toContainText(/^[12]\s+gaps?/);
  await expect(gpu.getByTestId('gpu-memory').first()).toContainText('3.81 MiB');
  // 4 MB in 500 ns.
  await expect(gpu.getByTestId('gpu-memory').first()).toContainText('8 TB/s');

  const name = page.getByRole('button', { name: /^void saxpy/ });
  await name.click();
  await expect(name).toHaveAttribute('aria-pressed', 'true');
  const found = await rects(app);
  for (const { emphasised, label } of found) expect(emphasised, label).toBe(label === 'saxpy');
  await page.getByRole('button', { name: 'saxpy: show in table' }).click();
  await expect(page.getByTestId('events-total')).toHaveText('1 event');
  await expect(page.getByTestId('events-grid-row')).toContainText('saxpy');

  await page.getByTestId('tab-range').click();
  await drag(page, at(4600), at(4900));
  await expect(range).toHaveAttribute('data-stale', 'false');
  await expect(page.getByTestId('range-count')).toHaveText('1');
  await expect(gpu.getByTestId('gpu-busy')).toContainText('0.0 %');
  await page.getByTestId('timeline').focus();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('range-empty')).toBeVisible();
});

test('SQL: an answer, a mistake, a query that is cancelled, and the way back to the timeline', async ({
  app,
  context,
}) => {
  const { page } = app;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await app.start(known(app));
  await app.scene();
  await page.keyboard.press('5');
  const editor = page.getByRole('textbox', { name: 'SQL query' });
  const answer = page.getByTestId('sql-said');
  const rows = page.getByTestId('sql-grid-row');
  await editor.fill('SELECT start, end, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY start');
  await page.keyboard.press('Control+Enter');
  await expect(answer).toContainText('2 rows');
  await expect(page.getByRole('columnheader')).toHaveText(['start', 'end', 'bytes']);
  await expect(rows.first()).toContainText('200');
  await page.getByTestId('sort-0').click();
  await expect(rows.first()).toContainText('3400');
  await rows.first().click();
  await expect.poll(async () => (await app.scene())[0]!.window.span).toBeLessThan(2000);
  expect((await rects(app)).filter(({ highlighted, kind }) => highlighted && kind === 'memcpy').length).toBeGreaterThan(
    0,
  );
  await page.getByRole('button', { name: 'Copy as CSV' }).click();
  await expect(page.getByText('Copied')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'start,end,bytes\r\n3400,4400,4000000\r\n200,1200,4000000',
  );

  await editor.fill('SELECT nothing_like_this FROM StringIds');
  await page.getByTestId('sql-run').click();
  await expect(page.getByTestId('problem-message')).toContainText('no such column: nothing_like_this');
  await editor.fill('DELETE FROM StringIds');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('problem-message')).toContainText('not allowed');

  await editor.fill('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n');
  await page.keyboard.press('Control+Enter');
  await expect(answer).toContainText('Running');
  await page.getByTestId('sql-cancel').click();
  await expect(page.getByTestId('problem-message')).toContainText('cancelled');
  await expect(page.getByTestId('sql-run')).toBeVisible();

  // The limit is said where it cuts.
  await editor.fill('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT i FROM n');
  await page.keyboard.press('Control+Enter');
  await expect(answer).toContainText('1,000 rows, cut off at 1,000');
  expect(await rows.count()).toBeLessThan(60);

  await editor.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(editor).toHaveValue('DELETE FROM StringIds');
  await page.keyboard.press('ArrowDown');
  await expect(editor).toHaveValue(/count\(\*\) FROM n$/);

  await page.getByRole('button', { name: 'Tables' }).click();
  const schema = page.getByRole('region', { name: 'Tables of this trace' });
  await schema.getByText('StringIds', { exact: true }).first().click();
  await editor.fill('SELECT  FROM StringIds');
  await editor.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(7, 7));
  await schema.getByRole('button', { name: 'value', exact: true }).click();
  await expect(editor).toHaveValue('SELECT value FROM StringIds');
});

test('examples of queries run on a trace', async ({ app }) => {
  const { page } = app;
  await app.start(known(app));
  await app.scene();
  await page.keyboard.press('5');
  const examples = page.getByTestId('sql-examples');
  const titles = (await examples.locator('option').allTextContents()).slice(1);
  expect(titles.length).toBeGreaterThan(4);
  for (const title of titles) {
    await examples.selectOption({ label: title });
    await page.getByTestId('sql-run').click();
    await expect(page.getByTestId('sql-said'), title).toContainText(/\d\s+rows?/);
    await expect(page.getByTestId('problem'), title).toHaveCount(0);
  }
});
