/**
 * Launches that would do what an earlier one did. What a launch does depends on its kernel, shape and parameters, on what the memory
 * holds that it touches, and on what is in L2. Where all of that is as it was before, its counts are those of then, and memory and L2
 * are brought into the state of then. So nothing but time depends on it (`--execute-all`).
 *
 * The first launch of a kind shows which pages of memory it touches; from then on the pages and L2 are hashed before and after. That costs
 * time as well: kinds that do little work, or with many pages for their work, are executed, and so are, for a while, those that were
 * hashed several times in vain, as steps of a simulation are.
 */
import type { KernelCounts } from '../../model/execution.ts';
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
import type { LaunchPlaces, PlacedLaunch } from './launch-places.ts';
import type { LoadedKernel, LoadedUnit } from './loaded-modules.ts';
import type { DeviceMemory } from './memory.ts';

/** A hash as text, a character per byte. */
const hashBytes = 16;
/** Work of a launch from which looking for an earlier one pays. Hashing 8 GB takes as long as 150 M warp instructions. */
const fewestInstructions = 100_000;
const mostBytesPerInstruction = 32;
/** Launches in a row that were hashed in vain, and then how many of how many are hashed. */
const mostInVain = 10;
const rested = { of: 128, hashed: 10 };
/** Pages that are kept of what launches wrote; when there are more, all are forgotten. */
const mostKeptBytes = 384 << 20;

/** What a launch finds, what it leaves, and its counts. Hashes of pages, then of the pieces of L2, one after the other. */
interface Outcome {
  before: string;
  after: string;
  counts: KernelCounts;
}

/** Launches of one kernel, shape and parameters. */
interface Kind {
  launches: number;
  inVain: number;
  isWorthIt: boolean;
  /** Pages that its launches touch; null as long as none has been executed. */
  pages: Uint32Array | null;
  outcomes: Outcome[];
}

/** A launch between its beginning and its end. */
export interface Attempt {
  kind: Kind;
  placed: PlacedLaunch;
  places: LaunchPlaces;
  loaded: LoadedKernel;
  unit: LoadedUnit;
  /** Hashes of what it finds; null where nothing is known of the pages that it will touch. */
  before: string | null;
  /** Requests to the host until it began. */
  requests: number;
}

const noPages = new Uint32Array();

export class RepeatedLaunches {
  /** Launches that were not executed. */
  count = 0;
  private readonly memory: DeviceMemory;
  private readonly kinds = new Map<string, Kind>();
  private readonly pages = new Map<string, Uint8Array>();
  private hasKeys = false;
  /** Hashes of L2 as it is; null where it has changed since. */
  private l2: string | null = null;

  constructor(memory: DeviceMemory) {
    this.memory = memory;
  }

  /** L2 has changed otherwise than by launches that were looked at. */
  forgetL2(): void {
    this.l2 = null;
  }

  /** Before a launch, when L2 is as the launch finds it; null where it is executed in any case. */
  begin(parts: Pick<Attempt, 'placed' | 'places' | 'loaded' | 'unit' | 'requests'>): Attempt | null {
    const kind = this.kindOf(parts.placed);
    const { launches, inVain, isWorthIt } = kind;
    kind.launches++;
    if (!isWorthIt || (inVain >= mostInVain && launches % rested.of >= rested.hashed)) {
      this.l2 = null;
      return null;
    }
    new Uint8Array(this.memory.wasm.buffer, touchedBase, memoryPages).fill(0);
    const attempt: Attempt = { ...parts, kind, before: null };
    if (kind.pages !== null) attempt.before = this.hashes(attempt, kind.pages);
    return attempt;
  }

  /** Brings about what the launch would do, and returns its counts; null where it has to be executed. */
  repeat({ kind, before, places }: Attempt): KernelCounts | null {
    const outcome = before === null ? undefined : kind.outcomes.find((each) => each.before === before);
    if (outcome === undefined) return null;
    const { after, counts } = outcome;
    const bytes = new Uint8Array(this.memory.wasm.buffer);
    this.changes(kind.pages!, places, outcome.before, after).forEach(({ hash, address }) =>
      bytes.set(this.pages.get(hash)!, address),
    );
    this.l2 = after.slice(hashBytes * kind.pages!.length);
    kind.inVain = 0;
    this.count++;
    return counts;
  }

  /** After a launch that was executed to its end. `requests`: to the host, until then. */
  end(attempt: Attempt, { places: _, ...counts }: KernelCounts, requests: number): void {
    const { kind, before } = attempt;
    this.l2 = null;
    kind.inVain++;
    const touched = this.touchedPages(attempt);
    const isNew = touched.some((page) => !has(kind.pages ?? noPages, page));
    if (isNew) {
      kind.pages = Uint32Array.from(new Set([...(kind.pages ?? noPages), ...touched])).sort();
      kind.outcomes = [];
    }
    const pages = kind.pages ?? noPages;
    kind.pages = pages;
    const { warpInstructions } = counts;
    kind.isWorthIt =
      // The host is not asked again.
      requests === attempt.requests &&
      warpInstructions >= fewestInstructions &&
      pages.length * memoryPageBytes <= mostBytesPerInstruction * warpInstructions;
    if (!kind.isWorthIt || before === null || isNew) return;
    const after = this.hashes(attempt, pages);
    if (this.keep(this.changes(pages, attempt.places, before, after))) kind.outcomes.push({ before, after, counts });
  }

  private kindOf({ launch, caches, gpu, managed }: PlacedLaunch): Kind {
    const { kernel, grid, block, dynamicSharedBytes, parameters } = launch;
    const shape = JSON.stringify([kernel, grid, block, dynamicSharedBytes, launch.cooperative, caches, gpu, managed]);
    const key = shape + Buffer.from(parameters).toString('latin1');
    let kind = this.kinds.get(key);
    if (kind === undefined) {
      kind = { launches: 0, inVain: 0, isWorthIt: true, pages: null, outcomes: [] };
      this.kinds.set(key, kind);
    }
    return kind;
  }

  /** Ascending. Constants are read past L2, which tells of the others. */
  private touchedPages({ placed, loaded }: Attempt): Uint32Array {
    const touched = new Uint8Array(this.memory.wasm.buffer, touchedBase, memoryPages);
    placed.variables.forEach(({ address, size }, i) => {
      if (loaded.module.variables[i]!.constant)
        touched.fill(1, address / memoryPageBytes, Math.ceil((address + size) / memoryPageBytes));
    });
    const pages: number[] = [];
    for (let page = heapStart / memoryPageBytes; page < memoryPages; page++) if (touched[page] !== 0) pages.push(page);
    return Uint32Array.from(pages);
  }

  private hashes({ places, unit }: Attempt, pages: Uint32Array): string {
    const { buffer } = this.memory.wasm;
    if (!this.hasKeys) fillWithRandomWords(new Uint32Array(buffer, hashKeysBase, hashKeyBytes / 4));
    this.hasKeys = true;
    const textOf = (count: number): string => Buffer.from(buffer, hashesBase, hashBytes * count).toString('latin1');
    if (this.l2 === null) {
      const { address, bytes } = places.l2;
      const hashL2 = unit.instance.exports['hash_l2'] as (launch: number, end: number) => number;
      this.l2 = textOf(hashL2(places.launch, address + bytes));
    }
    new Uint32Array(buffer, hashListBase, pages.length).set(pages);
    (unit.instance.exports['hash_pages'] as (count: number) => void)(pages.length);
    return textOf(pages.length) + this.l2;
  }

  /** Pages and pieces of L2 that differ, with what they hold afterwards. */
  private changes(pages: Uint32Array, { l2 }: LaunchPlaces, before: string, after: string): Change[] {
    const changes: Change[] = [];
    for (let i = 0; i < after.length / hashBytes; i++) {
      const hash = after.slice(hashBytes * i, hashBytes * (i + 1));
      if (hash === before.slice(hashBytes * i, hashBytes * (i + 1))) continue;
      const isOfL2 = i >= pages.length;
      const address = isOfL2 ? l2.address + (i - pages.length) * memoryPageBytes : pages[i]! * memoryPageBytes;
      const bytes = isOfL2 ? Math.min(memoryPageBytes, l2.address + l2.bytes - address) : memoryPageBytes;
      changes.push({ hash, address, bytes });
    }
    return changes;
  }

  /** False where there is no room. */
  private keep(changes: readonly Change[]): boolean {
    const isNew = changes.filter(({ hash }) => !this.pages.has(hash));
    if (changes.length * memoryPageBytes > mostKeptBytes) return false;
    if ((this.pages.size + isNew.length) * memoryPageBytes > mostKeptBytes) {
      this.pages.clear();
      for (const kind of this.kinds.values()) kind.outcomes = [];
    }
    const { buffer } = this.memory.wasm;
    for (const { hash, address, bytes } of changes)
      if (!this.pages.has(hash)) this.pages.set(hash, new Uint8Array(buffer, address, bytes).slice());
    return true;
  }
}

/** A page of memory, or a piece of L2. */
interface Change {
  hash: string;
  address: number;
  bytes: number;
}

/** Whether an ascending list has it. */
function has(pages: Uint32Array, page: number): boolean {
  let [low, high] = [0, pages.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (pages[middle]! < page) low = middle + 1;
    else high = middle;
  }
  return pages[low] === page;
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
