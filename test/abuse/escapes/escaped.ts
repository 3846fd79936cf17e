/** Has a thread that stands for a program which got out of its WebAssembly try all ways on from there. */
import { fork, spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codePaths, root } from '../../../engine/base/paths.ts';
import { processRights, programRights } from '../../../engine/recording/rights.ts';
import { engineFlags } from '../../../engine/recording/start-program.ts';
import type { EscapeOrder } from './escaped-process.ts';
import type { Walls, WayTaken } from './escaped-thread.ts';

/** `folder` is where files for it are made. */
export async function escaped(folder: string, walls: Walls): Promise<WayTaken[]> {
  const [inside, outside] = ['inside', 'outside'].map((name) => join(folder, name)) as [string, string];
  for (const each of [inside, outside]) mkdirSync(each, { recursive: true });
  const secret = join(outside, 'secret.json');
  writeFileSync(secret, '{"secret": 1}\n');
  for (const name of ['kept', 'renamed', 'unlinked', 'removed', 'truncated']) writeFileSync(join(outside, name), 'x');
  const listening = net.createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const datagrams = dgram.createSocket('udp4').bind(port, '127.0.0.1');
  const victim = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const file = fileURLToPath(new URL('./escaped-process.ts', import.meta.url));
  // The thread takes its own walls from the sources.
  const ours = [dirname(file), join(root, 'engine')].map((path) => `--allow-fs-read=${path}`);
  const child = fork(file, {
    cwd: codePaths[0]!,
    execArgv: walls === 'none' ? [] : [...processRights(), ...ours, ...(walls === 'all' ? engineFlags : [])],
    serialization: 'advanced',
    ...(walls === 'none' ? {} : { env: {} }),
  });
  try {
    const order: EscapeOrder = {
      target: { secret, outside, inside, port, victim: victim.pid!, native: nativeModule() },
      // Its own folder is written to as well, which is the most that a program is ever given.
      rights: [...programRights(inside, { path: inside, name: 'inside' }), ...ours],
      walls,
    };
    child.send(order);
    const [answer] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code, signal]) => Promise.reject(new Error(`The process ended: ${signal ?? code}.`))),
    ])) as [WayTaken[]];
    return answer;
  } finally {
    child.kill('SIGKILL');
    victim.kill('SIGKILL');
    listening.close();
    datagrams.close();
  }
}

/** The one that this machine's SQLite is. */
function nativeModule(): string {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('better-sqlite3/package.json'));
  return join(folder, 'prebuilds', `${process.platform}-${process.arch}.node`);
}
