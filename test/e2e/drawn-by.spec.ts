/** The timeline drawn by a GPU and without one: the same picture. Here the CPU imitates the GPU. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';
import { launchOptions, softwareGlArguments } from '../../build/chromium.ts';
import { write } from '../unit/trace/example-recording-events.ts';
import { root, test, type App } from './app.ts';

test.use({ launchOptions: launchOptions(softwareGlArguments) });

async function drawBy(app: App, words: string): Promise<void> {
  const { page } = app;
  await page.keyboard.press('Control+k');
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
  await app.scene();
  await page.mouse.move(2, 2);
}

/** The share of pixels of the timeline that differ by more than a shade. */
async function difference(page: Page, pictures: Buffer[]): Promise<number> {
  const reader = await page.context().newPage();
  const share = await reader.evaluate(
    async (encoded) => {
      const [a, b] = await Promise.all(
        encoded.map(async (picture) => {
          const image = new Image();
          image.src = `data:image/png;base64,${picture}`;
          await image.decode();
          const context = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, image.width, image.height).data;
        }),
      );
      let differing = 0;
      for (let i = 0; i < a!.length; i += 4) {
        if ([0, 1, 2].some((channel) => Math.abs(a![i + channel]! - b![i + channel]!) > 24)) differing++;
      }
      return differing / (a!.length / 4);
    },
    pictures.map((picture) => picture.toString('base64')),
  );
  await reader.close();
  return share;
}

async function compare(app: App, name: string): Promise<void> {
  const { page } = app;
  const timeline = page.getByTestId('timeline');
  await drawBy(app, 'on the GPU if');
  await expect(timeline.locator('canvas')).toHaveAttribute('data-drawn-by', 'cpu');
  const cpu = await timeline.screenshot({ path: test.info().outputPath(`${name}-cpu.png`) });
  const rects = (await app.scene())[0]!.rects;
  expect(rects.length, 'something to compare').toBeGreaterThan(3);
  await drawBy(app, 'Draw the timeline on the GPU');
  await expect(timeline.locator('canvas')).toHaveAttribute('data-drawn-by', 'gpu');
  const gpu = await timeline.screenshot({ path: test.info().outputPath(`${name}-gpu.png`) });
  expect((await app.scene())[0]!.rects).toEqual(rects);
  expect(await difference(page, [cpu, gpu]), name).toBeLessThan(0.001);
}

for (const [theme, scale] of [
  ['dark', 1],
  ['light', 2],
] as const) {
  test.describe(`${theme}, ${scale} device pixels per CSS pixel`, () => {
    test.use({ colorScheme: theme, deviceScaleFactor: scale });

    test('a small recording: names, charts, what is selected, what is found', async ({ app }) => {
      const { page } = app;
      await app.start(write(join(app.folder, 'known.simsight')));
      await app.scene();
      await compare(app, 'whole');
      const kernel = (await app.scene())[0]!.rects.find(({ kind, width }) => kind === 'kernel' && width > 20)!;
      await page.mouse.click(kernel.x + 8, kernel.y + 8);
      await compare(app, 'selected');
      await page.keyboard.press('Control+f');
      await page.keyboard.type('saxpy');
      await page.keyboard.press('Enter');
      await page.getByTestId('timeline').focus();
      await compare(app, 'dimmed');
    });

    test('warps with their patterns', async ({ app }) => {
      const { page } = app;
      await app.start(write(join(app.folder, 'known.simsight')));
      await app.scene();
      await page.getByTestId('row-headers').getByTestId('row-header').filter({ hasText: 'SM 0' }).first().focus();
      await page.keyboard.press('ArrowRight');
      const blocks = async () => (await app.scene())[0]!.rects.filter(({ kind }) => kind === 'block');
      await expect.poll(async () => (await blocks()).length).toBeGreaterThan(0);
      const [block] = await blocks();
      await page.mouse.move(block!.x, block!.y + 2);
      for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -300);
      await page.keyboard.press('Shift+F');
      await page.keyboard.type('Sub-partition');
      await page.getByTestId('timeline').focus();
      expect((await app.scene())[0]!.rects.map(({ kind }) => kind)).toContain('warp');
      await compare(app, 'warps');
    });

    test('a recording of a real machine', async ({ app }) => {
      const path = join(app.folder, 'nsys-streams.sqlite');
      writeFileSync(path, gunzipSync(readFileSync(join(root, 'test', 'samples', 'nsys-streams.sqlite.gz'))));
      await app.start(path);
      await app.scene();
      await app.page.getByTestId('timeline').focus();
      await compare(app, 'nsys');
    });
  });
}
