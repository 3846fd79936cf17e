/**
 * The stream of one warp: its work in order, as tokens (basic blocks with their active lanes, memory lines, wavefronts).
 * The runtime (trace.c) writes them, the SM model runs on them.
 *
 *   0 0 block:30                          the warp executed this block of code; the mask of its lanes follows
 *   0 1 more:1 kind:5 access:16 lines:8   a global or local access: so many words follow, each
 *                                           hint:3 sectors:4 line:25
 *                                           and with `more`, another: how often it goes through the tags:16 and banks:16 of L1
 *   1 0 kind:6 access:16 wavefronts:8     an access to shared memory
 *   1 1 action:6 access:16 words:8        it does something to a barrier, or begins a copy in bulk whose lines follow as those
 *                                           of a global access; see {@link syncAction}
 *
 * Lines are of 128 bytes with sectors of 32. Accesses follow their block; one that is missing had all lanes off, and its
 * instruction does no memory work.
 */
import {} from './geometry.ts';

export type WarpStream = Uint32Array;

/** `loadPastL1`: finds nothing in L1, and leaves nothing there. `bulk`: of a copy in bulk. Textures
 * have lines, and their unit's cycles as wavefronts. */
export const accessKind = {
  load: 0,
  store: 1,
  atomic: 2,
  loadPastL1: 3,
  bulkLoad: 4,
  bulkStore: 5,
  texture: 6,
  surfaceStore: 7,
} as const;
export type AccessKind = (typeof accessKind)[keyof typeof accessKind];

/** The two top bits of a token. */
export const tokenType = { block: 0, global: 1, shared: 2, sync: 3 } as const;
export const typeOf = (token: number): number => token >>> 30;

/** Access kind of a token. */
export const kindOf = (token: number): number => (token >>> 24) & 31;
export const accessOf = (token: number): number => (token >>> 8) & 0xffff;
/** Lines of a global access, wavefronts of a shared one. */
export const countOf = (token: number): number => token & 0xff;
/** Words from a token up to the next. */
export const lengthOf = (token: number): number => {
  const type = typeOf(token);
  if (type === tokenType.block) return 2;
  if (type === tokenType.shared) return 1;
  return 1 + countOf(token) + (type === tokenType.global ? (token >>> 29) & 1 : 0);
};

/** Passes of a global access through the banks of L1 and, as bits 16 and up, through its tags. */
export type Passes = number;
export const passesFrom = (banks: number, tags: number): Passes => (banks | (tags << 16)) >>> 0;
export const onePass: Passes = passesFrom(1, 1);
export const passesOf = (stream: ArrayLike<number>, at: number): Passes =>
  (stream[at]! >>> 29) & 1 ? stream[at + 1 + countOf(stream[at]!)]! : onePass;
export const bankPasses = (passes: Passes): number => passes & 0xffff;
export const tagPasses = (passes: Passes): number => passes >>> 16;

/** The mask of active lanes follows. */
export const blockToken = (block: number): number => block & 0xff_ffff;
/** As many {@link lineWord}s follow, and then its passes unless they are {@link onePass}. */
export const globalToken = (kind: AccessKind, access: number, lines: number, passes: Passes = onePass): number =>
  ((tokenType.global << 30) | (passes === onePass ? 0 : 1 << 29) | (kind << 24) | (access << 8) | lines) >>> 0;
export const sharedToken = (kind: AccessKind, access: number, wavefronts: number): number =>
  ((tokenType.shared << 30) | (kind << 24) | (access << 8) | wavefronts) >>> 0;

/**
 * Barrier operations; numbers as in trace.c. The words of the token: the barrier (its place in the block's shared
 * memory, or its number), an amount, and another.
 *
 *   init          arrivals of a phase
 *   arrive, drop  arrivals; bytes that they announce
 *   bytes         nothing; bytes that are awaited from now on
 *   test          1 if it found the phase over; how many phases were over then
 *   afterCopies   arrivals, when the warp's copies to shared memory are there
 *   bulkLoad      copies: 1; bytes that it brings
 *   bulkStore     copies: 1; bytes
 *   numbered      threads that the barrier waits for; 1 if the warp waits there
 *
 * Loops that poll are in the stream once, between `poll` and `pollEnd`. Where they wait for a time ({@link waitsForClock}), the words
 * of `pollEnd` are cycles since the warp's last reading of a clock before the loop, low and high; that of `poll` is 1 if the loop is
 * silent (analysis/clock-loops.ts): its readings count as one. Before what is accessed there and
 * before what is written where others poll, with the number of the access; instead of a barrier, a sector of memory:
 *
 *   await         writes that it has to have seen for the loop to end; 1 if all blocks of the grid meet there
 *   signal        writes: 1; likewise
 */
export const syncAction = {
  init: 0,
  arrive: 1,
  drop: 2,
  test: 3,
  testParity: 4,
  bytes: 5,
  afterCopies: 6,
  bulkLoad: 7,
  bulkStore: 8,
  numbered: 9,
  poll: 10,
  pollEnd: 11,
  await: 12,
  signal: 13,
} as const;
export const syncWords = 3;
export const syncToken = (action: number, access: number): number =>
  ((tokenType.sync << 30) | (action << 24) | (access << 8) | syncWords) >>> 0;
/** Stands for the access of a barrier with a number, which ends its block of code. */
export const numberedAccess = 0xffff;
/** Stands for a sector: all that atomics write. */
export const anyAtomic = 0xffff_ffff;
/** Stands for the access of `poll` and `pollEnd`. */
export const waitAccess = 0xfffe;
/** A kernel with more accesses than that cannot be told as a stream: their numbers have 16 bits, and two are taken. */
export const mostAccesses = waitAccess;
/** Last word of `poll` and `pollEnd` around a loop that waits for a time. */
export const waitsForClock = 1;

/** Place of a line: not known, in L2, in DRAM only, in the half of L2 that this SM is not at, in another GPU, in the host. */
export const lineHint = { unknown: 0, inL2: 1, inDram: 2, inOtherHalf: 3, inPeer: 4, inHost: 5 } as const;
export type LineHint = (typeof lineHint)[keyof typeof lineHint];
const lineMask = 0x1ff_ffff;
export const lineOf = (word: number): number => word & lineMask;
export const sectorsOf = (word: number): number => (word >>> 25) & 15;
export const hintOf = (word: number): LineHint => (word >>> 29) as LineHint;
/** Behind a link, and so known for each access. */
export const isElsewhere = (hint: LineHint): boolean => hint >= lineHint.inPeer;
export const lineWord = (line: number, sectors: number, hint: LineHint = lineHint.unknown): number =>
  ((line & lineMask) | (sectors << 25) | (hint << 29)) >>> 0;
export const withHint = (word: number, hint: LineHint): number => ((word & 0x1fff_ffff) | (hint << 29)) >>> 0;

/** Well spread bits of a line number; deterministic. */
export function scattered(line: number): number {
  let x = Math.imul(line ^ (line >>> 15), 0x2c1b3c6d);
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
  return (x ^ (x >>> 15)) >>> 0;
}

/**
 * As the runtime writes it (trace.c), before the tracer takes it apart by warps: the same words, but for the kind of an access, which
 * the tracer puts in, and these tokens.
 *
 *   1 1 0 warp:29          another warp goes on
 *   1 1 1 site:21 words:8  a barrier: an action, with the phases that it ended above, and the three words of {@link syncAction}
 */
const writtenType = 3;
const barrierBit = 1 << 29;
/** Another warp, or something that is done to a barrier. */
export const isWrittenAlone = (word: number): boolean => typeOf(word) === writtenType;
export const isBarrierWritten = (word: number): boolean => (word & barrierBit) !== 0;
export const warpWritten = (word: number): number => word & (barrierBit - 1);
const actionBits = 8;
export const actionWritten = (word: number): number => word & ((1 << actionBits) - 1);
export const phasesWritten = (word: number): number => word >>> actionBits;
/** An access as the runtime writes it, with its kind. */
export const withKind = (word: number, kind: AccessKind): number => (word | (kind << 24)) >>> 0;
