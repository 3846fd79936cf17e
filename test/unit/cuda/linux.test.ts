/**
 * System calls of a hostile host program: calls as its C library makes them, with pointers into a memory, tried on a granted folder
 * that has ways out of it.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Linux, type LinuxOptions } from '../../../engine/cuda/linux/calls.ts';
import { errno } from '../../../engine/cuda/linux/errno.ts';
import { openFlag } from '../../../engine/cuda/linux/files.ts';

const home = mkdtempSync(join(tmpdir(), 'simsight-linux-'));
const granted = join(home, 'granted');
const output = join(home, 'output');
for (const folder of [granted, join(granted, 'sub'), output, join(home, 'granted-not')]) mkdirSync(folder);
writeFileSync(join(granted, 'data.txt'), 'mine');
writeFileSync(join(home, 'secret.txt'), 'secret');
writeFileSync(join(home, 'granted-not', 'secret.txt'), 'secret');
symlinkSync(join(home, 'secret.txt'), join(granted, 'link.txt'));
symlinkSync(home, join(granted, 'up'));
symlinkSync(join(home, 'made.txt'), join(output, 'dangling.txt'));
symlinkSync(home, join(output, 'up'));

/** Numbers of Linux on x86-64. */
const call = {
  ...{ read: 0, write: 1, open: 2, close: 3, stat: 4, lseek: 8, rt_sigaction: 13, socket: 41, fork: 57, execve: 59 },
  ...{ getcwd: 79, chdir: 80, mkdir: 83, rmdir: 84, unlink: 87, symlink: 88, chmod: 90, link: 86, getdents64: 217 },
  ...{ clock_gettime: 228, openat: 257, renameat: 264, getrandom: 318 },
} as const;
const workingFolder = -100;
const { create, readWrite, truncate, directory } = openFlag;
const writes = readWrite | create;

/** A program's calls, over a memory of its own. */
function start(options: Partial<LinuxOptions> = {}) {
  const console: string[] = [];
  const linux = new Linux({
    ...{ programName: 'app', arguments: [], environment: [], folder: granted, writable: null },
    system: {
      console: (_: string, text: string) => void console.push(text),
      clockReading: 5,
      hostWork() {},
      notice() {},
    } as unknown as LinuxOptions['system'],
    ...options,
  });
  const memory = new WebAssembly.Memory({ initial: 1 });
  linux.memory.attach(memory);
  const { call: make } = linux.imports();
  const run = (number: number, ...words: number[]): number =>
    Number(make!(BigInt(number), ...Array.from({ length: 6 }, (_, i) => BigInt(words[i] ?? 0))));
  const put = (text: string, at = 1024): number => {
    new Uint8Array(memory.buffer).set(new TextEncoder().encode(`${text}\0`), at);
    return at;
  };
  const text = (at: number, length: number): string =>
    new TextDecoder().decode(new Uint8Array(memory.buffer, at, length));
  return {
    ...{ linux, run, put, text, console, memory },
    open: (name: string, flags = 0, folder: number = workingFolder): number =>
      run(call.openat, folder, put(name), flags, 0o644),
    read: (fd: number): string => text(4096, run(call.read, fd, 4096, 100)),
    named: (number: number, name: string): number => run(number, put(name), 0o755),
    rename: (from: string, to: string): number =>
      run(call.renameat, workingFolder, put(from), workingFolder, put(to, 8192)),
  };
}

describe('reading', () => {
  test('its own folder, and the folders in it: the checks below can fail', () => {
    const program = start();
    expect(program.read(program.open('data.txt'))).toBe('mine');
    expect(program.read(program.open('sub/../data.txt'))).toBe('mine');
    expect(program.read(program.open(join(granted, 'data.txt')))).toBe('mine');
    expect(program.read(program.open('/program/data.txt'))).toBe('mine');
    expect(program.run(call.stat, program.put('data.txt'), 16384)).toBe(0);
    expect(program.run(call.stat, program.put('data.txt'), 16384)).toBe(0);
    expect(new DataView(program.memory.buffer).getBigUint64(16384 + 48, true)).toBe(4n);
  });

  test('a file beside it that was granted, and nothing else there', () => {
    const program = start({ readable: [join(home, 'granted-not', 'secret.txt')] });
    for (const name of ['../granted-not/secret.txt', 'sub/../../granted-not/secret.txt'])
      expect(program.read(program.open(name))).toBe('secret');
    expect(program.open('../granted-not/secret.txt', readWrite)).toBe(-errno.rofs);
    for (const name of ['../secret.txt', '../granted-not', '../granted-not/secret.txt/../../secret.txt'])
      expect(program.open(name)).toBeLessThan(0);
    expect(program.linux.outside).toBe('../secret.txt');
  });

  test('a writable folder around it: paths that lead out of its own are what they are on the machine', () => {
    const program = start({ writable: { path: home, name: home } });
    expect(program.read(program.open('../secret.txt'))).toBe('secret');
    expect(program.named(call.chdir, 'sub')).toBe(0);
    expect(program.read(program.open('../../secret.txt'))).toBe('secret');
    expect(program.open('../made.txt', writes)).toBeGreaterThan(2);
    expect(program.named(call.unlink, '../made.txt')).toBe(0);
    expect(program.open('../../../outside.txt', writes)).toBeLessThan(0);
  });

  test.each([
    '../secret.txt',
    'sub/../../secret.txt',
    '../granted-not/secret.txt',
    join(home, 'secret.txt'),
    join(granted, '..', 'secret.txt'),
    `${granted}-not/secret.txt`,
    '/etc/passwd',
    'link.txt',
    'up/secret.txt',
    '..',
    '/',
    '',
    '/proc/self/environ',
    '/dev/tty',
  ])('not %j', (name) => {
    const program = start();
    expect(program.open(name)).toBeLessThan(0);
    expect(program.run(call.stat, program.put(name), 16384)).toBeLessThan(0);
    expect(program.named(call.chdir, name)).toBeLessThan(0);
  });

  test('not from a folder below, nor from what is no folder', () => {
    const program = start();
    const sub = program.open('sub', directory);
    expect(program.read(program.open('../data.txt', 0, sub))).toBe('mine');
    expect(program.open('../../secret.txt', 0, sub)).toBeLessThan(0);
    for (const fd of [0, 1, 2, 99, -1]) expect(program.open('data.txt', 0, fd)).toBeLessThan(0);
    expect(program.named(call.chdir, 'sub')).toBe(0);
    expect(program.open('../../secret.txt')).toBeLessThan(0);
    expect(program.text(4096, program.run(call.getcwd, 4096, 100))).toBe('/program/sub\0');
  });

  test('nothing at all where no folder was granted', () => {
    const program = start({ folder: null });
    for (const name of ['.', '/program', 'data.txt', granted]) expect(program.open(name)).toBe(-errno.noent);
  });

  test('folders in an order that is the same everywhere, without what tells machines apart', () => {
    const program = start();
    const bytes = program.run(call.getdents64, program.open('.', directory), 4096, 4096);
    const names = program.text(4096, bytes).match(/[\w.]{2,}/g);
    expect(names).toEqual(['data.txt', 'link.txt', 'sub', 'up']);
  });

  test('devices that give the same each time', () => {
    const [one, other] = [start(), start()].map((program) => program.read(program.open('/dev/urandom')));
    expect(one).toBe(other);
    const program = start();
    expect(program.read(program.open('/dev/null'))).toBe('');
  });
});

describe('writing', () => {
  test('not to its own folder, unless that was granted', () => {
    const program = start();
    expect(program.open('new.txt', writes)).toBe(-errno.rofs);
    expect(program.open('data.txt', readWrite | truncate)).toBe(-errno.rofs);
    for (const number of [call.unlink, call.mkdir, call.rmdir])
      expect(program.named(number, 'data.txt')).toBe(-errno.rofs);
    expect(program.rename('data.txt', 'x.txt')).toBe(-errno.rofs);
    expect(program.linux.refused).toBe('new.txt');
    expect(readFileSync(join(granted, 'data.txt'), 'utf8')).toBe('mine');
    const fd = program.open('data.txt');
    expect(program.run(call.write, fd, 1024, 4)).toBe(-errno.badf);
  });

  const writable = { path: output, name: 'output' };

  test('to the granted one: the checks below can fail', () => {
    const program = start({ writable });
    const fd = program.open('output/new.txt', writes);
    expect(program.run(call.write, fd, program.put('text'), 4)).toBe(4);
    expect(program.run(call.lseek, fd, -2, 1)).toBe(2);
    expect(program.read(fd)).toBe('xt');
    expect(readFileSync(join(output, 'new.txt'), 'utf8')).toBe('text');
  });

  test.each(['../made.txt', 'up/made.txt', 'dangling.txt', join(home, 'made.txt'), '..'])('not %j', (name) => {
    const program = start({ writable });
    const inside = name.startsWith('/') ? name : `output/${name}`;
    expect(program.open(inside, writes)).toBeLessThan(0);
    expect(program.named(call.mkdir, inside)).toBeLessThan(0);
    expect(existsSync(join(home, 'made.txt'))).toBe(false);
  });

  test('not away from where it is, nor into it from where it may only read', () => {
    const program = start({ writable });
    program.open('output/moved.txt', writes);
    for (const target of ['output/../moved.txt', 'output/up/moved.txt'])
      expect(program.rename('output/moved.txt', target)).toBeLessThan(0);
    expect(program.rename('data.txt', 'output/taken.txt')).toBeLessThan(0);
    for (const name of ['output/../secret.txt', 'output/up/secret.txt'])
      expect(program.named(call.unlink, name)).toBeLessThan(0);
    expect(readFileSync(join(home, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test('the granted folder itself stays', () => {
    const empty = join(home, 'empty');
    mkdirSync(empty);
    const program = start({ writable: { path: empty, name: 'empty' } });
    for (const name of ['empty', 'empty/.', empty]) expect(program.named(call.rmdir, name)).toBeLessThan(0);
    expect(existsSync(empty)).toBe(true);
  });
});

test('no processes, sockets, links, owners or rights', () => {
  const program = start({ writable: { path: output, name: 'output' } });
  for (const number of [call.socket, call.fork, call.execve, 56, 58, 101, 165, 250, 321])
    expect(program.run(number, 1024, 1024, 1024), String(number)).toBe(-errno.nosys);
  for (const number of [call.symlink, call.link, call.chmod])
    expect(program.run(number, program.put('output/a'), program.put('output/b', 8192))).toBe(-errno.rofs);
});

test('addresses outside of the memory are answers, not ends', () => {
  const program = start();
  const fd = program.open('data.txt');
  for (const address of [2 ** 40, -8]) expect(program.run(call.openat, workingFolder, address, 0)).toBe(-errno.fault);
  for (const address of [2 ** 40, -8, 65_530]) {
    expect(program.run(call.read, fd, address, 100)).toBe(-errno.fault);
    expect(program.run(call.clock_gettime, 0, address)).toBe(-errno.fault);
  }
});

test('handlers of signals that the program raises itself', () => {
  const { linux, run, memory } = start();
  const raised: [number, number][] = [];
  linux.onSignal = (handler, signal) => void raised.push([handler, signal]);
  new DataView(memory.buffer).setBigUint64(512, 77n, true);
  expect(run(call.rt_sigaction, 15, 512, 0, 8)).toBe(0);
  expect(run(200, 1000, 15)).toBe(0);
  expect(raised).toEqual([[77, 15]]);
  expect(() => run(200, 1000, 11)).toThrow('exit 139');
});

test('no environment but what was given', () => {
  process.env['SIMSIGHT_SECRET'] = 'secret';
  const { linux, memory } = start({ arguments: ['x'], environment: ['A=1'] });
  const { startup, startup_bytes: bytes } = linux.imports();
  const size = Number(bytes!());
  startup!(4096n);
  const words = new DataView(memory.buffer);
  const word = (index: number): number => Number(words.getBigUint64(4096 + 8 * index, true));
  const text = (at: number): string => linux.memory.terminated(at);
  expect([word(0), text(word(1)), text(word(2)), word(3)]).toEqual([2, 'app', 'x', 0]);
  expect([text(word(4)), word(5)]).toEqual(['A=1', 0]);
  expect(new TextDecoder().decode(new Uint8Array(memory.buffer, 4096, size))).not.toContain('secret');
});
