/** The guard of the fast tests: Clang's thread does not start, others do. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

/** The output of a process under the guard that starts this file of the engine as a thread. */
function starts(file: string): string {
  const engine = pathToFileURL(join(import.meta.dirname, '../../engine', file)).href;
  const script = `import { Worker } from 'node:worker_threads';
    const thread = new Worker(new URL(${JSON.stringify(engine)}), { workerData: 2 ** 30 });
    thread.on('online', () => { console.log('started'); process.exit(); });`;
  const guard = pathToFileURL(join(import.meta.dirname, 'no-compiler.mjs')).href;
  const words = ['--import', guard, '--input-type=module', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return stdout + stderr;
}

test('fast tests cannot compile', () => {
  expect(starts('compile/worker.ts')).toContain('call the file of this one *.slow.test.ts');
  expect(starts('trace/expression-worker.ts')).toBe('started\n');
});
