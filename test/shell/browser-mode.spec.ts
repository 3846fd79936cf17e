/**
 * Browser mode: what the server lets through and what it does not. Raw requests stand for attackers, because browsers would
 * not let a test forge `Host` or `Origin`; a real page stands for the user.
 */
import { mkdtempSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { WebSocket } from 'ws';
import { decode, encode } from '../../engine/api/frame.ts';
import type * as Serve from '../../engine/serve/index.ts';

const root = join(import.meta.dirname, '..', '..');
let server: Serve.RunningServer;
let port: number;
let token: string;
let startServer: typeof Serve.startServer;

test.beforeAll(async () => {
  // The bundle, not the sources: that is what people run.
  const bundle = pathToFileURL(join(root, 'dist', 'engine', 'serve', 'index.js')).href;
  ({ startServer } = (await import(bundle)) as typeof Serve);
  const dataFolder = mkdtempSync(join(tmpdir(), 'simsight-serve-'));
  server = await startServer({ folders: [join(root, 'engine', 'labs')], open: [], dataFolder });
  const url = new URL(server.url);
  port = Number(url.port);
  token = new URLSearchParams(url.hash.slice(1)).get('token')!;
});
test.afterAll(() => server.close());

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}
/** The path goes out as it is: `fetch` would tidy it up. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((done, fail) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => done({ status: response.statusCode!, headers: response.headers, body }));
    });
    request.on('error', fail);
    request.end();
  });
}

interface Knock {
  path?: string;
  host?: string;
  origin?: string | undefined;
}
/** `open`, or the status with which the server refused. */
function knock({
  path = `/bridge?token=${token}`,
  host = `127.0.0.1:${port}`,
  origin = `http://127.0.0.1:${port}`,
}: Knock) {
  return new Promise<{ outcome: 'open' | number; socket: WebSocket }>((done) => {
    const headers = { Host: host, ...(origin === '' ? {} : { Origin: origin }) };
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers, perMessageDeflate: false });
    socket.on('open', () => done({ outcome: 'open', socket }));
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      done({ outcome: response.statusCode!, socket });
    });
    socket.on('error', () => {});
  });
}

function callOver(socket: WebSocket, method: string, params: unknown): Promise<{ result?: unknown; error?: unknown }> {
  socket.binaryType = 'arraybuffer';
  return new Promise((done) => {
    socket.once('message', (data) => done(decode(data as ArrayBuffer) as { result?: unknown }));
    socket.send(Buffer.concat(encode({ type: 'call', id: 1, method, params })));
  });
}

test('the token is long and in the fragment, which browsers keep to themselves', () => {
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32,}$/);
});

test('nobody but this machine can connect', async () => {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outside = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  test.skip(!outside, 'This machine has no other address to try.');
  const outcome = await new Promise((done) => {
    const socket = connectSocket(port, outside!.address, () => done('connected'));
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code));
  });
  expect(outcome).toBe('ECONNREFUSED');
});

test.describe('the bridge opens', () => {
  test('for our own page', async () => {
    const { outcome, socket } = await knock({});
    expect(outcome).toBe('open');
    expect((await callOver(socket, 'app.info', {})).result).toMatchObject({ host: 'browser' });
    socket.close();
  });

  test('through a tunnel that ends on another port', async () => {
    const { outcome, socket } = await knock({ host: 'localhost:9000', origin: 'http://localhost:9000' });
    expect(outcome).toBe('open');
    socket.close();
  });

  test('for several viewers at once, who share one engine', async () => {
    const viewers = await Promise.all([knock({}), knock({}), knock({})]);
    expect(viewers.map(({ outcome }) => outcome)).toEqual(['open', 'open', 'open']);
    const answers = await Promise.all(viewers.map(({ socket }) => callOver(socket, 'app.info', {})));
    expect(answers.every(({ result }) => result !== undefined)).toBe(true);
    for (const { socket } of viewers) socket.close();
  });
});

test.describe('the bridge stays shut', () => {
  const cases: [string, () => Knock, number][] = [
    ['without a token', () => ({ path: '/bridge' }), 401],
    ['with an empty token', () => ({ path: '/bridge?token=' }), 401],
    ['with a wrong token of the right length', () => ({ path: `/bridge?token=${'A'.repeat(token.length)}` }), 401],
    ['with a part of the token', () => ({ path: `/bridge?token=${token.slice(0, -1)}` }), 401],
    ['with more than the token', () => ({ path: `/bridge?token=${token}x` }), 401],
    ['with the token in the wrong case', () => ({ path: `/bridge?token=${token.toUpperCase()}` }), 401],
    ['for a page of another site', () => ({ origin: 'https://elsewhere.invalid' }), 403],
    ['for a page of another local port', () => ({ origin: `http://127.0.0.1:${port + 1}` }), 403],
    ['for a page by https', () => ({ origin: `https://127.0.0.1:${port}` }), 403],
    ['for a sandboxed page', () => ({ origin: 'null' }), 403],
    ['for a program without an origin', () => ({ origin: '' }), 403],
    [
      'for a foreign name that leads here (DNS rebinding)',
      () => ({ host: `evil.invalid:${port}`, origin: `http://evil.invalid:${port}` }),
      403,
    ],
    [
      'for a name that only begins like ours',
      () => ({ host: '127.0.0.1.evil.invalid', origin: 'http://127.0.0.1.evil.invalid' }),
      403,
    ],
    ['at another path', () => ({ path: `/other?token=${token}` }), 404],
    ['at a path that is no URL', () => ({ path: `//?token=${token}` }), 404],
  ];
  for (const [name, attempt, status] of cases) {
    test(name, async () => {
      expect((await knock(attempt())).outcome).toBe(status);
      // And the server still stands.
      expect((await get('/')).status).toBe(200);
    });
  }
});

test('an unknown GPU is one clear message, with the nearest known one', async () => {
  const { socket } = await knock({});
  const none: string[] = [];
  const { error } = await callOver(socket, 'record.run', {
    sources: [join(root, 'engine', 'labs', 'overlap', 'overlap.cu')],
    gpu: 'a1000',
    includeFolders: none,
    defines: none,
    environment: none,
    arguments: none,
  });
  expect(error).toMatchObject({ code: 'unknown-gpu', message: expect.stringContaining('a1000') as unknown });
  expect(error).toMatchObject({ remedy: expect.stringMatching(/a100/) as unknown });
  socket.close();
});

test.describe('nonsense over an open bridge ends that viewer only', () => {
  const nonsense: [string, string | Buffer][] = [
    ['text', '{"type":"call"}'],
    ['an empty message', Buffer.alloc(0)],
    ['noise', Buffer.from('ff'.repeat(64), 'hex')],
  ];
  for (const [name, message] of nonsense) {
    test(name, async () => {
      const [bad, good] = await Promise.all([knock({}), knock({})]);
      const closed = new Promise<number>((done) => bad.socket.on('close', done));
      bad.socket.send(message);
      expect(await closed).toBe(1007);
      expect((await callOver(good.socket, 'app.info', {})).result).toBeDefined();
      good.socket.close();
    });
  }

  test('a message of more than 4 MiB', async () => {
    const { socket } = await knock({});
    const closed = new Promise<number>((done) => socket.on('close', done));
    socket.send(Buffer.alloc(5 * 1024 * 1024));
    expect(await closed).toBe(1009);
  });

  test('frames that are no calls are not answered', async () => {
    const { socket } = await knock({});
    for (const message of [
      null,
      7,
      'x',
      [],
      { type: 'other' },
      { type: 'call', id: 'x' },
      { type: 'cancel', id: 99 },
    ]) {
      socket.send(Buffer.concat(encode(message)));
    }
    expect((await callOver(socket, 'app.info', {})).result).toBeDefined();
    socket.close();
  });
});

test.describe('files', () => {
  test('the page comes with its policy', async () => {
    const { status, headers, body } = await get('/');
    expect(status).toBe(200);
    expect(body).toContain('<div id="app">');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(headers['content-security-policy']).not.toContain('unsafe-');
    const nonce = /style-src 'self' 'nonce-([\w+/=]{24,})'; style-src-attr 'none'/.exec(
      headers['content-security-policy'] as string,
    )?.[1];
    expect(body).toContain(`nonce="${nonce}"`);
    // Another one each time.
    expect((await get('/')).headers['content-security-policy']).not.toContain(nonce);
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  for (const path of [
    '/../package.json',
    '/../../etc/passwd',
    '/..%2f..%2fpackage.json',
    '/%2e%2e/%2e%2e/package.json',
    '/assets/../../electron/main.js',
    '/..\\..\\package.json',
    '/..%5c..%5cpackage.json',
    '/c:/windows/win.ini',
    'http://elsewhere.invalid/index.html',
  ]) {
    test(`403 for ${path}`, async () => {
      const { status, body } = await get(path);
      expect(status).toBe(403);
      expect(body).toBe('Forbidden\n');
    });
  }

  test('what is not there, and what is no path', async () => {
    expect((await get('/missing.js')).status).toBe(404);
    expect((await get('/assets')).status).toBe(404);
    expect((await get('/%ff')).status).toBe(400);
    expect((await get('/a%00b')).status).toBe(400);
    expect((await get('//')).status).toBe(403);
  });

  test('a foreign name that leads here gets nothing (DNS rebinding)', async () => {
    expect((await get('/', { Host: `evil.invalid:${port}` })).status).toBe(403);
  });

  test('nothing can be sent', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await get('/', {}, method)).status).toBe(405);
  });
});

test('a taken port is a clear error', async () => {
  const again = startServer({ port, folders: [], open: [], dataFolder: tmpdir() });
  await expect(again).rejects.toThrow(`Port ${port} is taken.`);
});

test('the real page connects, under its own policy, without an error', async ({ page }) => {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(server.url);
  await expect(page.getByTestId('app')).toHaveAttribute('data-connection', 'open');
  expect(errors).toEqual([]);
});

test('the real page without its token says what to do', async ({ page }) => {
  await page.goto(`http://127.0.0.1:${port}/`);
  await expect(page.getByText('lacks its token')).toBeVisible();
});

test('when the server ends, its engine ends with it, and pages say so', async ({ page }) => {
  const own = await startServer({ folders: [], open: [], dataFolder: mkdtempSync(join(tmpdir(), 'simsight-serve-')) });
  await page.goto(own.url);
  await expect(page.getByTestId('app')).toHaveAttribute('data-connection', 'open');
  await own.close();
  await expect(page.getByTestId('app')).toHaveAttribute('data-connection', 'lost');
});
