/**
 * LLVM's tools, Clang and the linker, as the one WebAssembly program that a package of npm's brings. Its own way to start
 * it (WASI preview 2 in JavaScript) copies each file several times and each written piece through five layers: for small programs that
 * was a third of the time. So the program is started directly, with {@link ToolSystem} below it.
 */
import { openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { KeptCode } from './kept-code.ts';
import { withMemoryMaximum } from './memory-maximum.ts';
import { compilerVersion, packageFolder } from './package.ts';
import { sysrootFiles } from './sysroot.ts';
import { ToolFolder, type LateBytes } from './tool-files.ts';
import { ToolExit, ToolSystem, type ToolStreams } from './tool-system.ts';

const blockBytes = 512;

/** The plain files of a tar archive (POSIX.1-1988, "ustar"), which stays open: a run reads a few of the thousands that there are. */
function* tarFiles(file: string): Generator<[path: string, bytes: LateBytes]> {
  const archive = openSync(file, 'r');
  const head = Buffer.alloc(blockBytes);
  const text = (at: number, length: number): string => head.toString('latin1', at, at + length).replace(/\0.*$/s, '');
  for (let at = 0; readSync(archive, head, 0, blockBytes, at) === blockBytes && head[0] !== 0;) {
    const length = parseInt(text(124, 12), 8) || 0;
    const [name, prefix, type] = [text(0, 100), text(345, 155), text(156, 1)];
    at += blockBytes;
    const begin = at;
    const read = (): Uint8Array => {
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length;) {
        const more = readSync(archive, bytes, done, length - done, begin + done);
        if (more === 0) throw new Error(`${file} is cut off.`);
        done += more;
      }
      return bytes;
    };
    if (type === '0' || type === '') yield [prefix === '' ? name : `${prefix}/${name}`, { length, read }];
    at += Math.ceil(length / blockBytes) * blockBytes;
  }
}

/** What the package brings and runs use: Clang's own headers, and the libraries that kernels' modules and the demangler are linked to. */
const isUsed = (path: string): boolean => /^include\/(?!c\+\+\/|wasm32)|^lib\//.test(path);

function resourceFolder(): ToolFolder {
  const folder = new ToolFolder(false);
  for (const [path, bytes] of tarFiles(join(packageFolder(), 'llvm-resources.tar')))
    if (isUsed(path)) folder.add(path, bytes);
  return folder;
}

function librariesFolder(): ToolFolder {
  const folder = new ToolFolder(false);
  for (const [path, bytes] of sysrootFiles()) folder.add(path, bytes);
  return folder;
}

/**
 * V8's measure of how long a function runs before it is compiled again, with optimization; a module takes it when it is made. Clang is
 * large, and mostly used for a second or two: at V8's own it compiled Clang for longer than Clang compiled the program.
 */
const tieringBudget = { usual: 13_000_000, clang: 30_000_000 };

/** Makes a module of Clang's, or code for one: V8 takes code only under the flags that it was made under. */
function tiering<Made>(make: () => Made): Made {
  setFlagsFromString(`--wasm-tiering-budget=${tieringBudget.clang}`);
  try {
    return make();
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${tieringBudget.usual}`);
  }
}

/**
 * The part of a run's memory that it has from the beginning. The C library grows memory by 64 KiB, and with each growth V8 takes all of
 * it to be new and collects garbage, which was a quarter of the time of large sources. What is not written to takes no memory.
 */
const reservedShare = 1 / 4;

export class Llvm {
  /** Of the run that is, or was last; null before the first. */
  memory: WebAssembly.Memory | null = null;
  /** Threads may share it: loading it takes a second of a core, half of it for memory. */
  readonly module: WebAssembly.Module;
  /** V8's code of Clang from earlier processes; null: none is kept. */
  readonly code: KeptCode | null;
  private readonly resources = resourceFolder();
  private readonly reservedBytes: number;
  /** Headers and libraries of 64-bit programs; absent while they are being built. */
  private libraries: ToolFolder | null = null;

  /**
   * `codeFolder`: where V8's code of Clang is kept; null: nowhere. `module`: of another thread with the same limit, which keeps the code.
   * Errors: the package's or the sysroot's files cannot be read.
   */
  constructor(memoryBytes: number, codeFolder: string | null = null, module: WebAssembly.Module | null = null) {
    this.reservedBytes = reservedShare * memoryBytes;
    const keeps = module === null && codeFolder !== null;
    this.code = keeps ? new KeptCode(codeFolder, `${compilerVersion()} ${memoryBytes}`) : null;
    this.module = module ?? this.loaded(memoryBytes);
  }

  private loaded(memoryBytes: number): WebAssembly.Module {
    const bytes = withMemoryMaximum(readFileSync(join(packageFolder(), 'llvm.core.wasm')), memoryBytes);
    return tiering(() => this.code?.moduleOf(bytes) ?? new WebAssembly.Module(bytes));
  }

  /** Keeps V8's code of Clang for later processes, where there is more than they have; true if it was written. */
  async keepCode(): Promise<boolean> {
    // V8 gives the code before anything is waited for.
    return this.code !== null && (await tiering(() => this.code!.keep(this.module)));
  }

  /**
   * Runs a tool to its end; what it leaves is below `files`, which is its root folder. Throws {@link ToolExit} where it fails, what
   * `streams` throw, and what WebAssembly throws of a program that breaks.
   */
  run(words: readonly string[], files: ToolFolder, streams: ToolStreams): void {
    files.entries.set('usr', this.resources);
    if (!files.entries.has('sysroot') && words.some((word) => word.includes('/sysroot/')))
      files.entries.set('sysroot', (this.libraries ??= librariesFolder()));
    const { imports } = new ToolSystem(['llvm', ...words], files, streams, () => this.memory!, this.reservedBytes);
    const { exports } = new WebAssembly.Instance(this.module, { wasi_snapshot_preview1: imports });
    this.memory = exports['memory'] as WebAssembly.Memory;
    try {
      (exports['_start'] as () => void)();
    } catch (error) {
      // The linker ends so, whatever became of it.
      if (!(error instanceof ToolExit && error.status === 0)) throw error;
    }
  }
}
