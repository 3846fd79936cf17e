/**
 * Cost of one access of a warp, by where its lanes are: sectors and lines of global memory, wavefronts of shared memory. The same
 * rules as in the runtime that counts them all (engine/warp/runtime/shared-memory.c, l1-passes.c), here for single accesses that are to be looked at.
 */
import { banks, laneCount, lanesOf, lineBytes, sectorBytes, warpSize, wordBytes } from '../model/geometry.ts';

export interface WarpAccess {
  /** Bytes of each lane. */
  size: number;
  /** Mask of the lanes that took part. */
  lanes: number;
  /** Lane by lane. */
  addresses: ArrayLike<number>;
}

/** A line of 128 bytes, or what of it an access touches. */
export interface TouchedLine {
  address: number;
  /** Mask of its four sectors. */
  sectors: number;
}

/** In the order of their addresses. */
export function linesOf({ size, lanes, addresses }: WarpAccess): TouchedLine[] {
  const found = new Map<number, number>();
  for (const lane of lanesOf(lanes)) {
    const [first, last] = [addresses[lane]!, addresses[lane]! + size - 1];
    for (let sector = Math.floor(first / sectorBytes); sector <= Math.floor(last / sectorBytes); sector++) {
      const line = Math.floor(sector / 4) * lineBytes;
      found.set(line, (found.get(line) ?? 0) | (1 << (sector % 4)));
    }
  }
  return [...found].map(([address, sectors]) => ({ address, sectors })).sort((a, b) => a.address - b.address);
}

/** Atomics also have: one lane alone, all lanes on one address, some of them. */
export type AccessPattern =
  'broadcast' | 'coalesced' | 'misaligned' | 'strided' | 'scattered' | 'single' | 'same address' | 'colliding';

export interface GlobalCost {
  lines: TouchedLine[];
  /** For atomics, the passes that L2 makes. */
  sectors: number;
  /** The fewest sectors that hold as many bytes. */
  idealSectors: number;
  /** Bytes asked for, each counted once. */
  bytes: number;
  pattern: AccessPattern;
  /** From lane to lane, of strided ones. */
  strideBytes: number | null;
}

/**
 * Atomics work in L2: a sector serves one lane on each of its addresses at a time. So they cost as many sectors as lanes where all are on
 * one address, and four where 32 words lie side by side (H200 reference, A6: 32 and 4 sectors per request).
 */
export function globalCost(access: WarpAccess, kind: 'load' | 'store' | 'atomic'): GlobalCost {
  const { size, lanes, addresses } = access;
  const lines = linesOf(access);
  const touched = lines.reduce((sum, line) => sum + laneCount(line.sectors), 0);
  const active = lanesOf(lanes).map((lane) => addresses[lane]!);
  const sorted = [...new Set(active)].sort((a, b) => a - b);
  const bytes = sorted.reduce((sum, at, i) => sum + Math.min(size, (sorted[i + 1] ?? Infinity) - at), 0);
  const idealSectors = Math.ceil(bytes / sectorBytes);
  const steps = new Set(active.slice(1).map((at, i) => at - active[i]!));
  const [step] = steps;
  const isStrided = steps.size === 1 && step !== 0 && Math.abs(step!) !== size;
  const collisions: AccessPattern | null =
    kind !== 'atomic'
      ? null
      : active.length === 1
        ? 'single'
        : sorted.length === 1
          ? 'same address'
          : sorted.length < active.length
            ? 'colliding'
            : null;
  const pattern: AccessPattern =
    collisions ??
    (sorted.length === 1
      ? 'broadcast'
      : touched === idealSectors
        ? 'coalesced'
        : isStrided
          ? 'strided'
          : bytes === sorted.at(-1)! + size - sorted[0]!
            ? 'misaligned'
            : 'scattered');
  const sectors = kind === 'atomic' ? atomicPasses(active) : touched;
  return { lines, sectors, idealSectors, bytes, pattern, strideBytes: isStrided ? step! : null };
}

/** For each sector as many as lanes are on its busiest address. */
function atomicPasses(addresses: readonly number[]): number {
  const lanesAt = new Map<number, number>();
  for (const address of addresses) lanesAt.set(address, (lanesAt.get(address) ?? 0) + 1);
  const passes = new Map<number, number>();
  for (const [address, lanes] of lanesAt) {
    const sector = Math.floor(address / sectorBytes);
    passes.set(sector, Math.max(passes.get(sector) ?? 0, lanes));
  }
  return [...passes.values()].reduce((sum, each) => sum + each, 0);
}

/**
 * Accesses to shared memory: loads, stores, atomics, atomics that only count (ATOMS.POPC.INC), and matrices whose rows 8 lanes each
 * give the addresses of (LDSM, STSM).
 */
export type SharedAccessKind = 'load' | 'store' | 'atomic' | 'count' | 'matrix';

/** Words given or taken at once. */
export interface Wavefront {
  /** Number of each bank's word, from the start of the block's shared memory; -1 of a bank that has nothing to do. */
  words: number[];
  /** Mask of the lanes that each bank serves. */
  lanes: number[];
}

/**
 * Rules as all cases of banks.json (H200 reference) have them: 128 bytes of lanes go together, that is 32 lanes of up to 32 bits, 16 of
 * 64 bits or 8 of 128; for loads twice as many if in them every lane has the address of its neighbour, or every lane that of the one two
 * away. What goes together takes as many wavefronts as its fullest bank has distinct words; of atomics, as it has lanes.
 */
export function wavefrontsOf(kind: SharedAccessKind, access: WarpAccess): Wavefront[] {
  return groupsOf(kind, access).flatMap((lanes) => wavefrontsOfGroup(kind, access, lanes));
}

function groupsOf(kind: SharedAccessKind, access: WarpAccess): number[][] {
  const size = Math.min(16, Math.max(wordBytes, access.size));
  const count = kind === 'matrix' ? 8 : lineBytes / size;
  const groups: number[][] = [];
  for (let first = 0; first < warpSize;) {
    const mayDouble = kind === 'load' && size > wordBytes && first % (2 * count) === 0;
    const both = mayDouble && (isInPairs(access, first, 2 * count, 1) || isInPairs(access, first, 2 * count, 2));
    const taken = both ? 2 * count : count;
    groups.push(lanesOf(access.lanes).filter((lane) => lane >= first && lane < first + taken));
    first += taken;
  }
  return groups;
}

function isInPairs({ lanes, addresses }: WarpAccess, first: number, count: number, apart: number): boolean {
  const isActive = (lane: number): boolean => ((lanes >>> lane) & 1) === 1;
  for (let lane = first; lane < first + count; lane++) {
    const other = lane + apart;
    if ((lane & apart) === 0 && isActive(lane) && isActive(other) && addresses[lane] !== addresses[other]) return false;
  }
  return true;
}

function wavefrontsOfGroup(kind: SharedAccessKind, access: WarpAccess, lanes: readonly number[]): Wavefront[] {
  const { size, addresses } = access;
  const words = kind === 'matrix' ? 4 : Math.max(1, size / wordBytes);
  const found: Wavefront[] = [];
  const isFree = (at: number, bank: number): boolean => (found[at]?.words[bank] ?? -1) < 0;
  for (const lane of lanes) {
    for (let i = 0; i < words; i++) {
      const word = Math.floor(addresses[lane]! / wordBytes) + i;
      const bank = word % banks;
      let at = 0;
      while (!isFree(at, bank) && (kind === 'atomic' || found[at]!.words[bank] !== word)) at++;
      const wavefront = (found[at] ??= {
        words: new Array<number>(banks).fill(-1),
        lanes: new Array<number>(banks).fill(0),
      });
      wavefront.words[bank] = word;
      wavefront.lanes[bank] = (wavefront.lanes[bank]! | (1 << lane)) >>> 0;
    }
  }
  return found;
}

/** The fewest wavefronts in which as many distinct words can go. */
export function idealWavefronts(kind: SharedAccessKind, access: WarpAccess): number {
  const sum = (lanes: readonly number[]): number => {
    const words = wavefrontsOfGroup(kind, access, lanes).flatMap((one) => one.words.filter((word) => word >= 0));
    return Math.ceil(words.length / banks);
  };
  return groupsOf(kind, access).reduce((all, lanes) => all + sum(lanes), 0);
}
