/** A launch that failed, and a wait that nobody asked for: seen on the timeline, named, and explained with the line. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ns } from '../../engine/base/units.ts';
import type { Failure } from '../../engine/model/events.ts';
import { api, events, kernel, write } from '../unit/trace/example-recording-events.ts';
import { distance, inside, test, type App } from './app.ts';
import { violations } from './axe.ts';

const failure: Failure = {
  ...{ error: 700, errorName: 'cudaErrorIllegalAddress' },
  message: 'Invalid __global__ write of size 4 bytes by thread (5,0,0) in block (0,0,0) of saxpy (saxpy.cu:1).',
  remedy: 'Check the index against the size that was allocated.',
  place: { file: 'saxpy.cu', line: 1 },
};
function writeFailed({ folder }: App): string {
  const details = { ...kernel(0, 1, 1).details, metrics: {} };
  return write(
    join(folder, 'failed.simsight'),
    [
      ...events,
      api('cudaLaunchKernel', 4800, 4900, 7),
      {
        ...{ type: 'implicit-wait', start: ns(4900), end: ns(5200), deviceId: 0, streamId: 13 },
        ...{ correlationId: 7, otherStreamId: 7, waitsFor: 4 },
      },
      { type: 'dependency', correlationId: 7, waitsFor: 4 },
      kernel(5200, 5800, 7, 13, { details, failure }),
      { ...api('cudaDeviceSynchronize', 4950, 6500, 8), returnValue: 700 } as ReturnType<typeof api>,
      // Far away, so that the kernel that failed is no pixel wide.
      api('cudaFree', 900_000, 1_000_000, 9),
    ],
    { exitCode: 0 },
  );
}

test('red at its place, in the header and first in advice, with the line', async ({ app }) => {
  const { page } = app;
  await app.start(writeFailed(app));
  await app.scene();
  const header = page.getByTestId('trace-failure');
  await expect(header).toHaveText(/saxpy: cudaErrorIllegalAddress at saxpy\.cu:1/);
  // An exit code of 0 is no good news then.
  await expect(page.getByTestId('trace-exit')).not.toHaveClass(/good/);
  expect(await violations(page, '[data-testid=trace-header]')).toEqual([]);

  // From afar there is a mark on the ruler; it leads there.
  const mark = page.getByTestId('failure-mark');
  await expect(mark).toHaveAttribute('title', /Invalid __global__ write/);
  await mark.click();
  await expect(page.getByTestId('finding').first()).toHaveAttribute('data-rule', 'failed-launch');
  await expect(page.getByTestId('finding-details')).toContainText('saxpy failed with cudaErrorIllegalAddress');
  await expect(page.getByTestId('finding-todo')).toContainText('exit code 0');
  const red = (await app.scene())[0]!.rects.filter(({ startNs, kind }) => kind === 'kernel' && startNs === 5200);
  expect(red.length).toBeGreaterThan(0);
  expect(red.every(({ width }) => width > 20)).toBe(true);
  const call = (await app.scene())[0]!.rects.filter(({ startNs, kind }) => kind === 'api' && startNs === 4950);
  await page.mouse.move(2, 2);
  const shown = [...red, ...call];
  for (const [i, colour] of (await app.pixels(shown.map(inside))).entries()) {
    expect(distance(colour, shown[i]!.colour)).toBeLessThanOrEqual(12);
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    expect(r).toBeGreaterThan(1.8 * Math.max(g!, b!));
  }
  await page.getByTestId('finding-place').first().click();
  await expect(page.getByTestId('kernel-page')).toBeVisible();
  await expect(page.locator('[data-line="1"]')).toHaveClass(/chosen/);
  await expect(page.locator('[data-line="1"]')).toContainText('__global__ void saxpy');
});

test('a wait for the default stream is on the row of its stream, and says for what', async ({ app }) => {
  const { page } = app;
  await app.start(writeFailed(app));
  await app.scene();
  await page.getByTestId('failure-mark').click();
  const [wait] = (await app.scene())[0]!.rects.filter(({ label }) => label === 'Implicit sync: default stream');
  await page.mouse.click(wait!.x + wait!.width / 2, wait!.y + wait!.height / 2);
  await expect(page.getByTestId('selection-title')).toHaveText('Implicit sync: default stream');
  await expect(page.getByTestId('panel')).toContainText('cudaStreamNonBlocking');
  await expect(page.getByTestId('correlated-event').filter({ hasText: 'Memset' })).toBeVisible();
  await expect(page.getByTestId('correlated-event').filter({ hasText: 'saxpy' })).toBeVisible();
  await page.keyboard.press('t');
  await app.scene();
});
