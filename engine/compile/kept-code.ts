/**
 * The machine code that V8 has optimized of Clang, kept from process to process. A process begins with none: for a small program V8 is
 * busy with Clang's code longer than Clang is with the program. What is hot in one process is so in the next: it begins with that, and what
 * it finds hot besides is added.
 *
 * V8 takes code back only where its version, its flags and the processor are the same. It reads the code as it is: a file counts only if it
 * is what was written, to the bit ({@link file://./cache-entry.ts}). Without it, or without V8's functions for it (they are not part of its
 * interface), all is as it was, and slower.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { mostEntryBytes, parseEntry, writeEntry } from './cache-entry.ts';

/** Written again where it has grown by so much: the last functions are called least. */
const growth = 1.05;

/** Calls functions of V8's own, which are parsed under a flag. */
function natively<Value>(text: string, ...values: unknown[]): Value {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return (runInThisContext(text) as (...values: unknown[]) => Value)(...values);
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

const attempt = <Value>(of: () => Value | undefined): Value | null => {
  try {
    return of() ?? null;
  } catch {
    return null;
  }
};

/** Code of one module in a folder of a cache. */
export class KeptCode {
  private readonly key: string;
  private readonly folder: string;
  /** Bytes of the code that is kept and can be used; 0: there is none. */
  size = 0;

  /** `name`: what tells the module from others, and the flags that its code is made under. */
  constructor(folder: string, name: string) {
    const { arch, execArgv, platform, versions } = process;
    const parts = ['code', name, versions.v8, platform, arch, execArgv, process.env['NODE_OPTIONS'] ?? ''];
    this.key = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    this.folder = folder;
  }

  /** The file that the code is in. */
  get file(): string {
    return join(this.folder, `${this.key}.llvm`);
  }

  /** The module of these bytes with its code; null where there is none that V8 takes. */
  moduleOf(bytes: Uint8Array): WebAssembly.Module | null {
    const code = this.read();
    if (code === null) return null;
    const module = attempt(() =>
      natively<WebAssembly.Module | undefined>(
        '(code, bytes) => %DeserializeWasmModule(code, bytes)',
        code.buffer,
        bytes,
      ),
    );
    if (module === null) return null;
    this.size = code.length;
    const now = new Date();
    attempt(() => utimesSync(this.file, now, now));
    return module;
  }

  /** Writes what code there is of the module if it is much more than before; true if it was. */
  async keep(module: WebAssembly.Module): Promise<boolean> {
    const made = attempt(() => natively<ArrayBuffer | undefined>('(module) => %SerializeWasmModule(module)', module));
    // Another thread, or process, may have been first.
    if (this.size > 0) this.size = Math.max(this.size, this.bytesThere());
    if (made === null || made.byteLength < growth * this.size) return false;
    const code = new Uint8Array(made);
    await writeEntry(this.key, this.file, { outcome: 'success', messages: '', outputs: [['code', code]] }).catch(
      () => {},
    );
    // Where nothing can be written it is not tried each time.
    this.size = code.length;
    return true;
  }

  private bytesThere(): number {
    const found = attempt(() => lstatSync(this.file));
    return found?.isFile() === true && found.size <= mostEntryBytes ? found.size : 0;
  }

  private read(): Uint8Array<ArrayBuffer> | null {
    if (this.bytesThere() === 0) return null;
    return attempt(() => parseEntry(this.key, readFileSync(this.file))?.outputs[0]?.[1]);
  }
}
