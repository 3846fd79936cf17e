/** Colours by the system, focus that is seen, a layout that stands still, help that is complete, states without events. */
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { ns } from '../../engine/base/units.ts';
import { commands } from '../../renderer/src/commands.ts';
import { keyLabel } from '../../renderer/src/keys.ts';
import { write } from '../unit/trace/example-recording-events.ts';
import { distance, test } from './app.ts';

const theme = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.documentElement.dataset['theme']);

test('dark or light by the system, by key, and by the system again', async ({ app }) => {
  const { page } = app;
  await app.start(write(join(app.folder, 'known.simsight')));
  await app.scene();
  const isSystem = async (scheme: 'dark' | 'light'): Promise<void> => {
    await page.emulateMedia({ colorScheme: scheme });
    await expect.poll(() => theme(page)).toBe(scheme);
  };
  await isSystem('light');
  const { x, y } = (await page.getByTestId('timeline').boundingBox())!;
  const background = async (): Promise<string> => (await app.pixels([{ x: x + 3, y: y + 300 }]))[0]!;
  expect(distance(await background(), '#ffffff')).toBeLessThan(30);
  await isSystem('dark');
  await app.scene();
  expect(distance(await background(), '#0f1318')).toBeLessThan(30);
  await page.keyboard.press('t');
  await expect.poll(() => theme(page)).toBe('light');
  // The choice stays, whatever the system does.
  await page.emulateMedia({ colorScheme: 'light' });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.reload();
  await app.scene();
  expect(await theme(page)).toBe('light');
  // Back to what the system has: from there on it is followed again.
  await page.keyboard.press('t');
  await expect.poll(() => theme(page)).toBe('dark');
  await isSystem('light');
  await isSystem('dark');
  // Each of the three by its name.
  for (const [name, expected] of [
    ['dark', 'dark'],
    ['light', 'light'],
    ['as the system', 'dark'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(`Colours ${name}`);
    await page.keyboard.press('Enter');
    await expect.poll(() => theme(page), name).toBe(expected);
  }
});

test('every stop of Tab is seen to have the focus', async ({ app }) => {
  const { page } = app;
  await app.start(write(join(app.folder, 'known.simsight')));
  await app.scene();
  const stops = new Map<string, boolean>();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    const [name, isSeen] = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const name = element.dataset['testid'] ?? element.getAttribute('aria-label') ?? element.textContent.trim();
      return [element === document.body ? '' : name, outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1] as const;
    });
    if (name === '' || (stops.size > 5 && name === [...stops.keys()][0])) break;
    stops.set(name, isSeen);
  }
  expect([...stops.keys()]).toEqual(expect.arrayContaining(['row-filter', 'row-header', 'timeline', 'tab-selection']));
  expect([...stops].filter(([, isSeen]) => !isSeen)).toEqual([]);
});

test('nothing on the page jumps while it is opened, searched and read', async ({ app }) => {
  const { page } = app;
  await page.addInitScript(() => {
    const shifts: string[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
        sources: { node: Node | null }[];
      })[]) {
        if (entry.hadRecentInput) continue;
        const names = entry.sources.map(({ node }) => (node instanceof HTMLElement ? node.className : node?.nodeName));
        shifts.push(`${entry.value.toFixed(4)}: ${names.join(', ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await app.start(write(join(app.folder, 'known.simsight')));
  const [trace] = await app.scene();
  const kernel = trace!.rects.find(({ kind }) => kind === 'kernel')!;
  await page.mouse.click(kernel.x + kernel.width / 2, kernel.y + kernel.height / 2);
  await expect(page.getByTestId('correlated-event')).toHaveCount(1);
  await page.keyboard.press('Control+f');
  await page.keyboard.type('memcpy');
  await expect(page.getByTestId('search-said')).toHaveText('4 matches');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('selection-title')).not.toHaveText('saxpy');
  for (const panel of ['range', 'events', 'reports', 'console']) {
    await page.getByTestId(`tab-${panel}`).click();
    await app.scene();
  }
  // Layout shifts right after an input are legitimate; this waits longer.
  await page.waitForTimeout(600);
  expect(await page.evaluate(() => (window as unknown as { shifts: string[] }).shifts)).toEqual([]);
});

test('help has every command and every key', async ({ app }) => {
  const { page } = app;
  await app.start();
  await expect(page.getByTestId('start')).toBeVisible();
  await page.keyboard.press('?');
  const lines = page.getByTestId('help-dialog').locator('dl > div');
  const said = await lines.evaluateAll((all) =>
    all.map((line) => [
      line.querySelector('dt')!.textContent,
      [...line.querySelectorAll('kbd')].map((key) => key.textContent),
    ]),
  );
  for (const { title, keys } of commands.filter(({ keys }) => keys.length > 0))
    expect(said).toContainEqual([title, keys.map((key) => keyLabel(key, false))]);
});

test('a program that called nothing: a trace that says so', async ({ app }) => {
  const { page } = app;
  await app.start(
    write(join(app.folder, 'empty.simsight'), [
      { type: 'console', time: ns(10), stream: 'stdout', text: 'nothing to do\n' },
    ]),
  );
  await expect(page.getByTestId('no-events')).toContainText('no CUDA calls');
  // Keys and panels still work.
  await page.keyboard.press('.');
  await page.keyboard.press('6');
  await expect(page.getByText('nothing to do')).toBeVisible();
  await expect(page.getByTestId('problem')).toHaveCount(0);
});
