/**
 * The operating system of host programs: Linux on x86-64, by its system calls. The C library makes each through one import, with its
 * number and six words, and this is all that programs reach of the world: time is the simulated host's, random numbers are the same
 * in every run, and the only files are those of {@link ProgramFiles}. What is not in the table does not exist (`ENOSYS`).
 *
 * Numbers and structs: arch/x86/entry/syscalls/syscall_64.tbl, and musl's arch/x86_64.
 */
import { epochNanoseconds } from '../../base/epoch.ts';
import { ns } from '../../base/units.ts';
import type { SystemSimulator } from '../../system/types.ts';
import { ProgramMemory } from '../program-memory.ts';
import { errno, errnoOf, refuse } from './errno.ts';
import { ProgramFiles, type FileStatus, type WritableFolder } from './files.ts';

export class ProgramExit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** About what `clock_gettime` takes without entering the kernel (vDSO, x86-64): programs that poll the clock get on. */
const clockReadNanoseconds = 20;
const nanosecondsPerSecond = 1_000_000_000n;
/** Interval of `times` and the like. */
const nanosecondsPerTick = 10_000_000n;

/** What a signal does: `SIG_DFL`, `SIG_IGN`; and the number of `SIGABRT`. */
const signalAction = { default: 0, ignore: 1, abort: 6 } as const;
/** `SIGCHLD`, `SIGCONT`, `SIGURG`, `SIGWINCH`: nothing happens by default. */
const ignoredSignals = new Set([17, 18, 23, 28]);

/** Calls that wait until a time. */
const sleeps = new Set([7, 23, 35, 230, 270, 271]);
const schedYield = 24;

/** Time that a call takes beside that which it lets pass itself, where there are other threads. */
export const timeBeside = (call: number, { yield: yielding, sleepOver }: SystemSimulator['host']['threads']): number =>
  call === schedYield ? yielding : sleeps.has(call) ? sleepOver : 0;

/** Processors that programs are told of: threads are coroutines, so this changes nothing but what they choose. */
const processors = 8;
const processNumber = 1000;
const userNumber = 1000;
/** `AT_FDCWD` */
const workingFolderDescriptor = -100;

export interface LinuxOptions {
  programName: string;
  arguments: string[];
  /** `NAME=VALUE`. */
  environment: string[];
  /** Readable by the program, as its working directory; null: no files. */
  folder: string | null;
  /** A folder that the program may write to, under the name that it uses for it; null: none. */
  writable: WritableFolder | null;
  /** Real paths of files and folders that it may read besides. */
  readable?: readonly string[];
  system: SystemSimulator;
}

/** A system call: six words as signed numbers, and an answer that is not negative. Errors are thrown. */
type SystemCall = (...words: number[]) => number | bigint;

const signed = (word: number): number => word | 0;
/** A folder's descriptor in a call that has one; null stands for the working folder. */
const folderOf = (word: number): number | null => (signed(word) === workingFolderDescriptor ? null : signed(word));

const modes: Readonly<Record<FileStatus['type'], number>> = {
  file: 0o100644,
  folder: 0o040755,
  characters: 0o020620,
};
const entryTypes: Readonly<Record<FileStatus['type'], number>> = { file: 8, folder: 4, characters: 2 };
const blockBytes = 4096;
const sectorBytes = 512;

export class Linux {
  private readonly options: LinuxOptions;
  private readonly files: ProgramFiles;
  readonly memory = new ProgramMemory();
  private readonly encoder = new TextEncoder();
  private readonly calls: ReadonlyMap<number, SystemCall>;
  /** Functions of the program that handle signals, by their pointers. */
  private readonly handlers = new Map<number, number>();
  /** Calls a function of the program. */
  onSignal: (handler: number, signal: number) => void = () => undefined;

  constructor(options: LinuxOptions) {
    this.options = options;
    this.files = new ProgramFiles(options, options.system);
    this.calls = new Map([
      ...this.dataCalls(),
      ...this.fileCalls(),
      ...this.pathCalls(),
      ...this.timeCalls(),
      ...this.processCalls(),
    ]);
  }

  get errorTail(): string {
    return this.files.errorTail;
  }

  get refused(): string | null {
    return this.files.refused;
  }

  get outside(): string | null {
    return this.files.outside;
  }

  /** See {@link ProgramFiles.whole}. */
  readFile(name: string): Uint8Array | null {
    return this.files.whole(name);
  }

  end(): void {
    this.files.end();
  }

  /** The imports of the module `linux`. */
  imports(): Record<string, (...words: bigint[]) => bigint | undefined> {
    const call = (number: bigint, ...words: bigint[]): bigint => this.call(Number(number), words);
    return {
      call,
      wait: call,
      startup_bytes: () => BigInt(this.startBlock(0n).length),
      startup: (address) => {
        const block = this.startBlock(BigInt.asUintN(64, address!));
        this.memory.bytes(Number(address), block.length).set(block);
        return undefined;
      },
    };
  }

  private call(number: number, words: bigint[]): bigint {
    const call = this.calls.get(number);
    if (!call) return BigInt(-errno.nosys);
    try {
      return BigInt(call(...words.map((word) => Number(BigInt.asIntN(64, word)))));
    } catch (error) {
      return BigInt(-errnoOf(error));
    }
  }

  /** Arguments, environment and the auxiliary vector as Linux puts them on the stack of a new process, at an address. */
  private startBlock(address: bigint): Uint8Array {
    const { programName, arguments: given, environment } = this.options;
    const texts = (all: readonly string[]) => all.map((text) => this.encoder.encode(`${text}\0`));
    const [words, settings] = [texts([programName, ...given]), texts(environment)];
    const pageSize = [6n, 4096n];
    const randomType = 25n;
    const head = 8 * (1 + words.length + 1 + settings.length + 1 + 6);
    const size = [...words, ...settings].reduce((sum, { length }) => sum + length, head + 16);
    const block = new Uint8Array(size);
    const view = new DataView(block.buffer);
    let [next, end] = [0, head];
    const put = (word: bigint): void => {
      view.setBigUint64(next, word, true);
      next += 8;
    };
    const putText = (bytes: Uint8Array): void => {
      put(address + BigInt(end));
      block.set(bytes, end);
      end += bytes.length;
    };
    put(BigInt(words.length));
    words.forEach(putText);
    put(0n);
    settings.forEach(putText);
    put(0n);
    pageSize.forEach(put);
    // Where sixteen random bytes are: the same in every run.
    [randomType, address + BigInt(end)].forEach(put);
    [0n, 0n].forEach(put);
    return block;
  }

  private get now(): bigint {
    return BigInt(Math.round(this.options.system.clockReading));
  }

  /** Clock 0 is the time of day, others count from the program's beginning. */
  private clock(id: number): bigint {
    return id === 0 || id === 5 ? epochNanoseconds + this.now : this.now;
  }

  private text(address: number): string {
    return this.memory.terminated(address);
  }

  private chunks(address: number, bytes: number, fills: boolean): Uint8Array[] {
    this.memory.onAccess(address, bytes, fills);
    return [this.memory.bytes(address, bytes)];
  }

  private dataCalls(): [number, SystemCall][] {
    const { files, memory } = this;
    return [
      [0, (fd, buffer, bytes) => files.read(signed(fd!), this.chunks(buffer!, bytes!, true))],
      [1, (fd, buffer, bytes) => files.write(signed(fd!), this.chunks(buffer!, bytes!, false))],
      [8, (fd, offset, whence) => files.seek(signed(fd!), offset!, whence!)],
      [17, (fd, buffer, bytes, at) => files.read(signed(fd!), this.chunks(buffer!, bytes!, true), at!)],
      [18, (fd, buffer, bytes, at) => files.write(signed(fd!), this.chunks(buffer!, bytes!, false), at!)],
      [19, (fd, vectors, count) => files.read(signed(fd!), memory.vectors(vectors!, count!, true))],
      [20, (fd, vectors, count) => files.write(signed(fd!), memory.vectors(vectors!, count!))],
      [295, (fd, vectors, count, at) => files.read(signed(fd!), memory.vectors(vectors!, count!, true), at!)],
      [296, (fd, vectors, count, at) => files.write(signed(fd!), memory.vectors(vectors!, count!), at!)],
    ];
  }

  /** State of open files and folders. */
  private fileCalls(): [number, SystemCall][] {
    const { files, memory } = this;
    const check = (fd: number): number => done(files.at(signed(fd)));
    return [
      [3, (fd) => done(files.close(signed(fd!)))],
      [5, (fd, target) => this.showStatus(files.status(signed(fd!)), target!)],
      [
        16,
        (fd, request, target) => {
          const { kind } = files.at(signed(fd!));
          // Consoles are terminals, so that the C library flushes them line by line.
          const isTerminal = kind === 'console' || kind === 'stdin';
          const windowSize = 0x5413;
          if (request !== windowSize || !isTerminal) return refuse(errno.notty);
          [24, 80, 0, 0].forEach((value, i) => memory.view.setUint16(target! + 2 * i, value, true));
          return 0;
        },
      ],
      [32, (fd) => files.duplicate(signed(fd!))],
      [33, (fd, to) => files.duplicate(signed(fd!), signed(to!))],
      [292, (fd, to) => files.duplicate(signed(fd!), signed(to!))],
      [72, (fd, command) => (command === 0 || command === 1030 ? files.duplicate(signed(fd!)) : check(fd!))],
      [74, check],
      [75, check],
      [77, (fd, bytes) => done(files.truncate(signed(fd!), bytes!))],
      [217, (fd, target, bytes) => this.entries(signed(fd!), target!, bytes!)],
    ];
  }

  /** Files and folders by name. */
  private pathCalls(): [number, SystemCall][] {
    const { files } = this;
    const removesFolder = 0x200;
    const writes = 2;
    const access = (folder: number | null, name: number, mode: number): number => {
      files.statusOf(folder, this.text(name));
      return mode & writes && !files.isWritable(folder, this.text(name)) ? refuse(errno.rofs) : 0;
    };
    const status = (folder: number | null, name: number, target: number): number =>
      this.showStatus(files.statusOf(folder, this.text(name)), target);
    const readOnly = (): number => refuse(errno.rofs);
    return [
      [2, (name, flags) => files.open(null, this.text(name!), flags!)],
      [257, (folder, name, flags) => files.open(folderOf(folder!), this.text(name!), flags!)],
      [4, (name, target) => status(null, name!, target!)],
      [6, (name, target) => status(null, name!, target!)],
      [
        262,
        (folder, name, target) => {
          // `AT_EMPTY_PATH`
          if (this.text(name!) === '') return this.showStatus(files.status(signed(folder!)), target!);
          return status(folderOf(folder!), name!, target!);
        },
      ],
      [21, (name, mode) => access(null, name!, mode!)],
      [269, (folder, name, mode) => access(folderOf(folder!), name!, mode!)],
      [439, (folder, name, mode) => access(folderOf(folder!), name!, mode!)],
      [
        79,
        (target, bytes) => {
          const text = this.encoder.encode(`${files.workingFolder}\0`);
          if (text.length > bytes!) return refuse(errno.range);
          this.memory.bytes(target!, text.length).set(text);
          return text.length;
        },
      ],
      [80, (name) => done(files.changeFolder(this.text(name!)))],
      [82, (from, to) => done(files.rename(null, this.text(from!), null, this.text(to!)))],
      [264, (from, name, to, toName) => this.rename([from!, name!, to!, toName!])],
      [316, (from, name, to, toName) => this.rename([from!, name!, to!, toName!])],
      [83, (name) => done(files.makeFolder(null, this.text(name!)))],
      [258, (folder, name) => done(files.makeFolder(folderOf(folder!), this.text(name!)))],
      [84, (name) => done(files.remove(null, this.text(name!), true))],
      [87, (name) => done(files.remove(null, this.text(name!), false))],
      [
        263,
        (folder, name, flags) =>
          done(files.remove(folderOf(folder!), this.text(name!), (flags! & removesFolder) !== 0)),
      ],
      // Links are followed before programs see them.
      [89, () => refuse(errno.inval)],
      [267, () => refuse(errno.inval)],
      // Owners, rights and times are nobody's to change; links are not made.
      ...[76, 86, 88, 90, 91, 92, 93, 94, 132, 235, 260, 261, 265, 266, 268, 280].map((n): [number, SystemCall] => [
        n,
        readOnly,
      ]),
    ];
  }

  private rename([from, name, to, toName]: [number, number, number, number]): number {
    return done(this.files.rename(folderOf(from), this.text(name), folderOf(to), this.text(toName)));
  }

  private timeCalls(): [number, SystemCall][] {
    const { memory } = this;
    const read = (): void => this.options.system.hostWork(ns(clockReadNanoseconds));
    const isAbsolute = 1;
    return [
      [
        228,
        (id, target) => {
          read();
          memory.setTime(target!, this.clock(id!));
          return 0;
        },
      ],
      [
        229,
        (_id, target) => {
          if (target !== 0) memory.setTime(target!, 1n);
          return 0;
        },
      ],
      [
        96,
        (target) => {
          read();
          memory.setMicroseconds(target!, this.clock(0));
          return 0;
        },
      ],
      [201, () => (read(), this.clock(0) / nanosecondsPerSecond)],
      [100, (target) => this.processTimes(target!)],
      [35, (time) => this.sleep(memory.time(time!))],
      [
        230,
        (id, flags, time) => {
          const until = memory.time(time!);
          return this.sleep(flags! & isAbsolute ? until - this.clock(id!) : until);
        },
      ],
      // What they wait for is there already, or never comes: only the time passes.
      [7, (_descriptors, _count, milliseconds) => this.sleep(BigInt(signed(milliseconds!)) * 1_000_000n)],
      [271, (_descriptors, _count, time) => this.sleep(time === 0 ? 0n : memory.time(time!))],
      [270, (_count, _read, _write, _except, time) => this.sleep(time === 0 ? 0n : memory.time(time!))],
      [
        23,
        (_count, _read, _write, _except, time) => {
          if (time === 0) return 0;
          const { view } = memory;
          return this.sleep(
            view.getBigInt64(time!, true) * nanosecondsPerSecond + view.getBigInt64(time! + 8, true) * 1000n,
          );
        },
      ],
    ];
  }

  private sleep(nanoseconds: bigint): number {
    if (nanoseconds > 0n) this.options.system.hostWork(ns(Number(nanoseconds)));
    return 0;
  }

  /** `times`: the process's time in ticks, all of it its own. */
  private processTimes(target: number): bigint {
    const ticks = this.now / nanosecondsPerTick;
    if (target !== 0)
      [ticks, 0n, 0n, 0n].forEach((value, i) => this.memory.view.setBigInt64(target + 8 * i, value, true));
    return ticks;
  }

  /** Processes, users, limits, signals: one process, whose signals nobody sends. */
  private processCalls(): [number, SystemCall][] {
    const { memory } = this;
    const nothing = (): number => 0;
    const exit: SystemCall = (code) => {
      throw new ProgramExit(code! & 0xff);
    };
    return [
      [60, exit],
      [231, exit],
      [13, (signal, set, target) => this.setHandler(signal!, set!, target!)],
      // Sent to itself, by `raise` and `abort`.
      [62, (_process, signal) => this.signal(signal!)],
      [200, (_thread, signal) => this.signal(signal!)],
      [234, (_process, _thread, signal) => this.signal(signal!)],
      ...[39, 110, 111, 186, 218].map((n): [number, SystemCall] => [n, () => processNumber]),
      ...[102, 104, 107, 108].map((n): [number, SystemCall] => [n, () => userNumber]),
      ...[10, 11, 14, 24, 25, 26, 28, 95, 131, 149, 150, 157, 202, 203, 273].map((n): [number, SystemCall] => [
        n,
        nothing,
      ]),
      [63, (target) => this.showSystem(target!)],
      [
        98,
        (_who, target) => {
          memory.bytes(target!, 144).fill(0);
          memory.setMicroseconds(target!, this.now);
          memory.view.setBigInt64(target! + 32, BigInt(Math.floor(memory.view.byteLength / 1024)), true);
          return 0;
        },
      ],
      [97, (which, target) => this.limit(which!, target!)],
      [302, (_process, which, _set, target) => (target === 0 ? 0 : this.limit(which!, target!))],
      [99, (target) => this.showMemory(target!)],
      [
        204,
        (_process, bytes, target) => {
          const size = Math.min(8, bytes!);
          memory.bytes(target!, size).fill(0);
          memory.view.setUint8(target!, 2 ** processors - 1);
          return size;
        },
      ],
      [
        309,
        (processor, node) => {
          for (const target of [processor!, node!]) if (target !== 0) memory.view.setUint32(target, 0, true);
          return 0;
        },
      ],
      [
        318,
        (target, bytes) => {
          this.files.fillRandom(memory.bytes(target!, bytes!));
          return bytes!;
        },
      ],
    ];
  }

  /** A signal that the program raises itself: its handler, or what the kernel does. */
  private signal(signal: number): number {
    const handler = this.handlers.get(signal) ?? signalAction.default;
    if (handler === signalAction.ignore || signal === 0) return 0;
    if (handler !== signalAction.default) {
      this.onSignal(handler, signal);
      return 0;
    }
    // `abort` goes on by a trap, which says where it was.
    if (signal === signalAction.abort || ignoredSignals.has(signal)) return 0;
    throw new ProgramExit(128 + signal);
  }

  /** `rt_sigaction`: both structs begin with the handler. */
  private setHandler(signal: number, set: number, target: number): number {
    const { view } = this.memory;
    const before = this.handlers.get(signal) ?? signalAction.default;
    const wanted = set === 0 ? before : Number(view.getBigUint64(set, true));
    if (target !== 0) {
      this.memory.bytes(target, 32).fill(0);
      view.setBigUint64(target, BigInt(before), true);
    }
    this.handlers.set(signal, wanted);
    return 0;
  }

  /** `uname` */
  private showSystem(target: number): number {
    const fieldBytes = 65;
    this.memory.bytes(target, 6 * fieldBytes).fill(0);
    ['Linux', 'simsight', '6.8.0', '#1', 'x86_64', ''].forEach((text, i) => {
      const bytes = this.encoder.encode(text);
      this.memory.bytes(target + i * fieldBytes, bytes.length).set(bytes);
    });
    return 0;
  }

  /** `sysinfo` */
  private showMemory(target: number): number {
    const gibibytes = 64n;
    const { view } = this.memory;
    this.memory.bytes(target, 112).fill(0);
    view.setBigInt64(target, this.now / nanosecondsPerSecond, true);
    for (const field of [32, 40]) view.setBigUint64(target + field, gibibytes << 30n, true);
    view.setUint16(target + 80, 1, true);
    view.setUint32(target + 104, 1, true);
    return 0;
  }

  /** Limits of the stack and of open files; there are no others. */
  private limit(which: number, target: number): number {
    const limits: Readonly<Record<number, bigint>> = { 3: 8n << 20n, 7: 1024n };
    const value = limits[which] ?? 0xffff_ffff_ffff_ffffn;
    for (const at of [target, target + 8]) this.memory.view.setBigUint64(at, value, true);
    return 0;
  }

  /** `struct stat`. All files are as old as the recording: real times would differ between machines. */
  private showStatus({ type, bytes }: FileStatus, target: number): number {
    const { view } = this.memory;
    this.memory.bytes(target, 144).fill(0);
    for (const at of [0, 8, 16]) view.setBigUint64(target + at, 1n, true);
    view.setUint32(target + 24, modes[type], true);
    view.setUint32(target + 28, userNumber, true);
    view.setUint32(target + 32, userNumber, true);
    view.setBigUint64(target + 48, BigInt(bytes), true);
    view.setBigUint64(target + 56, BigInt(blockBytes), true);
    view.setBigUint64(target + 64, BigInt(Math.ceil(bytes / sectorBytes)), true);
    for (const at of [72, 88, 104]) this.memory.setTime(target + at, epochNanoseconds);
    return 0;
  }

  /** `getdents64`: as many of the entries that are left as fit. */
  private entries(fd: number, target: number, bytes: number): number {
    const folder = this.files.at(fd);
    const all = this.files.entries(fd);
    if (folder.kind !== 'folder') return refuse(errno.notdir);
    let filled = 0;
    for (; folder.entriesRead < all.length; folder.entriesRead++) {
      const { name, type } = all[folder.entriesRead]!;
      const text = this.encoder.encode(`${name}\0`);
      const size = Math.ceil((19 + text.length) / 8) * 8;
      if (filled + size > bytes) return filled > 0 ? filled : refuse(errno.inval);
      const at = target + filled;
      const { view } = this.memory;
      this.memory.bytes(at, size).fill(0);
      view.setBigUint64(at, BigInt(folder.entriesRead + 1), true);
      view.setBigUint64(at + 8, BigInt(folder.entriesRead + 1), true);
      view.setUint16(at + 16, size, true);
      view.setUint8(at + 18, entryTypes[type]);
      this.memory.bytes(at + 19, text.length).set(text);
      filled += size;
    }
    return filled;
  }
}

/** The answer of a call that has none but that it was done. */
const done = (_: unknown): number => 0;
