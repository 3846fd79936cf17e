/**
 * A GPU as the simulator knows it. One data file per GPU in this folder; every group of figures names its source, and
 * what is not known is null, never a guess. Models that need a figure all the same take it from `fallbacks.ts`, which
 * says what stands in for it and why.
 */
export interface Sourced {
  /** Source of the figures of this group. */
  source: string;
}

export interface GpuDescription {
  /** Stable short name for the command line: `a100`, `h200`. Lower case, no blanks. */
  id: string;
  /** Name as in `cudaDeviceProp::name`. */
  name: string;
  chip: string;
  architecture: string;
  computeCapability: { major: number; minor: number };
  core: Sourced & {
    smCount: number;
    /** Clock the SMs hold under load, MHz; what simulated times are computed with. */
    smClockMhz: number;
    memoryClockMhz: number;
  };
  limits: Sourced & {
    warpsPerSm: number;
    threadsPerSm: number;
    blocksPerSm: number;
    threadsPerBlock: number;
    registersPerSm: number;
    registersPerThread: number;
    /** Registers are given to warps in units of this many. */
    registerAllocationUnit: number;
    /** Registers per thread for which that unit is twice as large: some of compute capability 2.x. */
    doubleUnitRegisterCounts: number[];
    /** A warp gets at least this many registers. */
    registersPerWarpMin: number;
    sharedBytesPerSm: number;
    /** Without opt-in by `cudaFuncSetAttribute`. */
    sharedBytesPerBlock: number;
    sharedBytesPerBlockOptin: number;
    sharedReservedBytesPerBlock: number;
    sharedAllocationUnit: number;
    /** L1 data cache plus shared memory, bytes; null where they are separate. */
    unifiedL1SharedBytes: number | null;
    /** Sizes of shared memory that the driver can choose, bytes. */
    sharedCarveouts: number[];
    /** The driver's choice for a kernel without a preference: what the kernel needs, or always the largest size. */
    sharedCarveoutDefault: 'needed' | 'largest';
    /** L1 data cache, bytes, where it is separate from shared memory. */
    l1Bytes: number | null;
  };
  /** Results per clock and SM. */
  throughput: Sourced & {
    fp32: number;
    fp64: number | null;
    /** Null where unknown, and where half precision is computed as FP32 (before 5.3). */
    fp16: number | null;
    int32: number;
    imad: number | null;
    special: number | null;
    conversion: number | null;
    /** Null where there are no shuffles (before compute capability 3.0). */
    shuffle: number | null;
    /** Lanes of loads and stores that leave the SM's memory pipe per clock. */
    loadStore: number | null;
    schedulers: number;
  };
  /**
   * Dense multiply-adds per clock and SM, by what is multiplied (16-bit floats add up in 32 bits); null where unknown,
   * and where there are none.
   */
  tensorCores: Sourced & {
    fp16: number | null;
    tf32: number | null;
    fp8: number | null;
    fp64: number | null;
    /** Their clock as a share of the SM's; not of FP64. */
    clockShare: number;
  };
  memory: Sourced & {
    type: string;
    capacityBytes: number;
    busWidthBits: number;
    /** Peak, bytes per second. */
    bandwidth: number;
    /** The bandwidth that a copy or triad kernel reaches, as a share of peak; null where nobody measured it. */
    achievableFraction: number | null;
    l2Bytes: number;
    /** Parts of L2 that serve half of the SMs each and keep copies of what is at home in the other; not given: one for all. */
    l2Halves?: 2;
    /** Bytes per clock of the SMs that all of L2 has been measured to deliver; null where unknown. */
    l2BytesPerClock: number | null;
  };
  hostLink: Sourced & {
    pcieGeneration: number;
    pcieLanes: number;
    copyEngines: number | null;
    /** Measured with pinned memory, bytes per second; null where nobody measured it. */
    hostToDevice: number | null;
    deviceToHost: number | null;
  };
  /** Load-to-use or dependent-issue cycles of the SM clock; for a barrier, one of a block of 8 warps. */
  latency: Sourced & {
    alu: number | null;
    fp64: number | null;
    special: number | null;
    shared: number | null;
    l1Hit: number | null;
    l2Hit: number | null;
    dram: number | null;
    barrier: number | null;
  };
}
