/**
 * Where things lie in the one linear memory and in the structs that kernels, runtime.c and the device share.
 *
 *   0 … 1 MiB          the current module's stack and own data (each module is linked to the same place, see Device)
 *   1 MiB … arenaEnd   launch struct, parameters, counters, warps, shared and local memory, cache tags
 *   heapStart …        device memory: variables, then what the program allocates
 *
 * Device addresses below `heapStart` fault, so null and near-null pointers are caught.
 */
export const staticLimit = 1 << 20;

/** struct Launch of runtime.c: byte offsets. */
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
  statistics: 112,
} as const;
export const launchBytes = 176;

/** struct Warp: three vectors of thread indices, then mask, resume point, number; then the frame kept over barriers. */
export const warpField = { tid: 0, mask: 384, resume: 388, id: 392 } as const;
export const warpHeaderBytes = 400;

/** Per basic block: times executed, active lanes summed, times its branch diverged; u64 each. */
export const blockCounterBytes = 24;
/** Per memory instruction: sectors, wavefronts, and requests of generic addresses that went to shared or local memory. */
export const siteCounterBytes = 32;

export const l1SetBytes = 20;
export const l1SetLines = 4;
export const l2SetBytes = 48;
export const l2SetLines = 8;
export const lineBytes = 128;

/** Codes of `env.fault`, as in runtime.c. */
export const faultCode = { nullAccess: 1, sharedRange: 2, misaligned: 3, trap: 4, divergentBarrier: 5, stackOverflow: 33, assertion: 32, badCall: 34 } as const;

/** What recursive functions and arrays of variable size may use, bytes per thread, beside a kernel's own local memory. */
export const stackBytesPerThread = 16 << 10;
export const dynamicArrayBytes = 4 << 10;
