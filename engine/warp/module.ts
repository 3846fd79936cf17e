/** A module that {@link Device} can run: plain data, to be cached or posted. `engine/kernels` makes it. */
import type { SourcePlace } from '../model/source-place.ts';
import type { KernelDescription } from '../model/execution.ts';
import type { Site } from './widen/kernel/widened-kernel.ts';
import type { PollLoop } from './waits.ts';
import type { ClockLoop } from '../ir/analysis/clock-loops.ts';
import type { UnitCode } from './unit-code.ts';

/** Cost of one execution of a block. */
export interface BlockCost {
  /** Warp instructions, in the order of `instructionClasses`. */
  mix: number[];
  branches: number;
  barriers: number;
  /** The block whose executions count; another one, where this block is executed under its predicate. */
  counted: number;
}

export interface ModuleKernel extends KernelDescription {
  /** Number of the export `run_<entry>`. */
  entry: number;
  /** Index of the module's unit that has it. */
  unit: number;
  /** Blocks may be executed side by side. */
  byBlocks: boolean;
  /** Warps may wait for other blocks, or for the whole grid. */
  waits: boolean;
  /** Loops that change nothing: blocks from the first up to the second. */
  polls: readonly PollLoop[];
  /** Loops that wait for a time, and how often each block of code reads a clock. */
  clockLoops: readonly ClockLoop[];
  clockReads: readonly number[];
  /** Atomics on memory that blocks share, and whether anybody waits for what they found. */
  globalAtomics: 'none' | 'sent' | 'awaited';
  /** Warps wait for each other at other places than barriers of their whole block. */
  otherBarriers: boolean;
  /** Value that represents it where kernels use its address. */
  code: number;
  warpBytes: number;
  blocks: BlockCost[];
  sites: Site[];
  place: SourcePlace | null;
}

export interface ModuleVariable {
  name: string;
  size: number;
  align: number;
  /** Initial bytes; null: zero. */
  bytes: Uint8Array | null;
  /** Words of `bytes` that hold addresses of other variables (plus what stands there). */
  relocations: { offset: number; variable: string }[];
  constant: boolean;
  managed: boolean;
}

/** The kernel of {@link DeviceModule.later} with that name, as a module. */
export type KernelSource = (module: DeviceModule, kernel: string) => DeviceModule;

/** Some of a module's kernels as WebAssembly; null: yet to be compiled. */
export interface ModuleUnit extends UnitCode {
  wasm: Uint8Array | null;
}

/** Structured-cloneable; the same for the same IR. */
export interface DeviceModule {
  sourceName: string;
  units: ModuleUnit[];
  kernels: ModuleKernel[];
  variables: ModuleVariable[];
  /** Names of kernels that come when they are first asked for, each as a module of its own with variables of this one. */
  later?: readonly string[];
}
