/**
 * The files of a host program: those below the folders that the user granted (the program's own, read only, and at most one that it
 * may write to), its consoles, and the few devices that programs open. Times, owners and inode numbers of the machine are not shown:
 * what a program sees is the same everywhere.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, posix, relative, sep } from 'node:path';
import type { SystemSimulator } from '../../system/types.ts';
import { errno, refuse } from './errno.ts';

export interface WritableFolder {
  path: string;
  /** Prefix of the program's paths: as the user typed it. */
  name: string;
}

export interface GrantedFolders {
  folder: string | null;
  writable: WritableFolder | null;
  /** Real paths of files and folders. */
  readable?: readonly string[];
}

/** A file or folder that the user granted. */
interface Grant {
  /** Real path on the machine. */
  path: string;
  /** Absolute path as the program knows it. */
  name: string;
  writable: boolean;
}

interface OpenFile {
  kind: 'file';
  file: number;
  position: number;
  readable: boolean;
  writable: boolean;
  append: boolean;
}

export type Descriptor =
  | { kind: 'stdin' }
  | { kind: 'console'; stream: 'stdout' | 'stderr'; decoder: TextDecoder }
  | { kind: 'folder'; path: string; name: string; entriesRead: number }
  | { kind: 'device'; device: 'null' | 'zero' | 'random' }
  | OpenFile;

export interface FileStatus {
  type: 'file' | 'folder' | 'characters';
  bytes: number;
}

/** `open`'s flags of Linux on x86-64. */
export const openFlag = {
  writeOnly: 1,
  readWrite: 2,
  create: 0o100,
  exclusive: 0o200,
  truncate: 0o1000,
  append: 0o2000,
  directory: 0o200000,
} as const;

/** The program's working folder, which stands for the folder that it was given. */
export const workingFolder = '/program';

const devices: Readonly<Record<string, 'null' | 'zero' | 'random'>> = {
  '/dev/null': 'null',
  '/dev/zero': 'zero',
  '/dev/random': 'random',
  '/dev/urandom': 'random',
};

/** Most bytes that a program may write to files, all together and into one, and most files and folders that it may make. */
const mostWritten = 4 * 2 ** 30;
const mostMade = 100_000;
/** Most bytes of a file that is read at once. */
const mostWhole = 2 ** 28;
/** A program that never flushes cannot make a line grow without end. */
const mostOfConsole = 65_536;
const errorTailLength = 2000;

/** The other way looks at each folder on the path, which programs may not. */
const realPath = (path: string): string => realpathSync.native(path);

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** Of absolute paths. */
const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

const ofSystem = /^\/(?:dev|etc|proc|sys|usr|var|lib\w*)\//;

export class ProgramFiles {
  private readonly system: Pick<SystemSimulator, 'console' | 'notice'>;
  private readonly grants: Grant[] = [];
  private readonly descriptors = new Map<number, Descriptor>();
  private folder = workingFolder;
  /** What {@link workingFolder} stands for, where the machine's paths are like the program's. */
  private readonly home: string | null = null;
  private randomState = 0x9e3779b9;
  private written = 0;
  private made = 0;
  /** The last of what the program wrote to stderr, for error messages. */
  errorTail = '';
  /** The first file that it was not allowed to write. Programs seldom ask whether they could open one, and fail by that later. */
  refused: string | null = null;
  /** The first file that it asked for outside of what it may read, but for those of a system. */
  outside: string | null = null;

  constructor(
    { folder, writable, readable = [] }: GrantedFolders,
    system: Pick<SystemSimulator, 'console' | 'notice'>,
  ) {
    this.system = system;
    this.descriptors.set(0, { kind: 'stdin' });
    this.descriptors.set(1, { kind: 'console', stream: 'stdout', decoder: new TextDecoder() });
    this.descriptors.set(2, { kind: 'console', stream: 'stderr', decoder: new TextDecoder() });
    // The source's folder may be the writable one, or in there: relative paths are then writable too.
    const isIn = folder !== null && writable !== null && isInside(realPath(writable.path), realPath(folder));
    if (folder !== null) {
      const path = realPath(folder);
      this.grants.push({ path, name: workingFolder, writable: isIn });
      // Under its own name as well, for programs that were told where their data are.
      if (sep === '/') this.grants.push({ path, name: (this.home = path), writable: isIn });
    }
    for (const path of readable) this.grants.push({ path, name: path.split(sep).join('/'), writable: false });
    if (writable !== null) {
      const path = realPath(writable.path);
      const name = posix.resolve(workingFolder, writable.name.split(sep).join('/'));
      for (const each of sep === '/' ? [name, path] : [name]) this.grants.push({ path, name: each, writable: true });
    }
  }

  /** Closes what the program left open. */
  end(): void {
    for (const descriptor of this.descriptors.values()) if (descriptor.kind === 'file') closeSync(descriptor.file);
    this.descriptors.clear();
  }

  get workingFolder(): string {
    return this.folder;
  }

  at(descriptor: number): Descriptor {
    return this.descriptors.get(descriptor) ?? refuse(errno.badf);
  }

  /** An absolute path as the program knows it; `from`: the folder's descriptor, or null for the working folder. */
  private absolute(from: number | null, name: string): string {
    if (name === '') refuse(errno.noent);
    if (posix.isAbsolute(name)) return posix.resolve(name);
    if (from === null) return this.relative(this.folder, name);
    const base = this.at(from);
    return base.kind === 'folder' ? this.relative(base.name, name) : refuse(errno.notdir);
  }

  /** `../data` from the working folder is beside what that stands for, if the user granted it. */
  private relative(folder: string, name: string): string {
    const path = posix.resolve(folder, name);
    if (this.home === null || isBelow(path, workingFolder) || !isBelow(folder, workingFolder)) return path;
    const real = posix.resolve(this.home + folder.slice(workingFolder.length), name);
    return this.grants.some((grant) => isBelow(real, grant.name)) ? real : path;
  }

  /** The grant that a path lies in, the innermost, and where it would be on the machine, links not followed yet. `askedFor`: noted where there is none. */
  private granted(path: string, askedFor?: string): { grant: Grant; place: string } {
    let found: Grant | undefined;
    for (const grant of this.grants) {
      if (isBelow(path, grant.name) && (!found || grant.name.length >= found.name.length)) found = grant;
    }
    if (!found) {
      if (askedFor !== undefined && !ofSystem.test(path)) this.outside ??= askedFor;
      refuse(errno.noent);
    }
    return { grant: found, place: join(found.path, path.slice(found.name.length)) };
  }

  /** The real path of what there is. Links are followed before the check, so nothing outside of the folder can be reached. */
  private existing(path: string): { grant: Grant; real: string } {
    const { grant, place } = this.granted(path);
    const real = realPath(place);
    return isInside(grant.path, real) ? { grant, real } : refuse(errno.acces);
  }

  /** The path of something to be made, changed or removed: only its folder has to be there, and writable. */
  private changeable(path: string, name: string): string {
    const { grant, place } = this.granted(path);
    if (!grant.writable) {
      this.refused ??= name;
      refuse(errno.rofs);
    }
    if (place === grant.path) refuse(errno.exist);
    const folder = realPath(dirname(place));
    return isInside(grant.path, folder) ? join(folder, basename(place)) : refuse(errno.acces);
  }

  open(from: number | null, name: string, flags: number): number {
    const path = this.absolute(from, name);
    const device = Object.hasOwn(devices, path) ? devices[path] : undefined;
    if (device !== undefined) return this.add({ kind: 'device', device });
    return this.add(this.openAt(path, name, flags));
  }

  private openAt(path: string, name: string, flags: number): Descriptor {
    const [create, exclusive, truncate, append] = (['create', 'exclusive', 'truncate', 'append'] as const).map(
      (flag) => (flags & openFlag[flag]) !== 0,
    );
    const writes = (flags & 3) !== 0 || truncate!;
    const place = this.granted(path, name);
    let real: string | null = null;
    try {
      ({ real } = this.existing(path));
    } catch (error) {
      if (!create || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    if ((writes || (create && real === null)) && !place.grant.writable) {
      this.refused ??= name;
      refuse(errno.rofs);
    }
    const opened = {
      kind: 'file',
      position: 0,
      readable: (flags & 3) !== 1,
      writable: writes,
      append: append!,
    } as const;
    if (real === null) {
      const made = this.changeable(path, name);
      this.makesOne();
      // A missing file is made exclusively: a dangling link is not followed out of the folder.
      return { ...opened, file: openSync(made, 'wx+') };
    }
    if (create && exclusive) refuse(errno.exist);
    const status = statSync(real);
    if (status.isDirectory()) {
      return writes ? refuse(errno.isdir) : { kind: 'folder', path: real, name: path, entriesRead: 0 };
    }
    if (flags & openFlag.directory) refuse(errno.notdir);
    // Devices and pipes are not files: who opens a pipe may wait for ever.
    if (!status.isFile()) refuse(errno.acces);
    return { ...opened, file: openSync(real, !writes ? 'r' : truncate ? 'w+' : 'r+') };
  }

  /** The lowest number that is free. */
  private add(descriptor: Descriptor): number {
    let number = 0;
    while (this.descriptors.has(number)) number++;
    this.descriptors.set(number, descriptor);
    return number;
  }

  close(number: number): void {
    const descriptor = this.at(number);
    if (descriptor.kind === 'file') closeSync(descriptor.file);
    this.descriptors.delete(number);
  }

  /** Reads what there is into the chunks; `from`: there, and the position stays. The number of bytes. */
  read(number: number, chunks: Uint8Array[], from?: number): number {
    const descriptor = this.at(number);
    switch (descriptor.kind) {
      case 'folder':
        return refuse(errno.isdir);
      case 'device': {
        if (descriptor.device === 'null') return 0;
        for (const chunk of chunks) {
          if (descriptor.device === 'random') this.fillRandom(chunk);
          else chunk.fill(0);
        }
        return chunks.reduce((sum, { length }) => sum + length, 0);
      }
      case 'file':
        break;
      default:
        return from === undefined ? 0 : refuse(errno.spipe);
    }
    if (!descriptor.readable) refuse(errno.badf);
    let total = 0;
    for (const chunk of chunks) {
      const count = readSync(descriptor.file, chunk, 0, chunk.length, (from ?? descriptor.position) + total);
      total += count;
      if (count < chunk.length) break;
    }
    if (from === undefined) descriptor.position += total;
    return total;
  }

  /** The whole of a file that the program may read; null where it cannot. Throws nothing. */
  whole(name: string): Uint8Array | null {
    try {
      const number = this.open(null, name, 0);
      try {
        const bytes = new Uint8Array(Math.min(this.status(number).bytes, mostWhole));
        return bytes.subarray(0, this.read(number, [bytes]));
      } finally {
        this.close(number);
      }
    } catch {
      return null;
    }
  }

  /** The number of bytes written. */
  write(number: number, chunks: Uint8Array[], at?: number): number {
    const descriptor = this.at(number);
    if (descriptor.kind === 'console') return this.writeConsole(descriptor, chunks);
    if (descriptor.kind === 'device') return chunks.reduce((sum, { length }) => sum + length, 0);
    if (descriptor.kind !== 'file' || !descriptor.writable) return refuse(errno.badf);
    if (descriptor.append) descriptor.position = fstatSync(descriptor.file).size;
    const start = at ?? descriptor.position;
    let total = 0;
    for (const chunk of chunks) {
      const end = start + total + chunk.length;
      if (this.written + chunk.length > mostWritten || end > mostWritten) {
        if (total > 0) break;
        this.noRoom();
      }
      total += writeSync(descriptor.file, chunk, 0, chunk.length, start + total);
      this.written += chunk.length;
    }
    if (at === undefined) descriptor.position += total;
    return total;
  }

  private writeConsole(descriptor: Extract<Descriptor, { kind: 'console' }>, chunks: Uint8Array[]): number {
    let written = 0;
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += mostOfConsole) {
        const text = descriptor.decoder.decode(chunk.slice(at, at + mostOfConsole), { stream: true });
        if (text === '') continue;
        this.system.console(descriptor.stream, text);
        if (descriptor.stream === 'stderr') this.errorTail = (this.errorTail + text).slice(-errorTailLength);
      }
      written += chunk.length;
    }
    return written;
  }

  /** The new position. `whence`: from the beginning, the position, the end. */
  seek(number: number, offset: number, whence: number): number {
    const descriptor = this.at(number);
    if (descriptor.kind === 'folder') return (descriptor.entriesRead = offset);
    if (descriptor.kind === 'device') return 0;
    if (descriptor.kind !== 'file') return refuse(errno.spipe);
    const base = [0, descriptor.position, fstatSync(descriptor.file).size][whence] ?? refuse(errno.inval);
    if (base + offset < 0) refuse(errno.inval);
    return (descriptor.position = base + offset);
  }

  truncate(number: number, bytes: number): void {
    const descriptor = this.at(number);
    if (descriptor.kind !== 'file' || !descriptor.writable) return refuse(errno.inval);
    if (bytes > mostWritten) this.noRoom();
    ftruncateSync(descriptor.file, bytes);
  }

  status(number: number): FileStatus {
    const descriptor = this.at(number);
    if (descriptor.kind === 'folder') return { type: 'folder', bytes: 0 };
    if (descriptor.kind !== 'file') return { type: 'characters', bytes: 0 };
    return { type: 'file', bytes: fstatSync(descriptor.file).size };
  }

  statusOf(from: number | null, name: string): FileStatus {
    const path = this.absolute(from, name);
    if (Object.hasOwn(devices, path)) return { type: 'characters', bytes: 0 };
    const status = statSync(this.existing(path).real);
    return status.isDirectory() ? { type: 'folder', bytes: 0 } : { type: 'file', bytes: status.size };
  }

  /** Whether what there is may be written to. */
  isWritable(from: number | null, name: string): boolean {
    const path = this.absolute(from, name);
    return Object.hasOwn(devices, path) || this.existing(path).grant.writable;
  }

  /** Entries of an open folder, sorted by name: the order of a real folder differs between machines. */
  entries(number: number): { name: string; type: FileStatus['type'] }[] {
    const descriptor = this.at(number);
    if (descriptor.kind !== 'folder') return refuse(errno.notdir);
    const entries = readdirSync(descriptor.path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    return entries.map((entry) => ({ name: entry.name, type: entry.isDirectory() ? 'folder' : 'file' }));
  }

  makeFolder(from: number | null, name: string): void {
    const path = this.changeable(this.absolute(from, name), name);
    this.makesOne();
    mkdirSync(path);
  }

  remove(from: number | null, name: string, isFolder: boolean): void {
    const path = this.changeable(this.absolute(from, name), name);
    if (isFolder) rmdirSync(path);
    else unlinkSync(path);
  }

  rename(from: number | null, name: string, toFrom: number | null, toName: string): void {
    const source = this.changeable(this.absolute(from, name), name);
    renameSync(source, this.changeable(this.absolute(toFrom, toName), toName));
  }

  changeFolder(name: string): void {
    const path = this.absolute(null, name);
    if (!statSync(this.existing(path).real).isDirectory()) refuse(errno.notdir);
    this.folder = path;
  }

  /** A second number for the same open file; `to`: this one. */
  duplicate(number: number, to?: number): number {
    const descriptor = this.at(number);
    if (number === to) return to;
    // Two numbers with one position each would not be what `dup` gives; consoles have none.
    if (descriptor.kind === 'file') refuse(errno.nosys);
    if (to === undefined) return this.add(descriptor);
    if (this.descriptors.has(to)) this.close(to);
    this.descriptors.set(to, descriptor);
    return to;
  }

  /** xorshift32: the same numbers in every run. */
  fillRandom(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index++) {
      let x = this.randomState;
      x ^= x << 13;
      x ^= x >>> 17;
      x ^= x << 5;
      this.randomState = x;
      bytes[index] = x & 0xff;
    }
  }

  /** Tells the program that the disk is full. */
  private noRoom(): never {
    this.system.notice(
      `The program may write ${mostWritten / 2 ** 30} GiB and make ${mostMade} files and folders; to it, the disk is full now.`,
    );
    return refuse(errno.nospc);
  }

  private makesOne(): void {
    if (++this.made > mostMade) this.noRoom();
  }
}
