/**
 * The operating system of host programs: WASI preview 1 of our own. Node's is no sandbox and shows the real clock; here
 * time is the simulated host's, random numbers are the same in every run, and the only files are those below the folders
 * that the user granted: the program's own, read only, and at most one that it may write to.
 *
 * Functions return an errno; names and structs are those of the WASI specification (wasi_snapshot_preview1).
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
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { own } from '../base/program-imports.ts';
import { ns } from '../base/units.ts';
import type { SystemSimulator } from '../system/types.ts';
import { ProgramMemory } from './program-memory.ts';

const errno = {
  success: 0,
  acces: 2,
  badf: 8,
  exist: 20,
  fault: 21,
  fbig: 22,
  inval: 28,
  io: 29,
  isdir: 31,
  loop: 32,
  nametoolong: 37,
  nfile: 41,
  noent: 44,
  nospc: 51,
  notempty: 55,
  nosys: 52,
  notdir: 54,
  perm: 63,
  rofs: 69,
  spipe: 70,
  notcapable: 76,
};

/** Calls of the specification that nobody is given, and what they say. */
const refusedCalls: Record<string, number> = {
  fd_advise: errno.rofs,
  fd_allocate: errno.rofs,
  fd_fdstat_set_rights: errno.rofs,
  fd_filestat_set_times: errno.rofs,
  fd_renumber: errno.rofs,
  path_filestat_set_times: errno.rofs,
  path_link: errno.rofs,
  path_symlink: errno.rofs,
  sock_accept: errno.nosys,
  sock_recv: errno.nosys,
  sock_send: errno.nosys,
  sock_shutdown: errno.nosys,
};

const fileType = { characterDevice: 2, directory: 3, regularFile: 4 };

/** Rights bits of WASI that matter to the C library: it refuses calls that it has no right for. */
const rights = {
  read: 1n << 1n,
  seek: 1n << 2n,
  tell: 1n << 5n,
  write: 1n << 6n,
  readdir: 1n << 14n,
  all: (1n << 30n) - 1n,
};

/** 2026-01-01T00:00:00Z: when every recording begins. */
export const epochNanoseconds = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;

/** Most bytes that a program may write to files, all together and into one, and most files and folders that it may make. */
const mostWritten = 4 * 2 ** 30;
const mostMade = 100_000;
/** A program that never flushes cannot make a line grow without end. */
const maxConsoleChunk = 65_536;
/** About what `clock_gettime` takes without entering the kernel (vDSO, x86-64): programs that poll the clock get on. */
const clockReadNanoseconds = 20;

export class ProgramExit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

export interface WasiOptions {
  programName: string;
  arguments: string[];
  /** `NAME=VALUE`. */
  environment: string[];
  /** Readable by the program, as its working directory; null: no files. */
  folder: string | null;
  /** A folder that the program may write to, under the name that it uses for it; null: none. */
  writable: WritableFolder | null;
  system: SystemSimulator;
}

export interface WritableFolder {
  path: string;
  /** Prefix of the program's paths: as the user typed it. */
  name: string;
}

/** A folder that the user granted. */
interface Grant {
  path: string;
  name: string;
  writable: boolean;
}

type Descriptor =
  | { kind: 'stdin' }
  | { kind: 'console'; stream: 'stdout' | 'stderr'; decoder: TextDecoder }
  | { kind: 'folder'; path: string; preopen: boolean; grant: Grant }
  | { kind: 'file'; file: number; position: number; writable: boolean; append: boolean };

type WasiFunction = (...args: never[]) => number;

export class Wasi {
  private readonly options: WasiOptions;
  private readonly descriptors = new Map<number, Descriptor>();
  readonly memory = new ProgramMemory();
  private readonly encoder = new TextEncoder();
  private randomState = 0x9e3779b9;
  private written = 0;
  private made = 0;
  /** The last of what the program wrote to stderr, for error messages. */
  errorTail = '';
  /** The first file that it was not allowed to write. Programs seldom ask whether they could open one, and fail by that later. */
  refused: string | null = null;

  constructor(options: WasiOptions) {
    this.options = options;
    this.descriptors.set(0, { kind: 'stdin' });
    this.descriptors.set(1, { kind: 'console', stream: 'stdout', decoder: new TextDecoder() });
    this.descriptors.set(2, { kind: 'console', stream: 'stderr', decoder: new TextDecoder() });
    const { folder, writable } = options;
    // The source's folder may be the writable one: relative paths are then writable too.
    const isSame = folder !== null && writable !== null && realPath(folder) === realPath(writable.path);
    if (folder !== null) this.grant({ path: folder, name: '.', writable: isSame });
    if (writable !== null) this.grant({ ...writable, writable: true });
  }

  private grant({ path, name, writable }: Grant): void {
    const real = realPath(path);
    const grant = { path: real, name, writable };
    this.descriptors.set(this.freeDescriptor(), { kind: 'folder', path: real, preopen: true, grant });
  }

  private freeDescriptor(): number {
    let fd = 3;
    while (this.descriptors.has(fd)) fd++;
    return fd;
  }

  /** Closes what the program left open. */
  end(): void {
    for (const descriptor of this.descriptors.values()) if (descriptor.kind === 'file') closeSync(descriptor.file);
    this.descriptors.clear();
  }

  /** xorshift32: the same numbers in every run. */
  private nextRandom(): number {
    let x = this.randomState;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.randomState = x;
    return x & 0xff;
  }

  private writeConsole(descriptor: Extract<Descriptor, { kind: 'console' }>, chunks: Uint8Array[]): number {
    let written = 0;
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += maxConsoleChunk) {
        const text = descriptor.decoder.decode(chunk.slice(at, at + maxConsoleChunk), { stream: true });
        if (text === '') continue;
        this.options.system.console(descriptor.stream, text);
        if (descriptor.stream === 'stderr') this.errorTail = (this.errorTail + text).slice(-2000);
      }
      written += chunk.length;
    }
    return written;
  }

  /**
   * The real path of what a program names, or an errno. Links are followed before the check, so nothing outside of the
   * folder can be reached.
   */
  private resolve(descriptor: Descriptor | undefined, name: string): string | number {
    if (descriptor?.kind !== 'folder') return descriptor ? errno.notdir : errno.badf;
    let real: string;
    try {
      real = realPath(join(descriptor.path, name));
    } catch (error) {
      return fileError(error);
    }
    return isInside(descriptor.grant.path, real) ? real : errno.notcapable;
  }

  /** The path of something to be made, changed or removed: only its folder has to be there, and writable. */
  private resolveWritable(descriptor: Descriptor | undefined, name: string): string | number {
    if (descriptor?.kind !== 'folder') return descriptor ? errno.notdir : errno.badf;
    if (!descriptor.grant.writable) return errno.rofs;
    const path = join(descriptor.path, name);
    if (path === descriptor.grant.path) return path;
    const folder = this.resolve(descriptor, relative(descriptor.path, dirname(path)) || '.');
    return typeof folder === 'number' ? folder : join(folder, basename(path));
  }

  /** Resolves a path as above, of something that goes away: never the granted folder itself. */
  private resolveRemovable(descriptor: Descriptor | undefined, name: string): string | number {
    const path = this.resolveWritable(descriptor, name);
    return descriptor?.kind === 'folder' && path === descriptor.grant.path ? errno.perm : path;
  }

  /** Runs a change of the file system on a path that may be changed. */
  private change(path: string | number, action: (path: string) => void): number {
    if (typeof path === 'number') return path;
    action(path);
    return errno.success;
  }

  private writeFileStat(target: number, type: number, size: number, inode: number): number {
    const { view } = this.memory;
    this.memory.bytes(target, 64).fill(0);
    view.setBigUint64(target, 1n, true);
    view.setBigUint64(target + 8, BigInt(inode), true);
    view.setUint8(target + 16, type);
    view.setBigUint64(target + 24, 1n, true);
    view.setBigUint64(target + 32, BigInt(size), true);
    // All files are as old as the recording: real times would differ between machines.
    for (const offset of [40, 48, 56]) view.setBigUint64(target + offset, epochNanoseconds, true);
    return errno.success;
  }

  private statPath(path: string, target: number): number {
    const info = statSync(path);
    const type = info.isDirectory() ? fileType.directory : fileType.regularFile;
    return this.writeFileStat(target, type, info.isDirectory() ? 0 : info.size, 1);
  }

  private openPath(
    folder: number,
    name: string,
    openFlags: number,
    wanted: bigint,
    append: boolean,
    target: number,
  ): number {
    const [create, directory, exclusive, truncate] = [1, 2, 4, 8].map((bit) => (openFlags & bit) !== 0);
    const base = this.descriptors.get(folder);
    let path = this.resolve(base, name);
    const missing = path === errno.noent;
    const write = truncate || (create && missing) || (wanted & rights.write) !== 0n;
    if (write && create && missing) path = this.resolveWritable(base, name);
    if (write && base?.kind === 'folder' && !base.grant.writable) {
      this.refused ??= name;
      return typeof path === 'number' ? path : errno.rofs;
    }
    if (typeof path === 'number') return path;
    if (base?.kind !== 'folder') return errno.badf;
    if (write && missing && this.makesOne() !== errno.success) return errno.nospc;
    if (!missing && create && exclusive) return errno.exist;
    let opened: Descriptor;
    const info = missing ? null : statSync(path);
    if (info?.isDirectory()) {
      if (write) return errno.isdir;
      opened = { kind: 'folder', path, preopen: false, grant: base.grant };
    } else if (directory) return errno.notdir;
    // Devices and pipes are not files: who opens a pipe may wait for ever.
    else if (info && !info.isFile()) return errno.acces;
    else {
      // A missing file is made exclusively: a dangling link is not followed out of the folder.
      const flags = !write ? 'r' : missing ? 'wx+' : truncate ? 'w+' : 'r+';
      opened = { kind: 'file', file: openSync(path, flags), position: 0, writable: write, append };
    }
    const fd = this.freeDescriptor();
    this.descriptors.set(fd, opened);
    this.memory.view.setUint32(target, fd, true);
    return errno.success;
  }

  private readFile(descriptor: Extract<Descriptor, { kind: 'file' }>, chunks: Uint8Array[], from: number): number {
    let total = 0;
    for (const chunk of chunks) {
      const count = readSync(descriptor.file, chunk, 0, chunk.length, from + total);
      total += count;
      if (count < chunk.length) break;
    }
    return total;
  }

  /** Writes to a file; returns the number of bytes, to be put into `target`, or an errno. */
  private writeFile(
    descriptor: Extract<Descriptor, { kind: 'file' }>,
    chunks: Uint8Array[],
    from: number,
    target: number,
  ): { total: number; error: number } {
    let total = 0;
    for (const chunk of chunks) {
      const end = from + total + chunk.length;
      if (this.written + chunk.length > mostWritten || end > mostWritten) return { total, error: this.noRoom() };
      try {
        total += writeSync(descriptor.file, chunk, 0, chunk.length, from + total);
      } catch (error) {
        return { total, error: fileError(error) };
      }
      this.written += chunk.length;
    }
    this.memory.view.setUint32(target, total, true);
    return { total, error: errno.success };
  }

  /** Reports to the program that the disk is full. */
  private noRoom(): number {
    this.options.system.notice(
      `The program may write ${mostWritten / 2 ** 30} GiB and make ${mostMade} files and folders; to it, the disk is full now.`,
    );
    return errno.nospc;
  }

  /** A file or a folder more; an errno where there are too many. */
  private makesOne(): number {
    return ++this.made > mostMade ? this.noRoom() : errno.success;
  }

  /** Entries of a folder as WASI's `dirent`s, sorted by name: the order of a real folder differs between machines. */
  private folderEntries(path: string): Uint8Array[] {
    const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    return entries.map((entry, index) => {
      const name = this.encoder.encode(entry.name);
      const bytes = new Uint8Array(24 + name.length);
      const view = new DataView(bytes.buffer);
      view.setBigUint64(0, BigInt(index + 1), true);
      view.setBigUint64(8, BigInt(index + 2), true);
      view.setUint32(16, name.length, true);
      view.setUint8(20, entry.isDirectory() ? fileType.directory : fileType.regularFile);
      bytes.set(name, 24);
      return bytes;
    });
  }

  private clock(id: number): bigint {
    const now = BigInt(Math.round(this.options.system.clockReading));
    return id === 0 ? epochNanoseconds + now : now;
  }

  /** Sleeps are subscriptions to a clock: simulated time passes at once. Anything else is ready. */
  private poll(subscriptions: number, events: number, count: number, eventCount: number): number {
    const { view } = this.memory;
    let waited: bigint | null = null;
    const ready: { userData: bigint; type: number }[] = [];
    const clocks: { userData: bigint; type: number; after: bigint }[] = [];
    for (let index = 0; index < count; index++) {
      const at = subscriptions + 48 * index;
      const userData = view.getBigUint64(at, true);
      const type = view.getUint8(at + 8);
      if (type !== 0) {
        ready.push({ userData, type });
        continue;
      }
      const id = view.getUint32(at + 16, true);
      const timeout = view.getBigUint64(at + 24, true);
      const absolute = (view.getUint16(at + 40, true) & 1) !== 0;
      const left = absolute ? timeout - this.clock(id) : timeout;
      const after: bigint = left > 0n ? left : 0n;
      clocks.push({ userData, type, after });
      if (waited === null || after < waited) waited = after;
    }
    if (ready.length === 0 && waited !== null) {
      this.options.system.hostWork(ns(Number(waited)));
      for (const clock of clocks) if (clock.after === waited) ready.push(clock);
    }
    for (const [index, { userData, type }] of ready.entries()) {
      const at = events + 32 * index;
      this.memory.bytes(at, 32).fill(0);
      view.setBigUint64(at, userData, true);
      view.setUint8(at + 10, type);
    }
    view.setUint32(eventCount, ready.length, true);
    return errno.success;
  }

  /** The imports of `wasi_snapshot_preview1`. Calls that would change files, and sockets, say so by an errno. */
  imports(module: WebAssembly.Module): Record<string, WasiFunction> {
    const known = { ...this.processCalls(), ...this.dataCalls(), ...this.descriptorCalls(), ...this.pathCalls() };
    const imports = Object.create(null) as Record<string, WasiFunction>;
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      if (from !== 'wasi_snapshot_preview1') continue;
      const refused = own(refusedCalls, name);
      const call = own(known, name) ?? (refused === undefined ? undefined : () => refused);
      if (call) imports[name] = answering(call);
    }
    return imports;
  }

  /** Arguments, environment, clocks, random numbers, the end. */
  private processCalls(): Record<string, WasiFunction> {
    const { programName, arguments: given, environment } = this.options;
    const words = [programName, ...given];
    return {
      args_sizes_get: (count: number, size: number) => done(this.memory.writeSizes(words, count, size)),
      args_get: (pointers: number, buffer: number) => done(this.memory.writeTexts(words, pointers, buffer)),
      environ_sizes_get: (count: number, size: number) => done(this.memory.writeSizes(environment, count, size)),
      environ_get: (pointers: number, buffer: number) => done(this.memory.writeTexts(environment, pointers, buffer)),
      clock_res_get: (_id: number, target: number) => {
        this.memory.view.setBigUint64(target, 1n, true);
        return errno.success;
      },
      clock_time_get: (id: number, _precision: bigint, target: number) => {
        this.options.system.hostWork(ns(clockReadNanoseconds));
        this.memory.view.setBigUint64(target, this.clock(id), true);
        return errno.success;
      },
      random_get: (target: number, size: number) => {
        const bytes = this.memory.bytes(target, size);
        for (let index = 0; index < bytes.length; index++) bytes[index] = this.nextRandom();
        return errno.success;
      },
      proc_exit: (code: number) => {
        throw new ProgramExit(code);
      },
      proc_raise: () => errno.nosys,
      sched_yield: () => errno.success,
      poll_oneoff: (subscriptions: number, events: number, count: number, eventCount: number) =>
        this.poll(subscriptions, events, count, eventCount),
    };
  }

  /** Reading and writing of files and consoles. */
  private dataCalls(): Record<string, WasiFunction> {
    const at = (fd: number) => this.descriptors.get(fd);
    return {
      fd_write: (fd: number, vectors: number, count: number, target: number) => {
        const descriptor = at(fd);
        if (descriptor?.kind === 'console') {
          this.memory.view.setUint32(target, this.writeConsole(descriptor, this.memory.vectors(vectors, count)), true);
          return errno.success;
        }
        if (descriptor?.kind !== 'file' || !descriptor.writable) return descriptor ? errno.rofs : errno.badf;
        if (descriptor.append) descriptor.position = fstatSync(descriptor.file).size;
        const { total, error } = this.writeFile(
          descriptor,
          this.memory.vectors(vectors, count),
          descriptor.position,
          target,
        );
        descriptor.position += total;
        return error;
      },
      fd_pwrite: (fd: number, vectors: number, count: number, offset: bigint, target: number) => {
        const descriptor = at(fd);
        if (descriptor?.kind !== 'file' || !descriptor.writable) return descriptor ? errno.rofs : errno.badf;
        return this.writeFile(descriptor, this.memory.vectors(vectors, count), Number(offset), target).error;
      },
      fd_filestat_set_size: (fd: number, size: bigint) => {
        const descriptor = at(fd);
        if (descriptor?.kind !== 'file' || !descriptor.writable) return descriptor ? errno.rofs : errno.badf;
        if (size > BigInt(mostWritten)) return this.noRoom();
        ftruncateSync(descriptor.file, Number(size));
        return errno.success;
      },
      fd_sync: (fd: number) => (at(fd) ? errno.success : errno.badf),
      fd_datasync: (fd: number) => (at(fd) ? errno.success : errno.badf),
      fd_read: (fd: number, vectors: number, count: number, target: number) => {
        const descriptor = at(fd);
        if (!descriptor) return errno.badf;
        if (descriptor.kind === 'folder') return errno.isdir;
        let total = 0;
        if (descriptor.kind === 'file') {
          total = this.readFile(descriptor, this.memory.vectors(vectors, count, true), descriptor.position);
          descriptor.position += total;
        }
        this.memory.view.setUint32(target, total, true);
        return errno.success;
      },
      fd_pread: (fd: number, vectors: number, count: number, offset: bigint, target: number) => {
        const descriptor = at(fd);
        if (descriptor?.kind !== 'file') return descriptor ? errno.spipe : errno.badf;
        const total = this.readFile(descriptor, this.memory.vectors(vectors, count, true), Number(offset));
        this.memory.view.setUint32(target, total, true);
        return errno.success;
      },
      fd_seek: (fd: number, offset: bigint, whence: number, target: number) => {
        const descriptor = at(fd);
        if (descriptor?.kind !== 'file') return descriptor ? errno.spipe : errno.badf;
        const base = [0, descriptor.position, fstatSync(descriptor.file).size][whence];
        const position = base === undefined ? -1 : base + Number(offset);
        if (position < 0) return errno.inval;
        descriptor.position = position;
        this.memory.view.setBigUint64(target, BigInt(position), true);
        return errno.success;
      },
      fd_tell: (fd: number, target: number) => {
        const descriptor = at(fd);
        if (descriptor?.kind !== 'file') return descriptor ? errno.spipe : errno.badf;
        this.memory.view.setBigUint64(target, BigInt(descriptor.position), true);
        return errno.success;
      },
    };
  }

  /** State of open files and folders. */
  private descriptorCalls(): Record<string, WasiFunction> {
    const at = (fd: number) => this.descriptors.get(fd);
    return {
      fd_close: (fd: number) => {
        const descriptor = at(fd);
        if (!descriptor) return errno.badf;
        if (descriptor.kind === 'file') closeSync(descriptor.file);
        this.descriptors.delete(fd);
        return errno.success;
      },
      fd_fdstat_get: (fd: number, target: number) => {
        const descriptor = at(fd);
        if (!descriptor) return errno.badf;
        const writable =
          descriptor.kind === 'folder' ? descriptor.grant.writable : 'writable' in descriptor && descriptor.writable;
        const allowed = writable ? rights.all : rights.all & ~rights.write;
        // Consoles are terminals (no right to seek), so that the C library flushes them line by line.
        const [type, right] = {
          stdin: [fileType.characterDevice, rights.read] as const,
          console: [fileType.characterDevice, rights.write] as const,
          folder: [fileType.directory, allowed] as const,
          file: [fileType.regularFile, allowed] as const,
        }[descriptor.kind];
        this.memory.bytes(target, 24).fill(0);
        this.memory.view.setUint8(target, type);
        this.memory.view.setBigUint64(target + 8, right, true);
        this.memory.view.setBigUint64(target + 16, right, true);
        return errno.success;
      },
      fd_fdstat_set_flags: (fd: number) => (at(fd) ? errno.success : errno.badf),
      fd_filestat_get: (fd: number, target: number) => {
        const descriptor = at(fd);
        if (!descriptor) return errno.badf;
        if (descriptor.kind === 'folder') return this.statPath(descriptor.path, target);
        if (descriptor.kind !== 'file') return this.writeFileStat(target, fileType.characterDevice, 0, fd);
        return this.writeFileStat(target, fileType.regularFile, fstatSync(descriptor.file).size, fd);
      },
      fd_prestat_get: (fd: number, target: number) => {
        const descriptor = at(fd);
        if (descriptor?.kind !== 'folder' || !descriptor.preopen) return errno.badf;
        this.memory.view.setUint32(target, 0, true);
        this.memory.view.setUint32(target + 4, this.encoder.encode(descriptor.grant.name).length, true);
        return errno.success;
      },
      fd_prestat_dir_name: (fd: number, target: number, size: number) => {
        const descriptor = at(fd);
        if (descriptor?.kind !== 'folder') return errno.badf;
        this.memory.bytes(target, size).set(this.encoder.encode(descriptor.grant.name).subarray(0, size));
        return errno.success;
      },
      fd_readdir: (fd: number, target: number, size: number, cookie: bigint, used: number) => {
        const descriptor = at(fd);
        if (descriptor?.kind !== 'folder') return descriptor ? errno.notdir : errno.badf;
        const entries = this.folderEntries(descriptor.path).slice(Number(cookie));
        let filled = 0;
        for (const entry of entries) {
          const part = entry.subarray(0, size - filled);
          this.memory.bytes(target + filled, part.length).set(part);
          filled += part.length;
          if (filled === size) break;
        }
        this.memory.view.setUint32(used, filled, true);
        return errno.success;
      },
    };
  }

  /** Files and folders by name. */
  private pathCalls(): Record<string, WasiFunction> {
    const at = (fd: number) => this.descriptors.get(fd);
    return {
      path_create_directory: (folder: number, name: number, length: number) =>
        this.makesOne() ||
        this.change(this.resolveWritable(at(folder), this.memory.text(name, length)), (path) => mkdirSync(path)),
      path_unlink_file: (folder: number, name: number, length: number) =>
        this.change(this.resolveRemovable(at(folder), this.memory.text(name, length)), (path) => unlinkSync(path)),
      path_remove_directory: (folder: number, name: number, length: number) =>
        this.change(this.resolveRemovable(at(folder), this.memory.text(name, length)), (path) => rmdirSync(path)),
      path_rename: (
        fromFolder: number,
        from: number,
        fromLength: number,
        toFolder: number,
        to: number,
        toLength: number,
      ) => {
        const target = this.resolveRemovable(at(toFolder), this.memory.text(to, toLength));
        if (typeof target === 'number') return target;
        const source = this.resolveRemovable(at(fromFolder), this.memory.text(from, fromLength));
        return this.change(source, (path) => renameSync(path, target));
      },
      path_open: (
        folder: number,
        _lookup: number,
        name: number,
        length: number,
        openFlags: number,
        wanted: bigint,
        _inheriting: bigint,
        flags: number,
        target: number,
      ) => this.openPath(folder, this.memory.text(name, length), openFlags, wanted, (flags & 1) !== 0, target),
      path_filestat_get: (folder: number, _flags: number, name: number, length: number, target: number) => {
        const path = this.resolve(at(folder), this.memory.text(name, length));
        return typeof path === 'number' ? path : this.statPath(path, target);
      },
      path_readlink: () => errno.inval,
    };
  }
}

/** The result of a call that cannot fail. */
const done = (_: void): number => errno.success;

/** The other way looks at each folder on the path, which programs may not. */
const realPath = (path: string): string => realpathSync.native(path);

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** Turns refusals of the system, and addresses outside of the program's memory, into answers to a call: they do not end the program. */
const answering =
  (call: WasiFunction): WasiFunction =>
  (...args) => {
    try {
      return call(...args);
    } catch (error) {
      if (error instanceof RangeError && !('code' in error)) return errno.fault;
      if (
        error instanceof Error &&
        typeof (error as NodeJS.ErrnoException).code === 'string' &&
        !(error instanceof SimsightError)
      )
        return fileError(error);
      throw error;
    }
  };

function fileError(error: unknown): number {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return errno.noent;
  if (code === 'ENOTDIR') return errno.notdir;
  if (code === 'EISDIR') return errno.isdir;
  if (code === 'EEXIST') return errno.exist;
  if (code === 'ENOTEMPTY') return errno.notempty;
  if (code === 'EACCES' || code === 'EPERM' || code === 'ERR_ACCESS_DENIED') return errno.acces;
  if (code === 'ENOSPC' || code === 'EDQUOT') return errno.nospc;
  if (code === 'EFBIG') return errno.fbig;
  if (code === 'EROFS') return errno.rofs;
  if (code === 'EMFILE' || code === 'ENFILE') return errno.nfile;
  if (code === 'ELOOP') return errno.loop;
  if (code === 'ENAMETOOLONG') return errno.nametoolong;
  if (code === 'ERR_INVALID_ARG_VALUE' || code === 'ERR_OUT_OF_RANGE') return errno.inval;
  if (code === undefined) throw new SimsightError('internal', `Reading a file failed: ${String(error)}`);
  return errno.io;
}
