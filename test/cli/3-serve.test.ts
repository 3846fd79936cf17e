/** `simsight serve` and `simsight open`: the address on stdout, pages behind it, an orderly end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from '../../engine/serve/index.ts';
import { temporaryFolder, write } from '../unit/trace/example-recording.ts';
import { cli } from './simsight.ts';

const folder = temporaryFolder();
const trace = write(join(folder, 'trace.simsight'));
/** The server delivers the built pages: "npm test" builds them first, "npm run build" does it by hand. */
test.each([
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

test('without built pages it says what to do', async () => {
  const server = startServer({ folders: [], open: [], dataFolder: join(folder, 'home'), pagesFolder: folder });
  await expect(server).rejects.toMatchObject({
    code: 'file-not-found',
    message: expect.stringContaining('index.html') as string,
    remedy: 'Run "npm run build" first.',
  });
});
