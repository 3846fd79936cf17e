/** A kernel written for whole warps, and what it is written from. */
import type { Space } from '../../../ir/addresses.ts';
import type { Pointers } from '../../../ir/addresses.ts';
import type { ClockLoop } from '../../../ir/analysis/clock-loops.ts';
import type { Flow } from '../../../ir/analysis/flow.ts';
import type { Uniformity } from '../../../ir/analysis/uniformity.ts';
import type { Value } from '../../../ir/ir.ts';
import type { SourcePlace } from '../../../model/source-place.ts';
import type { PollLoop } from '../../waits.ts';
import type { SiteUnit } from '../../../ir/calls/called.ts';

/** A memory instruction (or trap) of a kernel, for counters and messages; the block it is in says how often it ran. */
export interface Site {
  block: number;
  kind: 'load' | 'store' | 'atomic' | 'trap';
  space: Space;
  place: SourcePlace | null;
  /** A load of global memory that finds nothing in L1: volatile, `ld.cg`. */
  pastL1?: boolean;
  /** An atomic that adds floats, which takes L2 longer. */
  addsFloats?: boolean;
  /** An atomic whose result nobody uses. */
  isReduction?: boolean;
  /** An atomic that leaves what it finds: adds 0, say. */
  changesNothing?: boolean;
  /** Unit that executes what is neither load nor store: barriers in shared memory, bulk copies, textures. */
  unit?: SiteUnit;
  /** Name of an operation at which lanes wait for others, for messages. */
  operation?: string;
}

/** The LLVM IR of one kernel, and what selection of machine code and execution need to know of it. */
export interface WidenedKernel {
  text: string;
  /** The function in which lanes of a warp wait for each other, see meetings.ts; null where they never have to. */
  meeting: string | null;
  flow: Flow;
  uniformity: Uniformity;
  pointers: Pointers;
  resolve: (value: Value) => Value;
  sites: Site[];
  /** Bytes of the warp struct with the largest frame. */
  warpBytes: number;
  localBytes: number;
  live: Set<string>[];
  polls: PollLoop[];
  clockLoops: readonly ClockLoop[];
  /** Reads of the clock in each block of code. */
  clockReads: number[];
}

/** Places of a module's variables: shared ones at fixed offsets (bytes) of a block's window, others by index in the address table. */
export interface VariablePlaces {
  shared: Map<string, number>;
  table: Map<string, number>;
  /** Bytes of static shared memory, rounded up to where dynamic memory begins. */
  staticShared: number;
}

/** Choices that change the code of a kernel. */
export interface KernelOptions {
  /** True if shared memory is checked: every access to it goes through the runtime. */
  checked: boolean;
  /** Lanes of a warp wait for each other wherever they are, as since Volta; before, they have to be in one place. */
  independentLanes: boolean;
}

/** A recursive function is written once per kernel; its blocks and sites follow those of the kernel. */
export interface CalledFunction {
  kernel: string;
  /** Bytes of local memory per thread, the stack included: the distance of two lanes. */
  laneBytes: number;
  firstBlock: number;
  sites: Site[];
}
