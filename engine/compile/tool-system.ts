/**
 * The operating system of LLVM's tools: what they import of WASI preview 1
 * (https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md), over files in memory. Time stands still and random numbers
 * are the same in each run, so that the same files give the same output.
 */
import { epochNanoseconds } from '../base/epoch.ts';
import { ToolFile, ToolFolder, type ToolEntry } from './tool-files.ts';

/** Thrown out of a tool that ends by itself with a status other than 0. */
export class ToolExit extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

const errno = { success: 0, badf: 8, exist: 20, inval: 28, isdir: 31, noent: 44, notdir: 54, rofs: 69, spipe: 70 };
const fileType = { unknown: 0, folder: 3, file: 4 };
const openFlag = { create: 1, folder: 2, exclusive: 4, truncate: 8 };
const appends = 1;
const whence = { set: 0, current: 1, end: 2 };
/** All of them: what may be written is said by folders. */
const allRights = (1n << 30n) - 1n;
/** The one folder that is open from the beginning. */
const rootDescriptor = 3;

export interface ToolStreams {
  /** Pieces of standard output and of messages, each valid for the call only. */
  output: (bytes: Uint8Array) => void;
  messages: (bytes: Uint8Array) => void;
  /** Bytes that were written to files. */
  written: (count: number) => void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Open {
  entry: ToolEntry;
  at: number;
  appends: boolean;
}

/** Standard input, output and messages. */
const isStream = (descriptor: number): boolean => descriptor < rootDescriptor;

function typeOf(entry: ToolEntry | undefined): number {
  if (entry === undefined) return fileType.unknown;
  return entry instanceof ToolFile ? fileType.file : fileType.folder;
}

function copyOut(file: ToolFile, into: Uint8Array[], from: number): number {
  let at = from;
  for (const target of into) {
    const part = file.bytes.subarray(at, at + target.length);
    target.set(part);
    at += part.length;
  }
  return at - from;
}

type Calls = Record<string, (...values: never[]) => number>;

/** The system of one run. */
export class ToolSystem {
  /** What it answers; anything else says that it is not there. */
  readonly imports: WebAssembly.ModuleImports;
  private readonly texts: Uint8Array[];
  private readonly streams: ToolStreams;
  /** Asked for once the program runs. */
  private readonly memory: () => WebAssembly.Memory;
  private readonly opened: Map<number, Open>;
  private readonly reservedBytes: number;
  private random = 1;

  /** `reservedBytes`: memory that the program asks for at once, before it begins. */
  constructor(
    words: readonly string[],
    root: ToolFolder,
    streams: ToolStreams,
    memory: () => WebAssembly.Memory,
    reservedBytes = 1,
  ) {
    this.reservedBytes = reservedBytes;
    this.texts = words.map((word) => encoder.encode(`${word}\0`));
    this.streams = streams;
    this.memory = memory;
    this.opened = new Map([[rootDescriptor, { entry: root, at: 0, appends: false }]]);
    const calls = { ...this.ofProcess(), ...this.ofDescriptors(), ...this.ofPaths() };
    this.imports = new Proxy(calls as unknown as WebAssembly.ModuleImports, {
      get: (known, name: string) =>
        known[name] ??
        (() => {
          throw new Error(`LLVM's tool asks for ${name}, which it does not get.`);
        }),
    });
  }

  private ofProcess(): Calls {
    return {
      args_sizes_get: (count: number, length: number) => this.writeSizes(this.texts, count, length),
      args_get: (pointers: number, buffer: number) => this.writeStrings(this.texts, pointers, buffer),
      environ_sizes_get: (count: number, length: number) => this.writeSizes([], count, length),
      environ_get: () => errno.success,
      clock_time_get: (_clock: number, _precision: bigint, result: number) => {
        this.view().setBigUint64(result >>> 0, epochNanoseconds, true);
        return errno.success;
      },
      random_get: (pointer: number, length: number) => {
        const target = this.bytes(pointer, length);
        for (const i of target.keys()) {
          this.random = (Math.imul(this.random, 1_664_525) + 1_013_904_223) >>> 0;
          target[i] = this.random >>> 24;
        }
        return errno.success;
      },
      proc_exit: (status: number) => {
        throw new ToolExit(status);
      },
    };
  }

  private ofDescriptors(): Calls {
    return {
      fd_prestat_get: (descriptor: number, result: number) => {
        if (descriptor !== rootDescriptor) return errno.badf;
        this.setU32(result, 0);
        // The C library allocates room for the folder's name, and frees it when it has read it: what it allocates later is taken from there.
        this.setU32(result + 4, this.reservedBytes);
        return errno.success;
      },
      fd_prestat_dir_name: (_descriptor: number, name: number) => {
        this.bytes(name, 2).set(encoder.encode('/\0'));
        return errno.success;
      },
      fd_fdstat_get: (descriptor: number, result: number) => {
        const open = this.opened.get(descriptor);
        if (open === undefined && !isStream(descriptor)) return errno.badf;
        this.bytes(result, 24).fill(0);
        this.view().setUint8(result >>> 0, typeOf(open?.entry));
        this.view().setBigUint64((result >>> 0) + 8, allRights, true);
        this.view().setBigUint64((result >>> 0) + 16, allRights, true);
        return errno.success;
      },
      fd_filestat_get: (descriptor: number, result: number) => {
        const open = this.opened.get(descriptor);
        return open === undefined && !isStream(descriptor) ? errno.badf : this.writeStat(result, open?.entry);
      },
      fd_filestat_set_size: (descriptor: number, length: bigint) => {
        const file = this.opened.get(descriptor)?.entry;
        if (!(file instanceof ToolFile)) return errno.badf;
        this.streams.written(Math.max(0, Number(length) - file.length));
        file.resize(Number(length));
        return errno.success;
      },
      fd_filestat_set_times: () => errno.success,
      fd_seek: (descriptor: number, offset: bigint, from: number, result: number) => {
        const open = this.opened.get(descriptor);
        if (open === undefined) return isStream(descriptor) ? errno.spipe : errno.badf;
        if (!(open.entry instanceof ToolFile)) return errno.isdir;
        const base = from === whence.set ? 0 : from === whence.current ? open.at : open.entry.length;
        const at = base + Number(offset);
        if (at < 0) return errno.inval;
        open.at = at;
        this.setU64(result, at);
        return errno.success;
      },
      fd_read: (descriptor: number, into: number, count: number, result: number) => {
        const open = this.opened.get(descriptor);
        if (open === undefined && !isStream(descriptor)) return errno.badf;
        if (open?.entry instanceof ToolFolder) return errno.isdir;
        // Nothing comes from standard input.
        const length = open === undefined ? 0 : copyOut(open.entry as ToolFile, this.vectors(into, count), open.at);
        if (open !== undefined) open.at += length;
        this.setU32(result, length);
        return errno.success;
      },
      fd_pread: (descriptor: number, into: number, count: number, at: bigint, result: number) => {
        const file = this.opened.get(descriptor)?.entry;
        if (!(file instanceof ToolFile)) return errno.badf;
        this.setU32(result, copyOut(file, this.vectors(into, count), Number(at)));
        return errno.success;
      },
      fd_write: (descriptor: number, from: number, count: number, result: number) => {
        const parts = this.vectors(from, count);
        const length = parts.reduce((sum, part) => sum + part.length, 0);
        const open = this.opened.get(descriptor);
        if (open === undefined) {
          if (!isStream(descriptor)) return errno.badf;
          parts.forEach(descriptor === 1 ? this.streams.output : this.streams.messages);
        } else {
          if (!(open.entry instanceof ToolFile)) return errno.isdir;
          this.streams.written(length);
          for (const part of parts) {
            if (open.appends) open.at = open.entry.length;
            open.entry.write(part, open.at);
            open.at += part.length;
          }
        }
        this.setU32(result, length);
        return errno.success;
      },
      fd_close: (descriptor: number) => (this.opened.delete(descriptor) ? errno.success : errno.badf),
    };
  }

  private ofPaths(): Calls {
    return {
      path_open: (
        from: number,
        _lookup: number,
        pointer: number,
        length: number,
        flags: number,
        _rights: bigint,
        _inherited: bigint,
        mode: number,
        result: number,
      ) => {
        const path = this.pathOf(pointer, length);
        let entry = this.entryAt(from, path);
        if (entry !== undefined && flags & openFlag.create && flags & openFlag.exclusive) return errno.exist;
        if (entry instanceof ToolFile && flags & openFlag.folder) return errno.notdir;
        if (flags & (entry === undefined ? openFlag.create : openFlag.truncate)) {
          const place = this.writablePlace(from, path);
          if (typeof place === 'number') return place;
          entry = new ToolFile();
          place.folder.entries.set(place.name, entry);
        }
        if (entry === undefined) return errno.noent;
        let descriptor = rootDescriptor + 1;
        while (this.opened.has(descriptor)) descriptor++;
        this.opened.set(descriptor, { entry, at: 0, appends: (mode & appends) !== 0 });
        this.setU32(result, descriptor);
        return errno.success;
      },
      path_filestat_get: (from: number, _lookup: number, pointer: number, length: number, result: number) => {
        const entry = this.entryAt(from, this.pathOf(pointer, length));
        return entry === undefined ? errno.noent : this.writeStat(result, entry);
      },
      // There are no links.
      path_readlink: (from: number, pointer: number, length: number) =>
        this.entryAt(from, this.pathOf(pointer, length)) === undefined ? errno.noent : errno.inval,
      path_unlink_file: (from: number, pointer: number, length: number) => {
        const place = this.writablePlace(from, this.pathOf(pointer, length));
        if (typeof place === 'number') return place;
        return place.folder.entries.delete(place.name) ? errno.success : errno.noent;
      },
      path_rename: (
        from: number,
        pointer: number,
        length: number,
        to: number,
        newPointer: number,
        newLength: number,
      ) => {
        const path = this.pathOf(pointer, length);
        const entry = this.entryAt(from, path);
        if (entry === undefined) return errno.noent;
        const [place, target] = [
          this.writablePlace(from, path),
          this.writablePlace(to, this.pathOf(newPointer, newLength)),
        ];
        if (typeof place === 'number') return place;
        if (typeof target === 'number') return target;
        place.folder.entries.delete(place.name);
        target.folder.entries.set(target.name, entry);
        return errno.success;
      },
    };
  }

  private view(): DataView {
    return new DataView(this.memory().buffer);
  }
  private bytes(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.memory().buffer, pointer >>> 0, length >>> 0);
  }
  private setU32(pointer: number, value: number): void {
    this.view().setUint32(pointer >>> 0, value, true);
  }
  private setU64(pointer: number, value: number): void {
    this.view().setBigUint64(pointer >>> 0, BigInt(value), true);
  }
  private pathOf(pointer: number, length: number): string {
    return decoder.decode(this.bytes(pointer, length));
  }

  private vectors(pointer: number, count: number): Uint8Array[] {
    const table = this.view();
    return Array.from({ length: count }, (_, i) => {
      const at = (pointer >>> 0) + 8 * i;
      return this.bytes(table.getUint32(at, true), table.getUint32(at + 4, true));
    });
  }
  /** An entry by a path from an open folder. */
  private entryAt(descriptor: number, path: string): ToolEntry | undefined {
    const from = this.opened.get(descriptor)?.entry;
    return from instanceof ToolFolder ? from.find(path) : undefined;
  }
  /** The folder that a path's last name is in, if that may be changed. */
  private writablePlace(descriptor: number, path: string): { folder: ToolFolder; name: string } | number {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const folder = this.entryAt(descriptor, path.slice(0, path.length - name.length));
    if (!(folder instanceof ToolFolder)) return errno.noent;
    return folder.isWritable ? { folder, name } : errno.rofs;
  }
  private writeStat(pointer: number, entry: ToolEntry | undefined): number {
    this.bytes(pointer, 64).fill(0);
    this.view().setUint8((pointer >>> 0) + 16, typeOf(entry));
    this.setU64(pointer + 8, entry?.number ?? 0);
    this.setU64(pointer + 24, 1);
    if (entry instanceof ToolFile) this.setU64(pointer + 32, entry.length);
    return errno.success;
  }
  private writeStrings(strings: readonly Uint8Array[], pointers: number, buffer: number): number {
    let at = buffer >>> 0;
    strings.forEach((text, i) => {
      this.setU32(pointers + 4 * i, at);
      this.bytes(at, text.length).set(text);
      at += text.length;
    });
    return errno.success;
  }
  private writeSizes(strings: readonly Uint8Array[], count: number, length: number): number {
    this.setU32(count, strings.length);
    this.setU32(
      length,
      strings.reduce((sum, text) => sum + text.length, 0),
    );
    return errno.success;
  }
}
