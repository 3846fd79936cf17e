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

/** The sections of a module: what each holds, without its id and length. */
export function sectionsOf(module: Uint8Array): { id: number; at: number; end: number }[] {
  const reader = new Reader(module, 8);
  const sections = [];
  while (reader.at < reader.end) {
    const id = reader.byte();
    const { at, end } = reader.part(reader.u32());
    sections.push({ id, at, end });
  }
  return sections;
}

/** What a section holds that a module has once at most; null where there is none. */
export function sectionOf(module: Uint8Array, wanted: number): Reader | null {
  const found = sectionsOf(module).find(({ id }) => id === wanted);
  return found === undefined ? null : new Reader(module, found.at, found.end);
}

export const importKinds = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const;

/** Something that a module imports. */
export interface Import {
  module: string;
  name: string;
  /** One of {@link importKinds}. */
  kind: number;
  /** Where in the module it is said what it is like. */
  at: number;
}

export interface FunctionImport extends Import {
  /** Index of its type. */
  type: number;
}

/** What a module imports, from the content of that section, in its order. */
export function importsIn(section: Reader): (Import | FunctionImport)[] {
  return Array.from({ length: section.u32() }, () => {
    const [module, name, kind] = [section.name(), section.name(), section.byte()];
    const found = { module, name, kind, at: section.at };
    if (kind === importKinds.function) return { ...found, type: section.u32() };
    if (kind === importKinds.global) section.skip(2);
    else if (kind === importKinds.tag) {
      section.skip(1);
      section.skipNumber();
    } else {
      if (kind === importKinds.table) section.skip(1);
      const flags = section.byte();
      section.skipNumber();
      if (flags & 1) section.skipNumber();
    }
    return found;
  });
}

export const isFunction = (one: Import | FunctionImport): one is FunctionImport => one.kind === importKinds.function;

const importSection = 2;

/** All that a valid module imports, in its order. */
export function importsOf(module: Uint8Array): (Import | FunctionImport)[] {
  const section = sectionOf(module, importSection);
  return section === null ? [] : importsIn(section);
}

/** The functions of these: V8 tells them of a module that it has compiled as a whole. */
export const functionImports = (module: Uint8Array): FunctionImport[] => importsOf(module).filter(isFunction);

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
