/** How the desktop app starts: with files, and when it already runs. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { channels } from '../../electron/channels.ts';
import type { Bounds } from '../../electron/window-bounds.ts';
import { launch, type RunningApp } from '../electron-host/index.ts';
import { write } from '../unit/trace/example-recording-events.ts';

const env = { SIMSIGHT_HOME: mkdtempSync(join(tmpdir(), 'simsight-start-')) };

test('files of the command line wait until the page listens, and come once', async () => {
  const app = await launch({ env, argv: ['--flag', 'before.simsight', 'after.sqlite', 'notes.txt'] });
  try {
    const page = { sender: app.sender, senderFrame: { url: 'app://simsight/index.html', parent: null } };
    app.forge(channels.ready, page);
    app.forge(channels.ready, page);
    const sent = app.calls.filter(([name, channel]) => name === 'send' && channel === channels.open);
    expect(sent).toEqual([['send', channels.open, [resolve('before.simsight'), resolve('after.sqlite')]]]);
  } finally {
    await app.close();
  }
});

test('a trace of the command line is on the screen, without a click', async () => {
  const trace = write(join(mkdtempSync(join(tmpdir(), 'simsight-start-')), 'known.simsight'));
  const app = await launch({ env, argv: [trace] });
  try {
    await expect(app.page.getByTestId('trace-screen')).toBeVisible();
    await expect(app.page.getByTestId('problem')).toHaveCount(0);
  } finally {
    await app.close();
  }
});

test('a second instance ends at once and opens no window', async () => {
  const app = await launch({ env, isFirstInstance: false, argv: ['a.simsight'] });
  expect(app.calls.map(([name]) => name)).toEqual(['schemes', 'quit', 'exit']);
  await app.close();
});

test('the window opens where it was left, and on a display that is there', async () => {
  const home = { SIMSIGHT_HOME: mkdtempSync(join(tmpdir(), 'simsight-start-')) };
  const [left, right] = [
    { x: 0, y: 0, width: 1920, height: 1080 },
    { x: 1920, y: 0, width: 1920, height: 1080 },
  ];
  const start = async (displays: Bounds[], leave?: (app: RunningApp) => void): Promise<unknown[][]> => {
    const app = await launch({ env: home, displays });
    leave?.(app);
    await app.close();
    return app.calls;
  };
  const optionsOf = (calls: unknown[][]): unknown => calls.find(([name]) => name === 'window')![1];
  const first = await start([left, right], (app) =>
    app.leaveWindow({ x: 2000, y: 100, width: 1000, height: 700 }, false),
  );
  expect(optionsOf(first)).toMatchObject({ width: 1440, height: 900 });

  const second = await start([left, right], (app) =>
    app.leaveWindow({ x: 2100, y: 50, width: 1100, height: 800 }, true),
  );
  expect(optionsOf(second)).toMatchObject({ x: 2000, y: 100, width: 1000, height: 700 });
  expect(second.map(([name]) => name)).not.toContain('maximize');

  // The second display was unplugged.
  const third = await start([left]);
  expect(optionsOf(third)).toMatchObject({ x: 410, y: 140, width: 1100, height: 800 });
  expect(third.map(([name]) => name)).toContain('maximize');

  writeFileSync(join(home.SIMSIGHT_HOME, 'window.json'), '{"bounds":');
  expect(optionsOf(await start([left]))).toMatchObject({ width: 1440, height: 900 });
});
