/** The file system of LLVM's tools, in memory: folders that runs share, and those of one run, which it may write to. */

/** Identity of a file or folder: Clang takes files of one number to be one file. */
let lastNumber = 0;

/** The content of a file that is read when somebody asks for it. */
export interface LateBytes {
  length: number;
  read(): Uint8Array;
}

export class ToolFile {
  readonly number = ++lastNumber;
  /** The first `length` bytes count. Null: yet to be read. */
  private buffer: Uint8Array | null;
  private readonly read: () => Uint8Array;
  length: number;

  constructor(bytes: Uint8Array | LateBytes = new Uint8Array(0)) {
    this.buffer = bytes instanceof Uint8Array ? bytes : null;
    this.read = bytes instanceof Uint8Array ? () => bytes : bytes.read;
    this.length = bytes.length;
  }
  /** The content. */
  get bytes(): Uint8Array {
    this.buffer ??= this.read();
    return this.buffer.subarray(0, this.length);
  }
  /** Bytes that lie between its end and the position are zero. */
  write(bytes: Uint8Array, at: number): void {
    const end = at + bytes.length;
    const room = (this.buffer ??= this.read()).length;
    if (end > room) this.grow(Math.max(end, 2 * room));
    this.buffer.set(bytes, at);
    this.length = Math.max(this.length, end);
  }
  resize(length: number): void {
    this.grow(length);
    this.length = length;
  }
  private grow(capacity: number): void {
    const grown = new Uint8Array(capacity);
    grown.set(this.bytes.subarray(0, capacity));
    this.buffer = grown;
  }
}

export type ToolEntry = ToolFile | ToolFolder;

export class ToolFolder {
  readonly number = ++lastNumber;
  readonly entries = new Map<string, ToolEntry>();
  /** Files below it may be made, written and removed. */
  readonly isWritable: boolean;

  constructor(isWritable: boolean) {
    this.isWritable = isWritable;
  }
  /** The file or folder at a path, which is taken from here; undefined: none. */
  find(path: string): ToolEntry | undefined {
    const way: ToolFolder[] = [this];
    let found: ToolEntry | undefined = way[0];
    for (const segment of path.split('/')) {
      if (segment === '' || segment === '.') continue;
      if (!(found instanceof ToolFolder)) return undefined;
      if (segment === '..') {
        if (way.length > 1) way.pop();
        found = way.at(-1);
      } else {
        found = found.entries.get(segment);
        if (found instanceof ToolFolder) way.push(found);
      }
    }
    return found;
  }
  /** Puts a file at a path, and folders on the way. */
  add(path: string, bytes: Uint8Array | LateBytes): void {
    const segments = path.split('/').filter(Boolean);
    const name = segments.pop()!;
    const folder = segments.reduce((at: ToolFolder, segment) => at.folderOf(segment), this);
    folder.entries.set(name, new ToolFile(bytes));
  }
  /** The folder of a name, made where it is absent. */
  private folderOf(name: string): ToolFolder {
    const there = this.entries.get(name);
    if (there instanceof ToolFolder) return there;
    const made = new ToolFolder(this.isWritable);
    this.entries.set(name, made);
    return made;
  }
}
