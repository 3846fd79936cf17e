/** `simsight serve` and `simsight open`: the address on stdout, pages behind it, an orderly end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../engine/base/paths.ts';
import { temporaryFolder, write } from '../unit/trace/example-recording.ts';
import { cli, simsight } from './simsight.ts';

const folder = temporaryFolder();
const trace = write(join(folder, 'trace.simsight'));
/** The server delivers the built pages; "npm test" builds them before it runs the tests. */
const built = existsSync(join(root, 'dist', 'renderer', 'index.html'));

test.runIf(built).each([
  ['serve', ['--port', '0', '--folder', folder]],
  ['open', [trace]],
])('%s', async (command, words) => {
  const child = spawn(process.execPath, [cli, command, ...words], {
    env: { ...process.env, SIMSIGHT_HOME: join(folder, 'home') },
  });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const url = printed.toString();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=\S+\n$/);
  expect((await fetch(url.trim())).status).toBe(200);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test.skipIf(built)('without built pages it says what to do', () => {
  const { code, stdout, stderr } = simsight(['serve']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/npm run build/);
});
