/** The life of the desktop app: several windows, recent traces, about, logs, an engine that dies, and an end while recording. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { channels, type SimsightShell } from '../../electron/channels.ts';
import { openTrace } from '../../engine/trace/reader.ts';
import { launch, type RunningApp } from '../electron-host/index.ts';
import { write } from '../unit/trace/example-recording-events.ts';

const home = mkdtempSync(join(tmpdir(), 'simsight-life-'));
const [first, second] = ['first', 'second'].map((name) => write(join(home, `${name} & more.simsight`)));
const env = { SIMSIGHT_HOME: join(home, 'data') };
let app: RunningApp;

const titles = (label: string): string[] =>
  app.menu.filter(({ id }) => id?.startsWith(label)).map((item) => item.label ?? '');
const shown = (page: Page) => expect(page.getByTestId('trace-screen'));

test.describe.configure({ mode: 'serial' });
test.beforeAll(async () => {
  app = await launch({ env, argv: [first!] });
});
test.afterAll(() => app.close());

test('what was opened is a recent trace: of the menu and of the system', async () => {
  await shown(app.page).toBeVisible();
  await expect.poll(() => titles('recent.0')).toHaveLength(1);
  // An ampersand is one, not an underline.
  expect(titles('recent.0')[0]).toContain('first && more.simsight – ');
  expect(app.calls).toContainEqual(['recent.add', first]);
});

test('a further window stands beside, and has an engine and traces of its own', async () => {
  app.chooseMenuItem('window.new');
  await expect.poll(() => app.pages.length).toBe(2);
  const bounds = app.calls.filter(([name]) => name === 'window').map(([, options]) => options as { x?: number });
  expect(bounds[1]!.x).toBe((bounds[0]!.x ?? 0) + 28);
  await expect(app.pages[1]!.getByTestId('app')).toHaveAttribute('data-connection', 'open');
  await shown(app.pages[1]!).toHaveCount(0);
  expect(app.calls.filter(([name]) => name === 'fork')).toHaveLength(1);

  app.emit('second-instance', {}, ['simsight', '--new-window', second!], '/');
  await expect.poll(() => app.pages.length).toBe(3);
  await shown(app.pages[2]!).toBeVisible();
});

test('files go to the window that was used last, as commands do', async () => {
  app.focusWindow(1);
  app.chooseMenuItem('recent.0');
  await shown(app.pages[1]!).toBeVisible();
  await expect(app.pages[1]!).toHaveTitle(await app.pages[2]!.title());
  app.chooseMenuItem('help.shortcuts');
  await expect(app.pages[1]!.getByRole('dialog')).toBeVisible();
  await expect(app.pages[0]!.getByRole('dialog')).toHaveCount(0);
  await app.pages[1]!.keyboard.press('Escape');
});

test('files that are opened together are one choice, of which all is said', async () => {
  app.focusWindow(1);
  const [, page] = app.pages;
  const more = ['third', 'fourth'].map((name) => write(join(home, `${name}.simsight`)));
  for (const path of [first!, second!, ...more]) app.emit('open-file', { preventDefault: () => undefined }, path);
  await expect(page!.getByTestId('file-outcomes')).toContainText('2 of 4 files are shown');
  const words = await page!.getByTestId('file-outcome').allTextContents();
  expect(words.map((text) => /shown as \w+|not opened/.exec(text)?.[0])).toEqual([
    ...['shown as before', 'shown as after'],
    ...['not opened', 'not opened'],
  ]);
});

test('of files that are dropped, traces are opened and sources recorded, and what is neither is named', async () => {
  const [, page] = app.pages;
  await page!.evaluate(() => {
    const dataTransfer = new DataTransfer();
    for (const name of ['gone.simsight', 'photo.png', 'app.cu']) dataTransfer.items.add(new File(['x'], name));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  await expect(page!.getByTestId('record-source')).toHaveValue('/dropped/app.cu');
  await page!.keyboard.press('Escape');
  const outcomes = page!.getByTestId('file-outcome');
  await expect(outcomes.nth(0)).toContainText(/gone\.simsight.*There is no file/);
  await expect(outcomes.nth(1)).toContainText('photo.png');
  await expect(outcomes.nth(2)).toContainText('a source, added to the record dialog');
  // The traces that were open are open again.
  await expect(page!.getByTestId('trace-title')).toHaveCount(2);
});

test('each window is heard, a stranger is not', async () => {
  for (const page of app.pages) {
    app.openDialogAnswers.push({ canceled: false, filePaths: ['/x.simsight'] });
    const choose = (): Promise<string[]> => (window as unknown as { simsight: SimsightShell }).simsight.chooseTrace();
    expect(await page.evaluate(choose)).toEqual(['/x.simsight']);
  }
  const frame = { url: 'app://simsight/index.html', parent: null };
  await expect(app.forge(channels.chooseTrace, { sender: {}, senderFrame: frame }).invoked).rejects.toThrow('Refused');
});

test('closing one leaves the others', async () => {
  await app.closeWindow(2);
  expect(app.pages).toHaveLength(2);
  expect(app.calls).not.toContainEqual(['quit']);
  await expect(app.pages[0]!.getByTestId('app')).toHaveAttribute('data-connection', 'open');
});

test('an engine that dies takes nothing along: all windows have their traces again', async () => {
  const drawn = app.page.getByTestId('trace-screen');
  await drawn.evaluate((element) => element.setAttribute('data-same', 'yes'));
  app.messageBoxAnswers.push({ response: 0 });
  app.crashEngine(139);
  await expect.poll(() => app.calls.filter(([name]) => name === 'fork').length).toBe(2);
  for (const page of app.pages) {
    await expect(page.getByTestId('connection-lost')).toHaveCount(0);
    await expect(page.getByTestId('app')).toHaveAttribute('data-connection', 'open');
  }
  // The very page, not one loaded anew; and it asks the new engine.
  await expect(drawn).toHaveAttribute('data-same', 'yes');
  expect(app.calls.some(([name]) => name === 'reload')).toBe(false);
  await app.page.keyboard.press('6');
  await expect(app.page.getByTestId('console')).toBeVisible();
});

test('the log has it, and can be shown', () => {
  app.chooseMenuItem('help.logs');
  const file = join(env.SIMSIGHT_HOME, 'logs', 'simsight.log');
  expect(app.calls.at(-1)).toEqual(['shell.show', file]);
  expect(readFileSync(file, 'utf8')).toMatch(
    /^\S+Z Simsight \d+\.\d+\.\d+ starts: .*\n(.*\n)*\S+ The engine's process ended with code 139\.$/m,
  );
});

test('a page that dies leaves its window, and comes back', async () => {
  app.messageBoxAnswers.push({ response: 0 });
  const loaded = app.page.waitForEvent('load');
  app.crashPage('crashed');
  await loaded;
  // It shows again what it showed.
  await shown(app.page).toBeVisible();
});

test('about says which version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(app.calls.find(([name]) => name === 'about')).toMatchObject(['about', { applicationVersion: version }]);
});

test('the list of recent traces can be cleared, with the system’s', async () => {
  app.chooseMenuItem('recent.clear');
  await expect.poll(() => titles('recent.0')).toEqual([]);
  expect(app.menu.find(({ id }) => id === 'recent')).toMatchObject({ enabled: false });
  expect(app.calls).toContainEqual(['recent.clear']);
  expect(readFileSync(join(env.SIMSIGHT_HOME, 'recent.json'), 'utf8')).toBe('[]\n');
});

test('a program that never ends: closing asks, staying goes on, quitting finishes its file', async () => {
  const source = join(home, 'endless.cu');
  writeFileSync(
    source,
    `#include <cstdio>
__global__ void step(volatile int *x) { for (int i = 0; i < 20000; i++) *x += 1; }
int main() {
  int *x;
  cudaMalloc(&x, 4);
  for (int i = 0;; i++) { step<<<1, 1>>>(x); cudaDeviceSynchronize(); if (i % 8 == 0) printf("%d\\n", i); }
}
`,
  );
  const { page } = app;
  await page.keyboard.press('r');
  // A path that a page makes up is refused; one that its user has chosen is not.
  await page.getByTestId('record-source').fill(source);
  await page.getByTestId('record-start').click();
  await expect(page.getByTestId('problem')).toContainText('Choose it in a dialog', { timeout: 30_000 });
  app.openDialogAnswers.push({ canceled: false, filePaths: [source] });
  await page.getByTestId('choose-source').click();
  await page.getByTestId('record-start').click();
  await expect(page.getByTestId('record-console')).toContainText('8', { timeout: 90_000 });

  // Nobody answered: it stays.
  await app.closeWindow(0);
  const asked = app.calls.filter(([name]) => name === 'dialog.message').at(-1) as [string, { message: string }];
  expect(asked[1].message).toContain('recording is running');
  expect(app.calls.at(-1)).toEqual(['unload', 'stays']);
  expect(app.pages).toHaveLength(2);

  app.messageBoxAnswers.push({ response: 1 });
  app.quit();
  await expect.poll(() => app.calls.some(([name]) => name === 'exit')).toBe(true);
  expect(app.pages).toHaveLength(0);
  const folder = join(env.SIMSIGHT_HOME, 'recordings');
  const [file, ...others] = readdirSync(folder);
  // Whole: nothing of a database that is still being written lies beside.
  expect(others).toEqual([]);
  const trace = openTrace(join(folder, file!));
  expect(trace.info.complete).toBe(false);
  expect(trace.info.notices.join(' ')).toContain('because Simsight was closed');
  expect(trace.info.eventCount).toBeGreaterThan(16);
  trace.close();
  expect(existsSync(join(env.SIMSIGHT_HOME, 'window.json'))).toBe(true);
});
