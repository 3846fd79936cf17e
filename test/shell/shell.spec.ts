/**
 * The desktop app's shell: main process and preload script as they were built, run by the stand-in for Electron
 * (test/electron-host). What only the real Electron can show is in no test here; the stand-in's header lists it.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { channels, shellCommands, type SimsightShell } from '../../electron/channels.ts';
import { launch, type RunningApp } from '../electron-host/index.ts';

type ShellPage = Window & { simsight: SimsightShell; opened?: string[][]; chosen?: string[] };

const env = { SIMSIGHT_HOME: mkdtempSync(join(tmpdir(), 'simsight-shell-')) };
let app: RunningApp;
let page: Page;

test.beforeAll(async () => {
  app = await launch({ env, argv: ['--some-switch', 'first.simsight', 'notes.txt'] });
  page = app.page;
  // As the page's own listeners, beside whatever the real page does with these.
  await page.evaluate(() => {
    const shell = (window as unknown as ShellPage).simsight;
    const [opened, chosen]: [string[][], string[]] = [[], []];
    Object.assign(window, { opened, chosen });
    shell.onOpen((paths) => opened.push(paths));
    shell.onCommand((command) => chosen.push(command));
  });
});
test.afterAll(() => app.close());

/** One call over a fresh engine port, as the page would make it. */
function call(
  method: string,
  params: unknown,
): Promise<{ type: string; result?: unknown; error?: { message: string } }> {
  return page.evaluate(
    ([name, content]) =>
      new Promise((done) => {
        window.addEventListener('message', function onPort(event: MessageEvent<{ type?: string } | null>) {
          const port = event.ports[0];
          if (event.data?.type !== 'simsight:port' || !port) return;
          window.removeEventListener('message', onPort);
          port.onmessage = (answer) => done(answer.data as never);
          port.postMessage({ type: 'call', id: 1, method: name, params: content });
        });
        (window as unknown as ShellPage).simsight.connect();
      }),
    [method, params] as const,
  );
}

test.describe('the window', () => {
  test('is sandboxed, isolated and without Node', () => {
    const [, options] = app.calls.find(([name]) => name === 'window') as [string, { webPreferences: object }];
    expect(options.webPreferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
    });
  });

  test('shows our page, by our protocol', async () => {
    expect(page.url()).toBe('https://simsight.app.invalid/index.html');
    await expect(page).toHaveTitle(/Simsight/);
    const schemes = app.calls.find(([name]) => name === 'schemes') as [
      string,
      { scheme: string; privileges: object }[],
    ];
    expect(schemes[1]).toMatchObject([{ scheme: 'app', privileges: { standard: true, secure: true } }]);
    // A scheme that bypasses the policy would make it worthless.
    expect(schemes[1][0]!.privileges).not.toHaveProperty('bypassCSP');
  });

  test('offers the page a handful of functions and nothing of Electron or Node', async () => {
    const offered = await page.evaluate(() => ({
      shell: Object.keys((window as unknown as ShellPage).simsight).sort(),
      frozen: Object.isFrozen((window as unknown as ShellPage).simsight),
      node: ['require', 'process', 'module', 'Buffer', 'ipcRenderer'].filter((name) => name in window),
    }));
    const shell = ['chooseFolder', 'chooseSource', 'chooseTrace', 'connect', 'host', 'onCommand', 'onOpen', 'pathOf'];
    expect(offered).toEqual({ shell, frozen: true, node: [] });
  });
});

test.describe('the content security policy', () => {
  test('forbids eval', async () => {
    // In a task of the page's own: what a debugger evaluates is exempt from the policy.
    const outcome = await page.evaluate(
      () =>
        new Promise((done) =>
          setTimeout(() => {
            try {
              done(new Function('return "ran"')());
            } catch (error) {
              done((error as Error).name);
            }
          }),
        ),
    );
    expect(outcome).toBe('EvalError');
  });

  test('forbids inline scripts', async () => {
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.inlineRan = true';
      document.head.append(script);
      await new Promise((done) => setTimeout(done, 50));
      return 'inlineRan' in window;
    });
    expect(ran).toBe(false);
  });

  test('forbids talking to the network', async () => {
    const outcome = await page.evaluate(() =>
      fetch('https://elsewhere.invalid/').then(String, (error: Error) => error.name),
    );
    expect(outcome).toBe('TypeError');
    const image = await page.evaluate(
      () =>
        new Promise((done) => {
          const element = new Image();
          element.onload = () => done('loaded');
          element.onerror = () => done('refused');
          element.src = 'https://elsewhere.invalid/pixel.png';
        }),
    );
    expect(image).toBe('refused');
    expect(app.calls.filter(([name]) => name === 'network')).toEqual([]);
  });

  test('forbids frames', async () => {
    const frames = await page.evaluate(async () => {
      const frame = document.createElement('iframe');
      frame.src = '/index.html';
      document.body.append(frame);
      await new Promise((done) => setTimeout(done, 200));
      const location = frame.contentDocument?.location.href ?? 'blocked';
      frame.remove();
      return location;
    });
    expect(['blocked', 'about:blank']).toContain(frames);
  });
});

test.describe('the protocol reaches the page’s files only', () => {
  for (const path of [
    '/..%2f..%2fpackage.json',
    '/%2e%2e%2f%2e%2e%2fpackage.json',
    '/assets/..%2f..%2felectron/main.js',
    '/..%5c..%5cpackage.json',
    '/%2fetc/..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc/passwd',
  ]) {
    test(`403 for ${path}`, async () => {
      const answer = await page.evaluate(async (asked) => {
        const response = await fetch(asked);
        return { status: response.status, text: await response.text() };
      }, path);
      expect(answer).toEqual({ status: 403, text: 'Forbidden\n' });
    });
  }

  test('404 for what is not there, 400 for broken escapes, both under the policy', async () => {
    const ask = (path: string) =>
      page.evaluate(async (asked) => {
        const response = await fetch(asked);
        return [response.status, response.headers.get('content-security-policy')?.includes("default-src 'none'")];
      }, path);
    expect(await ask('/missing.js')).toEqual([404, true]);
    expect(await ask('/%ff')).toEqual([400, true]);
    expect(await ask('/a%00b')).toEqual([400, true]);
  });
});

test.describe('the page stays where it is', () => {
  for (const target of ['https://elsewhere.invalid/', 'file:///etc/passwd', 'app://other/index.html']) {
    test(`navigation to ${target} is denied`, async () => {
      const before = page.url();
      await page.evaluate((url) => void (location.href = url), target);
      await page.waitForTimeout(200);
      expect(page.url()).toBe(before);
    });
  }

  test('the denial is ours', () => {
    expect(app.calls).toContainEqual(['navigate', 'https://elsewhere.invalid/', 'denied']);
    expect(app.calls.filter(([name, , outcome]) => name === 'navigate' && outcome !== 'denied')).toEqual([]);
  });

  test('no further windows', async () => {
    await page.evaluate(() => void window.open('https://elsewhere.invalid/popup'));
    await expect
      .poll(() => app.calls.filter(([name]) => name === 'window.open'))
      .toEqual([['window.open', 'https://elsewhere.invalid/popup', 'deny']]);
    await expect.poll(() => page.context().pages().length).toBe(1);
  });

  for (const permission of ['geolocation', 'media', 'notifications', 'clipboard-read', 'usb']) {
    test(`permission "${permission}" is denied`, async () => {
      expect(await app.askPermission(permission)).toEqual({ check: false, request: false, device: false });
    });
  }
});

test.describe('the engine', () => {
  test('answers over the port', async () => {
    const { result } = await call('app.info', {});
    expect(result).toMatchObject({ host: 'electron', folders: [] });
    expect((result as { gpus: { id: string; smCount: number }[] }).gpus.find(({ id }) => id === 'h200')?.smCount).toBe(
      132,
    );
    expect(app.calls.filter(([name]) => name === 'fork')).toHaveLength(1);
  });

  test('checks what it is asked', async () => {
    expect((await call('no.such.call', {})).error?.message).toContain('no.such.call');
    expect((await call('trace.open', { path: 7 })).error?.message).toContain('trace.open');
  });
});

test.describe('dialogs', () => {
  test('hand the chosen files to the page', async () => {
    app.openDialogAnswers.push({ canceled: false, filePaths: ['/home/me/a.simsight', '/home/me/b.simsight'] });
    const chosen = await page.evaluate(() => (window as unknown as ShellPage).simsight.chooseTrace());
    expect(chosen).toEqual(['/home/me/a.simsight', '/home/me/b.simsight']);
    const [, asked] = app.calls.findLast(([name]) => name === 'dialog.open') as [string, { filters: object[] }];
    expect(asked.filters[0]).toMatchObject({ extensions: expect.arrayContaining(['simsight']) as unknown });
  });

  test('a closed one gives nothing', async () => {
    expect(await page.evaluate(() => (window as unknown as ShellPage).simsight.chooseSource())).toEqual([]);
  });
});

test.describe('messages from anywhere but our page are refused', () => {
  const trusted = { url: 'app://simsight/index.html', parent: null, postMessage: () => posted.push('port') };
  const posted: string[] = [];
  const forgeries: [string, () => { sender: unknown; senderFrame: unknown }][] = [
    ['another window', () => ({ sender: {}, senderFrame: trusted })],
    ['another page', () => ({ sender: app.sender, senderFrame: { ...trusted, url: 'https://elsewhere.invalid/' } })],
    ['another host', () => ({ sender: app.sender, senderFrame: { ...trusted, url: 'app://other/index.html' } })],
    ['no URL', () => ({ sender: app.sender, senderFrame: { ...trusted, url: '' } })],
    ['a frame inside the page', () => ({ sender: app.sender, senderFrame: { ...trusted, parent: trusted } })],
    ['a frame that is gone', () => ({ sender: app.sender, senderFrame: null })],
  ];
  for (const [name, event] of forgeries) {
    test(name, async () => {
      const dialogs = app.calls.filter(([call]) => call === 'dialog.open').length;
      for (const channel of [channels.chooseTrace, channels.chooseSource]) {
        await expect(app.forge(channel, event()).invoked).rejects.toThrow('Refused');
      }
      app.forge(channels.connect, event());
      expect(posted).toEqual([]);
      expect(app.calls.filter(([call]) => call === 'dialog.open')).toHaveLength(dialogs);
    });
  }

  test('and our page is heard: the check above can fail', () => {
    app.forge(channels.connect, { sender: app.sender, senderFrame: trusted });
    expect(posted).toEqual(['port']);
  });
});

test.describe('menu', () => {
  for (const command of shellCommands.filter((each) => each !== 'engine.reconnect')) {
    test(`"${command}" reaches the page`, async () => {
      app.chooseMenuItem(command);
      await expect.poll(() => page.evaluate(() => (window as unknown as ShellPage).chosen!.at(-1))).toBe(command);
    });
  }

  test('has the usual shortcuts, each once', () => {
    const shortcut = (id: string): string | undefined => app.menu.find((item) => item.id === id)?.accelerator;
    expect(shortcut('trace.open')).toBe('CmdOrCtrl+O');
    expect(shortcut('record.open')).toBe('CmdOrCtrl+R');
    expect(shortcut('trace.close')).toBe('CmdOrCtrl+W');
    const all = app.menu.flatMap(({ accelerator }) => accelerator ?? []);
    // The platform's roles bring their own, which Electron's documentation lists.
    const ofRoles: Record<string, string[]> = {
      editMenu: ['CmdOrCtrl+Z', 'CmdOrCtrl+Y', 'CmdOrCtrl+X', 'CmdOrCtrl+C', 'CmdOrCtrl+V', 'CmdOrCtrl+A'],
      ...{ windowMenu: ['CmdOrCtrl+M', 'CmdOrCtrl+W'], close: ['CmdOrCtrl+W'], minimize: ['CmdOrCtrl+M'] },
      ...{ quit: ['CmdOrCtrl+Q'], togglefullscreen: ['F11'], toggleDevTools: ['CmdOrCtrl+Shift+I'] },
      ...{ reload: ['CmdOrCtrl+R'], appMenu: [], help: [], about: [], zoom: [], front: [] },
    };
    for (const { role, accelerator } of app.menu) {
      if (role === undefined || accelerator !== undefined) continue;
      expect(Object.keys(ofRoles)).toContain(role);
      all.push(...ofRoles[role]!);
    }
    expect(new Set(all).size).toBe(all.length);
  });
});

test.describe('files to open', () => {
  const opened = (): Promise<string[][]> => page.evaluate(() => (window as unknown as ShellPage).opened!);

  test('a second start hands its files over, relative to its own folder', async () => {
    app.emit('second-instance', {}, ['/opt/simsight', '--flag', 'b.simsight', '/abs/c.simsight'], '/home/me');
    await expect.poll(async () => (await opened()).at(-1)).toEqual(['/home/me/b.simsight', '/abs/c.simsight']);
    expect(app.calls).toContainEqual(['focus']);
  });

  test('a double click in the Finder', async () => {
    let prevented = false;
    app.emit('open-file', { preventDefault: () => (prevented = true) }, '/home/me/d.simsight');
    await expect.poll(async () => (await opened()).at(-1)).toEqual(['/home/me/d.simsight']);
    expect(prevented).toBe(true);
  });

  test('a dropped file has a path', async () => {
    const path = await page.evaluate(() => {
      const shell = (window as unknown as ShellPage).simsight;
      return shell.pathOf(new File([''], 'e.simsight'));
    });
    expect(path).toBe('/dropped/e.simsight');
  });
});

test('requests that would leave the app are cancelled, even where no policy sees them', () => {
  for (const url of [
    'https://elsewhere.invalid/',
    'http://127.0.0.1:9/',
    'ws://127.0.0.1:9/',
    'file:///etc/passwd',
    '',
  ])
    expect(app.askNetwork(url), url).toBe(false);
  for (const url of [
    'app://simsight/index.html',
    'blob:app://simsight/1',
    'data:image/png;base64,',
    'devtools://devtools/x',
  ])
    expect(app.askNetwork(url), url).toBe(true);
});

// Last: it ends the engine that the others use.
test('when the engine dies, the app says so and starts it again', async () => {
  app.messageBoxAnswers.push({ response: 0 });
  app.crashEngine(9);
  await expect.poll(() => app.calls.some(([name]) => name === 'dialog.message')).toBe(true);
  const [, message] = app.calls.find(([name]) => name === 'dialog.message') as [string, { detail: string }];
  expect(message.detail).toContain('code 9');
  await expect(page.getByTestId('app')).toHaveAttribute('data-connection', 'open');
  expect((await call('app.info', {})).result).toMatchObject({ host: 'electron' });
  expect(app.engines).toHaveLength(2);
});
