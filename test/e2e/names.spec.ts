/** Names in full: kernels are labelled by short ones, which instances of a template share. */
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { api, kernel, write } from '../unit/trace/example-recording-events.ts';
import { test, type App, type SceneRect } from './app.ts';

const middle = ({ x, y, width, height }: SceneRect): [number, number] => [x + width / 2, y + height / 2];
const kernelsOf = async (app: App, track: string): Promise<SceneRect[]> =>
  (await app.scene())[0]!.rects.filter((rect) => rect.kind === 'kernel' && rect.track === track);
const names = new Map([
  ['four', { demangled: 'void vec<4, Add>(float*)', short: 'vec' }],
  ['two', { demangled: 'void vec<2, Mul>(float*)', short: 'vec' }],
]);
const instances = (app: App): string =>
  write(
    join(app.folder, 'instances.simsight'),
    [
      ...[api('cudaLaunchKernel', 0, 100, 1), api('cudaLaunchKernel', 110, 180, 2)],
      ...[kernel(1000, 2000, 1, 7, { kernel: 'four' }), kernel(3000, 3500, 2, 7, { kernel: 'two' })],
      api('cudaDeviceSynchronize', 200, 5000, 3),
    ],
    { names },
  );

test('the card under the pointer has the whole name, each instance its own', async ({ app }) => {
  const { page } = app;
  await app.start(write(join(app.folder, 'known.simsight')));
  const [saxpy] = await kernelsOf(app, 'Kernels');
  await page.mouse.move(...middle(saxpy!));
  await expect(page.getByTestId('hover-card')).toContainText('void saxpy<float>(');
  // Nothing is said twice.
  const call = (await app.scene())[0]!.rects.find(({ label }) => label === 'cudaDeviceSynchronize')!;
  await page.mouse.move(...middle(call));
  await expect(page.getByTestId('hover-card')).toContainText('cudaDeviceSynchronize');
  await expect(page.getByTestId('hover-full-name')).toHaveCount(0);

  await app.start(instances(app));
  const [four, two] = await kernelsOf(app, 'Kernels');
  expect([four!.label, two!.label]).toEqual(['vec', 'vec']);
  await page.mouse.move(...middle(four!));
  await expect(page.getByTestId('hover-full-name')).toHaveText('void vec<4, Add>(float*)');
  await page.mouse.move(...middle(two!));
  await expect(page.getByTestId('hover-full-name')).toHaveText('void vec<2, Mul>(float*)');
});

test('the instance that is meant stands out, not all of its template', async ({ app }) => {
  const { page } = app;
  await app.start(instances(app));
  await app.scene();
  const shown = async (): Promise<boolean[]> => (await kernelsOf(app, 'Kernels')).map(({ emphasised }) => emphasised);
  await page.keyboard.press('2');
  await page.getByTestId('range-window').click();
  await page.getByRole('button', { name: 'void vec<4, Add>' }).click();
  expect(await shown()).toEqual([true, false]);
  await expect(page.locator('[data-testid=range-group].emphasised')).toHaveCount(1);

  await page.keyboard.press('4');
  const row = page.getByTestId('report-row').filter({ hasText: 'vec<2, Mul>' });
  await row.click();
  expect(await shown()).toEqual([false, true]);
  await expect(page.locator('[data-testid=report-row].emphasised')).toHaveText(/vec<2, Mul>/);

  // The same for what is searched for.
  await page.keyboard.press('Control+f');
  await page.keyboard.type('vec<4');
  await expect(page.getByTestId('search-said')).toHaveText('1 match');
  expect(await shown()).toEqual([true, false]);
});
