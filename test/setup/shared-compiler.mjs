/**
 * In every process and thread of the tests (`build/run-tests.ts` names it in NODE_OPTIONS): the threads that would load Clang ask the one
 * compiler of the run for their results (`compiler.ts`) instead. All else about compiling stays in the process: limits, caches, cancelling.
 * Tests of the compiler's own threads take the variable away; those with another limit of memory are their own, too.
 */
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

const { Worker } = threads;
const client = new URL('compiler-client.ts', import.meta.url);
/** From source and as built. That of a packaged app is left alone: whether it can compile is what its tests ask. */
const replaced = ['../../engine/compile/worker.ts', '../../dist/engine/compile/worker.js'].map(
  (path) => new URL(path, import.meta.url).href,
);

const isShared = (file, options) =>
  Boolean(process.env.SIMSIGHT_TEST_COMPILER) &&
  replaced.includes(String(file)) &&
  options.workerData === Number(process.env.SIMSIGHT_TEST_COMPILER_MEMORY);

threads.Worker = class extends Worker {
  constructor(file, options) {
    super(isShared(file, options) ? client : file, options);
  }
};
syncBuiltinESMExports();
