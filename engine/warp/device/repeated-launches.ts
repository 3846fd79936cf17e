/**
 * Launches that would do what an earlier one did. What a launch does depends on its kernel, shape and parameters, on what the memory
 * holds that it touches, and on what is in L2. Where all of that is as it was before, its counts are those of then, and memory and L2
 * are brought into the state of then. So nothing but time depends on it (`--execute-all`). In a sample (`--sample`)
 * L2 is not looked at and stays as it is: the results are right, the counts those of a launch that found something else in L2.
 *
 * The first launch of a kind shows which pages of memory it touches; from then on the pages and L2 are hashed before and after. That costs
 * time as well: kinds with many pages for their work are executed, and so are, for a while, those that were
 * hashed several times in vain, as steps of a simulation are. Of those that do little work a few are hashed, to see whether they change
 * anything; where they do not, and nobody else has since, the next ones do not have to be.
 */
import type { CacheGeometry, KernelCounts } from '../../model/execution.ts';
import { parameterText, shapeText } from '../../model/launch-shape.ts';
import { memoryPageBytes } from '../layout.ts';
import type { LaunchPlaces, PlacedLaunch } from './launch-places.ts';
import type { LoadedKernel, LoadedUnit } from './loaded-modules.ts';
import type { DeviceMemory } from './memory.ts';
import { hashBytes, PageHashes, type Piece } from './page-hashes.ts';

/** Work of a launch from which looking for an earlier one pays. Hashing 8 GB takes as long as 150 M warp instructions. */
const fewestInstructions = 10_000;
const mostBytesPerInstruction = 64;
/** Of launches with less: the first that is looked at, then ones that are ever further apart; the memory that they may touch. */
const small = { from: 16, mostBytes: 16 * memoryPageBytes };
/**
 * Launches in a row that were hashed in vain, and then how many of how many are hashed. L2 comes to its steady state late: each of three ways
 * finds what the others left, and a float that is written again and again counts as a part of its sector for eight launches.
 */
const mostInVain = 24;
const rested = { of: 512, hashed: 10 };
/** Kinds, and pages of what launches wrote, that are kept; when there are more, all are forgotten. */
const mostKinds = 10_000;
const mostKeptBytes = 384 << 20;

/**
 * What a launch finds, what it leaves, and its counts. Hashes of pages, then of the pieces of L2, one after the other. `way`: in which its
 * blocks come to the halves of L2; 0 where they do so in one way only.
 */
interface Outcome {
  way: number;
  before: string;
  after: string;
  counts: KernelCounts;
}

/** Lines that others than launches wrote, so many from the first one on. */
export type StoredLines = readonly { first: number; count: number }[];
/** What takes longer to store than L2 takes to hash. */
const fewestStored = 4096;

/** Launches of one kernel, shape and parameters. */
export interface Kind {
  launches: number;
  inVain: number;
  isWorthIt: boolean;
  isSmall: boolean;
  /** Of small ones: the launch from which on to look again, and how many to leave out after that. */
  nextLook: number;
  pause: number;
  /** Pages that its launches touch; null as long as none has been executed. */
  pages: Uint32Array | null;
  outcomes: Outcome[];
  /** Counts of a launch that left everything as it was, and {@link RepeatedLaunches.allChanges} then; by {@link Outcome.way}. */
  settled: Map<number, { counts: KernelCounts; changes: number }>;
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
  way: number;
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

const numbersOfCaches = new Map<string, number>();
const numbers = new WeakMap<CacheGeometry, number>();
/** The same for caches that are alike. */
function numberOf(caches: CacheGeometry): number {
  let number = numbers.get(caches);
  if (number === undefined) {
    const text = JSON.stringify(caches);
    number = numbersOfCaches.get(text) ?? numbersOfCaches.size;
    numbersOfCaches.set(text, number);
    numbers.set(caches, number);
  }
  return number;
}

export class RepeatedLaunches {
  /** Launches that were not executed. */
  count = 0;
  private readonly memory: DeviceMemory;
  private readonly withoutL2: boolean;
  private readonly hashes: PageHashes;
  /** By shape, then by parameters and whatever else is not of the shape. */
  private readonly kinds = new Map<string, Map<string, Kind>>();
  private kindCount = 0;
  /** What pages and pieces of L2 held, by hash. */
  private readonly kept = new Map<string, Uint8Array>();
  /** Hashes of L2 as it is; null where it has changed since. */
  private l2: string | null = null;
  /** Hashes of L2 after lines were stored, by these and the hashes before. */
  private readonly stored = new Map<string, string>();
  /** Times that launches were executed or L2 changed. */
  private changes = 0;

  /** `withoutL2`: it may be different. */
  constructor(memory: DeviceMemory, withoutL2: boolean) {
    this.memory = memory;
    this.withoutL2 = withoutL2;
    this.hashes = new PageHashes(memory);
  }

  /** {@link PageHashes.takeChanged}. */
  takeChanged(): readonly Piece[] {
    return this.hashes.takeChanged();
  }

  /** A launch is executed, or L2 has changed otherwise. */
  forgetL2(): void {
    this.l2 = null;
    this.changes++;
  }

  /**
   * Stores lines in L2, or brings it into the state that this has led to before: programs that time kernels write as much as L2 holds in front
   * of each. `store` does it.
   */
  store({ places, unit }: Pick<NewLaunch, 'places' | 'unit'>, lines: StoredLines, store: () => void): void {
    if (lines.reduce((sum, { count }) => sum + count, 0) < fewestStored) return store();
    const before = this.hashL2(places, unit);
    const key = JSON.stringify(lines) + before;
    const after = this.stored.get(key);
    if (after !== undefined) {
      this.apply(this.differences(noPages, places, before, after));
      this.l2 = after;
      return;
    }
    store();
    this.l2 = null;
    const now = this.hashL2(places, unit);
    if (this.keep(this.differences(noPages, places, before, now))) this.stored.set(key, now);
  }

  /** Counts of a launch that would leave everything as it is; null where that is not known. */
  unchanged(launch: NewLaunch, kind: Kind): KernelCounts | null {
    const settled = kind.settled.get(this.wayOf(launch));
    if (settled?.changes !== this.allChanges()) return null;
    this.count++;
    // It was worth it, and is again.
    kind.nextLook = kind.launches;
    kind.pause = 1;
    return settled.counts;
  }

  /** Before a launch, when L2 is as the launch finds it; null where it is executed in any case. */
  begin(launch: NewLaunch, kind: Kind): Attempt | null {
    const { launches, inVain, isWorthIt, isSmall, pages } = kind;
    kind.launches++;
    if (!isWorthIt) return null;
    if (isSmall) {
      if (launches < kind.nextLook) return null;
      kind.nextLook = launches + kind.pause;
      kind.pause *= 2;
    } else if (inVain >= mostInVain && launches % rested.of >= rested.hashed) return null;
    this.hashes.takeTouched();
    return { ...launch, kind, way: this.wayOf(launch), before: pages === null ? null : this.stateOf(launch, pages) };
  }

  /** Brings about what the launch would do, and returns its counts; null where it has to be executed. */
  repeat({ kind, way, before, places }: Attempt): KernelCounts | null {
    const outcome = kind.outcomes.find((each) => each.way === way && each.before === before);
    if (outcome === undefined) return null;
    const { after, counts } = outcome;
    const differences = this.differences(kind.pages!, places, outcome.before, after);
    this.apply(differences);
    if (differences.length > 0) this.changes++;
    else kind.settled.set(way, { counts, changes: this.allChanges() });
    if (!this.withoutL2) this.l2 = after.slice(hashBytes * kind.pages!.length);
    kind.inVain = 0;
    this.count++;
    return counts;
  }

  /** After a launch that was executed to its end. `requests`: to the host, until then. */
  end(attempt: Attempt, { places: _, ...counts }: KernelCounts, requests: number): void {
    const { kind, way, before } = attempt;
    kind.inVain++;
    const known = kind.pages ?? noPages;
    const all = new Set([...known, ...this.hashes.takeTouched(), ...pagesOfConstants(attempt)]);
    const isNew = all.size > known.length;
    if (isNew) kind.outcomes = [];
    const pages = (kind.pages = isNew ? Uint32Array.from(all).sort() : known);
    const { warpInstructions } = counts;
    kind.isSmall = warpInstructions < fewestInstructions;
    const mostBytes = kind.isSmall ? small.mostBytes : mostBytesPerInstruction * warpInstructions;
    // The host is not asked again.
    kind.isWorthIt = requests === attempt.requests && pages.length * memoryPageBytes <= mostBytes;
    if (!kind.isWorthIt || before === null || isNew) return;
    const after = this.stateOf(attempt, pages);
    if (before === after) kind.settled.set(way, { counts, changes: this.allChanges() });
    if (kind.isSmall) return;
    if (this.keep(this.differences(pages, attempt.places, before, after)))
      kind.outcomes.push({ way, before, after, counts });
  }

  /** Of memory and L2. */
  allChanges(): number {
    return this.changes + this.hashes.writes;
  }

  /** Blocks that are resident from the beginning are always at the same half. */
  private wayOf({ placed, places, number }: NewLaunch): number {
    return places.l2.halves === 2 && placed.blocks > places.resident && !this.withoutL2 ? number : 0;
  }

  kindOf({ placed }: NewLaunch): Kind {
    const { launch, caches, gpu, managed } = placed;
    const isCooperative = launch.cooperative === true ? 'c' : '';
    const key = `${numberOf(caches)} ${gpu} ${managed.first} ${managed.pages} ${isCooperative} ${parameterText(launch)}`;
    const shape = shapeText(launch);
    let kind = this.kinds.get(shape)?.get(key);
    if (kind === undefined) {
      if (this.kindCount >= mostKinds) this.forget();
      kind = {
        ...{ launches: 0, inVain: 0, isWorthIt: true, isSmall: false, nextLook: small.from, pause: 1 },
        ...{ pages: null, outcomes: [], settled: new Map() },
      };
      let ofShape = this.kinds.get(shape);
      if (ofShape === undefined) this.kinds.set(shape, (ofShape = new Map()));
      ofShape.set(key, kind);
      this.kindCount++;
    }
    return kind;
  }

  /** Hashes of pages and L2. */
  private stateOf({ places, unit }: NewLaunch, pages: Uint32Array): string {
    if (this.withoutL2) return this.hashes.textOf(pages, unit);
    return this.hashes.textOf(pages, unit) + this.hashL2(places, unit);
  }

  private hashL2({ launch, l2 }: LaunchPlaces, unit: LoadedUnit): string {
    return (this.l2 ??= this.hashes.textOfL2(launch, l2.address + l2.bytes, unit));
  }

  private apply(differences: readonly Change[]): void {
    const bytes = new Uint8Array(this.memory.wasm.buffer);
    for (const { hash, address, page } of differences) {
      bytes.set(this.kept.get(hash)!, address);
      if (page !== null) this.hashes.set(page, hash);
    }
  }

  /** Pages and pieces of L2 that differ, with what they hold afterwards. */
  private differences(pages: Uint32Array, { l2 }: LaunchPlaces, before: string, after: string): Change[] {
    const differences: Change[] = [];
    if (before === after) return differences;
    for (let i = 0; i < after.length / hashBytes; i++) {
      const hash = after.slice(hashBytes * i, hashBytes * (i + 1));
      if (hash === before.slice(hashBytes * i, hashBytes * (i + 1))) continue;
      const page = pages[i] ?? null;
      const address = page === null ? l2.address + (i - pages.length) * memoryPageBytes : page * memoryPageBytes;
      const bytes = page === null ? Math.min(memoryPageBytes, l2.address + l2.bytes - address) : memoryPageBytes;
      differences.push({ hash, page, address, bytes });
    }
    return differences;
  }

  private forget(): void {
    this.kept.clear();
    this.stored.clear();
    // Who holds a kind goes on to use it.
    for (const kinds of this.kinds.values()) for (const kind of kinds.values()) kind.outcomes = [];
    if (this.kindCount < mostKinds) return;
    this.kinds.clear();
    this.kindCount = 0;
  }

  /** False where there is no room. */
  private keep(differences: readonly Change[]): boolean {
    const added = differences.filter(({ hash }) => !this.kept.has(hash));
    if (differences.length * memoryPageBytes > mostKeptBytes) return false;
    if ((this.kept.size + added.length) * memoryPageBytes > mostKeptBytes) this.forget();
    const { buffer } = this.memory.wasm;
    for (const { hash, address, bytes } of differences)
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
