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
import { memoryPageBytes } from '../layout.ts';
import type { LaunchPlaces, PlacedLaunch } from './launch-places.ts';
import type { LoadedKernel, LoadedUnit } from './loaded-modules.ts';
import type { DeviceMemory } from './memory.ts';
import { hashBytes, PageHashes } from './page-hashes.ts';

/** Work of a launch from which looking for an earlier one pays. Hashing 8 GB takes as long as 150 M warp instructions. */
const fewestInstructions = 10_000;
const mostBytesPerInstruction = 64;
/** Launches in a row that were hashed in vain, and then how many of how many are hashed. */
const mostInVain = 10;
const rested = { of: 512, hashed: 10 };
/** Kinds, and pages of what launches wrote, that are kept; when there are more, all are forgotten. */
const mostKinds = 10_000;
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

/** A launch before it is executed. */
export interface NewLaunch {
  placed: PlacedLaunch;
  places: LaunchPlaces;
  loaded: LoadedKernel;
  unit: LoadedUnit;
  /** The way in which its blocks come to the halves of L2. */
  number: number;
  /** Requests to the host until now. */
  requests: number;
}

/** A launch between its beginning and its end. */
export interface Attempt extends NewLaunch {
  kind: Kind;
  /** Hashes of what it finds; null where nothing is known of the pages that it will touch. */
  before: string | null;
}

/** A page of memory, or a piece of L2. */
interface Change {
  hash: string;
  /** null: of L2. */
  page: number | null;
  address: number;
  bytes: number;
}

const noPages = new Uint32Array();

export class RepeatedLaunches {
  /** Launches that were not executed. */
  count = 0;
  private readonly memory: DeviceMemory;
  private readonly hashes: PageHashes;
  private readonly kinds = new Map<string, Kind>();
  /** What pages and pieces of L2 held, by hash. */
  private readonly kept = new Map<string, Uint8Array>();
  /** Hashes of L2 as it is; null where it has changed since. */
  private l2: string | null = null;

  constructor(memory: DeviceMemory) {
    this.memory = memory;
    this.hashes = new PageHashes(memory);
  }

  /** L2 has changed otherwise than by launches that were looked at. */
  forgetL2(): void {
    this.l2 = null;
  }

  /** Before a launch, when L2 is as the launch finds it; null where it is executed in any case. */
  begin(launch: NewLaunch): Attempt | null {
    const kind = this.kindOf(launch);
    const { launches, inVain, isWorthIt, pages } = kind;
    kind.launches++;
    if (!isWorthIt || (inVain >= mostInVain && launches % rested.of >= rested.hashed)) return null;
    this.hashes.takeTouched();
    return { ...launch, kind, before: pages === null ? null : this.stateOf(launch, pages) };
  }

  /** Brings about what the launch would do, and returns its counts; null where it has to be executed. */
  repeat({ kind, before, places }: Attempt): KernelCounts | null {
    const outcome = before === null ? undefined : kind.outcomes.find((each) => each.before === before);
    if (outcome === undefined) return null;
    const { after, counts } = outcome;
    const bytes = new Uint8Array(this.memory.wasm.buffer);
    for (const { hash, address, page } of this.changes(kind.pages!, places, outcome.before, after)) {
      bytes.set(this.kept.get(hash)!, address);
      if (page !== null) this.hashes.set(page, hash);
    }
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
    const known = kind.pages ?? noPages;
    const all = new Set([...known, ...this.hashes.takeTouched(), ...pagesOfConstants(attempt)]);
    const isNew = all.size > known.length;
    if (isNew) kind.outcomes = [];
    const pages = (kind.pages = isNew ? Uint32Array.from(all).sort() : known);
    const { warpInstructions } = counts;
    kind.isWorthIt =
      // The host is not asked again.
      requests === attempt.requests &&
      warpInstructions >= fewestInstructions &&
      pages.length * memoryPageBytes <= mostBytesPerInstruction * warpInstructions;
    if (!kind.isWorthIt || before === null || isNew) return;
    const after = this.stateOf(attempt, pages);
    if (this.keep(this.changes(pages, attempt.places, before, after))) kind.outcomes.push({ before, after, counts });
  }

  private kindOf({ placed, places, number }: NewLaunch): Kind {
    const { launch, caches, gpu, managed, blocks } = placed;
    const { kernel, grid, block, dynamicSharedBytes, parameters } = launch;
    // Blocks that are resident from the beginning are always at the same half.
    const way = places.l2.halves === 2 && blocks > places.resident ? number : 0;
    const shape = [kernel, grid, block, dynamicSharedBytes, launch.cooperative, caches, gpu, managed, way];
    const key = JSON.stringify(shape) + Buffer.from(parameters).toString('latin1');
    let kind = this.kinds.get(key);
    if (kind === undefined) {
      if (this.kinds.size >= mostKinds) this.forget();
      kind = { launches: 0, inVain: 0, isWorthIt: true, pages: null, outcomes: [] };
      this.kinds.set(key, kind);
    }
    return kind;
  }

  /** Hashes of pages and L2. */
  private stateOf({ places, unit }: NewLaunch, pages: Uint32Array): string {
    const { address, bytes } = places.l2;
    this.l2 ??= this.hashes.textOfL2(places.launch, address + bytes, unit);
    return this.hashes.textOf(pages, unit) + this.l2;
  }

  /** Pages and pieces of L2 that differ, with what they hold afterwards. */
  private changes(pages: Uint32Array, { l2 }: LaunchPlaces, before: string, after: string): Change[] {
    const changes: Change[] = [];
    if (before === after) return changes;
    for (let i = 0; i < after.length / hashBytes; i++) {
      const hash = after.slice(hashBytes * i, hashBytes * (i + 1));
      if (hash === before.slice(hashBytes * i, hashBytes * (i + 1))) continue;
      const page = pages[i] ?? null;
      const address = page === null ? l2.address + (i - pages.length) * memoryPageBytes : page * memoryPageBytes;
      const bytes = page === null ? Math.min(memoryPageBytes, l2.address + l2.bytes - address) : memoryPageBytes;
      changes.push({ hash, page, address, bytes });
    }
    return changes;
  }

  private forget(): void {
    this.kept.clear();
    // Who holds a kind goes on to use it.
    for (const kind of this.kinds.values()) kind.outcomes = [];
    if (this.kinds.size >= mostKinds) this.kinds.clear();
  }

  /** False where there is no room. */
  private keep(changes: readonly Change[]): boolean {
    const added = changes.filter(({ hash }) => !this.kept.has(hash));
    if (changes.length * memoryPageBytes > mostKeptBytes) return false;
    if ((this.kept.size + added.length) * memoryPageBytes > mostKeptBytes) this.forget();
    const { buffer } = this.memory.wasm;
    for (const { hash, address, bytes } of changes)
      if (!this.kept.has(hash)) this.kept.set(hash, new Uint8Array(buffer, address, bytes).slice());
    return true;
  }
}

/** They are read past L2, which tells of other pages. */
function pagesOfConstants({ placed, loaded }: NewLaunch): number[] {
  return placed.variables.flatMap(({ address, size }, i) => {
    if (!loaded.module.variables[i]!.constant) return [];
    const first = Math.floor(address / memoryPageBytes);
    const count = Math.ceil((address + size) / memoryPageBytes) - first;
    return Array.from({ length: count }, (_, page) => first + page);
  });
}
