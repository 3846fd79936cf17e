/** Reading and writing WebAssembly's binary format: LEB128 numbers, bytes, vectors. */

export class Reader {
  readonly bytes: Uint8Array;
  at: number;
  readonly end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  byte(): number {
    return this.bytes[this.at++]!;
  }

  /** Unsigned LEB128 of 32 bits. */
  u32(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** Any LEB128 number, for those whose value nobody needs. */
  skipNumber(): void {
    while (this.byte() >= 0x80);
  }

  name(): string {
    const { at, end } = this.part(this.u32());
    return new TextDecoder().decode(this.bytes.subarray(at, end));
  }

  skip(bytes: number): void {
    this.at += bytes;
  }

  /** So many numbers as a number before them says. */
  skipNumbers(): void {
    for (let count = this.u32(); count > 0; count--) this.skipNumber();
  }

  /** A reader of the next bytes, which this one goes past. */
  part(bytes: number): Reader {
    const part = new Reader(this.bytes, this.at, this.at + bytes);
    this.at += bytes;
    return part;
  }
}

/** A function that a module imports. */
export interface FunctionImport {
  module: string;
  name: string;
  /** Index of its type. */
  type: number;
}

const importSection = 2;

/** The functions that a valid module imports, in their order: V8 tells them of a module that it has compiled as a whole. */
export function functionImports(module: Uint8Array): FunctionImport[] {
  const found: FunctionImport[] = [];
  const reader = new Reader(module, 8);
  while (reader.at < reader.end) {
    const id = reader.byte();
    const part = reader.part(reader.u32());
    if (id !== importSection) continue;
    for (let left = part.u32(); left > 0; left--) {
      const [from, name, kind] = [part.name(), part.name(), part.byte()];
      if (kind === 0) found.push({ module: from, name, type: part.u32() });
      else skipImport(part, kind);
    }
  }
  return found;
}

/** Skips the import of a table, memory, global or tag. */
function skipImport(part: Reader, kind: number): void {
  if (kind === 3) return part.skip(2);
  part.skip(1);
  if (kind === 4) return part.skipNumber();
  const flags = kind === 1 ? part.byte() : part.bytes[part.at - 1]!;
  part.skipNumber();
  if (flags & 1) part.skipNumber();
}

/** What a custom section of a module holds, behind its name; null where there is none. */
export function customSection(module: Uint8Array, wanted: string): Reader | null {
  const reader = new Reader(module, 8);
  while (reader.at < reader.end) {
    const isCustom = reader.byte() === 0;
    const part = reader.part(reader.u32());
    if (isCustom && part.name() === wanted) return part;
  }
  return null;
}

/** Names of a module's functions by their index, as the linker gives them, from the section `name`. */
export function functionNames(module: Uint8Array): Map<number, string> {
  const names = new Map<number, string>();
  const reader = customSection(module, 'name');
  while (reader !== null && reader.at < reader.end) {
    const isOfFunctions = reader.byte() === 1;
    const part = reader.part(reader.u32());
    if (!isOfFunctions) continue;
    for (let left = part.u32(); left > 0; left--) names.set(part.u32(), part.name());
  }
  return names;
}

export class Writer {
  private bytes = new Uint8Array(256);
  length = 0;

  byte(value: number): this {
    if (this.length === this.bytes.length) this.grow(this.length + 1);
    this.bytes[this.length++] = value;
    return this;
  }

  u32(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.byte(rest);
  }

  /** Signed LEB128 of a number of 32 bits. */
  s32(value: number): this {
    return this.s53(value | 0);
  }

  /** Signed LEB128 of an integer that JavaScript has exactly. */
  s53(value: number): this {
    let rest = value;
    for (;;) {
      const low = ((rest % 0x80) + 0x80) % 0x80;
      rest = Math.floor(rest / 0x80);
      if ((rest === 0 && low < 0x40) || (rest === -1 && low >= 0x40)) return this.byte(low);
      this.byte(low | 0x80);
    }
  }

  all(bytes: Uint8Array): this {
    if (this.length + bytes.length > this.bytes.length) this.grow(this.length + bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  /** Bytes with their number before them. */
  sized(bytes: Uint8Array): this {
    return this.u32(bytes.length).all(bytes);
  }

  name(text: string): this {
    return this.sized(new TextEncoder().encode(text));
  }

  clear(): void {
    this.length = 0;
  }

  /** The bytes written; valid until the next write. */
  get written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  private grow(least: number): void {
    const larger = new Uint8Array(Math.max(least, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
