/** Hashes of the pages of memory, kept until a page is written to. */
import {
  hashesBase,
  hashKeyBytes,
  hashKeysBase,
  hashListBase,
  heapStart,
  memoryPageBytes,
  memoryPages,
  touchedBase,
} from '../layout.ts';
import type { LoadedUnit } from './loaded-modules.ts';
import type { DeviceMemory } from './memory.ts';

/** Of a hash; as text, a character per byte. */
export const hashBytes = 16;
const firstPage = heapStart / memoryPageBytes;

export interface Piece {
  address: number;
  bytes: number;
}

export class PageHashes {
  private readonly memory: DeviceMemory;
  private readonly known = new Uint8Array(memoryPages);
  private readonly hashes = Buffer.alloc(hashBytes * memoryPages);
  private hasKeys = false;
  /** Pages that launches have touched since {@link takeChanged}. */
  private readonly changed = new Uint8Array(memoryPages);
  /** Times that others than kernels wrote to memory, or allocated of it. */
  writes = 0;

  /** Kernels say themselves which pages they touch; all others that write to memory tell `memory.onWrite`. */
  constructor(memory: DeviceMemory) {
    this.memory = memory;
    memory.onWrite = (address, bytes) => {
      this.writes++;
      this.known.fill(0, Math.floor(address / memoryPageBytes), Math.ceil((address + bytes) / memoryPageBytes));
    };
  }

  /** Pages that kernels have touched since the last call, ascending. */
  takeTouched(): number[] {
    const { buffer } = this.memory.wasm;
    const end = Math.ceil(this.memory.heapEnd / memoryPageBytes);
    const touched = new Uint8Array(buffer, touchedBase, memoryPages);
    const fours = new Uint32Array(buffer, touchedBase, memoryPages / 4);
    const pages: number[] = [];
    for (let four = firstPage / 4; four * 4 < end; four++) {
      if (fours[four] === 0) continue;
      for (let page = 4 * four; page < 4 * four + 4; page++) if (touched[page] !== 0) pages.push(page);
      fours[four] = 0;
    }
    for (const page of pages) {
      this.known[page] = 0;
      this.changed[page] = 1;
    }
    return pages;
  }

  /** Memory that launches have touched, executed or not, since this was last asked: pieces of whole pages, in order. */
  takeChanged(): Piece[] {
    this.takeTouched();
    const pieces: Piece[] = [];
    for (let page = this.changed.indexOf(1); page >= 0; page = this.changed.indexOf(1, page)) {
      const end = this.changed.indexOf(0, page);
      const next = end < 0 ? memoryPages : end;
      pieces.push({ address: page * memoryPageBytes, bytes: (next - page) * memoryPageBytes });
      page = next;
    }
    this.changed.fill(0);
    return pieces;
  }

  /** Hashes of what pages hold and of what is allocated of them, one after the other. */
  textOf(pages: Uint32Array, unit: LoadedUnit): string {
    const { buffer } = this.memory.wasm;
    const missing = pages.filter((page) => this.known[page] === 0);
    if (missing.length > 0) {
      this.useKeys();
      new Uint32Array(buffer, hashListBase, missing.length).set(missing);
      (unit.instance.exports['hash_pages'] as (count: number) => void)(missing.length);
      const found = new Uint8Array(buffer, hashesBase, hashBytes * missing.length);
      missing.forEach((page, i) => {
        this.hashes.set(found.subarray(hashBytes * i, hashBytes * (i + 1)), hashBytes * page);
        this.known[page] = 1;
      });
    }
    const text = Buffer.allocUnsafe(hashBytes * pages.length);
    pages.forEach((page, i) => this.hashes.copy(text, hashBytes * i, hashBytes * page, hashBytes * (page + 1)));
    return text.toString('latin1');
  }

  /** Hashes of L2, whose area ends at `end`, as the next launch finds it. */
  textOfL2(launch: number, end: number, unit: LoadedUnit): string {
    this.useKeys();
    const count = (unit.instance.exports['hash_l2'] as (launch: number, end: number) => number)(launch, end);
    return Buffer.from(this.memory.wasm.buffer, hashesBase, hashBytes * count).toString('latin1');
  }

  /** A page was made to hold what has this hash. */
  set(page: number, hash: string): void {
    this.hashes.write(hash, hashBytes * page, 'latin1');
    this.known[page] = 1;
    this.changed[page] = 1;
  }

  private useKeys(): void {
    if (!this.hasKeys) fillWithRandomWords(new Uint32Array(this.memory.wasm.buffer, hashKeysBase, hashKeyBytes / 4));
    this.hasKeys = true;
  }
}

/** The same ones always: xorshift32 (Marsaglia, 2003). */
function fillWithRandomWords(words: Uint32Array): void {
  let word = 0x9e3779b9;
  for (let i = 0; i < words.length; i++) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    words[i] = word;
  }
}
