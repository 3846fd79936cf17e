/** How the desktop app starts: with files, and when it already runs. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { channels } from '../../electron/channels.ts';
import { launch } from '../electron-host/index.ts';
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
  expect(app.calls.map(([name]) => name)).toEqual(['schemes', 'quit']);
  await app.close();
});
