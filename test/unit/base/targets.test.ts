/** Files that may be overwritten: only regular files, and none that somebody would miss. */
import Database from 'better-sqlite3';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileError, reportOf } from '../../../engine/base/errors.ts';
import { readSmallFile, replaceFile } from '../../../engine/base/replace-file.ts';
import { exportTarget, targetAt, traceTarget } from '../../../engine/base/targets.ts';
import { removeAbandoned, unfinishedName } from '../../../engine/base/unfinished-files.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { createTraceWriter, rowsPerCommit } from '../../../engine/trace/writer.ts';
import { end, events, facts, kernel, temporaryFolder, write } from '../trace/example-recording.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });
const refused = code('file-not-allowed') as Error;

function foreign(name: string): string {
  const db = new Database(at(name));
  db.exec('CREATE TABLE accounts (sum INTEGER); INSERT INTO accounts VALUES (1000000)');
  db.close();
  return at(name);
}

test('devices, FIFOs, sockets, folders and links to them are no targets, and are not even opened', () => {
  // A FIFO that is opened waits for ever: this test would not end.
  const nodes = { fifo: ['p'], device: ['c', '1', '3'], endless: ['c', '1', '5'] };
  for (const [name, words] of Object.entries(nodes)) {
    if (spawnSync('mknod', [at(name), ...words]).status !== 0) continue;
    symlinkSync(at(name), at(`to-${name}`));
    for (const path of [at(name), at(`to-${name}`)]) {
      expect(() => targetAt(path)).toThrow(/not a regular file/);
      expect(() => createTraceWriter(path, facts)).toThrow(refused);
      expect(() => replaceFile(path, '')).toThrow(refused);
      expect(() => readSmallFile(path, 100)).toThrow('it is not a regular file');
    }
    expect(lstatSync(at(name)).isFile()).toBe(false);
  }
  expect(existsSync(at('fifo'))).toBe(true);
  const server = createServer().listen(at('socket'));
  onTestFinished(() => void server.close());
  mkdirSync(at('a-folder'));
  symlinkSync(at('nothing'), at('to-nothing'));
  symlinkSync(at('circle'), at('circle'));
  expect(() => targetAt(at('a-folder'))).toThrow(code('file-is-directory') as Error);
  for (const name of ['to-nothing', 'circle']) expect(() => targetAt(at(name))).toThrow(refused);
  expect(readlinkSync(at('to-nothing'))).toBe(at('nothing'));
});

test('standard output and what else is the operating system’s is no place for a file', () => {
  for (const name of ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', '/dev/not-there', '/sys/x'])
    expect(() => targetAt(name)).toThrow(refused);
});

test('a recording takes the place of a trace, of an empty file, of nothing; never of a database or a text', () => {
  expect(traceTarget(at('new.simsight'))).toBe(at('new.simsight'));
  writeFileSync(at('empty'), '');
  expect(targetAt(at('empty')).found).toBe('empty');
  const bytes = readFileSync(foreign('bank.simsight'));
  expect(() => createTraceWriter(at('bank.simsight'), facts)).toThrow(/is a database of another program/);
  expect(readFileSync(at('bank.simsight')).equals(bytes)).toBe(true);
  writeFileSync(at('cut.simsight'), 'SQLite format 3\0');
  expect(() => traceTarget(at('cut.simsight'))).toThrow(refused);
  writeFileSync(at('protected.simsight'), '', { mode: 0o444 });
  expect(() => traceTarget(at('protected.simsight'))).toThrow(/write-protected/);
});

test('through a link the file is replaced and the link stays; another name of the file keeps the old content', () => {
  const path = write(at('linked.simsight'), events);
  symlinkSync('linked.simsight', at('latest.simsight'));
  linkSync(path, at('other-name.simsight'));
  const bytes = readFileSync(path);
  const writer = createTraceWriter(at('latest.simsight'), { ...facts, title: 'new' });
  writer.append(events);
  writer.finish(end);
  expect(readlinkSync(at('latest.simsight'))).toBe('linked.simsight');
  expect(openTrace(path).info.title).toBe('new');
  expect(readFileSync(at('other-name.simsight')).equals(bytes)).toBe(true);
  replaceFile(at('state.json'), '1');
  symlinkSync('state.json', at('to-state.json'));
  replaceFile(at('to-state.json'), '2');
  expect(readFileSync(at('state.json'), 'utf8')).toBe('2');
});

describe('what a recording needs beside its file', () => {
  const cases: [end: string, content: string][] = [
    ['.previous', 'a diary'],
    ['-wal', 'a diary'],
    ['-shm', 'a diary'],
    ['-journal', 'a diary'],
    ['.previous-wal', 'a diary'],
  ];
  test.each(cases)('somebody else’s at %s is refused, and stays', (ending, content) => {
    const path = write(at(`beside${ending}.simsight`), events);
    const [bytes, names] = [readFileSync(path), readdirSync(folder)];
    writeFileSync(path + ending, content);
    expect(() => createTraceWriter(path, facts)).toThrow(/is in the way/);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readFileSync(path + ending, 'utf8')).toBe(content);
    expect(readdirSync(folder)).toHaveLength(names.length + 1);
  });

  test('a name that earlier versions wrote to, and the name before for a new trace, are nobody’s business', () => {
    for (const ending of ['.new', '.previous']) writeFileSync(`${at('fresh.simsight')}${ending}`, 'a diary');
    write(at('fresh.simsight'), events);
    for (const ending of ['.new', '.previous'])
      expect(readFileSync(`${at('fresh.simsight')}${ending}`, 'utf8')).toBe('a diary');
  });

  test('the log of a trace that was moved away without it is not thrown away', () => {
    const path = at('moved.simsight');
    const writer = createTraceWriter(path, facts);
    writer.append(Array.from({ length: rowsPerCommit }, (_, i) => kernel(i, i + 1, i)));
    const log = readFileSync(`${path}-wal`);
    writer.abandon();
    writeFileSync(`${path}-wal`, log);
    expect(() => createTraceWriter(path, facts)).toThrow(/is the log of a trace that is no longer beside it/);
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
  });
});

test('exports replace what exports wrote, where that is allowed, and nothing else', () => {
  const order = { force: true, holds: 'text' as const };
  writeFileSync(at('old.html'), 'old');
  expect(exportTarget(at('old.html'), order)).toBe(at('old.html'));
  expect(() => exportTarget(at('old.html'), { ...order, force: false })).toThrow(/add --force|exists/);
  expect(() => exportTarget(at('old.html'), { ...order, inputs: [at('old.html')] })).toThrow(/is the input/);
  writeFileSync(at('app.cu'), 'int main() {}');
  expect(() => exportTarget(at('app.cu'), order)).toThrow(/is a source/);
  write(at('kept.simsight'), events);
  symlinkSync(at('kept.simsight'), at('page.html'));
  foreign('bank.html');
  for (const name of ['kept.simsight', 'page.html', 'bank.html'])
    expect(() => exportTarget(at(name), order)).toThrow(refused);
});

test('what a process left that was killed while it wrote goes, and nothing else', () => {
  const path = at('abandoned.json');
  const own = unfinishedName(path);
  const child = spawnSync(process.execPath, ['-e', 'console.log(process.pid)'], { encoding: 'utf8' });
  const gone = own.replace(/\.\d+-/, `.${child.stdout.trim()}-`);
  const others = [own, gone.replace(/-[0-9a-f]{6}-/, '-000000-'), `${path}.new`, `${path}.1.new`];
  for (const name of [gone, `${gone}-journal`, ...others]) writeFileSync(name, '');
  removeAbandoned(path);
  expect(
    readdirSync(folder)
      .filter((name) => name.startsWith('abandoned'))
      .sort(),
  ).toEqual(others.map((name) => name.slice(folder.length + 1)).sort());
});

test('errors of the file system name the file and the remedy, and are no fault of ours', () => {
  const system = (name: string): Error =>
    Object.assign(new Error(`${name}: words, write`), { code: name, syscall: 'write', errno: -1 });
  for (const name of ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EMFILE', 'EIO', 'EXDEV', 'ENAMETOOLONG']) {
    const { code: found, message, remedy } = reportOf(system(name));
    expect(found).not.toBe('internal');
    expect(message).toMatch(/^A file cannot be (written|used): .+\.$/);
    if (name !== 'EXDEV') expect(remedy).toMatch(/\.$/);
    expect(fileError(system(name), '/x/y')).toMatchObject({ place: { file: '/x/y' } });
  }
  expect(fileError(system('ENOSPC'), '/x/y')!.message).toBe('/x/y cannot be written: disk full.');
  for (const name of ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_READONLY_DIRECTORY', 'SQLITE_CANTOPEN'])
    expect(reportOf(new Database.SqliteError('words', name)).code).not.toBe('internal');
  expect(reportOf(new Database.SqliteError('no such table', 'SQLITE_ERROR')).code).toBe('internal');
  expect(reportOf(new TypeError('x is not a function')).code).toBe('internal');
});
