/**
 * Where things lie in the one linear memory that kernels, the runtime and the device share.
 *
 *   0 … 1 MiB          the current module's stack and own data (each module is linked to the same place, see Device)
 *   1 MiB … 2 MiB      own data of its second functions
 *   16 MiB … 32 MiB    what is allocated, 256 bytes per byte
 *   … heapStart        launch struct, parameters, counters, warps, shared and local memory, cache tags
 *   heapStart …        device memory: variables, then what the program allocates
 *   crewBase …         what parts of a grid need that run side by side (see crew.ts)
 *
 * Structs and constants that the runtime's C files have as well are in runtime/abi.ts, which is generated from these.
 */
import type { KernelCounts } from '../model/execution.ts';
import { maxParts, touchedBase, type launchField } from './runtime/abi.ts';

export * from './runtime/abi.ts';

export const staticLimit = 1 << 20;
/** Own data of the unit with the second functions of the current one (see units.ts) lie from the first address up to the second. */
export const secondBase = 1 << 20;
export const secondLimit = touchedBase;
/** Bytes of a page of WebAssembly's memories. */
export const pageBytes = 65536;

/** Fields of the launch, u64 each and one behind the other: sectors and bytes that caches and DRAM moved, and other counts. */
export const statistics = [
  'l1Hits',
  'l1Misses',
  'l2Hits',
  'l2Misses',
  'l2Stored',
  'dramReadBytes',
  'dramWriteBytes',
  'l2Across',
  'dramRows',
  'dramFilledBytes',
  'dramIdleBytes',
  'l2Confirmed',
  'matches',
  'matchedValues',
  'maskedGroups',
  'masks',
] as const satisfies readonly (keyof KernelCounts & keyof typeof launchField)[];

/** Others that the runtime counts of a launch, where there is memory of other GPUs or of the host. */
export const statisticsElsewhere = ['peerReads', 'peerWrites', 'hostReads', 'hostWrites', 'hostPartial'] as const;

/** Bytes of the table of allocated memory. */
export const guardBytes = 16 << 20;

/**
 * Size of the table of owners where there are several GPUs: per 256 bytes the number of the GPU whose memory they are, from 1; 0 is
 * everybody's.
 */
export const ownerBytes = guardBytes;
/** Bytes that one of several GPUs needs for its L2, rows of DRAM and partially stored lines: room for 96 MiB of L2. */
export const l2AreaBytes = 5 << 20;

/** Most memory for recursive functions and arrays of variable size, bytes per thread, beside a kernel's own local memory. */
export const stackBytesPerThread = 16 << 10;
export const dynamicArrayBytes = 4 << 10;

/** Launch state lies between the module's own data and the heap; untouched pages cost nothing. */
export const heapStart = 256 << 20;

/**
 * Offsets within the area of one part: its stack; launch, counters, warps and shared memory; log; copies of what it writes; what it wrote;
 * what it read; its atomics that are postponed.
 */
export const partArea = {
  stack: 0,
  state: 1 << 20,
  log: 4 << 20,
  undo: 8 << 20,
  granules: 20 << 20,
  reads: 36 << 20,
  atomics: 52 << 20,
} as const;
export const partBytes = 68 << 20;
export const crewBase = 2 ** 32 - pageBytes - maxParts * partBytes;

/** The loop of a clock reading (analysis/clock-loops.ts): the block of code that reads, and whether it polls memory or is silent. */
export interface ReadingLoop {
  block: number;
  polls: boolean;
}

/** Encodes a clock reading of a kernel: true for the timer, and the loop if it is in one that polls or is silent. */
export const clockReading = (timer: boolean, loop: ReadingLoop | null): number =>
  (timer ? 1 : 0) | (loop === null ? 0 : (loop.polls ? 2 : 0) | ((loop.block + 1) << 2));
export const isTimer = (reading: number): boolean => (reading & 1) !== 0;
export const loopOfReading = (reading: number): ReadingLoop | null =>
  reading >>> 2 === 0 ? null : { block: (reading >>> 2) - 1, polls: (reading & 2) !== 0 };
