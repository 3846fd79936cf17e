/**
 * System calls of a hostile host program: calls as WebAssembly makes them, with pointers into a memory, tried
 * on a granted folder that has ways out of it.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Wasi, type WasiOptions } from '../../../engine/cuda/wasi.ts';

const success = 0;
const home = mkdtempSync(join(tmpdir(), 'simsight-wasi-'));
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

/** The imports of a program that has all of them, over a memory of its own. */
function start(options: Partial<WasiOptions> = {}) {
  const wasi = new Wasi({
    ...{ programName: 'app', arguments: [], environment: [], folder: granted, writable: null },
    system: { console() {}, clockReading: 0, hostWork() {} } as unknown as WasiOptions['system'],
    ...options,
  });
  const memory = new WebAssembly.Memory({ initial: 1 });
  wasi.memory.attach(memory);
  const calls = wasi.imports(new WebAssembly.Module(importsOf(names))) as unknown as Record<
    string,
    (...args: (number | bigint)[]) => number
  >;
  const put = (text: string): [number, number] => {
    const bytes = new TextEncoder().encode(text);
    new Uint8Array(memory.buffer, 1024, bytes.length).set(bytes);
    return [1024, bytes.length];
  };
  const put2 = (text: string): [number, number] => {
    const bytes = new TextEncoder().encode(text);
    new Uint8Array(memory.buffer, 8192, bytes.length).set(bytes);
    return [8192, bytes.length];
  };
  const number = (at: number): number => new DataView(memory.buffer).getUint32(at, true);
  return {
    calls,
    memory,
    number,
    open: (folder: number, name: string, flags = 0, rights = 2n): number =>
      calls['path_open']!(folder, 1, ...put(name), flags, rights, rights, 0, 16),
    read(fd: number): string {
      new DataView(memory.buffer).setUint32(32, 4096, true);
      new DataView(memory.buffer).setUint32(36, 100, true);
      calls['fd_read']!(fd, 32, 1, 40);
      return new TextDecoder().decode(new Uint8Array(memory.buffer, 4096, number(40)));
    },
    named: (call: string, folder: number, name: string): number => calls[call]!(folder, ...put(name)),
    stat: (folder: number, name: string): number => calls['path_filestat_get']!(folder, 0, ...put(name), 16384),
    rename: (from: number, name: string, to: number, target: string): number =>
      calls['path_rename']!(from, ...put(name), to, ...put2(target)),
  };
}

const names = [
  ...['path_open', 'fd_read', 'path_unlink_file', 'path_create_directory', 'path_remove_directory', 'path_rename'],
  ...['path_symlink', 'path_link', 'path_filestat_get', 'path_readlink', 'environ_sizes_get', 'fd_prestat_get'],
  ...['sock_accept', 'sock_recv', 'sock_send', 'sock_shutdown', 'fd_close'],
];

/** A module that imports functions of these names and does nothing. */
function importsOf(list: readonly string[]): Uint8Array<ArrayBuffer> {
  const text = (value: string): number[] => [value.length, ...new TextEncoder().encode(value)];
  const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)]);
  const section = (id: number, content: number[]): number[] => [id, ...leb(content.length), ...content];
  const imports = list.flatMap((name) => [...text('wasi_snapshot_preview1'), ...text(name), 0, 0]);
  const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...section(1, [1, 0x60, 0, 0])];
  return new Uint8Array([...bytes, ...section(2, [list.length, ...imports])]);
}

const folderFd = 3;

describe('reading', () => {
  test('its own folder, and the folders in it: the checks below can fail', () => {
    const program = start();
    expect(program.open(folderFd, 'data.txt')).toBe(success);
    expect(program.read(program.number(16))).toBe('mine');
    expect(program.open(folderFd, 'sub/../data.txt')).toBe(success);
    expect(program.stat(folderFd, 'data.txt')).toBe(success);
  });

  test.each([
    '../secret.txt',
    'sub/../../secret.txt',
    '../granted-not/secret.txt',
    join(home, 'secret.txt'),
    '/etc/passwd',
    'link.txt',
    'up/secret.txt',
    '..',
    '.\0/../../secret.txt',
  ])('not %j', (name) => {
    const program = start();
    new DataView(program.memory.buffer).setUint32(16, 0xffff, true);
    // Absolute names are below the folder, where they lead nowhere.
    expect(program.open(folderFd, name)).not.toBe(success);
    expect(program.number(16)).toBe(0xffff);
    expect(program.stat(folderFd, name)).not.toBe(success);
  });

  test('not from a folder below, nor from what is no folder', () => {
    const program = start();
    expect(program.open(folderFd, 'sub', 2)).toBe(success);
    const sub = program.number(16);
    expect(program.open(sub, '../data.txt')).toBe(success);
    expect(program.open(sub, '../../secret.txt')).not.toBe(success);
    for (const fd of [0, 1, 2, 99, -1]) expect(program.open(fd, 'data.txt')).not.toBe(success);
  });

  test('nothing at all where no folder was granted', () => {
    const program = start({ folder: null });
    expect(program.calls['fd_prestat_get']!(3, 16)).not.toBe(success);
    for (let fd = 0; fd < 16; fd++) expect(program.open(fd, '.')).not.toBe(success);
  });
});

describe('writing', () => {
  test('not to its own folder, unless that was granted', () => {
    const program = start();
    expect(program.open(folderFd, 'new.txt', 1, 64n)).not.toBe(success);
    expect(program.open(folderFd, 'data.txt', 8, 64n)).not.toBe(success);
    for (const call of ['path_unlink_file', 'path_create_directory', 'path_remove_directory'])
      expect(program.named(call, folderFd, 'data.txt')).not.toBe(success);
    expect(program.rename(folderFd, 'data.txt', folderFd, 'x.txt')).not.toBe(success);
    expect(readFileSync(join(granted, 'data.txt'), 'utf8')).toBe('mine');
  });

  const writable = { path: output, name: 'output' };
  const outputFd = 4;

  test('to the granted one: the checks below can fail', () => {
    const program = start({ writable });
    expect(program.open(outputFd, 'new.txt', 1, 64n)).toBe(success);
    expect(existsSync(join(output, 'new.txt'))).toBe(true);
  });

  test.each(['../made.txt', 'up/made.txt', 'dangling.txt', join(home, 'made.txt'), '..'])('not %j', (name) => {
    const program = start({ writable });
    expect(program.open(outputFd, name, 1, 64n)).not.toBe(success);
    expect(program.named('path_create_directory', outputFd, name)).not.toBe(success);
    expect(existsSync(join(home, 'made.txt'))).toBe(false);
  });

  test('not away from where it is, nor into it from where it may only read', () => {
    const program = start({ writable });
    program.open(outputFd, 'moved.txt', 1, 64n);
    for (const target of ['../moved.txt', 'up/moved.txt'])
      expect(program.rename(outputFd, 'moved.txt', outputFd, target)).not.toBe(success);
    expect(program.rename(folderFd, 'data.txt', outputFd, 'taken.txt')).not.toBe(success);
    for (const name of ['../secret.txt', 'up/secret.txt'])
      expect(program.named('path_unlink_file', outputFd, name)).not.toBe(success);
    expect(readFileSync(join(home, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test('the granted folder itself stays', () => {
    const empty = join(home, 'empty');
    mkdirSync(empty);
    const program = start({ writable: { path: empty, name: 'empty' } });
    expect(program.named('path_remove_directory', outputFd, '.')).not.toBe(success);
    expect(existsSync(empty)).toBe(true);
  });
});

test('no links, no sockets', () => {
  const { calls } = start({ writable: { path: output, name: 'output' } });
  for (const name of names.filter((each) => /^sock_|^path_(sym)?link$/.test(each)))
    expect(calls[name]!(4, 1024, 1, 4, 2048, 1, 0), name).not.toBe(success);
});

test('no environment but what was given', () => {
  process.env['SIMSIGHT_SECRET'] = 'secret';
  const { calls, number } = start({ environment: ['A=1'] });
  calls['environ_sizes_get']!(16, 20);
  expect([number(16), number(20)]).toEqual([1, 4]);
});
