/**
 * Worker processes of a sweep: they are kept from job to job, so that the compiler stays warm in each, and none
 * takes the sweep along when it breaks. They end with the process that started them.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { errorFrom, SimsightError, type ErrorReport } from '../base/errors.ts';
import { workerUrl } from '../base/paths.ts';
import type { RecordResult } from '../model/recording.ts';
import type { RecordCall } from '../recording/types.ts';
import { runJob } from './job.ts';
import { readManifest } from './manifest.ts';
import type { JobResult } from './results.ts';

export interface JobOrder {
  folder: string;
  index: number;
  cacheFolder: string;
  /** For blocks of one large grid. */
  threads: number;
}
export type JobAnswer = { result: JobResult } | { error: ErrorReport };

/** Runner of jobs, several at a time. */
export interface JobRunner {
  run(order: JobOrder, signal: AbortSignal): Promise<JobResult>;
  /** Ends when nothing is written any more. */
  close(): Promise<void>;
}

export function processRunner(): JobRunner {
  const idle: ChildProcess[] = [];
  const all = new Set<ChildProcess>();

  function start(): ChildProcess {
    const child = fork(fileURLToPath(workerUrl('sweep/worker')), {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    all.add(child);
    child.once('exit', () => {
      all.delete(child);
      if (idle.includes(child)) idle.splice(idle.indexOf(child), 1);
    });
    return child;
  }

  return {
    run: (order, signal) =>
      new Promise((done, fail) => {
        const child = idle.pop() ?? start();
        const settle = (): void => {
          child.off('message', onAnswer);
          child.off('exit', onExit);
          child.off('error', onError);
          signal.removeEventListener('abort', onAbort);
        };
        const onAnswer = (answer: unknown): void => {
          settle();
          idle.push(child);
          const { result, error } = answer as { result?: JobResult; error?: ErrorReport };
          if (result) done(result);
          else fail(errorFrom(error!));
        };
        const onExit = (code: number | null, killed: string | null): void => {
          settle();
          const how = killed === null ? `with code ${code}` : `by ${killed}`;
          const remedy = 'If it ran out of memory, run fewer jobs at a time with --jobs, and resume.';
          fail(new SimsightError('internal', `The process of the job ended ${how}.`, remedy));
        };
        const onError = (error: Error): void => {
          settle();
          fail(error);
        };
        const onAbort = (): void => {
          settle();
          child.kill('SIGTERM');
          fail(new SimsightError('cancelled', 'The sweep was cancelled.'));
        };
        child.on('message', onAnswer);
        child.on('exit', onExit);
        child.on('error', onError);
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        child.send(order, (error) => error && onError(error));
      }),
    async close() {
      const ends = [...all].map((child) => once(child, 'exit'));
      for (const child of all) child.kill('SIGTERM');
      await Promise.all(ends);
    },
  };
}

/** In this process, where no other can be started: each recording has a thread of its own. */
export function inProcessRunner(record: (call: RecordCall) => Promise<RecordResult>): JobRunner {
  return {
    run: ({ folder, index, ...parts }, signal) =>
      runJob(folder, readManifest(folder), index, { record, signal, ...parts }),
    close: () => Promise.resolve(),
  };
}
