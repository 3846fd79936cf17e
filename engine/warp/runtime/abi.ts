/** Generated from the C files of this folder by generate-abi.ts: do not edit. */

/** struct Launch: what a kernel and the runtime know of a launch. Byte offsets, as in all structs. */
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
  variables: 100,
  warp: 104,
  lane: 108,
  l1Hits: 112,
  l1Misses: 120,
  l2Hits: 128,
  l2Misses: 136,
  l2Stored: 144,
  dramReadBytes: 152,
  dramWriteBytes: 160,
  l2Across: 168,
  dramRows: 176,
  dramFilledBytes: 184,
  dramIdleBytes: 192,
  l2Confirmed: 200,
  matches: 208,
  matchedValues: 216,
  maskedGroups: 224,
  masks: 232,
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
  l2Halves: 380,
  rows: 384,
  partial: 388,
  moves: 392,
  polls: 396,
  peerReads: 400,
  peerWrites: 408,
  owners: 416,
  owner: 420,
  traceStep: 428,
  traceCount: 432,
  traceAt: 436,
  siteCount: 444,
  others: 448,
  left: 452,
  polled: 456,
  managed: 460,
  managedFirst: 464,
  managedPages: 468,
  touched: 472,
  touchedCount: 476,
  hostReads: 488,
  hostWrites: 496,
  hostPartial: 504,
  resident: 512,
  samples: 524,
  number: 528,
  reduction: 532,
  slots: 548,
  blocks: 552,
  sharedStride: 556,
  localStride: 560,
} as const;
/** Of struct Launch. */
export const launchBytes = 568;
/** struct Warp: three vectors of thread indices, then mask, resume point, number. */
export const warpField = {
  tid: 0,
  mask: 384,
  resume: 388,
  id: 392,
  barrier: 404,
  threads: 408,
} as const;
/** The fields of struct Warp; the frame kept over barriers follows. */
export const warpHeaderBytes = 416;
/** What a kernel’s function returns for a warp that has not ended. */
export const warpResult = {
  barrier: 1,
  spins: 2,
  countedBarrier: 4,
  spinsInBlock: 5,
  polls: 6,
  hasSeen: 7,
} as const;
/** Of struct Block, a resident block. */
export const blockStateBytes = 108;
/** struct BlockCount: u64 each, of a basic block. */
export const blockCounterField = {
  times: 0,
  lanes: 8,
  diverged: 16,
  partial: 24,
} as const;
/** Of struct BlockCount. */
export const blockCounterBytes = 32;
/** struct Site: u64 each, of a memory instruction. */
export const siteCounterField = {
  sectors: 0,
  wavefronts: 8,
  sharedRequests: 16,
  localRequests: 24,
  lines: 32,
  lanes: 40,
  conflicts: 48,
  pastL1: 56,
  wide: 64,
  localSectors: 72,
  banks: 80,
  passes: 88,
} as const;
/** Of struct Site. */
export const siteCounterBytes = 96;
/** struct Samples: accesses of a site that are kept. */
export const samplesField = {
  count: 0,
  of: 4,
} as const;
/** Of struct Samples. */
export const samplesBytes = 2372;
/** struct Sample: one of them. */
export const sampleField = {
  block: 0,
  warp: 4,
  mask: 8,
  size: 12,
  space: 16,
  address: 20,
} as const;
/** Of struct Sample. */
export const sampleBytes = 148;
/** As many are kept. */
export const samplesPerSite = 16;
/** struct Undo: a granule as it was, and which words were written. */
export const undoField = {
  granule: 0,
  sequence: 4,
  words: 16,
  before: 48,
} as const;
/** Of struct Undo. */
export const undoBytes = 1072;
/** Bytes. */
export const undoGranule = 1024;
/** Begins a block’s entries in the log of a part; its number follows. */
export const blockBegins = 2147483648;
/** struct Page: how a page of managed memory was accessed, then when first. */
export const managedPageEntryField = {
  sectors: 0,
  access: 4,
  blocks: 8,
  generation: 16,
  turn: 20,
  block: 24,
} as const;
/** Of struct Page. */
export const managedPageEntryBytes = 28;
/** A page of managed memory. */
export const managedPageBytes = 4096;
/** The warp’s number is the last digit of a turn. */
export const warpsOfTurn = 32;
/** Of struct L1Set. */
export const l1SetBytes = 20;
/** Lines in it. */
export const l1SetLines = 4;
/** Of struct L2Set. */
export const l2SetBytes = 96;
/** Lines in it. */
export const l2SetLines = 16;
/** Of DRAM, the rows that were used last; u32 each. */
export const dramRowEntries = 8192;
/** Lines that were stored in part. */
export const partialLines = 16384;
/** Of struct Partial, for each of them. */
export const partialLineBytes = 8;
/** Passes of atomics by 512-byte granule of memory, u32 each. */
export const hotGranules = 4096;
/** Of struct Shadow, per word of shared memory. */
export const shadowBytes = 32;
/** Table of what is allocated: per granule, how many of its bytes; 255: all. */
export const guardBase = 16777216;
/** Bytes. */
export const guardGranule = 256;
/** In the table of owners: page-locked memory of the host. */
export const hostOwner = 255;
/** Codes of `env.fault`. */
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
/** Bits of the launch’s checks. */
export const checkBit = {
  racecheck: 1,
  order: 2,
} as const;
/** struct Meeting: lanes that wait for others. */
export const meetingField = {
  flags: 12,
  result: 528,
} as const;
/** Of struct Meeting. */
export const meetingBytes = 1424;
/** Resume points from here on are places in which lanes meet. */
export const meetingBase = 65536;
/** What lanes meet for. Shuffles come before; of matches, that of 8 bytes is the next number. */
export const meetingKind = {
  voteAll: 4,
  voteAny: 5,
  ballot: 6,
  voteUni: 7,
  matchAny: 8,
  matchAll: 10,
  redux: 12,
  syncWarp: 20,
} as const;
/** What is done to a barrier in shared memory, and what of the same kind a trace has. */
export const barrierAction = {
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
} as const;
/** In a trace, above the action: phases that it ended. */
export const phaseOver = 256;
/** In a trace, in place of the site: a barrier with a number. */
export const siteOfBarrier = 65535;
/** In a trace, above a line’s sectors: where it was. */
export const whereFound = {
  inL2: 1,
  inDram: 2,
  inOtherHalf: 3,
  inPeer: 4,
  inHost: 5,
} as const;
/** Of copies in bulk. */
export const bulkWay = {
  load: 0,
  store: 1,
  prefetch: 2,
} as const;
/** Types of the elements of matrices. */
export const matrixElement = {
  f16: 0,
  bf16: 1,
  tf32: 2,
  f64: 3,
  s8: 4,
  u8: 5,
  s4: 6,
  u4: 7,
  b1: 8,
  f32: 9,
  s32: 10,
} as const;
/** Bit of the form of a texture fetch. */
export const integerCoordinates = 8;
