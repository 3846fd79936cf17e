/**
 * How long NVIDIA's own kernels take, which cannot be executed here: models with few parameters, fitted to half of the calls that were
 * measured on an H200 (`test/reference/h200/libraries.json`), and scaled by the peaks of other GPUs. `engine/sm/MODEL.md` says how good
 * they are.
 */
import type { Dim3 } from '../../../model/execution.ts';

/** A kernel of the library, as it is launched, and how long it takes on the whole, otherwise idle GPU. */
export interface LibraryKernel {
  /** As in a profile: demangled, without parameters. Null where those of the GPU are not known. */
  name: string | null;
  grid: Dim3;
  threads: number;
  registers: number;
  /** Bytes of shared memory of a block. */
  shared: number;
  /** Blocks that an SM holds at once. */
  resident: number;
  /** Nanoseconds. */
  duration: number;
  /** Share of what the SMs and DRAM can do that it takes, 0 to 1. */
  load: { sm: number; dram: number };
}

/**
 * Types of A and B, of sums, and of C, by what the library chooses its kernels by. Of 8-bit floats: results of 16 bits, the same with sums as tensor cores
 * have them (CUBLASLT_MATMUL_DESC_FAST_ACCUM), results of 32, and of 8 bits with such sums.
 */
export type GemmType =
  's' | 'tf32' | 'd' | 'h16' | 'h32' | 'hs' | 'b32' | 'bs' | 'i8' | 'c' | 'z' | 'f8b' | 'f8q' | 'f8s' | 'f8f8';

export interface GemmCall {
  type: GemmType;
  transposedA: boolean;
  transposedB: boolean;
  m: number;
  n: number;
  k: number;
  lda: number;
  ldb: number;
  ldc: number;
  batch: number;
  /** beta is not 0. */
  readsC: boolean;
  /** What cuBLASLt does with the results has a kernel of its own, or a longer one: anything but the default. */
  hasEpilogue: boolean;
}

/** Tile of a block, and the kernels that have it. */
export interface Tile {
  /** Kernels of one make, which share factors of the parameters. */
  family: string;
  m: number;
  n: number;
  /** Steps of k that are loaded at once. */
  k: number;
  resident: number;
  threads: number;
  registers: number;
  shared: number;
  /** By type and layout, as `s tn`. */
  names: Readonly<Record<string, string>>;
}

/** Rates in bytes or multiply-adds per nanosecond, times in nanoseconds, all as on an H200. */
export interface GemmParameters {
  /** Start and end of a kernel. */
  start: number;
  /** Prologue and epilogue of the blocks that are resident together, and the rate at which an SM stores what they computed. */
  turn: number;
  store: number;
  /** Multiply-adds of an SM; time for each element of a tile's edges and step of k. */
  rate: number;
  edge: number;
  /** What a step of k takes at least, beside `chain` times what it would take the SM. */
  step: number;
  chain: number;
  l2: number;
  dram: number;
  /** Sums of the parts of k: a kernel, each part, the rate of their bytes. */
  reduce: number;
  part: number;
  reduceRate: number;
  /** Factors of what a step takes, beside those of `nn`. */
  tn: number;
  nt: number;
  tt: number;
  /** Epilogues of cuBLASLt. */
  epilogue: number;
  epilogueRate: number;
  /** Factors of rate, step, start and reduce. */
  families: Readonly<Record<string, FamilyFactors>>;
}

export interface FamilyFactors {
  rate: number;
  step: number;
  start: number;
  reduce: number;
}

export interface GemmClass {
  parameters: GemmParameters;
  tiles: readonly Tile[];
  /** The kernel that adds up the parts of k. */
  reducer: { name: string; threads: number; registers: number; shared: number };
}

/** A call that goes through vectors or a matrix once. */
export interface StreamCall {
  /** `axpy s`, or what else there are parameters for. */
  key: string;
  /** Elements in each dimension that blocks divide among them; the second is 1 for vectors. */
  rows: number;
  columns: number;
  /** Bytes that are loaded and stored. */
  bytes: number;
  /** Products that are added up for one result. */
  length: number;
}

/** Times in nanoseconds, rates in bytes per nanosecond, as on an H200. */
export interface StreamParameters {
  start: number;
  /** Times a power of the number of blocks, and the square root of the length of sums. */
  blocks: number;
  power: number;
  length: number;
  l2: number;
  dram: number;
}

/** One of the kernels of such a call. Only the first goes through the data. */
export interface StreamKernel {
  name: string;
  threads: number;
  registers: number;
  shared: number;
  /** Elements of a block in both dimensions, and how many blocks there are at most. */
  perBlock: [rows: number, columns: number];
  mostBlocks: number;
  /** Up to so many elements one block of the first kernel is all there is. */
  alone?: number;
  parameters: StreamParameters;
}
