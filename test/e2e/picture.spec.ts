/** The view as a file: what is on screen is in it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { write } from '../unit/trace/example-recording-events.ts';
import { distance, inside, test } from './app.ts';

test('saved as SVG and PNG, with the same rectangles in the same places', async ({ app }) => {
  const { page } = app;
  await app.start(write(join(app.folder, 'known.simsight')));
  await app.scene();
  await page.getByTestId('row-headers').getByTestId('row-header').filter({ hasText: 'Kernels' }).first().focus();
  await page.keyboard.press('p');
  await page.getByTestId('timeline').focus();
  const [trace] = await app.scene();
  const area = (await page.getByTestId('timeline').boundingBox())!;
  const headers = (await page.getByTestId('row-headers').boundingBox())!;

  const save = async (key: string): Promise<{ name: string; content: Buffer }> => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press(key)]);
    return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
  };
  const svg = await save('Control+Shift+S');
  expect(svg.name).toBe('Saxpy.svg');
  const text = svg.content.toString('utf8');
  expect(text).toContain('Stream 13 (priority -5)');
  expect(text).toContain('NVIDIA A100');

  const png = await save('Control+s');
  expect(png.name).toBe('Saxpy.png');
  expect(png.content.subarray(1, 4).toString()).toBe('PNG');

  // Both are drawn: every wide rectangle of the scene is where it is on screen, in its colour.
  const wide = trace!.rects.filter(({ width, height, kind }) => width >= 12 && height >= 10 && kind !== 'column');
  expect(wide.length).toBeGreaterThan(4);
  const pinned = (await page.getByTestId('pinned-timeline').boundingBox())!;
  const top = 30 + 22 + pinned.height - area.y;
  const seen = async (type: string, content: Buffer, scale: number): Promise<string[]> => {
    const other = await page.context().newPage();
    const points = wide.map(inside).map(({ x, y }) => ({ x: (x - headers.x) * scale, y: (y + top) * scale }));
    const found = await other.evaluate(
      async ({ url, points }) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d')!;
        context.drawImage(image, 0, 0);
        return points.map(({ x, y }) => [...context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data.slice(0, 3)]);
      },
      { url: `data:${type};base64,${content.toString('base64')}`, points },
    );
    await other.close();
    return found.map((rgb) => `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`);
  };
  for (const [type, content, scale] of [
    ['image/svg+xml', svg.content, 1],
    ['image/png', png.content, 2],
  ] as const) {
    const colours = await seen(type, content, scale);
    wide.forEach(({ colour, label, track }, i) =>
      expect(distance(colours[i]!, colour), `${type}: ${label} on ${track}`).toBeLessThan(12),
    );
  }
});
