/** `simsight serve` and `simsight open`: the address on stdout, pages behind it, an orderly end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { decode, encode } from '../../engine/api/frame.ts';
import type { RecordProgress } from '../../engine/model/recording.ts';
import { startServer } from '../../engine/serve/index.ts';
import { openTrace } from '../../engine/trace/reader.ts';
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

test('Ctrl+C while it records for a page: the trace is finished with what there is', async () => {
  const program = join(folder, 'endless.cu');
  writeFileSync(
    program,
    `#include <cuda_runtime.h>
__global__ void add(int *x) { *x += 1; }
int main() {
  int *x;
  cudaMalloc(&x, sizeof(int));
  for (;;) add<<<1, 1>>>(x), cudaDeviceSynchronize();
}
`,
  );
  const home = join(folder, 'home-of-endless');
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0', '--folder', folder], {
    env: { ...process.env, SIMSIGHT_HOME: home },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const url = new URL(printed.toString().trim());
  const socket = new WebSocket(`ws://${url.host}/bridge?${url.hash.slice(1)}`, { origin: url.origin });
  socket.binaryType = 'arraybuffer';
  await once(socket, 'open');
  const output = join(home, 'recordings', 'endless.simsight');
  const call = {
    ...{ sources: [program], gpu: 'a100', output },
    ...{ includeFolders: [], defines: [], environment: [], arguments: [] },
  };
  const underWay = new Promise<void>((recorded, refused) => {
    socket.on('message', (data) => {
      const { error, progress } = decode(data as ArrayBuffer) as {
        error?: { message: string };
        progress?: RecordProgress;
      };
      if (error) refused(new Error(error.message));
      else if (progress && progress.simulatedNs > 0) recorded();
    });
  });
  socket.send(Buffer.concat(encode({ type: 'call', id: 1, method: 'record.run', params: call })));
  await underWay;
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  const trace = openTrace(output);
  expect(trace.info.complete).toBe(false);
  trace.close();
});

test('without built pages it says what to do', async () => {
  const server = startServer({ folders: [], open: [], dataFolder: join(folder, 'home'), pagesFolder: folder });
  await expect(server).rejects.toMatchObject({
    code: 'file-not-found',
    message: expect.stringContaining('index.html') as string,
    remedy: 'Run "npm run build" first.',
  });
});
