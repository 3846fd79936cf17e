/**
 * Opcodes of SASS, a row each: all that schedule, registers, SM, counters, roofline and adviser know of one. What selection emits has a row
 * here, or does not compile, and so does a row without one of the columns.
 *
 *   'LDG.128'        →  row LDG, modifiers ['128']
 *   'IMAD.WIDE'      →  a row of its own: where a modifier makes another instruction of it, the key has it
 *   'IMAD.ADDRESS'   →  SASS spells it IMAD: where one opcode behaves in two ways, the second has a key that SASS does not spell
 *
 * Cycles are not here: `interval` and `latency` name figures of a GPU, which stand with their sources in sm/core/parameters.ts.
 */
import type { InstructionClass } from './execution.ts';

/** The unit that executes an instruction; each sub-partition has one of each, see `pipe` in sm/core/types.ts. */
export type Pipe =
  'fma' | 'imad' | 'alu' | 'fp64' | 'fp16' | 'xu' | 'lg' | 'mio' | 'uniform' | 'tensor' | 'control' | 'tex';

/** The time until the pipe takes the next instruction. */
export type Interval = `${
  | 'fma'
  | 'imad'
  | 'alu'
  | 'fp64'
  | 'fp16'
  | 'special'
  | 'conversion'
  | 'uniform'
  | 'tensor'
  | 'control'
  | 'pass'
  | 'shuffle'
  | 'match'
  | 'constant'
  | 'sync'
  | 'texture'}Interval`;

/** The time until an instruction that reads the result can issue. */
export type Latency = `${
  | 'alu'
  | 'fp64'
  | 'fp16'
  | 'special'
  | 'uniform'
  | 'clock'
  | 'tensor'
  | 'shuffle'
  | 'match'
  | 'wideMatch'
  | 'redux'
  | 'constant'
  | 'shared'
  | 'sharedAtomic'
  | 'l1'
  | 'atomic'
  | 'sync'
  | 'texture'
  | 'texturePlain'}Latency`;

/** The state of a warp that waits for the result, by Nsight Compute's names. */
export type Stall = 'wait' | 'short_scoreboard' | 'long_scoreboard' | 'sleeping' | 'branch_resolving';

/** The request to the memory system once the instruction leaves its queue, see `memoryKind` in sm/core/types.ts. */
export type Request =
  | 'none'
  | 'globalLoad'
  | 'globalStore'
  | 'globalAtomic'
  | 'shared'
  | 'sharedAtomic'
  | 'pass'
  | 'localStore'
  | 'constant'
  | 'sync'
  | 'bulkLoad'
  | 'bulkStore'
  | 'bulkCommit'
  | 'bulkWait'
  | 'texture';

/** The effect on the warp beside the result, see `flag` in sm/core/types.ts. */
export type Effect =
  | 'barrier'
  | 'branch'
  | 'jump'
  | 'membar'
  | 'asyncCopy'
  | 'asyncCommit'
  | 'asyncWait'
  | 'clock'
  | 'sleep'
  | 'numbered'
  | 'bulkWait'
  | 'bulk'
  | 'forgetL1';

/** General registers, predicates, uniform registers. */
export type RegisterFile = 'R' | 'P' | 'UR';

/** Nsight Compute's counters of pipes, `sm__inst_executed_pipe_….sum`. */
export const pipeCounters = ['alu', 'fma', 'fp64', 'lsu', 'tensor_op_hmma', 'tex', 'uniform', 'xu'] as const;
/** Counters of tensor cores that multiply doubles and integers; kernels without such products have none. */
export const rarePipeCounters = ['tensor_op_dmma', 'tensor_op_imma'] as const;
export type PipeCounter = (typeof pipeCounters)[number] | (typeof rarePipeCounters)[number];

export interface MemoryAccess {
  access: 'load' | 'store' | 'atomic';
  space: 'global' | 'local' | 'shared' | 'constant';
  /** Its way through the banks of shared memory, see memory/accesses.ts. */
  banks: 'load' | 'store' | 'atomic' | 'matrix' | 'count';
}

/** Formats that tensor cores multiply. */
export type TensorPrecision = `Tensor ${'FP16' | 'TF32' | 'FP8' | 'FP64' | 'INT8' | 'INT4' | 'INT1'}`;

/** Operations of a lane or of a warp on floats, and of tensor cores on integers; a multiply-add is two. */
export type Work =
  | { precision: 'FP16' | 'FP32' | 'FP64'; operations: number; of: 'lane' }
  | { precision: TensorPrecision; operations: number; of: 'warp' };

export interface OpcodeRow {
  /** The spelling of SASS, where that is not the key. */
  sass: string | null;
  /** The class that executions are counted in, for estimates. */
  class: InstructionClass;
  pipe: Pipe;
  interval: Interval;
  /** Intervals that one instruction takes. */
  intervals: 1 | 2;
  /** null: no result, or one that nobody waits for. */
  latency: Latency | null;
  /** Further cycles of loads of 64 and 128 bits. */
  wide: 'sharedWideLatency' | 'globalWideLatency' | null;
  /** Values of lanes that are taken one after the other: how many, and the further cycles of each but the first. */
  each: { of: 'matchedValues' | 'masks'; latency: 'matchValueLatency' | 'wideMatchValueLatency' } | null;
  /** Cycles of each group of lanes with a mask of its own, where groups take turns. */
  turns: 'voteOfGroupCycles' | 'matchOfGroupCycles' | null;
  stall: Stall;
  request: Request;
  effect: Effect | null;
  /** Cycles until ptxas expects the result; only the order of magnitude matters for its schedule. */
  expected: number;
  /** Instructions that keep their order with this one: all, or those that access memory, and others of its kind. */
  fence: 'all' | 'memory' | null;
  /** Timing matters: it has to happen when it does, whichever lanes take part. */
  timed: boolean;
  memory: MemoryAccess | null;
  /** The operand that it fetches once for all that use it, where that is in no register. */
  fetches: 'special' | 'constant' | 'immediate' | null;
  file: RegisterFile;
  /** Registers of 32 bits that a result takes, where the opcode tells. */
  words: 1 | 2;
  /** General registers of a result of which nothing else is known: 0 where it is a predicate or in a uniform register. */
  allotted: 0 | 1 | 2;
  /** The pipe that it keeps busy while ptxas chooses one for those that either takes, and its cycles. */
  keepsBusy: { pipe: 'alu' | 'fma'; cycles: number } | null;
  work: Work | null;
  counter: PipeCounter | null;
}

// ---- what opcodes have in common ----
const plain = {
  sass: null,
  intervals: 1,
  wide: null,
  each: null,
  turns: null,
  stall: 'wait',
  request: 'none',
  effect: null,
  expected: 4,
  fence: null,
  timed: false,
  memory: null,
  fetches: null,
  file: 'R',
  words: 1,
  allotted: 1,
  keepsBusy: null,
  work: null,
} as const satisfies Partial<OpcodeRow>;

const alu = {
  ...plain,
  class: 'int',
  pipe: 'alu',
  interval: 'aluInterval',
  latency: 'aluLatency',
  keepsBusy: { pipe: 'alu', cycles: 2 },
  counter: 'alu',
} as const satisfies OpcodeRow;
const predicate = { ...alu, file: 'P', allotted: 0 } as const;

const fp32 = {
  ...plain,
  class: 'fp32',
  pipe: 'fma',
  interval: 'fmaInterval',
  latency: 'aluLatency',
  // Either half of the pipe: one half of the cycles of what only one of them does.
  keepsBusy: { pipe: 'fma', cycles: 1 },
  counter: 'fma',
} as const satisfies OpcodeRow;
const imad = {
  ...plain,
  class: 'imad',
  pipe: 'imad',
  interval: 'imadInterval',
  latency: 'aluLatency',
  keepsBusy: { pipe: 'fma', cycles: 2 },
  counter: 'fma',
} as const satisfies OpcodeRow;
const fp64 = {
  ...plain,
  class: 'fp64',
  pipe: 'fp64',
  interval: 'fp64Interval',
  latency: 'fp64Latency',
  expected: 16,
  words: 2,
  allotted: 2,
  counter: 'fp64',
} as const satisfies OpcodeRow;
const fp16 = {
  ...plain,
  class: 'fp16',
  pipe: 'fp16',
  interval: 'fp16Interval',
  latency: 'fp16Latency',
  counter: null,
} as const satisfies OpcodeRow;

const xu = {
  ...plain,
  class: 'special',
  pipe: 'xu',
  interval: 'specialInterval',
  latency: 'specialLatency',
  stall: 'short_scoreboard',
  expected: 20,
  counter: 'xu',
} as const satisfies OpcodeRow;
const conversion = { ...xu, class: 'conversion', interval: 'conversionInterval' } as const;

const uniform = {
  ...plain,
  class: 'int',
  pipe: 'uniform',
  interval: 'uniformInterval',
  latency: 'uniformLatency',
  file: 'UR',
  allotted: 0,
  counter: 'uniform',
} as const satisfies OpcodeRow;

const tensor = {
  ...plain,
  class: 'tensor',
  pipe: 'tensor',
  interval: 'tensorInterval',
  latency: 'tensorLatency',
  expected: 16,
  counter: 'tensor_op_hmma',
} as const satisfies OpcodeRow;

/** Through the queue of shared memory, shuffles, constants and special registers. */
const mio = {
  ...plain,
  pipe: 'mio',
  interval: 'passInterval',
  stall: 'short_scoreboard',
  counter: 'lsu',
} as const satisfies Partial<OpcodeRow>;
const shuffle = {
  ...mio,
  class: 'shuffle',
  interval: 'shuffleInterval',
  latency: 'shuffleLatency',
  request: 'pass',
  expected: 28,
} as const satisfies OpcodeRow;
const special = {
  ...mio,
  class: 'int',
  interval: 'shuffleInterval',
  latency: 'shuffleLatency',
  request: 'pass',
  expected: 20,
  fetches: 'special',
} as const satisfies OpcodeRow;
const match = {
  ...mio,
  class: 'vote',
  interval: 'matchInterval',
  latency: 'matchLatency',
  request: 'pass',
} as const satisfies OpcodeRow;
const wideMatch = { ...match, intervals: 2, latency: 'wideMatchLatency' } as const;

/** Through the queue of global and local memory. */
const lg = {
  ...plain,
  pipe: 'lg',
  interval: 'passInterval',
  stall: 'long_scoreboard',
  counter: 'lsu',
} as const satisfies Partial<OpcodeRow>;

const sync = {
  ...mio,
  class: 'sync',
  interval: 'syncInterval',
  latency: 'syncLatency',
  request: 'sync',
  expected: 30,
  fence: 'memory',
  timed: true,
} as const satisfies OpcodeRow;
const bulk = {
  ...mio,
  class: 'bulk',
  latency: null,
  fence: 'memory',
  timed: true,
} as const satisfies Partial<OpcodeRow>;

const texture = {
  ...plain,
  class: 'texture',
  pipe: 'tex',
  interval: 'textureInterval',
  latency: 'textureLatency',
  stall: 'long_scoreboard',
  request: 'texture',
  expected: 200,
  counter: 'tex',
} as const satisfies OpcodeRow;

const control = {
  ...plain,
  pipe: 'control',
  interval: 'controlInterval',
  latency: null,
  counter: null,
} as const satisfies Partial<OpcodeRow>;
const branch = { ...control, class: 'branch', effect: 'branch', fence: 'all' } as const satisfies OpcodeRow;
const barrier = { ...control, class: 'barrier', fence: 'memory', timed: true } as const satisfies OpcodeRow;

const access = (access: MemoryAccess['access'], space: MemoryAccess['space']): MemoryAccess => ({
  access,
  space,
  banks: access,
});
const perLane = (precision: 'FP16' | 'FP32' | 'FP64', operations: number): Work => ({
  precision,
  operations,
  of: 'lane',
});
const perWarp = (precision: TensorPrecision, m: number, n: number, k: number): Work => ({
  precision,
  operations: 2 * m * n * k,
  of: 'warp',
});

/** Accesses to memory, by what they do. */
const globalLoad = {
  ...lg,
  class: 'load-global',
  latency: 'l1Latency',
  wide: 'globalWideLatency',
  request: 'globalLoad',
  expected: 200,
  memory: access('load', 'global'),
} as const satisfies OpcodeRow;
const globalAtomic = {
  ...lg,
  class: 'atomic-global',
  latency: 'atomicLatency',
  request: 'globalAtomic',
  expected: 200,
  memory: access('atomic', 'global'),
} as const satisfies OpcodeRow;
const sharedLoad = {
  ...mio,
  class: 'load-shared',
  latency: 'sharedLatency',
  request: 'shared',
  expected: 28,
  memory: access('load', 'shared'),
} as const satisfies OpcodeRow;
const sharedStore = {
  ...mio,
  class: 'store-shared',
  latency: 'sharedLatency',
  request: 'shared',
  memory: access('store', 'shared'),
} as const satisfies OpcodeRow;
const sharedAtomic = {
  ...mio,
  class: 'atomic-shared',
  latency: 'sharedAtomicLatency',
  request: 'sharedAtomic',
  expected: 28,
  memory: access('atomic', 'shared'),
} as const satisfies OpcodeRow;

export const opcodes = {
  // ---- 32-bit floats ----
  FADD: { ...fp32, work: perLane('FP32', 1) },
  FMUL: { ...fp32, work: perLane('FP32', 1) },
  FFMA: { ...fp32, work: perLane('FP32', 2) },
  FSETP: predicate,
  FSEL: alu,

  // ---- doubles ----
  DADD: { ...fp64, work: perLane('FP64', 1) },
  DMUL: { ...fp64, work: perLane('FP64', 1) },
  DFMA: { ...fp64, work: perLane('FP64', 2) },
  DSETP: { ...fp64, file: 'P', words: 1, allotted: 0 },

  // ---- halves, two in a register ----
  HADD2: { ...fp16, work: perLane('FP16', 2) },
  HMUL2: { ...fp16, work: perLane('FP16', 2) },
  HFMA2: { ...fp16, work: perLane('FP16', 4) },
  HSETP2: { ...predicate, class: 'fp16', keepsBusy: null },

  // ---- integers ----
  /** Either pipe's, until it is known which has less to do: SHF or IMAD.SHL, IADD3 or IMAD.IADD, MOV or IMAD.MOV; see pipes.ts. */
  SHL: { ...alu, keepsBusy: null },
  IADD: { ...alu, keepsBusy: null },
  MOV: { ...alu, keepsBusy: null },
  IADD3: alu,
  IABS: alu,
  ISETP: predicate,
  LEA: alu,
  LOP3: alu,
  PLOP3: predicate,
  SEL: alu,
  SHF: alu,
  I2FP: alu,
  IMAD: imad,
  'IMAD.HI': imad,
  'IMAD.IADD': imad,
  'IMAD.MOV': imad,
  'IMAD.SHL': imad,
  'IMAD.WIDE': { ...imad, words: 2, allotted: 2 },
  /** The product of an index and a size that is no power of two: taken to run on the ALU. */
  'IMAD.ADDRESS': { ...alu, sass: 'IMAD' },

  // ---- special functions and conversions ----
  MUFU: xu,
  FCHK: xu,
  POPC: { ...xu, class: 'conversion' },
  FLO: { ...xu, class: 'int', expected: 4 },
  F2F: conversion,
  F2I: conversion,
  I2F: conversion,
  /** The conversion between halves and floats. */
  'F2F.F16': { ...fp16, sass: 'F2F' },
  /** Pairs to 8-bit floats and back: one and two warp instructions per clock and SM of an H200. */
  'F2FP.PACK': { ...alu, class: 'conversion', sass: 'F2FP', intervals: 2, expected: 8 },
  'F2FP.UNPACK': { ...alu, class: 'conversion', sass: 'F2FP' },

  // ---- the uniform datapath ----
  UMOV: { ...uniform, fetches: 'immediate' },
  UIADD3: uniform,
  ULEA: uniform,
  ULDC: {
    ...uniform,
    class: 'load-constant',
    expected: 28,
    memory: access('load', 'constant'),
    fetches: 'constant',
  },
  R2UR: { ...special, expected: 4, fetches: null, file: 'UR', allotted: 0, keepsBusy: { pipe: 'alu', cycles: 2 } },
  S2UR: { ...special, file: 'UR', allotted: 0 },
  S2R: special,
  /** The read of SR_CLOCKLO or the timer notes when it issues. */
  'CS2R.CLOCK': { ...alu, latency: 'clockLatency', effect: 'clock', fence: 'all', timed: true },

  // ---- what lanes do together ----
  SHFL: shuffle,
  MOVM: shuffle,
  /** A predicate or a mask: what nothing is known of is a predicate. */
  VOTE: { ...alu, class: 'vote', fence: 'all', allotted: 0, keepsBusy: null },
  VOTEU: { ...alu, class: 'vote', fence: 'all', file: 'UR', allotted: 0, keepsBusy: null },
  'MATCH.ANY': { ...match, each: { of: 'matchedValues', latency: 'matchValueLatency' } },
  'MATCH.ANY.U64': { ...wideMatch, each: { of: 'matchedValues', latency: 'wideMatchValueLatency' } },
  /** The match of masks of groups of lanes. */
  'MATCH.ANY.MASK': { ...match, each: { of: 'masks', latency: 'matchValueLatency' } },
  'MATCH.ALL': match,
  'MATCH.ALL.U64': wideMatch,
  REDUX: { ...match, latency: 'reduxLatency', file: 'UR', allotted: 0 },
  /** The sum of an atomic that becomes one for all lanes. */
  'REDUX.ATOMIC': { ...match, sass: 'REDUX', class: 'int', latency: 'reduxLatency', file: 'UR', allotted: 0 },

  // ---- matrices ----
  HMMA: { ...tensor, work: perWarp('Tensor FP16', 16, 8, 16) },
  'HMMA.TF32': { ...tensor, work: perWarp('Tensor TF32', 16, 8, 8) },
  QMMA: { ...tensor, work: perWarp('Tensor FP8', 16, 8, 32) },
  /** Products of 8 bits, of 4 and of single bits. */
  IMMA: { ...tensor, work: perWarp('Tensor INT8', 16, 8, 32), counter: 'tensor_op_imma' },
  'IMMA.S4': { ...tensor, work: perWarp('Tensor INT4', 16, 8, 64), counter: 'tensor_op_imma' },
  BMMA: { ...tensor, work: perWarp('Tensor INT1', 16, 8, 256), counter: 'tensor_op_imma' },
  DMMA: { ...tensor, words: 2, work: perWarp('Tensor FP64', 8, 8, 4), counter: 'tensor_op_dmma' },

  // ---- memory ----
  LDG: globalLoad,
  STG: {
    ...lg,
    class: 'store-global',
    latency: 'l1Latency',
    request: 'globalStore',
    memory: access('store', 'global'),
  },
  ATOMG: globalAtomic,
  REDG: globalAtomic,
  /** From global memory to shared, past the registers. */
  LDGSTS: { ...globalLoad, effect: 'asyncCopy', timed: true },
  LDL: { ...globalLoad, class: 'load-local', memory: access('load', 'local') },
  STL: {
    ...lg,
    class: 'store-local',
    latency: 'l1Latency',
    request: 'localStore',
    memory: access('store', 'local'),
  },
  LDS: { ...sharedLoad, wide: 'sharedWideLatency' },
  LDSM: { ...sharedLoad, memory: { access: 'load', space: 'shared', banks: 'matrix' } },
  STS: sharedStore,
  STSM: { ...sharedStore, memory: { access: 'store', space: 'shared', banks: 'matrix' } },
  ATOMS: sharedAtomic,
  /** Adds one: the banks count what lanes want of one word. */
  'ATOMS.POPC': { ...sharedAtomic, memory: { access: 'atomic', space: 'shared', banks: 'count' } },
  REDS: sharedAtomic,
  /** A load under a predicate that no lane has: it is issued, and nothing else. */
  'LDS.NEVER': {
    ...control,
    sass: '@!PT LDS',
    class: 'load-shared',
    expected: 28,
  },
  LDC: {
    ...mio,
    class: 'load-constant',
    interval: 'constantInterval',
    latency: 'constantLatency',
    request: 'constant',
    expected: 28,
    memory: access('load', 'constant'),
    fetches: 'constant',
  },

  // ---- asynchronous copies; the last modifier of DEPBAR is how many groups may be on their way ----
  LDGDEPBAR: {
    ...mio,
    class: 'int',
    interval: 'controlInterval',
    latency: null,
    stall: 'wait',
    effect: 'asyncCommit',
    fence: 'all',
    timed: true,
  },
  'DEPBAR.LE': { ...control, class: 'int', effect: 'asyncWait', fence: 'all', timed: true },
  'DEPBAR.LE.SB0': { ...bulk, request: 'bulkWait', effect: 'bulkWait', fence: 'all' },
  'UBLKCP.S.G': { ...bulk, request: 'bulkLoad', effect: 'bulk', allotted: 0 },
  'UBLKCP.G.S': { ...bulk, request: 'bulkStore', effect: 'bulk', allotted: 0 },
  UBLKPF: { ...bulk, request: 'bulkLoad', effect: 'bulk', file: 'UR', allotted: 0 },
  UTMACMDFLUSH: { ...bulk, request: 'bulkCommit', file: 'UR', allotted: 0 },

  // ---- barriers in shared memory ----
  'SYNCS.EXCH': sync,
  'SYNCS.ARRIVE': sync,
  'SYNCS.PHASECHK': { ...sync, stall: 'long_scoreboard' },
  'ARRIVES.LDGSTSBAR': sync,

  // ---- textures and surfaces ----
  TEX: texture,
  TLD: { ...texture, latency: 'texturePlainLatency' },
  SULD: texture,
  SUST: texture,

  // ---- barriers and fences ----
  BAR: { ...barrier, effect: 'barrier' },
  'BAR.SYNC': { ...barrier, effect: 'barrier' },
  /** A barrier with a number. */
  'BAR.SYNC.COUNT': { ...barrier, effect: 'numbered' },
  'BAR.ARV': { ...barrier, effect: 'numbered' },
  WARPSYNC: barrier,
  MEMBAR: { ...barrier, effect: 'membar' },
  'MEMBAR.CTA': barrier,
  /** Behind fences and loads that acquire (H200 reference, SASS of grid.sync and of line_lat). */
  'CCTL.IVALL': { ...barrier, effect: 'forgetL1' },

  // ---- control flow ----
  BRA: branch,
  'BRA.DIV': { ...branch, effect: 'jump' },
  CALL: { ...branch, effect: 'jump' },
  RET: { ...branch, effect: 'jump' },
  EXIT: branch,
  BSSY: { ...branch, effect: null },
  BSYNC: { ...branch, effect: null },
  /** Groups of lanes do what follows one after the other. */
  'WARPSYNC.COLLECTIVE.VOTE': { ...branch, effect: 'sleep', stall: 'branch_resolving', turns: 'voteOfGroupCycles' },
  'WARPSYNC.COLLECTIVE.MATCH': { ...branch, effect: 'sleep', stall: 'branch_resolving', turns: 'matchOfGroupCycles' },
  /** The modifier is how many nanoseconds. */
  NANOSLEEP: {
    ...control,
    class: 'int',
    stall: 'sleeping',
    effect: 'sleep',
    fence: 'all',
    timed: true,
    keepsBusy: { pipe: 'alu', cycles: 2 },
  },
} as const satisfies Record<string, OpcodeRow>;

export type Opcode = keyof typeof opcodes;

/** An opcode as selection writes it: `IMAD.WIDE`, `LDG.128`. */
export type Spelled = Opcode | `${Opcode}.${string}`;

export interface Coded {
  opcode: Opcode;
  /** Modifiers that the key does not have: widths, counts, and what does not matter for time. */
  modifiers: readonly string[];
}

const keys: ReadonlyMap<string, Opcode> = new Map(
  // If two opcodes are spelled alike in SASS, the spelling maps to the one whose key it is.
  [
    ...(Object.entries(opcodes) as [Opcode, OpcodeRow][]).map(([key, { sass }]) => [sass ?? key, key] as const),
    ...(Object.keys(opcodes) as Opcode[]).map((key) => [key, key] as const),
  ],
);
const parsed = new Map<string, Coded | null>();

/** The longest key that a spelling begins with; null for what no row is for. */
export function parseOpcode(text: string): Coded | null {
  let found = parsed.get(text);
  if (found === undefined) {
    found = parse(text);
    parsed.set(text, found);
  }
  return found;
}
function parse(text: string): Coded | null {
  const parts = text.split('.');
  for (let count = parts.length; count > 0; count--) {
    const opcode = keys.get(parts.slice(0, count).join('.'));
    if (opcode !== undefined) return { opcode, modifiers: parts.slice(count) };
  }
  return null;
}
export const coded = (text: Spelled): Coded => parseOpcode(text)!;

/** The row of what a trace says was executed. */
export function rowFor(text: string): OpcodeRow | null {
  const code = parseOpcode(text);
  return code === null ? null : rowOf(code);
}

export const rowOf = ({ opcode }: Pick<Coded, 'opcode'>): OpcodeRow => opcodes[opcode];

/** As SASS spells it, without what does not matter for time. */
export const spelled = ({ opcode, modifiers }: Coded): string =>
  [rowOf({ opcode }).sass ?? opcode, ...modifiers].join('.');

/** The count that is the last modifier, of those that have one. */
export const countOf = ({ modifiers }: Coded): number => Number(modifiers.at(-1));

const widthOf = ({ modifiers }: Coded): number =>
  Number(modifiers.map((each) => /^[SU]?(\d+)$/.exec(each)?.[1]).find((bits) => bits !== undefined) ?? 32);
/** Registers of 32 bits that a memory instruction moves for each lane. */
export const wordsMoved = (one: Coded): number => Math.max(1, widthOf(one) / 32);
/** Bytes that it accesses for each lane. */
export const bytesOf = (one: Coded): number => widthOf(one) / 8;
