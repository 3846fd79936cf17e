/** The thread that prepares a file ({@link file://./prepare.ts}); whoever started it may end it at any moment. */
import { parentPort, workerData } from 'node:worker_threads';
import { reportOf, type ErrorReport } from '../base/errors.ts';
import type { OpenProgress } from '../model/timeline.ts';
import { prepare, type Preparation } from './prepare.ts';

export interface PrepareOrder {
  path: string;
  preparation: Preparation;
  target: string;
}
export type FromPreparation = { progress: OpenProgress } | { error: ErrorReport } | { done: true };

/** Between two reports of progress. */
const milliseconds = 100;

const { path, preparation, target } = workerData as PrepareOrder;
const post = (message: FromPreparation): void => parentPort?.postMessage(message);
let last = 0;
let phase: OpenProgress['phase'] | null = null;
try {
  await prepare(path, preparation, target, (progress) => {
    const now = performance.now();
    if (progress.phase === phase && now - last < milliseconds) return;
    [last, phase] = [now, progress.phase];
    post({ progress });
  });
  post({ done: true });
} catch (error) {
  post({ error: reportOf(error) });
}
