/**
 * Accesses to global memory as if the lanes of a warp found side by side what they want. What is laid out anew are sectors: of those
 * that an access touches, as many are taken as hold its bytes, first those that have been taken least. So an array of structures of
 * which one field is wanted moves a part of its sectors, and one whose fields are all wanted, one after the other, moves each of
 * them once.
 */
import { sectorBytes, sectorsPerLine } from '../model/geometry.ts';
import {
  accessKind,
  countOf,
  hintOf,
  isElsewhere,
  kindOf,
  lengthOf,
  lineOf,
  lineWord,
  passesOf,
  sectorsOf,
  tokenType,
  typeOf,
  type LineHint,
  type WarpStream,
} from '../model/warp-stream.ts';
import type { GlobalAccesses, KernelCounts } from '../model/execution.ts';
import { MemoryPath } from './core/memory.ts';
import type { CoreParameters } from './core/parameters.ts';
import { sectorCount } from './core/sectors.ts';

/** The highest number of a line; what is laid out anew is numbered from there on downwards. */
const lastLine = 0x1ff_ffff;
/** Sectors of a row of DRAM (l2-sets.c, LINES_OF_A_ROW). */
const rowBytes = 1024;

interface Sector {
  /** Line * 4 + its place there. */
  id: number;
  hint: LineHint;
}

export class Compaction {
  /** Number of times that accesses took each sector, and its place now. */
  private readonly taken = new Map<number, number>();
  private readonly places = new Map<number, number>();
  private next = 0;
  /** Sectors that the warp's last store to each line wrote: stores merged into an earlier one have no sectors of their own. */
  private readonly stored = new Map<number, number>();

  /** Another warp begins. */
  begin(): void {
    this.stored.clear();
  }

  /** The lines of one access that wants so many bytes. */
  lines(words: ArrayLike<number>, kind: number, bytes: number): ArrayLike<number> {
    const sectors: Sector[] = [];
    let lines = 0;
    for (let i = 0; i < words.length; i++) {
      const word = words[i]!;
      if (isElsewhere(hintOf(word))) return words;
      const mask = kind === accessKind.store ? this.storedOf(word) : sectorsOf(word);
      if (mask !== 0) lines++;
      for (let s = 0; s < sectorsPerLine; s++)
        if ((mask >> s) & 1) sectors.push({ id: lineOf(word) * sectorsPerLine + s, hint: hintOf(word) });
    }
    const wanted = Math.min(sectors.length, Math.ceil(bytes / sectorBytes));
    const isDense = sectors.length === wanted && lines <= Math.ceil(wanted / sectorsPerLine);
    if (isDense && !sectors.some(({ id }) => this.places.has(id))) return words;
    const times = ({ id }: Sector): number => this.taken.get(id) ?? 0;
    const chosen = isDense ? sectors : sectors.toSorted((a, b) => times(a) - times(b)).slice(0, wanted);
    const out = new Map<number, number>();
    this.makeRoom(chosen);
    for (const { id, hint } of chosen) {
      this.taken.set(id, times({ id, hint }) + 1);
      const place = this.placeOf(id);
      const line = lastLine - Math.floor(place / sectorsPerLine);
      out.set(line, lineWord(line, sectorsOf(out.get(line) ?? 0) | (1 << (place % sectorsPerLine)), hint));
    }
    return [...out.values()];
  }

  private storedOf(word: number): number {
    const sectors = sectorsOf(word);
    if (sectors === 0) return this.stored.get(lineOf(word)) ?? 0;
    this.stored.set(lineOf(word), sectors);
    return sectors;
  }

  /** Starts a new line for sectors accessed together, unless they fit into the rest of the current one. */
  private makeRoom(chosen: readonly Sector[]): void {
    const fresh = chosen.filter(({ id }) => !this.places.has(id)).length;
    const left = (sectorsPerLine - (this.next % sectorsPerLine)) % sectorsPerLine;
    if (fresh > left) this.next += left;
  }

  private placeOf(id: number): number {
    let place = this.places.get(id);
    if (place === undefined) this.places.set(id, (place = this.next++));
    return place;
  }
}

/** Sectors that an SM asks of L2. */
export interface AskedOfL2 {
  loads: number;
  stores: number;
}

/** Counts the sectors that an SM asks of L2, with warps one after the other, as they are executed. */
export function askedOfL2(streams: Iterable<WarpStream>, parameters: CoreParameters, l1Bytes: number): AskedOfL2 {
  const share = { l2BytesPerCycle: Infinity, dramBytesPerCycle: Infinity, l2HitShare: 1 };
  const path = new MemoryPath(parameters, share, l1Bytes);
  let [now, stores] = [0, 0];
  for (const stream of streams)
    for (let at = 0; at < stream.length; at += lengthOf(stream[at]!)) {
      const token = stream[at]!;
      if (typeOf(token) !== tokenType.global) continue;
      const lines = countOf(token);
      const kind = kindOf(token);
      if (kind === accessKind.load) path.load(stream, at + 1, lines, now++, 0);
      else if (kind === accessKind.loadPastL1) path.loadPastL1(stream, at + 1, lines, now++, 0, passesOf(stream, at));
      else if (kind === accessKind.store)
        for (let i = 0; i < lines; i++) stores += sectorCount[sectorsOf(stream[at + 1 + i]!)]!;
    }
  return { loads: path.l1MissSectors, stores };
}

/** Counts of a launch whose SMs ask L2 and DRAM for as much less as `after` is below `before`. */
export function coalescedCounts(counts: KernelCounts, before: AskedOfL2, after: AskedOfL2): KernelCounts {
  const share = (asked: number, of: number): number => (of === 0 ? 1 : Math.min(1, asked / of));
  const [loads, stores] = [share(after.loads, before.loads), share(after.stores, before.stores)];
  const elsewhere = (counts.peerReads ?? 0) + (counts.hostReads ?? 0);
  const missed = Math.max(0, counts.l1Misses - elsewhere);
  const l2Stored = counts.l2Stored * stores;
  const all = counts.l2Hits + counts.l2Misses - missed * (1 - loads) - (counts.l2Stored - l2Stored);
  const dramReadBytes = Math.min(counts.dramReadBytes, (all - l2Stored) * sectorBytes);
  const dramWriteBytes = Math.min(counts.dramWriteBytes, (all - missed * loads) * sectorBytes);
  const l2Misses = Math.min(counts.l2Misses, all);
  return {
    ...counts,
    globalLoad: scaled(counts.globalLoad, loads),
    globalStore: scaled(counts.globalStore, stores),
    l1Misses: elsewhere + missed * loads,
    l2Stored,
    l2Misses,
    l2Hits: all - l2Misses,
    l2Across: counts.l2Across * loads,
    l2Confirmed: (counts.l2Confirmed ?? 0) * loads,
    dramReadBytes,
    dramWriteBytes,
    dramFilledBytes: 0,
    dramIdleBytes: 0,
    dramRows: Math.min(counts.dramRows, (dramReadBytes + dramWriteBytes) / rowBytes),
  };
}

const scaled = <Accesses extends GlobalAccesses>(accesses: Accesses, by: number): Accesses => ({
  ...accesses,
  sectors: accesses.sectors * by,
  lines: accesses.lines * by,
  wavefronts: Math.max(accesses.requests, accesses.wavefronts * by),
  passes: Math.max(accesses.requests, accesses.passes * by),
});
