/**
 * The process of one query: gets an order, posts its answer, and is killed. Under Node the query has a thread of its own, so
 * that the process notices when the one that started it is gone; what Electron starts ends with the app.
 */
import Database from 'better-sqlite3';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { reportOf } from '../base/errors.ts';
import { querySql, type SqlOrder } from './sql-query.ts';
import type { SqlAnswer } from './sql.ts';

interface ElectronParentPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
  postMessage(message: unknown): void;
}
const electronParent = (process as { parentPort?: ElectronParentPort }).parentPort;

/** Most memory of SQLite in this process: cells of files and the results of statements can be a gigabyte each (bytes). */
const mostMemory = 2 ** 29;

function limitMemory(): void {
  const any = new Database(':memory:');
  any.pragma(`hard_heap_limit = ${mostMemory}`);
  any.close();
}

function answerTo(order: SqlOrder): SqlAnswer {
  try {
    limitMemory();
    return { result: querySql(order) };
  } catch (error) {
    return { error: reportOf(error) };
  }
}

if (electronParent) {
  electronParent.on('message', ({ data }) => electronParent.postMessage(answerTo(data as SqlOrder)));
} else if (isMainThread) {
  process.once('message', (order) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: order });
    thread.once('message', (answer: SqlAnswer) => process.send?.(answer));
  });
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
} else {
  parentPort!.postMessage(answerTo(workerData as SqlOrder));
}
