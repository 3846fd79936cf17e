/**
 * In every process and thread of the fast tests (`npm run test:fast`): Clang does not start, so that a test which compiles says so by
 * its name.
 */
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

const { Worker } = threads;

threads.Worker = class extends Worker {
  constructor(file, options) {
    if (/[\\/]compile[\\/]worker\.[jt]s$/.test(String(file)))
      throw new Error('Fast tests do not compile: call the file of this one *.slow.test.ts.');
    super(file, options);
  }
};
syncBuiltinESMExports();
