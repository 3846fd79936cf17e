/** The desktop app in the real Electron, where its runtime is there. What it shares with the stand-in is tested in the files beside. */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, expect, test } from '@playwright/test';
import { electronProgram } from '../../build/electron.ts';
import { write } from '../unit/trace/example-recording-events.ts';

const executablePath = electronProgram();
const hasDisplay = process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
const missing = executablePath === undefined ? "Electron's runtime" : hasDisplay ? null : 'a display';
if (missing !== null)
  console.warn(`SKIPPED: the app in the real Electron was not tested, because ${missing} is not here.`);

test('a trace of the command line is drawn in a sandboxed window, which cannot leave', async () => {
  test.skip(missing !== null, `There is no ${missing} here.`);
  const home = mkdtempSync(join(tmpdir(), 'simsight-electron-'));
  const trace = write(join(home, 'known.simsight'));
  const root = join(import.meta.dirname, '..', '..');
  // Electron's own sandbox refuses to run as root; CI's containers may be.
  const args = [root, trace, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  // Options of Node are not for Electron.
  const env = { ...process.env, NODE_OPTIONS: '', SIMSIGHT_HOME: join(home, 'data') } as Record<string, string>;
  const app = await _electron.launch({ executablePath: executablePath!, args, env });
  try {
    const page = await app.firstWindow();
    await expect(page.getByTestId('trace-screen')).toBeVisible();
    expect(page.url()).toBe('app://simsight/index.html');
    expect(await page.evaluate(() => ['require', 'process'].filter((name) => name in window))).toEqual([]);
    await page.evaluate(() => void (location.href = 'https://elsewhere.invalid/'));
    await page.evaluate(() => void window.open('https://elsewhere.invalid/'));
    expect(page.url()).toBe('app://simsight/index.html');
    expect(app.windows()).toHaveLength(1);
    expect(await app.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('recent.0') != null)).toBe(true);
  } finally {
    await app.close();
  }
  expect(existsSync(join(home, 'data', 'window.json'))).toBe(true);
});
