/**
 * Takes from the program's thread what it does not need, should somebody ever run JavaScript in it: the functions of Node's modules, the
 * network, signals to other processes, and code from strings (of which V8 is told as well where its flags can be set, see
 * `start-program.ts`). Our own code has what it imported.
 *
 * This is the last of several walls: a program's WebAssembly has only functions of ours (`engine/base/program-imports.ts`), and its
 * thread only the rights of `rights.ts`. But Node's permission model knows nothing of networks and signals, its SQLite opens any file
 * (Node 24), and so does `realpathSync` look at any.
 */
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import inspector from 'node:inspector';
import module from 'node:module';
import net from 'node:net';
import threads from 'node:worker_threads';
import v8 from 'node:v8';
import vm from 'node:vm';

function refuse(): never {
  throw new Error('Refused: programs have no files but those of their folder, no network, and no code from strings.');
}

/** For good: they can be neither put back nor covered. */
function close(owner: object, names: readonly string[] = functionsOf(owner)): void {
  for (const name of names) {
    // Deleted first, and not read: reading or replacing `WebSocket` loads Node's HTTP client, which takes 40 ms.
    if (name in owner && Reflect.deleteProperty(owner, name))
      Object.defineProperty(owner, name, { value: refuse, writable: false, configurable: false });
  }
}

const functionsOf = (owner: object): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(owner))
    .filter(([name, { value }]) => name !== 'constructor' && typeof value === 'function')
    .map(([name]) => name);

const functions = [function () {}, async function () {}, function* () {}, async function* () {}];

export function sealThread(): void {
  // Opened by its name alone it would still be whole. Electron may be built without it.
  const sqlite = (process.getBuiltinModule as ((name: string) => object | undefined) | undefined)?.('node:sqlite');
  for (const { prototype } of [dns.Resolver, dns.promises.Resolver])
    for (let of = prototype as object; of !== Object.prototype; of = Object.getPrototypeOf(of) as object) close(of);
  close(net.Socket.prototype, ['connect']);
  close(net.Server.prototype, ['listen', '_listen2']);
  close(dgram.Socket.prototype);
  const modules = [childProcess, dgram, dns, dns.promises, fs, fs.promises, inspector, module, net, threads, v8, vm];
  for (const each of [...modules, ...(sqlite ? [sqlite] : [])]) close(each);
  close(globalThis, ['fetch', 'WebSocket', 'EventSource', 'Worker', 'eval', 'Function']);
  close(process, [
    'kill',
    '_kill',
    'abort',
    'binding',
    '_linkedBinding',
    'dlopen',
    'getBuiltinModule',
    'execve',
    'loadEnvFile',
  ]);
  for (const each of functions) close(Object.getPrototypeOf(each) as object, ['constructor']);
}
