/** In the place of `program-process.ts`: starts the thread that has escaped, with the rights it was given, or with all. */
import { Worker } from 'node:worker_threads';
import type { Walls, WayTaken } from './escaped-thread.ts';
import type { WaysTarget } from './ways.ts';

export interface EscapeOrder {
  target: WaysTarget;
  walls: Walls;
  rights: string[];
}

process.on('message', ({ target, walls, rights }: EscapeOrder) => {
  const thread = new Worker(new URL('./escaped-thread.ts', import.meta.url), {
    workerData: { target, walls },
    ...(walls === 'none' ? {} : { execArgv: rights, env: {} }),
  });
  thread.once('message', (taken: WayTaken[]) => process.send?.(taken));
  thread.once('error', (error) => {
    throw error;
  });
});
process.on('disconnect', () => process.exit(0));
