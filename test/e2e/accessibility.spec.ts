/** Every screen as axe sees it, in dark and light: names, roles, contrast, order of headings, what is nested in what. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { write } from '../unit/trace/example-recording-events.ts';
import { chromeTrace, test } from './app.ts';
import { violations } from './axe.ts';

for (const scheme of ['dark', 'light'] as const) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });
    const look = (page: Page, within?: string): Promise<string[]> =>
      violations(page, within, scheme === 'dark' ? 'all' : 'colours');

    test('the start screen, its dialogs and help', async ({ app }) => {
      const { page } = app;
      await app.start();
      await expect(page.getByTestId('start')).toBeVisible();
      expect.soft(await look(page)).toEqual([]);
      for (const [key, dialog] of [
        ['r', 'record-dialog'],
        ['o', 'file-browser'],
        ['?', 'help-dialog'],
        ['Control+k', 'palette'],
      ] as const) {
        await page.keyboard.press(key);
        await expect(page.getByTestId(dialog)).toBeVisible();
        expect.soft(await look(page), dialog).toEqual([]);
        await page.keyboard.press('Escape');
        await expect(page.getByTestId(dialog)).toHaveCount(0);
      }
    });

    test('a trace with every panel, its rows and its menus', async ({ app }) => {
      const { page } = app;
      await app.start(write(join(app.folder, 'known.simsight')));
      const [trace] = await app.scene();
      expect.soft(await look(page), 'nothing selected').toEqual([]);

      const kernel = trace!.rects.find(({ kind }) => kind === 'kernel')!;
      await page.mouse.click(kernel.x + 10, kernel.y + 5);
      await expect(page.getByTestId('selection-title')).toBeVisible();
      expect.soft(await look(page), 'selection').toEqual([]);
      await page.getByTestId('open-kernel').click();
      for (const part of ['overview', 'roofline', 'source', 'warps', 'memory', 'divergence']) {
        await page.getByTestId(`kernel-tab-${part}`).click();
        expect.soft(await look(page), `kernel: ${part}`).toEqual([]);
      }
      await page.keyboard.press('Escape');

      const ruler = (await page.getByTestId('ruler').boundingBox())!;
      await page.mouse.move(ruler.x + 300, ruler.y + 10);
      await page.mouse.down();
      await page.mouse.move(ruler.x + 700, ruler.y + 10, { steps: 4 });
      await page.mouse.up();
      await page.getByTestId('timeline').focus();
      await page.keyboard.press('b');
      await expect(page.getByTestId('note')).toHaveCount(1);
      for (const panel of ['selection', 'range', 'events', 'reports', 'sql', 'console', 'notes']) {
        await page.getByTestId(`tab-${panel}`).click();
        expect.soft(await look(page), panel).toEqual([]);
      }

      const row = page.getByTestId('row-headers').getByTestId('row-header').filter({ hasText: 'Kernels' }).first();
      await row.focus();
      await page.keyboard.press('p');
      await page.keyboard.press('Shift+F10');
      await expect(page.getByTestId('context-menu')).toBeVisible();
      expect.soft(await look(page), 'menu and pinned row').toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+f');
      await page.keyboard.type('memcpy');
      await expect(page.getByTestId('search-said')).toHaveText('4 matches');
      expect.soft(await look(page), 'search').toEqual([]);
    });

    test('over a trace: the dialog for a time, the file browser, what fails, what takes a while', async ({ app }) => {
      const { page } = app;
      writeFileSync(join(app.folder, 'broken.simsight'), 'This is no trace.');
      chromeTrace(join(app.folder, 'large.json'), 400_000);
      await app.start(write(join(app.folder, 'known.simsight')));
      await app.scene();
      await page.keyboard.press('g');
      await page.getByRole('textbox', { name: 'Time' }).fill('2 h');
      await expect(page.getByTestId('time-problem')).toBeVisible();
      expect.soft(await look(page), 'time dialog').toEqual([]);
      await page.keyboard.press('Escape');

      const open = async (name: string): Promise<void> => {
        await page.keyboard.press('o');
        await page.getByTestId('file-entry').filter({ hasText: 'files' }).first().click();
        await page.getByTestId('file-entry').filter({ hasText: name }).click();
      };
      await open('broken.simsight');
      expect.soft(await look(page), 'file browser').toEqual([]);
      await page.getByTestId('file-accept').click();
      await expect(page.getByTestId('problem-message')).toContainText('broken.simsight');
      expect.soft(await look(page), 'a file that cannot be opened').toEqual([]);

      await open('large.json');
      await page.getByTestId('file-accept').click();
      await expect(page.getByTestId('opening-progress')).toContainText('Reading');
      // The bar moves on meanwhile, so only it is looked at, and not for long.
      expect.soft(await look(page, '[data-testid=opening]'), 'opening').toEqual([]);
      await page.getByTestId('opening-cancel').click();
      await expect(page.getByTestId('opening')).toHaveCount(0);
      // In the table of events a search that cannot be read.
      await page.keyboard.press('3');
      await page.getByTestId('events-filter').fill('/(/');
      await expect(page.getByTestId('problem-message').last()).toContainText('Invalid regular expression');
      expect.soft(await look(page), 'a filter that cannot be read').toEqual([]);
    });

    test('two traces, compared', async ({ app }) => {
      const { page } = app;
      await app.start(
        write(join(app.folder, 'before.simsight'), undefined, { title: 'Before' }),
        write(join(app.folder, 'after.simsight'), undefined, { title: 'After' }),
      );
      await app.scene();
      await expect(page.getByTestId('verdict')).toBeVisible();
      expect.soft(await look(page)).toEqual([]);
    });
  });
}
