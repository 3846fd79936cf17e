/** Memory accesses of a kernel lane by lane, and layouts of shared memory that would cost less. */

/** Alternative layout of a `__shared__` variable. */
export interface SharedLayout {
  /** Its {@link SharedVariable.offset}. */
  array: number;
  rowBytes: number;
  /** `bytes` more behind each row, or parts of so many bytes in another order in each row: number XOR row. */
  kind: 'pad' | 'xor';
  bytes: number;
}

export interface SharedVariable {
  name: string;
  /** From where the block's shared memory begins. */
  offset: number;
  /** null: as many as the launch says. */
  bytes: number | null;
  /** Bytes of one row, for arrays of several dimensions. */
  rowBytes: number | null;
}

export interface LayoutGain {
  layout: SharedLayout;
  array: string;
  /** Wavefronts of all accesses to the array, as far as samples tell. */
  before: number;
  after: number;
  /** Shared memory only; null where the array's size is not known. */
  extraBytes: number | null;
}

/** One access of a warp, by lane. */
export interface SampledAccess {
  block: number;
  warp: number;
  space: 'global' | 'shared' | 'local';
  /** Bytes of each lane. */
  size: number;
  /** Mask of the lanes that took part. */
  lanes: number;
  /** One address per lane. Shared memory: offset in the block's; local memory: offset in the warp's, lanes side by side. */
  addresses: number[];
  /** Global and local memory only. */
  global: {
    /** Lines of 128 bytes, each with a mask of the sectors touched. */
    lines: { address: number; sectors: number }[];
    /** Sectors; for atomics, the passes that L2 makes over them. */
    sectors: number;
    idealSectors: number;
    /** Bytes asked for, each counted once. */
    bytes: number;
    pattern:
      'broadcast' | 'coalesced' | 'misaligned' | 'strided' | 'scattered' | 'single' | 'same address' | 'colliding';
    /** From lane to lane, of strided ones. */
    strideBytes: number | null;
  } | null;
  shared: {
    /** Per bank: word number (-1: none), and a mask of the lanes it serves. */
    wavefronts: { words: number[]; lanes: number[] }[];
    idealWavefronts: number;
  } | null;
}

/** A load, store or atomic; counts are of the whole grid. */
export interface KernelAccess {
  /** Index into {@link KernelView.instructions}. */
  instruction: number;
  opcode: string;
  file: string | null;
  line: number | null;
  kind: 'load' | 'store' | 'atomic';
  executed: number;
  sectors: number;
  wavefronts: number;
  samples: SampledAccess[];
}

export interface KernelAccesses {
  /** In the order of the machine code. */
  accesses: KernelAccess[];
  sharedArrays: SharedVariable[];
  /** Layouts that take fewer wavefronts, the best of each array first. */
  gains: LayoutGain[];
}
