/** Queries in the desktop app: engine, main process and the query's process, with a thread for each utilityProcess. */
import { EventEmitter } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { EngineProcess } from '../../../electron/engine-process.ts';
import { workerUrl } from '../../../engine/base/paths.ts';
import { sqlThroughMain, type SqlReply, type SqlRequest } from '../../../engine/host/electron-sql.ts';
import { runSql } from '../../../engine/trace/sql.ts';
import { temporaryFolder, write } from '../trace/example-recording.ts';

class Process extends EventEmitter {
  readonly entry: string;
  killed = false;
  post: (message: unknown) => void = () => {};
  constructor(entry: string) {
    super();
    this.entry = entry;
  }
  postMessage(message: unknown): void {
    this.post(message);
  }
  kill(): void {
    this.killed = true;
  }
}
const { started, fork } = vi.hoisted(() => {
  const started: unknown[] = [];
  return { started, fork: { with: (_entry: string): unknown => undefined } };
});
vi.mock('electron', () => ({
  utilityProcess: { fork: (entry: string) => fork.with(entry) },
  MessageChannelMain: class {
    port1 = {};
    port2 = {};
  },
}));

const folder = temporaryFolder();
const path = write(join(folder, 'trace.simsight'));
const engineFolder = dirname(dirname(fileURLToPath(workerUrl('host/worker'))));
const host = new URL('../../electron-host/utility.ts', import.meta.url);

const nobody = { onCrash() {}, onRecent() {}, onOutput() {} };

/** An app whose engine only asks, and the queries' processes are the real ones. */
function startApp(onQuery: (query: Process) => void) {
  fork.with = (entry) => {
    const process = new Process(entry);
    started.push(process);
    if (entry.includes('sql-process')) onQuery(process);
    return process;
  };
  const options = { host: 'electron', version: '1', folders: [], dataFolder: folder, open: [] } as const;
  const app = new EngineProcess(engineFolder, { ...options, folders: [], open: [] }, nobody);
  app.connect();
  const engine = started.at(-1) as Process;
  const { start, receive } = sqlThroughMain((request: SqlRequest) => engine.emit('message', request));
  engine.post = (message) => {
    if ((message as { type: string }).type === 'sql') receive(message as SqlReply);
  };
  return { app, start };
}

test('an answer comes through the main process, and the query is ended', async () => {
  const threads: Worker[] = [];
  const { start } = startApp((query) => {
    expect(query.entry).toBe(join(engineFolder, 'trace', 'sql-process.js'));
    const entry = workerUrl('trace/sql-process').href;
    const thread = new Worker(host, { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' }, workerData: { entry } });
    threads.push(thread);
    query.post = (message) => thread.postMessage({ message, ports: [] });
    thread.on('message', (message) => query.emit('message', message));
  });
  const order = { path, text: 'SELECT 7 AS x', limit: 1 };
  expect(await runSql(order, { maxSeconds: 60 }, start)).toMatchObject({ rows: [[7]] });
  expect(started.at(-1)).toMatchObject({ killed: true });
  await expect(runSql({ ...order, text: 'VACUUM' }, { maxSeconds: 60 }, start)).rejects.toThrow(
    /VACUUM is not allowed/,
  );
  for (const thread of threads) await thread.terminate();
});

test('cancelled, crashed, or left alone: no query stays', async () => {
  const queries: Process[] = [];
  const { app, start } = startApp((query) => queries.push(query));
  const order = { path, text: 'SELECT 1', limit: 1 };
  const controller = new AbortController();
  const running = runSql(order, { maxSeconds: 60, signal: controller.signal }, start);
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  expect(queries[0]!.killed).toBe(true);

  const crashing = runSql(order, { maxSeconds: 60 }, start);
  queries[1]!.emit('exit', 1);
  await expect(crashing).rejects.toThrow(/ended without an answer/);

  const left = start({ ...order, temporary: folder });
  const ended = app.end();
  expect(queries[2]!.killed).toBe(true);
  left.kill();
  (started.findLast((each) => (each as Process).entry.includes('worker')) as Process).emit('exit', 0);
  await ended;
});
