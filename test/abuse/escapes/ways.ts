/**
 * The ways that an attacker who got out of WebAssembly would try, in the program's thread: to files, processes, the network, code. A way
 * that works returns; one that is refused throws. All work where there are no walls (test/unit/recording/walls.slow.test.ts).
 */
import childProcess from 'node:child_process';
import cluster from 'node:cluster';
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import inspector from 'node:inspector';
import module from 'node:module';
import net from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import tls from 'node:tls';
import v8 from 'node:v8';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';

export interface WaysTarget {
  /** A file that the program may not read. */
  secret: string;
  /** A folder that it may not write to, which is there. */
  outside: string;
  /** A folder that it may read. */
  inside: string;
  /** A port of this machine where somebody listens, by TCP and by UDP. */
  port: number;
  /** A process that it may not end. */
  victim: number;
  /** A native module. */
  native: string;
}

/** Ways that begin with something unknown to Node's permission model: `seal.ts` alone refuses them. */
export const beyondPermissions = [
  /^network: /,
  /^process: kill/,
  /^code: (vm|constructor|module|flags|eval|Function)/,
  /^write: database/,
  /^read: realpath$/,
];

type Way = (target: WaysTarget) => unknown;

/** Resolves with the first of `events`, rejects with an error. */
const first = (emitter: NodeJS.EventEmitter, ...events: string[]): Promise<unknown> =>
  new Promise((done, fail) => {
    emitter.once('error', fail);
    for (const event of events) emitter.once(event, done);
    setTimeout(() => fail(new Error('nothing happened')), 2000);
  });
const stepsOut = (inside: string, path: string): string => `${inside}/${'../'.repeat(30)}${path}`;
const constructorOf = (value: unknown): new (...code: string[]) => () => unknown =>
  (value as { constructor: new (...code: string[]) => () => unknown }).constructor;
const same = (got: unknown, wanted: unknown): void => {
  if (got !== wanted) throw new Error('not what it should be');
};
const internals = process as unknown as Record<string, (...args: unknown[]) => unknown>;

export const ways: Record<string, Way> = {
  'read: readFileSync': ({ secret }) => fs.readFileSync(secret),
  'read: with an encoding': ({ secret }) => fs.readFileSync(secret, 'utf8'),
  'read: of a Buffer': ({ secret }) => fs.readFileSync(Buffer.from(secret)),
  'read: of a URL': ({ secret }) => fs.readFileSync(pathToFileURL(secret)),
  'read: steps out': ({ secret, inside }) => fs.readFileSync(stepsOut(inside, secret)),
  'read: steps out of a Buffer': ({ secret, inside }) => fs.readFileSync(Buffer.from(stepsOut(inside, secret))),
  'read: double slashes': ({ secret }) => fs.readFileSync(secret.replaceAll('/', '//')),
  'read: openSync': ({ secret }) => fs.openSync(secret, 'r'),
  'read: promises': ({ secret }) => fs.promises.readFile(secret),
  'read: promises open': ({ secret }) => fs.promises.open(secret),
  'read: callback': ({ secret }) =>
    new Promise((done, fail) => fs.readFile(secret, (error, data) => (error ? fail(error) : done(data)))),
  'read: stream': ({ secret }) => first(fs.createReadStream(secret), 'data'),
  'read: blob': async ({ secret }) => (await fs.openAsBlob(secret)).text(),
  'read: copy into the folder': ({ secret, inside }) => fs.copyFileSync(secret, join(inside, 'copy')),
  'read: cp': ({ secret, inside }) => fs.cpSync(secret, join(inside, 'cp')),
  'read: hard link': ({ secret, inside }) => fs.linkSync(secret, join(inside, 'hard')),
  'read: symlink': ({ secret, inside }) => fs.symlinkSync(secret, join(inside, 'soft')),
  'read: readdir': ({ outside }) => fs.readdirSync(outside),
  'read: opendir': ({ outside }) => fs.opendirSync(outside),
  'read: glob': ({ outside }) => {
    if (fs.globSync(join(outside, '*')).length === 0) throw new Error('nothing');
  },
  'read: stat': ({ secret }) => fs.statSync(secret),
  'read: exists': ({ secret }) => {
    if (!fs.existsSync(secret)) throw new Error('no');
  },
  'read: access': ({ secret }) => fs.accessSync(secret),
  'read: realpath': ({ secret }) => fs.realpathSync(secret),
  'read: realpath of the system': ({ secret }) => fs.realpathSync.native(secret),
  'read: realpath of promises': ({ secret }) => fs.promises.realpath(secret),
  'read: watch': ({ outside }) => fs.watch(outside).close(),
  'read: environment file': ({ secret }) => process.loadEnvFile(secret),
  'read: require': ({ secret }) => module.createRequire(secret)(secret) as unknown,
  'read: JSON by import': async ({ secret }) => import(pathToFileURL(secret).href, { with: { type: 'json' } }),
  'read: statfs': ({ outside }) => fs.statfsSync(outside),
  'read: this process by /proc': () => fs.readFileSync('/proc/self/maps'),
  'read: environment by /proc': () => fs.readFileSync('/proc/self/environ'),
  'write: writeFileSync': ({ outside }) => fs.writeFileSync(join(outside, 'w'), 'x'),
  'write: steps out': ({ outside, inside }) => fs.writeFileSync(stepsOut(inside, join(outside, 's')), 'x'),
  'write: append': ({ outside }) => fs.appendFileSync(join(outside, 'a'), 'x'),
  'write: open': ({ outside }) => fs.openSync(join(outside, 'o'), 'w'),
  'write: stream': ({ outside }) => first(fs.createWriteStream(join(outside, 'stream')), 'open'),
  'write: promises': ({ outside }) => fs.promises.writeFile(join(outside, 'p'), 'x'),
  'write: mkdir': ({ outside }) => fs.mkdirSync(join(outside, 'd')),
  'write: mkdtemp': ({ outside }) => fs.mkdtempSync(join(outside, 't')),
  'write: rename': ({ outside }) => fs.renameSync(join(outside, 'renamed'), join(outside, 'renamed-now')),
  'write: unlink': ({ outside }) => fs.unlinkSync(join(outside, 'unlinked')),
  'write: rm': ({ outside }) => fs.rmSync(join(outside, 'removed')),
  'write: truncate': ({ outside }) => fs.truncateSync(join(outside, 'truncated')),
  'write: chmod': ({ outside }) => fs.chmodSync(join(outside, 'kept'), 0o600),
  'write: utimes': ({ outside }) => fs.utimesSync(join(outside, 'kept'), 1, 1),
  'write: database': async ({ outside }) => {
    const { DatabaseSync } = await import('node:sqlite');
    new DatabaseSync(join(outside, 'database')).exec('CREATE TABLE t (x)');
  },
  'write: database in memory that attaches': async ({ outside }) => {
    const { DatabaseSync } = await import('node:sqlite');
    new DatabaseSync(':memory:').exec(`ATTACH '${join(outside, 'attached')}' AS o; CREATE TABLE o.t (x)`);
  },
  'write: report': ({ outside }) => process.report.writeReport(join(outside, 'report')),
  'process: exec': () => childProcess.execSync('true'),
  'process: execFile': () => childProcess.execFileSync('/bin/true'),
  'process: spawn': () => first(childProcess.spawn('/bin/true'), 'exit'),
  'process: spawnSync': () => same(childProcess.spawnSync('/bin/true').status, 0),
  'process: fork': ({ secret }) => void childProcess.fork(secret).kill(),
  'process: cluster': () => void cluster.fork().kill(),
  'process: kill': ({ victim }) => process.kill(victim, 0),
  'process: kill, the inner one': ({ victim }) => same(internals['_kill']!(victim, 0), 0),
  'thread: Worker': () => void new Worker('', { eval: true }).terminate(),
  'thread: with rights of its own': () => void new Worker('', { eval: true, execArgv: [] }).terminate(),
  'thread: hooks of modules': () => module.register('data:text/javascript,', 'data:'),
  'code: eval': () => same((0, eval)('1+1'), 2),
  'code: Function': () => same(new Function('return 7')(), 7),
  'code: constructor of a function': () => same(new (constructorOf(() => 1))('return 7')(), 7),
  'code: constructor of an async function': () => void new (constructorOf(async () => 1))('return 7'),
  'code: constructor of a generator': () => void new (constructorOf(function* () {}))('yield 7'),
  'code: constructor of an async generator': () => void new (constructorOf(async function* () {}))('yield 7'),
  'code: vm in this context': () => same(vm.runInThisContext('1+1'), 2),
  'code: vm in a new context': () => same(vm.runInNewContext('1+1'), 2),
  'code: vm Script': () => same(new vm.Script('1+1').runInThisContext(), 2),
  'code: vm function': () => same(vm.compileFunction('return 3')(), 3),
  'code: bindings': () => internals['binding']!('fs'),
  'code: module by its name': () => (process.getBuiltinModule('fs') as unknown) ?? same(1, 2),
  'code: module by require': () => module.createRequire('/')('fs') as unknown,
  'code: flags of V8': () => v8.setFlagsFromString('--stack-size=500'),
  'code: native module': ({ native }) => process.dlopen({ exports: {} }, native),
  'code: debugger of this thread': () => {
    const session = new inspector.Session();
    session.connectToMainThread();
    session.disconnect();
  },
  'network: connect': ({ port }) => first(net.connect(port, '127.0.0.1'), 'connect'),
  'network: Socket': ({ port }) => first(new net.Socket().connect(port, '127.0.0.1'), 'connect'),
  'network: listen': () => first(net.createServer().listen(0, '127.0.0.1'), 'listening'),
  'network: Server': () => first(new net.Server().listen(0, '127.0.0.1'), 'listening'),
  'network: listen on a path': ({ inside }) => first(net.createServer().listen(join(inside, 'socket')), 'listening'),
  'network: http': ({ port }) => first(http.get({ port, host: '127.0.0.1' }), 'response', 'socket'),
  'network: http server': () => first(http.createServer().listen(0, '127.0.0.1'), 'listening'),
  'network: tls': ({ port }) => first(tls.connect(port, '127.0.0.1'), 'connect'),
  'network: fetch': ({ port }) => fetch(`http://127.0.0.1:${port}`),
  'network: WebSocket': ({ port }) =>
    new Promise((done, fail) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`);
      socket.onopen = done;
      // Whoever listens does not speak the protocol; but was reached.
      socket.onerror = done;
      setTimeout(() => fail(new Error('nothing happened')), 2000);
    }),
  'network: UDP': ({ port }) =>
    new Promise((done, fail) =>
      dgram.createSocket('udp4').send('x', port, '127.0.0.1', (error) => (error ? fail(error) : done(null))),
    ),
  'network: UDP, bound': () => first(dgram.createSocket('udp4').bind(0, '127.0.0.1'), 'listening'),
  'network: name of a host': () => dns.promises.lookup('localhost'),
  'network: name, by callback': () =>
    new Promise((done, fail) => dns.lookup('localhost', (error, address) => (error ? fail(error) : done(address)))),
  'environment: variables': () => {
    if (Object.keys(process.env).length === 0) throw new Error('empty');
  },
};
