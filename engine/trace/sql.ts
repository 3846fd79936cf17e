/**
 * The SQL console: one reading statement on a trace, with a limit of rows and of time, and cancellable.
 *
 *   await runSql({ path, text: 'SELECT count(*) FROM StringIds', limit: 1000 }, { maxSeconds: 60, signal });
 *
 * A statement that SQLite works on cannot be interrupted from JavaScript, in a thread no more than here; a process can be
 * killed. `startSql` is how to get one.
 */
import { fork } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqlTable } from '../model/tables.ts';
import { errorFrom, SimsightError, type ErrorReport } from '../base/errors.ts';
import { workerUrl } from '../base/paths.ts';
import { fileURLToPath } from 'node:url';
import type { SqlOrder, SqlQuery } from './sql-query.ts';

export type SqlAnswer = { result: SqlTable } | { error: ErrorReport };

export interface SqlProcess {
  /** null when the process ended without one. */
  answer: Promise<SqlAnswer | null>;
  kill(): void;
}
export type StartSql = (order: SqlOrder) => SqlProcess;

/** A process of Node; it ends with the one that started it. */
export const forkSql: StartSql = (order) => {
  const child = fork(fileURLToPath(workerUrl('trace/sql-process')), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const answer = new Promise<SqlAnswer | null>((done) => {
    child.once('message', (message) => done(message as SqlAnswer));
    child.once('error', () => done(null));
    child.once('exit', () => done(null));
  });
  child.send(order, () => {});
  return { answer, kill: () => void child.kill('SIGKILL') };
};

export interface SqlLimits {
  maxSeconds: number;
  signal?: AbortSignal;
}

export async function runSql(query: SqlQuery, limits: SqlLimits, start: StartSql = forkSql): Promise<SqlTable> {
  const { maxSeconds, signal } = limits;
  const cancelled = (): SimsightError => new SimsightError('cancelled', 'The query was cancelled.');
  if (signal?.aborted) throw cancelled();
  const temporary = mkdtempSync(join(tmpdir(), 'simsight-'));
  const { answer, kill } = start({ ...query, temporary });
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => {};
  const ended = new Promise<never>((_, fail) => {
    abort = () => fail(cancelled());
    signal?.addEventListener('abort', abort, { once: true });
    const late = `The query took longer than ${maxSeconds} s.`;
    timer = setTimeout(
      () => fail(new SimsightError('budget-exceeded', late, 'Ask for less, or allow it more time.')),
      maxSeconds * 1000,
    );
  });
  try {
    const given = await Promise.race([answer, ended]);
    if (!given) throw new SimsightError('sql-failed', 'The process of the query ended without an answer.');
    if ('error' in given) throw errorFrom(given.error);
    return given.result;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    kill();
    // It may still be writing there.
    await rm(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
