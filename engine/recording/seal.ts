/**
 * Takes from a thread what Node's permission model leaves it: the network, signals to other processes, and code from strings (of
 * which V8 is told as well where its flags can be set, see `start-program.ts`). Nothing of ours needs any of it there.
 *
 * This is the last of several walls: a program's WebAssembly has only functions of ours (`engine/base/program-imports.ts`), and its
 * thread only the rights of `rights.ts`.
 */
import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

function refuse(): never {
  throw new Error('Refused: programs have no network, no signals and no code from strings.');
}

/** For good: it can be neither put back nor covered. */
function close(owner: object, names: readonly string[]): void {
  for (const name of names) {
    if (!(name in owner)) continue;
    Object.defineProperty(owner, name, { value: refuse, writable: false, configurable: false });
  }
}

const functionsOf = (owner: object): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(owner))
    .filter(([name, { value }]) => name !== 'constructor' && typeof value === 'function')
    .map(([name]) => name);

const makers = [function () {}, async function () {}, function* () {}, async function* () {}];

export function sealThread(): void {
  close(net, ['connect', 'createConnection', 'createServer', '_createServerHandle', 'Server']);
  close(net.Socket.prototype, ['connect']);
  close(net.Server.prototype, ['listen', '_listen2']);
  close(dgram, ['createSocket', '_createSocketHandle']);
  close(dgram.Socket.prototype, functionsOf(dgram.Socket.prototype));
  close(dns, functionsOf(dns));
  close(dns.promises, functionsOf(dns.promises));
  for (const { prototype } of [dns.Resolver, dns.promises.Resolver])
    for (let of = prototype as object; of !== Object.prototype; of = Object.getPrototypeOf(of) as object)
      close(of, functionsOf(of));
  close(globalThis, ['fetch', 'WebSocket', 'EventSource', 'eval', 'Function']);
  close(process, ['kill', '_kill', 'abort', '_debugProcess', '_rawDebug', 'binding', '_linkedBinding', 'dlopen']);
  for (const maker of makers) close(Object.getPrototypeOf(maker) as object, ['constructor']);
}
