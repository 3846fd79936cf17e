/**
 * Hostile callers of browser mode: who may not talk to it is turned away; who may gets nothing written outside of the folders of
 * recordings and sweeps, whatever names it gives; and no message, however odd, ends the engine for the others.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { decode, encode } from '../../engine/api/frame.ts';
import { contract } from '../../engine/api/contract.ts';
import type { ErrorReport } from '../../engine/base/errors.ts';
import { cli } from '../setup/command-line.ts';
import { difference, kill, stateOf } from './command-line.ts';
import { writeForeign, writeProgram, writeTrace } from './inputs.ts';
import { Random } from '../fuzz/random.ts';
import { attempt, type AbuseOptions, type Section } from './section.ts';

const secondsToAnswer = 60;

interface Server {
  url: URL;
  token: string;
}

interface Answer {
  id?: number;
  result?: unknown;
  error?: ErrorReport;
}

/** A viewer that is let in. */
class Viewer {
  private nextId = 1;
  private readonly pending = new Map<number, (answer: Answer) => void>();
  readonly socket: WebSocket;
  readonly closed: Promise<void>;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    this.closed = new Promise((done) => socket.on('close', () => done()));
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const answer = decode(data as ArrayBuffer) as Answer & { type: string };
      if (answer.type === 'progress') return;
      this.pending.get(answer.id!)?.(answer);
      this.pending.delete(answer.id!);
    });
  }

  static async of({ url, token }: Server): Promise<Viewer> {
    const socket = new WebSocket(`ws://${url.host}/bridge?token=${token}`, { origin: url.origin });
    const viewer = new Viewer(socket);
    await Promise.race([
      once(socket, 'open'),
      viewer.closed.then(() => Promise.reject(new Error('it was turned away'))),
    ]);
    return viewer;
  }

  /** Throws where none comes. */
  async call(method: unknown, params: unknown): Promise<Answer> {
    const id = this.nextId++;
    const answered = new Promise<Answer>((done) => this.pending.set(id, done));
    this.socket.send(Buffer.concat(encode({ type: 'call', id, method, params })));
    const late = new AbortController();
    const answer = await Promise.race([
      answered,
      this.closed.then(() => null),
      sleep(secondsToAnswer * 1000, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    if (!answer) throw new Error(answer === null ? 'the connection was closed' : 'no answer came');
    return answer;
  }
}

/** `open`, the status of a refusal, or that it was closed. */
function knock(path: string, port: number, headers: Record<string, string>): Promise<'open' | number | 'closed'> {
  return new Promise((done) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
    socket.on('open', () => {
      socket.terminate();
      done('open');
    });
    socket.on('unexpected-response', (asked, response) => {
      asked.destroy();
      done(response.statusCode!);
    });
    socket.on('error', () => done('closed'));
  });
}

function get(port: number, path: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      let body = '';
      response.setEncoding('latin1').on('data', (text: string) => (body += text));
      response.on('end', () => done({ status: response.statusCode!, body }));
    });
    asked.on('error', fail).end();
  });
}

async function knocks(options: AbuseOptions, { url, token }: Server): Promise<void> {
  const port = Number(url.port);
  const own = { host: url.host, origin: url.origin };
  const right = `/bridge?token=${token}`;
  const others: [name: string, path: string, headers: Record<string, string>][] = [
    ...['', 'A'.repeat(token.length), token.slice(1), `${token}%00`, `${token}x`, '%', '[]', token.toUpperCase()].map(
      (wrong): [string, string, typeof own] => [`token "${wrong.slice(0, 8)}…"`, `/bridge?token=${wrong}`, own],
    ),
    ['token given twice, the wrong first', `/bridge?token=x&token=${token}`, own],
    ['no token', '/bridge', own],
    ['another path', `/bridge/..?token=${token}`, own],
    ['very long path', `/bridge?${'x'.repeat(10_000)}`, own],
    ...[
      'http://evil.invalid',
      'null',
      'file://',
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
      `${url.origin}.evil.invalid`,
    ].map((origin): [string, string, typeof own] => [`origin ${origin}`, right, { ...own, origin }]),
    ...[
      'evil.invalid',
      `127.0.0.1.evil.invalid:${port}`,
      `evil.invalid@127.0.0.1:${port}`,
      '0.0.0.0',
      `[::ffff:127.0.0.1]:${port}`,
      'localhost:99999999',
    ].map((host): [string, string, typeof own] => [`host ${host}`, right, { host, origin: `http://${host}` }]),
  ];
  for (const [name, path, headers] of others) {
    await attempt(options, name, async () => {
      const outcome = await knock(path, port, headers);
      return outcome === 'open' ? 'it was let in' : null;
    });
  }
  for (const path of [
    '/../../../etc/passwd',
    '/..%2f..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '//etc/passwd',
    '/\\..\\..\\package.json',
    '/%00',
    '/%',
    '/assets/../../engine/cli.js',
  ]) {
    await attempt(options, `page ${path}`, async () => {
      const { status, body } = await get(port, path, { host: url.host });
      return status === 200 || body.includes('root:') ? `it answers ${status}` : null;
    });
  }
  await attempt(options, 'raw bytes in place of a request', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(Buffer.alloc(100_000, 0xff));
    await new Promise((closed) => socket.on('close', closed));
  });
}

/** Names that must lead nowhere; `own` is the folder where they would be allowed. */
function hostileNames(own: string, granted: string, outside: string, home: string): string[] {
  return [
    ...['..', '../x.simsight', '../../outside/x.simsight', './../state.json'].map((name) => `${own}/${name}`),
    ...['x.simsight', 'sub/x.simsight'].flatMap((name) => [`${granted}/${name}`, `${outside}/${name}`]),
    ...['state.json', 'recent.json', 'cache/x.llvm', 'notes/x.json', 'kernel-pairs.json'].map(
      (name) => `${home}/${name}`,
    ),
    ...['to-outside/x.simsight', 'to-home/state.json', 'to-nothing', 'to-file', 'to-nothing/x.simsight'].map(
      (name) => `${own}/${name}`,
    ),
    ...[
      '/etc/simsight-abuse',
      '/dev/simsight-abuse',
      '/proc/self/mem',
      '/',
      '',
      '.',
      'x.simsight',
      '~/x.simsight',
      '-',
    ],
    ...[
      `${own}/x\0.simsight`,
      '\0',
      `${own}\0/../../x`,
      `${own}/${'n'.repeat(5000)}`,
      `${own}/${'n'.repeat(300)}.simsight`,
    ],
    ...[
      `${own}/${'d/'.repeat(1500)}x.simsight`,
      `${own}/fifo`,
      `${own}/foreign.simsight`,
      `${own}/device`,
      `${own}/a-folder`,
    ],
  ];
}

async function names(
  options: AbuseOptions,
  server: Server,
  at: { folder: string; home: string; granted: string; outside: string; program: string },
): Promise<void> {
  const { home, granted, outside, program, folder } = at;
  const viewer = await Viewer.of(server);
  const own = join(home, 'recordings');
  const options_ = { sources: [program], gpu: 'a100', includeFolders: [], defines: [], environment: [], arguments: [] };
  const { gpu: _, ...swept } = options_;
  const axes = [{ kind: 'gpu', name: 'GPU', values: ['a100'] }];
  const calls: [what: string, method: string, params: (name: string) => unknown][] = [
    ['output', 'record.run', (output) => ({ ...options_, output })],
    ['keepFolder', 'record.whatIf', (keepFolder) => ({ ...options_, limits: ['latency'], keepFolder })],
    ['folder', 'sweep.run', (named) => ({ ...swept, axes, folder: named })],
  ];
  for (const [what, method, params] of calls) {
    for (const name of hostileNames(own, granted, outside, home)) {
      // A folder there is one that may be written to.
      if (what !== 'output' && /(a-folder|\/(d\/)+x\.simsight)$/.test(name)) continue;
      await attempt(options, `${what} ${JSON.stringify(name).slice(0, 60)}`, async () => {
        const was = stateOf(folder).filter((line) => !line.startsWith('home/cache'));
        const { error } = await viewer.call(method, params(name));
        if (!error) return 'it was done';
        if (error.code === 'internal') return `it says: ${error.message}`;
        return difference(
          was,
          stateOf(folder).filter((line) => !line.startsWith('home/cache')),
        );
      });
    }
  }
  const links = ['to-home', 'to-above'].map((name) => join(granted, name));
  for (const [i, to] of [home, folder].entries()) symlinkSync(to, links[i]!);
  for (const writableFolder of [
    home,
    own,
    join(home, 'cache'),
    join(home, 'new'),
    folder,
    '/',
    ...links,
    `${links[0]}/recordings`,
    `${granted}/../home`,
    `${own}/\0`,
  ]) {
    await attempt(options, `writableFolder ${JSON.stringify(writableFolder)}`, async () => {
      const was = stateOf(folder).filter((line) => !line.startsWith('home/cache'));
      const { error } = await viewer.call('record.run', { ...options_, writableFolder });
      if (!error) return 'the program could write there';
      if (error.code === 'internal') return `it says: ${error.message}`;
      return difference(
        was,
        stateOf(folder).filter((line) => !line.startsWith('home/cache')),
      );
    });
  }
  viewer.socket.terminate();
}

/** Values that are none of a parameter's. */
const odd: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  0.5,
  '',
  'x'.repeat(1e5),
  [],
  {},
  [[]],
  { $: 1 },
  { toString: 1 },
  { constructor: {} },
  Array.from({ length: 5000 }, () => 'x'),
  new Float64Array(10),
  NaN,
  '\0',
  '\u202e',
  { length: -1 },
  Array.from({ length: 1000 }, (_, i) => ({ [`k${i}`]: i })),
];

async function parameters(options: AbuseOptions, server: Server): Promise<void> {
  const viewer = await Viewer.of(server);
  const fine = async (): Promise<string | null> => {
    const { result } = await viewer.call('app.info', {});
    return result === undefined ? 'it answers nothing any more' : null;
  };
  for (const method of [
    ...Object.keys(contract),
    'constructor',
    '__proto__',
    'toString',
    '',
    'x'.repeat(1e5),
    7,
    null,
    {},
    { toString: 1 },
    ['app.info'],
  ]) {
    await attempt(options, `odd parameters of ${String(JSON.stringify(method)).slice(0, 40)}`, async () => {
      for (const value of [
        ...odd,
        ...odd.map((each) => ({ path: each, traceId: each, text: each, folder: each, output: each })),
      ]) {
        const { error } = await viewer.call(method, value);
        // A call without parameters accepts an empty object.
        if (error?.code === 'internal')
          return `it says: ${error.message} of ${String(JSON.stringify(value)).slice(0, 100)}`;
      }
      return fine();
    });
  }
  viewer.socket.terminate();
}

/** Messages that are none. */
async function messages(options: AbuseOptions, server: Server): Promise<void> {
  const random = new Random(options.seed, 'messages');
  const header = (json: string): Buffer => {
    const text = Buffer.from(json);
    const head = Buffer.alloc(4);
    head.writeUInt32LE(text.length);
    return Buffer.concat([head, text]);
  };
  const good = Buffer.concat(encode({ type: 'call', id: 1, method: 'app.info', params: {} }));
  const bad: [string, Buffer | string][] = [
    ['text', 'hello'],
    ['nothing', Buffer.alloc(0)],
    ['a length beyond the end', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['no JSON', header('{')],
    ['nested a hundred thousand deep', header(`{"s":[],"m":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)],
    ['an array that is not there', header('{"s":[1e9],"m":{"$":["Float64Array",0]}}')],
    ['a forbidden name', header('{"s":[],"m":{"__proto__":{"type":"call"}}}')],
    ['a constructor', header('{"s":[],"m":{"$":["constructor",0]}}')],
    ['larger than any call', Buffer.alloc(5 * 2 ** 20)],
    ['a call without an id', header('{"s":[],"m":{"type":"call","method":"app.info","params":{}}}')],
    ['a cancel of nothing', header('{"s":[],"m":{"type":"cancel","id":99}}')],
    ['null', header('{"s":[],"m":null}')],
    ...Array.from({ length: options.count ?? 40 }, (_, i): [string, Buffer] => {
      const changed = Buffer.from(good);
      for (let n = 0; n <= i % 4; n++) changed[random.below(changed.length)] = random.below(256);
      return [`a damaged call (${i})`, changed];
    }),
  ];
  const witness = await Viewer.of(server);
  for (const [name, message] of bad) {
    await attempt(options, `message: ${name}`, async () => {
      const viewer = await Viewer.of(server);
      viewer.socket.send(message);
      viewer.socket.close();
      await viewer.closed;
      const { result } = await witness.call('app.info', {});
      return result === undefined ? 'others get no answer' : null;
    });
  }
  witness.socket.terminate();
}

async function floods(options: AbuseOptions, server: Server, at: { program: string; trace: string }): Promise<void> {
  const witness = await Viewer.of(server);
  const answers = async (): Promise<string | null> =>
    (await witness.call('app.info', {})).result === undefined ? 'others get no answer' : null;
  const recording = {
    sources: [at.program],
    gpu: 'a100',
    includeFolders: [],
    defines: [],
    environment: [],
    arguments: [],
  };
  const kinds: [name: string, count: number, method: string, params: unknown][] = [
    ['small calls', 20_000, 'app.info', {}],
    ['openings of a trace', 3000, 'trace.open', { path: at.trace }],
    ['recordings', 3000, 'record.run', recording],
    ['what nobody knows', 20_000, 'no.call', {}],
  ];
  for (const [name, count, method, params] of kinds) {
    await attempt(options, `a flood of ${name}`, async () => {
      const viewer = await Viewer.of(server);
      // Every other one has a number that is taken.
      for (let i = 0; i < count; i++)
        viewer.socket.send(Buffer.concat(encode({ type: 'call', id: i % 2 === 0 ? i : 1, method, params })));
      const during = await answers();
      viewer.socket.terminate();
      return during ?? answers();
    });
  }
  await attempt(options, 'a flood of viewers', async () => {
    const viewers = await Promise.all(Array.from({ length: 200 }, () => Viewer.of(server)));
    for (const viewer of viewers) viewer.socket.terminate();
    return answers();
  });
  witness.socket.terminate();
}

async function run(options: AbuseOptions): Promise<void> {
  const { folder } = options;
  const [home, granted, outside] = ['home', 'granted', 'outside'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const own = join(home, 'recordings');
  for (const each of [own, join(home, 'sweeps'), granted, outside, join(own, 'a-folder')])
    mkdirSync(each, { recursive: true });
  const program = writeProgram(join(granted, 'app.cu'), 1);
  const trace = writeTrace(join(granted, 'run.simsight'));
  writeFileSync(join(home, 'state.json'), '{}');
  writeForeign(join(own, 'foreign.simsight'));
  symlinkSync(outside, join(own, 'to-outside'));
  symlinkSync(home, join(own, 'to-home'));
  symlinkSync(join(outside, 'not-yet'), join(own, 'to-nothing'));
  symlinkSync(trace, join(own, 'to-file'));
  for (const [name, ...words] of [
    ['fifo', 'p'],
    ['device', 'c', '1', '3'],
  ] as const) {
    const made = spawn('mknod', [join(own, name), ...words]);
    if ((await once(made, 'exit'))[0] !== 0) mkdirSync(join(own, name));
  }
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0', '--folder', granted], {
    env: { ...process.env, SIMSIGHT_HOME: home },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [printed] = (await once(child.stdout!, 'data')) as [Buffer];
    const url = new URL(printed.toString().trim());
    const server = { url, token: url.hash.replace('#token=', '') };
    await knocks(options, server);
    await names(options, server, { folder, home, granted, outside, program });
    await parameters(options, server);
    await messages(options, server);
    await floods(options, server, { program, trace });
    await attempt(options, 'an orderly end', async () => {
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      return code === 0 ? null : `it ended with ${code}`;
    });
  } finally {
    kill(child);
  }
}

export const api: Section = {
  name: 'api',
  title:
    'hostile calls of browser mode: strangers stay outside, nothing is written elsewhere, nobody ends the engine for others',
  run,
};
