/**
 * The rules for writing over files, in one place for all that write: regular files alone, and of those only what the writer says it may
 * replace. Links are followed first, so that what is replaced is the file and not the link, and a link to a device is a device.
 *
 *   const path = traceTarget('run.simsight');                            // absent, or a trace
 *   const path = exportTarget('run.html', { force: true, holds: 'text', inputs: ['run.simsight'] });
 *
 * Devices, FIFOs, sockets and folders are never opened, let alone replaced; nor are databases and sources of somebody else.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileError, SimsightError } from './errors.ts';
import { headOf } from './head.ts';

/** "SIMS" in the header of SQLite: what says that a file is a trace of ours. */
export const applicationId = 0x53494d53;

/** A `database` is one of somebody else. */
export type Found = 'nothing' | 'empty' | 'trace' | 'database' | 'file';

export interface Target {
  /** Path with all links followed. */
  path: string;
  found: Found;
}

const otherName = 'Choose another name.';
const refusal = (path: string, what: string, remedy = otherName): SimsightError =>
  new SimsightError('file-not-allowed', `${path} ${what}.`, remedy, { file: path });

/** The file at the target; throws where no file can be written, without having touched anything. */
export function targetAt(name: string): Target {
  if (name === '-')
    throw refusal(
      name,
      'means standard output, which cannot hold this file',
      'Name a file; for one called "-", write "./-"',
    );
  if (name.includes('\0')) throw refusal(JSON.stringify(name), 'is not a file name');
  const full = resolve(name);
  try {
    const path = isOfSystem(full) ? null : followed(full);
    if (path === null || isOfSystem(path)) throw refusal(name, 'lies in a system folder, which is not for files');
    return { path, found: foundAt(name, path) };
  } catch (error) {
    throw fileError(error, name) ?? error;
  }
}

/** For a recording: nothing, an empty file or a trace of ours, which it takes the place of. */
export function traceTarget(name: string): string {
  const { path, found } = targetAt(name);
  if (found === 'database')
    throw refusal(name, 'exists and is a database of another program, not a trace', 'Choose another output file.');
  if (found === 'file') throw refusal(name, 'exists and is not a trace', 'Choose another output file.');
  return path;
}

/** SQLite takes 512 bytes (MAX_PATHNAME), with what stands behind the name of a file that is being written, and of its log. */
const longestTrace = 512 - 36;

/** The same before anything is done for it, also where its folder is yet to be made. */
export function checkTraceTarget(name: string): void {
  const full = resolve(name);
  if (Buffer.byteLength(full) > longestTrace)
    throw refusal(
      `${full.slice(0, 60)} …`,
      `is a path of more than ${longestTrace} bytes, which is too long for a trace`,
    );
  if (isOfSystem(full) || name === '-' || existsSync(dirname(full))) traceTarget(name);
}

/** Throws where there is a trace already, which the user has not allowed to replace. */
export function refuseTrace(name: string, force: boolean): void {
  const full = resolve(name);
  if (force || isOfSystem(full) || name === '-' || !existsSync(dirname(full))) return;
  if (targetAt(name).found === 'trace')
    throw refusal(name, 'exists, and is a trace', 'Choose another name, or add --force to replace it.');
}

export interface ExportOrder {
  /** True if the user allowed a file to be written over. */
  force: boolean;
  /** The kind of content: a file of another kind is not written over, whatever the user allowed. */
  holds: 'text' | 'data' | 'database';
  /** The files that it is made of. */
  inputs?: readonly string[];
}

/** Files that people write themselves. */
const sources =
  /\.(cu|cuh|c|cc|cpp|cxx|h|hh|hpp|hxx|inl|ptx|py|ts|js|sh|cmake|toml|yaml|yml|ipynb)$|(^|[/\\])(Makefile|CMakeLists\.txt)$/i;

/** For what is made of a trace, or of another tool's recording. */
export function exportTarget(name: string, { force, holds, inputs = [] }: ExportOrder): string {
  const { path, found } = targetAt(name);
  const inPlace = inputs.find((input) => isSameFile(input, path));
  if (inPlace !== undefined) throw refusal(name, `is the input, and cannot be overwritten`);
  if (found === 'nothing') return path;
  // Traces and sources cannot be made again.
  if (path.endsWith('.simsight') || name.endsWith('.simsight')) throw refusal(name, 'exists');
  if (found !== 'empty' && sources.test(path)) throw refusal(name, 'exists, and is a source');
  if (!force) throw refusal(name, 'exists', 'Choose another name, or add --force.');
  if ((found === 'trace' || found === 'database') && holds !== 'database')
    throw refusal(name, 'exists, and is a database');
  return path;
}

/** For a small file of ours that somebody else's may not stand in for: whoever writes it has read it before. */
export function ownTarget(name: string): string {
  const { path, found } = targetAt(name);
  if (found === 'trace' || found === 'database') throw refusal(name, 'exists, and is a database');
  return path;
}

/** Devices and what programs have open, among it `/dev/stdout`: to rename a file to such a name would take it from everybody. */
const isOfSystem = (path: string): boolean => /^\/(dev|proc|sys)(\/|$)/.test(path) && !path.startsWith('/dev/shm/');

/** The path without links. What is missing may only be the file itself. */
function followed(full: string): string {
  const folder = dirname(full);
  const parent = statSync(folder, { throwIfNoEntry: false });
  if (!parent?.isDirectory()) {
    throw new SimsightError('file-not-found', `The folder ${folder} does not exist.`, 'Create it, or choose another.', {
      file: full,
    });
  }
  const link = lstatSync(full, { throwIfNoEntry: false });
  if (!link?.isSymbolicLink()) return writable(join(realpathSync(folder), basename(full)));
  try {
    return writable(realpathSync(full));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // The link of an open file may lead to no path.
    const to = readlinkSync(full);
    throw refusal(full, `is a link to ${to}, which does not exist`);
  }
}

/** A file is written beside the one it replaces, so its folder has to accept it. */
function writable(path: string): string {
  accessSync(dirname(path), constants.W_OK);
  return path;
}

function foundAt(name: string, path: string): Found {
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info) return 'nothing';
  if (info.isDirectory()) {
    throw new SimsightError('file-is-directory', `${name} is a folder.`, 'Give the name of a file to write.', {
      file: name,
    });
  }
  if (!info.isFile()) throw refusal(name, `is ${kindOf(info)}, not a regular file`);
  if ((info.mode & 0o222) === 0) throw refusal(name, 'exists and is write-protected');
  return info.size === 0 ? 'empty' : kindOfContent(headOf(path, headBytes));
}

const kindOf = (info: Stats): string => (info.isFIFO() ? 'a FIFO' : info.isSocket() ? 'a socket' : 'a device');

/** Length of SQLite's header. */
const headBytes = 100;

function kindOfContent(head: Buffer): Found {
  if (head.toString('latin1', 0, 15) !== 'SQLite format 3') return 'file';
  return head.length >= 72 && head.readUInt32BE(68) === applicationId ? 'trace' : 'database';
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** The files that SQLite keeps beside another, and how each is recognized. */
const companions: readonly [end: string, isOne: (head: Buffer, size: number) => boolean][] = [
  // sqlite.org/walformat.html: the header, with pages of 4096 bytes as in all traces; the index begins with its version.
  ['-wal', (head) => /^377f068[23]002de21800001000/.test(head.toString('hex', 0, 12))],
  ['-shm', (head, size) => size % 32768 === 0 && [0, 3007000].includes(head.readUInt32LE(0))],
  // sqlite.org/fileformat2.html: its magic, or zeros once it is done with.
  ['-journal', (head) => /^(d9d505f920a163d7|0{16})/.test(head.toString('hex', 0, 8))],
];

/**
 * Throws where SQLite would take somebody else's file for its log of the trace at `path`, and write to it; and where the log is all that
 * is left of a trace, whose file was moved away without it.
 */
export function checkLogs(path: string, options: { belongsToNothing: boolean } = { belongsToNothing: false }): void {
  for (const [end, isOne] of companions) {
    const beside = path + end;
    const info = lstatSync(beside, { throwIfNoEntry: false });
    if (!info) continue;
    if (!info.isFile()) throw refusal(beside, `is in the way: it is not a regular file`);
    if (info.size === 0) continue;
    if (!isOne(headOf(beside, headBytes), info.size))
      throw refusal(beside, 'is in the way: it is not the log of a trace', 'Move it, or choose another name.');
    if (end === '-wal' && options.belongsToNothing)
      throw refusal(
        beside,
        `is the log of a trace that is no longer beside it`,
        `Put both back together, or delete the log.`,
      );
  }
}
