/**
 * Where things lie in the one linear memory and in the structs that kernels, the runtime and the device share.
 *
 *   0 … 1 MiB          the current module's stack and own data (each module is linked to the same place, see Device)
 *   16 MiB … 32 MiB    what is allocated, 256 bytes per byte
 *   … heapStart        launch struct, parameters, counters, warps, shared and local memory, cache tags
 *   heapStart …        device memory: variables, then what the program allocates
 *   crewBase …         what parts of a grid need that run side by side (see crew.ts)
 */
import {} from '../model/geometry.ts';
import type { KernelCounts } from '../model/execution.ts';

export const staticLimit = 1 << 20;
/** Of WebAssembly's memories. */
export const pageBytes = 65536;

/** struct Launch of the runtime: byte offsets. */
export const launchField = {
  params: 0,
  shared: 4,
  sharedBytes: 8,
  ctaid: 12,
  ntid: 24,
  nctaid: 36,
  local: 48,
  localBytes: 52,
  lowest: 56,
  clock: 60,
  warps: 64,
  warpStride: 68,
  warpBase: 72,
  smCount: 76,
  l1Sets: 80,
  l2Sets: 84,
  l1Base: 88,
  l2Base: 92,
  /** Table of the addresses of the module's variables. */
  variables: 100,
  /** The warp that runs, and the lane and size of an access that faults. */
  warp: 104,
  lane: 108,
  /** Sectors and bytes that caches and DRAM moved, u64 each: {@link statistics}. */
  statistics: 112,
  hot: 240,
  checks: 244,
  shadow: 248,
  size: 252,
  localTotal: 260,
  log: 272,
  logEnd: 276,
  part: 280,
  parts: 284,
  reads: 288,
  granules: 292,
  undo: 296,
  undoEnd: 300,
  trace: 304,
  traceEnd: 308,
  traceFirst: 312,
  traceSeen: 316,
  traceSites: 320,
  traceBlock: 324,
  /** Then the addresses of two tables: rows of DRAM, lines stored in part. */
  l2Halves: 380,
  moves: 392,
  polls: 396,
  /** Sectors read from and written to other GPUs, u64 each. */
  peerReads: 400,
  /** Table of who owns memory, 0 where all is the GPU's; the GPU that executes, from 1. */
  owners: 416,
  traceStep: 428,
  traceCount: 432,
  traceAt: 436,
  traceWarps: 440,
  siteCount: 444,
  others: 448,
  left: 452,
  polled: 456,
  /** Table of the pages of managed memory, the first, how many; list of those that were touched, and how many these are. */
  managed: 460,
  touchedCount: 476,
  /** As `peerReads`, of the host's memory; then how many sectors were written in part. */
  hostReads: 488,
  /** Blocks that are resident at a time. */
  resident: 512,
  /** Table of struct Samples of the runtime, by site. */
  samples: 524,
  /** Of this launch on its GPU. */
  number: 528,
  /** Text, file, line and function of a failed assertion; of lanes that wait in vain these, whom they wait for, and the site of those. */
  assertion: 532,
  slots: 548,
  blocks: 552,
  sharedStride: 556,
  localStride: 560,
} as const;
/** In the order of `launchField.statistics`. */
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
] as const satisfies readonly (keyof KernelCounts)[];
export const launchBytes = 568;

/** struct Samples and struct Sample of the runtime: words. */
export const sampleField = { block: 0, warp: 1, mask: 2, size: 3, space: 4, addresses: 5 } as const;
export const sampleWords = 37;
export const samplesPerSite = 16;
export const samplesOfSiteBytes = 4 * (1 + samplesPerSite * sampleWords);

/** Begins a block's entries in the log of a part; the block's number follows. */
export const blockBegins = 2 ** 31;
/** struct Undo of the runtime. */
export const undoField = { granule: 0, sequence: 4, words: 16, before: 48 } as const;
export const undoBytes = 1072;
export const undoGranule = 1024;

/** struct Block of the runtime. */
/** struct Page of the runtime: sectors, bits of how it was accessed, blocks; then when first: generation, turn, block. */
export const managedPageField = { sectors: 0, access: 4, blocks: 8, generation: 16, turn: 20, block: 24 } as const;
export const managedPageEntryBytes = 28;
/** The warp's number is the last digit of a turn. */
export const warpsOfTurn = 32;
/** A page of managed memory. */
export const managedPageBytes = 4096;
export const blockStateBytes = 108;
/** Of DRAM, the rows that were used last. */
export const dramRowEntries = 8192;
/** Lines that were stored in part, and their bytes. */
export const partialLines = 16384;
export const partialLineBytes = 8;
/** Passes of atomics by 512-byte granule of memory, u32 each. */
export const hotGranules = 4096;
/** struct Shadow of the runtime, per shared word. */
export const shadowBytes = 32;

/** Table of what is allocated: per 256 bytes, how many of them are; 255 stands for all. */
export const guardBase = 16 << 20;
export const guardBytes = 16 << 20;
export const guardGranule = 256;

/** Where there are several GPUs: per 256 bytes the number of the GPU whose memory they are, from 1; 0 is everybody's. */
export const ownerBytes = guardBytes;
/** What one of several GPUs has in L2, rows of DRAM and lines stored in part: room for 96 MiB of L2. */
export const l2AreaBytes = 5 << 20;

/** struct Warp: three vectors of thread indices, then mask, resume point, number; then the frame kept over barriers. */
export const warpField = { tid: 0, mask: 384, resume: 388, id: 392, barrier: 404, threads: 408 } as const;
export const warpHeaderBytes = 416;

/** Per basic block, u64 each: times executed, active lanes summed, times its branch diverged, times that lanes were missing. */
export const blockCounterBytes = 32;
/**
 * Per memory instruction, u64 each: sectors, wavefronts, requests of generic addresses that went to shared and to local
 * memory, lines, lanes of atomics, sum over requests of the lanes on the busiest address; {@link sitePastL1}; {@link siteWide}; sectors of
 * local memory; {@link siteBanks}; {@link sitePasses}.
 */
export const siteCounterBytes = 96;
/** In them: whether it is a load that finds nothing in L1, or an atomic that adds floats. */
export const sitePastL1 = 56;
/** Wavefronts of shared memory beyond the first of each request that there are without conflicts, too. */
export const siteWide = 64;
export const siteLocalSectors = 72;
/** Wavefronts of global memory through the banks of L1, and cycles that it held the pipe for. */
export const siteBanks = 80;
export const sitePasses = 88;

export const l1SetBytes = 20;
export const l1SetLines = 4;
/** struct L1Set and L2Set of the runtime. */
export const l2SetBytes = 96;
export const l2SetLines = 16;

/** Codes of `env.fault`, as in runtime/launch.c. */
export const faultCode = {
  globalRange: 1,
  sharedRange: 2,
  misaligned: 3,
  trap: 4,
  divergentBarrier: 5,
  gridBarrier: 6,
  localRange: 7,
  race: 8,
  assert: 9,
  stackOverflow: 33,
  badCall: 34,
  badFree: 35,
  neverMeet: 36,
} as const;
/** Bits of the launch's checks. */
export const checkBit = { racecheck: 1, order: 2 } as const;

/** What recursive functions and arrays of variable size may use, bytes per thread, beside a kernel's own local memory. */
export const stackBytesPerThread = 16 << 10;
export const dynamicArrayBytes = 4 << 10;

/** Launch state lies between the module's own data and the heap; untouched pages cost nothing. */
export const heapStart = 256 << 20;

/** At most so many parts of a grid run side by side. */
export const maxParts = 8;
/** Of one part: its stack; launch, counters, warps and shared memory; log; copies of what it writes; what it wrote; what it read. */
export const partArea = {
  stack: 0,
  state: 1 << 20,
  log: 4 << 20,
  undo: 8 << 20,
  granules: 20 << 20,
  reads: 36 << 20,
} as const;
export const partBytes = 52 << 20;
export const crewBase = 2 ** 32 - pageBytes - maxParts * partBytes;

/** What a kernel says when it reads a clock: whether the timer, and the block of code if it is a silent loop (analysis/clock-loops.ts). */
export const clockReading = (timer: boolean, silentBlock: number | null): number =>
  (timer ? 1 : 0) | (silentBlock === null ? 0 : (silentBlock + 1) << 1);
export const isTimer = (reading: number): boolean => (reading & 1) !== 0;
export const silentBlockOf = (reading: number): number | null => (reading >>> 1 === 0 ? null : (reading >>> 1) - 1);
