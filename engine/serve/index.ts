/**
 * Browser mode: the app's pages and its engine for a browser on this machine, or on another one through an SSH tunnel.
 *
 *   const server = await startServer({ folders: ['/home/me/cuda'], open: [], dataFolder });
 *   console.log(server.url); // http://127.0.0.1:40123/#token=…
 *
 * Access to the engine: only a page that this server delivered, opened by somebody who was given the URL.
 * - It listens on loopback only.
 * - `Host` must name loopback: a foreign name that resolves to 127.0.0.1 (DNS rebinding) is refused.
 * - A WebSocket's `Origin` must be the `Host` it connects to: pages of other sites and other local ports are refused.
 *   The port is not compared with ours, so that a tunnel may end on another one.
 * - The token is in the URL's fragment, which browsers never send; only our page's script hands it over.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { MessageChannel, Worker, type Transferable } from 'node:worker_threads';
import { WebSocketServer, type WebSocket } from 'ws';
import { decode, encode } from '../api/frame.ts';
import { SimsightError } from '../base/errors.ts';
import { root, workerUrl } from '../base/paths.ts';
import type { EngineOptions, FromServer } from '../host/options.ts';
import { readPage } from '../host/page.ts';

export interface ServerOptions {
  /** 0 or absent: any free one. */
  port?: number;
  /** Files are opened from these folders and from below `dataFolder` only. */
  folders: string[];
  /** Traces to show at once. */
  open: string[];
  dataFolder: string;
  /** The built renderer; `dist/renderer` when absent. */
  pagesFolder?: string;
}

export interface RunningServer {
  /** With the token: whoever has it can use the engine. */
  url: string;
  close(): Promise<void>;
}

/** Calls are small; bulk data flows from the engine to the page only. */
const longestRequestBytes = 4 * 1024 * 1024;
/** The file of ten million events takes half of it to finish. One that is killed then opens all the same. */
const mostSecondsToEnd = 60;

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const rendererFolder = options.pagesFolder ?? join(root, 'dist', 'renderer');
  if (!existsSync(join(rendererFolder, 'index.html'))) {
    throw new SimsightError(
      'file-not-found',
      `The app's pages are missing: ${rendererFolder} has no index.html.`,
      'Run "npm run build" first.',
      { file: rendererFolder },
    );
  }
  const token = randomBytes(24).toString('base64url');
  const engine = startEngine(options);
  const http = createServer((request, response) => void answer(rendererFolder, request, response));
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: longestRequestBytes });

  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const refused = refusalOf(request, token);
    if (refused) socket.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else sockets.handleUpgrade(request, socket, head, (webSocket) => connect(webSocket, engine));
  });
  engine.on('exit', () => {
    for (const client of sockets.clients) client.close(1011, 'The engine has stopped.');
  });

  const port = await listen(http, options.port ?? 0).catch(async (error: unknown) => {
    await engine.terminate();
    throw error;
  });

  return {
    url: `http://127.0.0.1:${port}/#token=${token}`,
    async close() {
      for (const client of sockets.clients) client.terminate();
      http.closeAllConnections();
      await new Promise<void>((done) => http.close(() => done()));
      await endEngine(engine);
    },
  };
}

function startEngine(options: ServerOptions): Worker {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const workerData: EngineOptions = {
    host: 'browser',
    version,
    // To the engine an empty list means all; who reaches a server that was granted nothing gets recordings only.
    folders: (options.folders.length ? options.folders : [options.dataFolder]).map((folder) => resolve(folder)),
    dataFolder: resolve(options.dataFolder),
    open: options.open.map((path) => resolve(path)),
  };
  const engine = new Worker(workerUrl('host/worker'), { workerData });
  engine.on('error', (error) => console.error(`The engine has stopped: ${error.stack ?? error.message}`));
  return engine;
}

/** Recordings that run are finished with what they have. */
async function endEngine(engine: Worker): Promise<void> {
  const late = setTimeout(() => void engine.terminate(), mostSecondsToEnd * 1e3);
  const ended = new Promise<void>((done) => engine.once('exit', () => done()));
  engine.postMessage({ type: 'end' } satisfies FromServer);
  // A thread that has ended already never says so again.
  if (engine.threadId !== -1) await ended;
  clearTimeout(late);
}

function listen(http: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((done, fail) => {
    http.once('error', (error: NodeJS.ErrnoException) =>
      fail(
        error.code === 'EADDRINUSE'
          ? new SimsightError('usage', `Port ${port} is taken.`, 'Choose another with --port, or leave --port out.')
          : error,
      ),
    );
    http.listen(port, '127.0.0.1', () => done((http.address() as AddressInfo).port));
  });
}

/** True for `127.0.0.1`, `localhost` and `[::1]`, with any port or none. */
function namesLoopback(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i.test(host ?? '');
}

/** A status line where the request may not reach the engine, undefined where it may. */
function refusalOf(request: IncomingMessage, token: string): string | undefined {
  const { host, origin } = request.headers;
  if (!namesLoopback(host) || origin?.toLowerCase() !== `http://${host}`.toLowerCase()) return '403 Forbidden';
  const [path, query] = (request.url ?? '/').split('?', 2);
  if (path !== '/bridge') return '404 Not Found';
  const given = Buffer.from(new URLSearchParams(query).get('token') ?? '');
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? undefined : '401 Unauthorized';
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!namesLoopback(request.headers.host)) return void response.writeHead(403).end();
  if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405).end();
  // Not `new URL(…)`: it would resolve `..` before we can refuse it.
  const path = (request.url ?? '/').replace(/[?#].*$/s, '');
  const { status, headers, body } = await readPage(folder, path);
  // A rebuilt page must not meet a cached old script.
  response.writeHead(status, { ...headers, 'cache-control': 'no-cache', 'content-length': body.byteLength });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** One viewer: its WebSocket on one side, a message port of the engine on the other. */
function connect(socket: WebSocket, engine: Worker): void {
  const { port1: engineSide, port2: viewer } = new MessageChannel();
  engine.postMessage({ type: 'connect', port: engineSide } satisfies FromServer, [engineSide as Transferable]);

  socket.binaryType = 'arraybuffer';
  socket.on('message', (data: unknown, isBinary: boolean) => {
    try {
      if (!isBinary) throw new SimsightError('bad-request', 'The bridge takes binary messages only.');
      viewer.postMessage(decode(data as ArrayBuffer));
    } catch {
      socket.close(1007, 'not a bridge message');
    }
  });
  viewer.on('message', (message) => {
    try {
      const parts = encode(message);
      parts.forEach((part, index) => socket.send(part, { binary: true, fin: index === parts.length - 1 }));
    } catch (error) {
      console.error('The engine sent something that cannot cross the bridge:', error);
      socket.close(1011, 'not a bridge message');
    }
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => viewer.close());
  viewer.on('close', () => socket.close());
}
